"""Planning problems of MotionBenchMaker for the Panda and the UR5, as triangles.

FIRSTCONTACT_DATA names a folder with the sets `mbm-problems`, `robot-panda` and `robot-ur5` (`firstcontact dataset
fetch`).
"""

from __future__ import annotations

import math
import os
import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

import firstcontact as fc

# Sides of the prism around a cylinder.
_SIDES = 32


@dataclass(frozen=True)
class Arm:
    """A robot of the problems."""

    name: str
    urdf: str
    """The file in the folder of the data sets."""
    joints: tuple[str, ...]
    """The joints that plans move."""
    fixed: dict[str, float]
    """Values of other joints, radians or metres."""

    def robot(self) -> fc.Robot:
        """The robot."""
        return fc.Robot.from_urdf(_data() / self.urdf)

    def configurations(self, robot: fc.Robot, values: np.ndarray) -> np.ndarray:
        """Configurations of the robot, shape (…, D), from values of `joints`, shape (…, N)."""
        all_values = np.tile([self.fixed.get(name, 0.0) for name in robot.joints], (*values.shape[:-1], 1))
        all_values[..., [robot.joints.index(name) for name in self.joints]] = values
        return np.asarray(all_values)


PANDA = Arm(
    "panda",
    "robot-panda/panda.urdf",
    tuple(f"panda_joint{i}" for i in range(1, 8)),
    {"panda_finger_joint1": 0.04},
)
UR5 = Arm(
    "ur5",
    "robot-ur5/ur5_robot.urdf",
    ("shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint"),
    {},
)


@dataclass
class Problem:
    """A scene, with start and goal."""

    arm: Arm
    """The robot that plans."""
    name: str
    """Kind and number, such as ``box/0017``."""
    meshes: list[tuple[str, np.ndarray, np.ndarray]]
    """Name, vertices in the world, metres, and faces of each object."""
    allowed: list[tuple[str, str]]
    """Pairs of links that are never tested."""
    start: np.ndarray
    """Values of the arm's joints, radians."""
    goal: np.ndarray

    @property
    def kind(self) -> str:
        """The kind of problem."""
        return self.name.split("/")[0]

    def engine(self, robot: fc.Robot, **options: Any) -> fc.Engine:
        """An engine for this scene, which also tests links against each other."""
        scene = fc.Scene()
        for name, vertices, faces in self.meshes:
            scene.add_mesh(name, vertices, faces)
        allowed = [pair for pair in self.allowed if pair[0] in robot.links and pair[1] in robot.links]
        return fc.Engine(robot, scene, self_collision=True, allow=allowed, device="cpu", threads=1, **options)


def read(arm: Arm = PANDA) -> list[Problem]:
    """All problems of an arm, the first of each kind before the second of any."""
    texts: dict[tuple[str, str], dict[str, bytes]] = {}
    with tarfile.open(_data() / "mbm-problems" / f"{arm.name}-problems.tar.bz2") as archive:
        for member in archive:
            place = re.search(rf"/(\w+)_{arm.name}/(scene|request)(\d+)\.yaml$", member.name)
            content = archive.extractfile(member) if place else None
            if place and content:
                texts.setdefault((place[3], place[1]), {})[place[2]] = content.read()
    return [_problem(arm, f"{kind}/{number}", of) for (number, kind), of in sorted(texts.items())]


def usable(robot: fc.Robot, n: int, arm: Arm = PANDA) -> Iterator[Problem]:
    """The first `n` problems of an arm whose start and goal are free."""
    for problem in read(arm):
        if n == 0:
            return
        ends = arm.configurations(robot, np.array([problem.start, problem.goal]))
        if problem.engine(robot).check(ends, ends).all_free:
            n -= 1
            yield problem


def dense(waypoints: np.ndarray, step: float) -> np.ndarray:
    """The same polyline with more waypoints, at most `step` apart in the Euclidean norm."""
    parts = [waypoints[:1]]
    for start, end in zip(waypoints, waypoints[1:]):
        n = max(int(np.ceil(np.linalg.norm(end - start) / step)), 1)
        parts.append(start + np.arange(1, n + 1)[:, np.newaxis] / n * (end - start))
    return np.concatenate(parts)


def _data() -> Path:
    folder = os.environ.get("FIRSTCONTACT_DATA")
    if not folder:
        raise SystemExit("FIRSTCONTACT_DATA is not set: it names the folder of the data sets")
    return Path(folder)


def _problem(arm: Arm, name: str, texts: dict[str, bytes]) -> Problem:
    scene, request = (yaml.load(texts[part], yaml.CSafeLoader) for part in ("scene", "request"))
    matrix = scene["allowed_collision_matrix"]
    names, rows = matrix["entry_names"], matrix["entry_values"]
    allowed = [(a, b) for i, a in enumerate(names) for b, may in zip(names[:i], rows[i]) if may]
    state = request["start_state"]["joint_state"]
    start = dict(zip(state["name"], state["position"]))
    goal = {j["joint_name"]: j["position"] for j in request["goal_constraints"][0]["joint_constraints"]}
    values = [np.array([of[joint] for joint in arm.joints], dtype=float) for of in (start, goal)]
    return Problem(arm, name, list(_meshes(scene["world"]["collision_objects"])), allowed, *values)


def _meshes(objects: list[dict[str, Any]]) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    for of in objects:
        for shape, pose in zip(of["primitives"], of["primitive_poses"]):
            make = _box if shape["type"] == "box" else _cylinder
            vertices, faces = make(*shape["dimensions"])
            yield of["id"], vertices @ _rotation(*pose["orientation"]).T + np.array(pose["position"]), faces


def _rotation(x: float, y: float, z: float, w: float) -> np.ndarray:
    x, y, z, w = np.array([x, y, z, w]) / math.hypot(x, y, z, w)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def _box(*size: float) -> tuple[np.ndarray, np.ndarray]:
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * size
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corners, np.array([t for a, b, c, d in sides for t in ((a, b, c), (a, c, d))])


def _cylinder(height: float, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """A prism around the cylinder, with its axis along z."""
    angles = 2 * np.pi * np.arange(_SIDES) / _SIDES
    ring = radius / math.cos(math.pi / _SIDES) * np.stack((np.cos(angles), np.sin(angles)), axis=1)
    ends = [np.column_stack((ring, np.full(_SIDES, z))) for z in (-height / 2, height / 2)]
    i = np.arange(_SIDES)
    j = (i + 1) % _SIDES
    sides = [np.stack((i, j, j + _SIDES), axis=1), np.stack((i, j + _SIDES, i + _SIDES), axis=1)]
    caps = [np.stack((0 * i, j, i), axis=1)[1:-1], np.stack((0 * i, i, j), axis=1)[1:-1] + _SIDES]
    return np.concatenate(ends), np.concatenate(sides + caps)
