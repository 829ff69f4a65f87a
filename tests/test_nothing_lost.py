"""Runs can be interrupted and resumed; files of the user are never deleted or overwritten."""

import json
import os
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from quick_answers import FEW, choose, grown

import netchoice
from netchoice.atomic import write_text
from netchoice.choice.answer import NETWORK, NODES
from netchoice.errors import UsageError
from netchoice.evaluation import evaluate_rankings
from netchoice.report import report_answer
from netchoice.storage.kept_files import DamagedFileError, write_json
from netchoice.storage.run_folder import KEPT, LOCK, RECORD, run_folder

SETTINGS = {"seed": 1}
OURS = (
    "answer.json", "run/evidence.json", "run/simulations/training/rows-0.parquet", "figures/map.png"
)  # fmt: skip


# Starting over


FOREIGN = {"chapter.tex", "figures/mine.png", "run/simulations/training/notes.txt"}


def run_with_foreign_files(folder):
    with run_folder(folder, SETTINGS, fresh=False):
        for name in OURS:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            write_text(folder / name, "ours")
    for name in FOREIGN:
        (folder / name).write_text("theirs")
    return folder


def opened(folder, settings, fresh):
    """Open the folder of a run, and close it."""
    with run_folder(folder, settings, fresh):
        pass


def test_fresh_deletes_only_files_that_the_run_listed(tmp_path):
    folder = run_with_foreign_files(tmp_path / "run")
    (folder / ".answer.json.17.partial").write_text("left by a kill")
    opened(folder, {"seed": 2}, fresh=True)
    left = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    assert left == {*FOREIGN, RECORD, f"{KEPT}/{LOCK}"}
    assert json.loads((folder / RECORD).read_text())["settings"] == {"seed": 2}


@pytest.mark.parametrize("fresh", [True, False])
def test_file_of_the_user_with_the_name_of_a_result_is_refused_and_unchanged(tmp_path, fresh):
    folder = run_with_foreign_files(tmp_path / "run")
    (folder / "report.html").write_text("theirs")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with pytest.raises(
        UsageError, match=r"report.html would be overwritten, and netchoice did not"
    ):
        opened(folder, SETTINGS, fresh=fresh)
    del before[folder / KEPT / LOCK]  # it names this process
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize("name", ["answer.json", "figures/fit-mine.png"])
def test_file_that_appears_during_a_run_is_not_overwritten(tmp_path, name):
    with run_folder(tmp_path / "run", SETTINGS, fresh=False):
        (tmp_path / "run" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "run" / name).write_text("theirs")
        with pytest.raises(UsageError, match=rf"{name} would be overwritten"):
            write_text(tmp_path / "run" / name, "ours")
    assert (tmp_path / "run" / name).read_text() == "theirs"


@pytest.mark.parametrize("content", ["{}", "[]", "", "not json", '{"settings": {}}', "\x00\xff"])
@pytest.mark.parametrize("fresh", [True, False])
def test_folder_with_a_foreign_run_file_is_refused_and_unchanged(tmp_path, content, fresh):
    (tmp_path / RECORD).parent.mkdir()
    (tmp_path / RECORD).write_text(content)
    (tmp_path / "chapter.tex").write_text("mine")
    with pytest.raises(
        UsageError, match=r"run.json is damaged: .*nothing was changed.* netchoice choose"
    ):
        opened(tmp_path, SETTINGS, fresh=fresh)
    assert (tmp_path / RECORD).read_text() == content
    assert (tmp_path / "chapter.tex").exists()


@pytest.mark.parametrize("fresh", [True, False])
def test_folder_of_another_kind_or_an_earlier_version_is_refused(tmp_path, fresh):
    opened(tmp_path / "run", SETTINGS, fresh=False)
    refused = pytest.raises(
        UsageError, match=r"holds results of netchoice choose and no run of netchoice prepare"
    )
    with refused, run_folder(tmp_path / "run", SETTINGS, fresh, "netchoice prepare"):
        pass
    write_json(tmp_path / "run" / RECORD, {"settings": SETTINGS, "versions": {}}, "")
    with pytest.raises(UsageError, match=r"run.json is damaged, or another version of netchoice"):
        opened(tmp_path / "run", SETTINGS, fresh=fresh)


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
                opened(folder, {"seed": 2}, fresh=True)
            except KeyboardInterrupt:
                interrupted = True
        opened(folder, {"seed": 2}, fresh=True)
        assert not any((folder / name).exists() for name in OURS)
        assert (folder / "chapter.tex").exists()
        n_operations += 1
        if not interrupted:
            break
    assert n_operations > 10


def test_run_lists_every_file_that_it_writes(tmp_path):
    """A file that is not listed would survive --fresh."""
    folder = tmp_path / "run"
    answer = choose(grown("ba2"), "ba1,ba2", features=FEW, penalty=0.1, out=folder)
    report_answer(answer, folder)
    assert len([*folder.rglob("*")]) > 30
    opened(folder, SETTINGS, fresh=True)
    assert {p.name for p in folder.rglob("*")} == {"run", "run.json", LOCK}


# Time limits


def test_time_limit_is_a_deadline_and_its_answer_is_kept(tmp_path):
    network, options = grown("ba2"), {"space": "ba1,ba2", "features": None}
    choose(network, **options)  # loads the kernels
    endless = netchoice.Effort(trained=10**6, altered=10**6)
    options |= {"effort": endless, "out": tmp_path / "run", "time_limit": 3}
    start = time.monotonic()
    first = choose(network, **options)
    assert time.monotonic() - start < 4.5
    assert not first.is_complete
    assert first.notes[0].startswith("the time limit ended the simulations before")
    assert first.cost.simulations >= 30
    start = time.monotonic()
    assert choose(network, **options).as_dict() == first.as_dict()
    assert time.monotonic() - start < 1  # nothing is simulated
    with pytest.raises(UsageError, match="another time_limit"):
        choose(network, **options | {"time_limit": 4})


# Names of nodes


@pytest.mark.parametrize(
    "labels",
    [["#a"], ["%a"], [" a"], ["a "], ["a\tb"], [""], ["\ud800"], [1, "1"]],
    ids=["hash", "percent", "before", "after", "tab", "empty", "surrogate", "types"],
)
def test_any_node_name_can_be_written(tmp_path, labels):
    graph, labels = grown("ba2"), [*labels, *range(2, 32 - len(labels))]
    named = netchoice.Graph(graph.indptr, graph.indices, labels)
    answer = choose(named, "ba1,ba2", features=["degree_mean"], out=tmp_path / "run")
    assert netchoice.Answer.load(tmp_path / "run").verdict == answer.verdict
    kept, _ = netchoice.read_network(tmp_path / "run" / NETWORK)
    assert kept.fingerprint == graph.fingerprint
    names = json.loads((tmp_path / "run" / NODES).read_text())
    assert names == list(map(repr, labels))


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
    path = tmp_path / "scores.json"

    def evaluate():
        return evaluate_rankings(rankings, table, ks=[1, 2], folds=3, path=path)

    return evaluate, path


@pytest.mark.parametrize("seed", range(25))
def test_flipped_bit_in_scores_is_refused(scored, seed):
    evaluate, path = scored
    evaluate()
    content = bytearray(path.read_bytes())
    rng = np.random.default_rng(seed)
    content[rng.integers(len(content))] ^= 1 << int(rng.integers(8))
    path.write_bytes(content)
    with pytest.raises(DamagedFileError, match=r"scores.json is damaged.*or delete this one"):
        evaluate()


# Files of the user


@pytest.mark.parametrize("name", ["recommended.json", "report.html", "tables/costs.json"])
def test_evaluate_overwrites_only_files_that_it_wrote(tmp_path, name):
    frame = pd.DataFrame({"a": range(40), "b": range(40, 0, -1), "label": ["x", "y"] * 20})
    table = netchoice.ReferenceTable.from_frame(frame)
    options = {"out": tmp_path, "methods": ["jmi"], "folds": 2, "max_features": 1}
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text('{"a": 1, "b": 2}')
    costs = tmp_path / name if name == "tables/costs.json" else None
    with pytest.raises(UsageError, match=rf"{name} would be overwritten, and netchoice did not"):
        netchoice.evaluate_features(table, costs=costs, **options)
    assert (tmp_path / name).read_text() == '{"a": 1, "b": 2}'
    (tmp_path / name).unlink()
    (tmp_path / "thesis.tex").write_text("mine")
    for _ in range(2):  # the second run replaces the files of the first
        netchoice.evaluate_features(table, **options)
    assert (tmp_path / "thesis.tex").read_text() == "mine"
