"""OMPL planners with certified paths: every edge is checked at every moment, not at samples.

>>> import firstcontact.ompl as fco                      # doctest: +SKIP
>>> fco.configure(setup, engine, og.RRTConnect(si))      # doctest: +SKIP
>>> setup.solve(1.0)                                     # doctest: +SKIP

States belong to a real vector space. Undecided motions count as invalid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._arrays import Floats
from ._engine import Engine
from ._fork import guard
from ._roadmap import Roadmap, roadmap

try:
    from ompl import base as ob
except ImportError:
    raise ImportError("firstcontact.ompl needs the package ompl, version 2: pip install ompl") from None

__all__ = ["MotionValidator", "Roadmap", "StateValidityChecker", "configure", "roadmap"]

# Planners that go on from the last valid state of an invalid motion. Python cannot return it: of the two forms of
# checkMotion, OMPL calls only the one without it, and reads a state that was never written.
_UNSAFE = frozenset({"PDST"})


class _States:
    """Configurations from states: in the order of `joints`, the other joints at fixed values."""

    def __init__(
        self, si: Any, engine: Engine, joints: Sequence[str] | None, fixed: Mapping[str, float] | None
    ) -> None:
        names = engine.joints
        moving = names if joints is None else list(joints)
        unknown = [name for name in (*moving, *(fixed or {})) if name not in names]
        lacking = [name for name in names if name not in moving and name not in (fixed or {})]
        if unknown or lacking or len(set(moving)) != len(moving):
            raise ValueError(
                f"joints must be the engine's, once each, the others fixed: unknown {unknown}, missing {lacking}"
            )
        space = si.getStateSpace()
        if not isinstance(space, ob.RealVectorStateSpace) or space.getDimension() != len(moving):
            raise ValueError(f"the state space is not a RealVectorStateSpace of {len(moving)} dimensions")
        self._engine = engine.with_options(mode="verdict", all_contacts=False)
        self._n = len(moving)
        self._columns = [names.index(name) for name in moving]
        self._ends = np.zeros((2, len(names)))
        for name, value in (fixed or {}).items():
            self._ends[:, names.index(name)] = value

    def is_free(self, start: Any, end: Any) -> bool:
        guard()
        ends: Floats = self._ends.copy()
        ends[0, self._columns] = start[0 : self._n]
        ends[1, self._columns] = end[0 : self._n]
        return self._engine._native.are_free(ends.tobytes())


class MotionValidator(ob.MotionValidator):  # type: ignore[misc]
    """Accepts the motions that are certainly free at every moment.

    Not suitable for PDST, which relies on the last valid state of an invalid motion: `configure` refuses it.
    """

    def __init__(
        self,
        si: Any,
        engine: Engine,
        joints: Sequence[str] | None = None,
        fixed: Mapping[str, float] | None = None,
    ) -> None:
        """
        Args:
            si: The space information, of a `RealVectorStateSpace`.
            engine: The engine.
            joints: The joint for each component of a state; by default all joints of the robot, in its order.
            fixed: Values of the other joints, radians and metres.
        """
        super().__init__(si)
        self._states = _States(si, engine, joints, fixed)

    def checkMotion(self, start: Any, end: Any) -> bool:
        """True if the straight motion from one state to the other is certainly free."""
        return self._states.is_free(start, end)


class StateValidityChecker(ob.StateValidityChecker):  # type: ignore[misc]
    """Accepts the states that are certainly free, and within the bounds of the space."""

    def __init__(
        self,
        si: Any,
        engine: Engine,
        joints: Sequence[str] | None = None,
        fixed: Mapping[str, float] | None = None,
    ) -> None:
        """As `MotionValidator`."""
        super().__init__(si)
        self._states = _States(si, engine, joints, fixed)
        self._space = si.getStateSpace()

    def isValid(self, state: Any) -> bool:
        """True if a state is certainly free."""
        return bool(self._space.satisfiesBounds(state)) and self._states.is_free(state, state)


def configure(
    setup: Any,
    engine: Engine,
    planner: Any = None,
    joints: Sequence[str] | None = None,
    fixed: Mapping[str, float] | None = None,
) -> None:
    """Makes an `ompl.geometric.SimpleSetup` check states and motions with an engine.

    Args:
        setup: The setup.
        engine: The engine.
        planner: The planner to set; by default, the one that is already set.
        joints: As for `MotionValidator`.
        fixed: As for `MotionValidator`.

    Raises:
        ValueError: The planner is PDST, which is not safe with validators in Python.
    """
    chosen = planner if planner is not None else setup.getPlanner()
    if chosen is not None and chosen.getName() in _UNSAFE:
        message = "relies on the last valid state of an invalid motion, which Python cannot return"
        raise ValueError(f"{chosen.getName()} {message}: choose another planner, such as RRTConnect")
    si = setup.getSpaceInformation()
    si.setMotionValidator(MotionValidator(si, engine, joints, fixed))
    setup.setStateValidityChecker(StateValidityChecker(si, engine, joints, fixed))
    if planner is not None:
        setup.setPlanner(planner)
