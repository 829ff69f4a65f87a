"""Simulation of reference tables: on any engine, resumable, the same rows every time."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import math
import platform
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from netchoice.engines import get_engine
from netchoice.engines.engine import Engine, Lost
from netchoice.errors import FailedRowsError, NetchoiceError, UsageError
from netchoice.features import Feature
from netchoice.features.registry import FEATURES, Step, find, plan
from netchoice.interruption import saves_when_stopped
from netchoice.machines import machine_id
from netchoice.models.builtin import get_space
from netchoice.models.space import ModelSpace
from netchoice.progress import listener, shows_progress
from netchoice.row_simulator import Batch, Row, RowSimulator
from netchoice.storage.shards import FORMAT, TableFolder, check_resumable
from netchoice.storage.table import ReferenceTable
from netchoice.user_code import is_ours
from netchoice.validation import check_integer

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    Features = Iterable[str | Feature] | None
    Progress = Callable[[int, int, int], None]

#: A run stops if more than this share of its rows met errors, once this many rows have been tried.
MAX_FAILURE_SHARE, MIN_ROWS_TO_STOP = 0.2, 50
_BATCH_SECONDS, _MAX_BATCH_ROWS = 0.5, 500
_SHARD_ROWS, _SHARD_SECONDS = 5000, 10.0


class StoppedError(NetchoiceError):
    """The user interrupted the run; finished rows are kept."""


@shows_progress("simulating", one_stage=True)
def simulate_table(
    space: str | ModelSpace,
    *,
    n_nodes: int | tuple[int, int],
    n_samples: int,
    seed: int,
    features: Features = None,
    engine: str | Executor = "processes",
    workers: int | None = None,
    path: str | PathLike[str] | None = None,
    stream: str = "train",
    isolated: str | None = None,
    row_timeout: float | None = None,
    deadline: float | None = None,
    min_samples: int = 1,
    on_progress: Progress | bool | None = None,
) -> ReferenceTable:
    """Simulate networks from a model space, compute their features, and return the table.

    Parameters
    ----------
    space : ModelSpace or str
    n_nodes : int or (int, int)
        Number of nodes of every network. From the smallest and the largest number of a range, each row
        draws its own, uniform in its logarithm.
    n_samples : int
        Number of rows of the table.
    seed : int
        Row i depends only on the seed, the stream and i: not on workers, engine, interruptions, or
        the number of rows or features.
    features : iterable, optional
        Features to compute; all, including the noise features, by default.
    engine : str or concurrent.futures.Executor
        ``"serial"``, ``"processes"``, ``"dask://HOST:PORT"``, or an executor.
    workers : int, optional
        Number of processes; one per core by default.
    path : path, optional
        Folder of the table; only missing rows are simulated. By default the table is in memory only.
    stream : str
        Tables with the same seed and different streams (train, test, pilot) share no randomness.
    isolated : "keep" or "drop", optional
        As in :meth:`Model.grow`. By default, that of a density-matched space, or else "keep".
    row_timeout : float, optional
        Time limit of a row in seconds; only for the engine ``"processes"``.
    deadline : float, optional
        A time on the clock ``time.monotonic``. From then on, once ``min_samples`` rows are simulated, no
        further ones are: the table has the first rows, as if their number had been requested.
    min_samples : int
        The smallest number of rows of a table that ends at the deadline.
    on_progress : callable or bool, optional
        Called with the numbers of finished, requested and failed rows. True shows the progress, False
        shows nothing. By default it is shown in a terminal or a notebook.

    Returns
    -------
    ReferenceTable

    Examples
    --------
    >>> table = simulate_table("duplication", n_nodes=30, n_samples=8, seed=1, engine="serial",
    ...                        features=["transitivity", "n_triangles"])
    >>> table.X.shape, sorted(table.costs.steps)
    ((8, 2), ['degrees', 'triangles'])
    """
    n_samples, seed = check_integer("n_samples", n_samples), check_integer("seed", seed, 0)
    simulator = make_simulator(get_space(space), n_nodes, isolated, features, seed, stream)
    manifest = _manifest(simulator, n_samples, seed, stream)
    folder = TableFolder(path) if path is not None else None
    until = None if deadline is None else Deadline(deadline, min_samples)
    with contextlib.nullcontext() if folder is None else folder.lock():
        writer = _simulate(
            simulator, np.arange(n_samples), manifest, folder, get_engine(engine, workers, row_timeout),
            row_timeout, until, listener(on_progress),
        )  # fmt: skip
        if writer.first_left is not None:
            n_samples = manifest["n_samples"] = writer.first_left
            if folder is not None:
                folder.write_manifest({**folder.manifest(), "n_samples": n_samples})
        if folder is None:
            return ReferenceTable(writer.as_arrow().to_pandas(), manifest)
        return ReferenceTable.load(folder.path, n_samples)


class Deadline(NamedTuple):
    """A time on the clock ``time.monotonic``, and the row before which a simulation does not end."""

    time: float
    first_row: int = 0


def simulate_rows(
    simulator: RowSimulator,
    rows: np.ndarray,
    *,
    seed: int,
    stream: str,
    engine: str | Executor = "processes",
    workers: int | None = None,
    path: Path | None = None,
    deadline: float | None = None,
    on_progress: Progress | None = None,
) -> pd.DataFrame:
    """Simulate rows of a simulator by their numbers, and return those that are there, sorted.

    Parameters
    ----------
    simulator : RowSimulator
    rows : array of int, sorted
    seed, stream : what a table in a folder must have been made with
    engine, workers, path, on_progress
        As in :func:`simulate_table`. Rows that the folder holds are not simulated again.
    deadline : float, optional
        A time on the clock ``time.monotonic``. From then on no further rows are simulated.
    """
    folder = TableFolder(path) if path is not None else None
    manifest = _manifest(simulator, int(rows[-1]) + 1, seed, stream)
    until = None if deadline is None else Deadline(deadline)
    with contextlib.nullcontext() if folder is None else folder.lock():
        writer = _simulate(
            simulator, rows, manifest, folder, get_engine(engine, workers), None, until, on_progress
        )
        if writer.first_left is not None:
            rows = rows[rows < writer.first_left]
        if not len(rows):
            import pandas as pd

            return pd.DataFrame()
        if folder is None:
            return writer.as_arrow().to_pandas()
        return folder.read(lambda present: np.intersect1d(present, rows))


def _simulate(
    simulator: RowSimulator,
    rows: np.ndarray,
    manifest: dict[str, Any],
    folder: TableFolder | None,
    engine: Engine,
    row_timeout: float | None,
    deadline: Deadline | None,
    on_progress: Progress | None,
) -> _TableWriter:
    """Simulate the rows that the folder does not hold; return the writer that has collected them."""
    missing = rows
    if folder is not None:
        missing = np.setdiff1d(rows, _open_folder(folder, manifest), assume_unique=True)
    writer = _TableWriter(folder, manifest, len(rows) - len(missing), len(rows), on_progress)
    if not len(missing):
        return writer
    batches = _batches(missing, writer, engine, row_timeout)
    if deadline is not None:
        batches = _until(deadline, batches, writer)
    try:
        with (
            saves_when_stopped(writer.flush),
            contextlib.closing(engine.run(simulator, batches)) as results,
        ):
            for result in results:
                writer.add(result)
    except KeyboardInterrupt:
        where = None if folder is None else folder.path
        kept = f", which are kept in {where}; run the same command again to resume"
        raise StoppedError(
            f"stopped after {writer.n_done} of {len(rows)} rows"
            f"{'; pass a path to keep the rows' if folder is None else kept}"
        ) from None
    finally:
        writer.flush()
    return writer


def _open_folder(folder: TableFolder, manifest: dict[str, Any]) -> np.ndarray:
    """Create the table in a folder, or prepare to resume it; return the numbers of its rows."""
    if not folder.exists():
        folder.create(manifest)
        return folder.repair(manifest)
    existing = folder.manifest()
    check_resumable(existing, manifest, folder.path)
    present = folder.repair(existing)
    if manifest["n_samples"] > existing["n_samples"]:
        folder.write_manifest({**existing, "n_samples": manifest["n_samples"]})
    return present


def make_simulator(
    space: ModelSpace,
    n_nodes: int | tuple[int, int],
    isolated: str | None,
    features: Features,
    seed: int,
    stream: str,
) -> RowSimulator:
    """Return the simulator of the rows of a table; see :func:`simulate_table`."""
    selected = tuple(FEATURES.values() if features is None else map(find, features))
    if not selected:
        raise UsageError("`features` is empty; name at least one feature")
    isolated = isolated or getattr(space, "isolated", None) or "keep"
    sizes = _check_sizes(n_nodes)
    for model in space:
        for size in {*sizes}:
            model.check_size(size, isolated)
    digest = hashlib.blake2b(f"{seed}/{stream}".encode(), digest_size=16).digest()
    features = plan(selected).features
    known = sizes if len(sizes) == 2 else int(sizes[0])
    return RowSimulator(space, known, isolated, features, int.from_bytes(digest, "little"))


def _check_sizes(n_nodes: int | tuple[int, int]) -> tuple[int, ...]:
    """Return one number of nodes, or the two ends of a range."""
    if not isinstance(n_nodes, tuple):
        return (n_nodes,)
    low, high = (check_integer("n_nodes", end) for end in n_nodes)
    if low >= high:
        raise UsageError(
            f"a range from {low} to {high} nodes; expected the smaller number first, or one number"
        )
    return low, high


def _manifest(simulator: RowSimulator, n_samples: int, seed: int, stream: str) -> dict[str, Any]:
    needed_plan = plan(simulator.features)
    features = [node.name for node in needed_plan.computations if not isinstance(node, Step)]
    return {
        "format": FORMAT, "space": simulator.space.as_dict(), "n_nodes": _for_json(simulator.n_nodes),
        "isolated": simulator.isolated, "seed": seed, "stream": stream,
        "features": [
            {"name": item.name, "version": item.version, "discrete": item.discrete}
            for item in simulator.features
        ],
        "uses": {name: [n for n in needed_plan.lineage[name] if n != name] for name in features},
        "n_samples": n_samples, "code": _code_digests(simulator),
        "packages": {name: version(name) for name in ("netchoice", "numpy", "numba", "scipy")},
        "machine": {
            "id": machine_id(), "system": platform.platform(), "python": platform.python_version(),
        },
    }  # fmt: skip


def _for_json(n_nodes: int | tuple[int, int]) -> int | list[int]:
    return n_nodes if isinstance(n_nodes, int) else list(n_nodes)


def _code_digests(simulator: RowSimulator) -> dict[str, str]:
    """Return digests of the source of users' functions; a changed digest causes a warning."""
    functions: dict[str, Any] = {f"model {model.name}": model.function for model in simulator.space}
    functions |= {f"feature {item.name}": item.function for item in simulator.features}
    digests = {}
    for name, function in functions.items():
        if not is_ours(function):
            try:
                source = inspect.getsource(function)
            except (OSError, TypeError):
                source = ""
            digests[name] = hashlib.blake2b(source.encode(), digest_size=8).hexdigest()
    return digests


def _batches(
    rows: np.ndarray, writer: _TableWriter, engine: Engine, row_timeout: float | None
) -> Iterator[list[int]]:
    """Yield batches of rows; the size of a batch adapts to the speed and number of the workers."""
    # The time limit of a row applies to a batch; a batch that exceeds it is run row by row.
    seconds = min(_BATCH_SECONDS, (row_timeout or math.inf) / 4)
    size = 1
    while len(rows):
        wanted = seconds * writer.rows_per_second / engine.workers
        size = int(min(max(1, wanted), 2 * size, _MAX_BATCH_ROWS))
        # The last batches are shorter, so that all workers finish at about the same time.
        n = max(1, min(size, len(rows) // (2 * engine.workers)))
        yield rows[:n].tolist()
        rows = rows[n:]


def _until(
    deadline: Deadline, batches: Iterator[list[int]], writer: _TableWriter
) -> Iterator[list[int]]:
    """Yield batches until the deadline; then say which row is the first that is not simulated."""
    for batch in batches:
        if time.monotonic() > deadline.time and batch[0] >= deadline.first_row:
            writer.first_left = batch[0]
            return
        yield batch


class _TableWriter:
    """Collects simulated rows and writes them to shards."""

    def __init__(
        self,
        folder: TableFolder | None,
        manifest: dict[str, Any],
        n_present: int,
        n_total: int,
        on_progress: Progress | None,
    ) -> None:
        self.folder, self.manifest, self.on_progress = folder, manifest, on_progress
        self.n_done, self.n_total, self.n_new = n_present, n_total, 0
        self.n_failed, self.n_errors = 0, 0
        self.first_left: int | None = (
            None  # the first row that is not simulated, after the deadline
        )
        self.unwritten: list[Batch] = []
        self.n_unwritten = 0
        self.lock = threading.RLock()  # another thread writes the rows of a process that is stopped
        self.last_write = self.start = time.monotonic()

    @property
    def rows_per_second(self) -> float:
        """Rows simulated per second since the first batch."""
        return self.n_new / max(time.monotonic() - self.start, 1e-9)

    def add(self, result: Batch | Lost) -> None:
        """Add a batch, or record a lost row as failed; raise an error if too many rows failed."""
        batch = Batch() if isinstance(result, Lost) else result
        if isinstance(result, Lost):
            batch.add(Row(result.row, failure=f"lost: {result.reason}"))
        if self.n_new == 0:
            self.start = time.monotonic() - 1e-3  # the speed does not include starting workers
        with self.lock:
            self.unwritten.append(batch)
            self.n_unwritten += len(batch.rows)
        self.n_done += len(batch.rows)
        self.n_new += len(batch.rows)
        self.n_failed += len(batch.failures)
        self.n_errors += len(batch.errors)
        is_due = time.monotonic() - self.last_write > _SHARD_SECONDS
        if self.folder is not None and (is_due or self.n_unwritten >= _SHARD_ROWS):
            self.flush()
        if self.on_progress is not None:
            self.on_progress(self.n_done, self.n_total, self.n_failed)
        if self.n_new >= MIN_ROWS_TO_STOP and self.n_errors > MAX_FAILURE_SHARE * self.n_new:
            reason = next(iter(batch.errors), "see the failures of the table")
            raise FailedRowsError(
                f"{self.n_errors} of {self.n_new} rows failed, more than {MAX_FAILURE_SHARE:.0%}; "
                f"for example: {reason}; the run was stopped, and simulated rows are kept"
            )

    def flush(self) -> None:
        """Write the rows that are not yet on disk to a new shard."""
        with self.lock:
            if self.folder is not None and self.unwritten:
                self.folder.write_shard(self.as_arrow(), self.manifest)
                self.unwritten, self.n_unwritten = [], 0
            self.last_write = time.monotonic()

    def as_arrow(self) -> pa.Table:
        import pyarrow as pa

        tables = [batch.as_arrow() for batch in self.unwritten]
        return pa.concat_tables(tables, promote_options="permissive").sort_by("row")
