"""Runs can be interrupted and resumed; files of the user are never deleted or overwritten."""

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from netchoice.workflows import SimulationPlan, run_folder, simulation_plan
from netchoice.workflows.run_folder import open_run_folder
from netchoice.workflows.simulation_plan import Pace, Stopwatch

import netchoice
from netchoice.atomic import write_text
from netchoice.errors import UsageError
from netchoice.evaluation import evaluate_rankings
from netchoice.storage.kept_files import DamagedFileError, OtherRunError
from netchoice.storage.written_folder import LISTING, LOCK

PLAN = SimulationPlan(selection_samples=600, samples=200, min_samples=100)
SETTINGS = {"seed": 1}
OURS = ("choice.json", "scores.jsonl", "tables/fit/rows-0.parquet", "figures/costs.png")


def network(labels=None):
    graph = netchoice.get_model("ba2").grow(30, rng=np.random.default_rng(1))
    return netchoice.Graph(graph.indptr, graph.indices, labels)


def choose(graph, path, **options):
    options = {"features": ["degree_mean"], "engine": "serial", "plan": PLAN, **options}
    return netchoice.choose_model(graph, "ba", path=path, **options)


# Starting over


def run_with_foreign_files(folder):
    with run_folder.run_folder(folder, SETTINGS, fresh=False):
        for name in OURS:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            write_text(folder / name, "ours")
    for name in ("chapter.tex", "figures/mine.png", "tables/fit/notes.txt"):
        (folder / name).write_text("theirs")
    return folder


def test_fresh_deletes_only_files_that_the_run_listed(tmp_path):
    folder = run_with_foreign_files(tmp_path / "run")
    (folder / ".scores.jsonl.17.partial").write_text("left by a kill")
    open_run_folder(folder, {"seed": 2}, fresh=True)
    left = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    foreign = {"chapter.tex", "figures/mine.png", "tables/fit/notes.txt"}
    assert left == {*foreign, "run.json", LISTING, LOCK}
    assert json.loads((folder / "run.json").read_text())["settings"] == {"seed": 2}


@pytest.mark.parametrize("name", ["report.html", "figures/fit-mine.png", "tables/a/rows-1.parquet"])
@pytest.mark.parametrize("fresh", [True, False])
def test_file_of_the_user_with_the_name_of_a_result_is_refused_and_unchanged(tmp_path, name, fresh):
    folder = run_with_foreign_files(tmp_path / "run")
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("theirs")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with pytest.raises(UsageError, match=f"{name} would be overwritten, and netchoice did not"):
        open_run_folder(folder, SETTINGS, fresh=fresh)
    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_file_that_appears_during_a_run_is_not_overwritten(tmp_path):
    with run_folder.run_folder(tmp_path / "run", SETTINGS, fresh=False):
        (tmp_path / "run" / "choice.json").write_text("theirs")
        with pytest.raises(UsageError, match=r"choice.json would be overwritten"):
            write_text(tmp_path / "run" / "choice.json", "ours")
    assert (tmp_path / "run" / "choice.json").read_text() == "theirs"


@pytest.mark.parametrize("fresh", [True, False])
def test_run_without_its_list_of_files_is_refused(tmp_path, fresh):
    folder = run_with_foreign_files(tmp_path / "run")
    (folder / LISTING).write_text("{}")
    with pytest.raises(
        UsageError, match=r"_files.json is damaged: .*lists the files that netchoice"
    ):
        open_run_folder(folder, SETTINGS, fresh=fresh)
    (folder / LISTING).unlink()
    with pytest.raises(UsageError, match="would be overwritten, and netchoice did not write it"):
        open_run_folder(folder, SETTINGS, fresh=fresh)
    assert all((folder / name).exists() for name in OURS)


@pytest.mark.parametrize("content", ["{}", "[]", "", "not json", '{"settings": {}}', "\x00\xff"])
@pytest.mark.parametrize("fresh", [True, False])
def test_folder_with_a_foreign_run_file_is_refused_and_unchanged(tmp_path, content, fresh):
    (tmp_path / "run.json").write_text(content)
    (tmp_path / "chapter.tex").write_text("mine")
    with pytest.raises(
        UsageError, match=r"run.json is damaged: .*nothing was changed.* netchoice choose"
    ):
        open_run_folder(tmp_path, SETTINGS, fresh=fresh)
    assert (tmp_path / "run.json").read_text() == content
    assert (tmp_path / "chapter.tex").exists()


def test_interrupted_fresh_can_be_repeated(tmp_path, monkeypatch):
    """Interrupt it at each operation on a file; ``--fresh`` must accept what is left."""
    n_operations, operations = 0, (Path.unlink, Path.rmdir, os.replace)
    while True:
        folder = run_with_foreign_files(tmp_path / f"run-{n_operations}")
        left = n_operations
        with monkeypatch.context() as patch:

            def counted(operation):
                def call(*arguments, **options):
                    nonlocal left
                    left -= 1
                    if left < 0:
                        raise KeyboardInterrupt
                    return operation(*arguments, **options)

                return call

            for module, operation in zip((Path, Path, os), operations, strict=True):
                patch.setattr(module, operation.__name__, counted(operation))
            interrupted = False
            try:
                open_run_folder(folder, {"seed": 2}, fresh=True)
            except KeyboardInterrupt:
                interrupted = True
        open_run_folder(folder, {"seed": 2}, fresh=True)
        assert not any((folder / name).exists() for name in OURS)
        assert (folder / "chapter.tex").exists()
        n_operations += 1
        if not interrupted:
            break
    assert n_operations > 10


@pytest.mark.slow
def test_run_lists_every_file_that_it_writes(tmp_path):
    """A file that is not listed would survive --fresh."""
    from netchoice.report import report_choice

    plan = SimulationPlan(selection_samples=600, samples=150)
    report_choice(network(), "ba", path=tmp_path / "run", engine="serial", plan=plan, compare=())
    open_run_folder(tmp_path / "run", SETTINGS, fresh=True)
    assert {p.name for p in (tmp_path / "run").rglob("*")} == {run_folder.RUN, LOCK, LISTING}


# Time limits


@pytest.mark.slow
def test_run_with_a_time_limit_resumes_with_the_same_numbers_of_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(simulation_plan, "measured_pace", lambda: Pace(0.2, 1.0))
    first = choose(network(), tmp_path / "run", time_limit=9)
    calls = []
    again = choose(
        network(), tmp_path / "run", time_limit=9, on_progress=lambda *call: calls.append(call)
    )
    assert not calls  # nothing was simulated
    assert again.probabilities == first.probabilities
    assert again.cost["simulations"] == first.cost["simulations"]
    assert again.notes == first.notes
    with pytest.raises(UsageError, match="another time_limit"):
        choose(network(), tmp_path / "run", time_limit=10)


def test_decided_numbers_of_rows_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(simulation_plan, "measured_pace", lambda: Pace(1.0, 1.0))
    watch = Stopwatch(10.0, 1, tmp_path / "rows.json")
    assert watch.affordable("fit", 100, 10, row_seconds=1.0, seconds=50.0) == 50
    assert Stopwatch(10.0, 1, tmp_path / "rows.json").affordable("fit", 100, 10, 1.0, 1.0) == 50
    with pytest.raises(OtherRunError, match=r"rows.json belongs to another run .*; start over"):
        Stopwatch(10.0, 1, tmp_path / "rows.json", "other").affordable("fit", 100, 10, 1.0, 1.0)
    for damaged in ("", "[]", '{"fit": 60}'):
        (tmp_path / "rows.json").write_text(damaged)
        with pytest.raises(
            DamagedFileError, match=r"rows.json is damaged: .*; start over with --fresh"
        ):
            Stopwatch(10.0, 1, tmp_path / "rows.json").affordable("fit", 100, 10, 1.0, 50.0)
    (tmp_path / "rows.json").unlink()
    with pytest.raises(DamagedFileError, match=r"rows.json is missing, which holds decisions"):
        Stopwatch(10.0, 1, tmp_path / "rows.json").affordable("fit", 100, 10, 1.0, 50.0)


# Names of nodes


@pytest.mark.parametrize(
    "first",
    [
        pytest.param("#a", id="hash"),
        pytest.param("%a", id="percent", marks=pytest.mark.slow),
        pytest.param(" a", id="before", marks=pytest.mark.slow),
        pytest.param("a ", id="after", marks=pytest.mark.slow),
        pytest.param("a\tb", id="tab", marks=pytest.mark.slow),
        pytest.param("", id="empty", marks=pytest.mark.slow),
        pytest.param("\ud800", id="surrogate", marks=pytest.mark.slow),
    ],
)
def test_any_node_name_can_be_written(tmp_path, first):
    labels = [first, *map(str, range(1, 30))]
    choose(network(labels), tmp_path / "run")
    graph, _ = netchoice.read_network(tmp_path / "run" / "network.tsv")
    assert graph.fingerprint == network().fingerprint
    assert json.loads((tmp_path / "run" / "nodes.json").read_text()) == list(map(repr, labels))


@pytest.mark.slow
def test_names_that_differ_only_in_type_can_be_written(tmp_path):
    choose(network([1, "1", *range(2, 30)]), tmp_path / "run")
    names = json.loads((tmp_path / "run" / "nodes.json").read_text())
    assert names[:2] == ["1", "'1'"]


# Scores


@pytest.fixture
def scored(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=60)
    frame = pd.DataFrame({"a": y + rng.normal(size=60), "b": rng.normal(size=60), "label": y})
    table = netchoice.ReferenceTable.from_frame(frame)
    rankings = pd.DataFrame(
        {"method": "m", "penalty": 0.0, "position": [1, 2], "feature": ["a", "b"]}
    )
    path = tmp_path / "scores.jsonl"

    def evaluate():
        return evaluate_rankings(rankings, table, ks=[1, 2], folds=3, path=path)

    return evaluate, path


@pytest.mark.parametrize("seed", range(25))
def test_flipped_bit_in_scores_changes_no_value(scored, seed):
    evaluate, path = scored
    expected = evaluate()
    content = bytearray(path.read_bytes())
    rng = np.random.default_rng(seed)
    content[rng.integers(len(content))] ^= 1 << int(rng.integers(8))
    path.write_bytes(content)
    try:
        pd.testing.assert_frame_equal(evaluate(), expected)
    except UsageError as error:
        assert "scores.jsonl is damaged, or holds scores of another table" in str(error)


def test_scores_file_cut_anywhere_is_completed(scored):
    evaluate, path = scored
    expected = evaluate()
    content = path.read_bytes()
    header = content.index(b"\n") + 1
    for length in range(header, len(content), 7):
        path.write_bytes(content[:length])
        pd.testing.assert_frame_equal(evaluate(), expected)


# Files of the user


@pytest.mark.parametrize("name", ["costs.json", "report.html", "pareto.png", "scores.jsonl"])
def test_evaluate_overwrites_only_files_that_it_wrote(tmp_path, name):
    frame = pd.DataFrame({"a": range(40), "b": range(40, 0, -1), "label": ["x", "y"] * 20})
    table = netchoice.ReferenceTable.from_frame(frame)
    options = {"path": tmp_path, "methods": ["jmi"], "folds": 2, "max_features": 1}
    (tmp_path / name).write_text('{"a": 1, "b": 2}')
    costs = tmp_path / name if name == "costs.json" else None
    with pytest.raises(UsageError, match=rf"{name} would be overwritten, and netchoice did not"):
        netchoice.evaluate_features(table, costs=costs, **options)
    assert (tmp_path / name).read_text() == '{"a": 1, "b": 2}'
    (tmp_path / name).unlink()
    (tmp_path / "thesis.tex").write_text("mine")
    for _ in range(2):  # the second run replaces the files of the first
        netchoice.evaluate_features(table, **options)
    assert (tmp_path / "thesis.tex").read_text() == "mine"
