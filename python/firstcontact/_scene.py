"""Scenes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _native
from ._arrays import Floats, Path
from ._arrays import pose as _pose
from ._arrays import triangles as _triangles
from ._robot import _reading
from ._words import count


class Scene:
    """Named objects in the world, each a triangle soup.

    Contact means that surfaces touch: meshes need not be watertight.

    >>> scene = Scene()
    >>> scene.add_mesh("wall", [[0, 0, 0], [1, 0, 0], [0, 0, 1]], [[0, 1, 2]], pose=[0, 2, 0, 0, 0, 0])
    0
    >>> scene
    <Scene: 1 object, 1 triangle>
    """

    def __init__(self) -> None:
        """Creates an empty scene; `add_mesh` adds objects."""
        self._native = _native.Scene()
        self._file: tuple[str, dict[str, Any]] | None = None
        self._n_of_file = 0

    @classmethod
    def from_file(
        cls,
        path: Path,
        *,
        package_path: Path | Sequence[Path] = (),
        geometry: str = "auto",
        chord_error: float = 1e-3,
        memory: int | None = None,
    ) -> Scene:
        """Reads a mesh file (each group is an object), a scene.json of placed meshes, or a URDF at its zero pose.

        The arguments are those of `Robot.from_urdf`.

        Raises:
            Error: The file is missing, malformed, or has no triangles.
        """
        options = _reading(None, package_path, geometry, chord_error, False, memory)
        return cls()._read(os.path.abspath(path), options)

    def _read(self, path: str, options: dict[str, Any]) -> Scene:
        self._native = _native.Scene.from_file(path, options)
        self._file = (path, options)
        self._n_of_file = len(self._native.objects)
        return self

    def add_mesh(self, name: str, vertices: Any, faces: Any = None, pose: Any = None) -> int:
        """Adds an object and returns its index. Existing engines keep the scene that they were built with.

        Args:
            name: The object's name in results; names need not be unique.
            vertices: Shape (V, 3), metres; or, without faces, triangles of shape (n, 3, 3).
            faces: Indices of vertices, shape (n, 3).
            pose: Mesh to world: a 4×4 matrix, or x y z (metres) roll pitch yaw (radians).

        Raises:
            Error: A coordinate is NaN or infinite.
            ValueError: An array has the wrong shape, or a face refers to a vertex that does not exist.
        """
        return self._native.add(name, _triangles(vertices, faces).tobytes(), _pose(pose, "pose"))

    @property
    def objects(self) -> list[str]:
        """Names of the objects, in order."""
        return self._native.objects

    @property
    def n_triangles(self) -> int:
        """Number of triangles of all objects."""
        return self._native.n_triangles

    @property
    def warnings(self) -> list[str]:
        """Warnings about the file, which do not prevent its use."""
        return self._native.warnings

    def triangles(self, index: int) -> Floats:
        """The triangles of an object in the world, shape (n, 3, 3), metres."""
        if not 0 <= index < len(self.objects):
            raise IndexError(f"object {index} of {len(self.objects)}")
        return np.frombuffer(self._native.triangles(index), dtype=np.float64).reshape(-1, 3, 3)

    def is_closed(self, index: int) -> bool:
        """True if an object is closed: every edge belongs to two triangles that traverse it in opposite directions."""
        return self._native.is_closed(index)

    def __repr__(self) -> str:
        counts = f"{count(len(self.objects), 'object')}, {count(self.n_triangles, 'triangle')}"
        return f"<Scene: {counts}>"

    def __reduce__(self) -> tuple[Any, ...]:
        added = range(self._n_of_file, len(self.objects))
        return _again, (self._file, [(self.objects[i], self.triangles(i)) for i in added])


def _again(file: tuple[str, dict[str, Any]] | None, added: list[tuple[str, Floats]]) -> Scene:
    scene = Scene() if file is None else Scene()._read(*file)
    for name, triangles in added:
        scene.add_mesh(name, triangles)
    return scene
