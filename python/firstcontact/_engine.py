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

# Number of motions in a portion, and the largest number that is passed in a single call.
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
    """Its address on the PCI bus, such as ``0000:41:00.0``, for use as ``device="pci:0000:41:00.0"``; empty if the
    driver does not report it."""


def adapters() -> list[Adapter]:
    """The graphics adapters of this machine, software ones included."""
    return [Adapter(*adapter) for adapter in _native.adapters()]


class Engine:
    """Checks motions of a robot in a scene. An engine is immutable and can be shared between threads.

    Args:
        robot: A robot, or the path of a URDF.
        scene: A scene, or the path of one. It may be left out if links are tested against each other.
        margin: The distance that counts as contact, metres.
        self_collision: Whether to test links against each other: with an SRDF, all pairs that it does not disable;
            otherwise, all pairs that are not adjacent. The default is True if the robot has an SRDF.
        device: "cpu"; "gpu", any graphics adapter; "auto", a hardware adapter if there is one, otherwise the CPU; a
            part of an adapter's name; "pci:" followed by its address, as listed by `adapters`; "all", every hardware
            adapter, or every software adapter if there is no hardware adapter; or a list of names. With several
            adapters, motions are divided among them.
        tolerance: Largest width of a certified time of contact, as a share of the motion.
        mode: "toc" for the first contact; "verdict" for any proved contact, which is faster and reports no features.
        initial: "report" reports contacts at the start; "ignore" excludes pairs of a link and an object that touch
            there.
        solids: "warn" counts motions that start inside a closed object or link, "contact" reports a contact at
            time 0, "off" disables this test.
        all_contacts: Whether answers list every contact that begins at the time of the first one, and the poses of the
            links at that time.
        allow: Pairs (link, object) or (link, link) that are never tested; the first name and an object may be "*".
        threads: Threads on the CPU; 0 for all cores.
        memory: Memory limit for checking motions, bytes; by default at most 1 GiB.
        evaluation_cap: Maximum number of evaluations for a motion, after which it is undecided.
        tree_cache: A file that keeps the scene's tree for the next engine; worthwhile for millions of triangles.

    Raises:
        Error: A file cannot be read, an option is out of range, or there is no such adapter.
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
        """An engine for the robots and the scene listed in a ``world.json``, as for ``firstcontact check --world``.

        Args:
            path: The file; paths in it are relative to its folder.
            options: As for `Engine`; the pairs in `allow` are added to those of the file.

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
        """Checks motions in which every joint moves linearly from start to end.

        Other Python threads keep running during the check, and Ctrl-C interrupts it.

        Args:
            starts: Shape (Q, D), radians and metres, columns in the order of `joints`; or motions of shape (Q, 2, D);
                or (D,) for a single motion.
            ends: An array of the same shape, or None if `starts` contains motions.
            progress: Whether to show a tqdm progress bar.

        Raises:
            ValueError: An array has the wrong shape.
            Error: A motion has NaN or infinite values or is out of the range that the engine accepts.
        """
        guard()
        motions = _motions(starts, ends, self._n_columns)
        if len(motions) <= _AT_ONCE and not progress:
            return Results(self._native.check(motions.tobytes()))
        return self._check_portions(lambda of: motions[of].tobytes(), len(motions), progress)

    def is_free(self, start: Any, end: Any) -> bool:
        """True if a motion is guaranteed to be free. False for contacts and for undecided motions.

        This is the fastest call for a single motion, as in planners; it is fastest with ``mode="verdict"``.

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
            progress: Whether to show a tqdm progress bar.

        Raises:
            ValueError: An array has the wrong shape, or an edge refers to a vertex that does not exist.
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
        """Checks arrays of motions one after another, in bounded memory.

        Args:
            arrays: Motions of shape (Q, 2, D) each, or pairs (starts, ends).

        Yields:
            The results of each array; motions are numbered consecutively across all arrays.

        Raises:
            As `check`; motion numbers in messages are relative to the array.
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
            joint_tolerance: Maximum deviation of each joint from the trajectory at any time; the answers hold for every
                execution within it. One number, or one for each column, radians and metres.
            progress: Whether to show a tqdm progress bar.

        Raises:
            Error: A trajectory does not fit the robot, or a tolerance is negative.
        """
        guard()
        paths = [trajectory._native for trajectory in trajectories]
        tolerance = self._tolerance(joint_tolerance)
        with counted(len(paths), "trajectories", progress) as advance:
            return Results(self._native.check_trajectories(paths, tolerance, advance))

    def certify(self, paths: Any, file: Path, *, joint_tolerance: Any = None) -> Results:
        """Checks motions or trajectories, and writes a certificate of each answer to a file.

        A certificate is a proof that `verify`, or ``firstcontact verify``, checks without the engine. The file is
        identical to that of ``firstcontact check --certificates``. An answer for which no proof is found has no
        certificate; this is rare, and `verify` reports it.

        Args:
            paths: Motions of shape (Q, 2, D), waypoints of shape (Q, W, D), radians and metres, or trajectories.
            file: The output file, which is written atomically.
            joint_tolerance: As for `check_trajectories`.

        Raises:
            Error: As `check_trajectories`; or the engine has ``initial="ignore"``; or the file cannot be written.
        """
        guard()
        natives = [path._native for path in trajectories(paths, self._n_columns)]
        answers, _ = _native.certify(self._native, natives, self._tolerance(joint_tolerance), os.fspath(file))
        return Results(answers)

    def verify(self, file: Path, paths: Any, *, joint_tolerance: Any = None) -> Verification:
        """Verifies the certificates in a file, with a verifier that shares no code with the engine.

        This engine defines the statement to prove: robot with attached objects, scene, margin, and tested pairs.

        Args:
            file: A file written by `certify` or ``firstcontact check --certificates``.
            paths: The motions or trajectories, as for `certify`.
            joint_tolerance: As for `certify`.

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
            tolerance: As for `clearances`.
            limit: As for `clearances`.
        """
        found = self.clearances(path, tolerance=tolerance, limit=limit)
        if len(found) != 1:
            raise ValueError(f"path has {len(found)} motions: clearances() measures several")
        return found[0]

    def clearances(
        self, paths: Any, *, tolerance: float = 1e-4, limit: float | None = None, progress: bool = False
    ) -> Clearances:
        """The smallest distances between the robot and its obstacles over all times of motions or trajectories.

        Each distance is an enclosure, whose lower bound is guaranteed at every moment. Pairs that are not tested are
        left out, and with ``initial="ignore"`` also pairs that touch at the start. All work is done on the CPU.

        Args:
            paths: Motions of shape (Q, 2, D), waypoints of shape (Q, W, D), radians and metres, or trajectories.
            tolerance: Largest width of an enclosure, metres. It may be wider if the cap on evaluations is reached.
            limit: Distances beyond this are not measured, metres; the lower bound is then at least this distance.
            progress: Whether to show a tqdm progress bar.

        Raises:
            ValueError: An array has the wrong shape.
            Error: A path does not fit the robot, or the tolerance or the limit is not positive.
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

        Allowed pairs of a link and an object are not carried over, since they refer to objects of the old scene.
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
            name: The name of the object, different from the names of all links.
            mesh: Triangles of shape (n, 3, 3), a pair (vertices, faces) as for `Scene.add_mesh`, or an object with
                ``vertices`` and ``faces``, such as a `trimesh.Trimesh`; metres, in the object's frame.
            link: The link that carries it.
            pose: The object's frame in the link's frame: a 4×4 matrix, or x y z (metres) roll pitch yaw (radians).
            touch_links: Links and attached objects that it may touch.

        Raises:
            Error: The robot does not have one of these links, or has a link of the same name as the object.
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
