"""Answers for the networks of a cohort: in any process, on any engine, resumable."""

from __future__ import annotations

import contextlib
import math
import numbers
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from netchoice.choice.answer_files import (
    ANSWERS,
    COHORT_FILES,
    FEATURES,
    AnswerFiles,
)
from netchoice.choice.reference import Progress
from netchoice.choice.run_folder import run_folder
from netchoice.engines import get_engine
from netchoice.engines.engine import Lost, describe_error
from netchoice.errors import NetchoiceError, UsageError
from netchoice.graph import Graph
from netchoice.interruption import cpu_seconds
from netchoice.io import ReadingReport
from netchoice.simulate import StoppedError
from netchoice.storage.kept_files import fingerprint_of, read_parquet
from netchoice.stores import place

if TYPE_CHECKING:
    import pandas as pd


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


class NumberedSource(int):
    """The number of a network, together with its source.

    Engines send lists of numbers to workers. With these numbers, a worker receives the sources of its
    batches, never the collection.
    """

    source: Source

    @classmethod
    def of(cls, number: int, source: Source) -> NumberedSource:
        """Return a number that has a source."""
        numbered = cls(number)
        numbered.source = source
        return numbered


class Answered(NamedTuple):
    """What a worker returns for one network: values of the columns and of the features, in order."""

    number: int
    values: list[Any]
    features: list[float | None]
    seconds: float | None
    error: str | None


@dataclass
class RowAnswerer:
    """Reads networks and answers for them; engines call it with lists of :class:`NumberedSource`."""

    answerer: Answerer
    _is_warm: bool = field(default=False, init=False)

    def warm_up(self) -> None:
        """Load compiled code, once in each process."""
        if not self._is_warm:
            self.answerer.warm_up()
            self._is_warm = True

    def __call__(self, batch: list[int]) -> list[Answered]:
        """Answer for some networks."""
        self.warm_up()
        return [self._answer(network) for network in cast(list[NumberedSource], batch)]

    def _answer(self, network: NumberedSource) -> Answered:
        start = cpu_seconds()
        try:
            graph, _ = network.source.read()
            row, values = self.answerer.answer(graph)
            cells = _in_order(row, self.answerer.columns)
            features = _in_order(values, dict.fromkeys(self.answerer.feature_names, "number"))
        except NetchoiceError as error:  # a network without an answer is data; it costs one row
            return self.failed(network, str(error), cpu_seconds() - start)
        except Exception as error:
            return self.failed(network, describe_error(error), cpu_seconds() - start)
        return Answered(int(network), cells, features, cpu_seconds() - start, None)

    def failed(self, number: int, error: str, seconds: float | None = None) -> Answered:
        """Return the row of a network without an answer."""
        cells = [None] * len(self.answerer.columns)
        features = [None] * len(self.answerer.feature_names)
        return Answered(int(number), [*cells], [*features], seconds, clean_text(error))


def _in_order(values: Mapping[str, Any], kinds: Mapping[str, str]) -> list[Any]:
    """Return a cell of the right kind for each column; a value that is absent is missing."""
    unknown = [name for name in values if name not in kinds]
    if unknown:
        raise NetchoiceError(f"the answer has the column {unknown[0]!r}, which was not declared")
    return [as_cell(values.get(name), kind) for name, kind in kinds.items()]


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


#: A part holds a hundredth of the networks, and at most 100 networks: a killed run loses little of a
#: small cohort, and a large cohort has few files.
_PARTS, _MAX_PART = 100, 100
_MAX_BATCH = 10


@dataclass(frozen=True)
class CohortAnswers:
    """The answers for a cohort, in the files of its folder.

    Attributes
    ----------
    folder : Path
    n, n_failed : int
        Number of networks, and of networks without an answer.
    columns : mapping
        ``"text"``, ``"number"`` or ``"flag"`` by name of the columns of an answer.
    """

    folder: Path
    n: int
    n_failed: int
    columns: Mapping[str, str]

    def frame(self) -> pd.DataFrame:
        """Return the answers: one row for each network, in the order of the collection."""
        return self._read(ANSWERS)

    def features(self) -> pd.DataFrame:
        """Return the features: one row for each network, in the order of the collection."""
        return self._read(FEATURES)

    def counts(self, column: str | None = None) -> dict[str, int]:
        """Return how many networks have each value of a column, the most frequent value first.

        By default, the values of the first column of an answer are counted. Missing values are not
        counted.
        """
        column = next(iter(self.columns)) if column is None else column
        counts = self._read(ANSWERS, [column])[column].value_counts()
        by_value = {str(value): int(count) for value, count in counts.items()}
        return dict(sorted(by_value.items(), key=lambda item: (-item[1], item[0])))

    def _read(self, name: str, columns: list[str] | None = None) -> pd.DataFrame:
        import pandas as pd
        import pyarrow as pa

        advice = "run the same command again to write it again"
        table = read_parquet(self.folder / name, columns=columns, advice=advice)
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
    settings: Mapping[str, Any],
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
        The settings are in ``cohort.json``. The tables ``answers.parquet`` and ``answers.csv`` have a
        row for each network: ``id``, ``group``, ``file``, the covariates, the columns of the answerer,
        ``seconds`` (CPU seconds of reading and answering) and ``error``. ``features.parquet`` has
        ``id`` and the features. Finished parts are in the subfolder ``answers``.
    engine : str or concurrent.futures.Executor
        ``"serial"``, ``"processes"``, ``"dask://HOST:PORT"``, or an executor.
    workers : int, optional
        Number of processes; one per core by default.
    fresh : bool
        Start over: delete the files of an earlier run. Other files in the folder are kept.
    on_progress : callable, optional
        Called with ``"answers"`` and the numbers of finished, all and failed networks.
    settings : mapping
        What the answers also depend on. A run with other settings is not resumed.
    """
    folder, n = place(folder), len(sources)
    _check_names(
        ["id", "group", "file", *sources.covariates, *answerer.columns, "seconds", "error"]
    )
    _check_names(["id", *answerer.feature_names])
    kinds = covariate_kinds((sources[i] for i in range(n)), sources.covariates)
    per_part = min(_MAX_PART, max(1, math.ceil(n / _PARTS)))
    depends_on = {
        **settings, "collection": sources.fingerprint, "answerer": answerer.fingerprint,
        "columns": answerer.columns, "features": answerer.feature_names,
    }  # fmt: skip
    files = AnswerFiles(
        folder, {"id": "text", "group": "text", "file": "text", **kinds},
        {**answerer.columns, "seconds": "number", "error": "text"},
        answerer.feature_names, fingerprint_of(depends_on),
    )  # fmt: skip
    run = _Run(sources, RowAnswerer(answerer), files, per_part, on_progress)
    record = {**depends_on, "number of networks per part": per_part}
    with run_folder(folder, record, fresh, COHORT_FILES):
        files.prepare()
        try:
            run.answer(run.missing_parts(), engine, workers)
            files.write_tables(run.n_parts, map(run.known, range(run.n_parts)))
        except KeyboardInterrupt:
            raise StoppedError(
                f"stopped after {run.n_kept()} of {n} networks, which are kept in {folder}; run the "
                "same command again to resume"
            ) from None
    return CohortAnswers(folder, n, run.n_failed, dict(answerer.columns))


def _check_names(names: list[str]) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise UsageError(
            f"two columns of the answers are called {repeated[0]!r}; rename the covariate or feature "
            "of this name"
        )


class _Run:
    """Collects rows, and writes each part as soon as its rows are complete."""

    def __init__(
        self, sources: Collection, answerer: RowAnswerer, files: AnswerFiles, per_part: int,
        on_progress: Progress | None,
    ) -> None:  # fmt: skip
        self.sources, self.answerer, self.files = sources, answerer, files
        self.per_part, self.on_progress = per_part, on_progress
        self.n_parts = math.ceil(len(sources) / per_part)
        self.n_done, self.n_failed = 0, 0
        self.unwritten: defaultdict[int, dict[int, Answered]] = defaultdict(dict)

    def numbers(self, part: int) -> range:
        """Return the numbers of the networks of a part."""
        return range(part * self.per_part, min((part + 1) * self.per_part, len(self.sources)))

    def n_kept(self) -> int:
        """Return the number of networks in written parts."""
        kept = (part for part in range(self.n_parts) if self.files.has_part(part))
        return sum(len(self.numbers(part)) for part in kept)

    def missing_parts(self) -> list[int]:
        """Return the parts that are missing or damaged; count the networks of the others."""
        missing = []
        for part in range(self.n_parts):
            ids = [clean_text(self.sources[i].id) for i in self.numbers(part)]
            n_failed = self.files.count_failed(part, ids)
            if n_failed is None:
                missing.append(part)
            else:
                self.n_done += len(ids)
                self.n_failed += n_failed
        return missing

    def answer(self, parts: list[int], engine: str | Executor, workers: int | None) -> None:
        """Answer for the networks of some parts."""
        self._report()
        if not parts:
            return
        chosen = get_engine(engine, workers)
        batches = self._batches(parts, chosen.workers)
        with contextlib.closing(chosen.run(self.answerer, batches)) as results:
            for result in results:
                if isinstance(result, Lost):
                    result = [self.answerer.failed(result.row, f"lost: {result.reason}")]
                for answered in result:
                    self._add(answered)
                self._report()

    def _batches(self, parts: list[int], n_workers: int) -> Iterator[list[int]]:
        """Yield batches of networks; small cohorts and the last parts have the shortest batches."""
        n_left = sum(len(self.numbers(part)) for part in parts)
        for part in parts:
            numbers = self.numbers(part)
            while numbers:
                size = min(_MAX_BATCH, max(1, n_left // (2 * n_workers)), len(numbers))
                yield [NumberedSource.of(i, self.sources[i]) for i in numbers[:size]]
                numbers, n_left = numbers[size:], n_left - size

    def _add(self, answered: Answered) -> None:
        """Add a row; write its part if all rows of the part are there."""
        part = answered.number // self.per_part
        rows = self.unwritten[part]
        rows[answered.number] = answered
        self.n_done += 1
        self.n_failed += answered.error is not None
        if len(rows) == len(self.numbers(part)):
            self.files.write_part(part, [self._row(rows[i]) for i in self.numbers(part)])
            del self.unwritten[part]

    def _row(self, answered: Answered) -> list[Any]:
        """Return the row of a part."""
        name = clean_text(self.sources[answered.number].id)
        return [name, *answered.values, answered.seconds, answered.error, *answered.features]

    def known(self, part: int) -> list[list[Any]]:
        """Return what is known about the networks of a part: id, group and covariates."""
        rows = []
        for number in self.numbers(part):
            source = self.sources[number]
            values = {
                **source.covariates,
                "id": source.id,
                "group": source.group,
                "file": source.file,
            }
            rows.append([as_cell(values.get(n), kind) for n, kind in self.files.known.items()])
        return rows

    def _report(self) -> None:
        if self.on_progress is not None:
            self.on_progress("answers", self.n_done, len(self.sources), self.n_failed)
