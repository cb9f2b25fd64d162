"""Elementary queries, toleranced motions, extremal pairs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import firstcontact as fc


def test_a_vertex_falls_on_a_triangle() -> None:
    heights = np.linspace(0.55, 2.05, 16)
    starts = np.tile([[0.2, 0.2, 0.0], [0, 0, 0], [1, 0, 0], [0, 1, 0]], (16, 1, 1))
    ends = starts.copy()
    starts[:, 0, 2], ends[:, 0, 2] = heights, heights - 1.0
    answers = fc.ccd.vertex_face(starts, ends)
    falls = heights <= 1.0
    assert (answers.verdict == fc.CONTACT).tolist() == falls.tolist() and len(answers) == 16
    assert answers.certified[falls].all() and not answers.proved[~falls].any()
    toc = answers.toc[falls]
    assert (toc[:, 0] <= heights[falls]).all() and (heights[falls] <= toc[:, 1]).all()
    assert (answers.clear_until[~falls] == 1.0).all() and np.isnan(answers.toc[~falls]).all()
    nearer = fc.ccd.vertex_face(starts, ends, margin=0.1)
    assert np.abs(nearer.toc[falls, 0] - (heights[falls] - 0.1)).max() < 1e-8


def test_two_edges_cross() -> None:
    start = np.array([[[-1.0, 0, 1], [1, 0, 1], [0, -1, 0], [0, 1, 0]]])
    end = start - np.array([[[0, 0, 4.0], [0, 0, 4], [0, 0, 0], [0, 0, 0]]])
    answers = fc.ccd.edge_edge(start, end)
    assert answers.certified[0] and answers.toc[0, 0] <= 0.25 <= answers.toc[0, 1]
    assert fc.ccd.edge_edge(start, start).verdict.tolist() == [fc.FREE]


def test_wrong_queries() -> None:
    with pytest.raises(ValueError, match=r"not \(n, 4, 3\)"):
        fc.ccd.vertex_face(np.zeros((1, 3, 3)), np.zeros((1, 3, 3)))
    with pytest.raises(ValueError, match="but ends"):
        fc.ccd.vertex_face(np.zeros((1, 4, 3)), np.zeros((2, 4, 3)))
    with pytest.raises(fc.Error) as caught:
        fc.ccd.edge_edge(np.zeros((2, 4, 3)), np.stack((np.zeros((4, 3)), np.full((4, 3), np.nan))))
    assert caught.value.place == "query 1"
    with pytest.raises(fc.Error, match="tolerance"):
        fc.ccd.edge_edge(np.zeros((1, 4, 3)), np.zeros((1, 4, 3)), tolerance=0.0)
    assert len(fc.ccd.edge_edge(np.zeros((0, 4, 3)), np.zeros((0, 4, 3)))) == 0


def test_toleranced_motions_are_free_or_undecided(pointer: fc.Robot, wall: fc.Scene) -> None:
    answers = fc.toleranced.check(pointer, wall, [[0.0], [0.0]], [[0.4], [1.0]])
    assert answers.free.tolist() == [True, False] and answers.clear_until[0] == 1.0 and len(answers) == 2
    assert 0.4 < answers.clear_until[1] <= np.pi / 6, "sound, and not far from the contact"
    with pytest.raises(fc.Error):
        fc.toleranced.check(pointer, wall, [0.0], [1.0], delta=-1.0)


def test_a_sphere_is_tracked(tmp_path: Path) -> None:
    sphere = {"kind": "ellipsoid", "semi_axes_m": [0.5, 0.5, 0.5]}
    moving = {"origin_m": [2, 0, 0], "velocity_m_s": [-0.5, 0, 0]}
    bodies = [{"name": "a", "shape": sphere}, {"name": "b", "shape": sphere, "motion": moving}]
    scene = {"bodies": bodies, "duration_s": 1.0, "step_s": 0.01, "gains_per_s": [50.0]}
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(scene))
    (track,) = fc.extremal.track(path)
    assert track.bodies == ("a", "b") and len(track) == len(track.phase) == track.parameters.shape[0]
    following = [phase == "tracking" for phase in track.phase]
    np.testing.assert_allclose(track.distance_m[following], 1.0 - 0.5 * track.time_s[following], atol=1e-6)
    assert any(following)
    with pytest.raises(fc.Error) as caught:
        fc.extremal.track(tmp_path / "missing.json")
    assert caught.value.file == str(tmp_path / "missing.json")
