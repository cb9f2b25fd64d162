"""Threads, interruption, pickles, memory."""

from __future__ import annotations

import _thread
import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from conftest import is_full

import firstcontact as fc


def test_eight_threads_on_one_engine(engine: fc.Engine, motions: np.ndarray) -> None:
    motions = motions[:40]
    expected = engine.check(motions).to_jsonl()
    single = engine.check(motions[0, 0], motions[0, 1]).to_jsonl()

    def work(_: int) -> bool:
        one = engine.check(motions[0, 0], motions[0, 1]).to_jsonl()
        return engine.check(motions).to_jsonl() == expected and one == single

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(16)))


def test_an_interruption_ends_a_check_while_other_threads_run(engine: fc.Engine, motions: np.ndarray) -> None:
    """Another thread runs during the check, since the interpreter's lock is released, and interrupts it."""
    reached = threading.Event()

    def interrupt() -> None:
        reached.wait()
        _thread.interrupt_main()

    def portions() -> Iterator[bytes]:
        yield motions.tobytes()
        reached.set()
        deadline = time.monotonic() + 60.0
        while time.monotonic() < deadline:
            yield motions.tobytes()
        pytest.fail("the check was not interrupted")

    helper = threading.Thread(target=interrupt)
    # Python ignores interruptions if its parent process does, as those of a shell in the background do.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        helper.start()
        with pytest.raises(KeyboardInterrupt):
            engine._native.check_portions(portions())
        helper.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(engine.check(motions)) == len(motions), "the engine goes on"


def test_an_exception_of_a_portion_is_raised(engine: fc.Engine, motions: np.ndarray) -> None:
    def portions() -> Iterator[bytes]:
        yield motions.tobytes()
        raise LookupError("no more")

    with pytest.raises(LookupError, match="no more"):
        engine._native.check_portions(portions())


def test_engines_pickle(
    engine: fc.Engine, pointer: fc.Robot, wall: fc.Scene, motions: np.ndarray, table: fc.Scene
) -> None:
    carrying = engine.with_attached("box", table.triangles(0) * 0.1, "forearm", touch_links=["upper_arm"])
    elsewhere = carrying.with_scene(table)
    strict = fc.Engine(engine.robot, table, margin=0.01, allow=[("column", "table")], device="cpu")
    for one in (engine, carrying, elsewhere, strict, strict.with_scene(table)):
        again = pickle.loads(pickle.dumps(one))
        assert again.check(motions).to_jsonl() == one.check(motions).to_jsonl()
        assert (repr(again), again.tested_link_pairs) == (repr(one), one.tested_link_pairs)
    grown = fc.Engine(pointer, wall, device="cpu")
    assert pickle.loads(pickle.dumps(grown)).check([0.0], [1.0]).to_jsonl() == grown.check([0.0], [1.0]).to_jsonl()
    assert copy.copy(engine) is engine and copy.deepcopy(engine) is engine


def test_a_scene_of_a_file_and_of_arrays_pickles(table: fc.Scene, arm_files: Path) -> None:
    scene = fc.Scene.from_file(arm_files / "table.obj")
    scene.add_mesh("more", table.triangles(0) + 1.0)
    again = pickle.loads(pickle.dumps(scene))
    assert again.objects == ["table", "more"]
    np.testing.assert_array_equal(again.triangles(1), scene.triangles(1))


def test_an_engine_can_be_sent_to_another_process(engine: fc.Engine, motions: np.ndarray, tmp_path: Path) -> None:
    (tmp_path / "work.pickle").write_bytes(pickle.dumps((engine, motions)))
    code = "import pickle, sys; e, m = pickle.load(open(sys.argv[1], 'rb')); print(e.check(m).to_jsonl(), end='')"
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "work.pickle")],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert run.stdout == engine.check(motions).to_jsonl()


FORKED = """
import sys, warnings, multiprocessing, firstcontact as fc
warnings.simplefilter("ignore")
def work(_):
    try:
        return engine.check([0.0, 0.0], [0.1, 0.1]).all_free
    except fc.Error as error:
        return error.remedy
with multiprocessing.get_context("fork").Pool(1) as pool:
    engine = fc.Engine(*sys.argv[1:3], device="cpu")
with multiprocessing.get_context("fork").Pool(1) as pool:
    print(pool.map(work, [0]), work(0))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes are forked here")
def test_forked_processes_are_refused(arm_files: Path) -> None:
    files = [str(arm_files / name) for name in ("arm.urdf", "table.obj")]
    command = [sys.executable, "-c", FORKED, *files]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert "spawn" in run.stdout and run.stdout.endswith(" True\n")


def _resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc")
def test_engines_do_not_leak_memory(arm: fc.Robot, table: fc.Scene, motions: np.ndarray) -> None:
    def build(n: int) -> None:
        for _ in range(n):
            engine = fc.Engine(arm, table, device="cpu")
            _ = engine.check(motions[0, 0], motions[0, 1]).columns

    build(100)
    before, n = _resident_bytes(), 10_000 if is_full() else 1000
    build(n)
    grown = _resident_bytes() - before
    # An engine of this size takes some hundred kilobytes; one in a thousand that stays would be seen.
    assert grown < 4 << 20, f"{grown} bytes after {n} engines"
