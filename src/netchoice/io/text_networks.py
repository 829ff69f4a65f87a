"""Many networks in one text file: its header, and the rows of each network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from netchoice.edge_pairs import number_nodes
from netchoice.errors import NetworkFormatError
from netchoice.graph import Graph
from netchoice.io.edge_lists import Columns, comment_doubt, node_names
from netchoice.io.places import START, Part, Place, PlacesOnDemand, StoredFile, ZipMember
from netchoice.io.reading_report import ReadingReport, clean
from netchoice.io.row_index import Ranges, RowFormat, index_rows
from netchoice.io.text_tables import (
    COMMENTS,
    decode,
    find_delimiter,
    is_comment,
    may_be_row,
    split_cells,
    without_comments,
)
from netchoice.network_objects import NODE_COLUMN, plain_name

GRAPH_COLUMNS = ("graph", "graph_id", "network", "network_id")
PATH_COLUMN = "path"


@dataclass(frozen=True)
class Header:
    """The first line of a file that is neither empty nor a comment."""

    cells: list[str]
    delimiter: str | None
    line: int
    start: int  # the first byte of the line
    end: int  # the first byte after the line
    newline: bytes


def read_header(start: bytes) -> Header | None:
    """Return the header in the first ``START`` bytes of a file, None if there is no such line."""
    newline = b"\r" if b"\r" in start and b"\n" not in start else b"\n"
    if len(start) < START:
        start += newline  # the last line is complete, because there are no more bytes
    begin = 0
    for number, line in enumerate(start.split(newline)[:-1], 1):
        end = begin + len(line) + 1
        text = line.decode("utf-8", "replace").removeprefix("\ufeff").rstrip("\r")
        if text.strip() and not is_comment(text):
            delimiter = find_delimiter(text)
            try:
                cells = split_cells(text, delimiter, "")
            except NetworkFormatError:
                return None
            return Header(cells, delimiter, number, begin, end, newline)
        begin = end
    return None


def columns_of_networks(header: Header) -> Columns | None:
    """Return the columns of an edge list of many networks, None if it is not one."""
    found = find_graph_columns(header.cells)
    if found is None:
        return None
    graph, *ends = found
    return Columns(header.delimiter, len(header.cells), header.line, (ends[0], ends[1]), graph)


def find_graph_columns(names: Sequence[str]) -> tuple[int, int, int] | None:
    """Return the columns of the network's name and of the two nodes, None if one is missing.

    The nodes are in the first two columns with known names (source, target, from, to, …), or else
    in the first two columns after the removal of the network's name.

    >>> find_graph_columns(["graph_id", "weight", "source", "target"])
    (0, 2, 3)
    """
    plain = [plain_name(name) for name in names]
    graph = next((i for i, name in enumerate(plain) if name in GRAPH_COLUMNS), None)
    others = [i for i in range(len(plain)) if i != graph]
    if graph is None or len(others) < 2:
        return None
    known = [i for i in others if NODE_COLUMN.fullmatch(plain[i])]
    first, second = (known if len(known) > 1 else others)[:2]
    return graph, first, second


def is_manifest(header: Header) -> bool:
    """Return whether a file lists networks: it has a column ``path``, and is no edge list."""
    plain = [plain_name(name) for name in header.cells]
    n_ends = sum(NODE_COLUMN.fullmatch(name) is not None for name in plain)
    has_graph = any(name in GRAPH_COLUMNS for name in plain)
    starts_with_ends = n_ends > 1 and all(NODE_COLUMN.fullmatch(name) for name in plain[:2])
    is_edge_list = starts_with_ends or (has_graph and n_ends > 1)
    is_table = header.delimiter is not None or len(plain) == 1
    return PATH_COLUMN in plain and is_table and not is_edge_list


@dataclass(frozen=True, slots=True)
class RowsPlace:
    """The rows of one network in an edge list of many."""

    stored: StoredFile | ZipMember
    columns: Columns
    graph: str
    ranges: Ranges

    @property
    def name(self) -> str:
        """The place, for messages."""
        return f"{self.stored.name}, network {self.graph}"

    @property
    def path(self) -> str | None:
        """The file with the network."""
        return self.stored.path

    def read(self) -> tuple[Graph, ReadingReport]:
        """Read the rows of this network and no others."""
        if not self.graph:
            line = self.ranges[0][2]
            raise NetworkFormatError(
                f"{self.stored.name}, line {line}: a row without the name of its network; "
                "fill its cell, or remove the row"
            )
        lines, doubtful = self._lines()
        ends = node_names(lines, self.stored.name, self.columns, self.graph)
        doubts = tuple(comment_doubt(doubtful))
        edges = number_nodes(ends, weighted=self.columns.width > 3, warnings=doubts)
        return clean(edges, self.name, "edgelist")

    def _lines(self) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
        """Return the rows of the network, and comments that might be rows."""
        lines, columns = read_lines(self.stored, self.ranges), self.columns
        if columns.graph == 0 and self.graph.startswith(COMMENTS):
            return [
                each for each in lines if may_be_row(each[1], columns.delimiter, columns.width)
            ], []
        return without_comments(lines, columns.delimiter, columns.width)


def read_lines(stored: StoredFile | ZipMember, ranges: Ranges) -> list[tuple[int, str]]:
    """Return the lines of byte ranges that are not empty, with their numbers."""
    lines: list[tuple[int, str]] = []
    with stored.open() as file:
        for start, end, first_line in ranges:
            file.seek(start)
            text = decode(file.read(end - start), stored.name, first_line)
            lines += [
                (number, line)
                for number, line in enumerate(text.split("\n"), first_line)
                if line.strip()
            ]
    return lines


class _NamedRows(RowFormat):
    """Rows with a cell that is the name of their network.

    A line that begins as comments do and has the cells of a row is one: the name of its network may begin
    so. Whether such a line is an edge is decided when its network is read.
    """

    def __init__(self, columns: Columns, newline: bytes) -> None:
        assert columns.graph is not None
        super().__init__(columns.delimiter, newline, columns.width, columns.graph)
        self.graphs: dict[str, int] = {}

    def is_comment(self, line: str) -> bool:
        return is_comment(line) and not may_be_row(line, self.delimiter, self.width)

    def number(self, cell: str) -> int:
        return self.graphs.setdefault(cell, len(self.graphs))


def text_networks(stored: StoredFile | ZipMember, header: Header, columns: Columns) -> Part:
    """Return the networks of an edge list with a column of networks, after reading it once."""
    rows = _NamedRows(columns, header.newline)
    with stored.open() as file:
        index = index_rows(file, stored.name, header.end, header.line + 1, rows)
    graphs = list(rows.graphs)
    numbers = index.by_appearance
    if columns.graph == 0:  # rows of a network may be commented out: #g1 beside g1
        commented = {
            rows.graphs[name] for name in graphs if name[1:] in rows.graphs and is_comment(name)
        }
        numbers = numbers[~np.isin(numbers, [*commented])]

    def place(i: int) -> Place:
        number = int(numbers[i])
        return RowsPlace(stored, columns, graphs[number], index.ranges(number))

    ids = [graphs[number] or "(no name)" for number in numbers.tolist()]
    return Part(PlacesOnDemand(len(ids), place), ids, stored.name, files=[stored.path])
