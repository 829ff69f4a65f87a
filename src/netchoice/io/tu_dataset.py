"""Many networks in the text files of a TUDataset: ``NAME_A.txt``, ``NAME_graph_indicator.txt``, …

The format is described at https://chrsmrrs.github.io/datasets/docs/format.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netchoice.edge_pairs import number_nodes
from netchoice.errors import NetworkFormatError
from netchoice.graph import Graph
from netchoice.io.collection_headers import Header, read_header
from netchoice.io.edge_lists import Columns, node_names
from netchoice.io.library_formats import guarded
from netchoice.io.places import Part, Place, PlacesOnDemand
from netchoice.io.reader import ReadingReport, clean, decode
from netchoice.io.row_index import Ranges, RowFormat, RowIndex, index_rows
from netchoice.io.stored_files import StoredFile, ZipMember
from netchoice.io.text_networks import read_lines

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
            lines = read_lines(self.stored, self.ranges)
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


def tu_networks(name: str, files: Mapping[str, StoredFile | ZipMember]) -> Part:
    """Return the networks of a TUDataset, after reading its files once."""
    edges = files[name + EDGES]
    indicator = _read_indicator(files[name + INDICATOR])
    graphs, codes = np.unique(indicator, return_inverse=True)
    labels = _read_labels(files.get(name + LABELS), graphs)
    changes = np.flatnonzero(np.diff(codes, prepend=-1, append=-1))
    order = np.argsort(codes[changes[:-1]], kind="stable")
    nodes = np.column_stack([changes[:-1], changes[1:]])[order] + 1
    first_range = np.searchsorted(codes[changes[:-1]][order], np.arange(len(graphs) + 1))

    start = edges.start()
    header = read_header(start)
    columns, index = None, None
    if header is None and start.strip():
        raise NetworkFormatError(f"{edges.name}: no edges found; expected lines such as 1, 2")
    if header is not None:
        columns = Columns(header.delimiter, len(header.cells), header.line)
        index = _index_edges(edges, header, indicator)
    position = {graph: i for i, graph in enumerate(index.graphs)} if index else {}
    ids = [str(graph) for graph in graphs.tolist()]
    used = [file.path for end in (EDGES, INDICATOR, LABELS) if (file := files.get(name + end))]

    def place(i: int) -> Place:
        found = position.get(ids[i])
        ranges = index.ranges(found) if index and found is not None else ()
        own = nodes[first_range[i] : first_range[i + 1]].tolist()
        return TUPlace(edges, columns, ids[i], tuple((a, b) for a, b in own), ranges)

    container = edges.name.removesuffix(EDGES)
    return Part(PlacesOnDemand(len(ids), place), ids, container, groups=labels, files=used)


def _index_edges(
    edges: StoredFile | ZipMember, header: Header, indicator: NDArray[np.int64]
) -> RowIndex:
    def graph_of(cell: str) -> str | None:
        node = int(cell) if cell.isdecimal() and len(cell) < 19 else 0
        return str(indicator[node - 1]) if 1 <= node <= len(indicator) else None

    format = RowFormat(header.delimiter, len(header.cells), 0, header.newline, graph_of)
    with edges.open() as file:
        return index_rows(file, edges.name, header.start, header.line, format)


def _read_indicator(stored: StoredFile | ZipMember) -> NDArray[np.int64]:
    """Return the network of each node."""
    from pyarrow import csv, int64

    def parse() -> NDArray[np.int64]:
        table = csv.read_csv(
            io.BytesIO(stored.load()),
            read_options=csv.ReadOptions(column_names=["graph"]),
            convert_options=csv.ConvertOptions(column_types={"graph": int64()}, null_values=[]),
        )
        return np.asarray(table["graph"].to_numpy(), np.int64)

    indicator: NDArray[np.int64] = guarded(parse, stored.name, "one integer per line")
    return indicator


def _read_labels(
    stored: StoredFile | ZipMember | None, graphs: NDArray[np.int64]
) -> list[str | None]:
    """Return the label of each network; line 1 is that of network 1."""
    if stored is None:
        return [None] * len(graphs)
    labels = decode(stored.load(), stored.name).split()
    if graphs.min() < 1 or graphs.max() > len(labels):
        raise NetworkFormatError(
            f"{stored.name}: {len(labels)} labels for networks {graphs.min()} to {graphs.max()}; "
            "expected one line for each network; download the data set again"
        )
    return [labels[graph - 1] for graph in graphs.tolist()]
