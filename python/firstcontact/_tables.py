"""Results as tables of pandas and Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ._results import Results

_VERDICTS = ("free", "contact", "undecided")
_SUFFIXES = {"toc": ("_lo", "_hi"), "time_s": ("_lo", "_hi"), "point": ("_x", "_y", "_z"), "normal": ("_x", "_y", "_z")}


def _named(results: Results) -> Iterator[tuple[str, NDArray[Any], Sequence[str] | None]]:
    """Name, values and, of indices, the names that they refer to."""
    names: dict[str, Sequence[str]] = {
        "verdict": _VERDICTS,
        "reason": results.reasons,
        "link": results.links,
        "link_b": results.links,
        "object": results.objects,
        "feature": results.features,
        "feature_b": results.features,
    }
    yield "motion", np.arange(results.first, results.first + len(results)), None
    for name, values in results.columns.items():
        yield name, values, names.get(name)


def _unique(names: Sequence[str]) -> tuple[list[str], NDArray[np.int32]]:
    """The names without repetition, and the place of each among them: objects may share a name."""
    order = {name: i for i, name in enumerate(dict.fromkeys(names))}
    # The last entry is for the index -1.
    return list(order), np.array([*(order[name] for name in names), -1], dtype=np.int32)


def pandas(results: Results) -> Any:
    """See `Results.to_pandas`."""
    import pandas as pd

    columns: dict[str, Any] = {}
    for name, values, names in _named(results):
        if names is not None:
            categories, place = _unique(names)
            columns[name] = pd.Categorical.from_codes(place[values], categories=categories)
        elif values.ndim == 1:
            columns[name] = values
        else:
            columns.update({name + suffix: values[:, i] for i, suffix in enumerate(_SUFFIXES[name])})
    return pd.DataFrame(columns)


def arrow(results: Results) -> Any:
    """See `Results.to_arrow`."""
    import pyarrow as pa

    columns: dict[str, Any] = {}
    for name, values, names in _named(results):
        if names is not None:
            categories, place = _unique(names)
            codes = place[values]
            columns[name] = pa.DictionaryArray.from_arrays(
                pa.array(codes, mask=codes < 0), pa.array(categories, pa.string())
            )
        elif values.ndim == 1:
            missing = values < 0 if values.dtype.kind == "i" else None
            columns[name] = pa.array(values, mask=missing)
        else:
            flat = pa.array(values.reshape(-1))
            mask = pa.array(np.isnan(values[:, 0]))
            columns[name] = pa.FixedSizeListArray.from_arrays(flat, values.shape[1], mask=mask)
    return pa.table(columns)
