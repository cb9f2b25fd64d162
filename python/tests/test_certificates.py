"""Certificates, made and verified through the package and through the command."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import firstcontact as fc


def test_every_answer_has_a_valid_certificate(engine: fc.Engine, motions: np.ndarray, tmp_path: Path) -> None:
    results = engine.certify(motions, tmp_path / "proofs.fccert")
    assert results.to_jsonl() == engine.check(motions).to_jsonl()
    found = engine.verify(tmp_path / "proofs.fccert", motions)
    assert found.is_valid and found.refusal is None and found.without == [] and found.steps >= len(motions)
    free = int((results.verdict == fc.FREE).sum())
    assert found.free == free and 0 < free < len(motions)
    assert found.contact + found.possible == len(motions) - free and found.contact > 0 and found.undecided == 0


def test_the_bytes_are_those_of_the_command(
    program: Path, arm_files: Path, engine: fc.Engine, motions: np.ndarray, tmp_path: Path
) -> None:
    np.save(tmp_path / "motions.npy", motions)
    files = ["--robot", arm_files / "arm.urdf", "--scene", arm_files / "table.obj", "--motions", "motions.npy"]
    check = [program, "check", *files, "--out", "r.jsonl", "--backend", "cpu", "--certificates", "command.fccert"]
    assert subprocess.run(check, cwd=tmp_path, capture_output=True, check=False).returncode == 1
    engine.certify(motions, tmp_path / "package.fccert")
    assert (tmp_path / "package.fccert").read_bytes() == (tmp_path / "command.fccert").read_bytes()
    verify = [program, "verify", "package.fccert", *files]
    assert subprocess.run(verify, cwd=tmp_path, capture_output=True, check=False).returncode == 0
    assert engine.verify(tmp_path / "command.fccert", motions).is_valid


def test_another_statement_is_refused(engine: fc.Engine, motions: np.ndarray, tmp_path: Path, wall: fc.Scene) -> None:
    file = tmp_path / "proofs.fccert"
    engine.certify(motions, file)
    other_motions = motions.copy()
    other_motions[3, 1, 0] += 1e-9
    refusals = [
        engine.with_options(margin=0.001).verify(file, motions),
        engine.with_scene(wall).verify(file, motions),
        engine.verify(file, other_motions),
        engine.verify(file, motions[:-1]),
        engine.verify(file, motions, joint_tolerance=1e-6),
    ]
    assert all(found.refusal and not found.is_valid for found in refusals)
    assert "motion 3" in str(refusals[2].refusal)
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    assert engine.verify(file, motions).refusal


def test_margins_attached_objects_trajectories_and_tolerances(
    engine: fc.Engine, table: fc.Scene, motions: np.ndarray, tmp_path: Path
) -> None:
    file, few = tmp_path / "proofs.fccert", motions[:20]
    carrying = engine.with_options(margin=0.01).with_attached(
        "box", table.triangles(0) * 0.1, "forearm", touch_links=["upper_arm"]
    )
    carrying.certify(few, file)
    assert carrying.verify(file, few).is_valid and engine.verify(file, few).refusal
    strict = fc.Engine(engine.robot, table, self_collision=True, allow=[("column", "table")], device="cpu")
    strict.certify(few, file)
    assert strict.verify(file, few).is_valid and not engine.verify(file, few).is_valid
    paths = [fc.Trajectory.from_jtc([0.0, 1.0], ends, velocities=np.zeros((2, 2))) for ends in few]
    engine.certify(paths, file, joint_tolerance=0.001)
    assert engine.verify(file, paths, joint_tolerance=0.001).is_valid
    assert engine.verify(file, paths).refusal, "the certificates are for a tolerance"


def test_errors(engine: fc.Engine, motions: np.ndarray, tmp_path: Path) -> None:
    with pytest.raises(fc.Error, match="initial") as caught:
        engine.with_options(initial="ignore").certify(motions, tmp_path / "proofs.fccert")
    assert "allow" in (caught.value.remedy or "") and not (tmp_path / "proofs.fccert").exists()
    with pytest.raises(fc.Error) as caught:
        engine.verify(tmp_path / "missing.fccert", motions)
    assert caught.value.file == str(tmp_path / "missing.fccert")
    with pytest.raises(ValueError, match="motions have the shape"):
        engine.certify(motions[:, :, :1], tmp_path / "proofs.fccert")
