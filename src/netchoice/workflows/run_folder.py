"""The folder of one run of ``choose_model``."""

from __future__ import annotations

import json
import platform
import shutil
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from netchoice.errors import NetchoiceError, UsageError

RUN = "run.json"
PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "numba", "networkx")


def open_run_folder(folder: Path, settings: Mapping[str, Any], fresh: bool) -> None:
    """Create the folder, or check that it holds a run with the same settings.

    Parameters
    ----------
    folder : Path
    settings : mapping
        What the run depends on; kept in ``run.json``.
    fresh : bool
        Delete what an earlier run left there.
    """
    run = folder / RUN
    settings = json.loads(json.dumps(settings, default=str))
    try:
        if fresh and run.exists():
            shutil.rmtree(folder)
        if run.exists():
            _check_same(json.loads(run.read_text())["settings"], settings, folder)
            return
        if folder.exists() and any(folder.iterdir()):
            raise UsageError(
                f"{folder} is not empty and holds no run of netchoice choose; give another folder"
            )
        folder.mkdir(parents=True, exist_ok=True)
        record = {"settings": settings, **versions()}
        run.write_text(json.dumps(record, indent=2, ensure_ascii=False))
    except OSError as error:
        raise NetchoiceError(f"cannot write to {folder}: {error.strerror}") from error


def versions() -> dict[str, Any]:
    """Return the versions of Python and of the packages that results depend on."""
    return {
        "versions": {name: version(name) for name in ("netchoice", *PACKAGES)},
        "python": platform.python_version(),
    }


def _check_same(earlier: Mapping[str, Any], settings: Mapping[str, Any], folder: Path) -> None:
    for name, value in settings.items():
        if earlier.get(name) != value:
            raise UsageError(
                f"{folder} holds a run with another {name}; give another folder, or start over with "
                "--fresh (in Python fresh=True)"
            )
