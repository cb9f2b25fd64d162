"""Paths that are free as polylines, as they are executed.

    python benches/python/ompl_paths.py --problems 200 --out paths.json
    python benches/python/executed_paths.py paths.json

Planners return waypoints, and controllers execute curves. Each certified path of `ompl_paths.py` is timed in several
ways, and each result is checked as the exact piecewise polynomial that it is:

- toppra: a spline through the waypoints and its fastest traversal, of degree 6 in time (`ParametrizeConstAccel`), or
  the spline that toppra fits to that (`ParametrizeSpline`);
- Ruckig: from rest to rest between waypoints, joints in step in time (its default) or on the line (`Phase`);
- a controller: cubics between timed waypoints with velocities from differences, as `joint_trajectory_controller` does.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import problems
import ruckig
import toppra
from toppra import algorithm, constraint

import firstcontact as fc

# Limits of the Panda's joints and of its fingers, which stay: rad/s from its URDF, rad/s² as in MoveIt's configuration,
# and rad/s³ 20 times that.
VELOCITY = np.array([2.175, 2.175, 2.175, 2.175, 2.61, 2.61, 2.61, 0.2])
ACCELERATION = np.array([3.75, 1.875, 2.5, 3.125, 3.75, 5.0, 5.0, 1.0])
JERK = 20.0 * ACCELERATION
# Largest step between waypoints of dense paths, radians in the Euclidean norm.
DENSE = 0.1


def toppra_polynomials(waypoints: np.ndarray) -> fc.Trajectory:
    """The fastest traversal of a spline: cubics of the path's parameter, whose square in time is piecewise linear."""
    timed = _traversal(waypoints, "ParametrizeConstAccel")
    spline, s, v, u, t = timed._path.cspl, timed._ss, timed._velocities, timed._us, timed._ts
    knot = np.clip(np.searchsorted(spline.x, s[:-1], side="right") - 1, 0, len(spline.x) - 2)
    # Powers of s(t) - x[knot] in rising order of t - t[i], all segments together.
    first = np.stack((s[:-1] - spline.x[knot], v[:-1], 0.5 * u))
    power, total = np.ones((1, len(u))), np.zeros((7, len(u), waypoints.shape[1]))
    for k in range(4):
        total[: len(power)] += power[:, :, np.newaxis] * spline.c[3 - k, knot]
        power = _product(power, first)
    return _joined(t, total[::-1])


def toppra_spline(waypoints: np.ndarray) -> fc.Trajectory:
    """The cubic spline in time that toppra fits to the same."""
    return fc.Trajectory.from_ppoly(_traversal(waypoints, "ParametrizeSpline").cspl)


def _traversal(waypoints: np.ndarray, parametrizer: str) -> toppra.interpolator.AbstractGeometricPath:
    lengths = np.linalg.norm(np.diff(waypoints, axis=0), axis=1)
    knots = np.concatenate(([0.0], np.cumsum(lengths / lengths.sum())))
    path = toppra.SplineInterpolator(knots, waypoints)
    limits = [
        constraint.JointVelocityConstraint(np.stack((-VELOCITY, VELOCITY), axis=1)),
        constraint.JointAccelerationConstraint(np.stack((-ACCELERATION, ACCELERATION), axis=1)),
    ]
    grid = np.unique(np.concatenate((knots, np.linspace(0.0, 1.0, 201))))
    grid = grid[np.concatenate(([True], np.diff(grid) > 1e-6))]
    grid[-1] = knots[-1]
    timed = algorithm.TOPPRA(limits, path, gridpoints=grid, parametrizer=parametrizer).compute_trajectory()
    if timed is None:
        raise ValueError("toppra finds no traversal")
    return timed


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The products of polynomials in the columns, coefficients in rising order."""
    product = np.zeros((len(a) + len(b) - 1, a.shape[1]))
    for i, row in enumerate(a):
        product[i : i + len(b)] += row * b
    return product


def _joined(t: np.ndarray, coefficients: np.ndarray) -> fc.Trajectory:
    return fc.Trajectory.from_ppoly(SimpleNamespace(x=t, c=np.ascontiguousarray(coefficients)))


def ruckig_in_time(waypoints: np.ndarray) -> fc.Trajectory:
    """From rest to rest, all joints arriving at the same time."""
    return _from_rest_to_rest(waypoints, ruckig.Synchronization.Time)


def ruckig_in_phase(waypoints: np.ndarray) -> fc.Trajectory:
    """From rest to rest on straight lines."""
    return _from_rest_to_rest(waypoints, ruckig.Synchronization.Phase)


def _from_rest_to_rest(waypoints: np.ndarray, synchronization: ruckig.Synchronization) -> fc.Trajectory:
    n, start_s = waypoints.shape[1], 0.0
    # For each joint its breakpoints, and position, velocity, acceleration and jerk after each.
    profiles: list[list[tuple[float, ...]]] = [[] for _ in range(n)]
    for start, end in zip(waypoints, waypoints[1:]):
        demand = ruckig.InputParameter(n)
        demand.current_position, demand.target_position = start.tolist(), end.tolist()
        demand.max_velocity, demand.max_acceleration = VELOCITY.tolist(), ACCELERATION.tolist()
        demand.max_jerk, demand.synchronization = JERK.tolist(), synchronization
        found = ruckig.Trajectory(n)
        if ruckig.Ruckig(n).calculate(demand, found) != ruckig.Result.Working:
            raise ValueError("Ruckig finds no motion")
        for of, joint in zip(profiles, found.profiles[0]):
            times = start_s + np.concatenate(([0.0], np.cumsum(joint.t)))
            of += [row for row, t in zip(zip(times, joint.p, joint.v, joint.a, joint.j), joint.t) if t > 0.0]
        start_s += found.duration
    return fc.Trajectory.from_ppolys([_of_jerks(np.array(of), start_s) for of in profiles])


def _of_jerks(rows: np.ndarray, end_s: float) -> SimpleNamespace:
    """A piecewise polynomial from times, positions, velocities, accelerations and jerks."""
    time, position, velocity, acceleration, jerk = rows.T
    return SimpleNamespace(x=np.append(time, end_s), c=np.stack((jerk / 6, acceleration / 2, velocity, position)))


def controller(waypoints: np.ndarray) -> fc.Trajectory:
    """Cubics between waypoints: each at the speed of the slowest joint, with velocities of central differences."""
    steps = np.maximum((np.abs(np.diff(waypoints, axis=0)) / (0.5 * VELOCITY)).max(axis=1), 1e-3)
    times = np.concatenate(([0.0], np.cumsum(steps)))
    velocities = np.zeros_like(waypoints)
    velocities[1:-1] = (waypoints[2:] - waypoints[:-2]) / (times[2:] - times[:-2])[:, np.newaxis]
    return fc.Trajectory.from_jtc(times, waypoints, velocities)


WAYS: dict[str, Callable[[np.ndarray], fc.Trajectory]] = {
    "toppra, degree 6": toppra_polynomials,
    "toppra, spline": toppra_spline,
    "Ruckig, in time": ruckig_in_time,
    "Ruckig, in phase": ruckig_in_phase,
    "controller, cubics": controller,
}


def distinct(waypoints: np.ndarray) -> np.ndarray:
    """Without waypoints that repeat the one before."""
    moves = np.linalg.norm(np.diff(waypoints, axis=0), axis=1) > 1e-6
    return np.asarray(waypoints[np.concatenate(([True], moves))])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", type=Path, help="the file that ompl_paths.py has written")
    parser.add_argument("--path", choices=("raw", "simplified"), default="simplified")
    args = parser.parse_args()
    toppra.setup_logging("ERROR")
    found = {of["problem"]: of["certified"].get(args.path) for of in json.loads(args.paths.read_text())}
    counts = run({problem: np.array(of["waypoints"]) for problem, of in found.items() if of is not None})
    for name, kinds in counts.items():
        print(f"{name}:", ", ".join(f"{n} {kind}" for kind, n in kinds.items()))


def run(paths: dict[str, np.ndarray]) -> dict[str, dict[str, int]]:
    """For each way to execute the paths, waypoints of the Panda by problem, the number of each answer."""
    robot = problems.PANDA.robot()
    counts: dict[str, dict[str, int]] = {}
    for problem in problems.read():
        if problem.name not in paths:
            continue
        engine = problem.engine(robot)
        planned = distinct(problem.arm.configurations(robot, paths[problem.name]))
        for density, waypoints in (("as planned", planned), ("dense", problems.dense(planned, DENSE))):
            for name, trajectory in {"polyline": fc.Trajectory.from_waypoints, **WAYS}.items():
                kind = _answer(engine, trajectory, waypoints)
                of = counts.setdefault(f"{density}, {name}", dict.fromkeys(("free", "contact", "unproved", "none"), 0))
                of[kind] += 1
    return counts


def _answer(engine: fc.Engine, way: Callable[[np.ndarray], fc.Trajectory], waypoints: np.ndarray) -> str:
    try:
        path = way(waypoints)
    except (ValueError, fc.Error):
        # No motion was found, or one that jumps between two of its pieces.
        return "none"
    answer = engine.check_trajectories([path])[0]
    return "free" if answer.is_free else "contact" if answer.proved else "unproved"


if __name__ == "__main__":
    main()
