"""Small runs of netchoice that keep files: how to make them, resume them, and read their answer."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from netchoice.storage.user_cache import CACHE_VARIABLE, kept_costs
from netchoice.workflows import SimulationPlan
from netchoice.workflows.answer_files import AnswerFiles
from netchoice.workflows.cohort_run import CohortAnswers
from netchoice.workflows.run_folder import run_folder
from netchoice.workflows.simulation_plan import Stopwatch

import netchoice
import netchoice.rows
from netchoice.costs import CostModel
from netchoice.evaluation import evaluate_rankings
from netchoice.report.folder import read_folder

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
        path=folder / "t", on_progress=False,
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
    return evaluate_rankings(rankings, table, ks=[1, 2], folds=3, path=folder / "scores.jsonl")


def _run_record(folder: Path) -> Any:
    settings = {"seed": 1, "space": "ba", "prior": [0.25, 0.75]}
    with run_folder(folder / "run", settings, False):
        watch = Stopwatch(None, 1, folder / "run" / "rows.json", "fingerprint")
        first = watch.affordable("fit", 1000, 10, 0.5, 100.0)
        return first, watch.decided("expensive", lambda: ["estrada_index"])


def _clock_record(folder: Path) -> Any:
    """Decide something by the clock: a second decision would be another one."""
    with run_folder(folder / "run", {"seed": 1}, False):
        watch = Stopwatch(None, 1, folder / "run" / "rows.json", "fingerprint")
        return watch.decided("clock", time.monotonic_ns)


def _costs(folder: Path) -> Any:
    measured = CostModel({"a": 1.0, "b": 2.5}, {"a": ["s"], "b": ["s"]}, {"s": 0.125})
    with _cache_in(folder):
        return kept_costs(measured, {"n_nodes": 12}, None).as_dict()


@contextmanager
def _cache_in(folder: Path) -> Any:
    before = os.environ.get(CACHE_VARIABLE)
    os.environ[CACHE_VARIABLE] = str(folder / "cache")
    try:
        yield
    finally:
        if before is None:
            del os.environ[CACHE_VARIABLE]
        else:
            os.environ[CACHE_VARIABLE] = before


def _cohort(folder: Path) -> str:
    files = AnswerFiles(
        folder / "c", {"id": "text", "age": "number"}, {"verdict": "text", "error": "text"}, ["x"],
        "settings",
    )  # fmt: skip
    (folder / "c").mkdir(exist_ok=True)
    files.prepare()
    failed = []
    for part, name in enumerate(("n1", "n2")):
        failed.append(files.count_failed(part, [name]))
        if failed[-1] is None:
            files.write_part(part, [[name, "one-fits", None, 0.5 + part]])
    files.write_tables(2, [[["n1", 20.0]], [["n2", 30.0]]])
    return _cohort_answer(folder)


def _cohort_answer(folder: Path) -> str:
    answers = CohortAnswers(folder / "c", 2, 0, {"verdict": "text"})
    return text_of(answers.frame()) + text_of(answers.features())


def _evaluate(folder: Path) -> None:
    options = {"methods": ["jmi"], "folds": 2, "max_features": 2, "on_progress": False}
    netchoice.evaluate_features(_labelled()[0], path=folder / "e", workers=1, **options)


def _evaluation_answer(folder: Path) -> str:
    found = read_folder(folder / "e")
    found.record.pop("out")
    frames = text_of(found.rankings) + text_of(found.evaluation)
    return frames + json.dumps([found.record, found.costs.as_dict()], sort_keys=True)


_PLAN = SimulationPlan(selection_samples=400, samples=200, min_samples=100, local_samples=0)


def _network(seed: int) -> netchoice.Graph:
    return netchoice.get_model("ba2").grow(20, rng=np.random.default_rng(seed))


def _choose(folder: Path, features: Sequence[str] | None = ("degree_mean",), seed: int = 1) -> str:
    """Choose a model; the answer is compared without the times that it took."""
    with _cache_in(folder):
        choice = netchoice.choose_model(
            _network(1), "ba", features=features, engine="serial", plan=_PLAN, path=folder / "run",
            on_progress=False, workers=1, seed=seed,
        )  # fmt: skip
    answer = {name: value for name, value in choice.as_dict().items() if name != "cost"}
    return json.dumps(answer, sort_keys=True, default=str)


def _select_and_choose(folder: Path, seed: int = 1) -> str:
    """Choose a model with features that are selected by their measured costs."""
    return _choose(folder, None, seed)


def _chooser(seed: int) -> netchoice.Chooser:
    return netchoice.Chooser(
        "ba", n_nodes=[20], features=["degree_mean"], samples=200, plan=_PLAN, isolated="keep",
        seed=seed,
    )  # fmt: skip


def _prepare(folder: Path, seed: int = 1) -> str:
    chooser = _chooser(seed)
    with _cache_in(folder):
        chooser.fit(path=folder / "prepared", engine="serial", on_progress=False)
    return repr(chooser.predict_proba([_network(2), _network(3)]).tolist())


@cache
def _prepared(seed: int) -> netchoice.Chooser:
    return _chooser(seed).fit(engine="serial", on_progress=False)


def _choose_many(folder: Path, seed: int = 1) -> str:
    networks = {f"n{i}": _network(i) for i in range(4)}
    options = {"engine": "serial", "on_progress": False}
    return text_of(_prepared(seed).choose_many(networks, path=folder / "cohort", **options))


def _pilot(folder: Path, seed: int = 1) -> str:
    """Select features on pilots; costs are measured, so they are not compared."""
    with _cache_in(folder):
        found = netchoice.select_on_pilots(
            "ba", n_nodes=100, pilot_nodes=28, samples=80, features=["degree_mean", "transitivity"],
            penalty=0.0, engine="serial", path=folder / "pilots", on_progress=False, seed=seed,
        )  # fmt: skip
    return repr((found.features, found.accuracy, list(found.ranking["feature"])))


def _chooser_answer(folder: Path) -> str:
    return repr(netchoice.Chooser.load(folder / "run").predict_proba([_network(2)]).tolist())


def _choice_answer(folder: Path) -> str:
    found = read_folder(folder / "run")
    record = {k: v for k, v in found.record.items() if k != "cost"}
    return json.dumps([record, found.evidence], sort_keys=True) + text_of(found.table.frame)


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
    "scores.jsonl": Specimen(_scores, lambda folder: text_of(_scores(folder))),
    "run.json and rows.json": Specimen(_run_record, lambda folder: repr(_run_record(folder))),
    "decisions by the clock": Specimen(_clock_record, lambda folder: repr(_clock_record(folder))),
    "cached costs": Specimen(_costs, lambda folder: repr(_costs(folder))),
    "cohort, resumed": Specimen(_cohort, _cohort),
    "cohort, read": Specimen(_cohort, _cohort_answer),
    "folder of evaluate": Specimen(_evaluate, _evaluation_answer),
    "chooser": Specimen(_choose, _chooser_answer, other=partial(_choose, seed=2)),
    "folder of choose": Specimen(_choose, _choice_answer, other=partial(_choose, seed=2)),
    "choose, repeated": Specimen(
        _select_and_choose, _select_and_choose, other=partial(_select_and_choose, seed=2)
    ),
    "prepare, repeated": Specimen(_prepare, _prepare, other=partial(_prepare, seed=2)),
    "cohort, repeated": Specimen(_choose_many, _choose_many, other=partial(_choose_many, seed=2)),
    "pilot, repeated": Specimen(_pilot, _pilot, other=partial(_pilot, seed=2)),
}
