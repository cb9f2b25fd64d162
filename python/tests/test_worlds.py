"""Several robots as one, and the files that list them."""

from __future__ import annotations

import json
import pickle
import subprocess
from pathlib import Path

import numpy as np
import pytest

import firstcontact as fc

SRDF = """<robot name="arm"><group name="all"><chain base_link="column" tip_link="forearm"/></group>
  <disable_collisions link1="column" link2="upper_arm" reason="Adjacent"/>
  <disable_collisions link1="upper_arm" link2="forearm" reason="Adjacent"/>
  <group_state name="bent" group="all">
    <joint name="shoulder" value="0.3"/><joint name="elbow" value="-0.5"/></group_state>
</robot>"""


@pytest.fixture()
def pair(arm_files: Path, tmp_path: Path) -> fc.Robot:
    """Two arms face to face, the left one with an SRDF."""
    (tmp_path / "arm.srdf").write_text(SRDF)
    left = fc.Robot.from_urdf(arm_files / "arm.urdf", srdf=tmp_path / "arm.srdf")
    right = fc.Robot.from_urdf(arm_files / "arm.urdf", base=[1.2, 0, 0, 0, 0, np.pi])
    return fc.Robot.join({"left": left, "right": right})


def test_names_and_states(pair: fc.Robot) -> None:
    assert pair.joints == ["left/shoulder", "left/elbow", "right/shoulder", "right/elbow"]
    assert pair.name == "left+right" and pair.has_srdf and pair.links[0].startswith("left/")
    assert pair.state("left/bent", missing=0.0).tolist() == [0.3, -0.5, 0.0, 0.0]
    with pytest.raises(fc.Error):
        pair.state("bent", missing=0.0)
    with pytest.raises(fc.Error, match="joints missing: right/shoulder"):
        pair.state("left/bent")


def test_arms_that_meet(pair: fc.Robot) -> None:
    engine = fc.Engine(pair, device="cpu")
    pairs = engine.tested_link_pairs
    between = [(a, b) for a, b in pairs if a.split("/")[0] != b.split("/")[0]]
    assert between and len(between) < len(pairs), "the SRDF asks for pairs of the left arm, too"
    assert all(a.startswith("left/") and b.startswith("left/") for a, b in set(pairs) - set(between))
    without = fc.Engine(pair, device="cpu", self_collision=False)
    assert without.tested_link_pairs == between, "different robots are always tested"
    towards = np.array([[-1.5, 0.0, -1.5, 0.0], [0.0] * 4])
    results = engine.check(towards[0], towards[1])
    assert results.verdict[0] == fc.CONTACT
    links = {results.links[results.link[0]].split("/")[0], results.links[results.link_b[0]].split("/")[0]}
    assert links == {"left", "right"}
    assert engine.clearance([towards[0], towards[0]]).distance[0] > 0.5
    again = pickle.loads(pickle.dumps(engine))
    assert again.tested_link_pairs == pairs and again.check(*towards).to_jsonl() == results.to_jsonl()


def test_invalid_sets_of_robots_are_refused(pair: fc.Robot, arm: fc.Robot) -> None:
    for robots in ({}, {"": arm}, {"a/b": arm}, {"pair": pair, "third": arm}):
        with pytest.raises(fc.Error):
            fc.Robot.join(robots)


@pytest.fixture()
def world(arm_files: Path, tmp_path: Path) -> Path:
    """A file of two arms at a table."""
    (tmp_path / "arm.srdf").write_text(SRDF)
    urdf = str(arm_files / "arm.urdf")
    robots = [
        {"name": "left", "urdf": urdf, "srdf": "arm.srdf"},
        {"name": "right", "urdf": urdf, "base": [1.2, 0, 0, 0, 0, 3.1]},
    ]
    content = {"robots": robots, "scene": str(arm_files / "table.obj"), "allow": [["left/column", "*"]]}
    (tmp_path / "world.json").write_text(json.dumps(content))
    return tmp_path / "world.json"


def test_worlds_from_files(world: Path, program: Path, tmp_path: Path) -> None:
    engine = fc.Engine.from_world(world, device="cpu")
    motions = np.random.default_rng(5).uniform(-1.5, 1.5, (60, 2, 4))
    np.save(tmp_path / "motions.npy", motions)
    out = tmp_path / "out.jsonl"
    files = ["--world", world, "--motions", tmp_path / "motions.npy", "--out", out]
    done = subprocess.run([program, "check", "--backend", "cpu", *files], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert engine.check(motions).to_jsonl() == out.read_text()


def test_wrong_worlds(world: Path) -> None:
    good = json.loads(world.read_text())
    for wrong, message in [
        ("{", "JSON"),
        ("[]", "not a JSON object"),
        ("{}", "lists no robot"),
        (json.dumps({**good, "robot": 1}), "unknown field 'robot'"),
        (json.dumps({**good, "robots": [{"name": "left"}]}), "has no name or no urdf"),
        (json.dumps({**good, "robots": good["robots"][:1] * 2}), "two robots are called 'left'"),
        (json.dumps({**good, "allow": [["left/column"]]}), "allow"),
        (json.dumps({**good, "scene": 3}), "scene"),
        (json.dumps({**good, "robots": [{**good["robots"][0], "srdf": 3}]}), "srdf"),
    ]:
        world.write_text(wrong)
        with pytest.raises(fc.Error, match=message) as caught:
            fc.Engine.from_world(world)
        assert caught.value.file == str(world)
    with pytest.raises(fc.Error, match="No such file"):
        fc.Engine.from_world(world.parent / "missing.json")
