"""Columns: types and shapes of those that the native half gives as bytes, and attributes for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, Protocol, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

_T = TypeVar("_T", bound=np.generic)

# For each column the type and the shape of the entry of a motion.
Types = Mapping[str, tuple[type[np.generic], tuple[int, ...]]]

# Links and what they touch or come near, with features.
_PLACES: Types = {
    "link": (np.int32, ()),
    "object": (np.int32, ()),
    "link_b": (np.int32, ()),
    "shape": (np.int32, ()),
    "triangle": (np.int64, ()),
    "feature": (np.int8, ()),
    "index": (np.int8, ()),
    "shape_b": (np.int32, ()),
    "triangle_b": (np.int64, ()),
    "feature_b": (np.int8, ()),
    "index_b": (np.int8, ()),
}

COLUMNS: Types = {
    "verdict": (np.int8, ()),
    "toc": (np.float64, (2,)),
    "clear_until": (np.float64, ()),
    "reason": (np.int8, ()),
    "proved": (np.bool_, ()),
    "certified": (np.bool_, ()),
    "initial_overlap": (np.bool_, ()),
    "inside": (np.bool_, ()),
    "point": (np.float64, (3,)),
    "normal": (np.float64, (3,)),
    **_PLACES,
    "segment": (np.int64, ()),
    "segment_hi": (np.int64, ()),
    "time_s": (np.float64, (2,)),
}

CLEARANCE_COLUMNS: Types = {
    "distance": (np.float64, (2,)),
    "segment": (np.int64, ()),
    "t": (np.float64, ()),
    "time_s": (np.float64, ()),
    "points": (np.float64, (2, 3)),
    **_PLACES,
}


def decode(columns: Mapping[str, bytes], types: Types = COLUMNS) -> dict[str, NDArray[Any]]:
    """The columns as arrays, without a copy."""
    return {name: _array(*types[name], content) for name, content in columns.items()}


def _array(dtype: type[np.generic], shape: tuple[int, ...], content: bytes) -> NDArray[Any]:
    return np.frombuffer(content, dtype=dtype).reshape(-1, *shape)


class _Table(Protocol):
    def column(self, name: str) -> NDArray[Any]: ...


class Column(Generic[_T]):
    """A column of a table: an array with an entry for each motion."""

    def __init__(self, doc: str) -> None:
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, table: None, owner: type) -> Column[_T]: ...
    @overload
    def __get__(self, table: _Table, owner: type) -> NDArray[_T]: ...
    def __get__(self, table: _Table | None, owner: type) -> Column[_T] | NDArray[_T]:
        return self if table is None else table.column(self._name)
