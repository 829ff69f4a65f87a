"""What a folder of ``netchoice choose`` or ``netchoice evaluate`` holds."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netchoice.costs import CostModel
from netchoice.errors import NetchoiceError, UsageError
from netchoice.report.prices import Unit
from netchoice.table import ReferenceTable
from netchoice.units import in_seconds

if TYPE_CHECKING:
    import pandas as pd

CHOICE, EVALUATION = "choice.json", "recommended.json"
_NUMBERS = (
    "penalty", "k", "position", "accuracy", "price_alone", "price_shared", "n_noise", "n_choosing",
    "n_reporting",
)  # fmt: skip


@dataclass(frozen=True)
class Held:
    """A run, as far as a report shows it.

    Attributes
    ----------
    record : dict
        ``choice.json`` or ``recommended.json``.
    evidence : dict
        Points and draws behind an answer; empty for an evaluation.
    reading : dict or None
        What was found in the network file, if the network came from one.
    table : ReferenceTable or None
        The simulations that an answer rests on.
    rankings, evaluation : DataFrame or None
        None where features were named, not selected.
    """

    path: Path
    record: dict[str, Any]
    prices: CostModel
    evidence: dict[str, Any]
    reading: dict[str, Any] | None
    table: ReferenceTable | None
    rankings: pd.DataFrame | None
    evaluation: pd.DataFrame | None

    @property
    def is_choice(self) -> bool:
        """Whether it answers for a network, or evaluates tables only."""
        return self.table is not None

    @property
    def unit(self) -> Unit:
        """What prices are counted in."""
        return Unit(self.is_choice or in_seconds(str(self.record.get("costs", "measured"))))

    @property
    def chosen(self) -> dict[str, Any] | None:
        """Method, penalty and k of the set that was chosen; None if nothing was."""
        point: dict[str, Any] | None
        if self.is_choice:
            point = self.record["selection"].get("operating_point")
        else:
            point = self.record["recommended"]
        return point


def read_folder(path: Path) -> Held:
    """Read it, or say what is missing."""
    if not path.is_dir():
        raise UsageError(
            f"{path} is no folder; expected one that netchoice choose or evaluate made"
        )
    is_choice = (path / CHOICE).exists()
    if not is_choice and not (path / EVALUATION).exists():
        raise UsageError(
            f"{path} holds neither {CHOICE} nor {EVALUATION}; expected a folder that netchoice choose "
            "or evaluate made, run to its end"
        )
    rankings = _frame(path / "rankings.csv")
    return Held(
        path=path,
        record=_json(path / (CHOICE if is_choice else EVALUATION)),
        prices=CostModel(**_json(path / "prices.json")),
        evidence=_json(path / "evidence.json") if is_choice else {},
        reading=_json(path / "reading.json") if (path / "reading.json").exists() else None,
        table=ReferenceTable.load(path / "tables" / "inference") if is_choice else None,
        rankings=rankings,
        evaluation=None if rankings is None else _frame(path / "evaluation.csv"),
    )


def _json(path: Path) -> dict[str, Any]:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise NetchoiceError(
            f"{path} is missing; the command that made the folder, once more, writes it (and goes on "
            "with the simulations that are there)"
        ) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no JSON"
        raise NetchoiceError(f"{path} cannot be read: {reason}; make it anew") from error
    if not isinstance(record, dict):
        raise NetchoiceError(f"{path} holds a {type(record).__name__}; expected an object")
    return record


def _frame(path: Path) -> pd.DataFrame | None:
    """A table of names and numbers; names stay what they are, also NA and 007."""
    import pandas as pd

    if not path.exists():
        return None
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
        for name in _NUMBERS:
            if name in frame:
                frame[name] = frame[name].map(float)
    except (OSError, ValueError) as error:
        raise NetchoiceError(f"{path} cannot be read as a table: {error}; make it anew") from error
    return frame
