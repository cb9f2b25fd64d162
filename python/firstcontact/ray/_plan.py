"""The plan of a run: everything that its answers depend on. It is written first and never changes."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from .. import _native
from .._engine import Engine
from .._errors import Error
from ._inputs import BLOCK, Source
from ._shards import FORMS, _whole

NAME = "plan.json"
_FORMAT = "firstcontact-plan-1"
# Options that change no answer.
_WITHOUT_EFFECT = ("device", "threads", "memory")


@dataclass(frozen=True)
class Plan:
    """The inputs and options of a run, and its division into shards."""

    version: str
    robot: str
    """SHA-256, as in certificates."""
    scene: str
    """SHA-256, as in certificates."""
    links: list[list[str]]
    """Pairs of links that are tested against each other."""
    options: dict[str, Any]
    inputs: dict[str, Any]
    """The source of the motions, for readers: their hashes are in the shards, and files may be moved."""
    motions: int
    shard_rows: int
    form: str

    @classmethod
    def new(cls, engine: Engine, source: Source, shard_rows: int, form: str) -> Plan:
        """The plan for an engine and motions."""
        if form not in FORMS:
            raise ValueError(f"form is {' or '.join(repr(name) for name in FORMS)}, not {form!r}")
        if shard_rows <= 0 or shard_rows % BLOCK:
            raise ValueError(f"shard_rows is {shard_rows}, not a multiple of {BLOCK}")
        options = {name: value for name, value in engine._options.items() if name not in _WITHOUT_EFFECT}
        if options["all_contacts"] and form != "jsonl":
            raise ValueError("all_contacts=True needs form='jsonl': columns have only the first contact")
        robot, scene = _native.hashes(engine._native)
        pairs = [list(pair) for pair in engine.tested_link_pairs]
        described = json.loads(json.dumps(source.describe(), default=str))
        return cls(_native.version(), robot, scene, pairs, options, described, source.n, shard_rows, form)

    @property
    def n_shards(self) -> int:
        """Number of shards."""
        return -(-self.motions // self.shard_rows)

    def shard(self, index: int) -> tuple[int, int]:
        """The number of the first motion of a shard, and the number of its motions."""
        first = index * self.shard_rows
        return first, min(self.shard_rows, self.motions - first)

    def text(self) -> str:
        """The plan as JSON."""
        return json.dumps({"format": _FORMAT, **asdict(self)}, indent=1, sort_keys=True) + "\n"

    @property
    def sha256(self) -> str:
        """The hash that each shard carries."""
        return hashlib.sha256(replace(self, inputs={}).text().encode()).hexdigest()

    def begin(self, out: Path) -> None:
        """Writes the plan into the folder, or compares it with the existing one.

        Raises:
            Error: The folder has another plan, or cannot be written.
        """
        path = out / NAME
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Error(f"{out}: cannot write: {error.strerror}", kind="output", file=str(out)) from error
        if not path.exists():
            _whole(path, lambda part: Path(part).write_text(self.text()))
            return
        differences = list(self._differences(read(path)))
        if differences:
            remedy = "choose another folder, or remove this one"
            message = f"{path}: this folder contains another run: {'; '.join(differences)} ({remedy})"
            raise Error(message, kind="usage", file=str(path), remedy=remedy)

    def _differences(self, other: dict[str, Any]) -> list[str]:
        mine = json.loads(self.text())
        differences = []
        for name in mine:
            if name == "inputs" or mine[name] == other.get(name):
                continue
            if name == "options":
                changed = [key for key in mine[name] if mine[name][key] != other.get(name, {}).get(key)]
                differences += [f"{key} is {mine[name][key]!r}, not {other[name].get(key)!r}" for key in changed]
            elif isinstance(mine[name], (int, str)) and len(str(mine[name])) < 40:
                differences.append(f"{name} is {mine[name]!r}, not {other.get(name)!r}")
            else:
                differences.append(f"{name} differs")
        return differences


def read(path: Path) -> dict[str, Any]:
    """A plan as a dictionary.

    Raises:
        Error: The plan is missing or damaged.
    """
    try:
        found: dict[str, Any] = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise Error(f"{path}: cannot read: {error}", kind="input", file=str(path)) from error
    if not isinstance(found, dict) or found.get("format") != _FORMAT:
        raise Error(f"{path}: this is not the plan of a run", kind="input", file=str(path))
    return found


def load(path: Path) -> Plan:
    """A plan from its file.

    Raises:
        Error: The plan is missing or damaged.
    """
    found = read(path)
    try:
        return Plan(**{name: value for name, value in found.items() if name != "format"})
    except TypeError as error:
        raise Error(f"{path}: this is not the plan of a run", kind="input", file=str(path)) from error
