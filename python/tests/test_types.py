"""Types: stubs and the native half agree, and examples are well typed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

CONFIGURATION = ROOT / "python" / "pyproject.toml"


@pytest.fixture(autouse=True)
def mypy() -> None:
    pytest.importorskip("mypy", reason="mypy is not installed")


def run(folder: Path, *command: object) -> None:
    arguments = [sys.executable, "-m", *map(str, command)]
    done = subprocess.run(arguments, capture_output=True, text=True, cwd=folder, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_examples_are_well_typed(tmp_path: Path) -> None:
    python = ROOT / "python"
    options = ("--config-file", CONFIGURATION, "--cache-dir", tmp_path)
    run(tmp_path, "mypy", *options, *sorted((python / "examples").glob("*.py")))
    run(tmp_path, "mypy", *options, *sorted((ROOT / "benches" / "python").glob("*.py")))
    run(tmp_path, "mypy", *options, *sorted((ROOT / "examples" / "cluster").glob("*.py")))


def test_stubs_agree_with_the_package(tmp_path: Path) -> None:
    # The bindings of OMPL have a metaclass of their own; where they are missing, the module cannot be imported.
    listed = tmp_path / "allowed.txt"
    listed.write_text(r"firstcontact\.ompl(\..*)?" + "\n")
    options = ("--mypy-config-file", CONFIGURATION, "--allowlist", listed, "--ignore-unused-allowlist")
    run(tmp_path, "mypy.stubtest", "firstcontact", *options)
