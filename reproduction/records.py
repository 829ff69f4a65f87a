"""What a run keeps in its folder: intermediate results, the seconds of its stages, and its code."""

from __future__ import annotations

import contextlib
import os
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import netchoice
from netchoice.storage.kept_files import (
    KeptFileError,
    UnreadableFileError,
    fingerprint_of,
    read_json,
    read_parquet,
    write_json,
    write_parquet,
)
from netchoice.storage.run_folder import disk_errors, versions

if TYPE_CHECKING:
    import pandas as pd

_AGAIN = "it is computed again"


def kept_frame(
    path: Path, facts: Mapping[str, Any], compute: Callable[[], pd.DataFrame]
) -> pd.DataFrame:
    """Return the frame kept in a Parquet file; compute and keep it if there is none.

    A damaged file, or one of another run, is computed again, with a warning. Tuples of
    names in the column ``features`` are kept as text with spaces.
    """
    import pyarrow as pa

    run = fingerprint_of(facts)
    found = _kept(path, lambda: read_parquet(path, run, advice=_AGAIN))
    if found is not None:
        frame: pd.DataFrame = found.to_pandas()
        if "features" in frame:
            frame["features"] = [tuple(names.split()) for names in frame["features"]]
        return frame
    frame = compute()
    plain = frame
    if "features" in frame:
        plain = frame.assign(features=[" ".join(names) for names in frame["features"]])
    table = pa.Table.from_pandas(plain, preserve_index=False)
    with disk_errors(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_parquet(path, [table], table.schema, run)
    return frame


def kept_record(
    path: Path, facts: Mapping[str, Any], compute: Callable[[], dict[str, Any]]
) -> dict[str, Any]:
    """Return the object kept in a JSON file; compute and keep it if there is none, as for a frame."""
    run = fingerprint_of(facts)
    found = _kept(path, lambda: read_json(path, run, advice=_AGAIN))
    if found is not None:
        return dict(found)
    with disk_errors(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, compute(), run)
    return read_json(path, run, advice=_AGAIN)


def _kept(path: Path, read: Callable[[], Any]) -> Any:
    """Return what a file holds, or None if it is missing, damaged, or of another run."""
    if not path.exists():
        return None
    try:
        return read()
    except UnreadableFileError:
        raise
    except KeptFileError as error:
        warnings.warn(str(error), stacklevel=4)
        return None


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
            write_json(self.path, {"stages": list(rows.values())}, fingerprint_of(self.facts))
        return ended


#: Files that only show or judge results. Any other file may change them.
_WITHOUT_EFFECT = {
    Path(netchoice.__file__).parent: ("cli/*", "figures/*", "report/*"),
    Path(__file__).parent: (
        "__main__*",
        "claims_*",
        "figures*",
        "pilot_*",
        "cost_extrapolation*",
        "tables*",
        "verdict*",
        "yeast_*",
    ),
}


@cache
def code_version() -> str:
    """Return a short digest of the source files that results depend on."""
    parts = []
    for root, patterns in _WITHOUT_EFFECT.items():
        shown = {path for pattern in patterns for path in root.glob(pattern)}
        for path in sorted(root.rglob("*.py")):
            if shown.isdisjoint((path, *path.parents)):
                name = path.relative_to(root.parent).as_posix()
                parts.append((name, path.read_text("utf-8")))
    return fingerprint_of(parts)[:12]


def code_facts() -> dict[str, Any]:
    """Return the version of the code, and those of Python and of the packages that it uses."""
    return {"code": code_version(), **versions()}
