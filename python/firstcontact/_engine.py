"""Engines."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _native, _world
from ._arrays import Floats, Path, configurations, floats, integers, shaped
from ._arrays import motions as _motions
from ._arrays import pose as _pose
from ._arrays import triangles as _triangles
from ._certificates import Verification
from ._clearance import Clearance, Clearances
from ._fork import guard
from ._progress import counted, shown
from ._results import Results
from ._robot import Robot
from ._scene import Scene
from ._trajectory import Trajectory, trajectories
from ._words import count

# Motions of a portion, and the largest number of motions that are given in one.
_PORTION = 4096
_AT_ONCE = 1 << 16

# Options that can be changed without building other trees and pairs.
_CHANGEABLE = (
    *("margin", "tolerance", "device", "mode", "initial", "solids", "all_contacts", "threads", "memory"),
    "evaluation_cap",
)


class Adapter(NamedTuple):
    """A graphics adapter, whose name can be the `device` of an engine."""

    name: str
    driver: str
    interface: str
    hardware: bool
    pci: str = ""
    """Its address on the PCI bus, such as ``0000:41:00.0``, which ``device="pci:0000:41:00.0"`` names; empty if the
    driver does not report it."""


def adapters() -> list[Adapter]:
    """The graphics adapters of this machine, software ones included."""
    return [Adapter(*adapter) for adapter in _native.adapters()]


class Engine:
    """Checks motions of a robot in a scene. An engine does not change, and several threads may use it.

    Args:
        robot: A robot, or the path of a URDF.
        scene: A scene, or the path of one. It may be left out if links are tested against each other.
        margin: The distance that counts as contact, metres.
        self_collision: True if links are tested against each other: with an SRDF all pairs that it does not disable,
            otherwise all pairs that are not adjacent. By default they are if the robot has an SRDF.
        device: "cpu"; "gpu", any graphics adapter; "auto", a hardware adapter if there is one, otherwise the CPU; a
            part of an adapter's name; "pci:" and its address, as `adapters` lists it; "all", every hardware adapter,
            or every software adapter on a machine without hardware; or a list of names. Motions are divided among
            several adapters.
        tolerance: Largest width of a certified time of contact, as a share of the motion.
        mode: "toc" for the first contact; "verdict" for any proved contact, which is faster and reports no features.
        initial: "report" contacts at the start, or "ignore" pairs of a link and an object that touch there.
        solids: "warn" counts motions that start inside a closed object or link, "contact" reports a contact at
            time 0, "off" does not look.
        all_contacts: Answers list every contact that begins at the time of the first, and the poses of the links then.
        allow: Pairs (link, object) or (link, link) that are never tested; the first name and an object may be "*".
        threads: Threads on the CPU; 0 for all cores.
        memory: Memory for the work on motions, bytes; by default at most 1 GiB.
        evaluation_cap: Maximum number of evaluations for a motion, after which it is undecided.
        tree_cache: A file that keeps the scene's tree for the next engine; worthwhile for millions of triangles.

    Raises:
        Error: A file cannot be read, an option is out of its range, or there is no such adapter.
    """

    def __init__(
        self,
        robot: Robot | Path,
        scene: Scene | Path | None = None,
        *,
        margin: float = 0.0,
        self_collision: bool | None = None,
        device: str | list[str] = "auto",
        tolerance: float = 1e-9,
        mode: str = "toc",
        initial: str = "report",
        solids: str = "warn",
        all_contacts: bool = False,
        allow: Iterable[tuple[str, str]] = (),
        threads: int = 0,
        memory: int | None = None,
        evaluation_cap: int | None = None,
        tree_cache: Path | None = None,
    ) -> None:
        guard()
        self._robot = robot if isinstance(robot, Robot) else Robot.from_urdf(robot)
        self._scene = _scene(scene)
        self._options: dict[str, Any] = {
            "margin": margin,
            "self_collision": self_collision,
            "device": device,
            "tolerance": tolerance,
            "mode": mode,
            "initial": initial,
            "solids": solids,
            "all_contacts": all_contacts,
            "allow": [list(pair) for pair in allow],
            "threads": threads,
            "memory": memory,
            "evaluation_cap": evaluation_cap,
        }
        self._tree_cache = None if tree_cache is None else os.path.abspath(tree_cache)
        self._attached: tuple[_Attached, ...] = ()
        self._set(_native.Engine(self._robot._native, self._scene._native, self._options, self._tree_cache))

    @classmethod
    def from_world(cls, path: Path, **options: Any) -> Engine:
        """An engine for the robots and the scene that a ``world.json`` lists, as for the command.

        Args:
            path: The file; paths in it are relative to its folder.
            options: As of `Engine`; pairs of `allow` are added to those of the file.

        Raises:
            Error: A file is missing or malformed.
        """
        robot, scene, allowed = _world.read(path)
        return cls(robot, scene, **{**options, "allow": [*allowed, *options.get("allow", ())]})

    def _set(self, native: _native.Engine) -> None:
        self._native = native
        self._n_columns = len(native.joints)

    def _like(self, native: _native.Engine) -> Engine:
        """An engine that differs in its native half."""
        other = object.__new__(Engine)
        other.__dict__.update(self.__dict__)
        other._set(native)
        return other

    def check(self, starts: Any, ends: Any = None, *, progress: bool = False) -> Results:
        """Checks motions, in each of which every joint moves linearly from its start to its end.

        Other threads of Python continue during the check, and Ctrl-C ends it.

        Args:
            starts: Shape (Q, D), radians and metres, columns in the order of `joints`; or motions of shape (Q, 2, D);
                or (D,) for a single motion.
            ends: Of the same shape, or None with motions.
            progress: Shows a bar of tqdm.

        Raises:
            ValueError: An array has another shape.
            Error: A motion has NaN or infinite values or is out of the range that the engine accepts.
        """
        guard()
        motions = _motions(starts, ends, self._n_columns)
        if len(motions) <= _AT_ONCE and not progress:
            return Results(self._native.check(motions.tobytes()))
        return self._check_portions(lambda of: motions[of].tobytes(), len(motions), progress)

    def is_free(self, start: Any, end: Any) -> bool:
        """True if a motion is free: guaranteed. False for contacts, and for motions without an answer.

        The quickest call for a single motion, as planners need it; with ``mode="verdict"`` it takes the least time.

        Args:
            start: Shape (D,), radians and metres.
            end: Shape (D,).
        """
        guard()
        shape = (self._n_columns,)
        ends = [shaped(start, shape, "start"), shaped(end, shape, "end")]
        return self._native.are_free(np.concatenate(ends).tobytes())

    def check_edges(self, vertices: Any, edges: Any, *, progress: bool = False) -> Results:
        """Checks the edges of a roadmap: motions between configurations, in one batch.

        Args:
            vertices: Configurations, shape (V, D).
            edges: Indices of the start and the end of each edge, shape (E, 2).
            progress: Shows a bar of tqdm.

        Raises:
            ValueError: An array has another shape, or an edge names a vertex that does not exist.
            Error: As `check`.
        """
        points = configurations(vertices, self._n_columns, "vertices")
        pairs = integers(edges, "edges")
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise ValueError(f"edges have the shape {pairs.shape}, not (E, 2)")
        if pairs.size and (pairs.min() < 0 or pairs.max() >= len(points)):
            raise ValueError(f"edges refer to vertices {pairs.min()} to {pairs.max()}, but there are {len(points)}")
        return self._check_portions(lambda of: points[pairs[of]].tobytes(), len(pairs), progress)

    def _check_portions(self, portion: Callable[[slice], bytes], n: int, progress: bool) -> Results:
        guard()
        slices = [slice(i, min(i + _PORTION, n)) for i in range(0, n, _PORTION)]
        sizes = (of.stop - of.start for of in slices)
        return Results(self._native.check_portions(shown(map(portion, slices), sizes, n, progress)))

    def stream(self, arrays: Iterable[Any]) -> Iterator[Results]:
        """Checks arrays of motions one after the other, in bounded memory.

        Args:
            arrays: Motions of shape (Q, 2, D) each, or pairs (starts, ends).

        Yields:
            The results of each array; motions are numbered over all arrays.

        Raises:
            As `check`; the number of a motion in a message counts within its array.
        """
        first = 0
        for array in arrays:
            starts, ends = array if isinstance(array, tuple) else (array, None)
            results = self.check(starts, ends)
            results.first = first
            first += len(results)
            yield results

    def check_trajectories(
        self, trajectories: Iterable[Trajectory], *, joint_tolerance: Any = None, progress: bool = False
    ) -> Results:
        """Checks trajectories.

        Args:
            trajectories: The trajectories.
            joint_tolerance: The answers then hold for every execution that stays within it at each time: one number,
                or one for each column, radians and metres.
            progress: Shows a bar of tqdm.

        Raises:
            Error: A trajectory does not suit the robot, or a tolerance is negative.
        """
        guard()
        paths = [trajectory._native for trajectory in trajectories]
        tolerance = self._tolerance(joint_tolerance)
        with counted(len(paths), "trajectories", progress) as advance:
            return Results(self._native.check_trajectories(paths, tolerance, advance))

    def certify(self, paths: Any, file: Path, *, joint_tolerance: Any = None) -> Results:
        """Checks motions or trajectories, and writes a certificate of each answer into a file.

        A certificate is a proof that `verify`, or ``firstcontact verify``, checks without the engine. The bytes are
        those of ``firstcontact check --certificates``. An answer for which no proof is found has no certificate; this
        is rare, and `verify` reports it.

        Args:
            paths: Motions of shape (Q, 2, D), waypoints of shape (Q, W, D), radians and metres, or trajectories.
            file: The file, which is written whole or not at all.
            joint_tolerance: As of `check_trajectories`.

        Raises:
            Error: As `check_trajectories`; the engine ignores contacts at the start; or the file cannot be written.
        """
        guard()
        natives = [path._native for path in trajectories(paths, self._n_columns)]
        answers, _ = _native.certify(self._native, natives, self._tolerance(joint_tolerance), os.fspath(file))
        return Results(answers)

    def verify(self, file: Path, paths: Any, *, joint_tolerance: Any = None) -> Verification:
        """Verifies the certificates in a file, with a verifier that shares no code with the engine.

        The statement follows from this engine: its robot with attached objects, scene, margin, and the pairs that are
        tested.

        Args:
            file: The file that `certify` or ``firstcontact check --certificates`` has written.
            paths: The motions or trajectories, as for `certify`.
            joint_tolerance: As of `certify`.

        Raises:
            Error: The file cannot be read.
        """
        guard()
        natives = [path._native for path in trajectories(paths, self._n_columns)]
        tolerance = self._tolerance(joint_tolerance)
        return Verification(**_native.verify(self._native, natives, tolerance, os.fspath(file)))

    def _tolerance(self, given: Any) -> list[float]:
        """The tolerance of each column; empty without tolerance."""
        tolerance = np.zeros(0) if given is None else floats(given, "joint_tolerance")
        if tolerance.ndim == 0:
            tolerance = np.full(self._n_columns, tolerance)
        if given is not None:
            tolerance = shaped(tolerance, (self._n_columns,), "joint_tolerance")
        numbers: list[float] = tolerance.tolist()
        return numbers

    def clearance(self, path: Any, *, tolerance: float = 1e-4, limit: float | None = None) -> Clearance:
        """The smallest distance between the robot and its obstacles over all times of a motion or trajectory.

        Args:
            path: A motion of shape (2, D), waypoints of shape (W, D), radians and metres, or a `Trajectory`.
            tolerance: As of `clearances`.
            limit: As of `clearances`.
        """
        found = self.clearances(path, tolerance=tolerance, limit=limit)
        if len(found) != 1:
            raise ValueError(f"path has {len(found)} motions: clearances() measures several")
        return found[0]

    def clearances(
        self, paths: Any, *, tolerance: float = 1e-4, limit: float | None = None, progress: bool = False
    ) -> Clearances:
        """The smallest distances between the robot and its obstacles over all times of motions or trajectories.

        Each is an enclosure: the lower number is guaranteed for every moment. Pairs that are not tested do not count,
        nor, with ``initial="ignore"``, those that touch at the start. All of the work is done on the CPU.

        Args:
            paths: Motions of shape (Q, 2, D), waypoints of shape (Q, W, D), radians and metres, or trajectories.
            tolerance: Largest width of an enclosure, metres. It may be wider if the cap on evaluations is reached.
            limit: The distance beyond which nothing is measured, metres. The answer is then at least this distance.
            progress: Shows a bar of tqdm.

        Raises:
            ValueError: An array has another shape.
            Error: A path does not suit the robot, or the tolerance or the limit is not above 0.
        """
        guard()
        natives = [path._native for path in trajectories(paths, self._n_columns)]
        beyond = float("inf") if limit is None else limit
        with counted(len(natives), "clearances", progress) as advance:
            return Clearances(self._native.clearances(natives, tolerance, beyond, advance))

    def with_options(self, **options: Any) -> Engine:
        """An engine for the same robot and scene with other options; all trees are shared.

        Args:
            options: Any of `margin`, `tolerance`, `device`, `mode`, `initial`, `solids`, `all_contacts`, `threads`,
                `memory` and `evaluation_cap`.
        """
        unknown = [name for name in options if name not in _CHANGEABLE]
        if unknown:
            raise TypeError(f"with_options changes {', '.join(_CHANGEABLE)}, not {', '.join(unknown)}")
        guard()
        changed = {**self._options, **options}
        other = self._like(self._native.with_options(changed))
        other._options = changed
        return other

    def with_scene(self, scene: Scene | Path) -> Engine:
        """An engine for the same robot and options in another scene; data of the robot is shared.

        Pairs of links and objects that may touch are not taken over, since they name objects of a scene.
        """
        guard()
        other_scene = _scene(scene)
        other = self._like(self._native.with_scene(other_scene._native))
        old = set(self._native.objects)
        kept = [pair for pair in self._options["allow"] if pair[1] != "*" and pair[1] not in old]
        other._scene, other._options, other._tree_cache = other_scene, {**self._options, "allow": kept}, None
        return other

    def with_attached(
        self, name: str, mesh: Any, link: str, *, pose: Any = None, touch_links: Sequence[str] = ()
    ) -> Engine:
        """An engine with an object attached to a link, such as a box in a gripper; all else is shared.

        The object is tested against the scene, against links that move relative to it, and against other attached
        objects.

        Args:
            name: Its name, which no link has.
            mesh: Triangles of shape (n, 3, 3), a pair (vertices, faces) as of `Scene.add_mesh`, or an object with
                ``vertices`` and ``faces``, such as a `trimesh.Trimesh`; metres, in the object's frame.
            link: The link that carries it.
            pose: The object's frame in the link's frame: a 4×4 matrix, or x y z (metres) roll pitch yaw (radians).
            touch_links: Links and attached objects that it may touch.

        Raises:
            Error: The robot lacks a link, or has one of the same name.
        """
        attached = _Attached(name, link, _mesh(mesh), _pose(pose, "pose"), list(touch_links))
        return self._with(attached)

    def _with(self, attached: _Attached) -> Engine:
        guard()
        name, link, triangles, at, touch_links = attached
        other = self._like(self._native.with_attached(name, link, triangles.tobytes(), at, touch_links))
        other._attached = (*self._attached, attached)
        return other

    def link_poses(self, configuration: Any) -> dict[str, Floats]:
        """The pose of each link's frame at a configuration of shape (D,): 4×4 matrices, link to world, by name."""
        q = shaped(configuration, (self._n_columns,), "configuration")
        return {name: np.array(rows) for name, rows in self._native.link_poses(q.tobytes())}

    @property
    def robot(self) -> Robot:
        """The robot, without attached objects."""
        return self._robot

    @property
    def scene(self) -> Scene:
        """The scene."""
        return self._scene

    @property
    def joints(self) -> list[str]:
        """Names of the columns of configurations, in order."""
        return self._native.joints

    @property
    def links(self) -> list[str]:
        """Names of the links with triangles, then of attached objects."""
        return self._native.links

    @property
    def tested_link_pairs(self) -> list[tuple[str, str]]:
        """The pairs of links and attached objects that are tested against each other."""
        return self._native.tested_link_pairs

    @property
    def device(self) -> str:
        """ "cpu", or the names of the graphics adapters, separated by " + "."""
        return " + ".join(name for name, _ in self._native.adapters) or "cpu"

    @property
    def threads(self) -> int:
        """Number of threads on the CPU."""
        return self._native.threads

    @property
    def warnings(self) -> list[str]:
        """Warnings from building the engine, and the reason if "auto" runs on the CPU."""
        return self._native.warnings

    def __repr__(self) -> str:
        parts = [count(self._n_columns, "column"), count(len(self.links), "link")]
        parts += [count(len(self._native.objects), "object"), f"on {self.device}"]
        return f"<Engine of {self._robot.name!r}: {', '.join(parts)}>"

    def __copy__(self) -> Engine:
        return self

    def __deepcopy__(self, memo: Any) -> Engine:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self._robot, self._scene, {**self._options, "tree_cache": self._tree_cache}, self._attached)


class _Attached(NamedTuple):
    """An object that a link carries."""

    name: str
    link: str
    triangles: Floats
    pose: list[list[float]]
    touch_links: list[str]


def _again(robot: Robot, scene: Scene, options: dict[str, Any], attached: tuple[_Attached, ...]) -> Engine:
    engine = Engine(robot, scene, **options)
    for one in attached:
        engine = engine._with(one)
    return engine


def _scene(scene: Scene | Path | None) -> Scene:
    if scene is None:
        return Scene()
    return scene if isinstance(scene, Scene) else Scene.from_file(scene)


def _mesh(mesh: Any) -> Floats:
    if hasattr(mesh, "vertices") and hasattr(mesh, "faces"):
        return _triangles(mesh.vertices, mesh.faces)
    return _triangles(*mesh) if isinstance(mesh, tuple) else _triangles(mesh)
