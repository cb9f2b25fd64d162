"""Single configurations of the Panda by coal, through pinocchio: what a sampled check usually consists of."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import coal
import numpy as np
import pinocchio as pin
import problems


class Coal:
    """The Panda and the scene of a problem as coal's trees of boxes, with the same pairs as the engine tests."""

    def __init__(self, problem: problems.Problem, robot_links: list[str], pairs: list[tuple[str, str]]) -> None:
        folder = problems._data() / "robot-panda"
        with tempfile.TemporaryDirectory() as packages:
            (Path(packages) / "example-robot-data").symlink_to(folder)
            self._model = pin.buildModelFromUrdf(str(folder / "panda.urdf"))
            geometry = pin.buildGeomFromUrdf(
                self._model, str(folder / "panda.urdf"), pin.GeometryType.COLLISION, package_dirs=[packages]
            )
        of_link: dict[str, list[int]] = {name: [] for name in robot_links}
        for i, shape in enumerate(geometry.geometryObjects):
            of_link[self._model.frames[shape.parentFrame].name].append(i)
        for name, vertices, faces in problem.meshes:
            placed = pin.GeometryObject(f"obstacle {name}", 0, pin.SE3.Identity(), _tree(vertices, faces))
            obstacle = geometry.addGeometryObject(placed)
            for shapes in of_link.values():
                for shape in shapes:
                    geometry.addCollisionPair(pin.CollisionPair(shape, obstacle))
        for a, b in pairs:
            for i in of_link[a]:
                for j in of_link[b]:
                    geometry.addCollisionPair(pin.CollisionPair(i, j))
        self._geometry = geometry
        self._data, self._poses = self._model.createData(), pin.GeometryData(geometry)
        fingers = {"panda_finger_joint1": 0.04, "panda_finger_joint2": 0.04}
        self._q = np.array([fingers.get(name, 0.0) for name in list(self._model.names)[1:]])
        self._columns = [self._model.joints[self._model.getJointId(name)].idx_q for name in problem.arm.joints]

    def is_free(self, values: Any) -> bool:
        """True if nothing touches at these values of the joints."""
        self._q[self._columns] = values
        return not pin.computeCollisions(self._model, self._data, self._geometry, self._poses, self._q, True)


def _tree(vertices: np.ndarray, faces: np.ndarray) -> Any:
    points, triangles, tree = coal.StdVec_Vec3s(), coal.StdVec_Triangle(), coal.BVHModelOBBRSS()
    for vertex in vertices:
        points.append(vertex)
    for a, b, c in faces.tolist():
        triangles.append(coal.Triangle(a, b, c))
    tree.beginModel(len(faces), len(vertices))
    tree.addSubModel(points, triangles)
    tree.endModel()
    return tree
