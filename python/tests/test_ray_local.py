"""Runs over shards in one process, without Ray: inputs, resuming, damage, manifests."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firstcontact as fc

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")

N = 10_000
CUT = {"shard_rows": 4096, "actors": 0}


def make(random: np.random.Generator, n: int) -> np.ndarray:
    """Motions of the example's arm."""
    return random.uniform(-1.0, 1.0, (n, 2, 2))


@pytest.fixture(scope="module")
def generated() -> np.ndarray:
    """The motions of `Generated(make, N, seed=5)`, block by block as documented."""
    blocks = [make(np.random.default_rng([5, block]), min(4096, N - 4096 * block)) for block in range(3)]
    return np.concatenate(blocks)


@pytest.fixture()
def check(arm: fc.Robot, table: fc.Scene, tmp_path: Path) -> Callable[..., fc.ray.Run]:
    def checked(inputs: Any, out: str = "out", **options: Any) -> fc.ray.Run:
        return fc.ray.check_dataset(inputs, arm, table, tmp_path / out, **{**CUT, **options})

    return checked


def contents(run: fc.ray.Run) -> list[bytes]:
    return [path.read_bytes() for path in run.shards]


def test_lines_are_those_of_the_engine(check: Any, engine: fc.Engine, generated: np.ndarray) -> None:
    run = check(fc.ray.Generated(make, N, seed=5), form="jsonl")
    whole = engine.check(generated)
    assert b"".join(contents(run)).decode() == whole.to_jsonl()
    assert (run.motions, run.free, run.contact) == (N, whole.stats["free"], whole.stats["contact"])
    assert [len(content.splitlines()) for content in contents(run)] == [4096, 4096, N - 8192]


def test_the_root_is_that_of_the_command(
    check: Any, program: Path, arm_files: Path, generated: np.ndarray, tmp_path: Path
) -> None:
    """SHA-256 over prefixes as in RFC 6962, computed here, by the command, and by runs of every form."""
    np.save(tmp_path / "motions.npy", generated)
    files = ["--robot", arm_files / "arm.urdf", "--scene", arm_files / "table.obj", "--motions", "motions.npy"]
    command = [program, "check", *files, "--out", "r.jsonl", "--stats", "stats.json", "--backend", "cpu"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    root = json.loads((tmp_path / "stats.json").read_text())["merkle_root"]
    assert root == merkle_root((tmp_path / "r.jsonl").read_bytes().splitlines())
    for form in ("parquet", "verdicts", "jsonl"):
        assert check(tmp_path / "motions.npy", form, form=form).merkle_root == root
    assert check(tmp_path / "motions.npy", "large", shard_rows=8192).merkle_root == root


def merkle_root(leaves: list[bytes]) -> str:
    """The definition of RFC 6962, section 2.1."""
    from hashlib import sha256

    def tree(hashes: list[bytes]) -> bytes:
        if len(hashes) == 1:
            return hashes[0]
        k = 1 << (len(hashes) - 1).bit_length() - 1
        return sha256(b"\1" + tree(hashes[:k]) + tree(hashes[k:])).digest()

    return tree([sha256(b"\0" + leaf).digest() for leaf in leaves]).hex()


def test_inputs_of_all_kinds_give_the_same_bytes(check: Any, generated: np.ndarray, tmp_path: Path) -> None:
    expected = contents(check(fc.ray.Generated(make, N, seed=5)))
    np.save(tmp_path / "all.npy", generated)
    np.save(tmp_path / "a.npy", generated[:5000])
    np.save(tmp_path / "b.npy", np.asfortranarray(generated[5000:]))
    lists = {name: pa.array(list(generated[5000:, i])) for i, name in enumerate(("start", "end"))}
    pa.parquet.write_table(pa.table({"id": np.arange(N - 5000), **lists}), tmp_path / "b.parquet", row_group_size=700)
    fixed = {
        name: pa.FixedSizeListArray.from_arrays(pa.array(generated[:, i].reshape(-1)), 2)
        for i, name in enumerate(("start", "end"))
    }
    pa.parquet.write_table(pa.table(fixed), tmp_path / "all.parquet")
    vertices = generated.reshape(-1, 2)
    edges = np.arange(2 * N).reshape(-1, 2)
    np.save(tmp_path / "vertices.npy", vertices)
    np.save(tmp_path / "edges.npy", edges.astype(np.int32))
    inputs = {
        "one": tmp_path / "all.npy",
        "two": [tmp_path / "a.npy", tmp_path / "b.npy"],
        "mixed": [tmp_path / "a.npy", tmp_path / "b.parquet"],
        "fixed": tmp_path / "all.parquet",
        "arrays": fc.ray.Roadmap(vertices, edges),
        "roadmap": fc.ray.Roadmap(tmp_path / "vertices.npy", tmp_path / "edges.npy"),
    }
    for name, of in inputs.items():
        # The plan does not depend on where the motions are from, so even the shards are the same.
        assert contents(check(of, name)) == expected, name
    drawn = fc.ray.uniform([-1.0, -1.0], [1.0, 1.0], N, seed=5)
    assert contents(check(drawn, "uniform")) == expected


def test_columns_of_parquet(check: Any, engine: fc.Engine, generated: np.ndarray) -> None:
    run = check(fc.ray.Generated(make, N, seed=5))
    table = pa.concat_tables([pa.parquet.read_table(path) for path in run.shards], promote_options="permissive")
    whole = engine.check(generated)
    assert table.column("motion").to_pylist() == list(range(N))
    names = np.array(["free", "contact", "undecided"])
    assert table.column("verdict").to_pylist() == names[whole.verdict].tolist()
    times = np.array([[np.nan] * 2 if row is None else row for row in table.column("toc").to_pylist()])
    np.testing.assert_array_equal(times, whole.toc)
    linked = [None if i < 0 else whole.links[i] for i in whole.link]
    assert table.column("link").to_pylist() == linked


def test_groups_of_rows_can_be_skipped(check: Any, tmp_path: Path) -> None:
    """Readers see from statistics which groups of rows have no contact."""
    motions = make(np.random.default_rng(1), 3 * 65536)
    motions[:65536] = motions[2 * 65536 :] = np.zeros((2, 2))
    motions[2 * 65536 + 1] = [[0.0, 0.0], [1.0, 1.0]]
    np.save(tmp_path / "motions.npy", motions)
    run = check(tmp_path / "motions.npy", shard_rows=3 * 65536)
    metadata = pa.parquet.read_metadata(run.shards[0])
    at = metadata.schema.to_arrow_schema().names.index("verdict")
    ends = [metadata.row_group(i).column(at).statistics for i in range(3)]
    assert (ends[0].min, ends[0].max) == ("free", "free") and ends[1].min == "contact"
    assert metadata.row_group(0).column(at).compression == "ZSTD"


def test_verdicts_alone_are_small_and_enclose(check: Any, engine: fc.Engine, generated: np.ndarray) -> None:
    run = check(fc.ray.Generated(make, N, seed=5), form="verdicts")
    table = pa.concat_tables([pa.parquet.read_table(path) for path in run.shards])
    whole = engine.check(generated)
    contact = whole.verdict == fc.CONTACT
    np.testing.assert_array_equal(table.column("verdict").to_numpy(), whole.verdict)
    lo, hi = (table.column(name).to_pandas().to_numpy(dtype=float) for name in ("clear_until", "contact_by"))
    assert (lo[contact] <= whole.toc[contact, 0]).all() and (hi[contact] >= whole.toc[contact, 1]).all()
    assert (hi - lo)[contact & whole.certified].max() < 1e-6
    assert np.isnan(lo[~contact]).all() and np.isnan(hi[~contact]).all()
    proved = table.column("proved").to_pylist()
    assert proved == [bool(whole.proved[i]) if contact[i] else None for i in range(N)]


def test_a_finished_run_is_not_repeated(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    run = check(fc.ray.Generated(make, N, seed=5))
    monkeypatch.setattr(fc.ray._worker.Worker, "_check", lambda *_: pytest.fail("a shard is answered again"))
    assert check(fc.ray.Generated(make, N, seed=5)).manifest == run.manifest
    assert fc.ray.verify(run.folder).manifest == run.manifest


@pytest.mark.parametrize("form", ["parquet", "verdicts", "jsonl"])
def test_damaged_shards_are_repeated(check: Any, form: str) -> None:
    """Truncated, changed, removed, or of other motions: verify names them, and the next call restores the bytes."""
    run = check(fc.ray.Generated(make, N, seed=5), form=form)
    expected = contents(run)
    path = run.shards[1]

    def flip(at: int) -> bytes:
        content = bytearray(expected[1])
        content[at] ^= 1
        return bytes(content)

    damages: list[bytes | None] = [expected[1][:-100], expected[1][: len(expected[1]) // 2], b"", None]
    damages += [expected[0], flip(len(expected[1]) // 3), flip(len(expected[1]) - 30)]
    for damage in damages:
        path.unlink()
        if damage is not None:
            path.write_bytes(damage)
        with pytest.raises(fc.Error, match=path.name):
            fc.ray.verify(run.folder)
        assert contents(check(fc.ray.Generated(make, N, seed=5), form=form)) == expected
        fc.ray.verify(run.folder)


def test_changed_motions_are_detected(check: Any, engine: fc.Engine, generated: np.ndarray, tmp_path: Path) -> None:
    """Two motions of one shard change places: it alone is answered again."""
    np.save(tmp_path / "motions.npy", generated)
    run = check(tmp_path / "motions.npy", form="jsonl")
    before = contents(run)
    verdicts = engine.check(generated[4096:8192]).verdict
    places = 4096 + np.array([np.flatnonzero(verdicts == kind)[0] for kind in (fc.FREE, fc.CONTACT)])
    generated = generated.copy()
    generated[places] = generated[places[::-1]]
    np.save(tmp_path / "motions.npy", generated)
    after = check(tmp_path / "motions.npy", form="jsonl")
    assert contents(after)[1] != before[1] and contents(after)[::2] == before[::2]
    assert after.manifest["shards"][1]["motions_sha256"] != run.manifest["shards"][1]["motions_sha256"]


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"margin": 0.01}, "margin is 0.01, not 0.0"),
        ({"self_collision": True}, "self_collision"),
        ({"shard_rows": 8192}, "shard_rows"),
        ({"form": "verdicts"}, "form"),
    ],
)
def test_another_plan_is_refused(check: Any, changed: dict[str, Any], word: str) -> None:
    run = check(fc.ray.Generated(make, N, seed=5))
    with pytest.raises(fc.Error, match="another") as caught:
        check(fc.ray.Generated(make, N, seed=5), **changed)
    assert word in str(caught.value) and caught.value.file == str(run.folder / "plan.json") and caught.value.remedy
    fc.ray.verify(run.folder)


def test_another_robot_or_scene_is_refused(check: Any, pointer: fc.Robot, wall: fc.Scene, arm: fc.Robot) -> None:
    run = check(fc.ray.Generated(make, N, seed=5))
    for robot, scene in ((pointer, None), (arm, wall)):
        with pytest.raises(fc.Error, match="robot|scene|nothing to collide"):
            fc.ray.check_dataset(fc.ray.Generated(make, N, seed=5), robot, scene, run.folder, **CUT)


def test_wrong_arguments(check: Any, tmp_path: Path, generated: np.ndarray) -> None:
    np.save(tmp_path / "flat.npy", np.zeros((10, 4)))
    np.save(tmp_path / "wide.npy", np.zeros((10, 2, 3)))
    (tmp_path / "text.npy").write_text("no array")
    pa.parquet.write_table(pa.table({"begin": [1.0]}), tmp_path / "names.parquet")
    pa.parquet.write_table(pa.table({"start": [[1.0, 2.0], [1.0]], "end": [[1.0, 2.0], [1.0]]}), tmp_path / "r.parquet")
    for name, word in [
        ("flat.npy", "not .Q, 2, D."),
        ("wide.npy", "those of the robot"),
        ("text.npy", "cannot read"),
        ("missing.npy", "cannot read"),
        ("names.parquet", "no column end, start"),
        ("r.parquet", "different lengths"),
    ]:
        with pytest.raises((fc.Error, ValueError), match=word):
            check(tmp_path / name, f"out of {name}")
    source = fc.ray.Generated(make, N, seed=5)
    for options, word in [
        ({"shard_rows": 1000}, "multiple of 4096"),
        ({"form": "csv"}, "form is"),
        ({"actors": "many"}, "actors is"),
        ({"all_contacts": True}, "jsonl"),
    ]:
        with pytest.raises(ValueError, match=word):
            check(source, "wrong", **options)
    with pytest.raises(TypeError, match="threads"):
        check(source, "wrong", threads=3)
    with pytest.raises(TypeError, match="inputs are"):
        check(3, "wrong")


def test_an_empty_input_gives_a_valid_run(check: Any, tmp_path: Path) -> None:
    np.save(tmp_path / "none.npy", np.zeros((0, 2, 2)))
    run = check(tmp_path / "none.npy")
    assert (run.motions, run.shards) == (0, []) and fc.ray.verify(run.folder).motions == 0


def test_files_may_move_and_a_finished_run_may_be_copied(check: Any, generated: np.ndarray, tmp_path: Path) -> None:
    np.save(tmp_path / "here.npy", generated)
    run = check(tmp_path / "here.npy")
    (tmp_path / "here.npy").rename(tmp_path / "there.npy")
    assert check(tmp_path / "there.npy").manifest == run.manifest
    shutil.copytree(run.folder, tmp_path / "copy")
    assert fc.ray.verify(tmp_path / "copy").manifest == run.manifest
    (tmp_path / "copy" / "run.json").unlink()
    with pytest.raises(fc.Error, match="not finished"):
        fc.ray.verify(tmp_path / "copy")
    (tmp_path / "copy" / "plan.json").write_text("{}")
    with pytest.raises(fc.Error, match="not the plan"):
        fc.ray.verify(tmp_path / "copy")


def test_the_adapter_of_a_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the numbers and UUIDs of nvidia-smi, and without it by the driver's files in the order of addresses."""
    from firstcontact.ray._devices import device_of

    for address, uuid in (("0000:c1:00.0", "GPU-b"), ("0000:41:00.0", "GPU-a")):
        (tmp_path / "proc" / address).mkdir(parents=True)
        (tmp_path / "proc" / address / "information").write_text(f"Model: \t\t X\nGPU UUID: \t {uuid}\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert [device_of(i, tmp_path / "proc") for i in (0, 1)] == ["pci:0000:41:00.0", "pci:0000:c1:00.0"]
    assert device_of("GPU-b", tmp_path / "proc") == "pci:0000:c1:00.0"
    with pytest.raises(fc.Error, match="no GPU 2") as caught:
        device_of(2, tmp_path / "proc")
    assert "0 at 0000:41:00.0" in str(caught.value)
    script = tmp_path / "nvidia-smi"
    script.write_text("#!/bin/sh\necho '0, GPU-x, 00000000:C1:00.0'\necho '1, GPU-y, 00010000:41:00.0'\n")
    script.chmod(0o755)
    assert device_of(0) == "pci:0000:c1:00.0" and device_of("GPU-y") == "pci:0000:41:00.0"
