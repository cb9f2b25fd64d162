"""The campaigns of benches/python, with few problems of MotionBenchMaker."""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT

import firstcontact as fc


@pytest.fixture()
def campaigns(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Any:
    """Imports a module of benches/python, if the packages that it needs are there."""

    def module(name: str, *packages: str) -> Any:
        for package in ("yaml", *packages):
            pytest.importorskip(package, reason=f"{package} is not installed")
        monkeypatch.syspath_prepend(str(ROOT / "benches" / "python"))
        for local in ("problems", "sampled_coal", "ompl_paths", "executed_paths", "tubes"):
            sys.modules.pop(local, None)
        return importlib.import_module(name)

    return module


@pytest.fixture()
def panda_data(data: Path) -> Path:
    """The folder of data sets, if it has the problems of the Panda."""
    if not (data / "mbm-problems").exists() or not (data / "robot-panda").exists():
        pytest.skip("FIRSTCONTACT_DATA has no mbm-problems or no robot-panda")
    return data


def test_problems_are_closed_solids(campaigns: Any, panda_data: Path) -> None:
    problems = campaigns("problems")
    found = problems.read()
    assert len(found) == 700 and len({problem.name for problem in found}) == 700
    assert {problem.kind for problem in found[:7]} == {problem.kind for problem in found}
    for problem in found[:7]:
        engine = problem.engine(problems.PANDA.robot())
        assert all(engine.scene.is_closed(i) for i in range(len(engine.scene.objects)))
        assert engine.tested_link_pairs and problem.start.shape == problem.goal.shape == (7,)


def test_shapes_have_their_volumes(campaigns: Any) -> None:
    problems = campaigns("problems")

    def volume(vertices: np.ndarray, faces: np.ndarray) -> float:
        a, b, c = (vertices[faces[:, i]] for i in range(3))
        return float((np.cross(a, b) * c).sum() / 6)

    assert abs(volume(*problems._box(0.1, 0.2, 0.3)) - 0.006) < 1e-15, "normals point outward"
    prism = volume(*problems._cylinder(0.5, 0.1))
    assert np.pi * 0.01 * 0.5 < prism < 1.01 * np.pi * 0.01 * 0.5, "it contains the cylinder"


def test_paths_of_ompl(campaigns: Any, panda_data: Path) -> None:
    paths = campaigns("ompl_paths", "ompl.base")
    args = argparse.Namespace(resolution=0.01, limit=20.0, coal=False)
    robot = paths.problems.PANDA.robot()
    (problem,) = paths.problems.usable(robot, 1)
    engine = problem.engine(robot)
    certified = paths.plan(problem, engine, "certified", args)
    assert certified["solved"] and certified["raw"]["answer"] == certified["simplified"]["answer"] == "free"
    ends = np.array(certified["raw"]["waypoints"])[[0, -1]]
    np.testing.assert_allclose(ends, [problem.start, problem.goal], atol=1e-12)
    sampled = paths.plan(problem, engine, "sampled", args)
    assert sampled["solved"] and sampled["raw"]["answer"] in ("free", "contact")
    times = paths.edge_times(problem, engine, certified["edges"], 1, args, n=20)
    free, accepted = np.array(times["certified_accepts"]), np.array(times["sampled_accepts"])
    assert len(free) == min(20, len(certified["edges"])) and not (free & ~accepted).any()


def test_tolerances_of_plans(campaigns: Any, panda_data: Path) -> None:
    tubes = campaigns("tubes", "ompl.base")
    for arm in (tubes.problems.PANDA, tubes.problems.UR5):
        if not (panda_data / arm.urdf).exists():
            continue
        robot = arm.robot()
        (problem,) = tubes.problems.usable(robot, 1, arm)
        # Start and goal are free, and a path that stays at the start costs little.
        found = tubes.measure(problem.engine(robot), arm, np.array([problem.start, problem.start]))
        free = [is_free for is_free, _ in found]
        assert free[0] and free == sorted(free, reverse=True), "a larger tolerance is free no more often"
        assert len(found) == len(tubes.TOLERANCES) and all(seconds > 0.0 for _, seconds in found)


def test_coal_agrees_at_single_configurations(campaigns: Any, panda_data: Path) -> None:
    coal = campaigns("sampled_coal", "coal", "pinocchio")
    robot, problem = coal.problems.PANDA.robot(), coal.problems.read()[3]
    engine = problem.engine(robot)
    check = coal.Coal(problem, robot.links, engine.tested_link_pairs)
    q = np.random.default_rng(1).uniform(*robot.limits[:7].T, (300, 7))
    ours = engine.check(*[problem.arm.configurations(robot, q)] * 2).verdict == fc.FREE
    assert [check.is_free(values) for values in q] == ours.tolist() and 0 < ours.sum() < 300


def test_executions_agree_with_the_packages(campaigns: Any, panda_data: Path) -> None:
    executed = campaigns("executed_paths", "toppra", "ruckig")
    executed.toppra.setup_logging("ERROR")
    waypoints = np.random.default_rng(3).uniform(-1.0, 1.0, (4, 8))
    for name, parametrizer in (
        ("toppra_polynomials", "ParametrizeConstAccel"),
        ("toppra_spline", "ParametrizeSpline"),
    ):
        timed, path = executed._traversal(waypoints, parametrizer), getattr(executed, name)(waypoints)
        assert agrees(path, lambda x: timed(np.array([x]))[0]) < 1e-9, name
    ruckig = executed.ruckig
    for name in ("Time", "Phase"):
        path = executed._from_rest_to_rest(waypoints, getattr(ruckig.Synchronization, name))
        ends = [path.at(0, 0.0), path.at(path.n_segments - 1, 1.0)]
        np.testing.assert_allclose(ends, waypoints[[0, -1]], atol=1e-9)
    line = executed.ruckig_in_phase(waypoints[:2])
    between = np.array([line.at(k, 0.4) for k in range(line.n_segments)]) - waypoints[0]
    direction = (waypoints[1] - waypoints[0]) / np.linalg.norm(waypoints[1] - waypoints[0])
    np.testing.assert_allclose(between, np.outer(between @ direction, direction), atol=1e-9)


def agrees(path: fc.Trajectory, expected: Any) -> float:
    """The largest difference at some times of every segment."""
    times = path.times
    assert times is not None
    places = [(k, t) for k in range(path.n_segments) for t in (0.1, 0.5, 0.8)]
    return max(np.abs(path.at(k, t) - expected(times[k] + t * (times[k + 1] - times[k]))).max() for k, t in places)


def test_executed_paths_are_counted(campaigns: Any, panda_data: Path) -> None:
    executed = campaigns("executed_paths", "toppra", "ruckig")
    executed.toppra.setup_logging("ERROR")
    problem = executed.problems.read()[0]
    still = np.array([problem.start, problem.start + 0.01, problem.start + [0.02] * 7])
    counts = executed.run({problem.name: still})
    assert len(counts) == 2 * (1 + len(executed.WAYS)) and all(of["free"] == 1 for of in counts.values())
