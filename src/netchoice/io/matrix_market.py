"""The MatrixMarket format.

scipy is not used here, because its reader crashes on files that end inside a number, and accepts
arrays with missing values.
"""

from __future__ import annotations

import io
import re
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.edge_pairs import (
    MAX_ENTRIES,
    EdgePairs,
    from_entries,
    from_incidence,
)  # fmt: skip
from netchoice.errors import NetworkFormatError

FORMATS = ("coordinate", "array")
#: The type of the numbers, and how many numbers an entry has, by field.
FIELDS: dict[str, tuple[type, int]] = {
    "real": (np.float64, 1),
    "double": (np.float64, 1),
    "integer": (np.int64, 1),
    "unsigned-integer": (np.uint64, 1),
    "complex": (np.float64, 2),
    "pattern": (np.int64, 0),
}
SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")
_INTEGER = re.compile(rb"[+-]?[0-9]{1,20}")
_REAL = re.compile(
    rb"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf|infinity|nan)", re.IGNORECASE
)
#: Characters of numbers and between them; a file with others is read line by line.
_USUAL = b"0123456789+-.eEinfatyINFATY \t\n"
#: Integers with at most this many characters fit into 64 bits.
_SAFE_LENGTH = 18


@dataclass(frozen=True)
class _Header:
    format: str
    field: str
    symmetry: str
    shape: tuple[int, int]
    n_lines: int  # lines of the body, one entry each
    first_line: int  # the number of the first line of the body
    path: str

    @property
    def n_indices(self) -> int:
        return 2 if self.format == "coordinate" else 0

    @property
    def width(self) -> int:
        """Numbers per line."""
        return self.n_indices + FIELDS[self.field][1]

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(FIELDS[self.field][0])


def parse_matrix_market(content: bytes, path: str) -> EdgePairs:
    """Parse MatrixMarket: non-zero entries are edges; if not square, rows and columns are different nodes."""
    shape, row, column, data = read_entries(content, path)
    try:
        if shape[0] != shape[1]:
            return from_incidence(row, column, data, shape)
        return from_entries(row, column, data, shape[0])
    except NetworkFormatError as error:
        raise NetworkFormatError(f"{path}: {error}") from error


def read_entries(
    content: bytes, path: str
) -> tuple[tuple[int, int], NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
    """Return the shape of a matrix, and rows, columns and values of its stored entries."""
    header, body = _read_header(content, path)
    table = _read_table(body, header)
    if table is None:
        table = _read_lines(body, header)
    numbers, lines = table
    if header.format == "coordinate":
        row, column = _coordinates(numbers, lines, header)
    else:
        row, column = _positions(header.shape[0], header.symmetry)
    if header.field == "pattern":
        data: NDArray[Any] = np.ones(len(row))
    elif header.field == "complex":
        data = np.ascontiguousarray(numbers[:, -2:]).view(np.complex128)[:, 0]
    else:
        data = numbers[:, -1]
    if header.symmetry == "general":
        return header.shape, row, column, data
    off = row != column
    mirrored = data[off]
    if header.symmetry == "skew-symmetric":
        mirrored = -mirrored
    elif header.symmetry == "hermitian":
        mirrored = mirrored.conj()
    return (
        header.shape,
        np.concatenate([row, column[off]]),
        np.concatenate([column, row[off]]),
        np.concatenate([data, mirrored]),
    )


def _damage(path: str, line: int, found: str, expected: str) -> NetworkFormatError:
    return NetworkFormatError(
        f"{path}, line {line}: not readable as MatrixMarket: found {found}; expected {expected}; "
        "check that the file is complete, or pass its actual format"
    )


def _quoted(line: bytes) -> str:
    return ascii(line[:60].decode("latin-1"))


def _read_header(content: bytes, path: str) -> tuple[_Header, bytes]:
    """Read the banner, comments and sizes; return them and the remaining text."""
    text = content.removeprefix(b"\xef\xbb\xbf")
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    lines = io.BytesIO(text)
    number, banner = _next_line(lines, 1, b"")
    if not banner.lower().startswith(b"%%matrixmarket"):
        raise NetworkFormatError(
            f"{path}: the first line does not start with %%MatrixMarket; "
            "check that the file is complete, or pass its actual format"
        )
    words = banner.decode("latin-1").lower().split()
    choices = (("%%matrixmarket",), ("matrix",), FORMATS, tuple(FIELDS), SYMMETRIES)
    if len(words) < len(choices) or any(
        word not in choice for word, choice in zip(words, choices, strict=False)
    ):
        expected = " ".join("|".join(choice) for choice in choices[1:])
        raise _damage(path, number, _quoted(banner), f"%%MatrixMarket {expected}")
    format, field, symmetry = words[2:5]
    if format == "array" and field == "pattern":
        raise _damage(path, number, "an array of field pattern", "coordinate, or another field")
    if symmetry == "skew-symmetric" and field == "unsigned-integer":
        raise _damage(path, number, "skew-symmetric unsigned integers", "integer")
    number, line = _next_line(lines, number + 1, b"%")
    sizes = line.split()
    wanted = "rows, columns, entries" if format == "coordinate" else "rows, columns"
    if len(sizes) != wanted.count(",") + 1 or not all(map(_is_index, sizes)):
        found = _quoted(line) if sizes else "no line with sizes"
        raise _damage(path, number, found, f"{wanted} as integers")
    n_rows, n_columns, *n_entries = map(int, sizes)
    if n_rows != n_columns and (format == "array" or symmetry != "general"):
        found = f"{n_rows} rows and {n_columns} columns"
        raise _damage(path, number, found, "a square matrix, or coordinate and general")
    if n_rows + n_columns >= 2 * MAX_ENTRIES:
        raise _damage(path, number, f"{n_rows} rows", f"at most {MAX_ENTRIES - 1}")
    n_lines = n_entries[0] if n_entries else _array_length(n_rows, symmetry)
    return _Header(
        format, field, symmetry, (n_rows, n_columns), n_lines, number + 1, path
    ), lines.read()


def _next_line(lines: io.BytesIO, number: int, comment: bytes) -> tuple[int, bytes]:
    """Return the next line that is neither blank nor a comment, with its number."""
    for line in lines:
        content = line.strip()
        if content and not (comment and content.startswith(comment)):
            return number, content
        number += 1
    return number, b""


def _is_index(cell: bytes) -> bool:
    return cell.isdigit() and len(cell) <= _SAFE_LENGTH


def _array_length(n: int, symmetry: str) -> int:
    if symmetry == "general":
        return n * n
    return n * (n - 1) // 2 if symmetry == "skew-symmetric" else n * (n + 1) // 2


def _positions(n: int, symmetry: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows and columns of the values of an array, which are stored by column."""
    if symmetry == "general":
        column, row = np.divmod(np.arange(n * n), max(n, 1))
    else:
        column, row = np.triu_indices(n, 1 if symmetry == "skew-symmetric" else 0)
    return row, column


def _coordinates(
    numbers: NDArray[Any], lines: NDArray[np.int64], header: _Header
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    indices = numbers[:, :2]
    outside = np.flatnonzero(((indices < 1) | (indices > header.shape)).any(axis=1))
    if len(outside):
        i, j = (int(index) for index in indices[outside[0]])
        sizes = " and ".join(map(str, sorted({*header.shape})))
        expected = f"indices from 1 to {sizes}, as the sizes say"
        line = int(lines[outside[0]])
        raise _damage(header.path, line, f"row {i} and column {j}", expected)
    row, column = indices.T.astype(np.int64) - 1
    return row, column


def _read_table(body: bytes, header: _Header) -> tuple[NDArray[Any], NDArray[np.int64]] | None:
    """Return the numbers and the line of each entry, or None unless all lines are as expected."""
    width, dtype = header.width, header.dtype
    if header.n_lines == 0 or len(body) < 2 * width * header.n_lines - 1:
        return None
    if body.translate(None, _USUAL):
        return None
    characters = np.frombuffer(b"\n" + body + b"\n", np.uint8)
    blank = characters <= ord(" ")
    starts = np.flatnonzero(blank[:-1] & ~blank[1:]) + 1
    if len(starts) != width * header.n_lines:
        return None
    breaks = np.flatnonzero(characters == ord("\n"))
    first, last = (np.searchsorted(breaks, starts[k::width]) for k in (0, width - 1))
    if (first != last).any() or (np.diff(first) < 1).any():
        return None
    try:
        if dtype.kind == "f":
            return _floats(body.split(), header), first + header.first_line - 1
        ends = np.flatnonzero(~blank[:-1] & blank[1:]) + 1
        if (ends - starts).max() > _SAFE_LENGTH or (dtype.kind == "u" and b"-" in body):
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            numbers = np.fromstring(body.decode("ascii"), dtype, sep=" ")
    except (DeprecationWarning, OverflowError, ValueError):
        return None
    if len(numbers) != len(starts):
        return None
    return numbers.reshape(-1, width), first + header.first_line - 1


def _floats(cells: list[bytes], header: _Header) -> NDArray[np.float64]:
    """Return the numbers of cells; np.fromstring takes longer, and accepts 1.0 as an index."""
    numbers = np.empty((header.n_lines, header.width))
    for k in range(header.width):
        convert = int if k < header.n_indices else float
        numbers[:, k] = np.fromiter(map(convert, cells[k :: header.width]), float, header.n_lines)
    return numbers


def _read_lines(body: bytes, header: _Header) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Read line by line: a slower way for unusual lines, which finds the line of any damage.

    Further numbers on a line with coordinates are ignored.
    """
    path, width = header.path, header.width
    numbers: list[float] = []
    lines: list[int] = []
    number = header.first_line
    for number, line in enumerate(body.split(b"\n"), header.first_line):
        cells = line.split()
        if not cells:
            continue
        if len(lines) == header.n_lines:
            expected = f"{header.n_lines} entries, as the sizes say"
            raise _damage(path, number, "a further line", expected)
        if len(cells) < width or (len(cells) > width and header.format == "array"):
            raise _damage(path, number, _quoted(line.strip()), f"{width} number{'s' * (width > 1)}")
        try:
            numbers += [_index(cell) for cell in cells[: header.n_indices]]
            numbers += [_number(cell, header.dtype) for cell in cells[header.n_indices : width]]
        except ValueError as error:
            raise _damage(path, number, _quoted(line.strip()), str(error)) from None
        lines.append(number)
    if len(lines) < header.n_lines:
        found = f"the end of the file after {len(lines)} entries"
        raise _damage(path, number, found, f"{header.n_lines}, as the sizes say")
    return np.array(numbers, header.dtype).reshape(-1, width), np.array(lines, np.int64)


def _index(cell: bytes) -> int:
    if not _is_index(cell.removeprefix(b"+")):
        raise ValueError("two indices, integers from 1, at the start of the line")
    return int(cell)


def _number(cell: bytes, dtype: np.dtype[Any]) -> float:
    if dtype.kind == "f":
        if not _REAL.fullmatch(cell):
            raise ValueError("a number such as 1.5 or -2e3")
        return float(cell)
    limits = np.iinfo(dtype)
    if not _INTEGER.fullmatch(cell) or not limits.min <= int(cell) <= limits.max:
        raise ValueError(f"an integer from {limits.min} to {limits.max}, or the field real")
    return int(cell)
