"""Columns, single answers, lines and tables."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest

import firstcontact as fc


@pytest.fixture(scope="module")
def results(engine: fc.Engine, motions: np.ndarray) -> fc.Results:
    return engine.check(motions)


def test_columns_repeat_the_lines(results: fc.Results) -> None:
    lines = [json.loads(line) for line in results.to_jsonl().splitlines()]
    assert len(lines) == len(results) == len(results.verdict)
    for i, line in enumerate(lines):
        assert line == results[i].fields and line["motion"] == i
        assert line["verdict"] == fc.Verdict(results.verdict[i]).name.lower()
        if line["verdict"] != "contact":
            assert np.isnan(results.point[i]).all() and results.link[i] == -1 and results.triangle[i] == -1
            continue
        assert line["toc"] == results.toc[i].tolist()
        flags = {name: bool(results.column(name)[i]) for name in ("proved", "certified", "initial_overlap")}
        assert {name: line[name] for name in flags} == flags
        a, b = line["a"], line["b"]
        assert (a["link"], b["object"]) == (results.links[results.link[i]], results.objects[results.object[i]])
        assert (a["shape"], a["triangle"], a["index"]) == (results.shape[i], results.triangle[i], results.index[i])
        assert a["feature"] == results.features[results.feature[i]]
        assert (b["triangle"], b["index"]) == (results.triangle_b[i], results.index_b[i])
        assert b["feature"] == results.features[results.feature_b[i]]
        assert line["point"] == results.point[i].tolist() and line["normal"] == results.normal[i].tolist()


def test_columns_are_read_only(results: fc.Results) -> None:
    for name, column in results.columns.items():
        assert len(column) == len(results), name
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0


def test_motions_have_no_segments(results: fc.Results) -> None:
    with pytest.raises(AttributeError, match="trajectories"):
        _ = results.segment
    with pytest.raises(AttributeError, match="no column"):
        results.column("nonsense")


def test_single_answers(results: fc.Results) -> None:
    assert results[-1].motion == len(results) - 1
    assert [answer.motion for answer in results] == list(range(len(results)))
    for i in (len(results), -len(results) - 1):
        with pytest.raises(IndexError):
            results[i]
    free, contact = (results[int(np.flatnonzero(results.verdict == code)[0])] for code in (fc.FREE, fc.CONTACT))
    assert free.is_free and free.toc is None and repr(free) == f"<motion {free.motion}: free>"
    assert not contact.is_free and "(certified) at [" in repr(contact) and " on table (triangle " in repr(contact)
    with pytest.raises(AttributeError, match="no field"):
        _ = free.nonsense
    assert free == results[free.motion] and free != contact


def test_the_summary(results: fc.Results) -> None:
    stats = results.stats
    assert stats["motions"] == len(results) == stats["free"] + stats["contact"] + stats["undecided"]
    assert stats["certified"] == int(results.certified.sum()) and not results.all_free
    assert f"{stats['contact']} contact" in repr(results)


def test_lines_are_written_to_paths_files_and_strings(results: fc.Results, tmp_path: Path) -> None:
    text = results.to_jsonl()
    for path in (tmp_path / "a.jsonl", str(tmp_path / "b.jsonl")):
        results.to_jsonl(path)
        assert Path(path).read_text() == text
    stream = io.StringIO()
    results.to_jsonl(stream)
    assert stream.getvalue() == text
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "b.jsonl"], "nothing else is left"
    with pytest.raises(fc.Error) as caught:
        results.to_jsonl(tmp_path)
    assert caught.value.kind == "usage", "it is a folder"


def test_all_contacts_have_poses(arm: fc.Robot, table: fc.Scene, motions: np.ndarray) -> None:
    engine = fc.Engine(arm, table, all_contacts=True, device="cpu")
    results = engine.check(motions)
    vertices, edges = motions.reshape(-1, 2), np.arange(2 * len(motions)).reshape(-1, 2)
    assert engine.check_edges(vertices, edges).to_jsonl() == results.to_jsonl()
    contact = next(answer for answer in results if not answer.is_free)
    assert set(contact.poses) == set(engine.links) and contact.contacts
    q = motions[contact.motion, 0] + contact.toc[0] * (motions[contact.motion, 1] - motions[contact.motion, 0])
    poses = engine.link_poses(q)
    for link, rows in contact.poses.items():
        np.testing.assert_allclose(rows, poses[link][:3], atol=1e-12)


def test_pandas(results: fc.Results) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    frame = results.to_pandas()
    assert len(frame) == len(results) and list(frame.motion) == list(range(len(results)))
    assert (frame.verdict == "contact").sum() == results.stats["contact"]
    touching = frame[frame.verdict == "contact"]
    assert set(touching.object) == {"table"} and frame.link.isna().sum() == results.stats["free"]
    np.testing.assert_array_equal(frame[["toc_lo", "toc_hi"]].to_numpy(), results.toc)


def test_arrow_tables_round_trip_through_parquet(results: fc.Results, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    table = results.to_arrow()
    parquet.write_table(table, tmp_path / "results.parquet")
    rows = parquet.read_table(tmp_path / "results.parquet").to_pylist()
    assert len(rows) == len(results)
    for row, answer in zip(rows, results):
        assert row["verdict"] == answer.verdict and row["motion"] == answer.motion
        assert row["toc"] == answer.toc and row["point"] == answer.point
        assert row["object"] == (answer.b and answer.b["object"]) and row["link"] == (answer.a and answer.a["link"])


def test_progress_shows_a_bar(engine: fc.Engine, motions: np.ndarray, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm", reason="tqdm is not installed")
    assert engine.check(motions, progress=True).to_jsonl() == engine.check(motions).to_jsonl()
    assert "200/200" in capsys.readouterr().err
