"""Error messages for folders without results and for folders that were changed."""

import json
import shutil

import pandas as pd
import pytest
from page_outline import Outline
from report_folders import run, run_choose, run_evaluate, shared_folder
from report_folders import write_changed_report as write_report

from netchoice.errors import NetchoiceError, UsageError
from netchoice.report import feature_sections, folder
from netchoice.report.page import Sections


@pytest.fixture(scope="module")
def choice(tmp_path_factory):
    return shared_folder(run_choose, tmp_path_factory)


@pytest.fixture(scope="module")
def evaluation(tmp_path_factory):
    return shared_folder(run_evaluate, tmp_path_factory)


def test_folders_without_results_are_refused(choice, tmp_path, capsys):
    with pytest.raises(
        UsageError, match="nowhere is not a folder; expected one that netchoice choose"
    ):
        write_report(tmp_path / "nowhere")
    with pytest.raises(UsageError, match=r"contains neither choice.json nor recommended.json"):
        write_report(tmp_path)
    old = tmp_path / "old"
    shutil.copytree(choice, old)
    (old / "evidence.json").write_text('{"schema": 1}')
    with pytest.raises(
        NetchoiceError, match="lacks 'posteriors'; another version of netchoice wrote it"
    ):
        write_report(old)
    (old / "evidence.json").write_text("[1]")
    with pytest.raises(NetchoiceError, match="contains a list; expected an object"):
        write_report(old)
    (old / "evidence.json").write_text("{")
    with pytest.raises(NetchoiceError, match=r"evidence.json is not JSON; run netchoice choose"):
        write_report(old)
    (old / "evidence.json").unlink()
    with pytest.raises(
        NetchoiceError, match=r"evidence.json is missing; run netchoice choose again"
    ):
        write_report(old)
    assert run("show", old, "--out", tmp_path / "again.html") == 1
    assert capsys.readouterr().err.startswith("netchoice: ")
    with pytest.raises(NetchoiceError, match=r"cannot write .*: No such file or directory"):
        write_report(choice, tmp_path / "no" / "such" / "file.html")


def change_json(file, change):
    def damage(path):
        record = json.loads((path / file).read_text())
        change(record)
        (path / file).write_text(json.dumps(record))

    return damage


def only_nulls(evidence):
    draws = evidence["posteriors"]["dmr"]["draws"]
    draws["p_new"] = [None] * len(draws["p_new"])


def only_header(file):
    def damage(path):
        header = (path / file).read_text().splitlines()[0]
        (path / file).write_text(f"{header}\n")

    return damage


def without_chosen_set(path):
    frame = pd.read_csv(path / "evaluation.csv")
    k = folder.read_folder(path).feature_sets.chosen["k"]
    frame[frame["k"] != k].to_csv(path / "evaluation.csv", index=False)


DAMAGE = {
    "an extra cost": (
        change_json("costs.json", lambda r: r.update(tax=1)),
        "costs.json has unexpected contents: 'tax' is",
    ),
    "no own costs": (change_json("costs.json", lambda r: r.pop("own")), "costs.json lacks 'own'"),
    "a cost below 0": (
        change_json("costs.json", lambda r: r["own"].update(transitivity=-1)),
        "costs.json has unexpected contents: .*transitivity",
    ),
    "no rows": (only_header("evaluation.csv"), "evaluation.csv has a header and no rows"),
    "no rankings": (only_header("rankings.csv"), "rankings.csv has a header and no rows"),
    "no chosen set": (without_chosen_set, "evaluation.csv has no row of the chosen set"),
}
DAMAGE_OF_CHOICES = DAMAGE | {
    "an extra field": (
        change_json("reading.json", lambda r: r.update(x=1)),
        "reading.json has unexpected contents: 'x' is not one",
    ),
    "a missing field": (
        change_json("reading.json", lambda r: r.pop("rows")),
        "reading.json lacks 'rows'",
    ),
    "only nulls": (
        change_json("evidence.json", only_nulls),
        "changed has unexpected contents: no draw of the parameter 'p_new'",
    ),
    "no selection": (
        change_json("choice.json", lambda r: r.update(selection=None)),
        "choice.json .* 'selection' is null, exp",
    ),
    "a missing key": (
        change_json("choice.json", lambda r: r.pop("scores")),
        "choice.json lacks 'scores'",
    ),
    "text for a number": (
        change_json("choice.json", lambda r: r.update(accuracy="good")),
        "changed has unexpected contents",
    ),
    "a list for a record": (
        change_json("evidence.json", lambda r: r.update(embedding=[])),
        "changed has unexpected contents",
    ),
}
DAMAGE_OF_EVALUATIONS = DAMAGE | {
    "nothing recommended": (
        change_json("recommended.json", lambda r: r.update(recommended=None)),
        "recommended.json .* 'recommended' is null, expected an object",
    ),
}
DAMAGE_OF_EVALUATIONS.pop("a cost below 0")  # the name of a column there is another one


@pytest.mark.parametrize("case", DAMAGE_OF_CHOICES)
def test_error_for_a_changed_choice_names_the_folder_and_what_to_do(case, choice, tmp_path):
    check_error(choice, tmp_path / "changed", *DAMAGE_OF_CHOICES[case], "choose")


@pytest.mark.parametrize("case", DAMAGE_OF_EVALUATIONS)
def test_error_for_a_changed_evaluation_names_the_folder_and_what_to_do(case, evaluation, tmp_path):
    check_error(evaluation, tmp_path / "changed", *DAMAGE_OF_EVALUATIONS[case], "evaluate")


def check_error(original, path, damage, message, command):
    shutil.copytree(original, path, ignore=shutil.ignore_patterns("*.html", "figures"))
    damage(path)
    with pytest.raises(NetchoiceError, match=message) as caught:
        write_report(path)
    assert str(path) in str(caught.value)
    assert f"run netchoice {command} again with the same folder" in str(caught.value)
    assert not (path / "report.html").exists()


def test_report_of_a_table_that_lacks_rows_is_refused(choice, tmp_path):
    shutil.copytree(choice, tmp_path / "run")
    shard = max((tmp_path / "run" / "tables" / "inference").glob("rows-*.parquet"))
    content = bytearray(shard.read_bytes())
    content[len(content) // 2] ^= 1
    shard.write_bytes(content)
    message = r"inference has (no rows yet|\d+ of \d+ rows; run netchoice choose again with)"
    with pytest.raises(NetchoiceError, match=message):
        write_report(tmp_path / "run")


def test_command_line_shows_no_traceback(choice, tmp_path, capsys):
    shutil.copytree(choice, tmp_path / "changed")
    change_json("choice.json", lambda record: record.update(selection=None))(tmp_path / "changed")
    assert run("show", tmp_path / "changed", "--out", tmp_path / "again.html") == 1
    assert capsys.readouterr().err.startswith("netchoice: ")


def test_some_numbers_of_features_may_be_missing(choice):
    results = folder.read_folder(choice)
    chosen = results.record["selection"]["operating_point"]
    rows = results.evaluation[results.evaluation["k"].isin([chosen["k"], 4, 7])]
    sets = feature_sections.FeatureSets(results.rankings, rows, results.costs, chosen, results.unit)
    sections = Sections()
    feature_sections.add_sets(sections, sets)
    feature_sections.add_heat_maps(sections, sets)
    feature_sections.add_rankings(sections, sets)
    page = Outline(sections.html())
    ks = " ".join(map(str, sorted({chosen["k"], 4, 7})))
    assert page.text.count(f"λ \\ k {ks} ") == len(sets.methods)
    positions = max(chosen["k"], 7)
    head = " ".join(map(str, range(1, positions + 1)))
    assert page.text.count(f"λ \\ position {head} ") == len(sets.methods)
