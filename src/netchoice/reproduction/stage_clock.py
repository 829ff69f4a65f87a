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


@dataclass
class StageClock:
    """Adds up the seconds of stages in a file; a stage inside another one is counted apart from it.

    >>> import tempfile
    >>> clock = StageClock(Path(tempfile.mkdtemp()) / "seconds.json", {"seed": 1})
    >>> with clock.stage("figures"), clock.stage("ranking"):
    ...     pass
    >>> [row["stage"] for row in clock.stages()]
    ['figures', 'ranking']
    """

    path: Path
    facts: Mapping[str, Any]
    _running: str | None = field(default=None, init=False)
    _since: tuple[float, float] = field(default=(0.0, 0.0), init=False)

    def stages(self) -> list[dict[str, Any]]:
        """Return name, CPU seconds and wall seconds of each stage."""
        return list(kept_record(self.path, self.facts, lambda: {"stages": []})["stages"])

    @contextlib.contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure a stage, also if it is interrupted."""
        outer = self._switch_to(name)
        try:
            yield
        finally:
            self._switch_to(outer)

    def _switch_to(self, name: str | None) -> str | None:
        """Add the seconds since the last change to the stage that ends; return its name."""
        now = sum(os.times()[:4]), time.monotonic()  # CPU time with that of ended children
        ended, since = self._running, self._since
        self._running, self._since = name, now
        if ended is not None:
            rows = {row["stage"]: row for row in self.stages()}
            row = rows.setdefault(ended, {"stage": ended, "cpu": 0.0, "wall": 0.0})
            row["cpu"] += now[0] - since[0]
            row["wall"] += now[1] - since[1]
            write_json(self.path, {"stages": list(rows.values())}, self.facts)
        return ended
