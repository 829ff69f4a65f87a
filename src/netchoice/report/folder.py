"""Reading the folder that ``netchoice evaluate`` wrote, and the records of evaluations and cohorts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd

from netchoice.costs import CostModel
from netchoice.errors import NetchoiceError
from netchoice.report.evaluation_page import EvaluationResult
from netchoice.storage.run_folder import read_listed

EVALUATION, COHORT = "recommended.json", "summary.json"
_NUMERIC_COLUMNS = (
    "penalty", "k", "position", "accuracy", "accuracy_se", "cost_alone", "cost_shared", "n_noise",
    "n_rows",
)  # fmt: skip
#: Keys that the records must have, with their types, so that an error can name what is missing.
_REQUIRED: dict[str, dict[str, type]] = {
    EVALUATION: {"recommended": dict, "settings": dict},
    COHORT: {"headline": str, "notes": list, "verdicts": dict, "named": dict, "next": str},
}
_READING_ERRORS = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
_AGAIN = "run netchoice evaluate again with the same folder to"


def read_evaluation(folder: Path) -> EvaluationResult:
    """Return the evaluation in a folder, after a check that nothing was changed."""
    record = read_record(folder, EVALUATION)
    with naming_damage(folder / "costs.json"):
        costs = CostModel(**_object(folder / "costs.json", _content(folder / "costs.json")))
    rankings, evaluation = (
        _read_frame(folder / f"{name}.csv") for name in ("rankings", "evaluation")
    )
    return EvaluationResult(record, rankings, evaluation, costs)


def read_record(folder: Path, name: str) -> dict[str, Any]:
    """Return what the JSON file of an evaluation or a cohort holds, after a check."""
    path = folder / name
    # A cohort keeps no checksums.
    record = _object(path, path.read_text("utf-8") if name == COHORT else _content(path))
    with naming_damage(path):
        for key, kind in _REQUIRED[name].items():
            if not isinstance(record[key], kind):
                found = type(record[key]).__name__
                raise TypeError(f"{key!r} is a {found}, expected a {kind.__name__}")
    return record


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
            f"{_AGAIN} renew it"
        ) from error


def _content(path: Path) -> str:
    """Return the text of a file after a check of its checksum."""
    if not path.exists():
        raise NetchoiceError(f"{path} is missing; {_AGAIN} write it")
    return read_listed(path.parent, path.name, f"{_AGAIN} renew it").decode("utf-8")


def _object(path: Path, text: str) -> dict[str, Any]:
    with naming_damage(path):
        record = json.loads(text)
        if not isinstance(record, dict):
            raise TypeError(f"a {type(record).__name__}, expected an object")
    return record


def _read_frame(path: Path) -> pd.DataFrame:
    """Read a CSV file; names stay strings, also "NA" and "007", without the mark of a formula."""
    with naming_damage(path):
        frame = pd.read_csv(StringIO(_content(path)), dtype=str, keep_default_na=False)
        for name in frame.columns.intersection(_NUMERIC_COLUMNS):
            frame[name] = frame[name].map(float)
        for name in frame.columns.difference(_NUMERIC_COLUMNS):
            frame[name] = frame[name].str.removeprefix("'")
        if frame.empty:
            raise ValueError("a header and no rows")
    return frame
