"""Many networks in the text files of a TUDataset: ``NAME_A.txt``, ``NAME_graph_indicator.txt``, …

The format is described at https://chrsmrrs.github.io/datasets/docs/format.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netchoice.edge_pairs import number_nodes
from netchoice.errors import NetworkFormatError
from netchoice.graph import Graph
from netchoice.io.edge_lists import Columns, node_names
from netchoice.io.guard import guarded
from netchoice.io.places import Part, Place, PlacesOnDemand, StoredFile, ZipMember
from netchoice.io.reading_report import ReadingReport, clean
from netchoice.io.row_index import Ranges, RowFormat, RowIndex, index_rows
from netchoice.io.text_networks import Header, read_header, read_lines
from netchoice.io.text_tables import decode, is_comment

EDGES, INDICATOR, LABELS = "_A.txt", "_graph_indicator.txt", "_graph_labels.txt"


@dataclass(frozen=True, slots=True)
class TUPlace:
    """The nodes and the rows of one network of a TUDataset."""

    stored: StoredFile | ZipMember
    columns: Columns | None  # None if the data set has no edges
    graph: str
    nodes: tuple[tuple[int, int], ...]  # ranges of nodes: the first, and the one after the last
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
        nodes = [str(node) for first, stop in self.nodes for node in range(first, stop)]
        ends: list[str] = []
        if self.columns is not None:
            found = read_lines(self.stored, self.ranges)
            lines = [each for each in found if not is_comment(each[1])]
            ends = node_names(lines, self.stored.name, self.columns)
        edges = number_nodes(ends, nodes)
        if edges.labels is not None and len(edges.labels) > len(nodes):
            raise NetworkFormatError(
                f"{self.name}: an edge to {str(edges.labels[len(nodes)])[:60]!r}, which is not a node of "
                f"this network; correct the edge, or the file *{INDICATOR}"
            )
        return clean(edges, self.name, "edgelist")


def tu_names(files: Iterable[str]) -> list[str]:
    """Return the names, with folders, of the TUDatasets among some files.

    >>> tu_names(["MUTAG/MUTAG_A.txt", "MUTAG/MUTAG_graph_indicator.txt", "other_A.txt"])
    ['MUTAG/MUTAG']
    """
    files = set(files)
    names = (file.removesuffix(EDGES) for file in files if file.endswith(EDGES))
    return sorted(name for name in names if name + INDICATOR in files)


class _NodeRows(RowFormat):
    """Rows whose first cell is a node, which belongs to one network."""

    def __init__(self, header: Header, network_of_node: NDArray[np.int64]) -> None:
        super().__init__(header.delimiter, header.newline, len(header.cells), 0)
        self.network_of_node = network_of_node

    def number(self, cell: str) -> int:
        node = int(cell) if cell.isdecimal() and len(cell) < 19 else 0
        return int(self.network_of_node[node - 1]) if 0 < node <= len(self.network_of_node) else -1

    def numbers(self, cells: NDArray[np.bytes_]) -> Sequence[int] | NDArray[np.int64]:
        try:
            nodes = cells.astype(np.int64)
        except (ValueError, OverflowError):
            return super().numbers(cells)
        is_known = (nodes > 0) & (nodes <= len(self.network_of_node))
        return np.where(is_known, self.network_of_node[np.where(is_known, nodes, 1) - 1], -1)


def tu_networks(name: str, files: Mapping[str, StoredFile | ZipMember]) -> Part:
    """Return the networks of a TUDataset, after reading its files once."""
    edges = files[name + EDGES]
    graphs, numbers = np.unique(_read_indicator(files[name + INDICATOR]), return_inverse=True)
    labels = _read_labels(files.get(name + LABELS), graphs)
    ids = [str(graph) for graph in graphs.tolist()]
    changes = np.flatnonzero(np.diff(numbers, prepend=-1, append=-1))
    first_nodes, stops = changes[:-1], changes[1:]
    order = np.argsort(numbers[first_nodes], kind="stable")
    nodes = np.column_stack([first_nodes, stops])[order] + 1
    first_range = np.searchsorted(numbers[first_nodes][order], np.arange(len(ids) + 1))
    columns, index = _index_edges(edges, numbers)

    def place(i: int) -> Place:
        own = nodes[first_range[i] : first_range[i + 1]].tolist()
        ranges = index.ranges(i) if index else ()
        return TUPlace(edges, columns, ids[i], tuple((a, b) for a, b in own), ranges)

    return Part(
        PlacesOnDemand(len(ids), place),
        ids,
        edges.name.removesuffix(EDGES),
        groups=labels,
        files=[file.path for end in (EDGES, INDICATOR, LABELS) if (file := files.get(name + end))],
    )


def _index_edges(
    edges: StoredFile | ZipMember, numbers: NDArray[np.int64]
) -> tuple[Columns | None, RowIndex | None]:
    """Return the columns of the edges and where those of each network are; None without edges."""
    start = edges.start()
    header = read_header(start)
    if header is None:
        if start.strip():
            raise NetworkFormatError(f"{edges.name}: no edges found; expected lines such as 1, 2")
        return None, None
    with edges.open() as file:
        rows = _NodeRows(header, numbers)
        index = index_rows(file, edges.name, header.start, header.line, rows)
    return Columns(header.delimiter, len(header.cells), header.line), index


def _read_indicator(stored: StoredFile | ZipMember) -> NDArray[np.int64]:
    """Return the network of each node."""
    from pyarrow import csv, int64

    def parse() -> NDArray[np.int64]:
        table = csv.read_csv(
            io.BytesIO(stored.load()[0]),
            read_options=csv.ReadOptions(column_names=["graph"]),
            convert_options=csv.ConvertOptions(column_types={"graph": int64()}, null_values=[]),
        )
        if not len(table):
            raise NetworkFormatError(f"{stored.name}: no nodes; expected one integer per line")
        return np.asarray(table["graph"].to_numpy(), np.int64)

    indicator: NDArray[np.int64] = guarded(parse, stored.name, "one integer per line")
    return indicator


def _read_labels(
    stored: StoredFile | ZipMember | None, graphs: NDArray[np.int64]
) -> list[str | None]:
    """Return the label of each network; line 1 is that of network 1."""
    if stored is None:
        return [None] * len(graphs)
    text = decode(stored.load()[0], stored.name).strip()
    labels = [line.strip() for line in text.split("\n")]
    if graphs.min() < 1 or graphs.max() > len(labels):
        raise NetworkFormatError(
            f"{stored.name}: {len(labels)} labels for networks {graphs.min()} to {graphs.max()}; "
            "expected one line for each network; download the data set again"
        )
    return [labels[graph - 1] for graph in graphs.tolist()]
