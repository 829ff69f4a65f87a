"""Formats with one edge per line: edge lists and SIF."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass

import numpy as np

from netchoice.edge_pairs import EdgePairs, number_nodes
from netchoice.errors import NetworkFormatError

COMMENTS = ("#", "%")
HEADER_CELL = re.compile(
    r"(source|target|src|dst|from|to|start|end|head|tail)(_?(node_?)?(id|name)?|_?node)"
    r"|(node|id|name|vertex|protein|gene|interactor)_?[12ab]"
)
OWN_HEADER = re.compile(r"# netchoice nodes=(\d+)( labels)?")
_DELIMITERS = {"\t": "tab", ",": "comma", ";": "semicolon", None: "space"}


@dataclass(frozen=True)
class Columns:
    """How the lines of an edge list are split into cells, and which cells name the nodes."""

    delimiter: str | None  # None for spaces
    width: int
    first_line: int  # the number of the line with the first cells
    ends: tuple[int, int] = (0, 1)
    graph: int | None = None  # the column of the network's name, if the file has many networks


def content_lines(text: str, first_line: int = 1) -> list[tuple[int, str]]:
    """Return the lines that are neither empty nor comments, with their numbers."""
    lines = enumerate(text.split("\n"), first_line)
    return [(i, s) for i, s in lines if s.strip() and not s.lstrip().startswith(COMMENTS)]


def find_delimiter(line: str) -> str | None:
    """Return the mark that separates the cells of a line, None for spaces."""
    line = line.partition("{")[0]  # networkx's attributes start here
    return next((mark for mark in ("\t", ",", ";") if mark in line), None)


def split_cells(line: str, delimiter: str | None, where: str) -> list[str]:
    """Return the cells of a line, without quotation marks and outer spaces."""
    if '"' in line and "{" not in line:
        text = line.strip() if delimiter is None else line
        mark = delimiter or " "
        try:
            (cells,) = csv.reader([text], delimiter=mark, skipinitialspace=True, strict=True)
        except (csv.Error, ValueError) as error:
            raise NetworkFormatError(
                f'{where}: quotation marks do not match; quote a cell as "a, b" or remove the quotation marks'
            ) from error
        return [cell.strip() for cell in cells]
    if delimiter is not None:
        return [cell.strip() for cell in line.split(delimiter)]
    cells = line.split()
    # networkx writes the attributes of an edge as a dict in the last column.
    if len(cells) > 3 and cells[2].startswith("{"):
        cells = [*cells[:2], " ".join(cells[2:])]
    return cells


def parse_edge_list(text: str, path: str, header: bool | None) -> EdgePairs:
    """Parse an edge list: two or more columns, with names of nodes in the first two."""
    lines = content_lines(text)
    own = OWN_HEADER.match(text)
    if own:
        return _parse_own(lines, path, int(own[1]), labelled=bool(own[2]))
    if not lines:
        raise NetworkFormatError(
            f"{path}: no edges found, only comments; expected two names per line, such as A<tab>B"
        )
    first_number, first_line = lines[0]
    delimiter = find_delimiter(first_line)
    first = split_cells(first_line, delimiter, f"{path}, line {first_number}")
    if header or (header is None and _is_header(first)):
        lines = lines[1:]
        if not lines:
            raise NetworkFormatError(f"{path}: a header and no edges; expected two names per line")
    ends = node_names(lines, path, Columns(delimiter, len(first), first_number))
    return number_nodes(ends, weighted=len(first) > 2)


def node_names(
    lines: list[tuple[int, str]], path: str, columns: Columns, graph: str | None = None
) -> list[str]:
    """Return the names of both ends of each edge; with ``graph``, of an edge of that network."""
    width, delimiter = columns.width, columns.delimiter
    u, v = columns.ends
    names: list[str] = []
    for number, line in lines:
        cells = split_cells(line, delimiter, f"{path}, line {number}")
        if len(cells) != width or width < 2:
            expected = f"{width} as on line {columns.first_line}" if width > 1 else "2 or more"
            raise NetworkFormatError(
                f"{path}, line {number}: {_columns(len(cells))} separated by {_DELIMITERS[delimiter]}, "
                f"expected {expected}; correct the line, put # before it, or pass another format"
            )
        if not cells[u] or not cells[v]:
            raise NetworkFormatError(
                f"{path}, line {number}: a name is empty; expected a name in columns {u + 1} and {v + 1}"
            )
        if columns.graph is not None and cells[columns.graph] != graph:
            raise NetworkFormatError(
                f"{path}, line {number}: the row belongs to {cells[columns.graph][:60]!r}; expected "
                f"{graph!r}; if the file was changed, search for its networks again"
            )
        names += (cells[u], cells[v])
    return names


def _is_header(cells: list[str]) -> bool:
    return len(cells) > 1 and all(HEADER_CELL.fullmatch(plain_name(cell)) for cell in cells[:2])


def plain_name(cell: str) -> str:
    """Return the name of a column in lower case, with _ for spaces and hyphens."""
    return cell.strip('"').lower().replace(" ", "_").replace("-", "_")


def _columns(number: int) -> str:
    return f"{number} column{'' if number == 1 else 's'}"


def _parse_own(lines: list[tuple[int, str]], path: str, n_nodes: int, labelled: bool) -> EdgePairs:
    """Parse a file of ``write_network``, in which isolated nodes are alone on a line."""
    names: dict[str, None] = {}
    ends: list[str] = []
    for number, line in lines:
        cells = line.split("\t")
        if len(cells) > 2 or not all(cells):
            raise NetworkFormatError(
                f"{path}, line {number}: {_columns(len(cells))} separated by tab; a netchoice edge "
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


def parse_sif(text: str, path: str) -> EdgePairs:
    """Parse Cytoscape's simple interaction format: source, relation, one or more targets."""
    lines = content_lines(text)
    if not lines:
        raise NetworkFormatError(f"{path}: no edges found; expected lines such as A pp B")
    tabs = any("\t" in line for _, line in lines)
    ends: list[str] = []
    declared: dict[str, None] = {}
    for number, line in lines:
        cells = [cell.strip() for cell in line.split("\t")] if tabs else line.split()
        if len(cells) == 2 or not all(cells):
            raise NetworkFormatError(
                f"{path}, line {number}: {_columns(len(cells))}, {line.strip()[:60]!r}; a SIF line "
                "has one name, or a source, a relation and one or more targets"
            )
        source, targets = cells[0], cells[2:]
        declared.update(dict.fromkeys([source, *targets]))
        ends += [end for target in targets for end in (source, target)]
    return number_nodes(ends, declared)
