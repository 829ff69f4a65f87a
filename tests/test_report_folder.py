"""Error messages for folders without results and for folders that were changed."""

import json

import pytest
from report_folders import change_json, made_answer, made_evaluation, run

from netchoice.errors import NetchoiceError, UsageError
from netchoice.report.build import write_report
from netchoice.storage.kept_files import ABOUT, write_json


def test_folders_without_results_are_refused(tmp_path):
    message = "nowhere contains neither answer.json nor recommended.json; expected a folder that"
    with pytest.raises(UsageError, match=message):
        write_report(tmp_path / "nowhere")
    with pytest.raises(NetchoiceError, match=r"cannot write .*: No such file or directory"):
        write_report(made_evaluation(), tmp_path / "no" / "such" / "file.html")


# Answers


def rewritten(file, change):
    """Return a function that changes a JSON file and renews its checksum, as another version could."""

    def damage(folder):
        record = json.loads((folder / file).read_text())
        about = record.pop(ABOUT)
        change(record)
        write_json(folder / file, record, about["fingerprint"])

    return damage


def written(file, content):
    return lambda folder: (folder / file).write_text(content)


EVIDENCE = "run/evidence.json"
DAMAGED_ANSWERS = {
    "not JSON": (written(EVIDENCE, "{"), "evidence.json is damaged: it has no checksum"),
    "a list": (written(EVIDENCE, "[1]"), "evidence.json is damaged: it has no checksum"),
    "one character": (
        change_json("answer.json", lambda r: r["models"][0].update(state="fit")),
        "answer.json is damaged",
    ),
    "another version": (
        rewritten("answer.json", lambda r: r.update(schema=1)),
        "another version of netchoice wrote it",
    ),
    "a missing key": (rewritten("answer.json", lambda r: r.pop("power")), "'power'"),
    "a missing field": (rewritten("answer.json", lambda r: r["cost"].pop("seconds")), "'seconds'"),
    "an unknown field": (
        rewritten("answer.json", lambda r: r["cost"].update(x=1)),
        "'x' is not a part",
    ),
    "text for a number": (
        rewritten("answer.json", lambda r: r.update(accuracy="good")),
        "not a number",
    ),
    "a list for a record": (
        rewritten(EVIDENCE, lambda r: r.update(map=[])),
        "is a list, expected Map",
    ),
}


@pytest.mark.parametrize("case", DAMAGED_ANSWERS)
def test_error_for_a_changed_answer_names_the_folder_and_what_to_do(case, tmp_path, capsys):
    damage, message = DAMAGED_ANSWERS[case]
    folder = made_answer().save(tmp_path / "changed")
    damage(folder)
    with pytest.raises(NetchoiceError, match=message) as caught:
        write_report(folder)
    for text in (str(folder), "run netchoice choose again with the same folder to renew it"):
        assert text in str(caught.value)
    assert run("show", folder) == 1
    shown = capsys.readouterr().err
    assert shown.startswith("netchoice: ")
    assert shown.count("\n") == 1
    assert not (folder / "report.html").exists()


# Evaluations


RECOMMENDED, DETAILS = "recommended.json", "run/evaluation.json"
DAMAGED_EVALUATIONS = {
    "an extra cost": (rewritten(DETAILS, lambda r: r["costs"].update(tax=1)), "tax"),
    "no own costs": (rewritten(DETAILS, lambda r: r["costs"].pop("own")), "'own'"),
    "no rankings": (rewritten(DETAILS, lambda r: r.pop("rankings")), "'rankings'"),
    "a list": (written(RECOMMENDED, "[1]"), "recommended.json is damaged: it has no checksum"),
    "one character": (
        change_json(RECOMMENDED, lambda r: r.update(costs="given!")), "recommended.json is damaged"
    ),
    "nothing recommended": (
        rewritten(RECOMMENDED, lambda r: r.update(recommended=None)), "is a NoneType, expected RecommendedSet"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", DAMAGED_EVALUATIONS)
def test_error_for_a_changed_evaluation_names_the_folder_and_what_to_do(case, tmp_path):
    damage, message = DAMAGED_EVALUATIONS[case]
    folder = made_evaluation().save(tmp_path / "changed")
    damage(folder)
    with pytest.raises(NetchoiceError, match=message) as caught:
        write_report(folder)
    assert str(folder) in str(caught.value)
    assert "run netchoice evaluate again with the same folder" in str(caught.value)
    assert not (folder / "report.html").exists()
