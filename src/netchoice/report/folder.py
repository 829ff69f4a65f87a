"""Reading the folder that ``netchoice choose`` or ``netchoice evaluate`` wrote."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import Parameter, signature
from io import StringIO
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd

from netchoice.costs import CostModel
from netchoice.errors import NetchoiceError, UsageError
from netchoice.graph import Graph
from netchoice.io import ReadingReport, read_network
from netchoice.report.feature_sections import FeatureSets
from netchoice.storage.table import ReferenceTable
from netchoice.storage.written_folder import listed_files, read_listed
from netchoice.units import in_seconds
from netchoice.workflows.choice_folder import INFERENCE_MANIFEST

CHOICE, EVALUATION, COHORT = "choice.json", "recommended.json", "summary.json"
_NUMERIC_COLUMNS = (
    "penalty", "k", "position", "accuracy", "accuracy_se", "cost_alone", "cost_shared", "n_noise",
    "n_choosing", "n_reporting",
)  # fmt: skip
#: Keys that the records must have, with their types, so that an error can name what is missing.
_REQUIRED: dict[str, dict[str, type]] = {
    CHOICE: {
        "verdict": str, "headline": str, "model": str, "probabilities": dict, "intervals": dict,
        "families": dict,
        "fit_p_values": dict, "fit": dict, "features": dict, "parameters": dict, "confusion": dict,
        "scores": dict, "selection": dict, "cost": dict, "network": dict, "notes": list,
        "settings": dict,
    },
    EVALUATION: {"recommended": dict, "settings": dict},
    COHORT: {"headline": str, "notes": list},
}  # fmt: skip
_TYPE_NAMES = {dict: "an object", list: "a list", str: "a text", type(None): "null"}
T = TypeVar("T")
_READING_ERRORS = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)


@dataclass(frozen=True)
class ResultFolder:
    """Contents of a result folder, as far as the report shows them.

    ``evidence``, ``reading`` (of the network file, if there is one), ``network`` and ``table`` (the
    simulations from which a model was inferred) belong to a choice; ``rankings`` and ``evaluation`` are
    None if its features were given, not selected.
    """

    record: dict[str, Any]
    costs: CostModel
    evidence: dict[str, Any]
    reading: ReadingReport | None
    network: Graph | None
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
        record = self.record
        chosen = (
            record["selection"].get("operating_point") if self.is_choice else record["recommended"]
        )
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
    known = listed_files(path, f"{_again(path)} renew it")
    network = path / "network.tsv"
    if network.name in known:
        _content(network)
    rankings = _read_frame(path / "rankings.csv") if "rankings.csv" in known else None
    return ResultFolder(
        record=read_record(path, CHOICE if is_choice else EVALUATION),
        costs=_read_as(CostModel, path / "costs.json"),
        evidence=_read_json(path / "evidence.json") if is_choice else {},
        reading=_read_as(ReadingReport, path / "reading.json") if "reading.json" in known else None,
        network=read_network(network)[0] if network.name in known else None,
        table=_read_table(path) if is_choice else None,
        rankings=rankings,
        evaluation=None if rankings is None else _read_frame(path / "evaluation.csv"),
    )


def _read_table(folder: Path) -> ReferenceTable:
    """Return the simulations of an answer, if they are those of the answer and all of them are there."""
    path = folder / "tables" / "inference"
    if (folder / INFERENCE_MANIFEST).exists():
        read_listed(folder, INFERENCE_MANIFEST, f"{_again(folder)} renew it")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the error below says the same
        table = ReferenceTable.load(path)
    found, expected = len(table.frame), table.manifest["n_samples"]
    if found < expected:
        raise NetchoiceError(f"{path} has {found} of {expected} rows; {_again(folder)} renew it")
    return table


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
            f"{_again(path)} renew it"
        ) from error


def _again(path: Path) -> str:
    """Return what to do about a damaged folder or a file in it."""
    folder = path if path.is_dir() else path.parent
    command = "evaluate" if (folder / EVALUATION).exists() else "choose"
    return f"run netchoice {command} again with the same folder to"


def read_record(folder: Path, name: str) -> dict[str, Any]:
    """Return what the JSON file of an answer, an evaluation or a cohort holds, after a check."""
    record = _read_json(folder / name, checked=name != COHORT)  # a cohort keeps no checksums
    with naming_damage(folder / name):
        for key, kind in _REQUIRED[name].items():
            if not isinstance(record[key], kind):
                found = _TYPE_NAMES.get(type(record[key]), repr(record[key]))
                raise TypeError(f"{key!r} is {found}, expected {_TYPE_NAMES[kind]}")
    return record


def _read_as(kind: Callable[..., T], path: Path) -> T:
    """Return what ``kind`` makes of the arguments in a JSON file."""
    record, known = _read_json(path), signature(kind).parameters
    with naming_damage(path):
        for name in sorted(known):
            if name not in record and known[name].default is Parameter.empty:
                raise KeyError(name)
        for name in sorted(set(record) - set(known)):
            raise ValueError(f"{name!r} is not one of {', '.join(sorted(known))}")
        return kind(**record)


def _content(path: Path) -> str:
    """Return the text of a file after a check of its checksum."""
    if not path.exists():
        raise NetchoiceError(
            f"{path} is missing; {_again(path)} write it (the simulations are not repeated)"
        )
    return read_listed(path.parent, path.name, f"{_again(path)} renew it").decode("utf-8")


def _read_json(path: Path, *, checked: bool = True) -> dict[str, Any]:
    try:
        record = json.loads(_content(path) if checked else path.read_bytes())
    except ValueError as error:
        if isinstance(error, NetchoiceError):
            raise
        raise NetchoiceError(f"{path} is not JSON; {_again(path)} renew it") from error
    if not isinstance(record, dict):
        raise NetchoiceError(f"{path} contains a {type(record).__name__}; expected an object")
    return record


def _read_frame(path: Path) -> pd.DataFrame:
    """Read a CSV file; names stay strings, also "NA" and "007"."""
    renew = f"{_again(path)} renew it"
    try:
        frame = pd.read_csv(StringIO(_content(path)), dtype=str, keep_default_na=False)
        for name in frame.columns.intersection(_NUMERIC_COLUMNS):
            frame[name] = frame[name].map(float)
    except NetchoiceError:
        raise
    except ValueError as error:
        raise NetchoiceError(f"{path} cannot be read as a table: {error}; {renew}") from error
    if frame.empty:
        raise NetchoiceError(f"{path} has a header and no rows; {renew}")
    return frame
