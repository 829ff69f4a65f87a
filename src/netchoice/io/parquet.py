"""Networks in Parquet files: one, or many in a file with a column of the network's name."""

from __future__ import annotations

import io
import os
from typing import Any

import numpy as np

from netchoice.edge_pairs import EdgePairs
from netchoice.io.guard import EDGE, MemoryLimit, StoredFile
from netchoice.io.many_networks import (
    EdgeRows,
    EdgeTable,
    edge_table,
    find_graph_columns,
)
from netchoice.network_objects import from_frame

#: Memory per value: in Arrow, in pandas, and as a Python object.
VALUE = 100
#: Copies of a text: in Arrow, and as a Python object.
_COPIES = 3
#: Rows that are read at once.
_BATCH = 1 << 16


def parse_parquet(content: bytes, limit: MemoryLimit) -> EdgePairs:
    """Parse a table of edges, or an adjacency matrix, in a Parquet file."""
    with _opened(io.BytesIO(content), limit) as file:
        table = file.read(use_threads=False)
    _check_texts(table, limit)
    return from_frame(table.to_pandas())


def has_many_networks(path: str) -> bool:
    """Return whether a Parquet file has a column of networks, or cannot be opened."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        names = pq.read_schema(path).names
    except (OSError, ValueError, pa.ArrowException):
        return True
    return find_graph_columns(names) is not None


def parquet_networks(path: str) -> EdgeTable:
    """Return the networks of a Parquet file."""
    import pyarrow.compute as pc

    limit, rows = MemoryLimit(path, os.path.getsize(path)), EdgeRows()
    with _opened(path, limit, 3) as file:
        names = file.schema_arrow.names
        found = find_graph_columns(names)
        assert found is not None  # or it has one network
        columns = [names[k] for k in found]
        for batch in file.iter_batches(_BATCH, columns=columns, use_threads=False):
            _check_texts(batch, limit)
            graphs, first, second = (_texts(batch.column(name)) for name in columns)
            is_empty = [pc.equal(column, "").to_numpy(False) for column in (graphs, first, second)]
            for row in np.flatnonzero(np.any(is_empty, axis=0)).tolist():
                has_graph = graphs[row].as_py()
                rows.faults[rows.n_rows + row] = (
                    f"a name is empty; expected a value in the columns "
                    f"{columns[1]!r} and {columns[2]!r}"
                    if has_graph
                    else f"rows without a value in the column {columns[0]!r}; "
                    "fill it with the name of the network, or remove these rows"
                )
            rows.add(graphs, first, second)
    return edge_table(StoredFile(path), "parquet", rows, weighted=len(names) > 3)


def _opened(source: Any, limit: MemoryLimit, n_columns: int | None = None) -> Any:
    """Open a Parquet file after checking the declared rows and bytes of so many columns.

    A text that occurs in many rows is stored once, and stays so in a dictionary.
    """
    import pyarrow.parquet as pq
    import pyarrow.types as kinds

    with pq.ParquetFile(source) as file:
        groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
        n_rows = max(file.metadata.num_rows, sum(group.num_rows for group in groups))
        n_bytes = sum(group.total_byte_size for group in groups)
        n_values = n_rows * (file.metadata.num_columns if n_columns is None else n_columns)
        limit.check(2 * n_bytes + VALUE * n_values + EDGE * n_rows, f"{n_rows} rows")
        types = {
            field.name: field.type.value_type if kinds.is_dictionary(field.type) else field.type
            for field in file.schema_arrow
        }
    return pq.ParquetFile(source, read_dictionary=[k for k, v in types.items() if _is_text(v)])


def _is_text(type: Any) -> bool:
    import pyarrow.types as kinds

    is_text = (kinds.is_string, kinds.is_large_string, kinds.is_binary, kinds.is_large_binary)
    return any(is_kind(type) for is_kind in is_text)


def _check_texts(table: Any, limit: MemoryLimit) -> None:
    """Raise an error if texts, each of which a dictionary holds once, need too much memory in rows."""
    longest = sum(map(_longest_text, table.columns))
    limit.check(_COPIES * table.num_rows * longest, f"{table.num_rows} rows of texts")


def _longest_text(column: Any) -> int:
    """Return the bytes of the longest text in a column of dictionaries, 0 for other columns."""
    import pyarrow.compute as pc

    chunks = [
        chunk.dictionary
        for chunk in getattr(column, "chunks", [column])
        if hasattr(chunk, "dictionary")
    ]
    texts = [chunk for chunk in chunks if len(chunk) and _is_text(chunk.type)]
    return max((pc.max(pc.binary_length(chunk)).as_py() or 0 for chunk in texts), default=0)


def _texts(values: Any) -> Any:
    """Return values as text without outer spaces; missing values are empty."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.utf8_trim_whitespace(pc.fill_null(pc.cast(values, pa.string()), ""))
