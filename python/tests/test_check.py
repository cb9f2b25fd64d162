"""Checks of motions against answers that follow from geometry."""

from __future__ import annotations

import ctypes
import ctypes.util
import math
import platform
from pathlib import Path

import numpy as np
import pytest

import firstcontact as fc

# The pointer's tip reaches the wall at asin(0.5) = 30 degrees.
TOUCH_RAD = math.pi / 6


def test_the_tip_reaches_the_wall_at_thirty_degrees(pointer: fc.Robot, wall: fc.Scene) -> None:
    results = fc.Engine(pointer, wall, device="cpu").check([[0.0], [0.0], [2.0]], [[0.5], [1.0], [2.1]])
    assert results.verdict.tolist() == [fc.FREE, fc.CONTACT, fc.CONTACT]
    assert np.all(np.isnan(results.toc[0])) and results.clear_until[0] == 1.0
    lo, hi = results.toc[1]
    assert lo <= TOUCH_RAD <= hi and hi - lo <= 1e-9 and results.certified[1]
    assert results.clear_until[1] == lo
    # At 2 rad the tip is at y = 0.91, beyond the wall.
    assert results.initial_overlap.tolist() == [False, False, True] and results.toc[2, 0] == 0.0
    answer = results[1]
    assert (answer.a["link"], answer.b["object"]) == ("hand", "wall")
    assert results.links[results.link[1]] == "hand" and results.objects[results.object[1]] == "wall"
    np.testing.assert_allclose(results.point[1][:2], [math.cos(TOUCH_RAD), 0.5], atol=1e-8)
    np.testing.assert_allclose(np.abs(results.normal[1]), [0, 1, 0], atol=1e-8)


def test_a_margin_moves_the_contact_forward(pointer: fc.Robot, wall: fc.Scene) -> None:
    engine = fc.Engine(pointer, wall, device="cpu", margin=0.01)
    lo, hi = engine.check([0.0], [1.0]).toc[0]
    assert lo <= math.asin(0.49) <= hi + 1e-12


def test_one_motion_many_motions_and_edges_agree(engine: fc.Engine, motions: np.ndarray) -> None:
    together = engine.check(motions)
    assert {0, 1} <= set(together.verdict.tolist()), "both verdicts occur"
    assert engine.check(motions[:, 0], motions[:, 1]).to_jsonl() == together.to_jsonl()
    for i in range(0, len(motions), 17):
        one = engine.check(motions[i, 0], motions[i, 1])
        assert one.first == 0 and one.verdict[0] == together.verdict[i]
        np.testing.assert_array_equal(one.toc[0], together.toc[i])
    vertices = motions.reshape(-1, motions.shape[2])
    edges = np.arange(len(vertices)).reshape(-1, 2)
    assert engine.check_edges(vertices, edges).to_jsonl() == together.to_jsonl()


def test_streams_number_motions_over_all_arrays(engine: fc.Engine, motions: np.ndarray) -> None:
    arrays = (motions[i : i + 33] for i in range(0, len(motions), 33))
    streamed = list(engine.stream(arrays))
    assert [len(results) for results in streamed] == [33] * 6 + [2]
    assert "".join(results.to_jsonl() for results in streamed) == engine.check(motions).to_jsonl()
    pairs = engine.stream([(motions[:, 0], motions[:, 1])])
    assert next(pairs).to_jsonl() == engine.check(motions).to_jsonl()


def test_portions_are_one_batch(engine: fc.Engine, motions: np.ndarray) -> None:
    # More than a portion; the first motions are free and quick.
    free = motions[engine.check(motions).verdict == fc.FREE]
    many = np.concatenate((np.tile(free[:1], (4200, 1, 1)), motions))
    vertices = many.reshape(-1, many.shape[2])
    edges = np.arange(len(vertices)).reshape(-1, 2)
    assert engine.check_edges(vertices, edges).to_jsonl() == engine.check(many).to_jsonl()


def test_links_are_tested_on_request(arm: fc.Robot) -> None:
    with pytest.raises(fc.Error, match="nothing to collide with"):
        fc.Engine(arm, device="cpu")
    alone = fc.Engine(arm, self_collision=True, device="cpu")
    assert alone.tested_link_pairs == [("column", "forearm")]
    allowed = fc.Engine(arm, self_collision=True, allow=[("column", "forearm")], scene=_far(), device="cpu")
    assert allowed.tested_link_pairs == []


def _far() -> fc.Scene:
    scene = fc.Scene()
    scene.add_mesh("far", [[[9, 9, 9], [9, 9, 8], [9, 8, 9]]])
    return scene


def test_an_srdf_turns_self_collision_on(arm_files: Path, arm: fc.Robot) -> None:
    text = (arm_files / "arm.urdf").read_text()
    pair = '<disable_collisions link1="column" link2="upper_arm" reason="Adjacent"/>'
    group = '<group name="g"><joint name="shoulder"/></group>'
    state = '<group_state name="up" group="g"><joint name="shoulder" value="0.5"/></group_state>'
    robot = fc.Robot.from_xml(text, srdf=f'<robot name="arm">{pair}{group}{state}</robot>', folder=arm_files)
    assert robot.has_srdf and not arm.has_srdf
    pairs = fc.Engine(robot, device="cpu").tested_link_pairs
    assert ("column", "forearm") in pairs and ("column", "upper_arm") not in pairs
    assert fc.Engine(robot, _far(), self_collision=False, device="cpu").tested_link_pairs == []
    assert robot.state("up", missing=0.0).tolist() == [0.5, 0.0]
    with pytest.raises(fc.Error, match="elbow"):
        robot.state("up")
    with pytest.raises(fc.Error, match="no group_state"):
        robot.state("down")


def test_pairs_may_be_allowed_to_touch(pointer: fc.Robot, wall: fc.Scene) -> None:
    for pair in [("hand", "wall"), ("*", "wall"), ("hand", "*")]:
        assert fc.Engine(pointer, wall, allow=[pair], device="cpu").check([0.0], [1.0]).all_free


def test_an_attached_object_reaches_farther(pointer: fc.Robot, wall: fc.Scene) -> None:
    engine = fc.Engine(pointer, wall, device="cpu")
    stick = ([[0, 0, 0], [0.25, 0, 0], [0, 0, 0.1]], [[0, 1, 2]])
    carrying = engine.with_attached("stick", stick, "hand", pose=[1, 0, 0, 0, 0, 0])
    lo, hi = carrying.check([0.0], [1.0]).toc[0]
    assert lo <= math.asin(0.5 / 1.25) <= hi and hi - lo <= 1e-9
    assert carrying.links == ["hand", "stick"] and engine.links == ["hand"]
    with pytest.raises(fc.Error, match="no link"):
        engine.with_attached("stick", stick, "nose")
    with pytest.raises(fc.Error, match="this name"):
        engine.with_attached("hand", stick, "hand")


def test_another_scene_shares_the_robot(pointer: fc.Robot, wall: fc.Scene) -> None:
    engine = fc.Engine(pointer, wall, device="cpu")
    other = engine.with_scene(_far())
    assert other.check([0.0], [1.0]).all_free and not engine.check([0.0], [1.0]).all_free
    assert other.with_scene(wall).check([0.0], [1.0]).to_jsonl() == engine.check([0.0], [1.0]).to_jsonl()


def test_a_scene_that_grows_leaves_engines_as_they_are(pointer: fc.Robot, wall: fc.Scene) -> None:
    empty_handed = fc.Engine(pointer, _far(), device="cpu")
    scene = empty_handed.scene
    scene.add_mesh("wall", wall.triangles(0))
    assert empty_handed.check([0.0], [1.0]).all_free
    assert not fc.Engine(pointer, scene, device="cpu").check([0.0], [1.0]).all_free


def test_a_verdict_alone_has_no_features(pointer: fc.Robot, wall: fc.Scene) -> None:
    results = fc.Engine(pointer, wall, mode="verdict", device="cpu").check([0.0], [1.0])
    assert results.verdict[0] == fc.CONTACT and results.proved[0]


def test_a_cap_leaves_motions_undecided(engine: fc.Engine, arm: fc.Robot, table: fc.Scene, motions: np.ndarray) -> None:
    capped = fc.Engine(arm, table, evaluation_cap=0, tolerance=1e-15, device="cpu").check(motions)
    full = engine.check(motions)
    undecided = capped.verdict == fc.UNDECIDED
    assert not np.any((capped.verdict == fc.FREE) & (full.verdict == fc.CONTACT)), "never free by mistake"
    if undecided.any():
        i = int(np.flatnonzero(undecided)[0])
        assert capped.reasons[capped.reason[i]] == "evaluation-cap"
        assert "undecided, clear until" in repr(capped[i])


def test_poses_of_links(pointer: fc.Robot, wall: fc.Scene) -> None:
    pose = fc.Engine(pointer, wall, device="cpu").link_poses([0.5])["hand"]
    expected = [[math.cos(0.5), -math.sin(0.5), 0, 0], [math.sin(0.5), math.cos(0.5), 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    np.testing.assert_allclose(pose, expected, atol=1e-14)


# The values of FE_DOWNWARD, FE_UPWARD and FE_TOWARDZERO for `fesetround`.
ROUNDING = {"x86_64": (0x400, 0x800, 0xC00), "aarch64": (0x800000, 0x400000, 0xC00000)}


@pytest.mark.parametrize("direction", range(3))
def test_answers_do_not_depend_on_the_rounding_of_the_caller(
    direction: int, arm: fc.Robot, table: fc.Scene, motions: np.ndarray
) -> None:
    library = ctypes.util.find_library("m")
    if library is None or platform.machine() not in ROUNDING:
        pytest.skip("no fesetround")
    libm = ctypes.CDLL(library)
    other = ROUNDING[platform.machine()][direction]

    def answers() -> tuple[str, np.ndarray]:
        engine = fc.Engine(arm, table, device="cpu", threads=1, margin=1e-3)
        return engine.check(motions).to_jsonl(), engine.clearances(motions[:20]).distance

    expected = answers()
    assert libm.fesetround(other) == 0
    try:
        found, kept = answers(), libm.fegetround()
    finally:
        libm.fesetround(0)
    assert kept == other and found[0] == expected[0]
    np.testing.assert_array_equal(found[1], expected[1])


def test_an_empty_batch(engine: fc.Engine) -> None:
    for results in [engine.check(np.zeros((0, 2, 2))), engine.check_edges(np.zeros((3, 2)), np.zeros((0, 2), int))]:
        assert len(results) == 0 and results.to_jsonl() == "" and results.toc.shape == (0, 2) and results.all_free


@pytest.mark.parametrize("device", ["gpu", "all", "llvmpipe", ["llvmpipe"]])
def test_adapters_agree_with_the_cpu(
    device: str | list[str], engine: fc.Engine, arm: fc.Robot, table: fc.Scene, motions: np.ndarray
) -> None:
    names = [adapter.name for adapter in fc.adapters()]
    if not names or (device not in ("gpu", "all") and not any("llvmpipe" in name for name in names)):
        pytest.skip("no graphics adapter" if device in ("gpu", "all") else "no software adapter")
    on_adapter = fc.Engine(arm, table, device=device)
    assert set(on_adapter.device.split(" + ")) <= set(names)
    some = motions[:40]
    one, other = on_adapter.check(some), engine.check(some)
    assert one.verdict.tolist() == other.verdict.tolist() and one.proved.tolist() == other.proved.tolist()


def test_an_unknown_adapter_is_an_error(arm: fc.Robot, table: fc.Scene) -> None:
    with pytest.raises(fc.Error) as caught:
        fc.Engine(arm, table, device="no such adapter")
    assert caught.value.kind == "gpu"
