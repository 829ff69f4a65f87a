"""The folder of one run of ``choose_model``."""

from __future__ import annotations

import contextlib
import json
import platform
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from netchoice.atomic import write_text
from netchoice.errors import NetchoiceError, UsageError
from netchoice.workflows.feature_selection import SECOND_SCORES

RUN = "run.json"
ROWS = "rows.json"
PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "numba", "networkx")
#: Patterns of all files that a run writes; nothing else is ever deleted. The run file comes last.
WRITTEN = (
    "choice.json", "evidence.json", "network.tsv", "nodes.json", "confusion.csv", "posterior.csv",
    "costs.json", "parameter-evaluation.csv", "parameter-scores.jsonl",
    "rankings.csv", "evaluation.csv", "reading.json", "scores.jsonl", SECOND_SCORES, "report.html",
    ROWS, "prepared.json", "figures/fit-*.png",
    "figures/probabilities.png", "figures/features.png", "figures/embedding.png",
    "figures/confusion.png", "figures/reliability.png", "figures/costs.png",
    "figures/parameters*.png", "figures/ranks*.png", "figures/accuracy-against-cost.png",
    "tables/*/_manifest.json", "tables/*/rows-*.parquet", "tables/*/_rows-*.damaged", "tables/*/_lock",
)  # fmt: skip


def open_run_folder(folder: Path, settings: Mapping[str, Any], fresh: bool) -> None:
    """Create the folder, or check that it holds a run with the same settings.

    Parameters
    ----------
    folder : Path
    settings : mapping
        What the run depends on; kept in ``run.json``.
    fresh : bool
        Delete the files of an earlier run. Other files in the folder are kept.
    """
    run = folder / RUN
    settings = json.loads(json.dumps(settings, default=str))
    try:
        earlier = _read_run(run)
        if earlier is not None and not fresh:
            _check_same(earlier, settings, folder)
            return
        if earlier is not None:
            _delete_run(folder)
        elif folder.exists() and any(folder.iterdir()):
            raise UsageError(
                f"{folder} is not empty and holds no run of netchoice choose; give another folder"
            )
        folder.mkdir(parents=True, exist_ok=True)
        record = {"settings": settings, **versions()}
        write_text(run, json.dumps(record, indent=2, ensure_ascii=False))
    except OSError as error:
        raise NetchoiceError(f"cannot write to {folder}: {error.strerror}") from error


def versions() -> dict[str, Any]:
    """Return the versions of Python and of the packages that results depend on."""
    return {
        "versions": {name: version(name) for name in ("netchoice", *PACKAGES)},
        "python": platform.python_version(),
    }


def _read_run(run: Path) -> dict[str, Any] | None:
    """Return the settings of an earlier run; None if there is none. Refuse a foreign file."""
    if not run.exists():
        return None
    try:
        record = json.loads(run.read_text(encoding="utf-8"))
        if record["versions"]["netchoice"]:
            return dict(record["settings"])
    except (ValueError, KeyError, TypeError):
        pass
    raise UsageError(
        f"{run} is damaged or was not written by netchoice choose; nothing was changed: give another "
        "folder"
    )


def _delete_run(folder: Path) -> None:
    """Delete the files that a run writes; ``run.json`` stays, so that an interruption is harmless."""
    for pattern in WRITTEN:
        for path in folder.glob(pattern):
            path.unlink()
    for empty in _folders_of_run(folder):
        with contextlib.suppress(OSError):  # it holds files of the user
            empty.rmdir()


def _folders_of_run(folder: Path) -> Iterator[Path]:
    yield from (path for path in (folder / "tables").glob("*") if path.is_dir())
    yield from (folder / "tables", folder / "figures")


def _check_same(earlier: Mapping[str, Any], settings: Mapping[str, Any], folder: Path) -> None:
    for name, value in settings.items():
        if earlier.get(name) != value:
            raise UsageError(
                f"{folder} holds a run with another {name}; give another folder, or start over with "
                "--fresh (in Python fresh=True)"
            )
