"""CPU and wall seconds of the stages of a run, kept over interruptions."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from netchoice.storage.kept_files import write_json
from netchoice.storage.kept_results import kept_record


def _cpu_seconds() -> float:
    """Return the CPU seconds of this process and of its ended children."""
    return sum(os.times()[:4])


@dataclass
class StageClock:
    """Adds up the seconds of stages in a file; a stage inside another one counts as the outer one.

    >>> import tempfile
    >>> clock = StageClock(Path(tempfile.mkdtemp()) / "seconds.json", {"seed": 1})
    >>> with clock.stage("simulation"), clock.stage("ranking"):
    ...     pass
    >>> [row["stage"] for row in clock.stages()]
    ['simulation']
    """

    path: Path
    facts: Mapping[str, Any]
    _running: bool = field(default=False, init=False)

    def stages(self) -> list[dict[str, Any]]:
        """Return name, CPU seconds and wall seconds of each stage."""
        return list(kept_record(self.path, self.facts, lambda: {"stages": []})["stages"])

    @contextlib.contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure a stage, also if it is interrupted."""
        if self._running:
            yield
            return
        self._running = True
        started = _cpu_seconds(), time.monotonic()
        try:
            yield
        finally:
            self._running = False
            self._add(name, _cpu_seconds() - started[0], time.monotonic() - started[1])

    def _add(self, name: str, cpu: float, wall: float) -> None:
        rows = {row["stage"]: row for row in self.stages()}
        row = rows.setdefault(name, {"stage": name, "cpu": 0.0, "wall": 0.0})
        row |= {"cpu": row["cpu"] + cpu, "wall": row["wall"] + wall}
        write_json(self.path, {"stages": list(rows.values())}, self.facts)
