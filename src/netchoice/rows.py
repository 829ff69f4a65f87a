"""Rows of a function of the row number: on any engine, resumable, the same rows every time."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from netchoice.engines.engine import Engine, Lost
from netchoice.errors import FailedRowsError, StoppedError
from netchoice.interruption import saves_when_stopped
from netchoice.storage.shards import FAILURE, RowFolder

if TYPE_CHECKING:
    import pyarrow as pa

    Progress = Callable[[int, int, int], None]

#: A run that may stop early does so if more than this share of its rows met errors, once so many are tried.
MAX_FAILURE_SHARE, MIN_ROWS_TO_STOP = 0.2, 50
_BATCH_SECONDS, _MAX_BATCH_ROWS = 0.5, 500
_SHARD_ROWS, _SHARD_SECONDS = 5000, 10.0


class Row(NamedTuple):
    """One row.

    Attributes
    ----------
    number : int
    cells : dict
        Values by column. A column that other rows have is missing in this one.
    failure : str or None
        Why the row has no values.
    error : str or None
        What went wrong although the row has values.
    """

    number: int
    cells: Mapping[str, Any]
    failure: str | None = None
    error: str | None = None


class RowFunction(Protocol):
    """A pure function of the row number. Engines pickle the object and send it to each worker."""

    def __call__(self, number: int, *argument: Any) -> Row:
        """Return the row; the argument is that of :func:`run_rows`."""

    def known(self, number: int) -> dict[str, Any]:
        """Return cells that also a lost row has."""

    def kind(self, column: str) -> str:
        """Return what a column holds: ``"text"``, ``"number"``, ``"seconds"`` or ``"flag"``."""

    def warm_up(self) -> None:
        """Load compiled code, so that loading is neither timed nor counted against a time limit."""


def arrow_type(kind: str) -> pa.DataType:
    """Return the type of a column that holds text, numbers, seconds or flags."""
    import pyarrow as pa

    types = {"text": pa.string, "number": pa.float64, "seconds": pa.float32, "flag": pa.bool_}
    return types[kind]()


@dataclass
class Batch:
    """Rows as columns; a worker returns one for each batch of row numbers."""

    numbers: list[int] = field(default_factory=list)
    columns: dict[str, list[Any]] = field(default_factory=dict)
    failures: list[str | None] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def add(self, row: Row) -> None:
        """Append one row; columns that it lacks get None."""
        for name in row.cells:
            if name not in self.columns:
                self.columns[name] = [None] * len(self.numbers)
        for name, column in self.columns.items():
            column.append(row.cells.get(name))
        self.numbers.append(row.number)
        self.failures.append(row.failure)
        self.errors += [each for each in (row.failure, row.error) if each is not None]

    def as_arrow(self, kind: Callable[[str], str]) -> pa.Table:
        """Return the rows as an Arrow table."""
        import pyarrow as pa

        columns = {
            "row": pa.array(self.numbers, pa.int64()),
            FAILURE: pa.array(self.failures, pa.string()),
        }
        columns |= {name: pa.array(c, arrow_type(kind(name))) for name, c in self.columns.items()}
        return pa.table(columns)


@dataclass(frozen=True)
class _Work:
    """Calls a function in a worker for each item of a batch: a row number, and its argument if it has one."""

    function: RowFunction

    def warm_up(self) -> None:
        self.function.warm_up()

    def __call__(self, items: list[tuple[Any, ...]]) -> Batch:
        batch = Batch()
        for item in items:
            batch.add(self.function(*item))
        return batch


def run_rows(
    function: RowFunction,
    numbers: np.ndarray,
    *,
    engine: Engine,
    folder: RowFolder | None = None,
    argument: Callable[[int], Any] | None = None,
    deadline: float | None = None,
    gives_up: bool = True,
    may_fail: bool = True,
    noun: str = "rows",
    on_progress: Progress | None = None,
) -> RowRun:
    """Call a function for each row number that the folder does not hold, and keep the rows there.

    A row depends on the function, its number and its argument only. So the rows are the same on every
    engine, and a run that was killed at any moment is resumed by the same call.

    Parameters
    ----------
    function : RowFunction
    numbers : array of int, sorted
    engine : Engine
    folder : RowFolder, optional
        The caller holds its lock. Without a folder, the rows are in memory only.
    argument : callable, optional
        Returns by row number what is sent to the worker besides the number.
    deadline : float, optional
        A time on the clock ``time.monotonic``. From then on no further rows are started.
    gives_up : bool
        Whether rows that are not finished half a second after the deadline are given up. Otherwise they are
        finished, and the first row is made in any case.
    may_fail : bool
        Whether any number of rows may fail. Otherwise many errors end the run with :class:`FailedRowsError`.
    noun : str
        What rows are called in messages.
    on_progress : callable, optional
        Called with the numbers of finished, requested and failed rows.
    """
    missing, n_failed = numbers, 0
    if folder is not None:
        kept, failed = folder.repair()
        missing = np.setdiff1d(numbers, kept, assume_unique=True)
        n_failed = int(np.isin(failed, numbers, assume_unique=True).sum())
    n_done = len(numbers) - len(missing)
    run = RowRun(function, folder, may_fail, on_progress, len(numbers), n_done, n_failed)
    if not len(missing):
        return run
    run.report()
    first_row = 0 if gives_up else 1
    batches = _batches(missing, argument, run, engine, deadline, first_row)
    until = deadline + _BATCH_SECONDS if deadline is not None and gives_up else None
    try:
        with (
            saves_when_stopped(run.flush),
            contextlib.closing(engine.run(_Work(function), batches, until)) as results,
        ):
            for result in results:
                run.add(result)
    except KeyboardInterrupt:
        where = None if folder is None else folder.path
        kept_in = f", which are kept in {where}; run the same command again to resume"
        raise StoppedError(
            f"stopped after {run.n_done} of {run.n_total} {noun}"
            f"{'; pass a path to keep them' if folder is None else kept_in}"
        ) from None
    finally:
        run.flush()
    return run


def _batches(
    numbers: np.ndarray, argument: Callable[[int], Any] | None, run: RowRun, engine: Engine,
    deadline: float | None, first_row: int,
) -> Iterator[list[tuple[Any, ...]]]:  # fmt: skip
    """Yield batches of items until the deadline; their size adapts to the speed and number of workers."""
    # The time limit of a row applies to a batch; a batch that exceeds it is run row by row.
    seconds = min(_BATCH_SECONDS, (engine.row_timeout or math.inf) / 4)
    size = 1
    while len(numbers):
        is_over = deadline is not None and time.monotonic() > deadline
        if is_over and numbers[0] >= first_row:
            run.first_left = int(numbers[0])
            return
        wanted = seconds * run.rows_per_second / engine.workers
        size = int(min(max(1, wanted), 2 * size, _MAX_BATCH_ROWS))
        # The last batches are shorter, so that all workers finish at about the same time.
        n = max(1, min(size, len(numbers) // (2 * engine.workers)))
        batch: list[int] = numbers[:n].tolist()
        yield [(i,) if argument is None else (i, argument(i)) for i in batch]
        numbers = numbers[n:]


@dataclass
class RowRun:
    """The rows of one run: counted, and written to shards or held in memory.

    Attributes
    ----------
    n_total, n_done, n_failed : int
        Rows that were requested, are finished, and failed; with those that the folder held.
    first_left : int or None
        The first row that was left out because of the deadline.
    """

    function: RowFunction
    folder: RowFolder | None
    may_fail: bool
    on_progress: Progress | None
    n_total: int
    n_done: int
    n_failed: int
    first_left: int | None = None
    n_new: int = 0
    n_errors: int = 0
    unwritten: list[Batch] = field(default_factory=list)
    start: float = field(default_factory=time.monotonic)
    last_write: float = field(default_factory=time.monotonic)
    #: Another thread writes the rows of a process that is stopped.
    lock: Any = field(default_factory=threading.RLock)

    @property
    def rows_per_second(self) -> float:
        """Rows finished per second since the first batch."""
        return self.n_new / max(time.monotonic() - self.start, 1e-9)

    def report(self) -> None:
        """Report the progress."""
        if self.on_progress is not None:
            self.on_progress(self.n_done, self.n_total, self.n_failed)

    def add(self, result: Batch | Lost) -> None:
        """Add a batch, or record a lost row as failed; raise an error if too many rows failed."""
        batch = Batch() if isinstance(result, Lost) else result
        if isinstance(result, Lost):
            number = result.item[0]
            batch.add(Row(number, self.function.known(number), f"lost: {result.reason}"))
        if self.n_new == 0:
            self.start = time.monotonic() - 1e-3  # the speed does not include starting workers
        n = len(batch.numbers)
        with self.lock:
            self.unwritten.append(batch)
        self.n_done += n
        self.n_new += n
        self.n_failed += n - batch.failures.count(None)
        self.n_errors += len(batch.errors)
        is_due = time.monotonic() - self.last_write > _SHARD_SECONDS
        if self.folder is not None and (is_due or self._n_unwritten >= _SHARD_ROWS):
            self.flush()
        self.report()
        if self.may_fail or self.n_new < MIN_ROWS_TO_STOP:
            return
        if self.n_errors > MAX_FAILURE_SHARE * self.n_new:
            reason = next(iter(batch.errors), "see the failures of the table")
            raise FailedRowsError(
                f"{self.n_errors} of {self.n_new} rows failed, more than {MAX_FAILURE_SHARE:.0%}; "
                f"for example: {reason}; the run was stopped, and simulated rows are kept"
            )

    @property
    def _n_unwritten(self) -> int:
        return sum(len(batch.numbers) for batch in self.unwritten)

    def flush(self) -> None:
        """Write the rows that are not yet on disk to a new shard."""
        with self.lock:
            if self.folder is not None and self.unwritten:
                self.folder.write(self.as_arrow())
                self.unwritten = []
            self.last_write = time.monotonic()

    def as_arrow(self) -> pa.Table:
        """Return the rows that are in memory, sorted."""
        import pyarrow as pa

        batches = self.unwritten or [Batch()]
        tables = [batch.as_arrow(self.function.kind) for batch in batches]
        return pa.concat_tables(tables, promote_options="permissive").sort_by("row")
