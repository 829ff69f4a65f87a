"""Answers for the networks of a cohort: in any process, on any engine, resumable."""

from __future__ import annotations

import math
import numbers
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from netchoice.atomic import write_atomically
from netchoice.choice.reference import Progress
from netchoice.engines import get_engine
from netchoice.errors import NetchoiceError, UsageError, describe_error
from netchoice.graph import Graph
from netchoice.interruption import cpu_seconds
from netchoice.io import ReadingReport
from netchoice.rows import Row, run_rows
from netchoice.storage.kept_files import fingerprint_of, read_parquet, write_parquet
from netchoice.storage.records import csv_cell
from netchoice.storage.run_folder import KEPT, REPORT, disk_errors, run_folder
from netchoice.storage.shards import FAILURE, RowFolder
from netchoice.stores import place

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

ANSWERS_CSV, ANSWERS, FEATURES = "answers.csv", "answers.parquet", "features.parquet"
#: The subfolder with the rows of the networks, and that with the simulations, if a cohort has its own.
ROWS, REFERENCES = f"{KEPT}/answers", f"{KEPT}/references"
#: What makes such runs, for messages.
MADE_BY = "a cohort"
#: Begins the names of the features in a row, where they stand beside the answers; and the seconds there.
_FEATURE, _SECONDS = "feature:", "own:seconds"
#: Rows that are in memory at a time when the tables are written, and rows of a Parquet row group.
_ROWS_IN_MEMORY = 5_000


class Source(Protocol):
    """One network of a collection."""

    @property
    def id(self) -> str:
        """Name of the network."""

    @property
    def group(self) -> str | None:
        """Group of the network, if any."""

    @property
    def file(self) -> str | None:
        """The file that holds this network alone, if there is one."""

    @property
    def covariates(self) -> Mapping[str, Any]:
        """Texts and numbers that are known about the network, by name."""

    def read(self) -> tuple[Graph, ReadingReport | None]:
        """Read the network."""


class Collection(Protocol):
    """The networks of a cohort, in order."""

    @property
    def fingerprint(self) -> str:
        """Changes if the networks change."""

    @property
    def covariates(self) -> list[str]:
        """Names of the covariates."""

    def __len__(self) -> int: ...
    def __getitem__(self, number: int, /) -> Source: ...


class Answerer(Protocol):
    """What answers for one network. Engines pickle the object and send it to each worker."""

    @property
    def columns(self) -> dict[str, str]:
        """``"text"``, ``"number"`` or ``"flag"`` by name of the columns of an answer, in order."""

    @property
    def feature_names(self) -> list[str]:
        """Names of the features of an answer."""

    @property
    def fingerprint(self) -> str:
        """Changes if the answers change."""

    def answer(self, graph: Graph) -> tuple[dict[str, Any], dict[str, float]]:
        """Return one value for each column, and the features of the network."""

    def warm_up(self) -> None:
        """Load compiled code, so that loading is not timed."""


@dataclass
class NetworkRows:
    """Reads networks and answers for them; see :class:`netchoice.rows.RowFunction`."""

    answerer: Answerer
    _is_warm: bool = field(default=False, init=False)

    def warm_up(self) -> None:
        """Load compiled code, once in each process."""
        if not self._is_warm:
            self.answerer.warm_up()
            self._is_warm = True

    def __call__(self, number: int, source: Source) -> Row:
        """Answer for one network."""
        self.warm_up()
        start, failure = cpu_seconds(), None
        cells: dict[str, Any] = {}
        try:
            graph, _ = source.read()
            row, values = self.answerer.answer(graph)
            cells |= _in_order(row, self.answerer.columns)
            names = dict.fromkeys(self.answerer.feature_names, "number")
            cells |= {_FEATURE + name: x for name, x in _in_order(values, names).items()}
        except NetchoiceError as error:  # a network without an answer is data; it costs one row
            cells, failure = self.known(number), clean_text(error)
        except Exception as error:
            cells, failure = self.known(number), clean_text(describe_error(error))
        return Row(number, cells | {_SECONDS: cpu_seconds() - start}, failure)

    def known(self, number: int) -> dict[str, Any]:
        """Return the cells of a network without an answer."""
        names = [*self.answerer.columns, *(_FEATURE + name for name in self.answerer.feature_names)]
        return dict.fromkeys([*names, _SECONDS])

    def kind(self, column: str) -> str:
        """Return what a column holds."""
        return self.answerer.columns.get(column, "number")


def _in_order(values: Mapping[str, Any], kinds: Mapping[str, str]) -> dict[str, Any]:
    """Return a cell of the right kind for each column; a value that is absent is missing."""
    unknown = [name for name in values if name not in kinds]
    if unknown:
        raise NetchoiceError(f"the answer has the column {unknown[0]!r}, which was not declared")
    return {name: as_cell(values.get(name), kind) for name, kind in kinds.items()}


def as_cell(value: Any, kind: str) -> str | float | bool | None:
    """Return a value as text, number or flag; None and NaN are missing.

    >>> as_cell(3, "number"), as_cell(3, "text"), as_cell(float("nan"), "number")
    (3.0, '3', None)
    """
    if value is None or (isinstance(value, numbers.Real) and math.isnan(value)):
        return None
    if kind == "number":
        return float(value)
    return bool(value) if kind == "flag" else clean_text(value)


def clean_text(text: object) -> str:
    r"""Return a text that can be written as UTF-8; bytes of file names that are no text are escaped.

    >>> print(clean_text("caf\udce9"))
    caf\udce9
    """
    return str(text).encode("utf-8", "backslashreplace").decode()


def covariate_kinds(sources: Iterable[Source], names: Iterable[str]) -> dict[str, str]:
    """Return the kind of each covariate: a number if all its values are, otherwise text."""
    kinds = dict.fromkeys(names, "number")
    for source in sources:
        for name in kinds:
            value = source.covariates.get(name)
            if isinstance(value, bool) or not isinstance(value, numbers.Real | None):
                kinds[name] = "text"
    return kinds


@dataclass(frozen=True)
class CohortAnswers:
    """The answers for a cohort, in the files of its folder.

    Attributes
    ----------
    folder : Path
    n, n_failed : int
        Number of networks, and of networks without an answer.
    references : References or None, the simulations that networks shared
    """

    folder: Path
    n: int
    n_failed: int
    references: Any = field(default=None, repr=False)

    def frame(self) -> pd.DataFrame:
        """Return the answers: one row for each network, in the order of the collection."""
        return self._read(ANSWERS)

    def features(self) -> pd.DataFrame:
        """Return the features: one row for each network, in the order of the collection."""
        return self._read(FEATURES)

    def _read(self, name: str) -> pd.DataFrame:
        import pandas as pd
        import pyarrow as pa

        advice = "run the same command again to write it again"
        table = read_parquet(self.folder / name, advice=advice)
        frame: pd.DataFrame = table.to_pandas(types_mapper={pa.bool_(): pd.BooleanDtype()}.get)
        return frame


def answer_all(
    sources: Collection,
    answerer: Answerer,
    *,
    folder: Path,
    engine: str | Executor = "processes",
    workers: int | None = None,
    fresh: bool = False,
    on_progress: Progress | None = None,
) -> CohortAnswers:
    """Answer for each network of a collection, and write the answers to a folder.

    A network that cannot be read or answered gets a row with the reason in the column ``error``. To
    resume an interrupted run, make the same call again. Everything but the column ``seconds`` is the
    same on every engine and for every number of workers.

    Parameters
    ----------
    sources : Collection
        The networks.
    answerer : Answerer
    folder : Path
        The tables ``answers.parquet`` and ``answers.csv`` have a row for each network: ``id``, ``group``,
        ``file``, the covariates, the columns of the answerer, ``seconds`` (CPU seconds of reading and
        answering) and ``error``. ``features.parquet`` has ``id`` and the features. What the answers depend
        on and their rows are in the subfolder ``run``; a run that depends on something else is not resumed.
    engine : str or concurrent.futures.Executor
        ``"serial"``, ``"processes"``, ``"dask://HOST:PORT"``, or an executor.
    workers : int, optional
        Number of processes; one per core by default.
    fresh : bool
        Start over: delete the files of an earlier run. Other files in the folder are kept.
    on_progress : callable, optional
        Called with ``"answers"`` and the numbers of finished, all and failed networks.
    """
    folder, n = place(folder), len(sources)
    _check_names(
        ["id", "group", "file", *sources.covariates, *answerer.columns, "seconds", "error"]
    )
    _check_names(["id", *answerer.feature_names])
    depends_on = {
        "collection": sources.fingerprint, "answerer": answerer.fingerprint,
        "columns": answerer.columns, "features": answerer.feature_names,
    }  # fmt: skip
    rows = RowFolder(folder / ROWS, fingerprint_of(depends_on))

    def report(done: int, total: int, failed: int) -> None:
        if on_progress is not None:
            on_progress("answers", done, total, failed)

    names = (ANSWERS_CSV, ANSWERS, FEATURES, REPORT)
    with run_folder(folder, depends_on, fresh, MADE_BY, names), rows.lock():
        run = run_rows(
            NetworkRows(answerer), np.arange(n), engine=get_engine(engine, workers), folder=rows,
            argument=sources.__getitem__, noun="networks", on_progress=report,
        )  # fmt: skip
        _write_tables(folder, rows, sources, answerer)
    return CohortAnswers(folder, n, run.n_failed)


def _check_names(names: list[str]) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise UsageError(
            f"two columns of the answers are called {repeated[0]!r}; rename the covariate or feature "
            "of this name"
        )


# The tables


def _write_tables(folder: Path, rows: RowFolder, sources: Collection, answerer: Answerer) -> None:
    """Write the tables of all answers and of all features from the rows."""
    n = len(sources)
    known = {"id": "text", "group": "text", "file": "text"}
    known |= covariate_kinds((sources[i] for i in range(n)), sources.covariates)
    answers = {**answerer.columns, "seconds": "number", "error": "text"}
    kept = [*answerer.columns, _SECONDS, FAILURE]
    features = dict.fromkeys(answerer.feature_names, "number")

    def tables(
        own: Mapping[str, str], columns: Sequence[str], schema: pa.Schema
    ) -> Iterator[pa.Table]:
        import pyarrow as pa

        for i, group in enumerate(rows.groups(columns, n, _ROWS_IN_MEMORY)):
            start = i * _ROWS_IN_MEMORY
            known = [_known(sources[k], own) for k in range(start, start + len(group))]
            cells = zip(*known, strict=True)
            first = [pa.array(c, f.type) for c, f in zip(cells, _schema(own), strict=True)]
            yield pa.table([*first, *group.columns], schema=schema)

    with disk_errors(folder):
        schema = _schema({"id": "text", **features})
        columns = [_FEATURE + name for name in features]
        write_parquet(folder / FEATURES, tables({"id": "text"}, columns, schema), schema, rows.run)
        schema = _schema({**known, **answers})
        write_parquet(folder / ANSWERS, tables(known, kept, schema), schema, rows.run)
        write_atomically(folder / ANSWERS_CSV, partial(_write_csv, folder / ANSWERS))


def _known(source: Source, kinds: Mapping[str, str]) -> list[Any]:
    """Return what is known about a network: id, group, file and covariates."""
    values = {**source.covariates, "id": source.id, "group": source.group, "file": source.file}
    return [as_cell(values.get(name), kind) for name, kind in kinds.items()]


def _schema(kinds: Mapping[str, str]) -> pa.Schema:
    import pyarrow as pa

    types = {"text": pa.string(), "number": pa.float64(), "flag": pa.bool_()}
    return pa.schema([(name, types[kind]) for name, kind in kinds.items()])


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
