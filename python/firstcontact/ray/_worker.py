"""The work on one shard, in any process."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .._arrays import Floats
from .._engine import Engine
from .._results import Results
from .._robot import Robot
from .._scene import Scene
from . import _shards
from ._inputs import Source, portions
from ._manifest import fits
from ._plan import Plan
from ._shards import Record


@dataclass
class Work:
    """Everything that an actor needs to know."""

    plan: Plan
    source: Source
    robot: Robot
    scene: Scene
    options: dict[str, Any]
    out: Path
    tree_cache: str | None
    """Folder on each machine."""


@dataclass
class Worker:
    """An engine that answers shards."""

    work: Work
    device: str
    threads: int
    engine: Engine = field(init=False)

    def __post_init__(self) -> None:
        work = self.work
        options = {**work.options, "device": self.device, "threads": self.threads}
        with _tree(work.tree_cache, work.plan.scene) as file:
            self.engine = Engine(work.robot, work.scene, **options, tree_cache=file)

    @property
    def backend(self) -> str:
        """ "cpu", or name and driver of each adapter."""
        return " + ".join(", ".join(adapter) for adapter in self.engine._native.adapters) or "cpu"

    def answer(self, index: int) -> tuple[Record, str]:
        """Answers a shard, unless it has been answered already; returns its record and the hash of its file."""
        kept = kept_shard(self.work, index)
        return kept if kept is not None else self._check(index)

    def _check(self, index: int) -> tuple[Record, str]:
        plan = self.work.plan
        first, n = plan.shard(index)
        digest = hashlib.sha256()
        native = self.engine._native.check_portions(_bytes(self.work.source, first, n, self.engine, digest))
        results = Results(native, first)
        stats = results.stats
        record = Record(
            plan=plan.sha256,
            index=index,
            first=first,
            motions=n,
            motions_sha256=digest.hexdigest(),
            backend=self.backend,
            free=int(stats["free"]),
            contact=int(stats["contact"]),
            certified=int(stats["certified"]),
            undecided=int(stats["undecided"]),
            blocks=native.block_roots(first),
        )
        path = self.work.out / _shards.name_of(index, plan.form)
        return record, _shards.write(path, plan.form, results, record)


def _bytes(source: Source, first: int, n: int, engine: Engine, digest: Any) -> Iterator[bytes]:
    for motions in portions(source, first, n, len(engine.joints)):
        content = _little_endian(motions)
        digest.update(content)
        yield content


def _little_endian(motions: Floats) -> bytes:
    return motions.astype("<f8", copy=False).tobytes()


def kept_shard(work: Work, index: int) -> tuple[Record, str] | None:
    """The record of a shard that was answered already: with this plan, for these motions, and undamaged."""
    plan = work.plan
    path = work.out / _shards.name_of(index, plan.form)
    found = _shards.read_record(path)
    if found is None or not fits(found[0], plan, index):
        return None
    record, hashed = found
    digest = hashlib.sha256()
    first, n = plan.shard(index)
    for motions in portions(work.source, first, n, work.robot.n_columns):
        digest.update(_little_endian(motions))
    same = digest.hexdigest() == record.motions_sha256 and _shards.sha256(path) == hashed
    return found if same else None


@contextmanager
def _tree(folder: str | None, scene: str) -> Iterator[str | None]:
    """The file of the scene's tree on this machine: the first process builds it, the others wait and read it."""
    if folder is None:
        yield None
        return
    os.makedirs(folder, exist_ok=True)
    file = os.path.join(folder, f"{scene[:32]}.fctree")
    with open(file + ".claim", "w") as claim:
        try:
            import fcntl

            fcntl.flock(claim, fcntl.LOCK_EX)
        except (ImportError, OSError):
            pass  # Without locks, every process that finds no tree builds one.
        yield file
