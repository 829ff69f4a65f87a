"""The protocol of an engine, and the engine that runs in this process."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import Any, NamedTuple, Protocol

#: A picklable function that simulates a batch: a list of row numbers.
Work = Callable[[list[int]], Any]
Results = Generator[Any, None, None]


class Lost(NamedTuple):
    """A row that could not be simulated because its process died or took too long."""

    row: int
    reason: str


class Engine(Protocol):
    """Runs batches of rows somewhere and yields the results in any order.

    If a batch is lost, because a process died or a time limit passed, the engine runs its rows one by
    one. A row that is lost by itself is reported as :class:`Lost`.
    """

    workers: int

    def run(self, work: Work, batches: Iterable[list[int]]) -> Results:
        """Yield ``work(batch)`` for each batch, or :class:`Lost` for a single row."""


class SerialEngine:
    """Runs one batch after the other in this process; no row can be lost."""

    workers = 1

    def run(self, work: Work, batches: Iterable[list[int]]) -> Results:
        """Yield the result of each batch, in order."""
        getattr(work, "warm_up", lambda: None)()
        yield from map(work, batches)


def describe_error(error: BaseException) -> str:
    """Return the type and message of an error in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:300] if text else type(error).__name__
