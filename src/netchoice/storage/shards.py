"""Rows in Parquet shards, and the folder of a table: shards with a manifest of what they were made from."""

from __future__ import annotations

import json
import uuid
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.errors import TableError, one_line
from netchoice.storage.kept_files import (
    DamagedFileError,
    OtherRunError,
    fingerprint_of,
    read_json,
    read_parquet,
    write_json,
    write_parquet,
)
from netchoice.storage.run_folder import disk_errors, lock_folder
from netchoice.stores import place

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

# The manifest

#: Version of the layout on disk. Since format 3, each file holds a checksum of all its bytes.
FORMAT = 3
#: Rows are combined only if these fields agree.
MUST_AGREE = ("format", "space", "n_nodes", "isolated", "features")
#: A table is resumed only if these fields agree.
MUST_AGREE_TO_RESUME = (*MUST_AGREE, "seed", "stream")
#: What the networks of a simulated table, though not their features, are determined by.
NETWORKS = ("space", "n_nodes", "isolated", "seed", "stream")
#: Combining rows causes a warning if these fields differ.
SHOULD_AGREE = ("packages", "code")


def fingerprint(manifest: Mapping[str, Any], *fields: str) -> str:
    """Return a digest of the fields that determine the rows of a table."""
    return fingerprint_of([manifest.get(n) for n in fields or (*MUST_AGREE_TO_RESUME, "origin")])


def check_resumable(existing: Mapping[str, Any], requested: Mapping[str, Any], path: Any) -> None:
    """Refuse to resume a table that was not simulated row by row, or was simulated differently."""
    if "origin" in existing:
        raise TableError(
            f"the table in {path} was made by {existing['origin']['made_by']}; only simulated tables "
            "can be resumed: use another folder"
        )
    tables = f"the table in {path} and the requested one"
    check_compatible(existing, requested, tables, MUST_AGREE_TO_RESUME)


def check_compatible(
    manifest: Mapping[str, Any], other: Mapping[str, Any], tables: str, must_agree: Sequence[str]
) -> None:
    """Refuse to combine rows that were made differently, and name the first difference."""
    for name in must_agree:
        if manifest.get(name) != other.get(name):
            first, second = _differing(name, manifest.get(name), other.get(name))
            raise TableError(
                f"{tables} differ in {name}: {first} and {second}; their rows cannot be combined: use "
                "another folder"
            )
    for name in SHOULD_AGREE:
        if manifest.get(name) != other.get(name):
            warnings.warn(f"{tables} differ in {name}; rows are combined anyway", stacklevel=3)


def _differing(name: str, one: Any, other: Any) -> tuple[str, str]:
    """Return two values of a field as texts; of features, those that the other table lacks."""
    if name == "features" and isinstance(one, list) and isinstance(other, list):
        names = [[feature["name"] for feature in features] for features in (one, other)]
        if {*names[0]} != {*names[1]}:  # otherwise versions differ, or the order
            lacking = ([n for n in a if n not in {*b}] for a, b in (names, names[::-1]))
            one, other = (", ".join(each) or "no other feature" for each in lacking)
            return one, other
    one, other = (json.dumps(v, sort_keys=True, ensure_ascii=False) for v in (one, other))
    return one_line(one, 120), one_line(other, 120)


# The shards

#: Programs that read a folder of Parquet files ignore names that begin with _.
MANIFEST = "_manifest.json"
#: The column that says why a row has no values.
FAILURE = "failure"
_MANIFEST_ADVICE = (
    "delete it and run the same simulation again, which keeps its rows; make other tables again"
)


class RowFolder:
    """A folder of rows in Parquet shards, each written atomically and with the fingerprint of its run.

    Attributes
    ----------
    path : Path
    run : str, the fingerprint of what the rows depend on
    """

    def __init__(self, path: str | PathLike[str], run: str = "") -> None:
        self.path, self._run = place(path), run

    @property
    def run(self) -> str:
        """The fingerprint of what the rows depend on."""
        return self._run

    def lock(self) -> AbstractContextManager[None]:
        """Make the folder if necessary, and be the only process that writes to it."""
        return lock_folder(self.path)

    def write(self, rows: pa.Table) -> None:
        """Write rows to a new shard."""
        first = rows.column("row")[0].as_py() if rows.num_rows else 0
        name = f"rows-{first:09d}-{uuid.uuid4().hex[:8]}.parquet"
        with disk_errors(self.path):
            write_parquet(self.path / name, [rows], rows.schema, self.run)

    def shards(self) -> list[Path]:
        """Return the paths of the shards, sorted."""
        return sorted(self.path.glob("rows-[0-9]*-*.parquet"))

    def scan(self, rename: bool = False) -> dict[Path, pa.Table]:
        """Return number and failure of the rows of each undamaged shard; warn about the damaged ones.

        With ``rename``, the owner of the lock renames damaged shards. A shard that cannot be opened is not
        damaged: it raises an error and keeps its name.
        """
        found = {}
        for path in self.shards():
            try:
                found[path] = self._read_shard(path, ["row", FAILURE])
            except DamagedFileError as error:
                target, message = path.with_name(f"_{path.name}.damaged"), str(error)
                if rename:
                    with disk_errors(self.path):
                        path.rename(target)
                    message += f". It was renamed to {target.name}"
                warnings.warn(message, stacklevel=4)
        return found

    def read(self, rows: np.ndarray | None = None) -> pd.DataFrame:
        """Return rows, sorted and without duplicates: all by default, or those of these numbers."""
        shards = self.scan()
        frame: pd.DataFrame = self.take(
            shards, row_numbers(shards) if rows is None else rows
        ).to_pandas()
        return frame

    def groups(self, columns: Sequence[str], n_rows: int, size: int) -> Iterator[pa.Table]:
        """Yield columns of the rows 0 to ``n_rows`` in order, ``size`` rows at a time.

        Memory holds the shards of one group only.
        """
        shards = self.scan()
        for start in range(0, n_rows, size):
            group = np.arange(start, min(start + size, n_rows))
            rows = self.take(shards, group, columns)
            if len(rows) < len(group):
                raise TableError(
                    f"{self.path} lacks {len(group) - len(rows)} rows: it was changed during the run; run "
                    "the same command again"
                )
            yield rows.select(columns)

    def take(
        self, shards: dict[Path, pa.Table], rows: np.ndarray, columns: Sequence[str] | None = None
    ) -> pa.Table:
        """Return rows in order, each once; shards without any of them are not read."""
        import pyarrow as pa

        parts, numbers = [], []
        for path, known in shards.items():
            here = known.column("row").to_numpy()
            is_wanted = np.isin(here, rows)
            if is_wanted.any():
                parts.append(self._read_shard(path, columns).filter(is_wanted))
                numbers.append(here[is_wanted])
        if not parts:
            raise TableError(
                f"{self.path} has no rows yet; run the simulation again to complete it"
            )
        _, first = np.unique(np.concatenate(numbers), return_index=True)
        return pa.concat_tables(parts, promote_options="permissive").take(first)

    def _read_shard(self, path: Path, columns: Sequence[str] | None = None) -> pa.Table:
        try:
            return read_parquet(path, self.run, columns, advice="the same run makes its rows again")
        except OtherRunError as error:
            raise TableError(
                f"{error}: its rows were made differently; move the shard to another folder, or use "
                "another folder for the table"
            ) from error


def row_numbers(shards: dict[Path, pa.Table], failed: bool = False) -> np.ndarray:
    """Return the numbers of all rows, or of those that failed, sorted, each once."""
    tables = [each.filter(each[FAILURE].is_valid()) if failed else each for each in shards.values()]
    numbers = [table.column("row").to_numpy() for table in tables]
    return np.unique(np.concatenate([np.empty(0, np.int64), *numbers]))


class TableFolder(RowFolder):
    """The folder of a table: shards, and a manifest of what the rows were made from."""

    @property
    def run(self) -> str:
        """The fingerprint in the manifest."""
        if not self._run:
            self._run = fingerprint(self.manifest())
        return self._run

    def exists(self) -> bool:
        """Return whether the folder holds a table, complete or not."""
        return (self.path / MANIFEST).is_file()

    def manifest(self) -> dict[str, Any]:
        """Read the manifest."""
        path = self.path / MANIFEST
        if not path.exists():
            raise TableError(
                f"{self.path} is no reference table: it has no {MANIFEST}; make a table with netchoice "
                "simulate"
            )
        manifest = read_json(path, advice=_MANIFEST_ADVICE)
        if manifest.get("format") != FORMAT:
            raise TableError(
                f"{self.path} has table format {manifest.get('format')}; this version of netchoice "
                f"reads format {FORMAT}: simulate the table again, or read it with the version of "
                "netchoice that wrote it"
            )
        return manifest

    @contextmanager
    def open(self, manifest: Mapping[str, Any], resume: bool = True) -> Iterator[None]:
        """Be the only process that writes to this table; start it, or resume it with more rows.

        Without ``resume``, a folder that holds a table is refused. Shards of another table are in any case.
        """
        with self.lock():
            if not self.exists():
                self._run = fingerprint(manifest)
                self.scan(rename=True)
                self.write_manifest(manifest)
            elif not resume:
                raise TableError(f"{self.path} already holds a table; use another folder")
            else:
                existing = self.manifest()
                check_resumable(existing, manifest, self.path)
                if manifest["n_samples"] > existing["n_samples"]:
                    self.write_manifest({**existing, "n_samples": manifest["n_samples"]})
            yield

    def holds(self, manifest: dict[str, Any], rows: np.ndarray) -> bool:
        """Return whether the folder has all of these rows; several processes may ask at once."""
        if not self.exists():
            return False
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # whoever opens the table to add rows warns
            check_resumable(self.manifest(), manifest, self.path)
            return bool(np.isin(rows, row_numbers(self.scan())).all())

    def write_manifest(self, manifest: Mapping[str, Any]) -> None:
        """Replace the manifest."""
        self._run = fingerprint(manifest)
        with disk_errors(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            write_json(self.path / MANIFEST, manifest, self.run)
