"""The MatrixMarket format.

scipy is not used here, because its reader crashes on files that end inside a number, and accepts
arrays with missing values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.edge_pairs import EdgePairs, from_entries, from_incidence
from netchoice.errors import NetworkFormatError
from netchoice.io.guard import MemoryLimit, not_readable

FIELDS = ("real", "double", "integer", "unsigned-integer", "pattern")
SYMMETRIES = ("general", "symmetric", "skew-symmetric")
#: Memory per byte of a file.
_COPIES = 150
#: A longer integer does not fit into 64 bits.
_MAX_DIGITS = 18


@dataclass(frozen=True)
class _Header:
    field: str
    symmetry: str
    shape: tuple[int, int]
    n_entries: int
    first_line: int  # the number of the first line of the body


def parse_matrix_market(content: bytes, limit: MemoryLimit) -> EdgePairs:
    """Parse MatrixMarket: non-zero entries are edges; if not square, rows and columns are different nodes."""
    limit.check(_COPIES * len(content), f"{len(content)} bytes")
    path = limit.path
    text = content.decode("latin-1").removeprefix("ï»¿")  # the mark of UTF-8
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    header = _read_header(lines, path)
    numbers = _read_numbers(lines, header, path)
    row, column = _coordinates(numbers, lines, header, path)
    data = np.ones(len(row)) if header.field == "pattern" else numbers[:, -1]
    if header.symmetry != "general":
        off = row != column
        mirrored = -data[off] if header.symmetry == "skew-symmetric" else data[off]
        row, column = np.append(row, column[off]), np.append(column, row[off])
        data = np.append(data, mirrored)
    if header.shape[0] != header.shape[1]:
        return from_incidence(row, column, data, header.shape)
    return from_entries(row, column, data, header.shape[0])


def lacks_sizes(content: bytes) -> bool:
    """Return whether a MatrixMarket file has entries, but no line with the sizes of the matrix.

    The sizes are three numbers. An entry of a matrix without values has two; and if an entry has three,
    its indices are seldom equal, or its value is not the number of the other lines.
    """
    banner, *lines = content.strip().split(b"\n", 1000)[:1000]
    rows = [line.split() for line in lines if line.strip() and not line.lstrip().startswith(b"%")]
    words = banner.lower().split()
    width = 2 if b"pattern" in words else 3
    if len(rows) < 2 or b"coordinate" not in words or any(len(row) != width for row in rows):
        return False
    if width == 2:
        return True
    n_comments = 1 + len(lines) - len(rows)
    n_entries = content.strip().count(b"\n") - n_comments
    return rows[0][0] != rows[0][1] and rows[0][2] != str(n_entries).encode()


def _damage(path: str, line: int, found: str, expected: str) -> NetworkFormatError:
    reason = f"found {found}; expected {expected}"
    return not_readable(f"{path}, line {line}", "MatrixMarket", reason)


def _quoted(line: str) -> str:
    return ascii(line.strip()[:60])


def _read_header(lines: list[str], path: str) -> _Header:
    """Read the banner and the sizes; comments and blank lines may be between them."""
    present = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    number, banner = next(present, (1, ""))
    words = banner.lower().split()
    choices = (("%%matrixmarket",), ("matrix",), ("coordinate",), FIELDS, SYMMETRIES)
    if len(words) < len(choices) or any(
        word not in choice for word, choice in zip(words, choices, strict=False)
    ):
        expected = " ".join("|".join(choice) for choice in choices[1:])
        convert = " (in Python: scipy.io.mmwrite(path, scipy.sparse.coo_array(matrix)))"
        raise _damage(path, number, _quoted(banner), f"%%MatrixMarket {expected}{convert}")
    number, line = next(
        (each for each in present if not each[1].lstrip().startswith("%")), (len(lines), "")
    )
    sizes = line.split()
    if len(sizes) != 3 or not all(size.isdecimal() and len(size) <= _MAX_DIGITS for size in sizes):
        found = _quoted(line) if sizes else "no line with sizes"
        raise _damage(path, number, found, "rows, columns, entries as integers")
    n_rows, n_columns, n_entries = map(int, sizes)
    field, symmetry = words[3:5]
    if n_rows != n_columns and symmetry != "general":
        found = f"{n_rows} rows and {n_columns} columns"
        raise _damage(path, number, found, "a square matrix, or a general one")
    return _Header(field, symmetry, (n_rows, n_columns), n_entries, number + 1)


def _read_numbers(lines: list[str], header: _Header, path: str) -> NDArray[np.float64]:
    """Return the numbers of each entry; further numbers on a line are ignored."""
    width = 2 + (header.field != "pattern")
    body = lines[header.first_line - 1 :]
    try:
        numbers = np.loadtxt(body, usecols=range(width), comments=None, ndmin=2)
    except ValueError as error:
        for number, line in enumerate(body, header.first_line):
            cells = line.split()
            if cells and (len(cells) < width or not all(map(_is_number, cells[:width]))):
                raise _damage(path, number, _quoted(line), f"{width} numbers") from None
        raise _damage(path, header.first_line, str(error), f"{width} numbers in a line") from None
    numbers = numbers.reshape(-1, width)
    if len(numbers) != header.n_entries:
        found = f"the end of the file after {len(numbers)} entries"
        raise _damage(path, len(lines), found, f"{header.n_entries}, as the sizes say")
    return numbers


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def _coordinates(
    numbers: NDArray[Any], lines: list[str], header: _Header, path: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    indices = numbers[:, :2]
    is_inside = (indices >= 1) & (indices <= header.shape) & (indices % 1 == 0)
    if not is_inside.all():
        k = int(is_inside.all(axis=1).argmin())
        i, j = (f"{index:.15g}" for index in indices[k].tolist())
        body = enumerate(lines[header.first_line - 1 :], header.first_line)
        line = [number for number, line in body if line.strip()][k]
        sizes = " and ".join(map(str, sorted({*header.shape})))
        expected = f"integers from 1 to {sizes}, as the sizes say"
        raise _damage(path, line, f"row {i} and column {j}", expected)
    row, column = indices.T.astype(np.int64) - 1
    return row, column
