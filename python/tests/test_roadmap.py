"""Roadmaps, and single motions as planners ask for them."""

from __future__ import annotations

import numpy as np
import pytest

import firstcontact as fc


@pytest.fixture(scope="module")
def roadmap(engine: fc.Engine) -> fc.Roadmap:
    return fc.roadmap(engine.with_options(mode="verdict"), [-1, -1], [1, 1], n=40, k=4, seed=5)


def test_a_roadmap_is_free(engine: fc.Engine, roadmap: fc.Roadmap) -> None:
    assert 10 < len(roadmap.vertices) <= 40 and len(roadmap.edges) > 10
    assert engine.check(roadmap.vertices, roadmap.vertices).all_free
    assert engine.check_edges(roadmap.vertices, roadmap.edges).all_free
    rejected = np.setdiff1d(roadmap.candidates @ [1000, 1], roadmap.edges @ [1000, 1])
    blocked = engine.check_edges(roadmap.vertices, np.stack(np.divmod(rejected, 1000), axis=1))
    assert not (blocked.verdict == fc.FREE).any()
    assert f"{len(roadmap.edges)} of {len(roadmap.candidates)} edges free" in repr(roadmap)


def test_candidates_are_the_nearest_neighbours(roadmap: fc.Roadmap) -> None:
    points = roadmap.vertices
    distances = np.linalg.norm(points[:, np.newaxis] - points, axis=2)
    order = np.argsort(distances, axis=1)[:, 1:5]
    expected = {tuple(sorted((i, int(j)))) for i, row in enumerate(order) for j in row}
    assert {tuple(pair) for pair in roadmap.candidates.tolist()} == expected


def test_neighbours_do_not_depend_on_scipy(roadmap: fc.Roadmap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "scipy.spatial", None)
    pairs = fc._roadmap._pairs(roadmap.vertices, 4)
    np.testing.assert_array_equal(pairs, roadmap.candidates)


def test_neighbours_at_one_place() -> None:
    same = np.zeros((5, 2))
    pairs = fc._roadmap._pairs(same, 2)
    assert (pairs[:, 0] < pairs[:, 1]).all() and set(pairs.reshape(-1).tolist()) == set(range(5))
    assert fc._roadmap._pairs(same[:1], 2).shape == (0, 2)


def test_starts_in_contact_cannot_be_ignored_in_a_roadmap(engine: fc.Engine) -> None:
    with pytest.raises(ValueError, match="both ways"):
        fc.roadmap(engine.with_options(initial="ignore"), [-1, -1], [1, 1], n=4, k=2)


def test_a_seed_repeats_a_roadmap(engine: fc.Engine, roadmap: fc.Roadmap) -> None:
    again = fc.roadmap(engine.with_options(mode="verdict"), [-1, -1], [1, 1], n=40, k=4, seed=5)
    np.testing.assert_array_equal(again.edges, roadmap.edges)


def test_a_sparse_matrix(roadmap: fc.Roadmap) -> None:
    csgraph = pytest.importorskip("scipy.sparse.csgraph", reason="scipy is not installed")
    matrix = roadmap.to_csr()
    assert matrix.nnz == 2 * len(roadmap.edges) and (matrix != matrix.T).nnz == 0
    a, b = roadmap.edges[0]
    assert csgraph.dijkstra(matrix, indices=a)[b] <= roadmap.lengths[0] + 1e-12


def test_single_motions(engine: fc.Engine, motions: np.ndarray) -> None:
    expected = engine.check(motions[:30]).verdict == fc.FREE
    assert [engine.is_free(*motion) for motion in motions[:30]] == expected.tolist()


def test_other_options_share_the_trees(engine: fc.Engine, motions: np.ndarray) -> None:
    wide = engine.with_options(margin=0.05)
    fresh = fc.Engine(engine.robot, engine.scene, margin=0.05, device="cpu")
    assert wide.check(motions[:30]).to_jsonl() == fresh.check(motions[:30]).to_jsonl()
    with pytest.raises(TypeError, match="not allow"):
        engine.with_options(allow=[])
    with pytest.raises(fc.Error, match="mode is"):
        engine.with_options(mode="nonsense")
