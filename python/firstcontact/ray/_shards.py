"""Files of answers: written whole or not at all, each with a record of its question."""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .._errors import Error
from .._results import Results, Verdict

_KEY = b"firstcontact"
_ROW_GROUP = 1 << 16
FORMS = {"parquet": ".parquet", "verdicts": ".parquet", "jsonl": ".jsonl"}
"""Forms of shards, with the endings of their files."""


@dataclass
class Record:
    """The record of a shard. It holds no times, so that equal answers give equal bytes."""

    plan: str
    """SHA-256 of the plan."""
    index: int
    """Number of the shard."""
    first: int
    """Number of its first motion."""
    motions: int
    """Number of its motions."""
    motions_sha256: str
    """SHA-256 of the motions as ``float64`` in little-endian order, shape (n, 2, D)."""
    backend: str
    """"cpu", or name and driver of the adapter."""
    free: int
    contact: int
    certified: int
    undecided: int
    blocks: list[str] = field(default_factory=list)
    """Merkle roots of blocks of 4,096 lines of JSON."""

    def text(self) -> str:
        """The record as JSON."""
        return json.dumps(asdict(self), sort_keys=True)


def name_of(index: int, form: str) -> str:
    """The name of a shard's file."""
    return f"shard-{index:06d}{FORMS[form]}"


def write(path: Path, form: str, results: Results, record: Record) -> str:
    """Writes a shard, then its record, and returns the SHA-256 of the shard's file.

    Raises:
        Error: The file cannot be written; no part of it remains.
    """
    hashed = _whole(path, lambda part: _fill(part, form, results, record))
    # The record names the hash, so an older record next to a newer file proves nothing.
    text = json.dumps({"sha256": hashed, "record": asdict(record)}, sort_keys=True) + "\n"
    _whole(record_of(path), lambda part: Path(part).write_text(text))
    return hashed


def record_of(path: Path) -> Path:
    """The record of a shard."""
    return path.with_name(path.name + ".record.json")


def _fill(part: str, form: str, results: Results, record: Record) -> None:
    if form == "jsonl":
        results.to_jsonl(part)
        return
    from pyarrow import parquet

    table = results.to_arrow() if form == "parquet" else _verdicts(results)
    table = table.replace_schema_metadata({_KEY: record.text()})
    options = {"compression": "zstd", "row_group_size": _ROW_GROUP, "write_page_checksum": True}
    if form == "verdicts":
        options["use_dictionary"] = ["verdict"]
    parquet.write_table(table, part, **options)


def _verdicts(results: Results) -> Any:
    """Two bits a motion, and single-precision times that still enclose those of contacts."""
    import pyarrow as pa

    contact, free = results.verdict == Verdict.CONTACT, results.verdict == Verdict.FREE
    clear = _rounded(results.clear_until, -np.inf)
    by = _rounded(np.where(contact, results.toc[:, 1], 1.0), np.inf)
    columns = {
        "verdict": pa.array(results.verdict),
        "proved": pa.array(results.proved, mask=~contact),
        "clear_until": pa.array(clear, mask=free),
        "contact_by": pa.array(by, mask=~contact),
    }
    return pa.table(columns)


def _rounded(values: np.ndarray[Any, Any], towards: float) -> np.ndarray[Any, Any]:
    """Single precision, rounded down or up."""
    single = values.astype(np.float32)
    beyond = single > values if towards < 0 else single < values
    return np.where(beyond, np.nextafter(single, np.float32(towards)), single)


def read_record(path: Path) -> tuple[Record, str] | None:
    """The record of a shard and the hash that its file had, if there is a file; its content is not read."""
    try:
        found = json.loads(record_of(path).read_text())
        return (Record(**found["record"]), str(found["sha256"])) if path.is_file() else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def sha256(path: Path) -> str:
    """SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() if hasattr(hashlib, "file_digest") else _digest(file)


def _digest(file: Any) -> str:
    """As `hashlib.file_digest`, for Python 3.10."""
    digest = hashlib.sha256()
    while piece := file.read(1 << 20):
        digest.update(piece)
    return digest.hexdigest()


def _whole(path: Path, fill: Callable[[str], object]) -> str:
    """Writes a file next to its place and renames it; returns its hash."""
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
    try:
        fill(str(part))
        with open(part, "rb+") as file:
            os.fsync(file.fileno())
        hashed = sha256(part)
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        why = os.strerror(error.errno) if error.errno else str(error)
        raise Error(f"{path}: cannot write: {why}", kind="output", file=str(path)) from error
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return hashed
