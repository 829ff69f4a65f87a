"""Rows of a function of the row number: on any engine, resumable, the same rows every time."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from netchoice.engines.engine import Engine, Lost
from netchoice.errors import FailedRowsError, StoppedError
from netchoice.interruption import saves_when_stopped
from netchoice.storage.shards import FAILURE, RowFolder, row_numbers

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


def run_rows(
    function: RowFunction,
    numbers: np.ndarray,
    *,
    engine: Engine,
    folder: RowFolder | None = None,
    argument: Callable[[int], Any] | None = None,
    deadline: float | None = None,
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
        A time on the clock ``time.monotonic``. From then on no further rows are started. Rows that are not
        finished half a second later are given up, as far as the engine can stop them.
    may_fail : bool
        Whether any number of rows may fail. Otherwise many errors end the run with :class:`FailedRowsError`.
    noun : str
        What rows are called in messages.
    on_progress : callable, optional
        Called with the numbers of finished, requested and failed rows.
    """
    run = RowRun(function, numbers, folder, on_progress)
    if not len(run.missing):
        return run
    run.report()
    batches = run.batches(engine, argument, deadline)
    until = None if deadline is None else deadline + _BATCH_SECONDS
    try:
        with (
            saves_when_stopped(run.flush),
            contextlib.closing(engine.run(function, batches, until)) as results,
        ):
            for result in results:
                run.add(result)
                if not may_fail:
                    run.check_errors()
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


class RowRun:
    """The rows of one run: counted, and written to shards or held in memory.

    Attributes
    ----------
    missing : array of int
        The rows that the folder did not hold.
    n_total, n_done, n_failed : int
        Rows that were requested, are finished, and failed; with those that the folder held.
    """

    def __init__(
        self, function: RowFunction, numbers: np.ndarray, folder: RowFolder | None,
        on_progress: Progress | None,
    ) -> None:  # fmt: skip
        self.function, self.folder, self.on_progress = function, folder, on_progress
        self.missing, self.n_total, self.n_failed = numbers, len(numbers), 0
        if folder is not None:
            kept = folder.scan(rename=True)
            self.missing = np.setdiff1d(numbers, row_numbers(kept), assume_unique=True)
            self.n_failed = int(np.isin(row_numbers(kept, failed=True), numbers).sum())
        self.n_done = self.n_total - len(self.missing)
        self._n_errors, self._error = 0, ""
        self._unwritten: list[Row] = []
        self._in_memory: list[pa.Table] = []
        self._n_new, self._start, self._last_write = 0, 0.0, time.monotonic()
        # Another thread writes the rows of a process that is stopped.
        self._lock = threading.RLock()

    def report(self) -> None:
        """Report the progress."""
        if self.on_progress is not None:
            self.on_progress(self.n_done, self.n_total, self.n_failed)

    def batches(
        self, engine: Engine, argument: Callable[[int], Any] | None, deadline: float | None
    ) -> Iterator[list[tuple[Any, ...]]]:
        """Yield batches until the deadline; their size adapts to the speed and number of workers."""
        # The time limit of a row applies to a batch; a batch that exceeds it is run row by row.
        seconds = min(_BATCH_SECONDS, (engine.row_timeout or math.inf) / 4)
        size, numbers = 1, self.missing
        while len(numbers) and (deadline is None or time.monotonic() <= deadline):
            rows_per_second = self._n_new / max(time.monotonic() - self._start, 1e-9)
            wanted = seconds * rows_per_second / engine.workers
            size = int(min(max(1, wanted), 2 * size, _MAX_BATCH_ROWS))
            # The last batches are shorter, so that all workers finish at about the same time.
            n = max(1, min(size, len(numbers) // (2 * engine.workers)))
            batch: list[int] = numbers[:n].tolist()
            yield [(i,) if argument is None else (i, argument(i)) for i in batch]
            numbers = numbers[n:]

    def add(self, result: list[Row] | Lost) -> None:
        """Add the rows of a batch, or record a lost row as failed."""
        if isinstance(result, Lost):
            number = result.item[0]
            result = [Row(number, self.function.known(number), f"lost: {result.reason}")]
        if self._n_new == 0:
            self._start = time.monotonic() - 1e-3  # the speed does not include starting workers
        with self._lock:
            self._unwritten += result
        self.n_done += len(result)
        self._n_new += len(result)
        self.n_failed += sum(row.failure is not None for row in result)
        for error in (each for row in result for each in row[2:] if each is not None):
            self._n_errors, self._error = self._n_errors + 1, error
        is_due = time.monotonic() - self._last_write > _SHARD_SECONDS
        if is_due or len(self._unwritten) >= _SHARD_ROWS:
            self.flush()
        self.report()

    def check_errors(self) -> None:
        """End the run if too many rows met errors."""
        share = self._n_errors / self._n_new
        if self._n_new >= MIN_ROWS_TO_STOP and share > MAX_FAILURE_SHARE:
            raise FailedRowsError(
                f"{self._n_errors} of {self._n_new} rows failed, more than {MAX_FAILURE_SHARE:.0%}; for "
                f"example: {self._error}; the run was stopped, and simulated rows are kept"
            )

    def flush(self) -> None:
        """Write the rows that are not yet on disk to a new shard."""
        with self._lock:
            if self._unwritten:
                rows = self._as_arrow(sorted(self._unwritten, key=lambda row: row.number))
                if self.folder is None:
                    self._in_memory.append(rows)
                else:
                    self.folder.write(rows)
                self._unwritten = []
            self._last_write = time.monotonic()

    def _as_arrow(self, rows: list[Row]) -> pa.Table:
        import pyarrow as pa

        columns = {
            "row": pa.array([row.number for row in rows], pa.int64()),
            FAILURE: pa.array([row.failure for row in rows], pa.string()),
        }
        for name in dict.fromkeys(name for row in rows for name in row.cells):
            kind = arrow_type(self.function.kind(name))
            columns[name] = pa.array([row.cells.get(name) for row in rows], kind)
        return pa.table(columns)

    def as_arrow(self) -> pa.Table:
        """Return the rows that are in memory, sorted."""
        import pyarrow as pa

        tables = self._in_memory or [self._as_arrow([])]
        return pa.concat_tables(tables, promote_options="permissive").sort_by("row")
