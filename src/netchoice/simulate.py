"""Fill a reference table, on any engine, so that it can be stopped and taken up again."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import math
import platform
import time
import uuid
import zlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.engines import Engine, Lost, get_engine, reason_of
from netchoice.errors import NetchoiceError, UsageError
from netchoice.features import Feature
from netchoice.features.computation import run_plan
from netchoice.features.plan import Plan, plan
from netchoice.features.registry import FEATURES, Step, find
from netchoice.graph import Graph
from netchoice.models.builtin import get_space
from netchoice.models.model import Model
from netchoice.models.space import ModelSpace
from netchoice.names import is_ours
from netchoice.storage.shards import FORMAT, TableFolder
from netchoice.storage.table import (
    CALIBRATION_ROWS,
    OWN,
    PARAMETER,
    REFUSING_RESUME,
    STEP,
    ReferenceTable,
    check_same,
)

if TYPE_CHECKING:
    import pyarrow as pa

#: A run stops when more than this share of its rows failed, once so many have been tried.
MAX_FAILURE_SHARE, FAILURES_JUDGED_AFTER = 0.2, 50
_BATCH_SECONDS, _MAX_BATCH = 0.5, 500
_SHARD_ROWS, _SHARD_SECONDS = 5000, 10.0


class StoppedError(NetchoiceError):
    """The run was stopped from outside; what was finished is kept."""


@dataclass(frozen=True)
class Job:
    """Everything that a row depends on, besides its number."""

    space: ModelSpace
    n_nodes: int
    isolated: str
    features: tuple[Feature, ...]
    entropy: int

    @cached_property
    def plan(self) -> Plan:
        """How to compute the features."""
        return plan(self.features)

    def warm_up(self) -> None:
        """Load what is compiled, so that this is neither timed nor counted against a time limit.

        Only what is our own: a user's function may fail here in ways that belong to a row.
        """
        nodes = tuple(node for node in self.plan.computations if is_ours(node.function))
        rng = np.random.default_rng(0)
        run_plan(Graph.from_edges([(0, 1), (1, 2), (2, 0)]), Plan((), nodes, {}), rng, False)
        for model in self.space:
            if is_ours(model.function):
                with contextlib.suppress(NetchoiceError):
                    model.grow(min(self.n_nodes, 30), model.sample(rng), rng)

    def stream(self, row: int, purpose: str) -> np.random.Generator:
        """The random stream of one row for one purpose."""
        key = (row, zlib.crc32(purpose.encode()))
        return np.random.default_rng(np.random.SeedSequence(self.entropy, spawn_key=key))

    def __call__(self, rows: list[int]) -> Batch:
        """Simulate these rows."""
        batch = Batch([], {}, [], {})
        for row in rows:
            batch.add(*self.simulate(row))
        return batch

    def simulate(self, row: int) -> tuple[int, dict[str, float], dict[str, Any]]:
        """One row: its numbers by column, and label, failure and the like."""
        numbers: dict[str, float] = {}
        about: dict[str, Any] = {"label": None, "failure": None}
        try:
            label, parameters = self.space.sample(self.stream(row, "draw"))
            about["label"] = label
            numbers.update({f"{PARAMETER}{name}": value for name, value in parameters.items()})
            start = time.thread_time()
            graph = self.space[label].grow(
                self.n_nodes, parameters, self.stream(row, "growth"), isolated=self.isolated
            )
            numbers["seconds_growth"] = time.thread_time() - start
            rng = self.stream(row, "features")
            result = run_plan(graph, self.plan, rng, repeat_short=row < CALIBRATION_ROWS)
        except Exception as error:  # a row that fails is data; a user's model may raise anything
            about["failure"] = reason_of(error)
            return row, numbers, about
        numbers.update(result.values)
        numbers.update({f"{OWN}{name}": s for name, s in result.own_seconds.items()})
        numbers.update({f"{STEP}{name}": s for name, s in result.step_seconds.items()})
        if result.failures:
            name, reason = next(iter(result.failures.items()))
            about["failure"] = f"{name}: {reason}"
        return row, numbers, about


@dataclass
class Batch:
    """Rows on their way from a worker: columns of numbers, columns of texts."""

    rows: list[int]
    numbers: dict[str, list[float]]
    labels: list[str | None]
    failures: dict[int, str]
    machine: str = ""

    def add(self, row: int, numbers: dict[str, float], about: dict[str, Any]) -> None:
        """Append one row."""
        n_before = len(self.rows)
        self.rows.append(row)
        self.labels.append(about["label"])
        if about["failure"] is not None:
            self.failures[row] = about["failure"]
        columns = self.numbers
        for name, value in numbers.items():
            if name not in columns:
                columns[name] = [math.nan] * n_before
            columns[name].append(value)
        if len(numbers) < len(columns):
            for name in columns.keys() - numbers.keys():
                columns[name].append(math.nan)
        self.machine = self.machine or machine_id()

    def as_arrow(self) -> pa.Table:
        """For a shard."""
        import pyarrow as pa

        failures = [self.failures.get(row) for row in self.rows]
        columns: dict[str, Any] = {
            "row": pa.array(self.rows, pa.int64()),
            "label": pa.array(self.labels, pa.string()),
            "failure": pa.array(failures, pa.string()),
            "machine": pa.array([self.machine] * len(self.rows), pa.string()),
            "calibrated": pa.array([row < CALIBRATION_ROWS for row in self.rows], pa.bool_()),
        }
        for name, values in self.numbers.items():
            timing = name.startswith("seconds_")
            columns[name] = pa.array(values, pa.float32() if timing else pa.float64())
        return pa.table(columns)


_machine: str | None = None


def machine_id() -> str:
    """A short name for this machine, the same every time."""
    global _machine
    if _machine is None:
        facts = f"{platform.node()}/{uuid.getnode()}/{platform.machine()}/{platform.processor()}"
        _machine = hashlib.blake2b(facts.encode(), digest_size=5).hexdigest()
    return _machine


def simulate_table(
    space: str | ModelSpace,
    *,
    n_nodes: int,
    n_samples: int,
    seed: int,
    features: Iterable[str | Feature] | None = None,
    engine: str | Executor = "processes",
    workers: int | None = None,
    path: str | PathLike[str] | None = None,
    stream: str = "train",
    isolated: str | None = None,
    row_timeout: float | None = None,
    on_progress: Callable[[int, int, int], None] | None = None,
) -> ReferenceTable:
    """Draw networks from a model space and compute their features.

    Parameters
    ----------
    space : ModelSpace or str
    n_nodes : int
        Nodes of every network.
    n_samples : int
        Rows of the table.
    seed : int
        Row i depends on the seed, the stream's name and i, and on nothing else: not on workers,
        engine, batches, interruptions, or on how many rows or features are asked for.
    features : iterable, optional
        All, noise included, by default.
    engine : str or concurrent.futures.Executor
        ``"serial"``, ``"processes"``, ``"dask://HOST:PORT"``, or an executor.
    workers : int, optional
        Processes; one per core by default.
    path : path, optional
        Where the table is kept. If there is one already, made alike, only the missing rows are
        simulated. Without it the table lives in memory.
    stream : str
        Tables of the same seed with different names (train, test, pilot) share nothing.
    isolated : "keep" or "drop", optional
        As in :meth:`Model.grow`; by default keep, or what a matched space was matched with.
    row_timeout : float, optional
        Seconds after which a row is given up, with local processes; other engines have no limit.
    on_progress : callable, optional
        Called with rows done, rows wanted, and rows failed.

    Returns
    -------
    ReferenceTable

    Examples
    --------
    >>> table = simulate_table(
    ...     "duplication", n_nodes=30, n_samples=8, seed=1, engine="serial",
    ...     features=["transitivity", "n_triangles"],
    ... )
    >>> table.X.shape
    (8, 2)
    >>> sorted(table.costs.steps)
    ['degrees', 'triangles']
    """
    space = get_space(space) if isinstance(space, str) else space
    job = _job(space, n_nodes, isolated, features, seed, stream)
    manifest = _manifest(job, _whole("n_samples", n_samples, 1), seed, stream)
    folder = TableFolder(path) if path is not None else None
    present = np.empty(0, np.int64)
    if folder is not None and folder.exists():
        begun = folder.manifest()
        check_same(begun, manifest, f"the table in {path} and the one asked for", REFUSING_RESUME)
        present = folder.rows_present()
        manifest["n_samples"] = max(n_samples, begun["n_samples"])
        if manifest["n_samples"] > begun["n_samples"]:
            folder.write_manifest({**begun, "n_samples": n_samples})
    elif folder is not None:
        folder.create(manifest)
    present = present[present < n_samples]
    missing = np.setdiff1d(np.arange(n_samples), present, assume_unique=True)
    sink = _Sink(folder, len(present), n_samples, on_progress)
    if len(missing):
        chosen = get_engine(engine, workers, row_timeout)
        batches = _Batches(missing, chosen, row_timeout)
        try:
            with contextlib.closing(chosen.run(job, batches)) as results:
                for result in results:
                    sink.take(result)
                    batches.learn(sink.rows_per_second)
        except KeyboardInterrupt:
            sink.flush()
            raise StoppedError(_how_to_go_on(sink, path)) from None
        finally:
            sink.flush()
    if folder is None:
        return sink.table(manifest)
    return ReferenceTable.load(folder.path, n_samples)


def _how_to_go_on(sink: _Sink, path: Any) -> str:
    if path is None:
        return f"stopped after {sink.done} of {sink.total} rows; without a path they are not kept"
    return (
        f"stopped after {sink.done} of {sink.total} rows, which are kept in {path}; "
        "the same again goes on from there"
    )


def _whole(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise UsageError(f"{name}={value!r}; expected an integer of at least {least}")
    return int(value)


def _job(
    space: ModelSpace,
    n_nodes: int,
    isolated: str | None,
    features: Iterable[str | Feature] | None,
    seed: int,
    stream: str,
) -> Job:
    chosen = tuple(FEATURES.values() if features is None else map(find, features))
    if not chosen:
        raise UsageError("no features asked for; name at least one")
    matched = getattr(space, "isolated", None)
    isolated = isolated or matched or "keep"
    for model in space:
        model.check_size(n_nodes, isolated)
    key = f"{_whole('seed', seed, 0)}/{stream}"
    entropy = int.from_bytes(hashlib.blake2b(key.encode(), digest_size=16).digest(), "little")
    return Job(space, int(n_nodes), isolated, plan(chosen).features, entropy)


def _manifest(job: Job, n_samples: int, seed: int, stream: str) -> dict[str, Any]:
    chosen: Plan = plan(job.features)
    kept = [node.name for node in chosen.computations if not isinstance(node, Step)]
    uses = {name: [n for n in chosen.lineage[name] if n != name] for name in kept}
    return {
        "format": FORMAT,
        "space": job.space.as_dict(),
        "n_nodes": job.n_nodes,
        "isolated": job.isolated,
        "seed": seed,
        "stream": stream,
        "features": [
            {"name": item.name, "version": item.version, "discrete": item.discrete}
            for item in job.features
        ],
        "uses": uses,
        "n_samples": n_samples,
        "code": _code(job),
        "packages": {name: version(name) for name in ("netchoice", "numpy", "numba", "scipy")},
        "machine": {
            "id": machine_id(),
            "system": platform.platform(),
            "python": platform.python_version(),
        },
    }


def _code(job: Job) -> dict[str, str]:
    """Digests of users' own functions: a changed one is worth a warning."""
    functions = {
        f"model {model.name}": model.function for model in job.space if isinstance(model, Model)
    }
    functions |= {f"feature {item.name}": item.function for item in job.features}
    digests = {}
    for name, function in functions.items():
        if not is_ours(function):
            try:
                source = inspect.getsource(function)
            except (OSError, TypeError):
                source = ""
            digests[name] = hashlib.blake2b(source.encode(), digest_size=8).hexdigest()
    return digests


class _Batches:
    """Lists of rows that take half a second each or less, as far as is known by then."""

    def __init__(self, rows: np.ndarray, engine: Engine, row_timeout: float | None) -> None:
        self.rows = rows
        # The time limit of a row holds for a whole list; one that exceeds it is tried row by row.
        self.seconds = min(_BATCH_SECONDS, (row_timeout or math.inf) / 4)
        self.engine = engine  # asked each time: on a cluster, workers come and go
        self.size = 1
        self.at = 0

    def __iter__(self) -> Iterator[list[int]]:
        return self

    def __next__(self) -> list[int]:
        if self.at >= len(self.rows):
            raise StopIteration
        # Towards the end, lists get shorter, so that all workers finish together.
        left = len(self.rows) - self.at
        size = max(1, min(self.size, left // (2 * self.engine.workers)))
        batch: list[int] = self.rows[self.at : self.at + size].tolist()
        self.at += size
        return batch

    def learn(self, rows_per_second: float) -> None:
        """Adapt the size to the speed of one worker."""
        wanted = self.seconds * rows_per_second / self.engine.workers
        self.size = int(min(max(1, wanted), 2 * self.size, _MAX_BATCH))


class _Sink:
    """Takes rows as they come, and writes them in shards."""

    def __init__(
        self,
        folder: TableFolder | None,
        n_present: int,
        total: int,
        on_progress: Callable[[int, int, int], None] | None,
    ) -> None:
        self.folder = folder
        self.done, self.total, self.new, self.failed = n_present, total, 0, 0
        self.on_progress = on_progress
        self.waiting: list[Batch] = []
        self.n_waiting = 0
        self.written = self.begun = time.monotonic()

    @property
    def rows_per_second(self) -> float:
        return self.new / max(time.monotonic() - self.begun, 1e-9)

    def take(self, result: Batch | Lost) -> None:
        """Keep the rows of a batch, or note that one got lost."""
        if isinstance(result, Lost):
            batch = Batch([], {}, [], {})
            batch.add(result.row, {}, {"label": None, "failure": f"lost: {result.reason}"})
        else:
            batch = result
        if self.new == 0:
            self.begun = time.monotonic() - 1e-3  # starting workers is not part of the speed
        self.waiting.append(batch)
        self.n_waiting += len(batch.rows)
        self.done += len(batch.rows)
        self.new += len(batch.rows)
        self.failed += len(batch.failures)
        late = time.monotonic() - self.written > _SHARD_SECONDS
        if self.folder is not None and (late or self.n_waiting >= _SHARD_ROWS):
            self.flush()
        if self.on_progress is not None:
            self.on_progress(self.done, self.total, self.failed)
        if self.new >= FAILURES_JUDGED_AFTER and self.failed > MAX_FAILURE_SHARE * self.new:
            self.flush()
            reason = next(iter(batch.failures.values()), "see the table's failures")
            raise NetchoiceError(
                f"{self.failed} of {self.new} rows failed, more than {MAX_FAILURE_SHARE:.0%}; for "
                f"example: {reason}; the run was stopped, what was simulated is kept"
            )

    def flush(self) -> None:
        """Write what is waiting."""
        if self.folder is not None and self.waiting:
            self.folder.write_shard(self.arrow())
            self.waiting, self.n_waiting = [], 0
        self.written = time.monotonic()

    def arrow(self) -> pa.Table:
        import pyarrow as pa

        tables = [batch.as_arrow() for batch in self.waiting]
        return pa.concat_tables(tables, promote_options="permissive").sort_by("row")

    def table(self, manifest: dict[str, Any]) -> ReferenceTable:
        """The table in memory."""
        return ReferenceTable(self.arrow().to_pandas(), manifest)
