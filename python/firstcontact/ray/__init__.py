"""Checks any number of motions on many machines, with Ray.

>>> import firstcontact as fc                                       # doctest: +SKIP
>>> run = fc.ray.check_dataset("motions.npy", "ur5.urdf", "cell.obj", "out")     # doctest: +SKIP
>>> run.free, run.contact, run.merkle_root                          # doctest: +SKIP

The motions are divided into shards. Each shard is one file of answers, which is written atomically; to continue an
interrupted run, repeat the same call. The same motions, robot, scene and options give the same bytes on any number of
machines.
"""

from __future__ import annotations

from ._inputs import Generated, Roadmap, uniform
from ._manifest import Run, verify
from ._run import check_dataset

__all__ = ["Generated", "Roadmap", "Run", "check_dataset", "uniform", "verify"]
