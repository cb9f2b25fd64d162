"""Clearances of many motions as columns, and the clearance of one motion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._arrays import Floats
from ._columns import CLEARANCE_COLUMNS, Column, decode
from ._results import Results


@dataclass(frozen=True, eq=False)
class Clearance:
    """The smallest distance between the robot and its obstacles during a motion or trajectory."""

    distance: tuple[float, float]
    """Enclosure of the distance, metres: a guaranteed lower bound, and an upper bound."""
    segment: int | None
    """The segment in which the distance is at most ``distance[1]``; None beyond the limit, like the fields below."""
    t: float | None
    """The time in that segment, from 0 to 1."""
    time_s: float | None
    """The same time on the trajectory's own clock, seconds; None for a trajectory without times."""
    link: str | None
    """The nearest link at that time."""
    other: str | None
    """The object or other link nearest to it."""
    points: Floats | None
    """The nearest points of `link` and `other`, in the world, shape (2, 3), metres."""

    def __repr__(self) -> str:
        lo, hi = self.distance
        if self.points is None:
            return f"<Clearance: {lo!r} m or more>"
        return f"<Clearance: {lo!r} to {hi!r} m, {self.link} and {self.other} at {self.t!r} of segment {self.segment}>"


class Clearances:
    """The smallest distances between the robot and its obstacles over Q motions or trajectories, as columns.

    Columns are read-only NumPy arrays. Beyond the limit, entries are NaN or -1.
    """

    distance: Column[np.float64] = Column(
        "Enclosure of the smallest distance at any time, shape (Q, 2), metres: the first number is guaranteed, the"
        " second is a distance at one time; infinite beyond the limit. 0 at least if something touches."
    )
    segment: Column[np.int64] = Column("The segment of `t`, shape (Q,); 0 for a motion.")
    t: Column[np.float64] = Column(
        "A time at which the distance is at most ``distance[:, 1]``, from 0 to 1, shape (Q,)."
    )
    time_s: Column[np.float64] = Column("For trajectories with times: `t` on their own clock, seconds, shape (Q,).")
    points: Column[np.float64] = Column(
        "The nearest point of `link` and that of the obstacle at `t`, in the world, shape (Q, 2, 3), metres."
    )
    link: Column[np.int32] = Column("Index in `links` of the nearest link, shape (Q,).")
    object: Column[np.int32] = Column("Index in `objects` of the object nearest to `link`, or -1, shape (Q,).")
    link_b: Column[np.int32] = Column(
        "Index in `links` of the other link, if a link is nearest to `link`, or -1, shape (Q,)."
    )
    shape: Column[np.int32] = Column("Index of the shape within `link`, shape (Q,).")
    triangle: Column[np.int64] = Column("Triangle of `link`, counted over its shapes, shape (Q,).")
    feature: Column[np.int8] = Column("Index in `features` of the part of `triangle`, shape (Q,).")
    index: Column[np.int8] = Column("Number of the vertex or edge of `triangle`, shape (Q,).")
    shape_b: Column[np.int32] = Column("As `shape`, for `link_b`; -1 for an object, shape (Q,).")
    triangle_b: Column[np.int64] = Column("As `triangle`, within the object or `link_b`, shape (Q,).")
    feature_b: Column[np.int8] = Column("As `feature`, for `triangle_b`, shape (Q,).")
    index_b: Column[np.int8] = Column("As `index`, for `triangle_b`, shape (Q,).")

    features = Results.features
    """Names of the codes in `feature` and `feature_b`."""

    def __init__(self, native: _native.Clearances) -> None:
        """For engines."""
        self._native = native
        self._columns: dict[str, NDArray[Any]] = decode(native.columns(), CLEARANCE_COLUMNS)

    def column(self, name: str) -> NDArray[Any]:
        """A column by name."""
        return self._columns[name]

    @property
    def links(self) -> list[str]:
        """Names of the links with triangles and of attached objects, to which `link` and `link_b` refer."""
        return self._native.links

    @property
    def objects(self) -> list[str]:
        """Names of the objects of the scene, to which `object` refers."""
        return self._native.objects

    def __len__(self) -> int:
        return len(self._native)

    def __getitem__(self, i: int) -> Clearance:
        n = len(self)
        if not -n <= i < n:
            raise IndexError(f"clearance {i} of {n}")
        lo, hi = self.distance[i].tolist()
        if self.link[i] < 0:
            return Clearance((lo, hi), None, None, None, None, None, None)
        time_s, object_ = float(self.time_s[i]), int(self.object[i])
        other = self.objects[object_] if object_ >= 0 else self.links[self.link_b[i]]
        clock = None if np.isnan(time_s) else time_s
        place = (int(self.segment[i]), float(self.t[i]), clock)
        return Clearance((lo, hi), *place, self.links[self.link[i]], other, self.points[i])

    def __iter__(self) -> Iterator[Clearance]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        if len(self) == 0:
            return "<Clearances of 0>"
        smallest = int(np.argmin(self.distance[:, 1]))
        return f"<Clearances of {len(self)}; the smallest is {smallest}: {self[smallest]!r}>"
