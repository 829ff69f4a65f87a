"""The engine that runs on the workers of a Dask scheduler."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from netchoice.engines.engine import Results, Work, describe_error
from netchoice.engines.executor import ExecutorEngine, call_pickled
from netchoice.errors import UsageError

#: Workers are counted again after this many seconds, because they may join or leave.
_COUNT_INTERVAL = 5.0


@dataclass
class DaskEngine(ExecutorEngine):
    """Submits batches to a Dask client and closes it at the end."""

    counted: float = 0.0
    #: The work as a Dask future: each worker fetches it once, and a lost copy is made again.
    work: Any = None

    def count_workers(self) -> None:
        """Update the number of workers."""
        self.workers = max(1, sum(self.executor.nthreads().values()))
        self.counted = time.monotonic()

    def submit(self, pickled: bytes, rows: list[int]) -> Any:
        """Submit one batch, and before the first batch the work."""
        import cloudpickle

        if self.work is None:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "Sending large graph")  # it is sent only once
                self.work = self.executor.submit(bytes, pickled, pure=False)
        # The scheduler unpickles arguments, and may lack the modules of what a batch carries.
        batch = cloudpickle.dumps(rows)
        return self.executor.submit(_call_pickled_batch, self.work, batch, pure=False, retries=0)

    def wait(self, running: Iterable[Any], seconds: float | None) -> set[Any]:
        """Wait until a batch has finished, at most so many seconds; return the finished ones."""
        from distributed import wait

        if time.monotonic() - self.counted > _COUNT_INTERVAL:
            self.count_workers()
        with self.executor.as_current():
            try:
                done = wait(list(running), seconds, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                return set()
        return set(done)

    def run(self, work: Work, batches: Iterable[list[int]]) -> Results:
        """Yield the results of batches as they finish, then close the client."""
        try:
            yield from super().run(work, batches)
        finally:
            self.executor.close()


def _call_pickled_batch(pickled: bytes, batch: bytes) -> Any:
    import cloudpickle

    return call_pickled(pickled, cloudpickle.loads(batch))


def connect(address: str) -> DaskEngine:
    """Return the engine of the Dask scheduler at an address."""
    try:
        from distributed import Client
    except ImportError:
        message = "the Dask engine needs the package distributed; install netchoice[dask]"
        raise UsageError(message) from None
    try:
        client = Client(f"tcp://{address}", timeout="5s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"no Dask scheduler at {address} ({describe_error(error)}); start one with: dask scheduler"
        ) from error
    engine = DaskEngine(client, 1)
    engine.count_workers()
    return engine
