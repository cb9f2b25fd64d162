"""The cost of joint tolerances on plans, and the plans that are no longer free.

    python benches/python/tubes.py --problems 100

Problems of MotionBenchMaker are planned by OMPL's RRTConnect with motions that the engine validates, and simplified.
Each certified path is then checked with several tolerances of its joints, `--joint-tolerance` of the command: the
answer holds for every execution that stays within the tolerance.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import ompl_paths
import problems
from ompl import util as ou

import firstcontact as fc

# Radians; the first one is the path itself.
TOLERANCES = (0.0, 0.001, 0.01, 0.05)
# Each check is measured so often, and the shortest time counts.
REPEATS = 3


def measure(engine: fc.Engine, arm: problems.Arm, waypoints: np.ndarray) -> list[tuple[bool, float]]:
    """Whether a path is free, and the seconds of its check, with each tolerance."""
    path = fc.Trajectory.from_waypoints(arm.configurations(engine.robot, waypoints))
    found = []
    for tolerance in TOLERANCES:
        of_joints = [tolerance if name in arm.joints else 0.0 for name in engine.robot.joints]
        seconds = []
        for _ in range(REPEATS):
            since = time.perf_counter()
            answer = engine.check_trajectories([path], joint_tolerance=of_joints if tolerance else None)[0]
            seconds.append(time.perf_counter() - since)
        found.append((bool(answer.is_free), min(seconds)))
    return found


def run(arm: problems.Arm, args: argparse.Namespace) -> list[list[tuple[bool, float]]]:
    """The measurements of all problems of an arm that are solved."""
    robot, measured = arm.robot(), []
    for problem in problems.usable(robot, args.problems, arm):
        engine = problem.engine(robot)
        found = ompl_paths.plan(problem, engine, "certified", args)
        if found["solved"] and found["simplified"]["answer"] == "free":
            measured.append(measure(engine, arm, np.array(found["simplified"]["waypoints"])))
    return measured


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=int, default=100, help="number of problems of each robot")
    parser.add_argument("--limit", type=float, default=5.0, help="maximum time of planning, seconds")
    args = parser.parse_args()
    args.resolution = 0.01
    ou.setLogLevel(ou.LogLevel.LOG_ERROR)
    print("| robot | tolerance, rad | paths | free | mean, µs | times as long | median of the ratios |")
    print("|---|---|---|---|---|---|---|")
    for arm in (problems.PANDA, problems.UR5):
        measured = run(arm, args)
        seconds = np.array([[s for _, s in of] for of in measured])
        for i, tolerance in enumerate(TOLERANCES):
            free = sum(of[i][0] for of in measured)
            mean_s, ratios = seconds[:, i].mean(), seconds[:, i] / seconds[:, 0]
            times = f"{mean_s / seconds[:, 0].mean():.1f} | {np.median(ratios):.1f}"
            print(f"| {arm.name} | {tolerance} | {len(measured)} | {free} | {1e6 * mean_s:.0f} | {times} |")


if __name__ == "__main__":
    main()
