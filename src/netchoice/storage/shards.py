"""The folder of a table: Parquet shards that appear whole or not at all, and a JSON manifest."""

from __future__ import annotations

import contextlib
import json
import math
import os
import uuid
import warnings
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.errors import NetchoiceError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

FORMAT = 1
#: Names that begin with _ are passed over by programs that read a folder of Parquet files.
MANIFEST = "_manifest.json"


class TableError(NetchoiceError):
    """A table that cannot be read, or does not go with another."""


class TableFolder:
    """The folder of a table: shards that appear whole or not at all, and a manifest."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)

    def exists(self) -> bool:
        """True if a table was begun here."""
        return (self.path / MANIFEST).is_file()

    def manifest(self) -> dict[str, Any]:
        """The manifest, as a dict."""
        try:
            text = (self.path / MANIFEST).read_text()
        except OSError as error:
            raise TableError(
                f"{self.path} is no reference table: no {MANIFEST} in it ({error.strerror}); "
                "netchoice simulate makes tables"
            ) from error
        try:
            manifest = json.loads(text)
        except ValueError as error:
            raise TableError(f"{self.path}/{MANIFEST} is damaged: {error}") from error
        if manifest.get("format") != FORMAT:
            found = manifest.get("format")
            raise TableError(f"{self.path} has table format {found}; this netchoice reads {FORMAT}")
        return dict(manifest)

    def create(self, manifest: Mapping[str, Any]) -> None:
        """Begin a table."""
        if self.exists():
            raise TableError(f"there is a table in {self.path} already; use another folder")
        self.write_manifest(manifest)

    def write_manifest(self, manifest: Mapping[str, Any]) -> None:
        """Replace the manifest."""
        text = json.dumps(manifest, indent=1, ensure_ascii=False)
        with _disk_errors(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
        self._write(MANIFEST, lambda file: Path(file).write_text(text))

    def write_shard(self, rows: pa.Table) -> None:
        """Add rows, in one file."""
        import pyarrow.parquet as pq

        first = rows.column("row")[0].as_py() if rows.num_rows else 0
        name = f"rows-{first:09d}-{uuid.uuid4().hex[:8]}.parquet"
        self._write(
            name,
            lambda file: pq.write_table(rows, file, write_page_checksum=True, compression="zstd"),
        )

    def _write(self, name: str, write: Callable[[str], Any]) -> None:
        """A file that appears whole or not at all, also if the power goes."""
        partial = self.path / f".{name}.{os.getpid()}.partial"
        with _disk_errors(self.path):
            try:
                write(str(partial))
                with open(partial, "rb") as file:
                    os.fsync(file.fileno())
                os.replace(partial, self.path / name)
                directory = os.open(self.path, os.O_RDONLY)
                try:
                    os.fsync(directory)
                finally:
                    os.close(directory)
            finally:
                with contextlib.suppress(OSError):
                    partial.unlink()

    def shards(self) -> list[Path]:
        """The files with rows."""
        return sorted(self.path.glob("rows-*.parquet"))

    def rows_present(self) -> np.ndarray:
        """Row numbers of all sound shards, sorted; damaged files are set aside."""
        found = [self._read_shard(path, ["row"]) for path in self.shards()]
        rows = [shard.column("row").to_numpy() for shard in found if shard is not None]
        return np.unique(np.concatenate(rows)) if rows else np.empty(0, np.int64)

    def read(self, n_rows: int | None = None) -> pd.DataFrame:
        """All rows or the first so many, in order, each once.

        One shard after the other goes to its place, so that memory holds the table once.
        """
        import pandas as pd
        import pyarrow as pa

        rows = self.rows_present()
        rows = rows if n_rows is None else rows[rows < n_rows]
        if not len(rows):
            raise TableError(f"{self.path} has no rows yet; run the simulation again")
        columns: dict[str, np.ndarray] = {}
        for path in self.shards():
            shard = self._read_shard(path)
            if shard is not None:
                _place(shard, rows, columns)
        made = {
            name: pa.array(values, pa.string()).to_pandas() if values.dtype == object else values
            for name, values in columns.items()
        }
        return pd.DataFrame(made, copy=False)

    def _read_shard(self, path: Path, columns: list[str] | None = None) -> pa.Table | None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            # All columns are read even if one is wanted: only that shows whether all are sound.
            table = pq.read_table(path, page_checksum_verification=True)
            return table.select(columns) if columns else table
        except (pa.ArrowException, OSError, KeyError) as error:
            warnings.warn(f"{path} is damaged and set aside ({error})", stacklevel=4)
            with contextlib.suppress(OSError):
                path.rename(path.with_name(f"_{path.name}.damaged"))
            return None


def _place(shard: pa.Table, rows: np.ndarray, columns: dict[str, np.ndarray]) -> None:
    """Put the rows of a shard where they belong in the columns of the whole."""
    import pyarrow as pa

    numbers = shard.column("row").to_numpy()
    kept = np.flatnonzero(np.isin(numbers, rows))
    at = np.searchsorted(rows, numbers[kept])
    for name in shard.column_names:
        column = shard.column(name)
        kind = column.type
        numeric = pa.types.is_floating(kind) or pa.types.is_integer(kind)
        values = column.to_numpy() if numeric or pa.types.is_boolean(kind) else _texts(column)
        if name not in columns:
            missing = {"f": math.nan, "O": None}.get(values.dtype.kind, 0)
            columns[name] = np.full(len(rows), missing, values.dtype)
        columns[name][at] = values[kept]


def _texts(column: Any) -> np.ndarray:
    """Few different texts, many rows: each text is kept once."""
    encoded = column.combine_chunks().dictionary_encode()
    texts = np.array([*encoded.dictionary.to_pylist(), None], dtype=object)
    codes: np.ndarray = encoded.indices.fill_null(len(texts) - 1).to_numpy(zero_copy_only=False)
    return texts[codes]  # type: ignore[no-any-return]


@contextlib.contextmanager
def _disk_errors(path: Path) -> Any:
    try:
        yield
    except OSError as error:
        raise TableError(
            f"cannot write to {path}: {error.strerror or error}; what was written before is kept: make "
            "room or choose another place, and run the same again"
        ) from error
