"""Motions that are read or generated in pieces: work items contain motion numbers, never the motions themselves."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .._arrays import Floats, configurations, floats, integers, motions
from .._errors import Error

BLOCK = 4096
"""Motions of a block: shards are whole blocks, and each block of generated motions has a generator of its own."""


class Source(Protocol):
    """Motions by number."""

    @property
    def n(self) -> int:
        """Number of motions."""
        ...

    def read(self, first: int, n: int) -> Floats:
        """The motions from number `first` on, shape (n, 2, D)."""
        ...

    def describe(self) -> dict[str, Any]:
        """Describes the inputs for readers; hashes of the motions are separate."""
        ...


@dataclass(frozen=True)
class Generated:
    """Motions that are generated on the machine that checks them.

    Each block of 4,096 motions has a generator of its own, so the motions do not depend on the shards.
    """

    make: Callable[[np.random.Generator, int], Any]
    """Given a random generator and a number n, returns n motions of shape (n, 2, D), or a pair (starts, ends)."""
    n: int
    """Number of motions."""
    seed: int = 0
    """Seed of the generators: block b uses ``numpy.random.default_rng([seed, b])``."""

    def read(self, first: int, n: int) -> Floats:
        """The motions from number `first` on, shape (n, 2, D)."""
        blocks = range(first // BLOCK, -(-(first + n) // BLOCK))
        made = np.concatenate([self._block(block) for block in blocks])
        skipped = first - blocks[0] * BLOCK
        return np.ascontiguousarray(made[skipped : skipped + n])

    def _block(self, block: int) -> Floats:
        n = min(BLOCK, self.n - block * BLOCK)
        made = self.make(np.random.default_rng([self.seed, block]), n)
        starts, ends = made if isinstance(made, tuple) else (made, None)
        found = motions(starts, ends, floats(starts, "the generated motions").shape[-1])
        if len(found) != n:
            raise ValueError(f"{len(found)} motions were generated, not {n}")
        return found

    def describe(self) -> dict[str, Any]:
        """Describes the inputs for readers."""
        return {"generated": getattr(self.make, "__qualname__", type(self.make).__name__), "seed": self.seed}


@dataclass(frozen=True)
class _Uniform:
    lower: tuple[float, ...]
    upper: tuple[float, ...]

    def __call__(self, random: np.random.Generator, n: int) -> Floats:
        return random.uniform(self.lower, self.upper, (n, 2, len(self.lower)))


def uniform(lower: Any, upper: Any, n: int, *, seed: int = 0) -> Generated:
    """Motions between configurations that are uniformly distributed between bounds.

    Args:
        lower: Lower bounds, shape (D,).
        upper: Upper bounds, shape (D,).
        n: Number of motions.
        seed: As for `Generated`.
    """
    bounds = [tuple(floats(of, what).tolist()) for of, what in ((lower, "lower"), (upper, "upper"))]
    return Generated(_Uniform(*bounds), n, seed)


class Roadmap:
    """The edges of a roadmap as motions."""

    def __init__(self, vertices: Any, edges: Any) -> None:
        """
        Args:
            vertices: Configurations, shape (V, D): the path of a ``.npy`` file, or an array.
            edges: Indices of the start and the end of each edge, shape (E, 2), likewise.
        """
        self._given = [os.path.abspath(of) if _is_path(of) else of for of in (vertices, edges)]
        self._open: tuple[Floats, NDArray[np.int64]] | None = None
        points, pairs = self._arrays()
        if points.ndim != 2 or pairs.ndim != 2 or pairs.shape[1] != 2:
            raise ValueError(f"vertices and edges have the shapes {points.shape} and {pairs.shape}, not (V, D), (E, 2)")

    def _arrays(self) -> tuple[Any, Any]:
        if self._open is None:
            opened = [_mapped(of) if isinstance(of, str) else np.asarray(of) for of in self._given]
            self._open = opened[0], opened[1]
        return self._open

    @property
    def n(self) -> int:
        """Number of edges."""
        return len(self._arrays()[1])

    def read(self, first: int, n: int) -> Floats:
        """The motions from number `first` on, shape (n, 2, D)."""
        vertices, edges = self._arrays()
        pairs = integers(edges[first : first + n], "edges")
        if pairs.size and (pairs.min() < 0 or pairs.max() >= len(vertices)):
            raise ValueError(f"edges refer to vertices {pairs.min()} to {pairs.max()}, but there are {len(vertices)}")
        unique, places = np.unique(pairs, return_inverse=True)
        return configurations(vertices[unique], vertices.shape[1], "vertices")[places.reshape(pairs.shape)]

    def describe(self) -> dict[str, Any]:
        """Describes the inputs for readers."""
        names = [of if isinstance(of, str) else "array" for of in self._given]
        return {"vertices": names[0], "edges": names[1]}

    def __getstate__(self) -> dict[str, Any]:
        return {"_given": self._given, "_open": None}


class _Files:
    """Motions in files, one after the other."""

    def __init__(self, paths: list[str]) -> None:
        self._paths = paths
        self._parts: list[_Npy | _Parquet] | None = None
        self._starts = np.cumsum([0, *(part.n for part in self._opened())])

    def _opened(self) -> list[_Npy | _Parquet]:
        if self._parts is None:
            self._parts = [_Parquet(path) if path.endswith((".parquet", ".pq")) else _Npy(path) for path in self._paths]
        return self._parts

    @property
    def n(self) -> int:
        return int(self._starts[-1])

    def read(self, first: int, n: int) -> Floats:
        pieces = []
        for part, start in zip(self._opened(), self._starts):
            low, high = max(first, start), min(first + n, start + part.n)
            if low < high:
                pieces.append(part.read(int(low - start), int(high - low)))
        if len({piece.shape[1:] for piece in pieces}) > 1:
            raise ValueError(f"the files have motions of different shapes: {[piece.shape for piece in pieces]}")
        return np.concatenate(pieces)

    def describe(self) -> dict[str, Any]:
        return {"files": self._paths, "motions": [part.n for part in self._opened()]}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_parts": None}


class _Npy:
    """An array of shape (Q, 2, D)."""

    def __init__(self, path: str) -> None:
        self._path, self._array = path, _mapped(path)
        if self._array.ndim != 3 or self._array.shape[1] != 2:
            raise Error(f"{path}: the array has the shape {self._array.shape}, not (Q, 2, D)", kind="input", file=path)
        self.n = len(self._array)

    def read(self, first: int, n: int) -> Floats:
        return np.ascontiguousarray(floats(self._array[first : first + n], self._path))


class _Parquet:
    """A file with the columns `start` and `end`, lists of as many numbers as the robot has joints."""

    def __init__(self, path: str) -> None:
        from pyarrow import parquet

        self._path = path
        try:
            self._file = parquet.ParquetFile(path, memory_map=True)
        except (OSError, ValueError) as error:
            raise Error(f"{path}: cannot read: {error}", kind="input", file=path) from error
        missing = {"start", "end"} - set(self._file.schema_arrow.names)
        if missing:
            remedy = "motions have the columns start and end, lists of the values of all joints"
            message = f"{path}: there is no column {', '.join(sorted(missing))} ({remedy})"
            raise Error(message, kind="input", file=path, remedy=remedy)
        meta = self._file.metadata
        self._starts = np.cumsum([0, *(meta.row_group(i).num_rows for i in range(meta.num_row_groups))])
        self.n = int(meta.num_rows)
        # The row group that was read last: portions are smaller than row groups.
        self._last: tuple[int, Floats] | None = None

    def read(self, first: int, n: int) -> Floats:
        pieces = []
        low, high = np.searchsorted(self._starts, [first, first + n - 1], side="right") - 1
        for group in range(low, high + 1):
            start = int(self._starts[group])
            rows = self._group(group)
            pieces.append(rows[max(first - start, 0) : first + n - start])
        return np.concatenate(pieces)

    def _group(self, group: int) -> Floats:
        if self._last is None or self._last[0] != group:
            self._last = (group, self._decoded(group))
        return self._last[1]

    def _decoded(self, group: int) -> Floats:
        try:
            table = self._file.read_row_group(group, columns=["start", "end"])
        except (OSError, ValueError) as error:
            raise Error(f"{self._path}: cannot read: {error}", kind="input", file=self._path) from error
        ends = []
        for name in ("start", "end"):
            column = table.column(name).combine_chunks()
            values = column.flatten()
            width, rest = divmod(len(values), max(len(column), 1))
            if column.null_count or values.null_count or rest or (_lengths(column) != width).any():
                message = f"{self._path}: the lists in {name} have different lengths, or are missing"
                raise Error(message, kind="input", file=self._path, place=f"row group {group}")
            ends.append(floats(values.to_numpy(zero_copy_only=False), name).reshape(-1, width))
        if ends[0].shape != ends[1].shape:
            raise Error(f"{self._path}: start and end have different lengths", kind="input", file=self._path)
        return np.stack(ends, axis=1)


def _lengths(column: Any) -> NDArray[Any]:
    from pyarrow import compute

    return np.asarray(compute.list_value_length(column).to_numpy(zero_copy_only=False))


def _mapped(path: str) -> Any:
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise Error(f"{path}: cannot read: {error}", kind="input", file=path) from error


def _is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def source(inputs: Any) -> Source:
    """Motions from paths of files, or from an object that has them."""
    if hasattr(inputs, "read") and hasattr(inputs, "describe"):
        made: Source = inputs
        return made
    given: Any = inputs
    listed: list[Any] = [given] if _is_path(given) or not isinstance(given, Iterable) else list(given)
    if not listed or not all(_is_path(path) for path in listed):
        raise TypeError("inputs are paths of .npy or .parquet files, a Roadmap, or Generated motions")
    return _Files([os.path.abspath(path) for path in listed])


def portions(of: Source, first: int, n: int, n_columns: int) -> Iterator[Floats]:
    """The motions of a shard, block by block."""
    for start in range(first, first + n, BLOCK):
        found = of.read(start, min(BLOCK, first + n - start))
        if found.shape[1:] != (2, n_columns):
            raise ValueError(f"the motions have the shape {found.shape}, not (Q, 2, {n_columns}), those of the robot")
        yield found
