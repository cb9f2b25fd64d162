"""Robots."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _native
from ._arrays import Floats, Path, floats
from ._errors import Error


class Robot:
    """A kinematic tree with the triangles of its links, read from a URDF.

    Create one with `from_urdf` or `from_xml`. Robots are immutable.
    """

    def __init__(self, native: _native.Robot, recipe: tuple[str, tuple[Any, ...], dict[str, Any]]) -> None:
        """For `from_urdf` and `from_xml`."""
        self._native = native
        self._recipe = recipe

    @classmethod
    def from_urdf(
        cls,
        urdf: Path,
        *,
        srdf: Path | None = None,
        base: Sequence[float] | None = None,
        package_path: Path | Sequence[Path] = (),
        geometry: str = "auto",
        chord_error: float = 1e-3,
        floating_root: bool = False,
        memory: int | None = None,
    ) -> Robot:
        """Reads a URDF file and the meshes that it refers to.

        Args:
            urdf: The file. Meshes may be STL, OBJ, DAE, PLY or GLB.
            srdf: The semantic description; with it, links are tested against each other except for the pairs that it
                disables.
            base: Pose of the root link in the world: x y z (metres), roll pitch yaw (radians).
            package_path: One or more folders in which to resolve ``package://`` paths, in addition to the URDF's
                folder, the folders above it and ``ROS_PACKAGE_PATH``.
            geometry: "collision" or "visual" for these shapes of the links, or "auto" for collision shapes, and visual
                shapes for links that have no collision shapes.
            chord_error: Largest distance by which the triangles of boxes, cylinders, spheres and capsules may extend
                beyond the shape, metres.
            floating_root: Whether to add a free joint before the root; its columns x y z qx qy qz qw come first.
            memory: Memory limit for reading the files, bytes.

        Raises:
            Error: A file is missing or malformed; the message gives the file and the place in it.
        """
        options = _reading(base, package_path, geometry, chord_error, floating_root, memory)
        files = (os.path.abspath(urdf), None if srdf is None else os.path.abspath(srdf))
        return cls(_native.Robot.from_files(*files, options), ("files", files, options))

    @classmethod
    def from_xml(
        cls,
        urdf: str,
        *,
        srdf: str | None = None,
        folder: Path = ".",
        base: Sequence[float] | None = None,
        package_path: Path | Sequence[Path] = (),
        geometry: str = "auto",
        chord_error: float = 1e-3,
        floating_root: bool = False,
        memory: int | None = None,
    ) -> Robot:
        """Reads a URDF, and optionally an SRDF, from strings. Mesh paths are resolved as if the URDF were in `folder`.

        The other arguments are those of `from_urdf`.

        Raises:
            Error: A text is malformed, or a mesh is missing or malformed.
        """
        options = _reading(base, package_path, geometry, chord_error, floating_root, memory)
        texts = (urdf, srdf, os.path.abspath(folder))
        return cls(_native.Robot.from_texts(*texts, options), ("texts", texts, options))

    @classmethod
    def join(cls, robots: Mapping[str, Robot]) -> Robot:
        """Joins several robots into one, with the columns, links and states of each in turn, named ``NAME/joint``.

        Links of different robots are always tested against each other; links of the same robot are tested as its SRDF
        or `self_collision` specifies. The pose of each robot in the world is its `base`.

        Args:
            robots: The robots by name.

        Raises:
            Error: There is no robot, a name is empty or contains a slash, or a robot is itself joined from several.
        """
        parts = tuple(robots.items())
        return cls(_native.Robot.join([(name, robot._native) for name, robot in parts]), ("join", parts, {}))

    @property
    def name(self) -> str:
        """The name in the URDF; for joined robots, their names separated by ``+``."""
        return self._native.name

    @property
    def joints(self) -> list[str]:
        """Names of the columns of configurations, in order: the moving joints in the order of the URDF."""
        return self._native.joints

    @property
    def n_columns(self) -> int:
        """Number of columns of a configuration."""
        return len(self._native.joints)

    @property
    def kinds(self) -> list[str]:
        """Kind of each column: "angle" (radians), "length" (metres), or "free" (x y z qx qy qz qw of a free joint)."""
        return self._native.kinds

    @property
    def limits(self) -> Floats:
        """Lower and upper limit of each column, shape (D, 2); infinite where a joint has none."""
        return np.array(self._native.limits, dtype=np.float64).reshape(-1, 2)

    @property
    def links(self) -> list[str]:
        """Names of the links that have triangles, in the order of the URDF."""
        return self._native.links

    @property
    def n_triangles(self) -> int:
        """Number of triangles of all links."""
        return self._native.n_triangles

    @property
    def has_srdf(self) -> bool:
        """True if there is a semantic description."""
        return self._native.has_srdf

    @property
    def warnings(self) -> list[str]:
        """Warnings about the files, which do not prevent their use."""
        return self._native.warnings

    def configuration(self, values: Mapping[str, float], missing: float | None = None) -> Floats:
        """A configuration, shape (D,), from values by joint name.

        Args:
            values: Radians and metres by joint.
            missing: The value of joints that are missing from `values`; by default, a missing joint is an error.

        Raises:
            Error: The robot has no joint of a given name, or a joint is missing.
        """
        unknown = [name for name in values if name not in self.joints]
        lacking = [name for name in self.joints if name not in values]
        if unknown or (lacking and missing is None):
            raise _misnamed(unknown, lacking)
        return np.array([values.get(name, missing) for name in self.joints], dtype=np.float64)

    def state(self, name: str, missing: float | None = None) -> Floats:
        """The configuration of a ``group_state`` of the SRDF, shape (D,); `name` is STATE or GROUP/STATE.

        For joined robots, a state is called ``NAME/STATE``; `missing` is then the value of the other robots' joints.

        Raises:
            Error: There is no such state, or it leaves joints out and `missing` is not given.
        """
        return self.configuration(dict(self._native.state(name)), missing)

    def reorder(self, configurations: Any, joints: Sequence[str]) -> Floats:
        """Converts configurations of another program, with columns in the order of `joints`, to the robot's order.

        Args:
            configurations: Shape (…, n), a column for each of `joints`.
            joints: The names of these columns. Columns that the robot does not have are dropped.

        Raises:
            Error: A joint of the robot is missing, or one is given twice.
        """
        array = floats(configurations, "configurations")
        if array.ndim == 0 or array.shape[-1] != len(joints):
            raise ValueError(f"configurations have the shape {array.shape}, not (…, {len(joints)}) for as many names")
        lacking = [name for name in self.joints if name not in joints]
        twice = [name for name in self.joints if list(joints).count(name) > 1]
        if lacking or twice:
            raise _misnamed(twice, lacking)
        return np.ascontiguousarray(array[..., [list(joints).index(name) for name in self.joints]])

    def __repr__(self) -> str:
        return f"<Robot {self.name!r}: {self.n_columns} columns, {len(self.links)} links, {self.n_triangles} triangles>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, self._recipe


def _again(kind: str, source: tuple[Any, ...], options: dict[str, Any]) -> Robot:
    if kind == "join":
        return Robot.join(dict(source))
    make: Any = _native.Robot.from_files if kind == "files" else _native.Robot.from_texts
    return Robot(make(*source, options), (kind, source, options))


def _reading(
    base: Sequence[float] | None,
    package_path: Path | Sequence[Path],
    geometry: str,
    chord_error: float,
    floating_root: bool,
    memory: int | None,
) -> dict[str, Any]:
    """Options for reading, as the native half takes them."""
    folders = [package_path] if isinstance(package_path, (str, os.PathLike)) else package_path
    numbers = [0.0] * 6 if base is None else [float(x) for x in base]
    if len(numbers) != 6:
        raise ValueError(f"base has {len(numbers)} numbers, not the 6 of x y z roll pitch yaw")
    return {
        "base": numbers,
        "package_paths": [os.path.abspath(folder) for folder in folders],
        "geometry": geometry,
        "chord_error": chord_error,
        "floating_root": floating_root,
        "memory": memory,
    }


def _misnamed(wrong: list[str], lacking: list[str]) -> Error:
    parts = [("unknown or given twice", wrong), ("missing", lacking)]
    text = "; ".join(f"joints {what}: {', '.join(names)}" for what, names in parts if names)
    remedy = "Robot.joints lists the names"
    return Error(f"{text} ({remedy})", kind="usage", remedy=remedy)
