"""Answers for the networks of a cohort: each a row, from simulations that networks of a size share."""

from __future__ import annotations

import contextlib
import math
import numbers
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.atomic import write_atomically
from netchoice.choice.answer import Answer
from netchoice.choice.assess import settle
from netchoice.choice.cohort_frame import ENDS, OWN, ParameterOfModel, answer_columns
from netchoice.choice.conclude import Known, conclude, tested_with_all
from netchoice.choice.observe import observe, with_size
from netchoice.choice.reference import CALIBRATION, Progress, Reference
from netchoice.choice.references import (
    References,
    prepare_sizes,
    references_of,
)
from netchoice.choice.settings import Clock, Effort, GivenFeature
from netchoice.choice.sizes import Size, find_size, in_order
from netchoice.engines import get_engine
from netchoice.engines.processes import keep_workers
from netchoice.errors import NetchoiceError, UsageError, describe_error
from netchoice.features import comparable_features
from netchoice.graph import Graph
from netchoice.inference.verdict import ENOUGH
from netchoice.interruption import cpu_seconds
from netchoice.io.collection import NetworkCollection, as_collection
from netchoice.io.many_networks import NetworkSource
from netchoice.models.space import ModelSpace
from netchoice.progress import listener, shows_progress
from netchoice.rows import Row, arrow_type, run_rows
from netchoice.simulate import Priors
from netchoice.storage.kept_files import fingerprint_of, read_parquet, write_parquet
from netchoice.storage.records import csv_cell
from netchoice.storage.run_folder import (
    KEPT,
    REPORT,
    TABLES,
    disk_errors,
    find_run,
    run_folder,
)
from netchoice.storage.shards import FAILURE, RowFolder
from netchoice.stores import place
from netchoice.warmup import warm_up_for

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
#: So many networks of one size, or range of sizes, share simulations of all models; with fewer, each has
#: its own, of the models that it could be from.
SHARED = 5
#: With more sizes than this, networks share simulations by ranges of sizes.
MOST_SIZES = 3


@dataclass(frozen=True)
class CohortAnswers:
    """The answers for a cohort, in the files of its folder.

    Attributes
    ----------
    folder : Path
    n, n_failed : int
        Number of networks, and of networks without an answer.
    references : References, the simulations that networks shared
    """

    folder: Path
    n: int
    n_failed: int
    references: References = field(repr=False)

    def frame(self) -> pd.DataFrame:
        """Return the answers: one row for each network, in the order of the collection."""
        return self._read(ANSWERS)

    def features(self) -> pd.DataFrame:
        """Return the features: one row for each network, in the order of the collection."""
        return self._read(FEATURES)

    def _read(self, name: str) -> pd.DataFrame:
        advice = "run the same command again to write it again"
        frame: pd.DataFrame = read_parquet(self.folder / name, advice=advice).to_pandas()
        return frame


@shows_progress("{}", {"sizes": "networks", "answers": "networks"})
@keep_workers()
def choose_cohort(
    graphs: Any,
    space: str | ModelSpace | None = None,
    *,
    out: str | PathLike[str],
    match: bool | None = None,
    reference: str | PathLike[str] | References | None = None,
    features: str | Iterable[GivenFeature] | None = None,
    prior: Priors = None,
    isolated: str | None = None,
    effort: Effort | None = None,
    seed: int = 1,
    workers: int | None = None,
    engine: str | Executor = "processes",
    fresh: bool = False,
    on_progress: Progress | bool | None = None,
) -> CohortAnswers:
    """Answer for each network of a cohort, and write the answers to a folder.

    Networks of one size share simulations. If there are more than three sizes, networks whose sizes are
    in one range share them, unless they are density-matched. A network that shares its size with few
    others has simulations of its own.

    Parameters
    ----------
    graphs : iterable of networks, a mapping from ids to networks, or a collection
        :func:`netchoice.io.find_networks` finds the networks of files and folders.
    out : path
        Folder for the answers. To resume an interrupted run, call the function again.
    reference : path or References, optional
        Simulations that :func:`prepare` made. Networks of other sizes get a row that says so.
    space, match, features, prior, isolated, effort, seed, workers, engine, fresh, on_progress
        As in :func:`netchoice.choose_model`.

    Returns
    -------
    CohortAnswers

    Examples
    --------
    >>> import netchoice, numpy as np, tempfile
    >>> rng = np.random.default_rng(1)
    >>> networks = {name: netchoice.get_model(name).grow(30, rng=rng) for name in ("ba1", "ba3")}
    >>> answers = netchoice.choose_cohort(networks, "ba", out=tempfile.mkdtemp(), engine="serial",
    ...                                   effort=netchoice.Effort.small())
    >>> answers.frame()["model"].tolist()
    ['ba1', 'ba3']
    """
    folder, report = place(out), listener(on_progress)
    collection = as_collection(graphs)
    options: dict[str, Any] = {"workers": workers, "engine": engine, "on_progress": report}
    references = references_of(
        reference, space, features, prior, seed, match=match, isolated=isolated, effort=effort
    )
    if reference is None:
        if engine == "processes":
            warm_up_for(references.settings.space, workers)
        find_run(folder, MADE_BY)  # a folder of somebody else is refused before the work
        sizes = shared_sizes(references, collection, report)
        if sizes:
            references = prepare_sizes(
                references.settings, sizes, folder / REFERENCES, fresh, **options
            )
    answers = NetworkRows(references, only_prepared=reference is not None)
    return answer_all(collection, answers, folder=folder, fresh=fresh, **options)


def shared_sizes(
    references: References, collection: NetworkCollection, on_progress: Progress | None = None
) -> list[Size]:
    """Return the sizes, or ranges of sizes, that enough networks have to share simulations."""
    sizes: list[Size] = []
    for number in range(len(collection)):
        with contextlib.suppress(Exception):  # its row will say why
            graph, _ = collection[number].read()
            sizes.append(references.size_of(graph))
        if on_progress is not None:
            on_progress("sizes", number + 1, len(collection), number + 1 - len(sizes))
    if len({*sizes}) > MOST_SIZES and not references.settings.match:
        sizes = [size.range for size in sizes]
    return in_order(size for size, n in Counter(sizes).items() if n >= SHARED)


# The rows


@dataclass
class NetworkRows:
    """Answers for single networks as rows, in any process; see :class:`netchoice.rows.RowFunction`.

    ``references`` holds the simulations that networks share. A network of another size has simulations of
    its own, or none if ``only_prepared``. Engines pickle the object.
    """

    references: References
    only_prepared: bool = False

    @cached_property
    def columns(self) -> dict[str, str]:
        """Names and kinds of the columns of an answer, in order."""
        return answer_columns(self.references.parameters)

    @cached_property
    def feature_names(self) -> list[str]:
        """Names of all features that an answer may have."""
        names = self.references.settings.names or (*comparable_features(), "n_nodes")
        shared = [with_size(names, size) for size in self.references]
        return list(dict.fromkeys([*names, *(name for each in shared for name in each)]))

    @cached_property
    def kinds(self) -> dict[str, str]:
        """Names and kinds of all columns of a row."""
        features = {_FEATURE + name: "number" for name in self.feature_names}
        return self.columns | features | {_SECONDS: "number"}

    @property
    def fingerprint(self) -> str:
        """A text that differs if answers can differ."""
        sizes = ",".join(size.folder for size in self.references)
        return f"{self.references.fingerprint} {self.only_prepared} {sizes}"

    def warm_up(self) -> None:
        """Read simulations and load compiled code, so that neither is timed."""
        for size in list(self.references)[:_SIZES_IN_MEMORY]:
            self.references[size].simulator(CALIBRATION).warm_up()

    def __call__(self, number: int, source: NetworkSource) -> Row:
        """Answer for one network."""
        start, cells, failure = cpu_seconds(), self.known(number), None
        try:
            graph, _ = source.read()
            row, values = self.answer(graph)
            found = row | {_FEATURE + name: value for name, value in values.items()}
            for name in found:
                if name not in cells:
                    raise NetchoiceError(
                        f"the answer has the column {name!r}, which was not declared"
                    )
            cells |= {name: as_cell(value, self.kinds[name]) for name, value in found.items()}
        except NetchoiceError as error:  # a network without an answer is data; it costs one row
            failure = clean_text(error)
        except Exception as error:
            failure = clean_text(describe_error(error))
        return Row(number, cells | {_SECONDS: cpu_seconds() - start}, failure)

    def known(self, number: int) -> dict[str, Any]:
        """Return the cells of a network without an answer."""
        return dict.fromkeys(self.kinds)

    def kind(self, column: str) -> str:
        """Return what a column holds."""
        return self.kinds[column]

    def answer(self, graph: Graph) -> tuple[dict[str, Any], dict[str, float]]:
        """Return the answer for a network by column, and its features."""
        references, settings = self.references, self.references.settings
        wanted = references.size_of(graph)
        if self.only_prepared or find_size(wanted, references) is not None:
            size, reference = references.find(wanted)
            observed, text = observe(graph, settings, reference.features), str(size)
        else:
            observed, text = observe(graph, settings), OWN
            reference = self.own_reference(observed.size)
        clock = Clock(None)
        known = Known(reference, observed, settle(reference.with_options(), observed, clock))
        row = answer_row(conclude(known, clock), known)
        return row | {"reference": f"{settings.space.name}, {text}"}, observed.values

    def own_reference(self, size: Size) -> Reference:
        """Return empty simulations for a network that shares none."""
        return Reference(self.references.settings, size, engine="serial", workers=1)


def answer_row(answer: Answer, known: Known) -> dict[str, Any]:
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
        p_value = each.p_value
        if p_value is None:
            # The false discovery rate needs the p-value of every model, also of one that was rejected early;
            # and if all were rejected in the first round, those of this round.
            screened = None if known.has_all else known.state.models[each.name].decision
            tested = tested_with_all(known, each.name) or screened
            p_value = None if tested is None else tested.p_value
        row |= {f"state_{each.name}": each.state, f"fit_p_{each.name}": p_value}
        # A rejected model has the probability 0; a candidate may have none.
        without = None if each.is_candidate else 0.0
        row[f"probability_{each.name}"] = without if each.probability is None else each.probability
        row[f"lower_{each.name}"], row[f"upper_{each.name}"] = each.interval or (without, without)
        for name, one in each.parameters.items():
            estimate = (one.median, *one.interval)
            columns = map(ParameterOfModel(each.name, name).column, ENDS)
            row |= dict(zip(columns, estimate, strict=True))
    return row


def as_cell(value: Any, kind: str) -> str | float | None:
    """Return a value as text or number; None and NaN are missing.

    >>> as_cell(3, "number"), as_cell(3, "text"), as_cell(float("nan"), "number")
    (3.0, '3', None)
    """
    if value is None or (isinstance(value, numbers.Real) and math.isnan(value)):
        return None
    return float(value) if kind == "number" else clean_text(value)


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


def answer_all(
    sources: NetworkCollection,
    answers: NetworkRows,
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

    In ``tables``, ``answers.parquet`` and ``answers.csv`` have a row for each network: ``id``, ``group``,
    ``file``, the covariates, the columns of the answers, ``seconds`` (CPU seconds of reading and answering)
    and ``error``. ``features.parquet`` has ``id`` and the features. What the answers depend on and their
    rows are in the subfolder ``run``; a run that depends on something else is not resumed.
    ``on_progress`` is called with "answers" and the numbers of finished, all and failed networks.
    """
    folder, n = place(folder), len(sources)
    _check_names(["id", "group", "file", *sources.covariates, *answers.columns, "seconds", "error"])
    _check_names(["id", *answers.feature_names])
    depends_on = {
        "collection": sources.fingerprint, "answerer": answers.fingerprint,
        "columns": answers.columns, "features": answers.feature_names,
    }  # fmt: skip
    rows = RowFolder(folder / ROWS, fingerprint_of(depends_on))
    names = (SUMMARY, REPORT, ANSWERS_CSV, ANSWERS, FEATURES)
    with run_folder(folder, depends_on, fresh, MADE_BY, names), rows.lock():
        run = run_rows(
            answers, np.arange(n), engine=get_engine(engine, workers), folder=rows,
            argument=sources.__getitem__, noun="networks",
            on_progress=on_progress and partial(on_progress, "answers"),
        )  # fmt: skip
        _write_tables(folder, rows, sources, answers)
    return CohortAnswers(folder, n, run.n_failed, answers.references)


def _check_names(names: list[str]) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise UsageError(
            f"two columns of the answers are called {repeated[0]!r}; rename the covariate or feature "
            "of this name"
        )


# The tables


def _write_tables(
    folder: Path, rows: RowFolder, sources: NetworkCollection, row: NetworkRows
) -> None:
    """Write the tables of all answers and of all features from the rows."""
    n = len(sources)
    known = {"id": "text", "group": "text", "file": "text"}
    known |= covariate_kinds((sources[i] for i in range(n)), sources.covariates)
    answers = {**row.columns, "seconds": "number", "error": "text"}
    kept = [*row.columns, _SECONDS, FAILURE]
    features = dict.fromkeys(row.feature_names, "number")

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
