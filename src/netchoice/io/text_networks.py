"""Many networks in one edge list, which has a column with the name of the network."""

from __future__ import annotations

from dataclasses import dataclass

from netchoice.edge_pairs import number_nodes
from netchoice.errors import NetworkFormatError
from netchoice.graph import Graph
from netchoice.io.collection_headers import Header
from netchoice.io.edge_lists import Columns, node_names
from netchoice.io.encodings import decode
from netchoice.io.places import Part, Place, PlacesOnDemand
from netchoice.io.reader import clean
from netchoice.io.reading_report import ReadingReport
from netchoice.io.row_index import Ranges, RowFormat, index_rows
from netchoice.io.stored_files import StoredFile, ZipMember
from netchoice.io.text_tables import content_lines


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
        lines = read_lines(self.stored, self.ranges)
        ends = node_names(lines, self.stored.name, self.columns, self.graph)
        edges = number_nodes(ends, weighted=self.columns.width > 3)
        return clean(edges, self.name, "edgelist")


def read_lines(stored: StoredFile | ZipMember, ranges: Ranges) -> list[tuple[int, str]]:
    """Return the lines of byte ranges that are neither empty nor comments, with their numbers."""
    lines: list[tuple[int, str]] = []
    with stored.open() as file:
        for start, end, first_line in ranges:
            file.seek(start)
            text = decode(file.read(end - start), stored.name, first_line)
            lines += content_lines(text, first_line)
    return lines


class _NamedRows(RowFormat):
    """Rows with a cell that is the name of their network."""

    def __init__(self, columns: Columns, newline: bytes) -> None:
        assert columns.graph is not None
        super().__init__(columns.delimiter, newline, columns.width, columns.graph)
        self.graphs: dict[str, int] = {}

    def number(self, cell: str) -> int:
        return self.graphs.setdefault(cell, len(self.graphs))


def text_networks(stored: StoredFile | ZipMember, header: Header, columns: Columns) -> Part:
    """Return the networks of an edge list with a column of networks, after reading it once."""
    rows = _NamedRows(columns, header.newline)
    with stored.open() as file:
        index = index_rows(file, stored.name, header.end, header.line + 1, rows)
    graphs = list(rows.graphs)
    numbers = index.by_appearance

    def place(i: int) -> Place:
        number = int(numbers[i])
        return RowsPlace(stored, columns, graphs[number], index.ranges(number))

    ids = [graphs[number] or "(no name)" for number in numbers.tolist()]
    return Part(PlacesOnDemand(len(ids), place), ids, stored.name, files=[stored.path])
