"""The simulations of one run, and the folder that keeps them."""

from __future__ import annotations

import json
import platform
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from netchoice.errors import NetchoiceError, UsageError
from netchoice.features.registry import Feature
from netchoice.models.space import ModelSpace
from netchoice.simulate import simulate_table
from netchoice.storage.table import ReferenceTable

#: Called with the name of a stage, rows done, rows wanted, and rows failed.
Progress = Callable[[str, int, int, int], None]
RUN = "run.json"
PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "numba", "networkx")


@dataclass
class Simulator:
    """Makes tables of one space, with one seed, in one folder if there is any."""

    space: ModelSpace
    isolated: str
    seed: int
    workers: int | None
    engine: str | Executor
    folder: Path | None
    on_progress: Progress | None
    #: Users' features by name, as they were given: a Feature, or module:attribute.
    own_features: dict[str, str | Feature] = field(default_factory=dict)

    def as_given(self, names: Sequence[str]) -> list[str | Feature]:
        """Features in a form that any process can find."""
        return [self.own_features.get(name, name) for name in names]

    def __call__(
        self, name: str, n_nodes: int, n_samples: int, features: Sequence[str]
    ) -> ReferenceTable:
        """A table; taken up where it is, if the folder has part of it."""
        told = self.on_progress
        return simulate_table(
            self.space,
            n_nodes=n_nodes,
            n_samples=n_samples,
            seed=self.seed,
            features=self.as_given(features),
            engine=self.engine,
            workers=self.workers,
            path=None if self.folder is None else self.folder / "tables" / name,
            stream=f"choose {name}",
            isolated=self.isolated,
            on_progress=None if told is None else lambda *rows: told(name, *rows),
        )

    def open_folder(self, settings: dict[str, Any], fresh: bool) -> None:
        """Make the folder, or see that it holds the same run."""
        if self.folder is None:
            return
        run = self.folder / RUN
        try:
            if fresh and run.exists():
                shutil.rmtree(self.folder)
            if run.exists():
                _check_same(json.loads(run.read_text())["settings"], settings, self.folder)
                return
            if self.folder.exists() and any(self.folder.iterdir()):
                raise UsageError(
                    f"{self.folder} is not empty and holds no run of netchoice choose; "
                    "give another folder"
                )
            self.folder.mkdir(parents=True, exist_ok=True)
            record = {"settings": _plain(settings), **versions()}
            run.write_text(json.dumps(record, indent=2, ensure_ascii=False))
        except OSError as error:
            raise NetchoiceError(f"cannot write to {self.folder}: {error.strerror}") from error


def versions() -> dict[str, Any]:
    """What else a reader needs to repeat a run."""
    return {
        "versions": {name: version(name) for name in ("netchoice", *PACKAGES)},
        "python": platform.python_version(),
    }


def _plain(settings: dict[str, Any]) -> dict[str, Any]:
    return dict(json.loads(json.dumps(settings, default=str)))


def _check_same(begun: dict[str, Any], settings: dict[str, Any], folder: Path) -> None:
    for name, value in _plain(settings).items():
        if begun.get(name) != value:
            raise UsageError(
                f"{folder} holds a run with another {name}; give another folder, or --fresh (in "
                "Python fresh=True) to start over"
            )
