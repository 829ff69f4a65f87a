"""Many networks in the text files of a TUDataset: ``NAME_A.txt``, ``NAME_graph_indicator.txt``, …

The format is described at https://chrsmrrs.github.io/datasets/docs/format.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import NetworkFormatError
from netchoice.io.guard import StoredFile, guarded
from netchoice.io.many_networks import EdgeRows, EdgeTable, edge_table, read_header, read_rows
from netchoice.io.text_tables import decode

EDGES, INDICATOR, LABELS = "_A.txt", "_graph_indicator.txt", "_graph_labels.txt"


def tu_names(files: Iterable[str]) -> list[str]:
    """Return the names, with folders, of the TUDatasets among some files.

    >>> tu_names(["MUTAG/MUTAG_A.txt", "MUTAG/MUTAG_graph_indicator.txt", "other_A.txt"])
    ['MUTAG/MUTAG']
    """
    files = set(files)
    names = (file.removesuffix(EDGES) for file in files if file.endswith(EDGES))
    return sorted(name for name in names if name + INDICATOR in files)


def tu_networks(name: str, files: Mapping[str, StoredFile]) -> EdgeTable:
    """Return the networks of a TUDataset; their labels are groups."""
    import pyarrow as pa
    import pyarrow.compute as pc

    read = partial(_read_indicator, files[name + INDICATOR])
    indicator = guarded(read, files[name + INDICATOR].name, "one integer per line")
    graphs, network_of_node = np.unique(indicator, return_inverse=True)
    labels = _read_labels(files.get(name + LABELS), graphs)
    ids = [str(graph) for graph in graphs.tolist()]
    by_network = np.argsort(network_of_node, kind="stable")
    first_node = np.searchsorted(network_of_node[by_network], np.arange(len(ids) + 1))

    def nodes(i: int) -> tuple[str, ...]:
        own = by_network[first_node[i] : first_node[i + 1]] + 1
        return tuple(map(str, own.tolist()))

    def find_networks(texts: Any) -> tuple[list[str], NDArray[np.int32]]:
        """Return the network of each node, −1 for others."""
        is_number = pc.match_substring_regex(texts, "^[0-9]{1,18}$")
        numbers = pc.cast(pc.if_else(is_number, texts, "0"), pa.int64()).to_numpy()
        is_node = (numbers > 0) & (numbers <= len(indicator))
        return ids, np.where(is_node, network_of_node[np.where(is_node, numbers, 1) - 1], -1)

    edges = files[name + EDGES]
    start = edges.start()
    columns = read_header(start)
    if columns is None and start.strip():
        raise NetworkFormatError(f"{edges.name}: no edges found; expected lines such as 1, 2")
    rows = EdgeRows() if columns is None else read_rows(edges, columns, columns.first_line - 1)
    return edge_table(
        edges, "edgelist", rows, find_networks, nodes=nodes, groups=labels,
        container=edges.name.removesuffix(EDGES),
        files=[file.path for end in (EDGES, INDICATOR, LABELS) if (file := files.get(name + end))],
    )  # fmt: skip


def _read_indicator(stored: StoredFile) -> NDArray[np.int64]:
    """Return the network of each node."""
    from pyarrow import csv, int64

    table = csv.read_csv(
        io.BytesIO(stored.load()[0]),
        read_options=csv.ReadOptions(column_names=["graph"]),
        convert_options=csv.ConvertOptions(column_types={"graph": int64()}, null_values=[]),
    )
    if not len(table):
        raise NetworkFormatError(f"{stored.name}: no nodes; expected one integer per line")
    return np.asarray(table["graph"].to_numpy(), np.int64)


def _read_labels(stored: StoredFile | None, graphs: NDArray[np.int64]) -> list[str | None]:
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
