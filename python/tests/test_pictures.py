"""Pictures and the viewer."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path

import numpy as np
import pytest

import firstcontact as fc


@pytest.fixture(scope="module")
def touching(engine: fc.Engine, motions: np.ndarray) -> np.ndarray:
    """A motion that touches the table."""
    return np.asarray(motions[int(np.argmax(engine.check(motions).verdict == fc.CONTACT))])


@pytest.fixture(scope="module")
def adapter() -> fc.Adapter:
    """A graphics adapter; drawing needs one, even of software."""
    found = fc.adapters()
    if not found or os.environ.get("FIRSTCONTACT_GPU") == "skip":
        pytest.skip("there is no graphics adapter")
    return found[-1]


def glb(path: Path) -> dict:
    """The document of a GLB file."""
    content = path.read_bytes()
    magic, version, length, size, kind = struct.unpack_from("<4sIII4s", content)
    assert (magic, version, length, kind) == (b"glTF", 2, len(content), b"JSON")
    return dict(json.loads(content[20 : 20 + size]))


def test_pictures(engine: fc.Engine, touching: np.ndarray, adapter: fc.Adapter, tmp_path: Path) -> None:
    answer = fc.render(engine, touching, tmp_path / "a.png", size=(320, 240), exposures=1, adapter=adapter.name)
    assert answer.verdict == "contact" and answer.toc == engine.check(touching[0], touching[1])[0].toc
    content = (tmp_path / "a.png").read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", content[16:24]) == (320, 240)
    assert len(set(content)) > 200, "it shows something"
    spline = fc.Trajectory.from_jtc([0.0, 1.0], touching, np.zeros_like(touching))
    fc.render(engine, spline, tmp_path / "a.jpg", size=(320, 240), exposures=1, view=(30.0, 20.0))
    assert (tmp_path / "a.jpg").read_bytes()[:2] == b"\xff\xd8"
    with pytest.raises(fc.Error, match="no adapter is called"):
        fc.render(engine, touching, tmp_path / "b.png", adapter="pci:9999:00:00.0")
    assert not (tmp_path / "b.png").exists()


def test_a_motion_as_glb_needs_no_adapter(engine: fc.Engine, touching: np.ndarray, tmp_path: Path) -> None:
    fc.render(engine.with_options(mode="verdict"), touching, tmp_path / "a.glb")
    document = glb(tmp_path / "a.glb")
    names = {node.get("name") for node in document["nodes"]}
    assert "upper_arm" in names and len(document["animations"]) == 1
    told = json.dumps(document["animations"][0]["extras"])
    assert str(engine.check(touching[0], touching[1]).toc[0, 0]) in told, "the first contact, though mode is verdict"


def test_attached_objects_and_arrays_are_drawn(engine: fc.Engine, touching: np.ndarray, tmp_path: Path) -> None:
    scene = fc.Scene()
    scene.add_mesh("plate", [[[0, 0, 0], [1, 0, 0], [0, 1, 0]]], pose=[0, 0, 3, 0, 0, 0])
    box = [[[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0]]]
    carrying = engine.with_scene(scene).with_attached("box", box, "forearm", pose=[0, 0, 0.9, 0, 0, 0])
    assert fc.render(carrying, touching, tmp_path / "a.glb").is_free
    assert {"box", "plate"} <= {node.get("name") for node in glb(tmp_path / "a.glb")["nodes"]}


def test_the_viewer(engine: fc.Engine, motions: np.ndarray, tmp_path: Path) -> None:
    view = fc.show(engine, motions[:5], title="Five <motions>")
    page = view.html
    assert page.startswith("<!DOCTYPE html>") and "<h1>Five &lt;motions&gt;</h1>" in page
    assert "default-src 'none'" in page, "nothing is loaded from elsewhere"
    for answer in engine.check(motions[:5]):
        assert f"motion {answer.motion}: {answer.verdict}" in page
    assert view.results.verdict.tolist() == engine.check(motions[:5]).verdict.tolist()
    frame = view._repr_html_()
    assert frame.startswith("<iframe") and "<h1>" not in frame, "the page is quoted"
    view.save(tmp_path / "view.html")
    assert (tmp_path / "view.html").read_text(encoding="utf-8") == page and "View of 5" in repr(view)
    path = fc.Trajectory.from_waypoints([[0.0, 0.0], [0.1, 0.2], [-0.3, 0.1]])
    assert len(fc.show(engine, [path, path]).results) == 2 and len(fc.show(engine, path).results) == 1


def test_the_viewer_in_a_notebook(engine: fc.Engine, touching: np.ndarray) -> None:
    formatters = pytest.importorskip("IPython.core.formatters", reason="IPython is not installed")
    text = formatters.HTMLFormatter()(fc.show(engine, touching))
    assert text is not None and text.startswith("<iframe")


def test_wrong_requests(engine: fc.Engine, touching: np.ndarray, tmp_path: Path) -> None:
    with pytest.raises(fc.Error, match="does not end in"):
        fc.render(engine, touching, tmp_path / "a.bmp")
    with pytest.raises(ValueError, match="a picture shows one"):
        fc.render(engine, [touching, touching], tmp_path / "a.glb")
    with pytest.raises(ValueError, match="no motion"):
        fc.show(engine, [])
    with pytest.raises(ValueError, match="motions have the shape"):
        fc.show(engine, np.zeros((2, 3)))
    (tmp_path / "file").touch()
    with pytest.raises(fc.Error) as caught:
        fc.render(engine, touching, tmp_path / "file" / "a.glb")
    assert caught.value.file is not None
