"""Paths of OMPL's RRTConnect for the Panda: validated at samples, and by the engine at every moment.

    python benches/python/ompl_paths.py --problems 200 --coal --out paths.json

Each problem of MotionBenchMaker is planned twice. `sampled` uses OMPL's own discrete validator, at a resolution of 1 %
by default, whose states are checked by the engine against the meshes: it errs only between samples. `certified` uses
`fc.ompl`. Returned paths, and the same simplified by OMPL, are then checked by the engine as a whole. Edges that the
planners ask about are measured again by both validators, one after the other. With --coal they are also measured by
OMPL's validator with states that coal checks through pinocchio, and coal looks for the contacts of paths at samples
every milliradian.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import problems
from ompl import base as ob
from ompl import geometric as og
from ompl import util as ou

import firstcontact as fc
import firstcontact.ompl as fco

# Steps of coal along paths that touch, radians in the Euclidean norm.
STEP = 1e-3
METHODS = ("sampled", "certified")


class Asked(ob.MotionValidator):  # type: ignore[misc]
    """A validator that remembers the edges that it is asked about."""

    def __init__(self, si: Any, validator: Any) -> None:
        super().__init__(si)
        self._validator = validator
        self.edges: list[tuple[list[float], list[float]]] = []
        self._n = si.getStateDimension()

    def checkMotion(self, start: Any, end: Any) -> bool:
        """The answer of the other validator."""
        self.edges.append((list(start[0 : self._n]), list(end[0 : self._n])))
        return bool(self._validator.checkMotion(start, end))


class CoalStates(ob.StateValidityChecker):  # type: ignore[misc]
    """States that are free according to coal."""

    def __init__(self, si: Any, problem: problems.Problem, engine: fc.Engine) -> None:
        super().__init__(si)
        from sampled_coal import Coal

        self._coal = Coal(problem, engine.robot.links, engine.tested_link_pairs)
        self._n = si.getStateDimension()

    def isValid(self, state: Any) -> bool:
        """True if nothing touches."""
        return self._coal.is_free(state[0 : self._n])


class Planner:
    """RRTConnect for one problem with one method."""

    def __init__(self, problem: problems.Problem, engine: fc.Engine, method: str, resolution: float) -> None:
        self.space, joints, fixed = _space(engine.robot, problem), list(problem.arm.joints), problem.arm.fixed
        self.setup = og.SimpleSetup(self.space)
        self.si = self.setup.getSpaceInformation()
        self.si.setStateValidityCheckingResolution(resolution)
        if method == "coal":
            self._states: Any = CoalStates(self.si, problem, engine)
        else:
            self._states = fco.StateValidityChecker(self.si, engine, joints, fixed)
        self.setup.setStateValidityChecker(self._states)
        self.si.setup()
        self.validator = self.si.getMotionValidator()
        if method == "certified":
            self.validator = fco.MotionValidator(self.si, engine, joints, fixed)
        self.asked = Asked(self.si, self.validator)
        self.si.setMotionValidator(self.asked)
        self.setup.setPlanner(og.RRTConnect(self.si))
        self._ends = [self.state(problem.start), self.state(problem.goal)]
        self.setup.setStartAndGoalStates(*self._ends)

    def state(self, values: Any) -> Any:
        """A state with these values of the joints."""
        state = self.space.allocState()
        for i, x in enumerate(values):
            state[i] = float(x)
        return state

    def waypoints(self) -> np.ndarray:
        """The present path, shape (W, N)."""
        states, n = self.setup.getSolutionPath().getStates(), self.si.getStateDimension()
        return np.array([list(state[0:n]) for state in states])


def _space(robot: fc.Robot, problem: problems.Problem) -> Any:
    joints = problem.arm.joints
    space, bounds = ob.RealVectorStateSpace(len(joints)), ob.RealVectorBounds(len(joints))
    for i, joint in enumerate(joints):
        low, high = robot.limits[robot.joints.index(joint)]
        # Some ends are beyond the limits of this model of the robot.
        bounds.setLow(i, min(low, problem.start[i], problem.goal[i]) - 1e-4)
        bounds.setHigh(i, max(high, problem.start[i], problem.goal[i]) + 1e-4)
    space.setBounds(bounds)
    return space


def plan(problem: problems.Problem, engine: fc.Engine, method: str, args: argparse.Namespace) -> dict[str, Any]:
    """The answers for the path of one method, and the edges that were asked about."""
    planner = Planner(problem, engine, method, args.resolution)
    since = time.perf_counter()
    planner.setup.solve(args.limit)
    found: dict[str, Any] = {"planning_s": time.perf_counter() - since, "edges": planner.asked.edges}
    found["solved"] = planner.setup.haveExactSolutionPath()
    if found["solved"]:
        found["raw"] = _answer(problem, engine, planner.waypoints())
        planner.setup.simplifySolution(1.0)
        found["simplified"] = _answer(problem, engine, planner.waypoints())
    return found


def _answer(problem: problems.Problem, engine: fc.Engine, waypoints: np.ndarray) -> dict[str, Any]:
    path = fc.Trajectory.from_waypoints(problem.arm.configurations(engine.robot, waypoints))
    answer = engine.check_trajectories([path])[0]
    kind = "free" if answer.is_free else "contact" if answer.proved else "unproved"
    return {"answer": kind, "waypoints": waypoints.tolist()}


def coal_finds(problem: problems.Problem, engine: fc.Engine, found: dict[str, Any]) -> None:
    """Adds whether coal finds the contact of a path at samples."""
    from sampled_coal import Coal

    for path in (found.get("raw"), found.get("simplified")):
        if path is not None and path["answer"] != "free":
            check = Coal(problem, engine.robot.links, engine.tested_link_pairs)
            points = problems.dense(np.array(path["waypoints"]), STEP)
            path["found_by_coal"] = not all(check.is_free(q) for q in points)


def edge_times(
    problem: problems.Problem, engine: fc.Engine, edges: list[Any], seed: int, args: argparse.Namespace, n: int = 60
) -> dict[str, list[float]]:
    """Seconds for each of some edges by each validator, and the answers."""
    chosen = np.random.default_rng(seed).permutation(len(edges))[:n]
    times: dict[str, list[float]] = {}
    for method in (*METHODS, "coal") if args.coal else METHODS:
        planner = Planner(problem, engine, method, args.resolution)
        ends = [[planner.state(q) for q in edges[i]] for i in chosen]
        check: Callable[[Any, Any], Any] = planner.validator.checkMotion
        times[method], times[f"{method}_accepts"] = [], []
        for start, end in ends:
            since = time.perf_counter()
            accepted = bool(check(start, end))
            times[method].append(time.perf_counter() - since)
            times[f"{method}_accepts"].append(accepted)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=int, default=200)
    parser.add_argument("--resolution", type=float, default=0.01, help="of the samples, a share of the space's extent")
    parser.add_argument("--limit", type=float, default=5.0, help="seconds for a plan")
    parser.add_argument("--coal", action="store_true", help="measure coal, too")
    parser.add_argument("--out", type=Path, required=True, help="a file of JSON with all paths")
    args = parser.parse_args()
    ou.RNG.setSeed(1)
    ou.setLogLevel(ou.LogLevel.LOG_ERROR)
    robot, all_found = problems.PANDA.robot(), []
    for number, problem in enumerate(problems.usable(robot, args.problems)):
        engine = problem.engine(robot)
        found: dict[str, Any] = {"problem": problem.name}
        for method in METHODS:
            found[method] = plan(problem, engine, method, args)
            if args.coal:
                coal_finds(problem, engine, found[method])
        edges = [edge for method in METHODS for edge in found[method].pop("edges")]
        found["edges"] = {"asked": len(edges), **edge_times(problem, engine, edges, number, args)}
        all_found.append(found)
    args.out.write_text(json.dumps(all_found))
    report(all_found)


def report(all_found: list[dict[str, Any]]) -> None:
    """Prints the counts."""
    print(f"{len(all_found)} problems")
    for method in METHODS:
        solved = [of[method] for of in all_found if of[method]["solved"]]
        print(f"{method}: {len(solved)} solved, {np.median([of['planning_s'] for of in solved]):.3f} s in the median")
        for path in ("raw", "simplified"):
            answers = [of[path]["answer"] for of in solved]
            by_coal = sum(of[path].get("found_by_coal", False) for of in solved)
            counts = ", ".join(f"{answers.count(kind)} {kind}" for kind in ("free", "contact", "unproved"))
            print(f"  {path}: {counts}; coal finds {by_coal} of the contacts")
    names = [name for name in all_found[0]["edges"] if name != "asked"]
    times = {name: np.concatenate([of["edges"][name] for of in all_found]) for name in names}
    for method in (name for name in names if not name.endswith("_accepts")):
        mean, median = 1e6 * times[method].mean(), 1e6 * np.median(times[method])
        print(f"{method}: {mean:.0f} µs an edge, {median:.0f} µs the median")
    sampled, certified = times["sampled_accepts"].astype(bool), times["certified_accepts"].astype(bool)
    missed = (sampled & ~certified).sum()
    print(f"{len(sampled)} edges: {sampled.sum()} accepted at samples, of these {missed} not free")
    print(f"certified free but rejected at samples: {(certified & ~sampled).sum()}")


if __name__ == "__main__":
    main()
