"""What the folder of a chooser holds beside its tables; nothing in it is executed when it is read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from io import BytesIO, StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from netchoice.atomic import write_bytes, write_text
from netchoice.costs import CostModel
from netchoice.errors import NetchoiceError, UsageError
from netchoice.evaluation import OperatingPoint
from netchoice.features.registry import FEATURES
from netchoice.inference import HeldOut, ParameterQuality, PosteriorQuality
from netchoice.models.builtin import rebuilt_space
from netchoice.models.space import ModelSpace
from netchoice.storage.kept_files import (
    UnreadableFileError,
    checksum,
    read_content,
    read_json,
    write_json,
)
from netchoice.storage.table import ReferenceTable
from netchoice.workflows.feature_selection import FeatureSelection
from netchoice.workflows.local_simulations import ParameterEstimator, parameter_estimator
from netchoice.workflows.misfit import Power
from netchoice.workflows.preparation import ChoiceSettings
from netchoice.workflows.run_folder import run_fingerprint
from netchoice.workflows.table_maker import GivenFeature, TableMaker

if TYPE_CHECKING:
    from netchoice.workflows.prepared import Prepared

PREPARED = "prepared.json"
ESTIMATORS = "estimators.npz"
SCHEMA = 3
#: Frames of the selection, in CSV files of these names.
FRAMES = {
    "rankings": "rankings.csv",
    "evaluation": "evaluation.csv",
    "parameter_evaluation": "parameter-evaluation.csv",
}


def write_prepared(prepared: Prepared, folder: Path) -> None:
    """Write everything that :func:`read_prepared` needs.

    The record of the run and the tables must be in the folder already.
    """
    selection = prepared.selection
    try:
        folder.mkdir(parents=True, exist_ok=True)
        digests = {}
        for name, file in FRAMES.items():
            frame = getattr(selection, name)
            if frame is not None:
                digests[file] = _write_frame(frame, folder / file)
        estimators = _write_estimators(prepared, folder / ESTIMATORS, digests)
        record = _record(prepared) | {"files": digests, "estimators": estimators}
        write_json(folder / PREPARED, record, run_fingerprint(folder))
    except OSError as error:
        raise NetchoiceError(f"cannot write to {folder}: {error.strerror}") from error


def save_tables(prepared: Prepared, folder: Path) -> None:
    """Write the tables of a chooser that was prepared in memory or in another folder."""
    for name, table in _tables(prepared).items():
        if not (folder / "tables" / name).exists():
            table.save(folder / "tables" / name)


def _tables(prepared: Prepared) -> dict[str, ReferenceTable]:
    """Return the tables by their names."""
    tables = {"inference": prepared.table, prepared.fit_table_name: prepared.fit_table}
    selection = prepared.selection
    if selection.pilots:
        tables[f"pilot-{selection.pilots[-1]}"] = selection.simulations
    elif prepared.fit_table_name == "selection":
        tables["selection"] = selection.simulations
    return tables


def _record(prepared: Prepared) -> dict[str, Any]:
    selection = prepared.selection
    point = selection.point
    return {
        "schema": SCHEMA,
        "settings": prepared.settings.as_dict(),
        "fingerprint": fingerprint(prepared),
        "rows": {name: len(table.frame) for name, table in _tables(prepared).items()},
        "fit_table": prepared.fit_table_name,
        "fit_features": prepared.fit_table.features,
        "fit_stream": prepared.fit_stream,
        "notes": list(prepared.notes),
        "selection": {
            "features": selection.features,
            "offered": selection.table.features,
            "simulated": selection.simulations.features,
            "for_model": selection.for_model,
            "for_parameters": selection.for_parameters,
            "pilots": selection.pilots,
            "second": selection.second,
            "added": selection.added,
            "near_optimal": selection.near_optimal,
            "point": None if point is None else point.as_dict(),
            "costs": selection.costs.as_dict(),
        },
        "held_out": _held_out_record(prepared.held_out),
        "quality": {model: _quality_record(q) for model, q in prepared.known_quality.items()},
        "power": {model: [asdict(p) for p in powers] for model, powers in prepared.known_power.items()},
    }  # fmt: skip


def fingerprint(prepared: Prepared) -> str:
    """Return a text that differs between choosers with other simulations, features or settings."""
    settings, selection = prepared.settings.as_dict(), prepared.selection
    digest = hashlib.blake2b(json.dumps(settings, sort_keys=True, default=str).encode())
    digest.update(repr((selection.for_model, selection.features, selection.near_optimal)).encode())
    for table in (prepared.table, prepared.fit_table):
        digest.update("\n".join(table.y.astype(str)).encode())
        digest.update(np.ascontiguousarray(table.X.to_numpy(dtype=np.float64)).tobytes())
    return digest.hexdigest()[:32]


def is_prepared(folder: Path) -> bool:
    """Return whether a folder holds a chooser that was prepared completely."""
    return (folder / PREPARED).is_file()


def read_prepared(
    folder: Path,
    space: ModelSpace | None = None,
    features: Mapping[str, GivenFeature] | None = None,
    part_of: str | None = None,
) -> Prepared:
    """Read a prepared chooser.

    Parameters
    ----------
    folder : Path
    space : ModelSpace, optional
        Needed if the models are not built in: functions of models are not kept.
    features : mapping, optional
        The features that the user gave, by name. Needed if they are not built in.
    part_of : str, optional
        The fingerprint of the run that the folder must be a part of.
    """
    from netchoice.workflows.prepared import Prepared

    record = read_record(folder, part_of)
    settings = ChoiceSettings.from_dict(record["settings"])
    known = rebuilt_space(settings.space, space)
    given = given_features(settings, features)
    try:
        tables = {
            name: ReferenceTable.load(folder / "tables" / name, rows)
            for name, rows in record["rows"].items()
        }
        prepared = Prepared(
            space=known,
            settings=settings,
            maker=TableMaker(known, settings.seed, settings.isolated, given_features=given),
            selection=_selection(folder, record, tables),
            table=tables["inference"].complete(),
            fit_table=tables[record["fit_table"]].complete(record["fit_features"]),
            fit_table_name=record["fit_table"],
            fit_stream=record["fit_stream"],
            notes=tuple(record["notes"]),
            known_held_out=_held_out(record["held_out"]),
            known_quality={m: _quality(each) for m, each in record["quality"].items()},
            known_power={m: [_power(p) for p in ps] for m, ps in record["power"].items()},
            known_estimators=_read_estimators(folder, record, known, tables),
        )
        if fingerprint(prepared) != record["fingerprint"]:
            raise ValueError("the tables are not those that it was prepared with")
    except UnreadableFileError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _damaged(folder, str(error)) from error
    return prepared


def read_record(folder: Path, part_of: str | None = None) -> dict[str, Any]:
    """Return what a chooser's folder says about it, after a check of its checksum and its run."""
    path = folder / PREPARED
    if not path.is_file():
        raise UsageError(
            f"{folder} holds no prepared chooser (there is no {PREPARED}); make one with netchoice prepare"
        )
    run = run_fingerprint(folder, part_of)
    record = read_json(path, run, advice="prepare it again in another folder")
    schema = record.get("schema")
    if schema != SCHEMA:
        raise UsageError(
            f"{folder} was prepared by another version of netchoice (schema {schema}, expected {SCHEMA}); "
            "prepare it again"
        )
    return record


def _damaged(folder: Path, reason: str) -> NetchoiceError:
    return NetchoiceError(
        f"the chooser in {folder} is damaged: {' '.join(reason.split())}; prepare it again in another folder"
    )


def given_features(
    settings: ChoiceSettings, features: Mapping[str, GivenFeature] | None = None
) -> dict[str, GivenFeature]:
    """Return the features that the user gave, by name; refuse others than those of the settings."""
    names = settings.features or ()
    if features is not None and {*features} != {*names}:
        raise UsageError(
            f"features {', '.join(features)} are given, and the simulations were made with "
            f"{', '.join(names) or 'features that were selected'}; pass the same features"
        )
    for name in names if features is None else ():
        if name not in FEATURES:
            raise UsageError(
                f"the feature {name} is not built in; pass the features that were given (--features, in "
                "Python features=…)"
            )
    return {name: (features or {}).get(name, name) for name in names}


# The frames and results


def _write_frame(frame: pd.DataFrame, path: Path) -> str:
    kept = frame.assign(features=frame["features"].map(";".join)) if "features" in frame else frame
    text = kept.to_csv(index=False)
    write_text(path, text)
    return checksum(text)


def _checked_content(path: Path, expected: str) -> bytes:
    content = read_content(path)
    if checksum(content) != expected:
        raise ValueError(f"the checksum of {path.name} differs")
    return content


def _read_frame(path: Path, digest: str) -> pd.DataFrame:
    text = _checked_content(path, digest).decode("utf-8")
    names = {"feature": str, "features": str, "method": str, "measure": str}
    frame = pd.read_csv(
        StringIO(text), dtype=names, keep_default_na=False, na_values=[""], engine="python"
    )  # fmt: skip
    if "features" in frame:
        frame["features"] = frame["features"].map(lambda joined: tuple(str(joined).split(";")))
    return frame


def _write_estimators(
    prepared: Prepared, path: Path, digests: dict[str, str]
) -> dict[str, dict[str, Any]]:
    """Write the arrays of the estimators of parameters; return their tables and features by model."""
    found, arrays = prepared.parameter_estimators(), {}
    record = {}
    for number, (model, known) in enumerate(found.items()):
        estimator = known.estimator
        arrays.update({f"{number}_{name}": array for name, array in estimator.arrays.items()})
        record[model] = {"number": number, "table": known.table, "features": estimator.features}
    content = BytesIO()
    np.savez(content, allow_pickle=False, **arrays)
    write_bytes(path, content.getvalue())
    digests[path.name] = checksum(content.getvalue())
    return record


def _read_estimators(
    folder: Path,
    record: Mapping[str, Any],
    space: ModelSpace,
    tables: Mapping[str, ReferenceTable],
) -> dict[str, ParameterEstimator]:
    content = _checked_content(folder / ESTIMATORS, record["files"][ESTIMATORS])
    found = {}
    with np.load(BytesIO(content), allow_pickle=False) as arrays:
        for model, kept in record["estimators"].items():
            names = ("weights", "mean", "predictions")
            fitted = {name: arrays[f"{kept['number']}_{name}"] for name in names}
            known = parameter_estimator(
                space[model],
                kept["table"],
                tables[kept["table"]].complete(kept["features"]),
                kept["features"],
                fitted,
            )
            assert known is not None
            found[model] = known
    return found


def _selection(
    folder: Path, record: Mapping[str, Any], tables: Mapping[str, ReferenceTable]
) -> FeatureSelection:
    kept, digests = record["selection"], record["files"]
    frames = {
        name: _read_frame(folder / file, digests[file])
        for name, file in FRAMES.items()
        if file in digests
    }
    point = kept["point"]
    if point is not None:
        tuples = ("features", "interval", "best_features")
        point = {key: tuple(v) if key in tuples else v for key, v in point.items()}
        point["speedup"] = float("inf") if point["speedup"] is None else point["speedup"]
    pilots = tuple(kept["pilots"])
    simulations = tables[f"pilot-{pilots[-1]}" if pilots else record["fit_table"]]
    simulations = simulations.with_features(kept["simulated"])
    return FeatureSelection(
        features=tuple(kept["features"]),
        costs=CostModel(**kept["costs"]),
        table=simulations.complete(kept["offered"]),
        staged=simulations,
        pilots=pilots,
        for_model=tuple(kept["for_model"]),
        for_parameters=tuple(kept["for_parameters"]),
        point=None if point is None else OperatingPoint(**point),
        second=tuple(kept["second"]),
        added=tuple(kept["added"]),
        near_optimal=tuple(map(tuple, kept["near_optimal"])),
        **frames,
    )


def _held_out_record(tested: HeldOut) -> dict[str, Any]:
    return {
        "models": [str(model) for model in tested.probabilities.columns],
        "rows": [int(row) for row in tested.probabilities.index],
        "probabilities": tested.probabilities.to_numpy().tolist(),
        "truth": [str(model) for model in tested.truth],
        "confusion": tested.confusion.to_numpy().tolist(),
        "confusion_models": [str(model) for model in tested.confusion.index],
        "reliability": json.loads(tested.reliability.to_json(orient="split", double_precision=15)),
        **{name: getattr(tested, name) for name in _HELD_OUT_VALUES},
    }


_HELD_OUT_VALUES = ("accuracy", "log_score", "brier", "calibration_error", "method", "scaling")


def _held_out(record: Mapping[str, Any]) -> HeldOut:
    models, rows = record["models"], record["rows"]
    confused = record["confusion_models"]
    names = dict(record["reliability"])
    return HeldOut(
        probabilities=pd.DataFrame(record["probabilities"], index=rows, columns=models),
        truth=pd.Series(record["truth"], index=rows),
        confusion=pd.DataFrame(
            record["confusion"],
            index=pd.Index(confused, name="true"),
            columns=pd.Index(confused, name="predicted"),
        ),
        reliability=pd.DataFrame(names["data"], index=names["index"], columns=names["columns"]),
        **{name: record[name] for name in _HELD_OUT_VALUES},
    )


def _quality_record(quality: PosteriorQuality) -> dict[str, Any]:
    return {
        "parameters": {name: asdict(each) for name, each in quality.parameters.items()},
        "coverage": quality.coverage,
        "n_draws": quality.n_draws,
        "rows": [int(row) for row in quality.ranks.index],
        "ranks": {str(name): column.tolist() for name, column in quality.ranks.items()},
    }


def _quality(record: Mapping[str, Any]) -> PosteriorQuality:
    def of(known: Mapping[str, Any]) -> ParameterQuality:
        ends = tuple(known["interval_coverage_interval"])
        return ParameterQuality(**{**known, "interval_coverage_interval": ends})

    return PosteriorQuality(
        {name: of(known) for name, known in record["parameters"].items()},
        record["coverage"],
        pd.DataFrame(record["ranks"], index=record["rows"]),
        record["n_draws"],
    )


def _power(record: Mapping[str, Any]) -> Power:
    return Power(**{**record, "interval": tuple(record["interval"])})
