"""Single networks in Parquet files."""

from __future__ import annotations

import io
from typing import Any

from netchoice.edge_pairs import EdgePairs
from netchoice.io.memory_limit import EDGE, MemoryLimit
from netchoice.network_objects import from_frame

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
