"""The engine that simulates in this process."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from netchoice.engines.engine import Results, Work, register


@dataclass
class SerialEngine:
    """Runs one batch after the other in this process."""

    workers: int = 1

    def run(self, work: Work, batches: Iterable[list[int]]) -> Results:
        """Yield the result of each batch, in order; no row can be lost."""
        yield from map(work, batches)


@register("serial")
def _make(address: str, workers: int | None, row_timeout: float | None) -> SerialEngine:
    return SerialEngine()
