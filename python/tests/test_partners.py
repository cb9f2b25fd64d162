"""Packages that people use beside this one, each with the real package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firstcontact as fc


def partner(name: str) -> Any:
    """A package, or the test is skipped."""
    return pytest.importorskip(name, reason=f"{name.split('.')[0]} is not installed")


def test_trimesh(engine: fc.Engine, pointer: fc.Robot) -> None:
    trimesh = partner("trimesh")
    box = trimesh.creation.box(extents=[20.0, 1.0, 20.0])
    world = trimesh.Scene()
    world.add_geometry(box, node_name="wall", transform=trimesh.transformations.translation_matrix([0, 1.0, 0]))
    scene = fc.Scene()
    for node in world.graph.nodes_geometry:
        pose, name = world.graph[node]
        scene.add_mesh(node, world.geometry[name].vertices, world.geometry[name].faces, pose=pose)
    assert scene.objects == ["wall"] and scene.is_closed(0)
    lo, hi = fc.Engine(pointer, scene, device="cpu").check([0.0], [1.0]).toc[0]
    assert lo <= np.pi / 6 <= hi, "its front is the wall at y = 0.5"
    carrying = engine.with_attached("box", box.apply_scale(0.01), "forearm", touch_links=["upper_arm"])
    assert carrying.links[-1] == "box"


def test_yourdfpy(arm_files: Path, arm: fc.Robot, engine: fc.Engine) -> None:
    yourdfpy = partner("yourdfpy")
    model = yourdfpy.URDF.load(str(arm_files / "arm.urdf"), load_collision_meshes=False, load_meshes=False)
    assert list(model.actuated_joint_names) == arm.joints
    for q in np.random.default_rng(1).uniform(-1, 1, (20, 2)):
        model.update_cfg(q)
        for link, pose in engine.link_poses(q).items():
            np.testing.assert_allclose(pose, model.get_transform(link), atol=1e-12)


def test_pinocchio(arm_files: Path, engine: fc.Engine, data: Path) -> None:
    pin = partner("pinocchio")
    urdfs = [arm_files / "arm.urdf", data / "robot-panda" / "panda.urdf"]
    for urdf in filter(Path.exists, urdfs):
        model = pin.buildModelFromUrdf(str(urdf))
        names = [name for name in model.names if name != "universe"]
        if any(model.joints[model.getJointId(name)].nq != 1 for name in names):
            continue
        robot = fc.Robot.from_urdf(urdf)
        ours = fc.Engine(robot, engine.scene, device="cpu")
        state = model.createData()
        for values in np.random.default_rng(1).uniform(-1, 1, (10, model.nq)):
            # Columns of pinocchio are in the order of its joints; a mimic joint is no column here.
            q = robot.reorder(values[[model.joints[model.getJointId(name)].idx_q for name in names]], names)
            pin.framesForwardKinematics(model, state, values)
            moved_alike = {name for name in names if name in robot.joints}
            if moved_alike != set(names):
                break
            for link, pose in ours.link_poses(q).items():
                frame = state.oMf[model.getFrameId(link)]
                np.testing.assert_allclose(pose, frame.homogeneous, atol=1e-12)


def test_scipy(pointer: fc.Robot, wall: fc.Scene) -> None:
    interpolate = partner("scipy.interpolate")
    engine = fc.Engine(pointer, wall, device="cpu")
    spline = interpolate.CubicSpline([0.0, 1.0, 2.5], [[0.0], [0.4], [0.8]], bc_type="clamped")
    trajectory = fc.Trajectory.from_ppoly(spline)
    results = engine.check_trajectories([trajectory])
    lo, hi = results.time_s[0]
    root = float(spline.solve(np.pi / 6, extrapolate=False)[0][0])
    assert lo - 1e-12 <= root <= hi + 1e-12 and hi - lo < 1e-8
    for segment in range(trajectory.n_segments):
        for t in (0.0, 0.3, 1.0):
            x = spline.x[segment] + t * (spline.x[segment + 1] - spline.x[segment])
            np.testing.assert_allclose(trajectory.at(segment, t), spline(x), atol=1e-14)


def test_ruckig(pointer: fc.Robot, wall: fc.Scene) -> None:
    ruckig = partner("ruckig")
    generator = ruckig.Ruckig(1)
    demand = ruckig.InputParameter(1)
    demand.current_position, demand.target_position = [0.0], [1.0]
    demand.max_velocity, demand.max_acceleration, demand.max_jerk = [1.0], [2.0], [5.0]
    found = ruckig.Trajectory(1)
    generator.calculate(demand, found)
    # Its profiles have constant jerk between some times, so cubics are exact there.
    profile = found.profiles[0][0]
    times = np.unique(np.round(np.concatenate(([0.0], np.cumsum(profile.t))), 12))
    times = times[times <= found.duration]
    times[-1] = found.duration
    points = [found.at_time(float(t)) for t in times]
    positions, velocities = np.array([p[0] for p in points]), np.array([p[1] for p in points])
    trajectory = fc.Trajectory.from_jtc(times, positions, velocities)
    for segment in range(trajectory.n_segments):
        middle = (times[segment] + times[segment + 1]) / 2
        np.testing.assert_allclose(trajectory.at(segment, 0.5), found.at_time(float(middle))[0], atol=1e-9)
    lo, hi = fc.Engine(pointer, wall, device="cpu").check_trajectories([trajectory]).time_s[0]
    assert hi - lo < 1e-8 and abs(found.at_time(float(lo))[0][0] - np.pi / 6) < 1e-7


def test_toppra(engine: fc.Engine) -> None:
    ta = partner("toppra")
    ta.setup_logging("ERROR")
    waypoints = np.array([[-1.0, 0.3], [-0.1, -0.6], [0.15, 0.1]])
    path = ta.SplineInterpolator(np.linspace(0, 1, 3), waypoints)
    limits = np.array([[-1.0, 1.0]] * 2)
    constraints = [ta.constraint.JointVelocityConstraint(limits), ta.constraint.JointAccelerationConstraint(limits)]
    timed = ta.algorithm.TOPPRA(constraints, path, parametrizer="ParametrizeSpline").compute_trajectory()
    times = np.linspace(0, timed.duration, 100)
    trajectory = fc.Trajectory.from_jtc(times, timed(times), timed(times, 1), timed(times, 2))
    results = engine.check_trajectories([trajectory])
    assert trajectory.n_segments == 99 and len(results) == 1
    lo = results.time_s[0, 0]
    if results.verdict[0] == fc.CONTACT and lo > 0:
        before = engine.check(timed(np.linspace(0, lo - 1e-6, 50)), timed(np.linspace(0, lo - 1e-6, 50)))
        assert before.all_free, "single configurations before the contact are free"


def test_multiprocessing(engine: fc.Engine, motions: np.ndarray) -> None:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        parts = list(pool.map(_lines, [engine] * 2, np.split(motions[:40], 2)))
    whole = engine.check(motions[:40]).to_jsonl().splitlines()
    verdicts = [line.split(",", 1)[1] for part in parts for line in part.splitlines()]
    assert verdicts == [line.split(",", 1)[1] for line in whole]


def _lines(engine: fc.Engine, motions: np.ndarray) -> str:
    return engine.check(motions).to_jsonl()
