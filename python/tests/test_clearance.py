"""Clearances against distances that follow from geometry, against samples, and against the command."""

from __future__ import annotations

import json
import math
import pickle
import subprocess
from pathlib import Path

import numpy as np
import pytest

import firstcontact as fc


@pytest.fixture()
def turning(pointer: fc.Robot, wall: fc.Scene) -> fc.Engine:
    """The tip of the pointer, at a radius of 1 m, comes to within 0.5 - sin(angle) of the wall."""
    return fc.Engine(pointer, wall, device="cpu")


def test_the_nearest_point_of_a_motion(turning: fc.Engine) -> None:
    found = turning.clearances([[[-1.0], [0.2]], [[0.4], [-0.5]], [[0.0], [1.0]]], tolerance=1e-5)
    assert len(found) == 3 and (found.distance[:, 1] - found.distance[:, 0] <= 1e-5).all()
    for (lo, hi), expected in zip(found.distance, (0.5 - math.sin(0.2), 0.5 - math.sin(0.4))):
        assert lo <= expected <= hi
    assert found.distance[2, 0] == 0.0, "it touches"
    assert found.segment.tolist() == [0, 0, 0] and found.t[1] == 0.0 and np.isnan(found.time_s).all()
    assert [found.links[i] for i in found.link] == ["hand"] * 3 and found.object.tolist() == [0, 0, 0]
    assert (found.link_b == -1).all() and (found.triangle == 0).all() and (found.triangle_b == 0).all()
    np.testing.assert_allclose(found.points[1, 1, 1], 0.5, atol=1e-9)
    np.testing.assert_allclose(found.points[1, 0, :2], [math.cos(0.4), math.sin(0.4)], atol=1e-9)
    one = turning.clearance([[0.4], [-0.5]], tolerance=1e-5)
    assert one.distance == tuple(found.distance[1]) and (one.link, one.other, one.t) == ("hand", "wall", 0.0)
    assert "hand and wall" in repr(one) and "smallest is 2" in repr(found)


def test_trajectories_have_segments_and_times(turning: fc.Engine) -> None:
    path = fc.Trajectory.from_waypoints([[0.0], [-1.0], [0.3]], times=[1.0, 2.0, 4.0])
    found = turning.clearance(path)
    assert (found.segment, found.t, found.time_s) == (1, 1.0, 4.0)
    assert found.distance[0] <= 0.5 - math.sin(0.3) <= found.distance[1]


def test_distances_beyond_a_limit_are_not_measured(turning: fc.Engine) -> None:
    found = turning.clearances([[[-1.0], [0.2]]], limit=0.1)
    assert found.distance.tolist() == [[0.1, math.inf]] and found.link.tolist() == [-1]
    assert np.isnan(found.t).all() and np.isnan(found.points).all()
    assert found[0].link is None and found[0].points is None and "0.1 m or more" in repr(found[0])


def test_samples_are_never_nearer(engine: fc.Engine, motions: np.ndarray) -> None:
    free = motions[engine.check(motions).verdict == fc.FREE][:20]
    found = engine.clearances(free, tolerance=1e-4)
    assert (found.distance[:, 0] > 0).all()
    for motion, (lo, hi) in zip(free, found.distance):
        at = motion[0] + np.linspace(0, 1, 41)[:, np.newaxis] * (motion[1] - motion[0])
        apart = engine.clearances(np.stack((at, at), axis=1), tolerance=1e-6).distance
        assert (apart[:, 1] >= lo).all(), "the lower number holds at every time"
        assert apart[:, 0].min() <= hi + 0.1, "the upper one is near the smallest sample"


def test_the_command_gives_the_same(
    program: Path, tmp_path: Path, arm_files: Path, engine: fc.Engine, motions: np.ndarray
) -> None:
    np.save(tmp_path / "motions.npy", motions)
    out = tmp_path / "out.jsonl"
    world = ["--robot", arm_files / "arm.urdf", "--scene", arm_files / "table.obj"]
    files = [*world, "--motions", tmp_path / "motions.npy"]
    command = [program, "check", *files, "--backend", "cpu", "--clearance", "0.001", "--out", out]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    free = [line for line in lines if line["verdict"] == "free"]
    found = engine.clearances(motions[[line["motion"] for line in free]], tolerance=1e-3)
    assert len(free) > 10
    for line, one, i in zip(free, found, range(len(free))):
        told = line["clearance"]
        assert told["distance_m"] == list(one.distance) and (told["segment"], told["t"]) == (one.segment, one.t)
        assert one.points is not None and told["points"] == one.points.tolist()
        assert (told["a"]["link"], told["b"]["object"]) == (one.link, one.other)
        assert told["a"]["triangle"] == found.triangle[i] and told["b"]["triangle"] == found.triangle_b[i]
        assert told["a"]["feature"] == found.features[found.feature[i]] and told["b"]["index"] == found.index_b[i]


def test_links_against_links(arm: fc.Robot) -> None:
    boxes = fc.Engine(arm, self_collision=True, device="cpu").with_attached(
        "box", [[[0.0, 0, 0], [0.1, 0, 0], [0, 0.1, 0]]], "forearm", pose=[0, 0, 0.5, 0, 0, 0]
    )
    found = boxes.clearances([[[0.0, 0.0], [0.3, 0.2]]])
    assert found.object.tolist() == [-1] and found.link_b[0] >= 0 and found[0].other in boxes.links


def test_wrong_requests(turning: fc.Engine) -> None:
    with pytest.raises(fc.Error, match="clearance"):
        turning.clearance([[0.0], [0.1]], tolerance=0.0)
    with pytest.raises(fc.Error, match="limit"):
        turning.clearance([[0.0], [0.1]], limit=-1.0)
    with pytest.raises(ValueError, match="motions have the shape"):
        turning.clearances(np.zeros((3, 2, 2)))
    with pytest.raises(ValueError, match="path has 2 motions"):
        turning.clearance([[[0.0], [0.1]]] * 2)
    with pytest.raises(fc.Error) as caught:
        turning.clearances([fc.Trajectory.from_waypoints([[0.0, 0.0]])])
    assert caught.value.place == "trajectory 0"
    assert len(turning.clearances(np.zeros((0, 2, 1)))) == 0
    with pytest.raises(IndexError):
        turning.clearances([[[0.0], [0.1]]])[1]


def test_progress_and_interruption(turning: fc.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    tqdm = pytest.importorskip("tqdm.auto", reason="tqdm is not installed")
    counted: list[int] = []

    class Bar(tqdm.tqdm):  # type: ignore[name-defined,misc]
        def update(self, n: float | None = 1) -> bool | None:
            counted.append(int(n or 0))
            if len(counted) == 40:
                raise KeyboardInterrupt
            return super().update(n)

    monkeypatch.setattr(tqdm, "tqdm", Bar)
    paths = [fc.Trajectory.from_waypoints([[0.0], [0.1], [-0.2]])] * 15
    assert turning.check_trajectories(paths, progress=True).all_free and sum(counted) == 15
    assert len(turning.clearances(paths, progress=True)) == 15 and sum(counted) == 30
    with pytest.raises(KeyboardInterrupt):
        turning.clearances(paths, progress=True)


def test_pickled_engines_measure_the_same(engine: fc.Engine, motions: np.ndarray) -> None:
    again = pickle.loads(pickle.dumps(engine))
    assert (again.clearances(motions[:20]).distance == engine.clearances(motions[:20]).distance).all()
