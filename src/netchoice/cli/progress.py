"""How long work shows that it goes on."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import typer

from netchoice.units import duration


@contextmanager
def progress(what: str, unit: str = "rows") -> Iterator[Callable[..., None]]:
    """A bar on a terminal, a line now and then elsewhere; both on standard error."""
    if not sys.stderr.isatty():
        yield _Lines(what, unit)
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[failed]}"),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=None, rate="", failed="")

        def update(done: int, total: int, failed: int = 0) -> None:
            speed = bar.tasks[0].speed
            rate = f"{speed:.3g} {unit}/s" if speed else ""
            told = f"{failed} failed" if failed else ""
            bar.update(task, completed=done, total=total, rate=rate, failed=told)

        yield update


@contextmanager
def stages() -> Iterator[Callable[[str, int, int], None]]:
    """One bar, or lines, for each stage in turn."""
    with ExitStack() as stack:
        current: list[Any] = ["", None]

        def update(stage: str, done: int, total: int) -> None:
            if stage != current[0]:
                stack.close()
                unit = (
                    "tables" if "ranking" in stage else "rankings" if "testing" in stage else "rows"
                )
                current[:] = [stage, stack.enter_context(progress(stage, unit))]
            current[1](done, total)

        yield update


class _Lines:
    def __init__(self, what: str, unit: str) -> None:
        self.what, self.unit = what, unit
        self.begun = self.told = time.monotonic()
        self.first: int | None = None

    def __call__(self, done: int, total: int, failed: int | None = None) -> None:
        now = time.monotonic()
        self.first = done if self.first is None else self.first
        if now - self.told < 10 and done < total:
            return
        self.told = now
        rate = (done - self.first) / max(now - self.begun, 1e-9)
        left = duration((total - done) / rate) if rate > 0 else "unknown"
        line = f"{self.what}: {done}/{total} {self.unit}, {rate:.1f} {self.unit}/s, {left} left"
        typer.echo(line if failed is None else f"{line}, {failed} failed", err=True)
