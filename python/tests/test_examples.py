"""The examples run from the installed package."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

EXAMPLES = {"first_check": [], "roadmap_ompl": ["ompl"], "audit_toppra": ["toppra", "scipy"]}


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name: str, tmp_path: Path) -> None:
    for package in EXAMPLES[name]:
        pytest.importorskip(package, reason=f"{package} is not installed")
    # Bindings of other packages report at exit what they leave behind.
    run = subprocess.run(
        [sys.executable, ROOT / "python" / "examples" / f"{name}.py"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "Agg"},
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.strip()


def test_every_example_is_run() -> None:
    assert {path.stem for path in (ROOT / "python" / "examples").glob("*.py")} == set(EXAMPLES)
