"""Arrays of NumPy, read without trust in the sizes that they declare."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.edge_pairs import EdgePairs
from netchoice.io.memory_limit import EDGE, MemoryLimit
from netchoice.network_objects import from_array

#: The longest header: a longer one describes a structured type, which no network has.
_MAX_HEADER = 10_000


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
    n_items = 1
    for size in shape:
        n_items *= int(size)
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
