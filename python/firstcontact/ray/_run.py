"""Runs: the plan, existing shards, missing shards, the manifest."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from .._arrays import Path as AnyPath
from .._engine import Engine, _scene
from .._errors import Error
from .._fork import guard
from .._progress import counted
from .._robot import Robot
from .._scene import Scene
from . import _inputs, _manifest, _shards
from ._manifest import Run, fits
from ._plan import Plan
from ._shards import Record
from ._worker import Work, Worker, kept_shard

Answers = dict[int, tuple[Record, str]]
"""Records of shards and hashes of their files, by number."""


def check_dataset(
    inputs: _inputs.Source | AnyPath | Iterable[AnyPath],
    robot: Robot | AnyPath,
    scene: Scene | AnyPath | None,
    out: AnyPath,
    *,
    shard_rows: int = 1 << 18,
    actors: str | int = "per-node",
    form: str = "parquet",
    device: str | None = None,
    tree_cache: AnyPath | None = None,
    allow_mixed_backends: bool = False,
    progress: bool = False,
    **options: Any,
) -> Run:
    """Checks motions on all machines of a Ray cluster, and writes the answers into a folder.

    Without a cluster, Ray is started on this machine. If a call is interrupted or fails, complete shards are kept, and
    repeating the same call continues with the others. The answers are identical, byte for byte, for any number of
    machines.

    Args:
        inputs: Paths of ``.npy`` files of shape (Q, 2, D) or ``.parquet`` files with the columns ``start`` and ``end``,
            lists of D numbers; a `Roadmap`; or `Generated` motions. All machines read the same paths.
        robot: The robot, or the path of its URDF.
        scene: The scene, or its path.
        out: The folder for the answers, which all machines share.
        shard_rows: Motions per shard, a multiple of 4,096. A shard should take some seconds to some minutes.
        actors: "per-node", one process on each machine with all of its cores but one; "per-gpu", one for each GPU; a
            number of processes with one core each; or 0, in this process and without Ray.
        form: "parquet", all columns of `Results`; "verdicts", at most a quarter of a byte for a free motion, and
            enclosures of the times of contacts in single precision; or "jsonl", the lines of ``firstcontact check``.
        device: As for `Engine`; by default the CPU, and with "per-gpu" the GPU of each process.
        tree_cache: A folder on each machine that keeps the scene's tree, which one process builds; worthwhile for
            millions of triangles.
        allow_mixed_backends: Whether to accept answers of different adapters: enclosures of the time of contact
            overlap, and only contacts that are not proved may be free on another adapter.
        progress: Whether to show a tqdm progress bar.
        options: As for `Engine`, except `threads`.

    Raises:
        Error: The folder contains the answers of another run; a file cannot be read or written; machines are lost.
        ValueError: The motions do not have the robot's columns.
        ImportError: Ray or pyarrow is not installed.
    """
    guard()
    _check_packages(actors, form)
    model = robot if isinstance(robot, Robot) else Robot.from_urdf(robot)
    world, source, folder = _scene(scene), _inputs.source(inputs), Path(os.path.abspath(out))
    cache = None if tree_cache is None else os.path.abspath(tree_cache)
    plan = _plan(model, world, source, (shard_rows, form), options)
    plan.begin(folder)
    work = Work(plan, source, model, world, options, folder, cache)
    with counted(plan.n_shards, "shards", progress) as advance:
        answers = _kept(work) or _answer(work, actors, device, allow_mixed_backends, advance)
    backends = sorted({record.backend for record, _ in answers.values()})
    if len(backends) > 1 and not allow_mixed_backends:
        raise mixed(folder, backends)
    for stale in folder.glob(".shard-*.part"):
        stale.unlink(missing_ok=True)
    return _manifest.close(folder, plan, [answers[index] for index in range(plan.n_shards)])


def mixed(folder: Path, backends: list[str]) -> Error:
    """The error of answers by different adapters."""
    remedy = "allow_mixed_backends=True accepts that: enclosures of times may differ, and grazing contacts"
    message = f"{folder}: the answers are by different backends: {'; '.join(backends)} ({remedy})"
    return Error(message, kind="usage", file=str(folder), remedy=remedy)


def _check_packages(actors: str | int, form: str) -> None:
    needed = [] if form == "jsonl" else ["pyarrow"]
    needed += ["ray"] if actors != 0 else []
    for package in needed:
        try:
            __import__(package)
        except ImportError:
            raise ImportError(
                f"firstcontact.ray needs the package {package}: pip install 'firstcontact[ray]'"
            ) from None
    if not (actors in ("per-node", "per-gpu") or (isinstance(actors, int) and actors >= 0)):
        raise ValueError(f"actors is 'per-node', 'per-gpu' or a number, not {actors!r}")


def _plan(robot: Robot, scene: Scene, source: _inputs.Source, cut: tuple[int, str], options: dict[str, Any]) -> Plan:
    wrong = {"threads", "tree_cache"} & options.keys()
    if wrong:
        raise TypeError(f"check_dataset chooses {', '.join(sorted(wrong))} itself")
    # It serves only to compute hashes and the tested pairs.
    return Plan.new(Engine(robot, scene, **{**options, "device": "cpu", "threads": 1}), source, *cut)


def _kept(work: Work) -> Answers | None:
    """The shards, if all exist already."""
    plan = work.plan
    for index in range(plan.n_shards):
        found = _shards.read_record(work.out / _shards.name_of(index, plan.form))
        if found is None or not fits(found[0], plan, index):
            return None
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        all_kept = list(pool.map(lambda index: kept_shard(work, index), range(plan.n_shards)))
    answers = {index: kept for index, kept in enumerate(all_kept) if kept is not None}
    return answers if len(answers) == plan.n_shards else None


def _answer(
    work: Work, actors: str | int, device: str | None, mixes: bool, advance: Callable[[], object] | None
) -> Answers:
    if actors != 0:
        from ._cluster import answer_all

        return answer_all(work, actors, device, mixes, advance)
    worker, answers = Worker(work, device or "cpu", threads=0), {}
    for index in range(work.plan.n_shards):
        answers[index] = worker.answer(index)
        if advance is not None:
            advance()
    return answers
