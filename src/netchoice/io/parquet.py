"""Networks in Parquet files: one, or many in a file with a column of the network's name."""

from __future__ import annotations

import io
import os
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from netchoice.edge_pairs import EdgePairs, number_nodes
from netchoice.errors import NetworkFormatError
from netchoice.graph import Graph
from netchoice.io.guard import EDGE, MemoryLimit
from netchoice.io.places import Part, Place, PlacesOnDemand
from netchoice.io.reading_report import ReadingReport, clean
from netchoice.io.text_networks import GRAPH_COLUMNS, find_graph_columns
from netchoice.network_objects import from_frame

# One network

#: Memory per value: in Arrow, in pandas, and as a Python object.
VALUE = 100
#: Copies of a text: in Arrow, and as a Python object.
_COPIES = 3


def parse_parquet(content: bytes, limit: MemoryLimit) -> EdgePairs:
    """Parse a table of edges, or an adjacency matrix, in a Parquet file."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(io.BytesIO(content)) as file:
        check_sizes(file.metadata, limit)
        texts = text_columns(file)
    # A text that occurs in many rows is stored once, and stays so in a dictionary.
    with pq.ParquetFile(io.BytesIO(content), read_dictionary=texts) as file:
        table = file.read(use_threads=False)
    check_texts(table, limit)
    return from_frame(table.to_pandas())


def check_sizes(metadata: Any, limit: MemoryLimit, n_columns: int | None = None) -> None:
    """Raise an error if the declared rows and bytes need more memory than the limit."""
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    n_rows = max(metadata.num_rows, sum(group.num_rows for group in groups))
    n_bytes = sum(group.total_byte_size for group in groups)
    n_values = n_rows * (metadata.num_columns if n_columns is None else n_columns)
    limit.check(2 * n_bytes + VALUE * n_values + EDGE * n_rows, f"{n_rows} rows")


def _is_text(type: Any) -> bool:
    import pyarrow.types as kinds

    is_text = (kinds.is_string, kinds.is_large_string, kinds.is_binary, kinds.is_large_binary)
    return any(is_kind(type) for is_kind in is_text)


def text_columns(file: Any) -> list[str]:
    """Return the names of the columns of texts."""
    import pyarrow.types as kinds

    types = {
        field.name: field.type.value_type if kinds.is_dictionary(field.type) else field.type
        for field in file.schema_arrow
    }
    return [name for name, type in types.items() if _is_text(type)]


def check_texts(table: Any, limit: MemoryLimit) -> None:
    """Raise an error if texts, each of which a dictionary holds once, need too much memory in rows."""
    longest = sum(_longest_text(column) for column in table.columns)
    limit.check(_COPIES * len(table) * longest, f"{len(table)} rows of texts")


def _longest_text(column: Any) -> int:
    """Return the bytes of the longest text in a column of dictionaries, 0 for other columns."""
    import pyarrow.compute as pc

    chunks = [chunk.dictionary for chunk in column.chunks if hasattr(chunk, "dictionary")]
    texts = [chunk for chunk in chunks if len(chunk) and _is_text(chunk.type)]
    return max((pc.max(pc.binary_length(chunk)).as_py() or 0 for chunk in texts), default=0)


# Many networks

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
