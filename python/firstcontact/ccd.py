"""Batches of elementary queries: vertex against triangle, or edge against edge; points move along straight lines.

>>> import numpy as np, firstcontact as fc
>>> start = np.array([[[0.2, 0.2, 1.0], [0, 0, 0], [1, 0, 0], [0, 1, 0]]])
>>> end = start - [[[0, 0, 2.0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]]
>>> answers = fc.ccd.vertex_face(start, end)
>>> bool(answers.certified[0]), bool(abs(answers.toc[0, 0] - 0.5) < 1e-8)
(True, True)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._arrays import Floats, shaped
from ._columns import decode
from ._fork import guard


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers to N queries, as columns."""

    verdict: NDArray[np.int8]
    """`firstcontact.FREE`, `CONTACT` or `UNDECIDED`, shape (N,)."""
    toc: Floats
    """Enclosure of the time of first contact, shape (N, 2); NaN without contact."""
    clear_until: Floats
    """The features do not meet before this time, shape (N,)."""
    proved: NDArray[np.bool_]
    """A contact exists, shape (N,)."""
    certified: NDArray[np.bool_]
    """Proved, and `toc` is as narrow as the tolerance, shape (N,)."""

    def __len__(self) -> int:
        return len(self.verdict)


def vertex_face(starts: Any, ends: Any, *, tolerance: float = 1e-9, margin: float = 0.0) -> Answers:
    """A vertex against a triangle.

    Args:
        starts: The vertex, then the corners of the triangle, at time 0: shape (N, 4, 3), metres.
        ends: The same at time 1.
        tolerance: Largest width of a certified enclosure.
        margin: The distance that counts as contact, metres.

    Raises:
        Error: A coordinate is NaN or infinite, or an option is out of its range.
    """
    return _answers("vertex_face", starts, ends, tolerance, margin)


def edge_edge(starts: Any, ends: Any, *, tolerance: float = 1e-9, margin: float = 0.0) -> Answers:
    """An edge against an edge.

    Args:
        starts: The ends of one edge, then of the other, at time 0: shape (N, 4, 3), metres.
        ends: The same at time 1.
        tolerance: Largest width of a certified enclosure.
        margin: The distance that counts as contact, metres.

    Raises:
        Error: A coordinate is NaN or infinite, or an option is out of its range.
    """
    return _answers("edge_edge", starts, ends, tolerance, margin)


def _answers(kind: str, starts: Any, ends: Any, tolerance: float, margin: float) -> Answers:
    first, last = shaped(starts, (None, 4, 3), "starts"), shaped(ends, (None, 4, 3), "ends")
    if len(first) != len(last):
        raise ValueError(f"starts have the shape {first.shape}, but ends {last.shape}")
    guard()
    return Answers(**decode(_native.elementary(kind, first.tobytes(), last.tobytes(), tolerance, margin)))
