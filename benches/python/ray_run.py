"""Runs over shards with Ray, beside the command: time, processor time, memory, and the same bytes after faults.

    python benches/python/ray_run.py amr --nodes 2

`amr` is a folder with robot.urdf, a scene (.obj) and motions-*-30deg.npy, as `firstcontact dataset make amr` makes.
Clusters of nodes of one core each start on this machine. FIRSTCONTACT_PROGRAM is the command.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import firstcontact as fc

T = TypeVar("T")


class Actors(threading.Thread):
    """Watches the processes of actors: peak memory of the largest, and their processor time."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._ends = threading.Event()
        self._seconds: dict[int, float] = {}
        self.peak_bytes = 0

    def run(self) -> None:
        while not self._ends.wait(0.2):
            for folder in Path("/proc").glob("[0-9]*"):
                self._look(folder)

    def _look(self, folder: Path) -> None:
        try:
            if b"ray::_Actor" not in (folder / "cmdline").read_bytes():
                return
            status = (folder / "status").read_text()
            fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            return
        peak = next(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmHWM"))
        self.peak_bytes = max(self.peak_bytes, peak)
        self._seconds[int(folder.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> float:
        """Ends the watch; returns the processor seconds of all actors."""
        self._ends.set()
        self.join()
        return sum(self._seconds.values())


def measured(name: str, work: Callable[[], T]) -> T:
    """Prints the time of something, with the processor time of this process, its children, and actors."""
    actors, since, before = Actors(), time.perf_counter(), _cpu_s()
    actors.start()
    found = work()
    wall_s = time.perf_counter() - since
    of_actors = actors.stop()
    line = f"{name}: {wall_s:.1f} s, processor {_cpu_s() - before:.1f} s here and {of_actors:.1f} s in actors"
    print(
        line + (f", {actors.peak_bytes / 2**20:.0f} MiB the largest actor" if actors.peak_bytes else ""),
        flush=True,
    )
    return found


def _cpu_s() -> float:
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--nodes", type=int, default=2, help="nodes of one core without faults, and one more with faults"
    )
    parser.add_argument("--form", default="parquet")
    parser.add_argument("--mode", default="toc")
    parser.add_argument("--shard-rows", type=int, default=1 << 16)
    args = parser.parse_args()
    (motions,) = args.folder.glob("motions-*-30deg.npy")
    (scene,) = args.folder.glob("*.obj")
    inputs = (motions, args.folder / "robot.urdf", scene)
    with tempfile.TemporaryDirectory(dir=args.folder) as out:
        _measure(inputs, Path(out), args)


def _measure(inputs: tuple[Path, Path, Path], out: Path, args: argparse.Namespace) -> None:
    motions, robot, scene = inputs
    program = os.environ.get("FIRSTCONTACT_PROGRAM", "target/release/firstcontact")
    files = ["--robot", robot, "--scene", scene, "--motions", motions, "--device", "cpu", "--mode", args.mode]
    files += ["--threads", args.nodes, "--quiet", "--out", out / "r.jsonl", "--stats", out / "s.json"]
    measured("command", lambda: subprocess.run([program, "check", *map(str, files)], check=False))
    root = json.loads((out / "s.json").read_text())["merkle_root"]

    def check(name: str) -> fc.ray.Run:
        options: dict[str, Any] = {"shard_rows": args.shard_rows, "form": args.form, "mode": args.mode}
        return fc.ray.check_dataset(motions, robot, scene, out / name, **options)

    cluster = Cluster(args.nodes)
    run = measured(f"Ray, {args.nodes} nodes", lambda: check("ray"))
    print("Merkle root of the command:", run.merkle_root == root)
    measured("everything done", lambda: check("ray"))
    run.shards[3].write_bytes(run.shards[3].read_bytes()[:-1000])
    measured("one shard truncated", lambda: check("ray"))
    size = sum(path.stat().st_size for path in run.shards)
    print(f"{run!r}: {size / run.motions:.3f} bytes a motion", flush=True)
    cluster.add_node()
    faults = threading.Thread(target=cluster.harm, args=(out / "faults",))
    faults.start()
    harmed = measured("a process killed and a node removed", lambda: check("faults"))
    faults.join()
    same = sum(a.read_bytes() == b.read_bytes() for a, b in zip(run.shards, harmed.shards, strict=True))
    print(f"{same} of {len(run.shards)} shards are equal to the byte; verified: {fc.ray.verify(harmed.folder)!r}")
    cluster.stop()


class Cluster:
    """A cluster of nodes of one core on this machine."""

    def __init__(self, n_nodes: int) -> None:
        import ray
        from ray.cluster_utils import Cluster as Nodes

        self._ray, self._nodes = ray, cast(Any, Nodes)()
        while len(self._nodes.list_all_nodes()) < n_nodes:
            self.add_node()
        ray.init(address=self._nodes.address, log_to_driver=False)
        self._nodes.wait_for_nodes()

    def add_node(self) -> None:
        """Adds a node; on a busy machine it may not start within Ray's 30 seconds."""
        while True:
            try:
                self._nodes.add_node(num_cpus=1, object_store_memory=80_000_000)
                return
            except Exception as error:  # noqa: BLE001
                print(f"a node did not start: {error}", flush=True)

    def harm(self, out: Path) -> None:
        """Kills a process after the third shard, and removes a node after the sixth."""
        while len(list(out.glob("shard-*.parquet"))) < 3:
            time.sleep(0.05)
        actors = [pid for pid in Path("/proc").glob("[0-9]*") if b"ray::_Actor" in (pid / "cmdline").read_bytes()]
        os.kill(int(actors[0].name), signal.SIGKILL)
        print(f"killed one of {len(actors)} actors", flush=True)
        while len(list(out.glob("shard-*.parquet"))) < 6:
            time.sleep(0.05)
        self._nodes.remove_node(self._nodes.worker_nodes.copy().pop(), allow_graceful=False)
        print("removed a node", flush=True)

    def stop(self) -> None:
        """Ends all nodes."""
        self._ray.shutdown()
        self._nodes.shutdown()


if __name__ == "__main__":
    main()
