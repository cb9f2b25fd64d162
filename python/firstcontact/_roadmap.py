"""Probabilistic roadmaps whose edges are all validated in one batch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._arrays import Floats, shaped
from ._engine import Engine
from ._results import Results, Verdict


@dataclass(frozen=True, eq=False)
class Roadmap:
    """Free configurations, and the free motions between them."""

    vertices: Floats
    """Free configurations, shape (V, D)."""
    edges: NDArray[np.int64]
    """Free motions, as indices of two vertices, shape (E, 2)."""
    candidates: NDArray[np.int64]
    """The motions that were checked, shape (C, 2)."""
    results: Results
    """The answers for `candidates`."""

    @property
    def lengths(self) -> Floats:
        """Euclidean length of each edge, shape (E,)."""
        difference = self.vertices[self.edges[:, 1]] - self.vertices[self.edges[:, 0]]
        return np.asarray(np.linalg.norm(difference, axis=1), dtype=np.float64)

    def to_csr(self) -> Any:
        """A symmetric `scipy.sparse.csr_array` of shape (V, V) with the lengths, for `scipy.sparse.csgraph`.

        Raises:
            ImportError: SciPy is not installed.
        """
        from scipy.sparse import coo_array

        start, end = self.edges[:, 0], self.edges[:, 1]
        indices = (np.concatenate((start, end)), np.concatenate((end, start)))
        n = len(self.vertices)
        return coo_array((np.tile(self.lengths, 2), indices), shape=(n, n)).tocsr()

    def to_planner_data(self, space_information: Any) -> Any:
        """An `ompl.base.PlannerData` with the edges in both directions; keep the object as long as OMPL uses it.

        Args:
            space_information: The space information of a real vector space with D dimensions.

        Raises:
            ImportError: OMPL is not installed.
        """
        from ompl import base as ob

        # Vertices are found by the address of their states, which Python frees unless they are kept.
        keeping: Any = type("PlannerData", (ob.PlannerData,), {})
        data, space = keeping(space_information), space_information.getStateSpace()
        data.states = [space.allocState() for _ in self.vertices]
        for state, q in zip(data.states, self.vertices.tolist()):
            for i, x in enumerate(q):
                state[i] = x
            data.addVertex(ob.PlannerDataVertex(state))
        for a, b in self.edges.tolist():
            data.addEdge(a, b)
            data.addEdge(b, a)
        return data

    def __repr__(self) -> str:
        return f"<Roadmap: {len(self.vertices)} vertices, {len(self.edges)} of {len(self.candidates)} edges free>"


def roadmap(
    engine: Engine, lower: Any, upper: Any, n: int, k: int, *, seed: int = 0, progress: bool = False
) -> Roadmap:
    """Samples configurations, keeps the free ones, and validates the motions to their nearest neighbours in one batch.

    The same seed gives the same roadmap.

    Args:
        engine: The engine; one with ``mode="verdict"`` is faster.
        lower: Lower bounds of the configurations, shape (D,).
        upper: Upper bounds, shape (D,).
        n: Number of samples.
        k: Number of nearest neighbours, in the Euclidean norm, to which a configuration is connected.
        seed: Seed for the samples.
        progress: Whether to show a tqdm progress bar.

    Raises:
        ValueError: The engine has ``initial="ignore"``, with which a free motion need not be free in reverse.
    """
    if engine._options["initial"] == "ignore":
        raise ValueError('the edges of a roadmap go both ways, but initial="ignore" depends on the start')
    columns = (len(engine.joints),)
    low, high = shaped(lower, columns, "lower"), shaped(upper, columns, "upper")
    samples = np.random.default_rng(seed).uniform(low, high, (n, *columns))
    free = engine.check(samples, samples).verdict == Verdict.FREE
    vertices = np.ascontiguousarray(samples[free])
    candidates = _pairs(vertices, k)
    results = engine.check_edges(vertices, candidates, progress=progress)
    return Roadmap(vertices, candidates[results.verdict == Verdict.FREE], candidates, results)


def _pairs(vertices: Floats, k: int) -> NDArray[np.int64]:
    """Each vertex with its `k` nearest neighbours, every pair once, shape (C, 2)."""
    k = min(k, len(vertices) - 1)
    if k < 1:
        return np.zeros((0, 2), dtype=np.int64)
    near = np.concatenate(list(_neighbours(vertices, k)))
    pairs = np.stack((np.repeat(np.arange(len(vertices)), k), near.reshape(-1)), axis=1)
    return np.unique(np.sort(pairs, axis=1), axis=0).astype(np.int64)


def _neighbours(vertices: Floats, k: int) -> Iterator[NDArray[np.int64]]:
    """The nearest neighbours of each vertex, shape (…, k), some vertices at a time: by SciPy's tree, if installed."""
    try:
        from scipy.spatial import cKDTree
    except ImportError:
        squares = np.einsum("ij,ij->i", vertices, vertices)
        for first in range(0, len(vertices), 512):
            some = vertices[first : first + 512]
            distances = squares - 2.0 * some @ vertices.T
            distances[np.arange(len(some)), np.arange(first, first + len(some))] = np.inf
            yield np.argpartition(distances, k - 1, axis=1)[:, :k].astype(np.int64)
        return
    _, near = cKDTree(vertices).query(vertices, k + 1)
    # The nearest one is the vertex itself, unless another is at the same place.
    own = near == np.arange(len(vertices))[:, np.newaxis]
    own[~own.any(axis=1), -1] = True
    yield near[~own].reshape(-1, k).astype(np.int64)
