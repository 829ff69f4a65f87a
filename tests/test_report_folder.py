"""Folders that hold no run, or one that was changed: said plainly, with what to do."""

import json
import shutil

import pandas as pd
import pytest
from report_parts import answered, evaluated, kept, run

from netchoice.errors import NetchoiceError, UsageError
from netchoice.report import folder, grid, write_report


@pytest.fixture(scope="module")
def answer(tmp_path_factory):
    return kept(answered, tmp_path_factory)


@pytest.fixture(scope="module")
def evaluation(tmp_path_factory):
    return kept(evaluated, tmp_path_factory)


def test_folders_that_hold_no_run(answer, tmp_path, capsys):
    with pytest.raises(
        UsageError, match="nowhere is no folder; expected one that netchoice choose"
    ):
        write_report(tmp_path / "nowhere")
    with pytest.raises(UsageError, match=r"holds neither choice.json nor recommended.json"):
        write_report(tmp_path)
    old = tmp_path / "old"
    shutil.copytree(answer, old)
    (old / "evidence.json").write_text('{"schema": 1}')
    with pytest.raises(
        NetchoiceError, match="lacks 'posterior', so it was left by another version"
    ):
        write_report(old)
    (old / "evidence.json").write_text("[1]")
    with pytest.raises(NetchoiceError, match="holds a list; expected an object"):
        write_report(old)
    (old / "evidence.json").write_text("{")
    with pytest.raises(NetchoiceError, match=r"evidence.json cannot be read: it is no JSON"):
        write_report(old)
    (old / "evidence.json").unlink()
    with pytest.raises(NetchoiceError, match=r"evidence.json is missing; the command that made"):
        write_report(old)
    assert run("report", old) == 1
    assert capsys.readouterr().err.startswith("netchoice: ")
    with pytest.raises(NetchoiceError, match=r"cannot write .*: No such file or directory"):
        write_report(answer, tmp_path / "no" / "such" / "file.html")


def _in(file, change):
    def damage(path):
        record = json.loads((path / file).read_text())
        change(record)
        (path / file).write_text(json.dumps(record))

    return damage


def _nulls(evidence):
    draws = evidence["posterior"]["draws"]
    draws["p_new"] = [None] * len(draws["p_new"])


def _no_rows(file):
    def damage(path):
        header = (path / file).read_text().splitlines()[0]
        (path / file).write_text(f"{header}\n")

    return damage


def _without_the_chosen(path):
    frame = pd.read_csv(path / "evaluation.csv")
    k = folder.read_folder(path).chosen["k"]
    frame[frame["k"] != k].to_csv(path / "evaluation.csv", index=False)


DAMAGE = {
    "an extra cost": (_in("costs.json", lambda r: r.update(tax=1)), "costs.json holds .* 'tax' is"),
    "no own costs": (_in("costs.json", lambda r: r.pop("own")), "costs.json lacks 'own'"),
    "a cost below 0": (
        _in("costs.json", lambda r: r["own"].update(transitivity=-1)), "costs.json holds .*transitivity"
    ),
    "no rows": (_no_rows("evaluation.csv"), "evaluation.csv has a header and no rows"),
    "no rankings": (_no_rows("rankings.csv"), "rankings.csv has a header and no rows"),
    "no chosen set": (_without_the_chosen, "evaluation.csv has no row of the set chosen"),
}  # fmt: skip
DAMAGE_OF_ANSWERS = DAMAGE | {
    "an extra field": (_in("reading.json", lambda r: r.update(x=1)), "reading.json holds .* 'x' is none"),
    "a lost field": (_in("reading.json", lambda r: r.pop("rows")), "reading.json lacks 'rows'"),
    "only nulls": (_in("evidence.json", _nulls), "changed holds .*no draw of the parameter 'p_new'"),
    "no selection": (
        _in("choice.json", lambda r: r.update(selection=None)), "choice.json .* 'selection' is null, exp"
    ),
    "a lost part": (_in("choice.json", lambda r: r.pop("scores")), "choice.json lacks 'scores'"),
    "words for numbers": (
        _in("choice.json", lambda r: r.update(accuracy="good")), "changed holds what netchoice does not"
    ),
    "a list for a record": (
        _in("evidence.json", lambda r: r.update(embedding=[])), "changed holds what netchoice does not"
    ),
}  # fmt: skip
DAMAGE_OF_EVALUATIONS = DAMAGE | {
    "nothing recommended": (
        _in("recommended.json", lambda r: r.update(recommended=None)),
        "recommended.json .* 'recommended' is null, expected an object",
    ),
}
DAMAGE_OF_EVALUATIONS.pop("a cost below 0")  # the name of a column there is another one


@pytest.mark.parametrize("case", DAMAGE_OF_ANSWERS)
def test_a_changed_answer_is_told_with_its_folder_and_what_to_do(case, answer, tmp_path):
    _check(answer, tmp_path / "changed", *DAMAGE_OF_ANSWERS[case], "choose")


@pytest.mark.parametrize("case", DAMAGE_OF_EVALUATIONS)
def test_a_changed_evaluation_is_told_too(case, evaluation, tmp_path):
    _check(evaluation, tmp_path / "changed", *DAMAGE_OF_EVALUATIONS[case], "evaluate")


def _check(whole, path, damage, words, command):
    shutil.copytree(whole, path, ignore=shutil.ignore_patterns("*.html", "figures"))
    damage(path)
    with pytest.raises(NetchoiceError, match=words) as told:
        write_report(path)
    assert str(path) in str(told.value)
    assert f"run netchoice {command} again with the same folder" in str(told.value)
    assert not (path / "report.html").exists()


def test_no_traceback_on_the_command_line(answer, tmp_path, capsys):
    shutil.copytree(answer, tmp_path / "changed")
    _in("choice.json", lambda record: record.update(selection=None))(tmp_path / "changed")
    assert run("report", tmp_path / "changed") == 1
    assert capsys.readouterr().err.startswith("netchoice: ")


def test_not_every_number_of_features_need_have_been_tried(answer, tmp_path):
    held = folder.read_folder(answer)
    rows = held.evaluation[held.evaluation["k"].isin([held.chosen["k"], 4, 7])]
    tried = grid.Grid(held.rankings, rows, held.costs, held.chosen, held.unit)
    cells = [cell for cells in tried.packed()["cells"] for cell in cells]
    assert {tuple(cell["k"]) for cell in cells} == {tuple(sorted({held.chosen["k"], 4, 7}))}
    assert all(len(cell["accuracy"]) == len(cell["k"]) for cell in cells)
    assert all(len(cell["order"]) == 7 for cell in cells)
