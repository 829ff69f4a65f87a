"""Answers for the networks of a cohort: in any process, on any engine, resumable."""

from __future__ import annotations

import math
import numbers
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.atomic import write_atomically
from netchoice.choice.answer import Answer
from netchoice.choice.assess import settle
from netchoice.choice.conclude import Known, conclude, tested_with_all
from netchoice.choice.observe import observe
from netchoice.choice.reference import CALIBRATION, Progress, Reference
from netchoice.choice.references import References
from netchoice.choice.settings import Clock, Settings
from netchoice.choice.sizes import find_size
from netchoice.engines import get_engine
from netchoice.errors import NetchoiceError, UsageError, describe_error
from netchoice.features import comparable_features
from netchoice.graph import Graph
from netchoice.inference.verdict import ENOUGH
from netchoice.interruption import cpu_seconds
from netchoice.io.collection import NetworkCollection
from netchoice.io.many_networks import NetworkSource
from netchoice.models.space import ModelSpace
from netchoice.rows import Row, arrow_type, run_rows
from netchoice.storage.kept_files import fingerprint_of, read_parquet, write_parquet
from netchoice.storage.records import csv_cell
from netchoice.storage.run_folder import KEPT, REPORT, TABLES, disk_errors, run_folder
from netchoice.storage.shards import FAILURE, RowFolder
from netchoice.stores import place

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

#: The summary, and the tables.
SUMMARY = "summary.json"
ANSWERS_CSV, ANSWERS, FEATURES = (
    f"{TABLES}/{name}" for name in ("answers.csv", "answers.parquet", "features.parquet")
)
#: The subfolder with the rows of the networks, and that with the simulations, if a cohort has its own.
ROWS, REFERENCES = f"{KEPT}/answers", f"{KEPT}/references"
#: What makes such runs, for messages.
MADE_BY = "a cohort"
#: Begins the names of the features in a row, where they stand beside the answers; and the seconds there.
_FEATURE, _SECONDS = "feature:", "own:seconds"
#: Rows that are in memory at a time when the tables are written, and rows of a Parquet row group.
_ROWS_IN_MEMORY = 5_000
#: Main differences that the notes of a network state.
N_REASONS = 2
#: Sizes whose simulations are read before the first answer is timed.
_SIZES_IN_MEMORY = 4


@dataclass(frozen=True)
class CohortAnswerer:
    """Answers for single networks, in any process; engines pickle it.

    ``references`` holds the simulations that networks share. A network of another size has simulations of
    its own, or none if ``only_prepared``.
    """

    settings: Settings
    references: References
    only_prepared: bool = False

    @property
    def space(self) -> ModelSpace:
        """The models that are compared."""
        return self.settings.space

    @property
    def columns(self) -> dict[str, str]:
        """Names and kinds of the columns of an answer, in order."""
        columns = {"verdict": "text", "model": "text", "probable": "text", "family": "text"}
        labels = self.space.labels
        for model in labels:
            columns |= {f"{kind}_{model}": "number" for kind in ("probability", "lower", "upper")}
        columns |= {f"fit_p_{model}": "number" for model in labels}
        columns |= {f"state_{model}": "text" for model in labels}
        parameters = [(model.name, name) for model in self.space for name in model.parameters]
        for model, name in parameters:
            columns |= {f"{model}_{name}_{end}": "number" for end in ("median", "lower", "upper")}
        return columns | {
            "headline": "text", "n_nodes": "number", "n_edges": "number", "isolated": "text",
            "reference": "text", "notes": "text",
        }  # fmt: skip

    @cached_property
    def feature_names(self) -> list[str]:
        """Names of all features that an answer may have."""
        return list(self.settings.names or [*comparable_features(), "n_nodes"])

    @cached_property
    def fingerprint(self) -> str:
        """A text that differs if answers can differ."""
        sizes = ",".join(size.folder for size in self.references)
        return f"{self.references.fingerprint} {self.only_prepared} {sizes}"

    def warm_up(self) -> None:
        """Read simulations and load compiled code, so that neither is timed."""
        for size in list(self.references)[:_SIZES_IN_MEMORY]:
            self.references[size].simulator(CALIBRATION).warm_up()

    def answer(self, graph: Graph) -> tuple[dict[str, Any], dict[str, float]]:
        """Return the row of a network, and its features."""
        wanted = self.references.size_of(graph)
        size = find_size(wanted, self.references)
        if size is None and self.only_prepared:
            self.references.find(wanted)  # raises the error that says what is prepared
        if size is not None:
            reference = self.references[size]
            observed = observe(graph, self.settings, reference.features)
        else:
            observed = observe(graph, self.settings)
            reference = Reference(self.settings, observed.size, engine="serial", workers=1)
        clock = Clock(None)
        known = Known(reference, observed, settle(reference.with_options(), observed, clock))
        row = answer_row(conclude(known, clock))
        # The false discovery rate needs the p-value of every model, also of one that was rejected early.
        for model in reference.models:
            if (
                row[f"fit_p_{model}"] is None
                and (found := tested_with_all(known, model)) is not None
            ):
                row[f"fit_p_{model}"] = found.p_value
        row["reference"] = f"{self.space.name}, {size or 'its own simulations'}"
        return row, observed.values


def answer_row(answer: Answer) -> dict[str, Any]:
    """Return the answer for one network as a row of ``answers.csv``."""
    verdict = answer.verdict
    family = next(iter(verdict.families.items()), ("", 0.0))
    row: dict[str, Any] = {
        "verdict": verdict.kind,
        "model": verdict.candidates[0] if verdict.candidates else "",
        "probable": ", ".join(verdict.probable),
        "family": family[0] if family[1] >= ENOUGH else "",
        "headline": verdict.sentence,
        "n_nodes": answer.graph.n_nodes,
        "n_edges": answer.graph.n_edges,
        "isolated": answer.network["isolated"],
        "notes": "; ".join(
            f"compared with {each.name}: {one.sentence}"
            for each in answer.models
            if not answer.candidates
            for one in each.discrepancies[:N_REASONS]
        ),
    }
    for each in answer.models:
        row[f"state_{each.name}"] = each.state
        row[f"fit_p_{each.name}"] = each.p_value
        # A rejected model has the probability 0; a candidate may have none.
        without = None if each.is_candidate else 0.0
        row[f"probability_{each.name}"] = without if each.probability is None else each.probability
        row[f"lower_{each.name}"], row[f"upper_{each.name}"] = each.interval or (without, without)
        for name, one in each.parameters.items():
            row[f"{each.name}_{name}_median"] = one.median
            row[f"{each.name}_{name}_lower"], row[f"{each.name}_{name}_upper"] = one.interval
    return row


# The rows


@dataclass
class NetworkRows:
    """Reads networks and answers for them; see :class:`netchoice.rows.RowFunction`."""

    answerer: CohortAnswerer

    def warm_up(self) -> None:
        """Read simulations and load compiled code, so that neither is timed."""
        self.answerer.warm_up()

    def __call__(self, number: int, source: NetworkSource) -> Row:
        """Answer for one network."""
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


def covariate_kinds(sources: Iterable[NetworkSource], names: Iterable[str]) -> dict[str, str]:
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
    sources: NetworkCollection,
    answerer: CohortAnswerer,
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
    sources : NetworkCollection
    answerer : CohortAnswerer
    folder : Path
        In ``tables``, ``answers.parquet`` and ``answers.csv`` have a row for each network: ``id``,
        ``group``, ``file``, the covariates, the columns of the answerer, ``seconds`` (CPU seconds of
        reading and answering) and ``error``. ``features.parquet`` has ``id`` and the features. What the
        answers depend on and their rows are in the subfolder ``run``; a run that depends on something else
        is not resumed.
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

    names = (SUMMARY, REPORT, ANSWERS_CSV, ANSWERS, FEATURES)
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


def _write_tables(
    folder: Path, rows: RowFolder, sources: NetworkCollection, answerer: CohortAnswerer
) -> None:
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
        (folder / TABLES).mkdir(exist_ok=True)
        schema = _schema({"id": "text", **features})
        columns = [_FEATURE + name for name in features]
        write_parquet(folder / FEATURES, tables({"id": "text"}, columns, schema), schema, rows.run)
        schema = _schema({**known, **answers})
        write_parquet(folder / ANSWERS, tables(known, kept, schema), schema, rows.run)
        write_atomically(folder / ANSWERS_CSV, partial(_write_csv, folder / ANSWERS))


def _known(source: NetworkSource, kinds: Mapping[str, str]) -> list[Any]:
    """Return what is known about a network: id, group, file and covariates."""
    values = {**source.covariates, "id": source.id, "group": source.group, "file": source.file}
    return [as_cell(values.get(name), kind) for name, kind in kinds.items()]


def _schema(kinds: Mapping[str, str]) -> pa.Schema:
    import pyarrow as pa

    return pa.schema([(name, arrow_type(kind)) for name, kind in kinds.items()])


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
