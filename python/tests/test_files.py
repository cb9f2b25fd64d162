"""Robots and scenes from files and texts, and errors about them."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import firstcontact as fc
from firstcontact._errors import from_native


def test_the_arm(arm: fc.Robot, arm_files: Path) -> None:
    assert (arm.name, arm.joints, arm.kinds, arm.n_columns) == ("arm", ["shoulder", "elbow"], ["angle", "angle"], 2)
    assert arm.links == ["column", "upper_arm", "forearm"] and arm.limits.shape == (2, 2)
    text = fc.Robot.from_xml((arm_files / "arm.urdf").read_text(), folder=arm_files)
    assert repr(text) == repr(arm) == "<Robot 'arm': 2 columns, 3 links, 36 triangles>"


def test_a_base_moves_the_robot(arm_files: Path, table: fc.Scene) -> None:
    moved = fc.Robot.from_urdf(arm_files / "arm.urdf", base=[1, 2, 3, 0, 0, 0])
    pose = fc.Engine(moved, table, device="cpu").link_poses([0.0, 0.0])["column"]
    np.testing.assert_allclose(pose[:3, 3], [1, 2, 3], atol=1e-15)
    with pytest.raises(ValueError, match="6 of x y z"):
        fc.Robot.from_urdf(arm_files / "arm.urdf", base=[1, 2, 3])


def test_a_floating_root_has_seven_columns(arm_files: Path) -> None:
    robot = fc.Robot.from_urdf(arm_files / "arm.urdf", floating_root=True)
    assert robot.n_columns == 9 and robot.kinds[:7] == ["free"] * 7


def test_packages_are_found(tmp_path: Path) -> None:
    (tmp_path / "elsewhere" / "meshes").mkdir(parents=True)
    (tmp_path / "elsewhere" / "meshes" / "m.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    mesh = '<collision><geometry><mesh filename="package://kit/meshes/m.obj"/></geometry></collision>'
    text = f'<robot name="r"><link name="a">{mesh}</link></robot>'
    with pytest.raises(fc.Error, match="m.obj"):
        fc.Robot.from_xml(text, folder=tmp_path)
    for package_path in (tmp_path / "elsewhere", [tmp_path / "elsewhere"], str(tmp_path / "elsewhere")):
        assert fc.Robot.from_xml(text, folder=tmp_path, package_path=package_path).n_triangles == 1


def test_columns_of_other_programs_are_reordered(arm: fc.Robot) -> None:
    theirs = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    np.testing.assert_array_equal(arm.reorder(theirs, ["elbow", "wheel", "shoulder"]), [[3, 1], [6, 4]])
    np.testing.assert_array_equal(arm.reorder(theirs[0], ["elbow", "wheel", "shoulder"]), [3, 1])
    with pytest.raises(fc.Error, match="missing: shoulder"):
        arm.reorder(theirs, ["elbow", "wheel", "hand"])
    with pytest.raises(fc.Error, match="given twice: elbow"):
        arm.reorder(theirs, ["elbow", "elbow", "shoulder"])
    with pytest.raises(ValueError, match="for as many names"):
        arm.reorder(theirs, ["elbow", "shoulder"])


def test_configurations_by_name(arm: fc.Robot) -> None:
    assert arm.configuration({"elbow": 2.0, "shoulder": 1.0}).tolist() == [1.0, 2.0]
    assert arm.configuration({"elbow": 2.0}, missing=0.0).tolist() == [0.0, 2.0]
    with pytest.raises(fc.Error, match="missing: shoulder"):
        arm.configuration({"elbow": 2.0})
    with pytest.raises(fc.Error, match="unknown or given twice: nose"):
        arm.configuration({"nose": 2.0}, missing=0.0)


def test_remedies_name_arguments() -> None:
    ball = '<link name="a"><collision><geometry><sphere radius="1"/></geometry></collision></link>'
    with pytest.raises(fc.Error) as caught:
        fc.Robot.from_xml(f'<robot name="r">{ball}</robot>', chord_error=1e-13)
    assert caught.value.remedy == "raise chord_error=" and str(caught.value).endswith("(raise chord_error=)")
    mesh = ball.replace('<sphere radius="1"/>', '<mesh filename="package://p/m.stl"/>')
    with pytest.raises(fc.Error) as caught:
        fc.Robot.from_xml(f'<robot name="r">{mesh}</robot>')
    assert "package_path=DIR adds a folder to search" in (caught.value.remedy or "")
    for advice, remedy in [
        ("use --backend cpu", 'use device="cpu"'),
        ("allow more with --memory", "allow more with memory="),
        ("give a smaller --memory, or use --backend cpu", 'give a smaller memory=, or use device="cpu"'),
        ("give an SRDF file; --robot reads URDF", "give an SRDF file; Robot.from_urdf reads URDF"),
    ]:
        error = from_native(f"f.bin: --memory is a name ({advice})", "memory", "f.bin", None, advice)
        assert (error.remedy, str(error)) == (remedy, f"f.bin: --memory is a name ({remedy})")


def test_errors_name_file_place_and_remedy(tmp_path: Path) -> None:
    path = tmp_path / "broken.urdf"
    path.write_text('<robot name="r">\n<link name="a"/>\n<link name="a"/>\n</robot>')
    with pytest.raises(fc.Error) as caught:
        fc.Robot.from_urdf(path)
    error = caught.value
    assert error.file == str(path) and error.kind == "input" and str(error).startswith(str(path))
    again = pickle.loads(pickle.dumps(error))
    parts = (str(error), error.kind, error.file, error.place, error.remedy)
    assert (str(again), again.kind, again.file, again.place, again.remedy) == parts
    with pytest.raises(fc.Error, match="cannot be read"):
        fc.Robot.from_urdf(tmp_path / "missing.urdf")
    with pytest.raises(fc.Error, match="not a scene"):
        fc.Scene.from_file(tmp_path / "scene.docx")


@pytest.mark.parametrize("option", ["mode", "initial", "solids"])
def test_choices(arm: fc.Robot, table: fc.Scene, option: str) -> None:
    with pytest.raises(fc.Error, match=f'{option} is ".* not "nonsense"'):
        fc.Engine(arm, table, device="cpu", **{option: "nonsense"})


@pytest.mark.parametrize(
    "options", [{"margin": -1.0}, {"tolerance": 0.0}, {"margin": float("nan")}, {"threads": 10**6}]
)
def test_options_out_of_range(arm: fc.Robot, table: fc.Scene, options: dict[str, float]) -> None:
    with pytest.raises(fc.Error):
        fc.Engine(arm, table, device="cpu", **options)


def test_geometry_is_a_choice(arm_files: Path) -> None:
    with pytest.raises(fc.Error, match="geometry"):
        fc.Robot.from_urdf(arm_files / "arm.urdf", geometry="nonsense")


def test_a_tree_cache_is_written(arm: fc.Robot, table: fc.Scene, tmp_path: Path) -> None:
    first = fc.Engine(arm, table, device="cpu", tree_cache=tmp_path / "table.fctree")
    assert (tmp_path / "table.fctree").exists() and first.warnings == []
    assert fc.Engine(arm, table, device="cpu", tree_cache=tmp_path / "table.fctree").warnings == []


def test_scenes_are_described(table: fc.Scene) -> None:
    assert repr(table) == "<Scene: 1 object, 12 triangles>" and table.is_closed(0)
    assert repr(fc.Scene()) == "<Scene: 0 objects, 0 triangles>"
