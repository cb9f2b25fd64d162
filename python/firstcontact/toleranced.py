"""Toleranced motions: proves motions free by covering them with balls of displacements (Schröcker and Weber).

The method gives a second, independent proof. `firstcontact.Engine` is faster and also finds contacts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._arrays import Floats, motions
from ._fork import guard
from ._robot import Robot
from ._scene import Scene


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers for Q motions, as columns."""

    free: NDArray[np.bool_]
    """Nothing touches at any time; this is guaranteed. Other motions are undecided. Shape (Q,)."""
    clear_until: Floats
    """Nothing touches before this time, shape (Q,); 1 for a free motion."""

    def __len__(self) -> int:
        return len(self.free)


def check(
    robot: Robot, scene: Scene, starts: Any, ends: Any = None, *, delta: float = 1e-3, max_level: int = 24
) -> Answers:
    """Covers motions of a robot in a scene with balls of displacements.

    Args:
        robot: The robot.
        scene: The scene.
        starts: Motions, as for `firstcontact.Engine.check`.
        ends: As for `firstcontact.Engine.check`.
        delta: Time intervals in which no vertex can be displaced by more than this are not halved further, metres.
        max_level: Maximum number of times that an interval is halved.

    Raises:
        Error: A motion does not fit the robot, or an option is out of range.
    """
    guard()
    content = motions(starts, ends, robot.n_columns).tobytes()
    clear_until, free = _native.toleranced(robot._native, scene._native, content, delta, max_level)
    return Answers(np.frombuffer(free, dtype=np.bool_), np.frombuffer(clear_until, dtype=np.float64))
