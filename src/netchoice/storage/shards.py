"""The folder of a table: Parquet shards and a JSON manifest."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import uuid
import warnings
from collections.abc import Iterator, Mapping
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.atomic import write_atomically
from netchoice.storage.lock import lock_folder
from netchoice.storage.manifest import FORMAT, TableError, fingerprint

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

#: Programs that read a folder of Parquet files ignore names that begin with _.
MANIFEST = "_manifest.json"
#: Keys of the metadata of a shard: the fingerprint of its table, and a digest of its footer.
FINGERPRINT, FOOTER = b"netchoice.fingerprint", b"netchoice.footer"


@contextlib.contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Report errors of the disk in one line that names the folder and what to do."""
    try:
        yield
    except OSError as error:
        raise TableError(
            f"cannot write to {path}: {error.strerror or error}; rows written before are kept: "
            "free some space or choose another folder, and run the same command again"
        ) from error


class TableFolder:
    """The folder of a table: shards and a manifest, each written atomically."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)

    def exists(self) -> bool:
        """Return whether the folder holds a table, complete or not."""
        return (self.path / MANIFEST).is_file()

    def manifest(self) -> dict[str, Any]:
        """Read the manifest."""
        try:
            manifest = json.loads((self.path / MANIFEST).read_text())
        except OSError as error:
            raise TableError(
                f"{self.path} is no reference table: it has no {MANIFEST} ({error.strerror}); make "
                "a table with netchoice simulate"
            ) from error
        except ValueError as error:
            raise TableError(f"{self.path}/{MANIFEST} is damaged: {error}") from error
        if manifest.get("format") != FORMAT:
            raise TableError(
                f"{self.path} has table format {manifest.get('format')}; this version of netchoice "
                f"reads format {FORMAT}: simulate the table again, or read it with the version of "
                "netchoice that wrote it"
            )
        return dict(manifest)

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Make the folder if necessary, and be the only process that writes to it."""
        with contextlib.ExitStack() as stack:
            with disk_errors(self.path):
                self.path.mkdir(parents=True, exist_ok=True)
                stack.enter_context(lock_folder(self.path))
            yield

    def create(self, manifest: Mapping[str, Any]) -> None:
        """Start a new table; refuse a folder that holds a table, or shards of another one."""
        if self.exists():
            raise TableError(f"{self.path} already holds a table; use another folder")
        for _ in self._read_shards(manifest):
            pass
        self.write_manifest(manifest)

    def write_manifest(self, manifest: Mapping[str, Any]) -> None:
        """Replace the manifest."""
        text = json.dumps(manifest, indent=1, ensure_ascii=False)
        with disk_errors(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            write_atomically(self.path / MANIFEST, lambda file: file.write_text(text))

    def write_shard(self, rows: pa.Table, manifest: Mapping[str, Any]) -> None:
        """Write rows to a new shard, with the fingerprint of their table."""
        import pyarrow.parquet as pq

        first = rows.column("row")[0].as_py() if rows.num_rows else 0
        name = f"rows-{first:09d}-{uuid.uuid4().hex[:8]}.parquet"
        metadata = {**(rows.schema.metadata or {}), FINGERPRINT: fingerprint(manifest).encode()}
        rows = rows.replace_schema_metadata(metadata)
        rows = rows.replace_schema_metadata({**metadata, FOOTER: _footer_digest(rows)})
        write = partial(pq.write_table, rows, write_page_checksum=True, compression="zstd")
        with disk_errors(self.path):
            write_atomically(self.path / name, write)

    def shards(self) -> list[Path]:
        """Return the paths of the shards, sorted."""
        return sorted(self.path.glob("rows-*.parquet"))

    def rows_present(self) -> np.ndarray:
        """Return the sorted row numbers of all undamaged shards."""
        rows = [shard.column("row").to_numpy() for shard in self._read_shards()]
        return np.unique(np.concatenate(rows)) if rows else np.empty(0, np.int64)

    def read(self, n_rows: int | None = None) -> pd.DataFrame:
        """Return all rows, or those with numbers below ``n_rows``, sorted and without duplicates.

        Shards are copied into the result one after the other, so that memory holds the table once.
        """
        import pandas as pd
        import pyarrow as pa

        rows = self.rows_present()
        rows = rows if n_rows is None else rows[rows < n_rows]
        if not len(rows):
            hint = "run the simulation again to complete it"
            raise TableError(f"{self.path} has no rows yet; {hint}")
        columns: dict[str, Any] = {}
        for shard in self._read_shards():
            _copy_rows(shard, rows, columns)
        for name, values in columns.items():
            if values.dtype == object:
                columns[name] = pa.array(values, pa.string()).to_pandas()
        return pd.DataFrame(columns, copy=False)

    def _read_shards(self, manifest: Mapping[str, Any] | None = None) -> Iterator[pa.Table]:
        """Yield the undamaged shards one after the other; rename the damaged ones.

        Shards of another table than that of the manifest are refused.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        expected = fingerprint(self.manifest() if manifest is None else manifest)
        for path in self.shards():
            try:
                shard = pq.read_table(path, page_checksum_verification=True, partitioning=None)
                shard.column("row")
                found = (shard.schema.metadata or {}).get(FINGERPRINT)
                if found and shard.schema.metadata.get(FOOTER) != _footer_digest(shard):
                    raise pa.ArrowInvalid("its columns do not agree with their digest")
            except (pa.ArrowException, OSError, KeyError, UnicodeDecodeError) as error:
                warnings.warn(f"{path} is damaged and was renamed ({error})", stacklevel=4)
                with contextlib.suppress(OSError):
                    path.rename(path.with_name(f"_{path.name}.damaged"))
            else:
                if found != expected.encode():
                    raise TableError(
                        f"{path} has {f'fingerprint {found.decode()}' if found else 'no fingerprint'}; "
                        f"its table has {expected}, so the rows were made differently: move the shard "
                        "to another folder, or use another folder for the table"
                    )
                yield shard


def _footer_digest(shard: pa.Table) -> bytes:
    """Return a digest of what page checksums do not protect: names, types, number of rows, metadata."""
    import pyarrow as pa

    # Versions of Arrow differ in how they represent strings.
    types = [str(item.type) if pa.types.is_primitive(item.type) else "" for item in shard.schema]
    facts = [shard.schema.names, types, shard.num_rows, shard.schema.metadata[FINGERPRINT].hex()]
    return hashlib.blake2b(json.dumps(facts).encode(), digest_size=16).hexdigest().encode()


def _copy_rows(shard: pa.Table, rows: np.ndarray, columns: dict[str, np.ndarray]) -> None:
    """Copy the rows of a shard to their positions in the columns of the table."""
    import pyarrow as pa

    numbers = shard.column("row").to_numpy()
    selected = np.flatnonzero(np.isin(numbers, rows))
    positions = np.searchsorted(rows, numbers[selected])
    for name in shard.column_names:
        column = shard.column(name)
        values = column.to_numpy() if pa.types.is_primitive(column.type) else _strings(column)
        if name not in columns:
            missing = {"f": math.nan, "O": None}.get(values.dtype.kind, 0)
            columns[name] = np.full(len(rows), missing, values.dtype)
        columns[name][positions] = values[selected]


def _strings(column: Any) -> np.ndarray:
    """Return the strings of a column as objects; equal strings share one object to save memory."""
    encoded = column.combine_chunks().dictionary_encode()
    distinct = np.array([*encoded.dictionary.to_pylist(), None], dtype=object)
    codes: np.ndarray = encoded.indices.fill_null(len(distinct) - 1).to_numpy(zero_copy_only=False)
    return distinct[codes]  # type: ignore[no-any-return]
