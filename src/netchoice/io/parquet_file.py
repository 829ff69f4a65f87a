"""Single networks in Parquet files."""

from __future__ import annotations

import io
from typing import Any

from netchoice.edge_pairs import EdgePairs
from netchoice.io.memory_limit import EDGE, MemoryLimit
from netchoice.network_objects import from_frame

#: Memory per value: in Arrow, in pandas, and as a Python object.
VALUE = 50


def parse_parquet(content: bytes, limit: MemoryLimit) -> EdgePairs:
    """Parse a table of edges, or an adjacency matrix, in a Parquet file."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(io.BytesIO(content)) as file:
        check_sizes(file.metadata, limit)
        texts = text_columns(file)
    # A text that occurs in many rows is stored once, and stays so in a dictionary.
    with pq.ParquetFile(io.BytesIO(content), read_dictionary=texts) as file:
        return from_frame(file.read(use_threads=False).to_pandas())


def check_sizes(metadata: Any, limit: MemoryLimit, n_columns: int | None = None) -> None:
    """Raise an error if the declared rows and bytes need more memory than the limit."""
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    n_rows = max(metadata.num_rows, sum(group.num_rows for group in groups))
    n_bytes = sum(group.total_byte_size for group in groups)
    n_values = n_rows * (metadata.num_columns if n_columns is None else n_columns)
    limit.check(2 * n_bytes + VALUE * n_values + EDGE * n_rows, f"{n_rows} rows")


def text_columns(file: Any) -> list[str]:
    """Return the names of the columns of texts."""
    import pyarrow.types as kinds

    is_text = (kinds.is_string, kinds.is_large_string, kinds.is_binary, kinds.is_large_binary)
    return [field.name for field in file.schema_arrow if any(is_(field.type) for is_ in is_text)]


def longest_text(column: Any) -> int:
    """Return the bytes of the longest text in a column of dictionaries, 8 for other columns."""
    import pyarrow.compute as pc

    chunks = [chunk.dictionary for chunk in column.chunks if hasattr(chunk, "dictionary")]
    lengths = [pc.max(pc.binary_length(chunk)).as_py() for chunk in chunks if len(chunk)]
    return max((length or 0 for length in lengths), default=8)
