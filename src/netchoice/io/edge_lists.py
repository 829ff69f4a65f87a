"""Formats with one edge per line: edge lists and SIF."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from netchoice.edge_pairs import EdgePairs, number_nodes
from netchoice.errors import NetworkFormatError
from netchoice.io.edge_columns import FEW_ROWS, ColumnNames, EdgeColumns, find_edge_columns
from netchoice.io.text_tables import SEPARATORS, Table, is_number, split_cells
from netchoice.units import count

OWN_HEADER = re.compile(r"# netchoice nodes=(\d+)( labels)?")
#: The first line of a bipartite network of KONECT, in which both columns count from 1.
_KONECT = re.compile(r"%\s*bip\b")
#: The first edge is in doubt if at most this share of the edges share no node with others.
_FEW_ALONE = 0.1
_MATRIX_MARKET = re.compile(r"\s*%+MatrixMarket\b", re.IGNORECASE)


@dataclass(frozen=True)
class Columns:
    """How the lines of an edge list are split into cells, and which cells name the nodes."""

    names: list[str]  # the cells of the first line, which may be a header
    delimiter: str | None  # None for spaces
    first_line: int  # its number
    ends: tuple[int, int] = (0, 1)
    graph: int | None = None  # the column of the network's name, if the file has many networks
    may_differ: bool = False  # lines may have other numbers of cells after the nodes

    @property
    def width(self) -> int:
        """The number of cells of a line."""
        return len(self.names)


def parse_edge_list(
    table: Table,
    header: bool | None = None,
    names: ColumnNames | None = None,
    forced: bool = False,
) -> EdgePairs:
    """Parse an edge list: two columns have the names of nodes, others are ignored."""
    own = OWN_HEADER.match(table.first)
    if own:
        return _parse_own(table.lines, table.path, int(own[1]), labelled=bool(own[2]))
    if not table.lines:
        raise NetworkFormatError(
            f"{table.path}: no edges found, only comments; expected two names per line, such as A<tab>B"
        )
    found = find_edge_columns(table, header, names, forced)
    lines = table.lines[found.start :]
    if not lines:
        raise NetworkFormatError(
            f"{table.path}: a header and no edges; expected two names per line"
        )
    width = len(found.header) if found.header else table.width
    usual = next(k for k, row in enumerate(table.sample) if len(row) == width)
    columns = Columns(
        table.sample[usual], table.delimiter, table.lines[usual][0], found.ends,
        may_differ=_may_differ(table, found),
    )  # fmt: skip
    ends = node_names(lines, table.path, columns)
    flags: dict[str, Any] = {
        "ignored": tuple(found.name(k) for k in range(width) if k not in found.ends),
        "findings": tuple(found.findings),
        "weighted": width > 2,
    }
    if _KONECT.match(table.first):
        return _bipartite(ends, flags)
    return number_nodes(ends, warnings=_doubts(ends, found, table), **flags)


def _may_differ(table: Table, found: EdgeColumns) -> bool:
    """Return whether lines may have further cells: if names cannot be mistaken for two cells."""
    if table.width < 3:
        return False
    rows = [row for row in table.sample[found.start :] if len(row) > max(found.ends)]
    return table.delimiter is not None or all(is_number(row[k]) for row in rows for k in found.ends)


def _doubts(ends: list[str], found: EdgeColumns, table: Table) -> tuple[str, ...]:
    """Return warnings about a line that may be missing, or that may be a header or an edge."""
    if _MATRIX_MARKET.match(table.first) and found.start == 0:
        return ("a MatrixMarket file without its line of sizes; check that it is complete",)
    doubts = comment_doubt(table.doubtful)
    if found.guessed and len(ends) < 2 * FEW_ROWS:
        names = " and ".join(found.header or ())[:80]
        doubts.append(f"{names} are read as a header; if they are nodes, pass --no-header")
    if found.start == 0 and _is_alone(ends):
        first, second = (repr(end[:40]) for end in ends[:2])
        doubts.append(
            f"{first} and {second} occur on the first line only; if it is a header, pass --header"
        )
    return tuple(doubts)


def comment_doubt(lines: Sequence[tuple[int, str]]) -> list[str]:
    """Return a warning about lines that are read as comments and may be rows, if there are any."""
    if not lines:
        return []
    number, line = lines[0]
    others = f" and {len(lines) - 1} more" * (len(lines) > 1)
    return [
        f"line {number}{others} may be an edge and is read as a comment: {line.strip()[:40]!r}; if its mark "
        "belongs to a name, write the name between quotation marks"
    ]


def _is_alone(ends: list[str]) -> bool:
    """Return whether the first edge is a component of its own, as hardly any other edge is, or all are.

    A line of numbers is no header, and nothing is known if it is the only line.
    """
    if len(ends) < 4 or any(is_number(end) or ends.count(end) > 1 for end in ends[:2]):
        return False
    count = Counter(ends)
    alone = [count[u] == count[v] == 1 for u, v in zip(ends[::2], ends[1::2], strict=True)]
    return sum(alone) <= max(1, _FEW_ALONE * len(alone)) or all(alone)


def _bipartite(ends: list[str], flags: dict[str, Any]) -> EdgePairs:
    """Return a network in which equal names in the two columns are different nodes."""
    names = [f"{'column 2: ' if k % 2 else ''}{name}" for k, name in enumerate(ends)]
    sizes = (len(set(ends[::2])), len(set(ends[1::2])))
    return number_nodes(names, kinds=sizes, **flags)


def node_names(lines: list[tuple[int, str]], path: str, columns: Columns) -> list[str]:
    """Return the names of both ends of each edge."""
    width, delimiter = columns.width, columns.delimiter
    u, v = columns.ends
    names: list[str] = []
    for number, line in lines:
        cells = split_cells(line.strip(), delimiter, f"{path}, line {number}")
        while len(cells) > width and not cells[-1]:
            cells.pop()
        if width < 2:
            raise NetworkFormatError(
                f"{path}: most lines have 1 column separated by {SEPARATORS[delimiter]}, expected 2 or more, "
                "with the names of two nodes; pass another file, or its format"
            )
        if len(cells) != width and not (columns.may_differ and len(cells) > max(u, v)):
            raise NetworkFormatError(
                f"{path}, line {number}: {count(len(cells), 'column')} separated by {SEPARATORS[delimiter]}, "
                f"expected {width} as on line {columns.first_line}; correct the line, put # before it, or "
                "pass another format"
            )
        if not cells[u] or not cells[v]:
            raise NetworkFormatError(
                f"{path}, line {number}: a name is empty; expected a name in columns {u + 1} and {v + 1}"
            )
        names += (cells[u], cells[v])
    return names


def _parse_own(lines: list[tuple[int, str]], path: str, n_nodes: int, labelled: bool) -> EdgePairs:
    """Parse a file of ``write_network``, in which isolated nodes are alone on a line."""
    names: dict[str, None] = {}
    ends: list[str] = []
    for number, line in lines:
        cells = line.split("\t")
        if len(cells) > 2 or not all(cells):
            raise NetworkFormatError(
                f"{path}, line {number}: {count(len(cells), 'column')} separated by tab; a netchoice edge "
                "list has two names (an edge) or one (a node)"
            )
        names.update(dict.fromkeys(cells))
        if len(cells) == 2:
            ends += cells
    if len(names) != n_nodes:
        raise NetworkFormatError(
            f"{path}: the first line says nodes={n_nodes}, but there are {len(names)}; "
            "the file is incomplete or was edited: write it again, or remove its first line"
        )
    if labelled:
        return number_nodes(ends, names)
    try:
        ids = [int(end) for end in ends]
        if {int(name) for name in names} != set(range(n_nodes)):
            raise ValueError
    except ValueError:
        raise NetworkFormatError(
            f"{path}: the first line says nodes={n_nodes}, so names must be the numbers 0 to "
            f"{n_nodes - 1}; for other names write '# netchoice nodes={n_nodes} labels'"
        ) from None
    return EdgePairs(np.array(ids, np.int64).reshape(-1, 2), n_nodes)
