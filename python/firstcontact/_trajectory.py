"""Trajectories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from . import _native
from ._arrays import Floats, floats, shaped
from ._words import count

# Times closer together than this count as equal, seconds.
_INSTANT = 1e-9


class Trajectory:
    """A path of a robot in configuration space: in each segment, every column is a polynomial in time.

    Make one with `from_waypoints`, `from_ppoly`, `from_ppolys` or `from_jtc`. Trajectories are immutable.
    """

    def __init__(self, make: str, *arguments: Any) -> None:
        """For the class methods: the name of a constructor of the native half, and its arguments."""
        self._recipe = (make, *arguments)
        self._native: _native.Trajectory = getattr(_native.Trajectory, make)(*arguments)

    @classmethod
    def from_waypoints(cls, waypoints: Any, times: Any = None) -> Trajectory:
        """Straight lines between waypoints.

        Args:
            waypoints: Shape (W, D), radians and metres.
            times: Times at the waypoints, shape (W,), seconds; results then have ``time_s``.

        Raises:
            Error: There is no waypoint, a value is NaN or infinite, or times do not increase.
        """
        points = shaped(waypoints, (None, None), "waypoints")
        return cls("linear", points.tobytes(), points.shape[1], _times(times, len(points)))

    @classmethod
    def from_ppoly(cls, polynomials: Any) -> Trajectory:
        """SciPy's piecewise polynomials: `PPoly`, `CubicSpline`, `BPoly` and other objects with ``x`` and ``c``.

        Args:
            polynomials: An object with ``x`` of shape (m + 1,), seconds, and ``c`` of shape (k, m, D): ``c[j, i]`` are
                the coefficients of ``(x - x[i]) ** (k - 1 - j)``. Degrees up to 15.

        Raises:
            Error: The degree is too large, or the path jumps by more than 1e-9 at a breakpoint.
        """
        polynomials = _in_powers(polynomials)
        breakpoints = shaped(polynomials.x, (None,), "x")
        coefficients = shaped(polynomials.c, (None, len(breakpoints) - 1, None), "c")
        _, n_segments, n_columns = coefficients.shape
        return cls("ppoly", breakpoints.tolist(), coefficients.tobytes(), n_segments, n_columns)

    @classmethod
    def from_ppolys(cls, polynomials: Sequence[Any]) -> Trajectory:
        """Piecewise polynomials with separate breakpoints for each joint, such as jerk-limited profiles.

        Args:
            polynomials: For each column, an object with ``x`` of shape (m + 1,), seconds, and ``c`` of shape (k, m),
                such as a `scipy.interpolate.PPoly`. All must begin at the same time and end at the same time, to within
                1e-9 s.

        Raises:
            ValueError: There are no polynomials, or they begin or end at different times.
            Error: As `from_ppoly`.
        """
        if not polynomials:
            raise ValueError("there are no polynomials: give one for each column")
        powers = [_in_powers(of) for of in polynomials]
        columns = [(shaped(of.x, (None,), "x"), shaped(of.c, (None, len(of.x) - 1), "c")) for of in powers]
        first, last = columns[0][0][0], columns[0][0][-1]
        if any(abs(x[0] - first) > _INSTANT or abs(x[-1] - last) > _INSTANT for x, _ in columns):
            raise ValueError("the columns begin or end at different times")
        breaks = np.unique(np.concatenate([x[(x > first + _INSTANT) & (x < last - _INSTANT)] for x, _ in columns]))
        breaks = breaks[np.diff(breaks, prepend=first) > _INSTANT]
        times = np.concatenate(([first], breaks, [last]))
        order = max(len(c) for _, c in columns)
        coefficients = np.stack([_about(times, x, c, order) for x, c in columns], axis=2)
        return cls("ppoly", times.tolist(), coefficients.tobytes(), len(times) - 1, len(columns))

    @classmethod
    def from_jtc(cls, times: Any, positions: Any, velocities: Any = None, accelerations: Any = None) -> Trajectory:
        """The points of a joint trajectory, interpolated as by the ROS 2 joint trajectory controller.

        Segments are quintic between points with velocities and accelerations, cubic with velocities only, and straight
        otherwise.

        Args:
            times: Shape (W,), seconds.
            positions: Shape (W, D), radians and metres.
            velocities: Shape (W, D), per second, or None.
            accelerations: Shape (W, D), per second squared, or None; they require velocities.

        Raises:
            Error: Times do not increase, or a value is NaN or infinite.
        """
        points = shaped(positions, (None, None), "positions")
        if len(points) == 0:
            raise ValueError("positions have no row: a trajectory needs a point")
        if velocities is None and accelerations is not None:
            raise ValueError("accelerations need velocities")
        named = ((velocities, "velocities"), (accelerations, "accelerations"))
        rates = [None if of is None else shaped(of, points.shape, what).tobytes() for of, what in named]
        return cls("points", _times(times, len(points)), points.tobytes(), *rates)

    @property
    def n_columns(self) -> int:
        """Number of columns of a configuration."""
        return self._native.n_columns

    @property
    def n_segments(self) -> int:
        """Number of segments."""
        return self._native.n_segments

    @property
    def times(self) -> Floats | None:
        """Times at the start and at the end of each segment, shape (n_segments + 1,), seconds; None without times."""
        times = self._native.times_s
        return None if times is None else np.array(times)

    def at(self, segment: int, t: float) -> Floats:
        """The configuration at time `t` in [0, 1] of a segment, shape (D,), to within rounding."""
        if not 0 <= segment < self.n_segments:
            raise IndexError(f"segment {segment} of {self.n_segments}")
        return np.frombuffer(self._native.at(segment, t), dtype=np.float64)

    def __repr__(self) -> str:
        times = self.times
        clock = "" if times is None else f", {times[0]:g} s to {times[-1]:g} s"
        return f"<Trajectory: {count(self.n_columns, 'column')}, {count(self.n_segments, 'segment')}{clock}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._recipe


def _about(times: Floats, x: Floats, c: Floats, order: int) -> Floats:
    """The coefficients of a piecewise polynomial on finer intervals, about the start of each, shape (order, n)."""
    piece = np.clip(np.searchsorted(x, (times[:-1] + times[1:]) / 2, side="right") - 1, 0, len(x) - 2)
    shift, shifted = times[:-1] - x[piece], np.zeros((order, len(times) - 1))
    for row in c[:, piece]:
        # Horner's scheme for polynomials: multiplied by (s + shift), plus the next coefficient.
        shifted = shifted * shift + np.concatenate((shifted[1:], row[np.newaxis]))
    return shifted


def trajectories(paths: Any, n_columns: int) -> list[Trajectory]:
    """Trajectories, given as such or as waypoints of shape (Q, W, D) or (W, D)."""
    if isinstance(paths, Trajectory):
        return [paths]
    given = list(paths) if isinstance(paths, Iterable) and not hasattr(paths, "__array__") else [paths]
    if all(isinstance(path, Trajectory) for path in given):
        return given
    array = floats(paths, "motions")
    array = array[np.newaxis] if array.ndim == 2 else array
    if array.ndim != 3 or array.shape[1] < 1 or array.shape[2] != n_columns:
        raise ValueError(f"motions have the shape {array.shape}, not (Q, W, {n_columns}): W waypoints of Q motions")
    return [Trajectory.from_waypoints(waypoints) for waypoints in array]


def _in_powers(of: Any) -> Any:
    """Piecewise polynomials in the power basis; a `BPoly`, in the Bernstein basis, is converted."""
    if not (hasattr(of, "x") and hasattr(of, "c")):
        raise TypeError(f"{type(of).__name__} has no x and c: give a scipy.interpolate.PPoly")
    if any(base.__name__ == "BPoly" for base in type(of).__mro__):
        from scipy.interpolate import PPoly

        return PPoly.from_bernstein_basis(of)
    return of


def _times(times: Any, n_points: int) -> list[float] | None:
    if times is None:
        return None
    seconds: list[float] = shaped(floats(times, "times"), (n_points,), "times").tolist()
    return seconds
