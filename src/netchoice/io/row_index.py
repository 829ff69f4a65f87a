"""Where the rows of each network are in a text file of many networks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import NetworkFormatError
from netchoice.io.edge_lists import COMMENTS, split_cells

#: Bytes that are indexed at once; larger blocks do not fit into the caches of the processor.
BLOCK = 1 << 21
MAX_LINE = 1 << 24  # bytes
#: Longer cells are compared one by one.
_MAX_CELL = 64
_WORD = 8  # bytes that are compared at once
_MASKS = np.array([(1 << 8 * n) - 1 for n in range(_WORD + 1)], np.uint64)
#: Lines that start with other bytes may be comments or empty.
_USUAL = np.array([byte > 32 and byte not in b"#%" for byte in range(256)])

#: Byte ranges of rows: the first byte, the byte after the last, and the number of the first line.
Ranges = tuple[tuple[int, int, int], ...]
_Ints = NDArray[np.int64]


@dataclass(frozen=True)
class RowIndex:
    """The byte ranges of the rows of each network, in flat arrays."""

    graphs: list[str]  # by first appearance
    runs: _Ints  # of shape (r, 3), sorted by network
    first_run: _Ints  # of each network, then r

    def ranges(self, i: int) -> Ranges:
        """Return the byte ranges of one network."""
        rows = self.runs[self.first_run[i] : self.first_run[i + 1]].tolist()
        return tuple((start, end, line) for start, end, line in rows)


@dataclass(frozen=True)
class RowFormat:
    """How to find the name of the network in a row."""

    delimiter: str | None
    width: int
    column: int  # the cell that decides to which network a row belongs
    newline: bytes
    graph_of: Callable[[str], str | None]  # the network's name; None for that of the row before


def index_rows(
    file: BinaryIO, name: str, start: int, line: int, format: RowFormat, block_size: int = BLOCK
) -> RowIndex:
    """Read a file once from a byte on, and return where the rows of each network are.

    A row whose network is unknown counts as a row of the network before it, so that reading this
    network raises the error.
    """
    codes: dict[str, int] = {}
    starts, lines, networks = [], [], []
    last = -1
    end = start
    for end, block in _blocks(file, name, start, format.newline, block_size):
        block_starts, positions, block_codes, n_lines = _runs(block, format, codes)
        _fill(block_codes, last, codes)
        is_new = block_codes != np.append(last, block_codes)[:-1]
        starts.append(block_starts[is_new] + end - len(block))
        lines.append(positions[is_new] + line)
        networks.append(block_codes[is_new])
        line += n_lines
        last = int(block_codes[-1]) if len(block_codes) else last
    if not codes:
        raise NetworkFormatError(f"{name}: a header and no rows; expected the edges of networks")
    return _sorted_index(
        np.concatenate(starts), np.concatenate(lines), np.concatenate(networks), end, list(codes)
    )


def _blocks(
    file: BinaryIO, name: str, start: int, newline: bytes, size: int
) -> Iterator[tuple[int, bytes]]:
    """Yield blocks of complete lines, each with the position of its end."""
    file.seek(start)
    rest = b""
    while new := file.read(size):
        block = rest + new
        cut = block.rfind(newline) + 1
        block, rest = block[:cut], block[cut:]
        if len(rest) > MAX_LINE:
            raise NetworkFormatError(
                f"{name}: a line has more than {MAX_LINE >> 20} MB; expected one edge per line"
            )
        if block:
            start += len(block)
            yield start, block
    if rest:
        yield start + len(rest) + 1, rest + newline


def _runs(
    block: bytes, format: RowFormat, codes: dict[str, int]
) -> tuple[_Ints, _Ints, _Ints, int]:
    """Return where runs of rows with the same cell start, their lines and codes, and all lines.

    The code is −1 if the network is unknown.
    """
    data = np.frombuffer(block, np.uint8)
    is_end = data == format.newline[0]
    marks = np.flatnonzero(is_end | (data == ord(format.delimiter or " ")))
    last = np.flatnonzero(is_end[marks])  # the last mark of each line
    first = np.concatenate([[0], last[:-1] + 1])
    ends = marks[last]
    starts = np.concatenate([[0], ends[:-1] + 1])
    regular = (last - first == format.width - 1) & _USUAL[data[starts]]
    column = format.column
    cell_starts = marks[np.minimum(first + column - 1, last)] + 1 if column else starts
    lengths = marks[np.minimum(first + column, last)] - cell_starts
    regular &= lengths <= _MAX_CELL

    rows = np.flatnonzero(regular)
    keys = _keys(block, cell_starts[rows], lengths[rows])
    is_new = np.ones(len(rows), bool)
    is_new[1:] = (keys[1:] != keys[:-1]).any(axis=1) | (np.diff(rows) > 1)
    odd_rows, odd_codes = _odd_rows(block, starts, ends, np.flatnonzero(~regular), format, codes)
    positions = np.concatenate([rows[is_new], odd_rows])
    found = np.concatenate([_encode(keys[is_new], format, codes), odd_codes])
    order = np.argsort(positions)
    positions = positions[order]
    return starts[positions], positions, found[order], len(ends)


def _odd_rows(
    block: bytes, starts: _Ints, ends: _Ints, rows: _Ints, format: RowFormat, codes: dict[str, int]
) -> tuple[_Ints, _Ints]:
    """Return the lines that are neither empty nor comments, and their codes, one by one."""
    found = []
    for row in rows.tolist():
        line = block[starts[row] : ends[row]].decode("utf-8", "replace")
        if line.strip() and not line.lstrip().startswith(COMMENTS):
            found.append((row, _code(_cell(line, format.column, format), format, codes)))
    table = np.array(found, np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def _keys(block: bytes, starts: _Ints, lengths: _Ints) -> NDArray[np.uint64]:
    """Return the cells as words of 8 bytes, padded with zeros, of shape (n, words)."""
    n_words = max(1, -(-int(lengths.max(initial=0)) // _WORD))
    text = block + bytes(_WORD)
    words = np.ndarray((len(block),), "<u8", buffer=text, strides=(1,))  # one from each byte on
    keys = np.empty((len(starts), n_words), np.uint64)
    for word in range(n_words):
        places = np.minimum(starts + _WORD * word, len(block) - 1)
        keys[:, word] = words[places] & _MASKS[np.clip(lengths - _WORD * word, 0, _WORD)]
    return keys


def _encode(keys: NDArray[np.uint64], format: RowFormat, codes: dict[str, int]) -> _Ints:
    """Return the code of the network of each key; each distinct key is decoded once."""
    import pyarrow as pa

    width = keys.shape[1] * _WORD
    buffer = pa.py_buffer(np.ascontiguousarray(keys, "<u8"))
    array = pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), len(keys), [None, buffer])
    encoded = array.dictionary_encode()
    cells = [
        cell.rstrip(b"\0").decode("utf-8", "replace") for cell in encoded.dictionary.to_pylist()
    ]
    values = [_code(_cell(cell, 0, format), format, codes) for cell in cells]
    numbers: NDArray[np.int32] = encoded.indices.to_numpy()
    return np.array(values, np.int64)[numbers]


def _cell(line: str, column: int, format: RowFormat) -> str | None:
    try:
        cells = split_cells(line, format.delimiter, "")
    except NetworkFormatError:
        return None
    return cells[column] if len(cells) > column else None


def _code(cell: str | None, format: RowFormat, codes: dict[str, int]) -> int:
    graph = None if cell is None else format.graph_of(cell)
    return -1 if graph is None else codes.setdefault(graph, len(codes))


def _fill(block_codes: _Ints, last: int, codes: dict[str, int]) -> None:
    """Replace −1 by the code before it, in place."""
    if not len(block_codes):
        return
    if block_codes[0] < 0:
        block_codes[0] = last if last >= 0 else codes.setdefault("", len(codes))
    known = np.maximum.accumulate(np.where(block_codes >= 0, np.arange(len(block_codes)), 0))
    block_codes[:] = block_codes[known]


def _sorted_index(
    starts: _Ints, lines: _Ints, codes: _Ints, end: int, graphs: list[str]
) -> RowIndex:
    """Sort runs by the first appearance of their network."""
    runs = np.column_stack([starts, np.append(starts[1:], end), lines])
    _, first = np.unique(codes, return_index=True)
    by_appearance = np.argsort(first)
    rank = np.empty(len(graphs), np.int64)
    rank[by_appearance] = np.arange(len(graphs))
    ranks = rank[codes]
    first_run = np.concatenate([[0], np.cumsum(np.bincount(ranks, minlength=len(graphs)))])
    runs = runs[np.argsort(ranks, kind="stable")]
    return RowIndex([graphs[i] for i in by_appearance], runs, first_run)
