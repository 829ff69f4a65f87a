"""Progress of long work, on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import typer

from netchoice.units import duration

SECONDS_BETWEEN_LINES = 10


@contextmanager
def progress(what: str, unit: str = "rows") -> Iterator[Callable[..., None]]:
    """Show a bar on a terminal, and a line every ten seconds elsewhere."""
    if not sys.stderr.isatty():
        yield _Lines(what, unit)
        return
    from rich import progress as rich_progress
    from rich.console import Console

    columns = (
        "{task.description}", rich_progress.BarColumn(), rich_progress.MofNCompleteColumn(),
        "{task.fields[rate]}", rich_progress.TimeRemainingColumn(), "{task.fields[failed]}",
    )  # fmt: skip
    with rich_progress.Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=None, rate="", failed="")

        def update(done: int, total: int, failed: int = 0) -> None:
            speed = bar.tasks[0].speed
            rate = f"{speed:.3g} {unit}/s" if speed else ""
            failures = f"{failed} failed" if failed else ""
            bar.update(task, completed=done, total=total, rate=rate, failed=failures)

        yield update


@contextmanager
def stages(
    title: str = "{}", units: Mapping[str, str] | None = None
) -> Iterator[Callable[[str, int, int, int], None]]:
    """Show one stage after the other: its ``title``, and its unit (rows by default)."""
    with ExitStack() as stack:
        current: list[Any] = [None, None]

        def update(stage: str, done: int, total: int, failed: int = 0) -> None:
            if stage != current[0]:
                stack.close()
                bar = progress(title.format(stage), (units or {}).get(stage, "rows"))
                current[:] = [stage, stack.enter_context(bar)]
            current[1](done, total, failed)

        yield update


class _Lines:
    """Prints a line now and then."""

    def __init__(self, what: str, unit: str) -> None:
        self.what, self.unit = what, unit
        self.started = self.printed = time.monotonic()
        self.first: int | None = None

    def __call__(self, done: int, total: int, failed: int = 0) -> None:
        now = time.monotonic()
        self.first = done if self.first is None else self.first
        if now - self.printed < SECONDS_BETWEEN_LINES and done < total:
            return
        self.printed = now
        rate = (done - self.first) / max(now - self.started, 1e-9)
        left = duration((total - done) / rate) if rate > 0 else "unknown"
        line = f"{self.what}: {done}/{total} {self.unit}, {rate:.1f} {self.unit}/s, {left} left"
        typer.echo(f"{line}, {failed} failed" if failed else line, err=True)
