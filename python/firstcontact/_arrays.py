"""Conversion of arguments to arrays: NumPy, anything with ``__array__``, DLPack on the CPU, sequences."""

from __future__ import annotations

import os
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Path: TypeAlias = str | os.PathLike[str]

# Devices of DLPack whose memory the CPU reads: CPU, and pinned memory of CUDA and ROCm.
_HOST = (1, 3, 11)


def floats(value: Any, what: str) -> Floats:
    """The numbers of an array as ``float64``; messages call the array `what`."""
    if type(value) is np.ndarray and value.dtype == np.float64:
        return value
    array = _array(value, what)
    if array.dtype.kind not in "fiu" or array.dtype.itemsize > 8:
        raise TypeError(f"{what} has the type {array.dtype}: give real numbers of at most 64 bits")
    return array.astype(np.float64)


def integers(value: Any, what: str) -> NDArray[np.int64]:
    """The numbers of an array as ``int64``."""
    array = _array(value, what)
    if array.dtype.kind not in "iu" and array.size > 0:
        raise TypeError(f"{what} has the type {array.dtype}: give whole numbers")
    return array.astype(np.int64)


def _array(value: Any, what: str) -> NDArray[Any]:
    device = getattr(value, "__dlpack_device__", None)
    if device is not None and not isinstance(value, np.ndarray) and device()[0] not in _HOST:
        raise TypeError(f"{what} is not in the memory of the CPU: copy it there first, as with .cpu() or numpy.asarray")
    if np.ma.is_masked(value):
        raise ValueError(f"{what} has masked values, which are not numbers: fill them, or leave their rows out")
    try:
        if device is not None and not hasattr(value, "__array__"):
            return np.from_dlpack(value)
        return np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{what} is not an array: its rows have different lengths") from error


def shaped(value: Any, shape: tuple[int | None, ...], what: str) -> Floats:
    """As `floats`, for an array of a given shape, in which ``None`` stands for any length."""
    array = floats(value, what)
    if len(array.shape) != len(shape) or any(n not in (None, m) for n, m in zip(shape, array.shape)):
        wanted = ", ".join("n" if n is None else str(n) for n in shape)
        raise ValueError(f"{what} has the shape {array.shape}, not ({wanted}{',' if len(shape) == 1 else ''})")
    return array


def motions(starts: Any, ends: Any, n_columns: int) -> Floats:
    """Motions of shape (Q, 2, D), from such an array, or from starts and ends of shape (Q, D) or (D,)."""
    first = floats(starts, "starts")
    if ends is None:
        if first.ndim == 3 and first.shape[1:] == (2, n_columns):
            return first
        wanted = f"(Q, 2, {n_columns}), start and end of Q motions"
        raise ValueError(f"motions have the shape {first.shape}, not {wanted}; or give starts and ends")
    last = floats(ends, "ends")
    if first.shape != last.shape:
        raise ValueError(f"starts have the shape {first.shape}, but ends {last.shape}")
    if first.shape == (n_columns,):
        return np.stack((first, last))[np.newaxis]
    if first.ndim != 2 or first.shape[1] != n_columns:
        raise ValueError(
            f"starts have the shape {first.shape}, not (Q, {n_columns}): the robot has {n_columns} columns"
        )
    return np.stack((first, last), axis=1)


def pose(value: Any, what: str) -> list[list[float]]:
    """A pose as the rows of a matrix: None, a 4×4 matrix, or x y z (metres) roll pitch yaw (radians)."""
    return [[float(x) for x in row] for row in _matrix(value, what)]


def _matrix(value: Any, what: str) -> Floats:
    if value is None:
        return np.eye(4)
    array = floats(value, what)
    if array.shape == (6,):
        return _of_angles(array)
    if array.shape != (4, 4):
        raise ValueError(
            f"{what} has the shape {array.shape}, not (4, 4) for a matrix or (6,) for x y z roll pitch yaw"
        )
    if not np.array_equal(array[3], [0.0, 0.0, 0.0, 1.0]):
        raise ValueError(f"{what} is not a pose: its last row is {array[3].tolist()}, not [0, 0, 0, 1]")
    return array


def _of_angles(pose: Floats) -> Floats:
    (sr, sp, sy), (cr, cp, cy) = np.sin(pose[3:]), np.cos(pose[3:])
    matrix = np.eye(4)
    matrix[:3, :3] = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    matrix[:3, 3] = pose[:3]
    return matrix


def triangles(vertices: Any, faces: Any = None) -> Floats:
    """Triangles of shape (n, 3, 3), from such an array, or from vertices (V, 3) and face indices (n, 3)."""
    if faces is None:
        return shaped(vertices, (None, 3, 3), "triangles")
    points, indices = shaped(vertices, (None, 3), "vertices"), integers(faces, "faces")
    if indices.ndim != 2 or indices.shape[1] != 3:
        raise ValueError(f"faces have the shape {indices.shape}, not (n, 3)")
    if indices.size and (indices.min() < 0 or indices.max() >= len(points)):
        raise ValueError(f"faces refer to vertices {indices.min()} to {indices.max()}, but there are {len(points)}")
    return np.asarray(points[indices], dtype=np.float64)


def configurations(value: Any, n_columns: int, what: str) -> Floats:
    """Configurations of shape (n, D)."""
    return shaped(value, (None, n_columns), what)
