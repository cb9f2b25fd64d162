"""A roadmap validated in one batch, and a path of OMPL's RRTConnect that is certified."""

from pathlib import Path

import numpy as np
from ompl import base as ob
from ompl import geometric as og

import firstcontact as fc
import firstcontact.ompl as fco

ARM = Path(__file__).resolve().parents[2] / "examples" / "arm"
START, GOAL = [-1.5, 0.3], [1.2, -1.0]


def scene() -> fc.Scene:
    """The table, and a thin post that samples of a motion easily miss."""
    scene = fc.Scene.from_file(ARM / "table.obj")
    scene.add_mesh("post", [[0.3, -0.5, 1.3], [0.3, 0.5, 1.3], [0.302, 0.0, 1.6]], [[0, 1, 2]])
    return scene


def plan(engine: fc.Engine) -> np.ndarray:
    """Waypoints of a path from START to GOAL, shape (W, 2)."""
    space, bounds = ob.RealVectorStateSpace(2), ob.RealVectorBounds(2)
    bounds.setLow(-3.0)
    bounds.setHigh(3.0)
    space.setBounds(bounds)
    setup = og.SimpleSetup(space)
    si = setup.getSpaceInformation()
    fco.configure(setup, engine, og.RRTConnect(si))
    ends = [space.allocState(), space.allocState()]
    for state, q in zip(ends, (START, GOAL)):
        state[0], state[1] = q
    setup.setStartAndGoalStates(*ends)
    assert setup.solve(20.0), "no path was found"
    path = setup.getSolutionPath()
    return np.array([[state[0], state[1]] for state in path.getStates()])


def main() -> None:
    engine = fc.Engine(ARM / "arm.urdf", scene(), mode="verdict")
    roadmap = fc.roadmap(engine, [-3.0, -3.0], [3.0, 3.0], n=300, k=8, seed=1)
    print(roadmap)

    waypoints = plan(engine)
    results = engine.check_trajectories([fc.Trajectory.from_waypoints(waypoints)])
    print(f"a path of {len(waypoints)} waypoints:", results[0])
    assert results.all_free


if __name__ == "__main__":
    main()
