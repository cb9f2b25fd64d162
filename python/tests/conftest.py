"""Fixtures, and the count of skipped tests. The package must be installed: the source tree is never imported."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import firstcontact as fc

ROOT = Path(__file__).resolve().parents[2]
# The file to which skipped tests are appended, a line REASON<tab>TEST each; `.ci/test` counts them.
SKIPPED = os.environ.get("FIRSTCONTACT_SKIPPED")

assert fc.__file__ is not None
assert ROOT / "python" not in Path(fc.__file__).resolve().parents, "the source tree is imported, not the wheel"


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    record(report)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    record(report)


def record(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Counts a skipped test, or a module of them."""
    if report.skipped and SKIPPED and isinstance(report.longrepr, tuple):
        reason = report.longrepr[2].removeprefix("Skipped: ")
        with open(SKIPPED, "a", encoding="utf-8") as skipped:
            skipped.write(f"{reason}\tpython::{report.nodeid}\n")


def is_full() -> bool:
    """True if tests run their many random cases."""
    return os.environ.get("FIRSTCONTACT_EFFORT") == "full"


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder with public data sets."""
    folder = os.environ.get("FIRSTCONTACT_DATA")
    if not folder:
        pytest.skip("FIRSTCONTACT_DATA is not set")
    return Path(folder)


@pytest.fixture(scope="session")
def program() -> Path:
    """The command."""
    path = Path(os.environ.get("FIRSTCONTACT_PROGRAM", ROOT / "target" / "release" / "firstcontact"))
    if not path.exists():
        pytest.skip("the program is not built")
    return path


@pytest.fixture(scope="session")
def arm_files() -> Path:
    """The folder of the example: arm.urdf, of two joints, and table.obj."""
    return ROOT / "examples" / "arm"


@pytest.fixture(scope="session")
def arm(arm_files: Path) -> fc.Robot:
    return fc.Robot.from_urdf(arm_files / "arm.urdf")


@pytest.fixture(scope="session")
def table(arm_files: Path) -> fc.Scene:
    return fc.Scene.from_file(arm_files / "table.obj")


@pytest.fixture(scope="session")
def engine(arm: fc.Robot, table: fc.Scene) -> fc.Engine:
    return fc.Engine(arm, table, device="cpu")


@pytest.fixture(scope="session")
def motions(arm: fc.Robot) -> np.ndarray:
    """Motions of the example, shape (200, 2, 2), some of which touch the table."""
    return np.random.default_rng(7).uniform(-1.0, 1.0, (200, 2, arm.n_columns))


POINTER = """<robot name="pointer">
  <link name="base"/>
  <link name="hand"><collision><geometry><mesh filename="pointer.obj"/></geometry></collision></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="hand"/><axis xyz="0 0 1"/></joint>
</robot>"""


@pytest.fixture(scope="session")
def pointer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[fc.Robot]:
    """A triangle of one metre along x that turns about z: what it touches, and when, follows from a sine."""
    folder = tmp_path_factory.mktemp("pointer")
    (folder / "pointer.obj").write_text("v 0 0 0\nv 1 0 0\nv 1 0 0.1\nf 1 2 3\n")
    yield fc.Robot.from_xml(POINTER, folder=folder)


@pytest.fixture()
def wall() -> fc.Scene:
    """A wall at y = 0.5, which the tip of the pointer reaches at asin(0.5)."""
    scene = fc.Scene()
    scene.add_mesh("wall", [[-10.0, 0.5, -10.0], [10.0, 0.5, -10.0], [0.0, 0.5, 20.0]], [[0, 1, 2]])
    return scene
