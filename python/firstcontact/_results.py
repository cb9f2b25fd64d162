"""Results as columns, and the answer for one motion."""

from __future__ import annotations

import enum
import json
import os
from collections.abc import Iterator
from typing import Any, TextIO, overload

import numpy as np
from numpy.typing import NDArray

from . import _native, _tables
from ._arrays import Path
from ._columns import COLUMNS, Column, decode


class Verdict(enum.IntEnum):
    """The codes in the column `Results.verdict`."""

    FREE = 0
    """Nothing touches at any time; this is guaranteed."""
    CONTACT = 1
    """Something touches, or comes so close that contact can be neither proved nor excluded."""
    UNDECIDED = 2
    """The search ended without an answer."""


class Results:
    """The answers for Q motions or trajectories, in their order, as columns.

    Columns are read-only NumPy arrays. Where a column does not apply, it is NaN, -1 or False.
    """

    verdict: Column[np.int8] = Column("`FREE`, `CONTACT` or `UNDECIDED`, shape (Q,).")
    toc: Column[np.float64] = Column(
        "Enclosure of the time of first contact, shape (Q, 2): before ``toc[:, 0]`` nothing touches, and if proved, a"
        " contact exists at or before ``toc[:, 1]``. NaN without contact. For a trajectory, times are relative to"
        " `segment` and `segment_hi`."
    )
    clear_until: Column[np.float64] = Column(
        "Nothing touches before this time, shape (Q,): 1 for a free motion, ``toc[:, 0]`` for a contact. For a"
        " trajectory, the time is relative to `segment`; 1 if it is free."
    )
    reason: Column[np.int8] = Column("Index in `reasons` of the reason why a motion is undecided, or -1, shape (Q,).")
    proved: Column[np.bool_] = Column("A contact exists, shape (Q,).")
    certified: Column[np.bool_] = Column("Proved, and `toc` is as narrow as the tolerance, shape (Q,).")
    initial_overlap: Column[np.bool_] = Column("Something touches at the start, shape (Q,).")
    inside: Column[np.bool_] = Column("The start is inside a solid without touching it, shape (Q,).")
    link: Column[np.int32] = Column("Index in `links` of the link that touches first, or -1, shape (Q,).")
    object: Column[np.int32] = Column("Index in `objects` of the object that `link` touches, or -1, shape (Q,).")
    link_b: Column[np.int32] = Column("Index in `links` of the other link, if `link` touches one, or -1, shape (Q,).")
    point: Column[np.float64] = Column("The point of contact in the world, shape (Q, 3), metres, or NaN.")
    normal: Column[np.float64] = Column("Unit vector from the obstacle to `link`, in the world, shape (Q, 3), or NaN.")
    shape: Column[np.int32] = Column("Index of the shape within `link`, or -1, shape (Q,).")
    triangle: Column[np.int64] = Column("Triangle of `link`, counted over its shapes, or -1, shape (Q,).")
    feature: Column[np.int8] = Column("Index in `features` of the part of `triangle`, or -1, shape (Q,).")
    index: Column[np.int8] = Column("Number of the vertex or edge of `triangle`, or -1, shape (Q,).")
    shape_b: Column[np.int32] = Column("As `shape`, for `link_b`; -1 for an object, shape (Q,).")
    triangle_b: Column[np.int64] = Column("As `triangle`, within the object or `link_b`, shape (Q,).")
    feature_b: Column[np.int8] = Column("As `feature`, for `triangle_b`, shape (Q,).")
    index_b: Column[np.int8] = Column("As `index`, for `triangle_b`, shape (Q,).")
    segment: Column[np.int64] = Column("For trajectories: the segment of ``toc[:, 0]`` or `clear_until`, shape (Q,).")
    segment_hi: Column[np.int64] = Column("For trajectories: the segment of ``toc[:, 1]``, shape (Q,).")
    time_s: Column[np.float64] = Column(
        "For trajectories with times: `toc`, or `clear_until` in both entries, in seconds on their own clock,"
        " shape (Q, 2), or NaN."
    )

    features = ("vertex", "edge", "face")
    """Names of the codes in `feature` and `feature_b`."""
    reasons = ("evaluation-cap", "memory")
    """Names of the codes in `reason`."""

    def __init__(self, native: _native.Answers, first: int = 0) -> None:
        """For engines."""
        self._native = native
        self._columns: dict[str, NDArray[Any]] | None = None
        self.first = first
        """Number of the first motion; above 0 in a stream."""

    def column(self, name: str) -> NDArray[Any]:
        """A column by name."""
        if self._columns is None:
            self._columns = decode(self._native.columns())
        if name not in self._columns:
            if name in COLUMNS:
                raise AttributeError(f"motions have no column {name!r}: only trajectories have it")
            raise AttributeError(f"results have no column {name!r}")
        return self._columns[name]

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """All columns by name."""
        self.column("verdict")
        return dict(self._columns or {})

    @property
    def links(self) -> list[str]:
        """Names of the links with triangles and of attached objects, to which `link` and `link_b` refer."""
        return self._native.links

    @property
    def objects(self) -> list[str]:
        """Names of the objects of the scene, to which `object` refers."""
        return self._native.objects

    @property
    def stats(self) -> dict[str, float]:
        """Counts of motions by verdict, ``start_inside``, and the seconds ``wall_s`` and ``build_s``."""
        return self._native.stats()

    @property
    def all_free(self) -> bool:
        """True if every motion is guaranteed to be free."""
        stats = self.stats
        return stats["free"] == stats["motions"]

    def __len__(self) -> int:
        return len(self._native)

    def __getitem__(self, i: int) -> Answer:
        n = len(self)
        if not -n <= i < n:
            raise IndexError(f"answer {i} of {n}")
        return Answer(json.loads(self._native.line(int(i) % n, self.first)))

    def __iter__(self) -> Iterator[Answer]:
        return (self[i] for i in range(len(self)))

    @overload
    def to_jsonl(self, to: None = None) -> str: ...
    @overload
    def to_jsonl(self, to: Path | TextIO) -> None: ...
    def to_jsonl(self, to: Path | TextIO | None = None) -> str | None:
        """One line of JSON for each motion, byte for byte as ``firstcontact check`` writes it.

        Args:
            to: The path of a file, which is written atomically; an open text file; or None to return a string.

        Raises:
            Error: The file cannot be written.
        """
        if to is None:
            return self._native.lines(self.first)
        if isinstance(to, (str, os.PathLike)):
            self._native.write(os.fspath(to), self.first)
        else:
            to.write(self._native.lines(self.first))
        return None

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame` with a row for each motion: names instead of indices, vectors as several columns.

        Raises:
            ImportError: pandas is not installed.
        """
        return _tables.pandas(self)

    def to_arrow(self) -> Any:
        """A `pyarrow.Table` with a row for each motion: names instead of indices, null for missing values.

        Raises:
            ImportError: pyarrow is not installed.
        """
        return _tables.arrow(self)

    def __repr__(self) -> str:
        stats = self.stats
        counts = f"{stats['free']} free, {stats['contact']} contact, {stats['undecided']} undecided"
        return f"<Results of {len(self)}: {counts}; {stats['wall_s']:.3g} s>"


class Answer:
    """The answer for one motion: the fields of its line of JSON, as attributes.

    `verdict` is always present. A contact has `toc`, `proved`, `certified` and `initial_overlap`, and if features
    touch, `a`, `b`, `point` and `normal`. An undecided motion has `clear_until` and `reason`. Other attributes are
    None.
    """

    def __init__(self, fields: dict[str, Any]) -> None:
        """For `Results`: the fields by name."""
        self.fields = fields

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "fields":
            raise AttributeError(name)
        if name not in _FIELDS:
            raise AttributeError(f"an answer has no field {name!r}")
        return self.fields.get(name)

    @property
    def motion(self) -> int:
        """Number of the motion."""
        return int(self.fields["motion"])

    @property
    def verdict(self) -> str:
        """ "free", "contact" or "undecided"."""
        return str(self.fields["verdict"])

    @property
    def is_free(self) -> bool:
        """True if it is guaranteed that nothing touches."""
        return self.verdict == "free"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Answer) and self.fields == other.fields

    __hash__ = None  # type: ignore[assignment]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.fields]

    def __repr__(self) -> str:
        text = f"motion {self.motion}: {self.verdict}"
        if self.verdict == "undecided":
            text += f", clear until {self.clear_until!r} ({self.reason})"
        if self.verdict == "contact":
            certainty = "certified" if self.certified else "proved" if self.proved else "possible"
            text += f" ({certainty}) at {self.toc!r}"
            text += f" of segment {self.segment}" if self.segment is not None else ""
            text += f", {_side(self.a)} on {_side(self.b)}" if self.a else ""
        return f"<{text}>"


_FIELDS = frozenset(
    {
        *("toc", "proved", "certified", "initial_overlap", "inside", "a", "b", "point", "normal", "contacts", "poses"),
        *("clear_until", "reason", "segment", "segment_hi", "time_s", "clear_until_s"),
    }
)


def _side(side: dict[str, Any]) -> str:
    name = side.get("attached") or side.get("link") or side.get("object")
    if "triangle" not in side:
        return str(name)
    feature = side["feature"] if side["feature"] == "face" else f"{side['feature']} {side['index']}"
    return f"{name} (triangle {side['triangle']}, {feature})"
