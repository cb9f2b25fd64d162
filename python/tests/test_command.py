"""The bytes of the command line."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import firstcontact as fc


def lines(program: Path, folder: Path, **options: object) -> str:
    """The answers of ``firstcontact check`` with these options."""
    out = folder / "out.jsonl"
    listed = [text for name, value in options.items() for text in (f"--{name.replace('_', '-')}", str(value))]
    command = [program, "check", "--backend", "cpu", "--out", out, *listed]
    run = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    assert run.returncode in (0, 1, 2), run.stderr
    return out.read_text()


def test_the_arm(
    program: Path, tmp_path: Path, arm_files: Path, arm: fc.Robot, table: fc.Scene, motions: np.ndarray
) -> None:
    np.save(tmp_path / "motions.npy", motions)
    files = {"robot": arm_files / "arm.urdf", "scene": arm_files / "table.obj", "motions": tmp_path / "motions.npy"}
    choices: list[tuple[dict[str, object], dict[str, object]]] = [
        ({}, {}),
        ({"margin": 0.01}, {"margin": 0.01}),
        ({"mode": "verdict"}, {"mode": "verdict"}),
        ({"self_collision": "on"}, {"self_collision": True}),
        ({"initial": "ignore", "solids": "contact"}, {"initial": "ignore", "solids": "contact"}),
        ({"tolerance": 1e-4, "threads": 1}, {"tolerance": 1e-4, "threads": 1}),
    ]
    for of_command, of_engine in choices:
        engine = fc.Engine(arm, table, device="cpu", **of_engine)
        assert engine.check(motions).to_jsonl() == lines(program, tmp_path, **files, **of_command), of_command


def test_trajectories(program: Path, tmp_path: Path, arm_files: Path, engine: fc.Engine) -> None:
    random = np.random.default_rng(3)
    positions = random.uniform(-1, 1, (12, 4, 2))
    velocities = random.uniform(-1, 1, (12, 4, 2))
    times = np.cumsum(random.uniform(0.1, 1.0, (12, 4)), axis=1)
    np.savez(tmp_path / "paths.npz", positions=positions, velocities=velocities, times=times)
    np.save(tmp_path / "paths.npy", positions)
    files = {"robot": arm_files / "arm.urdf", "scene": arm_files / "table.obj"}
    splines = [fc.Trajectory.from_jtc(t, q, v) for t, q, v in zip(times, positions, velocities)]
    straight = [fc.Trajectory.from_waypoints(q) for q in positions]
    for name, paths in (("paths.npz", splines), ("paths.npy", straight)):
        expected = lines(program, tmp_path, **files, motions=tmp_path / name)
        assert "segment" in expected and engine.check_trajectories(paths).to_jsonl() == expected


@pytest.mark.parametrize("scene", ["pipes", "amr"])
def test_the_pool(program: Path, data: Path, tmp_path: Path, scene: str) -> None:
    """300 motions of known truth: the same bytes, and no contact of the truth is free."""
    pool = data / "puma-pool"
    if not pool.exists():
        pytest.skip("FIRSTCONTACT_DATA has no puma-pool")
    chosen = [int(line) for line in (pool / f"{scene}.sample300.txt").read_text().split()]
    motions = np.load(pool / f"{scene}.npy")[chosen]
    np.save(tmp_path / "motions.npy", motions)
    files = {"robot": pool / "robot.urdf", "scene": pool / f"{scene}.obj", "motions": tmp_path / "motions.npy"}
    results = fc.Engine(pool / "robot.urdf", pool / f"{scene}.obj", device="cpu").check(motions)
    assert results.to_jsonl() == lines(program, tmp_path, **files)
    truth = [
        line for i, line in enumerate((pool / f"{scene}.truth.jsonl").read_text().splitlines()) if i in set(chosen)
    ]
    touches = np.array(['"class": "contact"' in line for line in truth])
    assert touches.any() and not (results.verdict[touches] == fc.FREE).any()
