"""What an engine is, and the registry of engines."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

#: A picklable function that simulates a batch: a list of row numbers.
Work = Callable[[list[int]], Any]
Results = Generator[Any, None, None]


@dataclass(frozen=True)
class Lost:
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


#: Makes an engine from the address after "://", the number of workers and the row timeout.
Factory = Callable[[str, int | None, float | None], Engine]
#: Factories by name; the name of an engine that needs an address ends in "://".
ENGINES: dict[str, Factory] = {}


def register(name: str) -> Callable[[Factory], Factory]:
    """Return a decorator that adds a factory to the registry."""

    def add(factory: Factory) -> Factory:
        ENGINES[name] = factory
        return factory

    return add


def describe_error(error: BaseException) -> str:
    """Return the type and message of an error in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:300] if text else type(error).__name__
