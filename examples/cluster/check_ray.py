"""Checks the edges of a roadmap on all machines of a Ray cluster: `python examples/cluster/check_ray.py --help`."""

import argparse
import tempfile
from pathlib import Path

import ray

import firstcontact as fc


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robot", default="/shared/ur5.urdf")
    parser.add_argument("--scene", default="/shared/cell.obj")
    parser.add_argument("--vertices", default="/shared/vertices.npy", help="configurations, shape (V, D)")
    parser.add_argument("--edges", default="/shared/edges.npy", help="pairs of indices, shape (E, 2)")
    parser.add_argument("--out", default="/shared/roadmap")
    parser.add_argument("--trees", default=str(Path(tempfile.gettempdir()) / "trees"), help="folder on each machine")
    parser.add_argument("--address", default="auto", help="of the cluster; 'local' starts Ray on this machine")
    args = parser.parse_args()
    ray.init(address=args.address, log_to_driver=False)
    roadmap = fc.ray.Roadmap(args.vertices, args.edges)
    run = fc.ray.check_dataset(
        roadmap, args.robot, args.scene, args.out, mode="verdict", form="verdicts", tree_cache=args.trees
    )
    print(run, run.merkle_root)


if __name__ == "__main__":
    main()
