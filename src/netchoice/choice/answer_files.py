"""The files of a cohort: parts of consecutive networks, and the tables that are made from the parts."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from netchoice.atomic import write_atomically
from netchoice.choice.run_folder import RunFiles
from netchoice.storage.csv_text import csv_cell
from netchoice.storage.kept_files import (
    KeptFileError,
    UnreadableFileError,
    read_parquet,
    write_parquet,
)
from netchoice.storage.written_folder import disk_errors

if TYPE_CHECKING:
    import pyarrow as pa

PARTS = "answers"
ANSWERS_CSV, ANSWERS, FEATURES = "answers.csv", "answers.parquet", "features.parquet"
_PART = f"{PARTS}/part-{'[0-9]' * 6}.parquet"
#: Files that were not completed because the process was killed.
_PARTIAL = (f"{PARTS}/.part-*.partial", f".{ANSWERS_CSV}.*.partial", f".{ANSWERS}.*.partial",
            f".{FEATURES}.*.partial", ".cohort.json.*.partial")  # fmt: skip
#: The subfolder with the simulations of a cohort, if it has its own.
REFERENCES = "references"
COHORT_FILES = RunFiles(
    "cohort.json", "a cohort", (
        ANSWERS_CSV, ANSWERS, FEATURES, "none-fits.csv", "summary.json", "report.html",
        "figures/verdicts.png", "figures/models.png", "figures/families.png",
        "figures/probabilities.png", "figures/parameters.png", "figures/embedding-*.png", _PART,
    ), (REFERENCES,),
)  # fmt: skip

#: Begins the names of the features in a part, where they stand beside the answers.
_FEATURE = "feature:"
#: Rows that are in memory at a time when the tables are written, and rows of a Parquet row group.
_ROWS_IN_MEMORY = 5_000


Row = Sequence[str | float | bool | None]


@dataclass(frozen=True)
class AnswerFiles:
    """The files of one cohort.

    Parts do not hold what is known about the networks: if a group or a covariate is corrected, the
    parts remain valid.

    Attributes
    ----------
    folder : Path
    known : mapping
        ``"text"``, ``"number"`` or ``"flag"`` by name of the columns that are known: id, group, ….
    answers : mapping
        The same for the columns of the answers.
    features : sequence of str
        Names of the features.
    fingerprint : str
        What the answers depend on. A part with another fingerprint counts as damaged.
    """

    folder: Path
    known: Mapping[str, str]
    answers: Mapping[str, str]
    features: Sequence[str]
    fingerprint: str

    def prepare(self) -> None:
        """Make the folder of the parts; delete what a killed process left incomplete."""
        with disk_errors(self.folder):
            (self.folder / PARTS).mkdir(exist_ok=True)
            for pattern in _PARTIAL:
                for path in self.folder.glob(pattern):
                    path.unlink()

    def write_part(self, part: int, rows: Sequence[Row]) -> None:
        """Write the rows of one part: id, answers and features of each network."""
        features = dict.fromkeys((_FEATURE + name for name in self.features), "number")
        table = _as_table(rows, {"id": "text", **self.answers, **features})
        with disk_errors(self.folder):
            write_parquet(self._path(part), [table], table.schema, self.fingerprint)

    def has_part(self, part: int) -> bool:
        """Return whether a part was written."""
        return self._path(part).exists()

    def count_failed(self, part: int, ids: Sequence[str]) -> int | None:
        """Return how many networks of a part failed; None if the part is missing or damaged."""
        path, advice = self._path(part), "its networks are answered again"
        if not path.exists():
            return None
        try:
            table = read_parquet(path, self.fingerprint, ["id", "error"], advice=advice)
            if table.column("id").to_pylist() == list(ids):
                return len(table) - int(table.column("error").null_count)
            warnings.warn(f"{path} has answers for other networks; {advice}", stacklevel=4)
        except UnreadableFileError:
            raise
        except KeptFileError as error:
            warnings.warn(str(error), stacklevel=4)
        return None

    def write_tables(self, n_parts: int, known: Iterable[Sequence[Row]]) -> None:
        """Write the tables of all answers and of all features from the parts.

        ``known`` yields the rows of the known columns for each part.
        """
        answers = (self._answers(part, rows) for part, rows in enumerate(known))
        features = (self._features(part) for part in range(n_parts))
        all_answers, all_features = self.folder / ANSWERS, self.folder / FEATURES
        types = {"id": "text"} | dict.fromkeys(self.features, "number")
        with disk_errors(self.folder):
            schema = _schema(types)
            write_parquet(all_features, _row_groups(features, schema), schema, self.fingerprint)
            schema = _schema({**self.known, **self.answers})
            write_parquet(all_answers, _row_groups(answers, schema), schema, self.fingerprint)
            write_atomically(self.folder / ANSWERS_CSV, partial(_write_csv, all_answers))

    def _answers(self, part: int, rows: Sequence[Row]) -> pa.Table:
        table = _as_table(rows, self.known)
        answers = self._columns(part, list(self.answers))
        for name in self.answers:
            table = table.append_column(name, answers.column(name))
        return table

    def _features(self, part: int) -> pa.Table:
        table = self._columns(part, ["id", *(_FEATURE + name for name in self.features)])
        return table.rename_columns(["id", *self.features])

    def _columns(self, part: int, names: list[str]) -> pa.Table:
        advice = "it was changed during the run: run the same command again"
        table = read_parquet(self._path(part), self.fingerprint, names, advice=advice)
        return table.replace_schema_metadata(None)

    def _path(self, part: int) -> Path:
        return self.folder / PARTS / f"part-{part:06d}.parquet"


def _schema(kinds: Mapping[str, str]) -> pa.Schema:
    import pyarrow as pa

    types = {"text": pa.string(), "number": pa.float64(), "flag": pa.bool_()}
    return pa.schema([(name, types[kind]) for name, kind in kinds.items()])


def _as_table(rows: Sequence[Row], kinds: Mapping[str, str]) -> pa.Table:
    import pyarrow as pa

    schema, columns = _schema(kinds), zip(*rows, strict=True)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.table(arrays, schema=schema)


def _row_groups(tables: Iterable[pa.Table], schema: pa.Schema) -> Iterator[pa.Table]:
    """Yield the rows of tables in groups of a fixed number of rows."""
    import pyarrow as pa

    waiting = [schema.empty_table()]
    for table in tables:
        waiting.append(table)
        while sum(map(len, waiting)) >= _ROWS_IN_MEMORY:
            rows = pa.concat_tables(waiting).combine_chunks()
            yield rows[:_ROWS_IN_MEMORY]
            waiting = [rows[_ROWS_IN_MEMORY:]]
    if any(map(len, waiting)):
        yield pa.concat_tables(waiting).combine_chunks()


def _write_csv(source: Path, target: Path) -> None:
    """Write a CSV file with the content of a Parquet file."""
    import pyarrow.parquet as pq

    with (
        open(target, "w", encoding="utf-8", newline="") as file,
        source.open("rb") as content,
        pq.ParquetFile(content) as table,
    ):
        file.write(",".join(map(csv_cell, table.schema_arrow.names)) + "\n")
        for rows in table.iter_batches():
            columns = (map(csv_cell, column.to_pylist()) for column in rows.columns)
            file.writelines(",".join(cells) + "\n" for cells in zip(*columns, strict=True))
