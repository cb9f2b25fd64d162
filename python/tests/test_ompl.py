"""OMPL with the real package."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import firstcontact as fc

ob = pytest.importorskip("ompl.base", reason="ompl is not installed")
og = pytest.importorskip("ompl.geometric", reason="ompl is not installed")

START, GOAL = [-1.5, 0.3], [1.2, -1.0]


@pytest.fixture()
def setup() -> Any:
    space, bounds = ob.RealVectorStateSpace(2), ob.RealVectorBounds(2)
    bounds.setLow(-3.0)
    bounds.setHigh(3.0)
    space.setBounds(bounds)
    return og.SimpleSetup(space)


@pytest.fixture(scope="module")
def thin(table: fc.Scene, arm: fc.Robot) -> fc.Engine:
    """A table and a post of 2 mm."""
    scene = fc.Scene()
    scene.add_mesh("table", table.triangles(0))
    scene.add_mesh("post", [[[0.3, -0.5, 1.3], [0.3, 0.5, 1.3], [0.302, 0.0, 1.6]]])
    return fc.Engine(arm, scene, device="cpu")


def solve(setup: Any, engine: fc.Engine, planner: Any) -> np.ndarray:
    fc.ompl.configure(setup, engine, planner)
    ends = [setup.getStateSpace().allocState() for _ in range(2)]
    for state, q in zip(ends, (START, GOAL)):
        state[0], state[1] = q
    setup.setStartAndGoalStates(*ends)
    assert setup.solve(60.0)
    return np.array([[state[0], state[1]] for state in setup.getSolutionPath().getStates()])


@pytest.mark.parametrize("planner", ["RRTConnect", "LBKPIECE1"])
def test_returned_paths_are_certified(setup: Any, thin: fc.Engine, planner: str) -> None:
    path = solve(setup, thin, getattr(og, planner)(setup.getSpaceInformation()))
    assert len(path) >= 2 and thin.check_trajectories([fc.Trajectory.from_waypoints(path)]).all_free


def test_validators_agree_with_the_engine(setup: Any, thin: fc.Engine, motions: np.ndarray) -> None:
    si, space = setup.getSpaceInformation(), setup.getStateSpace()
    validator, checker = fc.ompl.MotionValidator(si, thin), fc.ompl.StateValidityChecker(si, thin)
    a, b = space.allocState(), space.allocState()
    for start, end in motions[:30]:
        (a[0], a[1]), (b[0], b[1]) = start, end
        assert validator.checkMotion(a, b) == thin.is_free(start, end)
        assert checker.isValid(a) == thin.is_free(start, start)
    a[0] = 4.0
    assert not checker.isValid(a), "beyond the bounds"


def test_other_orders_and_fixed_joints(thin: fc.Engine) -> None:
    space = ob.RealVectorStateSpace(1)
    si = ob.SpaceInformation(space)
    validator = fc.ompl.MotionValidator(si, thin, joints=["elbow"], fixed={"shoulder": 0.4})
    a, b = space.allocState(), space.allocState()
    a[0], b[0] = 0.0, 0.5
    assert validator.checkMotion(a, b) == thin.is_free([0.4, 0.0], [0.4, 0.5])
    for joints, fixed in ((["elbow"], None), (["elbow", "elbow"], None), (["nose"], {"shoulder": 0.0}), (None, None)):
        with pytest.raises(ValueError, match="joints must be|state space is not"):
            fc.ompl.MotionValidator(si, thin, joints=joints, fixed=fixed)


def test_pdst_is_refused(setup: Any, thin: fc.Engine) -> None:
    class Pdst(og.RRT):  # The bindings of OMPL 2.0.1 lack PDST itself.
        def getName(self) -> str:
            return "PDST"

    with pytest.raises(ValueError, match="PDST relies on the last valid state"):
        fc.ompl.configure(setup, thin, Pdst(setup.getSpaceInformation()))


def test_planner_data(setup: Any, thin: fc.Engine) -> None:
    roadmap = fc.ompl.roadmap(thin, [-1, -1], [1, 1], n=30, k=3)
    data = roadmap.to_planner_data(setup.getSpaceInformation())
    assert (data.numVertices(), data.numEdges()) == (len(roadmap.vertices), 2 * len(roadmap.edges))
    state = data.getVertex(3).getState()
    assert [state[0], state[1]] == roadmap.vertices[3].tolist()


def test_sampled_validation_misses_the_post(setup: Any, thin: fc.Engine) -> None:
    """OMPL's own validator, at its default resolution, accepts motions that are certified to collide."""
    si, space = setup.getSpaceInformation(), setup.getStateSpace()
    checker = fc.ompl.StateValidityChecker(si, thin)
    si.setStateValidityChecker(checker)
    si.setup()
    sampled = si.getMotionValidator()
    random, a, b, missed = np.random.default_rng(2), space.allocState(), space.allocState(), 0
    for start, end in random.uniform(-1.5, 1.5, (400, 2, 2)):
        (a[0], a[1]), (b[0], b[1]) = start, end
        accepted = sampled.checkMotion(a, b)
        certified = thin.is_free(start, end)
        assert accepted or not certified, "what is free at every moment is free at samples"
        missed += accepted and not certified and bool(thin.check(start, end).proved[0])
    assert missed > 0 or os.environ.get("FIRSTCONTACT_EFFORT") != "full"
