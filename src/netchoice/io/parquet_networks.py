"""Many networks in one Parquet file, which has a column with the name of the network."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from netchoice.edge_pairs import number_nodes
from netchoice.errors import NetworkFormatError
from netchoice.graph import Graph
from netchoice.io.collection_headers import GRAPH_COLUMNS, find_graph_columns
from netchoice.io.memory_limit import MemoryLimit
from netchoice.io.parquet_file import check_sizes, check_texts, text_columns
from netchoice.io.places import Part, Place, PlacesOnDemand
from netchoice.io.reader import clean
from netchoice.io.reading_report import ReadingReport

#: Rows that are indexed at once.
_BATCH = 1 << 18


@dataclass(frozen=True, slots=True)
class ParquetPlace:
    """The rows of one network in a Parquet file."""

    path: str
    columns: tuple[str, str, str]  # of the network's name and of the two nodes
    has_other_columns: bool
    graph: str
    row_groups: tuple[int, ...]

    @property
    def name(self) -> str:
        """The place, for messages."""
        return f"{self.path}, network {self.graph}"

    def read(self) -> tuple[Graph, ReadingReport]:
        """Read the row groups with rows of this network."""
        import pyarrow.compute as pc

        if not self.graph:
            raise NetworkFormatError(
                f"{self.path}: rows without a value in the column {self.columns[0]!r}; "
                "fill it with the name of the network, or remove these rows"
            )
        ends: list[str] = []
        changed = os.stat(self.path).st_mtime_ns if os.path.exists(self.path) else 0
        for group in self.row_groups:
            load = partial(_row_group, self.path, changed, group, self.columns)
            table = load()
            rows = table.filter(pc.equal(table.column(0), self.graph))
            pairs = zip(rows.column(1).to_pylist(), rows.column(2).to_pylist(), strict=True)
            ends += [end for pair in pairs for end in pair]
        if not all(ends):
            raise NetworkFormatError(
                f"{self.name}: a name is empty; expected a value in the columns "
                f"{self.columns[1]!r} and {self.columns[2]!r}"
            )
        return clean(number_nodes(ends, weighted=self.has_other_columns), self.name, "parquet")


def has_many_networks(path: str) -> bool:
    """Return whether a Parquet file has a column of networks, or cannot be opened."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        names = pq.read_schema(path).names
    except (OSError, ValueError, pa.ArrowException):
        return True
    return find_graph_columns(names) is not None


def parquet_networks(path: str) -> Part:
    """Return the networks of a Parquet file, after reading its column of networks once."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        check_sizes(file.metadata, MemoryLimit(path, os.path.getsize(path)), 3)
        names = file.schema_arrow.names
        found = find_graph_columns(names)
        if found is None:
            raise NetworkFormatError(
                f"{path}: the columns {', '.join(names)[:60]}; expected one of "
                f"{', '.join(GRAPH_COLUMNS)}, and two columns of nodes"
            )
        columns = (names[found[0]], names[found[1]], names[found[2]])
        row_groups = _index(file, columns[0])
    if not row_groups:
        raise NetworkFormatError(f"{path}: no rows; expected the edges of networks")
    graphs = list(row_groups)

    def place(i: int) -> Place:
        groups = tuple(row_groups[graphs[i]])
        return ParquetPlace(path, columns, len(names) > 3, graphs[i], groups)

    ids = [graph or "(no name)" for graph in graphs]
    return Part(PlacesOnDemand(len(ids), place), ids, path, files=[path])


def _index(file: Any, column: str) -> dict[str, list[int]]:
    """Return the row groups of each network."""
    row_groups: dict[str, list[int]] = {}
    for group in range(file.num_row_groups):
        graphs: dict[str, None] = {}
        for batch in file.iter_batches(_BATCH, row_groups=[group], columns=[column]):
            graphs.update(dict.fromkeys(_texts(batch.column(0).unique()).to_pylist()))
        for graph in graphs:
            row_groups.setdefault(graph, []).append(group)
    return row_groups


@lru_cache(maxsize=1)
def _row_group(path: str, changed: int, group: int, columns: tuple[str, str, str]) -> Any:
    """Return one row group as text, for the next networks in it too.

    The time of the last change is part of the key of the cache.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        texts = text_columns(file)
    with pq.ParquetFile(path, read_dictionary=texts) as file:
        table = file.read_row_group(group, columns=list(columns), use_threads=False)
    check_texts(table, MemoryLimit(path, os.path.getsize(path)))
    return pa.table([_texts(table[column]) for column in columns], names=["graph", "u", "v"])


def _texts(values: Any) -> Any:
    """Return values as text without outer spaces; missing values are empty."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.utf8_trim_whitespace(pc.fill_null(pc.cast(values, pa.string()), ""))
