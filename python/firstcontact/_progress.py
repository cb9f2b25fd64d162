"""Progress by tqdm."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any


def shown(portions: Iterable[bytes], sizes: Iterable[int], total: int, show: bool) -> Iterator[bytes]:
    """The portions; if shown, a bar advances when the next one is fetched."""
    if not show:
        yield from portions
        return
    with _bar(total, "motions") as bar:
        for portion, size in zip(portions, sizes):
            yield portion
            bar.update(size)


@contextmanager
def counted(total: int, unit: str, show: bool) -> Iterator[Callable[[], object] | None]:
    """If shown, a bar and the function that advances it by one."""
    if not show:
        yield None
        return
    with _bar(total, unit) as bar:
        yield bar.update


def _bar(total: int, unit: str) -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise ImportError("progress=True needs the package tqdm: install it, or leave progress out") from error
    return tqdm(total=total, unit=f" {unit}")
