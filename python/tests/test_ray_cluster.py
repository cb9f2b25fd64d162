"""A Ray cluster of three nodes on this machine, of which processes and nodes are lost, and whose disk fills up.

Every fault happens at a known place: the motions of a shard are generated where it is checked, and the generator of a
chosen block waits, or ends its process.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firstcontact as fc

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
ray = pytest.importorskip("ray", reason="ray is not installed")

BLOCK = 4096
N = 12 * BLOCK - 100
# Of Ray's own files and sockets.
pytestmark = pytest.mark.filterwarnings("ignore")


def make(random: np.random.Generator, n: int) -> np.ndarray:
    """Motions of the example's arm."""
    return random.uniform(-1.0, 1.0, (n, 2, 2))


def make_once_fatal(marker: Path, random: np.random.Generator, n: int) -> np.ndarray:
    """The first process to come here is killed."""
    try:
        marker.touch(exist_ok=False)
    except FileExistsError:
        return make(random, n)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def make_until_gone(folder: Path, random: np.random.Generator, n: int) -> np.ndarray:
    """Processes on other nodes than the first say where they are, and wait: their node will be removed."""
    node = ray.get_runtime_context().get_node_id()
    if node != (folder / "head").read_text() and not (folder / "removed").exists():
        (folder / f"on-{node}").touch()
        while not (folder / "removed").exists():
            time.sleep(0.05)
    return make(random, n)


def make_deadly(allowed: Path, random: np.random.Generator, n: int) -> np.ndarray:
    """Kills its process whenever the last, smaller block is made, unless it is allowed."""
    if n < BLOCK and not allowed.exists():
        os.kill(os.getpid(), signal.SIGKILL)
    return make(random, n)


def add_node(cluster: Any) -> None:
    """A node of one core. Ray waits for it for 30 seconds, which a busy machine may exceed."""
    for attempt in range(4):
        try:
            cluster.add_node(num_cpus=1, object_store_memory=80_000_000)
            return
        except Exception:
            if attempt == 3:
                raise


def nodes_alive(count: int, timeout_s: float) -> bool:
    """Whether the cluster has this many nodes. Ray notices a lost node some seconds after its actors."""
    end = time.monotonic() + timeout_s
    while sum(node["Alive"] for node in ray.nodes()) != count:
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    from ray.cluster_utils import Cluster

    made = Cluster()
    for _ in range(3):
        add_node(made)
    ray.init(address=made.address, log_to_driver=False)
    # Other processes cannot import this module: what it defines goes to them as it is.
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    made.wait_for_nodes()
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture()
def check(cluster: Any, arm_files: Path, tmp_path: Path) -> Callable[..., fc.ray.Run]:
    """Checks generated motions on the cluster."""

    def checked(generate: Any = make, out: str | Path = "out", **options: Any) -> fc.ray.Run:
        source = fc.ray.Generated(generate, N, seed=5)
        files = (arm_files / "arm.urdf", arm_files / "table.obj")
        return fc.ray.check_dataset(source, *files, tmp_path / out, **{"shard_rows": BLOCK, **options})

    return checked


@pytest.fixture(scope="module")
def expected(arm: fc.Robot, table: fc.Scene, tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """The shards of one process without Ray."""
    out, source = tmp_path_factory.mktemp("alone") / "out", fc.ray.Generated(make, N, seed=5)
    return contents(fc.ray.check_dataset(source, arm, table, out, shard_rows=BLOCK, actors=0))


def contents(run: fc.ray.Run) -> list[bytes]:
    return [path.read_bytes() for path in run.shards]


@pytest.mark.parametrize("actors", ["per-node", 2])
def test_the_bytes_of_one_process(check: Any, expected: list[bytes], actors: str | int, tmp_path: Path) -> None:
    run = check(actors=actors, tree_cache=tmp_path / "trees")
    assert contents(run) == expected and len(expected) == 12
    assert fc.ray.verify(run.folder).merkle_root == run.merkle_root
    assert len(list((tmp_path / "trees").glob("*.fctree"))) == 1
    assert sorted(path.name for path in run.folder.iterdir())[:2] == ["plan.json", "run.json"]


def test_a_process_that_is_killed(check: Any, expected: list[bytes], tmp_path: Path) -> None:
    marker = tmp_path / "killed"
    assert contents(check(partial(make_once_fatal, marker))) == expected and marker.exists()


def test_a_node_that_is_removed(check: Any, cluster: Any, expected: list[bytes], tmp_path: Path) -> None:
    """One of three nodes goes while its process is at work; the others answer its shard."""
    (tmp_path / "head").write_text(cluster.head_node.node_id)
    gone = threading.Event()

    def remove() -> None:
        while not (waiting := list(tmp_path.glob("on-*"))):
            time.sleep(0.05)
        node_id = waiting[0].name.removeprefix("on-")
        node = next(node for node in cluster.worker_nodes if node.node_id == node_id)
        cluster.remove_node(node, allow_graceful=False)
        (tmp_path / "removed").touch()
        gone.set()

    helper = threading.Thread(target=remove)
    helper.start()
    run = check(partial(make_until_gone, tmp_path))
    helper.join()
    assert gone.is_set() and contents(run) == expected
    assert nodes_alive(2, timeout_s=60.0)
    add_node(cluster)
    cluster.wait_for_nodes()


def test_a_shard_that_kills_every_process(check: Any, expected: list[bytes], tmp_path: Path) -> None:
    """After some attempts there is one clear error; the other shards stay, and the run goes on where that is mended."""
    generate = partial(make_deadly, tmp_path / "allowed")
    with pytest.raises(fc.Error, match="shard 11 has ended 4 processes") as caught:
        check(generate)
    assert caught.value.kind == "memory" and "call continues" in (caught.value.remedy or "")
    done = sorted(path.name for path in (tmp_path / "out").glob("shard-*.parquet"))
    assert "shard-000011.parquet" not in done and len(done) >= 1
    (tmp_path / "allowed").touch()
    assert contents(check(generate)) == expected


def test_a_disk_that_fills_up(check: Any, expected: list[bytes], tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    size = sum(len(content) for content in expected) // 2
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("no file system of a small size can be mounted")
    try:
        with pytest.raises(fc.Error, match="No space left") as caught:
            check(out=disk / "out")
        assert caught.value.kind == "output" and "shard-" in (caught.value.file or "")
        assert "call continues" in (caught.value.remedy or "")
        whole = sorted((disk / "out").glob("shard-*.parquet"))
        assert 0 < len(whole) < 12 and not list((disk / "out").glob(".*"))
        assert all(path.read_bytes() == expected[int(path.name[6:12])] for path in whole)
        subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True, capture_output=True)
        assert contents(check(out=disk / "out")) == expected
    finally:
        subprocess.run(["umount", str(disk)], check=False, capture_output=True)


def test_truncated_shards_and_changed_options(check: Any, expected: list[bytes]) -> None:
    run = check()
    run.shards[4].write_bytes(expected[4][:1000])
    assert contents(check()) == expected
    with pytest.raises(fc.Error, match="margin is 0.02, not 0.0"):
        check(margin=0.02)
    assert contents(fc.ray.verify(run.folder)) == expected


def test_errors_of_actors_are_raised(check: Any, cluster: Any) -> None:
    with pytest.raises(fc.Error, match="no machine of the cluster has GPUs") as caught:
        check(actors="per-gpu")
    assert caught.value.remedy
    with pytest.raises(fc.Error, match="no such|not there|adapter") as caught:
        check(device="no such adapter")
    assert caught.value.kind in ("gpu", "usage")
    with pytest.raises(fc.Error, match="shape"):
        check(lambda random, n: random.uniform(size=(n, 2, 3)))
