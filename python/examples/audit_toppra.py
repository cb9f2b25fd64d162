"""Audits a trajectory that toppra has timed: its spline is not the polyline that a planner has checked."""

from pathlib import Path

import numpy as np
import toppra
from scipy.interpolate import CubicSpline
from toppra import algorithm, constraint

import firstcontact as fc

ARM = Path(__file__).resolve().parents[2] / "examples" / "arm"


def timed(waypoints: np.ndarray) -> CubicSpline:
    """The fastest traversal of a spline through waypoints within 1 rad/s and 2 rad/s²."""
    path = toppra.SplineInterpolator(np.linspace(0.0, 1.0, len(waypoints)), waypoints)
    limits = np.array([[-1.0, 1.0]] * waypoints.shape[1])
    constraints = [constraint.JointVelocityConstraint(limits), constraint.JointAccelerationConstraint(2.0 * limits)]
    trajectory = algorithm.TOPPRA(constraints, path, parametrizer="ParametrizeSpline").compute_trajectory()
    assert trajectory is not None, "toppra found no traversal"
    times = np.linspace(0.0, trajectory.duration, 200)
    # What a controller executes: cubics between points with velocities.
    return CubicSpline(times, trajectory(times), bc_type="clamped")


def main() -> None:
    toppra.setup_logging("ERROR")
    engine = fc.Engine(ARM / "arm.urdf", ARM / "table.obj")
    waypoints = np.array([[0.5, -0.8], [-0.3, 1.0], [0.1, 0.2], [-0.7, 0.1]])
    polyline = fc.Trajectory.from_waypoints(waypoints)
    executed = fc.Trajectory.from_ppoly(timed(waypoints))

    # The second answer holds for every execution within a milliradian of each joint.
    results = engine.check_trajectories([polyline, executed])
    within = engine.check_trajectories([executed], joint_tolerance=1e-3)
    assert results[0].is_free and not results[1].is_free, "the planner's lines are free, the spline is not"
    for name, answer in (("polyline", results[0]), ("executed", results[1]), ("within 1 mrad", within[0])):
        print(f"{name}:", answer)
        if answer.time_s is not None:
            print(f"  nothing touches before {answer.time_s[0]:.6f} s")


if __name__ == "__main__":
    main()
