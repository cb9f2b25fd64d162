"""Extremal distance of moving curves and surfaces, after Patoglu and Gillespie.

The tracker follows local extrema in floating-point arithmetic and gives **no guarantee**: use `firstcontact.Engine` to
prove that a motion is free.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _native
from ._arrays import Floats, Path
from ._fork import guard


@dataclass(frozen=True, eq=False)
class Track:
    """A pair of bodies, followed with one gain: N samples as columns."""

    bodies: tuple[str, str]
    """Names of the two bodies."""
    gain_per_s: float
    """The gain of the controller, 1/s."""
    time_s: Floats
    """Time of each sample, shape (N,), seconds."""
    distance_m: Floats
    """The extremal distance, shape (N,), metres; negative where the bodies penetrate, NaN where the pair is lost."""
    error: Floats
    """The largest error of the extremal pair, shape (N,)."""
    parameters: Floats
    """u, v, r, s of the extremal pair, shape (N, 4)."""
    phase: list[str]
    """ "tracking", "acquiring", or the reason for a loss, N entries."""
    decay_rate_per_s: float | None
    """Decay rate of the initial error, 1/s; None if the start was nearly exact."""
    clear_until_s: float | None
    """The bodies are farther apart than the margin before this time, seconds; None if unknown."""
    reached_by_s: float | None
    """The bodies are within the margin at this time, seconds; None if they do not come that close, or if unknown."""
    lost: str | None
    """The reason why the time of first contact is unknown."""

    def __len__(self) -> int:
        return len(self.time_s)


def track(scene: Path) -> list[Track]:
    """Follows the pairs of a scene in a JSON file, one track for each pair and gain.

    The guide describes the format: doc/guide/extremal.md.

    Raises:
        Error: The file is missing or malformed, or asks for too many samples.
    """
    guard()
    return [_track(run) for run in _native.track(os.fspath(scene))]


def _track(run: dict[str, Any]) -> Track:
    columns = {name: np.frombuffer(run[name], dtype=np.float64) for name in ("time_s", "distance_m", "error")}
    parameters = np.frombuffer(run["parameters"], dtype=np.float64).reshape(-1, 4)
    return Track(**{**run, **columns, "bodies": tuple(run["bodies"]), "parameters": parameters})
