"""Small runs of netchoice that keep files: how to make them, resume them, and read their answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd

import netchoice
import netchoice.rows
from netchoice.choice.cohort import CohortAnswers, NetworkRows, answer_all
from netchoice.choice.evaluate import FeatureEvaluation
from netchoice.evaluation import evaluate_rankings
from netchoice.io.collection import as_collection
from netchoice.storage.records import to_record
from netchoice.storage.run_folder import ANSWER, run_folder

FEATURES = ["degree_mean", "n_triangles", "noise_normal"]


@dataclass(frozen=True)
class Specimen:
    """A run: ``make`` starts or resumes it in a folder, and ``answer`` returns what it found as text.

    ``warns`` says whether the answer may be another one after a warning: that a table lacks rows.
    ``other`` makes the same run with another seed, if files are exchanged with such a run.
    """

    make: Callable[[Path], Any]
    answer: Callable[[Path], str]
    warns: bool = False
    other: Callable[[Path], Any] | None = None


def text_of(frame: pd.DataFrame) -> str:
    """Return names, types and values of a frame; the CPU times of features differ between runs."""
    kept = frame[[name for name in frame.columns if not str(name).startswith("seconds")]]
    return f"{list(map(str, kept.dtypes))}\n{kept.to_csv(index=False)}"


def _simulate(folder: Path, seed: int = 1) -> netchoice.ReferenceTable:
    return netchoice.simulate_table(
        "duplication", n_nodes=12, n_samples=12, seed=seed, features=FEATURES, engine="serial",
        out=folder / "t", on_progress=False,
    )  # fmt: skip


def _in_shards(folder: Path, seed: int = 1) -> netchoice.ReferenceTable:
    """Simulate a table in shards of a few rows."""
    before, netchoice.rows._SHARD_ROWS = netchoice.rows._SHARD_ROWS, 4
    try:
        return _simulate(folder, seed)
    finally:
        netchoice.rows._SHARD_ROWS = before


def _table_text(table: netchoice.ReferenceTable) -> str:
    manifest = {k: v for k, v in table.manifest.items() if k not in ("machine", "packages")}
    return text_of(table.frame) + json.dumps(manifest, sort_keys=True, default=str)


@cache
def _labelled() -> tuple[netchoice.ReferenceTable, pd.DataFrame]:
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=40)
    frame = pd.DataFrame({"a": y + rng.normal(size=40), "b": rng.normal(size=40), "label": y})
    rankings = pd.DataFrame(
        {"method": "m", "penalty": 0.0, "position": [1, 2], "feature": ["a", "b"]}
    )
    return netchoice.ReferenceTable.from_frame(frame, costs={"a": 1, "b": 2}), rankings


def _scores(folder: Path) -> pd.DataFrame:
    table, rankings = _labelled()
    return evaluate_rankings(rankings, table, ks=[1, 2], folds=3, path=folder / "scores.json")


def _run_record(folder: Path) -> str:
    settings = {"seed": 1, "space": "ba", "prior": [0.25, 0.75]}
    with run_folder(folder / "run", settings, False):
        return "opened"


class _Answerer(NetworkRows):
    """Answers with numbers of nodes and edges."""

    columns: ClassVar = {"verdict": "text"}
    feature_names: ClassVar = ["edges"]
    fingerprint = "answerer"

    def __init__(self) -> None:
        self.references: Any = None

    def warm_up(self) -> None:
        pass

    def answer(self, graph: netchoice.Graph) -> tuple[dict[str, Any], dict[str, float]]:
        return {"verdict": f"{graph.n_nodes} nodes"}, {"edges": graph.n_edges}


def _cohort(folder: Path) -> str:
    sources = as_collection({f"n{i}": _network(i) for i in range(3)})
    answers = answer_all(sources, _Answerer(), folder=folder / "c", engine="serial")
    return _cohort_text(answers)


def _cohort_text(answers: CohortAnswers) -> str:
    return text_of(answers.frame()) + text_of(answers.features())


def _cohort_answer(folder: Path) -> str:
    return _cohort_text(CohortAnswers(folder / "c", 3, 0, None))


def _evaluate(folder: Path) -> None:
    options = {"methods": ["jmi"], "folds": 2, "max_features": 2, "on_progress": False}
    netchoice.evaluate_features(_labelled()[0], out=folder / "e", workers=1, **options)


def _evaluation_answer(folder: Path) -> str:
    found = FeatureEvaluation.load(folder / "e")
    frames = text_of(found.rankings) + text_of(found.evaluation)
    return frames + json.dumps([found.as_dict(), found.costs.as_dict()], sort_keys=True)


_FEW = netchoice.Effort(trained=150, altered=150, most=150, inferred=150, held_out=0, shown=20)
_OPTIONS: dict[str, Any] = {
    "features": ["degree_mean", "transitivity"], "isolated": "keep", "engine": "serial",
    "workers": 1, "on_progress": False,
}  # fmt: skip


def _network(seed: int) -> netchoice.Graph:
    return netchoice.get_model("ba2").grow(20, rng=np.random.default_rng(seed))


def _answer_text(answer: netchoice.Answer) -> str:
    """Return all that an answer says, without the times that it took."""
    record = answer.as_dict() | {"cost": None, "evidence": to_record(answer.evidence)}
    record["features"] = [each | {"cost": None} for each in record["features"]]
    return json.dumps(record, sort_keys=True, default=str)


def _choose(folder: Path, seed: int = 1) -> netchoice.Answer:
    """Choose a model, with features that are selected on pilots."""
    return netchoice.choose_model(
        _network(1), "ba1,ba2", penalty=0.1, effort=_FEW, seed=seed, out=folder / "run", **_OPTIONS
    )  # fmt: skip


def _resume(folder: Path) -> str:
    """Choose a model, from the simulations that are kept."""
    (folder / "run" / ANSWER).unlink(missing_ok=True)
    return _answer_text(_choose(folder))


def _prepare(folder: Path, seed: int = 1) -> netchoice.References:
    return netchoice.prepare(
        "ba1,ba2", 20, effort=_FEW, seed=seed, out=folder / "prepared", **_OPTIONS
    )


def _answers_of(references: netchoice.References) -> str:
    answers = (
        netchoice.choose_model(_network(i), reference=references, engine="serial") for i in (2, 3)
    )
    return "".join(map(_answer_text, answers))


@cache
def _prepared(seed: int) -> netchoice.References:
    return netchoice.prepare("ba1,ba2", 20, effort=_FEW, seed=seed, **_OPTIONS)


def _choose_cohort(folder: Path, seed: int = 1) -> str:
    networks = {f"n{i}": _network(i) for i in range(4)}
    answers = netchoice.choose_cohort(
        networks, reference=_prepared(seed), out=folder / "cohort", engine="serial", on_progress=False
    )  # fmt: skip
    return _cohort_text(answers)


def _pilot(folder: Path, seed: int = 1) -> str:
    """Select features on pilots; the costs that are measured on them are not compared."""
    found = netchoice.select_on_pilots(
        "ba", n_nodes=100, pilot_nodes=28, samples=80, penalty=0.0, seed=seed,
        out=folder / "pilots", **_OPTIONS,
    )  # fmt: skip
    return repr((found.features, found.accuracy, found.cost, list(found.ranking["feature"])))


SPECIMENS = {
    "table, loaded": Specimen(
        _in_shards,
        lambda folder: _table_text(netchoice.ReferenceTable.load(folder / "t")),
        warns=True,
        other=partial(_in_shards, seed=2),
    ),
    "table, resumed": Specimen(
        _in_shards,
        lambda folder: _table_text(_in_shards(folder)),
        other=partial(_in_shards, seed=2),
    ),
    "scores.json": Specimen(_scores, lambda folder: text_of(_scores(folder))),
    "record of a run": Specimen(_run_record, _run_record),
    "cohort, resumed": Specimen(_cohort, _cohort),
    "cohort, read": Specimen(_cohort, _cohort_answer),
    "folder of evaluate": Specimen(_evaluate, _evaluation_answer),
    "folder of choose": Specimen(
        _choose,
        lambda folder: _answer_text(netchoice.Answer.load(folder / "run")),
        other=partial(_choose, seed=2),
    ),
    "choose, resumed": Specimen(_choose, _resume, other=partial(_choose, seed=2)),
    "prepared, loaded": Specimen(
        _prepare,
        lambda folder: _answers_of(netchoice.References.load(folder / "prepared")),
        other=partial(_prepare, seed=2),
    ),
    "prepare, repeated": Specimen(
        _prepare, lambda folder: _answers_of(_prepare(folder)), other=partial(_prepare, seed=2)
    ),
    "cohort, repeated": Specimen(
        _choose_cohort, _choose_cohort, other=partial(_choose_cohort, seed=2)
    ),
    "pilot, repeated": Specimen(_pilot, _pilot, other=partial(_pilot, seed=2)),
}
