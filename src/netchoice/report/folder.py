"""What a folder of ``netchoice choose`` or ``netchoice evaluate`` holds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netchoice.costs import CostModel
from netchoice.errors import NetchoiceError, UsageError
from netchoice.io import ReadingReport
from netchoice.report.costs import Unit
from netchoice.storage.table import ReferenceTable
from netchoice.units import in_seconds

if TYPE_CHECKING:
    import pandas as pd

CHOICE, EVALUATION = "choice.json", "recommended.json"
_NUMBERS = (
    "penalty", "k", "position", "accuracy", "cost_alone", "cost_shared", "n_noise", "n_choosing",
    "n_reporting",
)  # fmt: skip
#: What the records must hold, so that an error names it and not a line of the program.
_EXPECTED: dict[str, dict[str, type]] = {
    CHOICE: {
        "model": str, "probabilities": dict, "intervals": dict, "fit_p_values": dict, "fit": dict,
        "features": dict, "parameters": dict, "confusion": dict, "scores": dict, "selection": dict,
        "cost": dict, "network": dict, "notes": list, "settings": dict,
    },
    EVALUATION: {"recommended": dict, "settings": dict},
}  # fmt: skip
_KINDS = {dict: "an object", list: "a list", str: "a text", type(None): "null"}
_WRONG = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)


@dataclass(frozen=True)
class Held:
    """A run, as far as a report shows it.

    Attributes
    ----------
    record : dict
        ``choice.json`` or ``recommended.json``.
    evidence : dict
        Points and draws behind an answer; empty for an evaluation.
    reading : ReadingReport or None
        What was found in the network file, if the network came from one.
    table : ReferenceTable or None
        The simulations that an answer rests on.
    rankings, evaluation : DataFrame or None
        None where features were named, not selected.
    """

    path: Path
    record: dict[str, Any]
    costs: CostModel
    evidence: dict[str, Any]
    reading: ReadingReport | None
    table: ReferenceTable | None
    rankings: pd.DataFrame | None
    evaluation: pd.DataFrame | None

    @property
    def is_choice(self) -> bool:
        """Whether it answers for a network, or evaluates tables only."""
        return self.table is not None

    @property
    def unit(self) -> Unit:
        """What costs are counted in."""
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
        record=_record(path, CHOICE if is_choice else EVALUATION),
        costs=_costs(path / "costs.json"),
        evidence=_json(path / "evidence.json") if is_choice else {},
        reading=_reading(path / "reading.json") if (path / "reading.json").exists() else None,
        table=ReferenceTable.load(path / "tables" / "inference") if is_choice else None,
        rankings=rankings,
        evaluation=None if rankings is None else _frame(path / "evaluation.csv"),
    )


@contextmanager
def told_where(path: Path) -> Iterator[None]:
    """Whatever is wrong with a file or a folder, said with its name and with what to do."""
    try:
        yield
    except NetchoiceError:
        raise
    except _WRONG as error:
        what = "lacks" if isinstance(error, KeyError) else "holds what netchoice does not write:"
        raise NetchoiceError(
            f"{path} {what} {error}, so it was left by another version of netchoice, or changed since; "
            f"run netchoice {_maker(path)} again with the same folder, which renews it"
        ) from error


def _maker(path: Path) -> str:
    """The command that made a folder or a file in it."""
    folder = path if path.is_dir() else path.parent
    return "choose" if (folder / CHOICE).exists() else "evaluate"


def _record(folder: Path, name: str) -> dict[str, Any]:
    record = _json(folder / name)
    with told_where(folder / name):
        for key, kind in _EXPECTED[name].items():
            if not isinstance(record[key], kind):
                found = _KINDS.get(type(record[key]), repr(record[key]))
                raise TypeError(f"{key!r} is {found}, expected {_KINDS[kind]}")
    return record


def _costs(path: Path) -> CostModel:
    record = _json(path)
    with told_where(path):
        _check_keys(record, required={"own"}, known={"own", "uses", "steps"})
        return CostModel(**record)


def _reading(path: Path) -> ReadingReport:
    record, names = _json(path), {field.name for field in fields(ReadingReport)}
    with told_where(path):
        _check_keys(record, required=names, known=names)
        return ReadingReport(**record)


def _check_keys(record: Mapping[str, Any], required: set[str], known: set[str]) -> None:
    for name in sorted(required - set(record)):
        raise KeyError(name)
    for name in sorted(set(record) - known):
        raise ValueError(f"{name!r} is none of {', '.join(sorted(known))}")


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
        raise NetchoiceError(f"{path} cannot be read: {reason}; make it again") from error
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
        raise NetchoiceError(f"{path} cannot be read as a table: {error}; make it again") from error
    if frame.empty:
        raise NetchoiceError(
            f"{path} has a header and no rows; run netchoice {_maker(path)} again with the same folder, "
            "which renews it"
        )
    return frame
