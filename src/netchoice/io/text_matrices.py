"""Matrices in text files, with or without labels: adjacency and incidence matrices."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from netchoice.edge_pairs import EdgePairs, from_entries, from_incidence
from netchoice.errors import NetworkFormatError
from netchoice.io.edge_lists import names_of_ends
from netchoice.io.text_tables import Table, is_missing, is_number

#: The least share of zeros in a matrix; a table of measurements has fewer.
_ZEROS = 0.2
#: Smaller tables of numbers may also be edge lists with weights.
_LARGE = 5


@dataclass(frozen=True)
class Layout:
    """Where the numbers of a matrix are in its table."""

    columns: list[str] | None  # labels of columns
    has_row_labels: bool
    n_columns: int
    n_rows: int

    @property
    def is_square(self) -> bool:
        """Whether there are as many rows as columns."""
        return self.n_rows == self.n_columns

    def numbers(self, row: list[str]) -> list[str]:
        """Return the cells of a row without its label and without empty cells at its end."""
        cells = row[1:] if self.has_row_labels else row
        end = len(cells)
        while end > self.n_columns and not cells[end - 1]:
            end -= 1
        return cells[:end]


def find_layout(table: Table) -> Layout | None:
    """Return where the numbers are, None if the table is no matrix of three or more columns."""
    rows = table.sample
    if len(rows) < 2 or table.width < 3:
        return None
    first, rest = rows[0], rows[1:]
    labels = [row[0] for row in rest]
    has_columns = (
        not all(map(_is_entry, first[1:])) or len(first) == table.width - 1 or not first[0]
    )
    has_rows = not all(map(_is_entry, labels))
    is_corner = not is_number(first[0])
    if is_corner and first[1:] == labels and len(set(labels)) == len(labels) > 2:  # even numbers
        has_columns = has_rows = True
    if has_columns and (not first[0] or len(first) == table.width - 1):
        has_rows = True
    # pandas may write the numbers of columns or rows, and not both.
    n_lines = len(table.lines)
    has_columns |= n_lines == table.width + 1 and _counts(first)
    has_rows |= n_lines + 1 == table.width and _counts([row[0] for row in rows])
    n_columns = table.width - has_rows
    columns = first[-n_columns:] if has_columns else None
    layout = Layout(columns, has_rows, n_columns, len(table.lines) - has_columns)
    body = rest if has_columns else rows
    if columns is not None and not len(columns) == n_columns <= len(first) <= table.width:
        return None
    for row in body:
        cells = layout.numbers(row)
        if len(cells) != n_columns or not all(map(_is_entry, cells)):
            return None
    return layout if n_columns > 1 and layout.n_rows > 1 else None


def guess_matrix(table: Table) -> tuple[str, str] | None:
    """Return the format of a matrix and the reason, None if the table is no matrix.

    The reason is "ambiguous" and what was found if the table may also be an edge list.
    """
    layout = find_layout(table)
    if layout is None:
        return None
    rows = table.sample[layout.columns is not None :]
    values = np.array([list(map(_value, layout.numbers(row))) for row in rows])
    shape = f"{layout.n_rows} × {layout.n_columns}"
    labels = [row[0] for row in rows] if layout.has_row_labels else None
    if layout.columns is not None and layout.is_square and labels == layout.columns[: len(rows)]:
        return "adjacency", f"{shape} numbers with the same labels of rows and columns"
    names_columns = layout.columns is not None and labels is None
    if names_columns and names_of_ends(layout.columns or ()) is not None:
        return None  # three edges with weights, for example
    zeros = float((values == 0).mean())
    is_symmetric = len(values) == layout.n_columns and np.array_equal(values, values.T)
    is_binary = bool(np.isin(values, (0, 1)).all())
    is_sparse = zeros >= (0.5 if names_columns else _ZEROS)
    is_small = names_columns and max(layout.n_rows, layout.n_columns) < _LARGE
    doubt = "ambiguous: " if is_small and not (layout.is_square and is_symmetric) else ""
    if labels is None and layout.columns is None:
        return _guess_unlabelled(layout, values, zeros, is_symmetric, shape)
    has_both = labels is not None and layout.columns is not None
    if layout.is_square and not has_both and (is_symmetric or zeros >= _ZEROS):
        which = "row" if labels is not None else "column"
        return "adjacency", f"{doubt}{shape} numbers with one label for each {which}"
    if is_sparse or is_binary:
        of_what = "zeros and ones" if is_binary else f"numbers, {zeros:.0%} of them zero"
        return "incidence", f"{doubt}{shape} {of_what}, with labels"
    return None


def _guess_unlabelled(
    layout: Layout, values: NDArray[np.float64], zeros: float, is_symmetric: bool, shape: str
) -> tuple[str, str] | None:
    first = float((values[:, :2] == 0).mean())
    reason = f"{shape} numbers, {zeros:.0%} of them zero"
    if layout.is_square and (is_symmetric or (zeros >= _ZEROS and first > 0)):
        if layout.n_rows < _LARGE:
            return "adjacency", f"ambiguous: {reason}"
        return "adjacency", f"{reason}, in a {'symmetric' if is_symmetric else 'square'} table"
    is_small = layout.n_columns < _LARGE
    if zeros < (0.5 if is_small else _ZEROS) or first < 0.1:
        return None
    if is_small and layout.n_rows < 2 * _LARGE:
        return "incidence", f"ambiguous: {reason}"
    return "incidence", reason


def parse_adjacency(table: Table) -> EdgePairs:
    """Parse an adjacency matrix: rows and columns are the same nodes."""
    layout, row, column, data, labels = _entries(table)
    if not layout.is_square:
        raise NetworkFormatError(
            f"{table.path}: a matrix of {layout.n_rows} × {layout.n_columns} numbers; an adjacency matrix is "
            "square; if rows and columns are different nodes, pass --format incidence"
        )
    edges = from_entries(row, column, data, layout.n_rows)
    names = labels or layout.columns
    if labels and layout.columns and labels != layout.columns:
        raise NetworkFormatError(
            f"{table.path}: the labels of rows and columns differ; expected the same labels in an adjacency "
            "matrix; if rows and columns are different nodes, pass --format incidence"
        )
    warnings = []
    if edges.directed and not (labels and layout.columns):
        warnings.append(
            "the matrix is square and not symmetric: its rows and columns are read as the same nodes; "
            "if they are different nodes, pass --format incidence"
        )
    n_pairs = layout.n_rows * (layout.n_rows - 1) // 2
    if n_pairs > 1 and len(edges.pairs) >= n_pairs and not edges.directed:
        warnings.append(
            "every entry is an edge; if small entries are no edges, set them to 0 first"
        )
    findings = (_labels_finding(layout),)
    return replace(edges, labels=_distinct(names), findings=findings, warnings=tuple(warnings))


def parse_incidence(table: Table) -> EdgePairs:
    """Parse an incidence matrix: rows and columns are different nodes of a bipartite network."""
    layout, row, column, data, labels = _entries(table)
    n_rows, n_columns = layout.n_rows, layout.n_columns
    edges = from_incidence(row, column, data, (n_rows, n_columns))
    rows = labels or [f"row {i + 1}" for i in range(n_rows)]
    columns = layout.columns or [f"column {j + 1}" for j in range(n_columns)]
    labels = _distinct([*rows, *columns])
    return replace(edges, labels=labels, findings=(_labels_finding(layout),))


def _entries(
    table: Table,
) -> tuple[Layout, NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], list[str] | None]:
    """Return the layout, the rows, columns and values of entries that are not 0, and row labels."""
    layout = find_layout(table)
    if layout is None:
        raise NetworkFormatError(
            f"{table.path}: no matrix; expected lines with the same number of numbers, at least 2, "
            "after the labels; correct the file, or pass its actual format"
        )
    row, column, data = [], [], []
    labels: list[str] = []
    for i, (number, cells) in enumerate(table.rows(layout.columns is not None)):
        numbers = layout.numbers(cells)
        if len(numbers) != layout.n_columns or not all(map(_is_entry, numbers)):
            raise NetworkFormatError(
                f"{table.path}, line {number}: {len(numbers)} cells, {' '.join(numbers)[:40]!r}; expected "
                f"{layout.n_columns} numbers, as on the lines before; correct the line"
            )
        values = np.array(list(map(_value, numbers)))
        (present,) = np.nonzero(values)
        row.append(np.full(len(present), i))
        column.append(present)
        data.append(values[present])
        labels.append(cells[0])
    names = labels if layout.has_row_labels else None
    return layout, np.concatenate(row), np.concatenate(column), np.concatenate(data), names


def _labels_finding(layout: Layout) -> str:
    rows, columns = layout.has_row_labels, layout.columns is not None
    which = {(True, True): "rows and columns", (True, False): "rows", (False, True): "columns"}
    return f"labels: {which.get((rows, columns), 'none')}"


def _distinct(labels: list[str] | None) -> list[str] | None:
    """Return labels if they are different and none is empty."""
    return labels if labels and all(labels) and len(set(labels)) == len(labels) else None


def _counts(cells: list[str]) -> bool:
    """Return whether cells are 0, 1, 2, … or 1, 2, 3, …, at least three."""
    start = cells[0]
    return (
        len(cells) > 2
        and start in ("0", "1")
        and cells == [str(int(start) + k) for k in range(len(cells))]
    )


@lru_cache(maxsize=4096)
def _is_entry(cell: str) -> bool:
    return is_number(cell) or is_missing(cell)


@lru_cache(maxsize=4096)
def _value(cell: str) -> float:
    return 0.0 if is_missing(cell) else float(cell)
