"""Processes that are forked from one with engines."""

from __future__ import annotations

import os

from ._errors import Error

# The process in which the threads of the native half were started.
_owner: int | None = None


def guard() -> None:
    """Refuses work in a process that was forked after the threads were started: it lacks these threads, and would wait
    forever."""
    global _owner
    process = os.getpid()
    if _owner is None:
        _owner = process
    elif _owner != process:
        remedy = 'use multiprocessing.get_context("spawn"): engines pickle'
        raise Error(f"this process was forked from one that has used firstcontact ({remedy})", remedy=remedy)
