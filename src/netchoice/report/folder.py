"""Reading the folder that ``netchoice choose`` or ``netchoice evaluate`` wrote."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netchoice.costs import CostModel
from netchoice.errors import NetchoiceError, UsageError
from netchoice.figures.data.feature_sets import FeatureSets
from netchoice.io import ReadingReport
from netchoice.storage.table import ReferenceTable
from netchoice.units import in_seconds

if TYPE_CHECKING:
    import pandas as pd

CHOICE, EVALUATION = "choice.json", "recommended.json"
_NUMERIC_COLUMNS = (
    "penalty", "k", "position", "accuracy", "cost_alone", "cost_shared", "n_noise", "n_choosing",
    "n_reporting",
)  # fmt: skip
#: Keys that the records must have, with their types, so that an error can name what is missing.
_REQUIRED: dict[str, dict[str, type]] = {
    CHOICE: {
        "model": str, "probabilities": dict, "intervals": dict, "fit_p_values": dict, "fit": dict,
        "features": dict, "parameters": dict, "confusion": dict, "scores": dict, "selection": dict,
        "cost": dict, "network": dict, "notes": list, "settings": dict,
    },
    EVALUATION: {"recommended": dict, "settings": dict},
}  # fmt: skip
_TYPE_NAMES = {dict: "an object", list: "a list", str: "a text", type(None): "null"}
_READING_ERRORS = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)


@dataclass(frozen=True)
class ResultFolder:
    """Contents of a result folder, as far as the report shows them.

    Attributes
    ----------
    record : dict
        ``choice.json`` or ``recommended.json``.
    evidence : dict
        ``evidence.json``: points and draws behind a choice; empty for an evaluation.
    reading : ReadingReport or None
        What was found in the network file, if the network came from one.
    table : ReferenceTable or None
        The simulations from which a choice was inferred.
    rankings, evaluation : DataFrame or None
        None if the features were given, not selected.
    """

    record: dict[str, Any]
    costs: CostModel
    evidence: dict[str, Any]
    reading: ReadingReport | None
    table: ReferenceTable | None
    rankings: pd.DataFrame | None
    evaluation: pd.DataFrame | None

    @property
    def is_choice(self) -> bool:
        """True for a choice of a model, False for an evaluation of tables."""
        return self.table is not None

    @property
    def unit(self) -> str:
        """Unit of the costs: "s" for seconds, or "" if it is not known."""
        seconds = self.is_choice or in_seconds(str(self.record.get("costs", "measured")))
        return "s" if seconds else ""

    @property
    def feature_sets(self) -> FeatureSets | None:
        """The evaluated sets of features; None if the features were given, not selected."""
        if self.is_choice:
            chosen = self.record["selection"].get("operating_point")
        else:
            chosen = self.record["recommended"]
        if self.rankings is None or self.evaluation is None or chosen is None:
            return None
        return FeatureSets(self.rankings, self.evaluation, self.costs, chosen, self.unit)


def read_folder(path: Path) -> ResultFolder:
    """Read a result folder; raise an error that says what is missing."""
    if not path.is_dir():
        raise UsageError(
            f"{path} is not a folder; expected one that netchoice choose or evaluate wrote"
        )
    is_choice = (path / CHOICE).exists()
    if not is_choice and not (path / EVALUATION).exists():
        raise UsageError(
            f"{path} contains neither {CHOICE} nor {EVALUATION}; expected a folder that netchoice "
            "choose or evaluate wrote and finished"
        )
    rankings = _read_frame(path / "rankings.csv")
    return ResultFolder(
        record=_read_record(path, CHOICE if is_choice else EVALUATION),
        costs=_read_costs(path / "costs.json"),
        evidence=_read_json(path / "evidence.json") if is_choice else {},
        reading=_read_reading(path / "reading.json") if (path / "reading.json").exists() else None,
        table=ReferenceTable.load(path / "tables" / "inference") if is_choice else None,
        rankings=rankings,
        evaluation=None if rankings is None else _read_frame(path / "evaluation.csv"),
    )


@contextmanager
def naming_damage(path: Path) -> Iterator[None]:
    """Turn errors about unexpected contents into one that names the path and what to do."""
    try:
        yield
    except NetchoiceError:
        raise
    except _READING_ERRORS as error:
        what = "lacks" if isinstance(error, KeyError) else "has unexpected contents:"
        raise NetchoiceError(
            f"{path} {what} {error}; another version of netchoice wrote it, or it was changed; "
            f"run netchoice {_command(path)} again with the same folder to renew it"
        ) from error


def _command(path: Path) -> str:
    """Return the command that wrote a folder or a file in it."""
    folder = path if path.is_dir() else path.parent
    return "choose" if (folder / CHOICE).exists() else "evaluate"


def _read_record(folder: Path, name: str) -> dict[str, Any]:
    record = _read_json(folder / name)
    with naming_damage(folder / name):
        for key, kind in _REQUIRED[name].items():
            if not isinstance(record[key], kind):
                found = _TYPE_NAMES.get(type(record[key]), repr(record[key]))
                raise TypeError(f"{key!r} is {found}, expected {_TYPE_NAMES[kind]}")
    return record


def _read_costs(path: Path) -> CostModel:
    record = _read_json(path)
    with naming_damage(path):
        _check_keys(record, required={"own"}, known={"own", "uses", "steps"})
        return CostModel(**record)


def _read_reading(path: Path) -> ReadingReport:
    record, names = _read_json(path), {field.name for field in fields(ReadingReport)}
    with naming_damage(path):
        _check_keys(record, required=names, known=names)
        return ReadingReport(**record)


def _check_keys(record: Mapping[str, Any], required: set[str], known: set[str]) -> None:
    for name in sorted(required - set(record)):
        raise KeyError(name)
    for name in sorted(set(record) - known):
        raise ValueError(f"{name!r} is not one of {', '.join(sorted(known))}")


def _read_json(path: Path) -> dict[str, Any]:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise NetchoiceError(
            f"{path} is missing; run netchoice {_command(path)} again with the same folder to write "
            "it (the simulations are not repeated)"
        ) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not JSON"
        raise NetchoiceError(
            f"{path} cannot be read: {reason}; run netchoice {_command(path)} again with the same "
            "folder to renew it"
        ) from error
    if not isinstance(record, dict):
        raise NetchoiceError(f"{path} contains a {type(record).__name__}; expected an object")
    return record


def _read_frame(path: Path) -> pd.DataFrame | None:
    """Read a CSV file; names stay strings, also "NA" and "007"."""
    import pandas as pd

    if not path.exists():
        return None
    again = f"run netchoice {_command(path)} again with the same folder to renew it"
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
        for name in _NUMERIC_COLUMNS:
            if name in frame:
                frame[name] = frame[name].map(float)
    except (OSError, ValueError) as error:
        raise NetchoiceError(f"{path} cannot be read as a table: {error}; {again}") from error
    if frame.empty:
        raise NetchoiceError(f"{path} has a header and no rows; {again}")
    return frame
