"""Ray actors that answer shards. An actor may die at any time: another one then answers its shard."""

from __future__ import annotations

import logging
import os
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from .._errors import Error
from . import _run
from ._devices import device_of
from ._worker import Work, Worker

# Maximum number of times that a shard may end the process that answers it.
_MAX_DEATHS = 3
# Time that a run waits while no process can be started, seconds.
_PATIENCE_S = 120.0
_GOES_ON = "the finished shards are kept, and the same call continues"


class _Actor:
    """A worker in a process of its own. Errors are returned, since exceptions of Ray hide their fields."""

    def __init__(self, work: Work, device: str | None, threads: int) -> None:
        self._made = work, device, threads
        self._worker: Worker | None = None

    def start(self) -> Any:
        """Builds the engine, and returns its backend."""
        work, device, threads = self._made
        try:
            chosen = device or (device_of(ray.get_gpu_ids()[0]) if ray.get_gpu_ids() else "cpu")
            self._worker = Worker(work, chosen, threads)
            return self._worker.backend
        except (Error, ValueError, OSError, ImportError) as error:
            return _returned(error)

    def answer(self, index: int) -> Any:
        """Answers a shard."""
        assert self._worker is not None, "it was started"
        try:
            return self._worker.answer(index)
        except (Error, ValueError, OSError, MemoryError) as error:
            return _returned(error)

    def process(self) -> int:
        """The number of the process."""
        return os.getpid()


def _returned(error: Exception) -> Error:
    if isinstance(error, Error):
        return error
    return Error(f"{type(error).__name__}: {error}", kind="memory" if isinstance(error, MemoryError) else "input")


@dataclass
class _Slot:
    """A place for an actor."""

    options: dict[str, Any]
    threads: int
    node: str | None
    """The machine that it must be on."""
    actor: Any = None


def answer_all(
    work: Work, actors: str | int, device: str | None, mixes: bool, advance: Callable[[], object] | None
) -> _run.Answers:
    """Answers all missing shards.

    Raises:
        Error: A shard cannot be answered, or no machine is left.
    """
    began = not ray.is_initialized()
    if began:
        ray.init(include_dashboard=False, log_to_driver=False, logging_level=logging.WARNING)
    crew = _Crew(work, device, mixes, advance, _slots(actors))
    try:
        return crew.run()
    finally:
        crew.dismiss()
        if began:
            ray.shutdown()


def _nodes() -> list[dict[str, Any]]:
    """The machines of the cluster, including lost ones."""
    listed: Any = ray.nodes  # It has no types.
    return list(listed())


def _slots(actors: str | int) -> list[_Slot]:
    if isinstance(actors, int):
        return [_Slot({"num_cpus": 1, "scheduling_strategy": "SPREAD"}, 1, None) for _ in range(actors)]
    slots = []
    for node in _nodes():
        if not node["Alive"]:
            continue
        resources, here = node["Resources"], NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
        n_cpus, n_gpus = int(resources.get("CPU", 0)), int(resources.get("GPU", 0))
        threads = max(n_cpus - 1, 1)
        if actors == "per-node" and n_cpus > 0:
            slots.append(_Slot({"num_cpus": threads, "scheduling_strategy": here}, threads, node["NodeID"]))
        if actors == "per-gpu":
            share = max(threads // max(n_gpus, 1), 1)
            options = {"num_cpus": share, "num_gpus": 1, "scheduling_strategy": here}
            slots += [_Slot(options, share, node["NodeID"]) for _ in range(n_gpus)]
    if not slots:
        what = "GPUs" if actors == "per-gpu" else "cores"
        remedy = "start Ray with them, or choose other actors"
        raise Error(f"no machine of the cluster has {what} ({remedy})", kind="usage", remedy=remedy)
    return slots


class _Crew:
    """Actors, pending shards, and shards that are being answered."""

    def __init__(
        self, work: Work, device: str | None, mixes: bool, advance: Callable[[], object] | None, slots: list[_Slot]
    ) -> None:
        self._work, self._device, self._mixes, self._advance = ray.put(work), device, mixes, advance
        self._folder, self._slots = work.out, slots
        self._waiting = deque(range(work.plan.n_shards))
        self._answers: _run.Answers = {}
        self._deaths: dict[int, int] = {}
        # Calls in progress: the slot, and the shard, or None while the actor starts.
        self._calls: dict[Any, tuple[_Slot, int | None]] = {}
        self._backend: str | None = None
        self._failure: Error | None = None

    def run(self) -> _run.Answers:
        for slot in self._slots:
            self._start(slot)
        idle_since = time.monotonic()
        while self._waiting or self._calls:
            if self._failure is not None and not self._calls:
                break
            if not self._calls:
                raise Error(f"no machine is left ({_GOES_ON})", kind="interrupted", remedy=_GOES_ON)
            done, _ = ray.wait(list(self._calls), num_returns=1, timeout=5.0)
            now = time.monotonic()
            idle_since = now if done or self._is_busy() else idle_since
            if now - idle_since > _PATIENCE_S:
                why = f"no process has started for {_PATIENCE_S:.0f} s: the cluster lacks free cores or GPUs"
                raise Error(f"{why} ({_GOES_ON})", kind="interrupted", remedy=_GOES_ON)
            for call in done:
                self._settle(call)
        if self._failure is not None:
            raise self._failure
        return self._answers

    def _is_busy(self) -> bool:
        return any(index is not None for _, index in self._calls.values())

    def dismiss(self) -> None:
        """Ends all actors."""
        for slot in self._slots:
            if slot.actor is not None:
                ray.kill(slot.actor)

    def _start(self, slot: _Slot) -> None:
        make: Any = ray.remote(**slot.options)(_Actor)
        slot.actor = make.remote(self._work, self._device, slot.threads)
        self._calls[slot.actor.start.remote()] = (slot, None)

    def _settle(self, call: Any) -> None:
        slot, index = self._calls.pop(call)
        try:
            found = ray.get(call)
        except RayTaskError as error:
            self._fail(Error(f"{error.cause}", kind="input"))
            return
        except RayError as error:
            self._lost(slot, index, error)
            return
        if isinstance(found, Error):
            self._fail(found)
            return
        if index is None:
            self._check_backend(found)
        else:
            self._answers[index] = found
            self._check_backend(found[0].backend)
            if self._advance is not None:
                self._advance()
        self._next(slot)

    def _next(self, slot: _Slot) -> None:
        """Gives an actor its next shard."""
        if self._waiting and self._failure is None:
            index = self._waiting.popleft()
            self._calls[slot.actor.answer.remote(index)] = (slot, index)

    def _check_backend(self, backend: str) -> None:
        self._backend = self._backend or backend
        if backend != self._backend and not self._mixes:
            self._fail(_run.mixed(self._folder, sorted((backend, self._backend))))

    def _fail(self, error: Error) -> None:
        if self._failure is None:
            remedy = f"{error.remedy}; {_GOES_ON}" if error.remedy else _GOES_ON
            self._failure = Error(f"{error} ({_GOES_ON})", error.kind, error.file, error.place, remedy)

    def _lost(self, slot: _Slot, index: int | None, error: RayError) -> None:
        """Handles the loss of an actor or its machine: another actor answers its shard."""
        slot.actor = None
        if index is not None:
            self._waiting.appendleft(index)
        of = -1 if index is None else index
        self._deaths[of] = self._deaths.get(of, 0) + 1
        alive = slot.node is None or any(node["Alive"] and node["NodeID"] == slot.node for node in _nodes())
        if self._deaths[of] > _MAX_DEATHS * (len(self._slots) if index is None else 1):
            what = "the engine" if index is None else f"shard {index}"
            message = f"{what} has ended {self._deaths[of]} processes, possibly for lack of memory: {error}"
            self._fail(Error(message, kind="memory", remedy="choose fewer actors or a smaller shard_rows"))
        elif alive and self._failure is None:
            self._start(slot)
        elif not any(other.actor is not None for other in self._slots):
            self._fail(Error("all machines of the run are lost", kind="interrupted"))
        self._wake()

    def _wake(self) -> None:
        """Gives pending shards to idle actors."""
        busy = {id(slot) for slot, _ in self._calls.values()}
        for slot in self._slots:
            if slot.actor is not None and id(slot) not in busy:
                self._next(slot)
