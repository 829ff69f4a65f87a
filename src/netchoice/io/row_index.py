"""Where the rows of each network are in a text file of many networks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import NetworkFormatError
from netchoice.io.text_tables import is_comment, split_cells

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
    """The byte ranges of the rows of each network, in flat arrays; networks have numbers."""

    starts: _Ints  # of runs of rows, sorted by network
    ends: _Ints
    lines: _Ints
    first_run: _Ints  # of each network, then the number of runs
    by_appearance: _Ints  # the networks that have rows

    def ranges(self, network: int) -> Ranges:
        """Return the byte ranges of one network, none if it has no rows."""
        if network + 1 >= len(self.first_run):
            return ()
        runs = slice(self.first_run[network], self.first_run[network + 1])
        columns = (self.starts[runs], self.ends[runs], self.lines[runs])
        return tuple(zip(*(column.tolist() for column in columns), strict=True))


class RowFormat(ABC):
    """How rows are separated into cells, and which cell decides to which network a row belongs."""

    def __init__(self, delimiter: str | None, newline: bytes, width: int, column: int) -> None:
        self.delimiter, self.newline, self.width, self.column = delimiter, newline, width, column

    def is_comment(self, line: str) -> bool:
        """Return whether a line is a comment."""
        return is_comment(line)

    @abstractmethod
    def number(self, cell: str) -> int:
        """Return the number of the network of a cell, −1 if it is unknown."""

    def numbers(self, cells: NDArray[np.bytes_]) -> Sequence[int] | _Ints:
        """Return the numbers of the networks of cells that may have quotation marks and spaces."""
        return [self.number_of_cell(cell.decode("utf-8", "replace"), 0) for cell in cells.tolist()]

    def number_of_cell(self, line: str, column: int) -> int:
        """Return the number of the network of one cell of a line, −1 if there is no such cell."""
        try:
            cells = split_cells(line, self.delimiter, "")
        except NetworkFormatError:
            return -1
        return self.number(cells[column]) if len(cells) > column else -1


def index_rows(
    file: BinaryIO, name: str, start: int, line: int, format: RowFormat, block_size: int = BLOCK
) -> RowIndex:
    """Read a file once from a byte on, and return where the rows of each network are.

    A row whose network is unknown counts as a row of the network before it (or after it, at the
    start), so that reading this network raises the error.
    """
    starts, lines, networks = [], [], []
    next_line, last, end = line, -1, start
    for end, block in _blocks(file, name, start, format.newline, block_size):
        block_starts, positions, numbers, n_lines = _runs(block, format)
        _fill(numbers, last)
        is_new = numbers != np.append(last, numbers)[:-1]
        starts.append(block_starts[is_new] + end - len(block))
        lines.append(positions[is_new] + next_line)
        networks.append(numbers[is_new])
        next_line += n_lines
        last = int(numbers[-1]) if len(numbers) else last
    if last < 0:
        raise NetworkFormatError(f"{name}: no rows of networks; expected their edges")
    all_starts, all_lines = np.concatenate(starts), np.concatenate(lines)
    all_starts[0], all_lines[0] = start, line  # rows before the first known network
    return _sorted_index(all_starts, all_lines, np.concatenate(networks), end)


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


def _runs(block: bytes, format: RowFormat) -> tuple[_Ints, _Ints, _Ints, int]:
    """Return where runs of rows with the same cell start, their lines and networks, and all lines."""
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
    odd_rows, odd_numbers = _odd_rows(block, starts, ends, np.flatnonzero(~regular), format)
    positions = np.concatenate([rows[is_new], odd_rows])
    numbers = np.concatenate([_numbers(keys[is_new], format), odd_numbers])
    order = np.argsort(positions, kind="stable")
    positions = positions[order]
    return starts[positions], positions, numbers[order], len(ends)


def _odd_rows(
    block: bytes, starts: _Ints, ends: _Ints, rows: _Ints, format: RowFormat
) -> tuple[_Ints, _Ints]:
    """Return the lines that are neither empty nor comments, and their networks, one by one."""
    found = []
    for row in rows.tolist():
        line = block[starts[row] : ends[row]].decode("utf-8", "replace")
        if line.strip() and not format.is_comment(line):
            found.append((row, format.number_of_cell(line, format.column)))
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


def _numbers(keys: NDArray[np.uint64], format: RowFormat) -> _Ints:
    """Return the number of the network of each key; each distinct key is decoded once."""
    import pyarrow as pa

    width = keys.shape[1] * _WORD
    buffer = pa.py_buffer(np.ascontiguousarray(keys, "<u8"))
    array = pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), len(keys), [None, buffer])
    encoded = array.dictionary_encode()
    cells = np.frombuffer(encoded.dictionary.buffers()[1], f"S{width}", len(encoded.dictionary))
    positions: NDArray[np.int32] = encoded.indices.to_numpy()
    return np.asarray(format.numbers(cells), np.int64)[positions]


def _fill(numbers: _Ints, last: int) -> None:
    """Replace −1 by the number before it, in place."""
    if len(numbers):
        numbers[0] = last if numbers[0] < 0 else numbers[0]
        known = np.maximum.accumulate(np.where(numbers >= 0, np.arange(len(numbers)), 0))
        numbers[:] = numbers[known]


def _sorted_index(starts: _Ints, lines: _Ints, networks: _Ints, end: int) -> RowIndex:
    """Sort runs by network."""
    ends = np.append(starts[1:], end)
    order = np.argsort(networks, kind="stable")
    counts = np.bincount(networks)
    first_run = np.concatenate([[0], np.cumsum(counts)])
    present = np.flatnonzero(counts)
    by_appearance = present[np.argsort(order[first_run[present]])]
    return RowIndex(starts[order], ends[order], lines[order], first_run, by_appearance)
