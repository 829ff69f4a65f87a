"""Progress of long work: a bar in a terminal or a notebook, and lines or nothing elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from netchoice.markup import element, in_notebook
from netchoice.units import duration

SECONDS_BETWEEN_LINES = 10
SECONDS_BETWEEN_UPDATES = 0.25

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


@contextmanager
def progress(what: str, unit: str = "rows") -> Iterator[Callable[..., None]]:
    """Show a bar in a terminal or a notebook, and a line every ten seconds elsewhere."""
    if in_notebook():
        yield _NotebookBar(what, unit)
        return
    if not sys.stderr.isatty():
        yield _Lines(what, unit)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress

    counts = _Counts(what, unit)
    with Progress(BarColumn(), "{task.description}", console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=None)

        def update(done: int, total: int, failed: int = 0) -> None:
            text = counts.text(done, total, failed)
            bar.update(task, description=text, completed=done, total=total)

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


def shows_progress(
    title: str = "{}", units: Mapping[str, str] | None = None, *, one_stage: bool = False
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Show the progress of a function with a parameter ``on_progress``; a decorator.

    None shows a bar in a terminal or a notebook and is silent elsewhere. True also prints lines
    elsewhere, False is silent, and a callable is called. The function receives a callable or None.
    ``title`` is that of the stages, or of the function if it has one stage.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def run(*args: P.args, **kwargs: P.kwargs) -> R:
            wanted = kwargs.get("on_progress")
            if wanted is None:
                wanted = in_notebook() or sys.stderr.isatty()
            if wanted is not True:
                kwargs["on_progress"] = wanted or None
                return function(*args, **kwargs)
            with progress(title) if one_stage else stages(title, units) as shown:
                kwargs["on_progress"] = shown
                return function(*args, **kwargs)

        return run

    return decorate


def listener(on_progress: T | bool | None) -> T | None:
    """Return what to call, inside a function that ``shows_progress`` decorates."""
    return None if isinstance(on_progress, bool) else on_progress


class _Counts:
    """The speed since the first report, and the time that is left."""

    def __init__(self, what: str, unit: str) -> None:
        self.what, self.unit = what, unit
        self.started = self.shown = time.monotonic()
        self.first, self.last = -1, 0

    def text(self, done: int, total: int, failed: int) -> str:
        """Return the numbers in a line."""
        self.shown = time.monotonic()
        if done < self.last:  # another table of the same stage
            self.started, self.first = self.shown, done
        self.first, self.last = done if self.first < 0 else self.first, done
        rate = (done - self.first) / max(self.shown - self.started, 1e-9)
        line = f"{self.what}: {done}/{total} {self.unit}"
        if rate > 0:  # after the second report
            line += f", {rate:.1f} {self.unit}/s"
            line += f", {duration((total - done) / rate)} left" if done < total else ""
        return f"{line}, {failed} failed" if failed else line


class _Lines(_Counts):
    """Prints a line now and then."""

    def __call__(self, done: int, total: int, failed: int = 0) -> None:
        if time.monotonic() - self.shown >= SECONDS_BETWEEN_LINES or done >= total:
            sys.stderr.write(f"{self.text(done, total, failed)}\n")


class _NotebookBar(_Counts):
    """Shows a bar below the cell of a notebook; it needs no widgets."""

    handle: Any = None

    def __call__(self, done: int, total: int, failed: int = 0) -> None:
        recent = time.monotonic() - self.shown < SECONDS_BETWEEN_UPDATES
        if self.handle is not None and recent and done < total:
            return
        from IPython.display import display

        text = self.text(done, total, failed)
        html = element("div", element("progress", value=done, max=total), " ", text)
        shown = {"text/html": str(html), "text/plain": text}
        if self.handle is None:
            self.handle = display(shown, raw=True, display_id=True)
        else:
            self.handle.update(shown, raw=True)
