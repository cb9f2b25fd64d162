"""The manifest that closes a run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import _native
from .._arrays import Path as AnyPath
from .._errors import Error
from . import _plan, _shards
from ._shards import Record

NAME = "run.json"
_FORMAT = "firstcontact-run-1"


@dataclass(frozen=True)
class Run:
    """A finished run."""

    folder: Path
    """The folder with plan, shards and manifest."""
    manifest: dict[str, Any]
    """The content of ``run.json``."""

    @property
    def motions(self) -> int:
        """Number of motions."""
        return int(self.manifest["motions"])

    @property
    def free(self) -> int:
        """Number of motions that are free: guaranteed."""
        return int(self.manifest["free"])

    @property
    def contact(self) -> int:
        """Number of motions with a contact."""
        return int(self.manifest["contact"])

    @property
    def undecided(self) -> int:
        """Number of motions without an answer."""
        return int(self.manifest["undecided"])

    @property
    def merkle_root(self) -> str:
        """Root of the Merkle tree over the lines of JSON of all answers, as ``merkle_root`` in ``check --stats``."""
        return str(self.manifest["merkle_root"])

    @property
    def shards(self) -> list[Path]:
        """The files of answers, in the order of the motions."""
        return [self.folder / shard["file"] for shard in self.manifest["shards"]]

    def __repr__(self) -> str:
        counts = f"{self.free} free, {self.contact} contact, {self.undecided} undecided"
        return f"<Run of {self.motions}: {counts}; {len(self.shards)} shards in {str(self.folder)!r}>"


def close(folder: Path, plan: _plan.Plan, shards: list[tuple[Record, str]]) -> Run:
    """Writes the manifest of shards, each with the SHA-256 of its file.

    Raises:
        Error: It cannot be written.
    """
    blocks = [block for record, _ in shards for block in record.blocks]
    totals = {
        name: sum(getattr(record, name) for record, _ in shards)
        for name in ("motions", "free", "contact", "certified", "undecided")
    }
    manifest = {
        "format": _FORMAT,
        "plan_sha256": plan.sha256,
        **totals,
        "backends": sorted({record.backend for record, _ in shards}),
        "merkle_root": _native.merkle_root(blocks),
        "shards": [_entry(record, hashed, plan.form) for record, hashed in shards],
    }
    text = json.dumps(manifest, indent=1) + "\n"
    _shards._whole(folder / NAME, lambda part: Path(part).write_text(text))
    return Run(folder, manifest)


def _entry(record: Record, hashed: str, form: str) -> dict[str, Any]:
    counts = {name: getattr(record, name) for name in ("first", "motions", "free", "contact", "certified", "undecided")}
    return {
        "file": _shards.name_of(record.index, form),
        "sha256": hashed,
        **counts,
        "motions_sha256": record.motions_sha256,
        "backend": record.backend,
        "merkle_root": _native.merkle_root(record.blocks),
    }


def verify(folder: AnyPath) -> Run:
    """Checks that a run is complete and unchanged: plan, manifest, and every file of answers.

    The motions are not checked again. The Merkle root is recomputed from the roots of the blocks, which the
    shards' records contain.

    Args:
        folder: The folder of the run.

    Raises:
        Error: A file is missing, damaged, or belongs to another run; the message gives the first such file.
    """
    out = Path(folder)
    plan = _plan.load(out / _plan.NAME)
    path = out / NAME
    try:
        manifest = json.loads(path.read_text())
    except FileNotFoundError:
        remedy = "check_dataset finishes it"
        raise Error(
            f"{path}: the run is not finished ({remedy})", kind="input", file=str(path), remedy=remedy
        ) from None
    except (OSError, ValueError) as error:
        raise Error(f"{path}: cannot read: {error}", kind="input", file=str(path)) from error
    wrong = next(_faults(out, plan, manifest), None)
    if wrong is not None:
        file, why = wrong
        remedy = "check_dataset answers it again"
        raise Error(f"{out / file}: {why} ({remedy})", kind="input", file=str(out / file), remedy=remedy)
    return Run(out, manifest)


def _faults(out: Path, plan: _plan.Plan, manifest: Any) -> Iterator[tuple[str, str]]:
    """Files and their faults."""
    if not isinstance(manifest, dict) or manifest.get("format") != _FORMAT:
        yield NAME, "this is not the manifest of a run"
        return
    if manifest.get("plan_sha256") != plan.sha256:
        yield NAME, "the manifest belongs to another plan"
    records = []
    for index in range(plan.n_shards):
        file = _shards.name_of(index, plan.form)
        found = _shards.read_record(out / file)
        if found is None:
            yield file, "the shard or its record is missing or damaged"
            return
        record, hashed = found
        if not fits(record, plan, index):
            yield file, "the shard belongs to another run"
            return
        if _shards.sha256(out / file) != hashed:
            yield file, "the shard is damaged"
        listed = manifest["shards"][index] if index < len(manifest.get("shards", [])) else None
        if listed != _entry(record, hashed, plan.form):
            yield file, f"the shard is not the one that {NAME} lists"
        records.append(record)
    root = _native.merkle_root([block for record in records for block in record.blocks])
    totals = {name: sum(getattr(record, name) for record in records) for name in ("motions", "free", "contact")}
    if manifest.get("merkle_root") != root or any(manifest.get(name) != n for name, n in totals.items()):
        yield NAME, "counts or Merkle root do not match the shards"


def fits(record: Record, plan: _plan.Plan, index: int) -> bool:
    """True if a record is of this shard of this plan."""
    counts = record.free + record.contact + record.undecided
    place = (record.index, record.first, record.motions)
    return record.plan == plan.sha256 and place == (index, *plan.shard(index)) and counts == record.motions
