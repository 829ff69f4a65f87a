"""Files of NumPy: arrays, and archives of arrays, which may be sparse matrices of scipy.

No size that a file declares is trusted. scipy is not used here, because its compiled code trusts index
arrays and writes outside its memory if they are damaged. All index arrays are checked before they are used.
"""

from __future__ import annotations

import io
import math
import zipfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.edge_pairs import (
    MAX_ENTRIES,
    EdgePairs,
    check_square,
    from_entries,
    from_matrix,
)
from netchoice.errors import NetworkFormatError
from netchoice.io.guard import EDGE, MemoryLimit
from netchoice.network_objects import from_array

#: The longest header: a longer one describes a structured type, which no network has.
_MAX_HEADER = 10_000
SPARSE_FORMATS = ("csr", "csc", "coo")
_NAMES = {"format", "shape", "data", "indices", "indptr", "row", "col", "coords"} | {
    "edges",
    "adjacency",
}


def parse_npy(content: bytes, limit: MemoryLimit) -> EdgePairs:
    """Parse an array: a square one is an adjacency matrix, others have one edge per row."""
    array = read_array(content)
    check_entries(array, limit)
    return from_array(array)


def read_array(content: bytes) -> NDArray[Any]:
    """Return the array of a ``.npy`` file; its header must describe the bytes that follow."""
    file = io.BytesIO(content)
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0
    if version != (1, 0):
        read = np.lib.format.read_array_header_2_0
    shape, by_column, dtype = read(file, max_header_size=_MAX_HEADER)
    n_items = math.prod(map(int, shape))
    if dtype.hasobject or not dtype.itemsize or dtype.fields is not None or n_items < 0:
        raise ValueError(f"an array of type {str(dtype)[:40]}; numbers or texts are needed")
    start = file.tell()
    if n_items * dtype.itemsize > len(content) - start:
        raise ValueError(f"an array of shape {shape} in {len(content)} bytes")
    array: NDArray[Any] = np.frombuffer(content, dtype, n_items, start)
    return array.reshape(shape, order="F" if by_column else "C")


def check_entries(array: NDArray[Any], limit: MemoryLimit) -> None:
    """Raise an error if the entries of an array other than 0 need more memory than the limit."""
    n_entries = int(np.count_nonzero(array)) if array.dtype.kind in "biufc" else array.size
    limit.check(EDGE * n_entries, f"{n_entries} entries")


def parse_npz(content: bytes, limit: MemoryLimit) -> EdgePairs:
    """Parse a scipy sparse matrix, or an array named ``edges`` (m × 2) or ``adjacency`` (square)."""
    arrays: dict[str, Any] = {}
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        members = {info.filename.removesuffix(".npy"): info for info in file.infolist()}
        wanted = [info for name, info in members.items() if name in _NAMES]
        limit.check(2 * sum(info.file_size for info in wanted), "its arrays")
        for name, info in members.items():
            arrays[name] = _member(file, info) if name in _NAMES else None
    for name in ("adjacency", "edges", "data"):
        if isinstance(arrays.get(name), np.ndarray):
            check_entries(arrays[name], limit)
    return _edge_pairs(arrays)


def _member(file: zipfile.ZipFile, info: zipfile.ZipInfo) -> NDArray[Any] | None:
    """Return an array of an archive, None if the member is no array."""
    with file.open(info) as member:
        content = member.read(info.file_size + 1)
    return read_array(content) if content.startswith(np.lib.format.MAGIC_PREFIX) else None


def _edge_pairs(arrays: dict[str, Any]) -> EdgePairs:
    if "format" in arrays and "shape" in arrays:
        return _from_sparse(arrays)
    if "adjacency" in arrays:
        return from_matrix(_array(arrays, "adjacency", 2, "biufc"))
    if "edges" not in arrays:
        raise NetworkFormatError(
            f"arrays {', '.join(sorted(arrays)) or 'none'}; expected a scipy sparse matrix, "
            "or an array called 'edges' (m × 2 integers) or 'adjacency' (square)"
        )
    edges = _array(arrays, "edges", 2, "iu")
    if edges.shape[1] != 2:
        raise NetworkFormatError(f"'edges' has shape {edges.shape}; expected m × 2 integers")
    if edges.size and (edges.min() < 0 or edges.max() >= MAX_ENTRIES):
        raise NetworkFormatError("'edges' has ids below 0 or above 2³¹; node ids start at 0")
    return EdgePairs(edges, None)


def _damage(found: str, expected: str) -> NetworkFormatError:
    return NetworkFormatError(
        f"not readable as npz: {found}; expected {expected}; "
        "save the matrix again: scipy.sparse.save_npz(path, matrix.tocsr())"
    )


def _array(arrays: dict[str, Any], name: str, n_dimensions: int, kinds: str) -> NDArray[Any]:
    """Return an array after checking its dimensions and its type."""
    array = arrays.get(name)
    what = "integers" if kinds == "iu" else "numbers"
    expected = f"{what} in {n_dimensions} dimension{'s' * (n_dimensions > 1)}"
    if not isinstance(array, np.ndarray):
        raise _damage(f"no array '{name}'", expected)
    if array.ndim != n_dimensions or array.dtype.kind not in kinds:
        raise _damage(f"'{name}' has shape {array.shape} and type {array.dtype}", expected)
    return array


def _integers(
    arrays: dict[str, Any], name: str, low: int, high: int, n_dimensions: int = 1
) -> NDArray[np.int64]:
    """Return an array of integers after checking that all are at least low and below high."""
    array = _array(arrays, name, n_dimensions, "iu")
    if array.size:
        smallest, largest = int(array.min()), int(array.max())
        if smallest < low or largest >= high:
            raise _damage(
                f"'{name}' has integers from {smallest} to {largest}", f"{low} to {high - 1}"
            )
    return array.astype(np.int64)


def _check_length(name: str, length: int, expected: int) -> None:
    if length != expected:
        raise _damage(f"'{name}' has length {length}", str(expected))


def _from_sparse(arrays: dict[str, Any]) -> EdgePairs:
    format = _sparse_format(arrays["format"])
    shape = _integers(arrays, "shape", 0, MAX_ENTRIES)
    check_square(tuple(shape.tolist()))
    n_nodes = int(shape[0])
    data = _array(arrays, "data", 1, "biufc")
    if format != "coo":
        column = _integers(arrays, "indices", 0, n_nodes)
        row = _compressed_rows(arrays, n_nodes, len(data))
        row, column = (row, column) if format == "csr" else (column, row)
    elif "coords" in arrays:
        coords = _integers(arrays, "coords", 0, n_nodes, n_dimensions=2)
        _check_length("coords", len(coords), 2)
        row, column = coords
    else:
        row = _integers(arrays, "row", 0, n_nodes)
        column = _integers(arrays, "col", 0, n_nodes)
    _check_length("rows", len(row), len(data))
    _check_length("columns", len(column), len(data))
    return from_entries(row, column, data, n_nodes)


def _sparse_format(array: Any) -> str:
    value = array.item() if isinstance(array, np.ndarray) and array.size == 1 else None
    format = value.decode("latin-1") if isinstance(value, bytes) else value
    if format not in SPARSE_FORMATS:
        raise _damage(f"format {ascii(format)[:60]}", f"one of {', '.join(SPARSE_FORMATS)}")
    return str(format)


def _compressed_rows(arrays: dict[str, Any], n_rows: int, n_entries: int) -> NDArray[np.int64]:
    """Return the row of each entry of compressed rows."""
    indptr = _integers(arrays, "indptr", 0, n_entries + 1)
    _check_length("indptr", len(indptr), n_rows + 1)
    lengths = np.diff(indptr)
    if indptr[0] != 0 or indptr[-1] != n_entries or (lengths < 0).any():
        raise _damage(
            f"'indptr' starts at {indptr[0]}, ends at {indptr[-1]} and has "
            f"{np.count_nonzero(lengths < 0)} decreases",
            f"0 to {n_entries} without decreases",
        )
    return np.repeat(np.arange(n_rows), lengths)
