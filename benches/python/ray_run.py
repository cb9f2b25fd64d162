"""Runs over shards: time, processor time and memory with Ray, in one process, and by the command.

    python benches/python/ray_run.py amr --nodes 3 --form parquet

`amr` is a folder with robot.urdf, a scene (.obj) and motions-*-30deg.npy, such as `firstcontact dataset make amr` makes. A
cluster of that many nodes of one core
each starts on this machine. FIRSTCONTACT_PROGRAM is the command.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

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
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--form", default="parquet")
    parser.add_argument("--shard-rows", type=int, default=1 << 16)
    args = parser.parse_args()
    (motions,) = args.folder.glob("motions-*-30deg.npy")
    (scene,) = args.folder.glob("*.obj")
    inputs = (motions, args.folder / "robot.urdf", scene)
    with tempfile.TemporaryDirectory(dir=args.folder) as out:
        root = _measure(inputs, Path(out), args)
    print("Merkle root", root)


def _measure(inputs: tuple[Path, Path, Path], out: Path, args: argparse.Namespace) -> str:
    motions, robot, scene = inputs
    program = os.environ.get("FIRSTCONTACT_PROGRAM", "target/release/firstcontact")
    files = [
        "--robot",
        robot,
        "--scene",
        scene,
        "--motions",
        motions,
        "--backend",
        "cpu",
    ]
    command = [
        program,
        "check",
        *files,
        "--out",
        out / "r.jsonl",
        "--stats",
        out / "s.json",
        "--quiet",
    ]
    measured(
        "command",
        lambda: subprocess.run([*map(str, command), "--threads", str(args.nodes)], check=False),
    )

    def check(name: str, actors: str | int) -> fc.ray.Run:
        options: dict[str, Any] = {
            "shard_rows": args.shard_rows,
            "form": args.form,
            "actors": actors,
        }
        return fc.ray.check_dataset(motions, robot, scene, out / name, **options)

    one: fc.ray.Run = measured("one process", lambda: check("alone", 0))
    cluster = measured("start of Ray", lambda: _cluster(args.nodes))
    many: fc.ray.Run = measured("Ray", lambda: check("ray", "per-node"))
    same = [a.read_bytes() == b.read_bytes() for a, b in zip(one.shards, many.shards)]
    print(
        f"{sum(same)} of {len(one.shards)} shards are equal to the byte, Merkle roots: ",
        end="",
    )
    print(one.merkle_root == many.merkle_root and many.merkle_root in (out / "s.json").read_text())
    many.shards[3].write_bytes(many.shards[3].read_bytes()[:-1000])
    measured("Ray, one shard damaged", lambda: check("ray", "per-node"))
    measured("everything done", lambda: check("ray", "per-node"))
    cluster()
    size = sum(path.stat().st_size for path in many.shards)
    print(f"{many!r}: {size / many.motions:.3f} bytes a motion")
    shutil.copy(many.folder / "run.json", out.parent / "run.json")
    return many.merkle_root


def _cluster(n_nodes: int) -> Callable[[], None]:
    import ray
    from ray.cluster_utils import Cluster

    cluster: Any = Cluster()
    while len(cluster.list_all_nodes()) < n_nodes:
        try:
            cluster.add_node(num_cpus=1, object_store_memory=80_000_000)
        except Exception as error:  # On a busy machine a node may not start within Ray's 30 seconds.
            print(f"a node did not start: {error}", flush=True)
    ray.init(address=cluster.address, log_to_driver=False)
    cluster.wait_for_nodes()

    def stop() -> None:
        ray.shutdown()
        cluster.shutdown()

    return stop


if __name__ == "__main__":
    main()
