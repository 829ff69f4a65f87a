"""Files that are exchanged between two runs: the answer stays the same, or one line refuses it."""

import shutil
import warnings

import numpy as np
import pytest
from netchoice.workflows.sizes import Size
from small_plans import small_plan

import netchoice
from netchoice import Chooser
from netchoice.errors import NetchoiceError, UsageError
from netchoice.report.folder import read_folder

SETTINGS = {
    "features": ["degree_mean", "transitivity"],
    "plan": small_plan(selection_samples=240, samples=120, min_fit_samples=60, local_samples=0),
    "isolated": "keep",
}
SERIAL = {"engine": "serial", "workers": 1}
GRAPHS = [
    netchoice.get_model("ba2").grow(n, rng=np.random.default_rng(i)) for i, n in enumerate((12, 14))
]


def paths(run):
    """Return the files and folders of a run, without its lock."""
    return {path.relative_to(run) for path in run.rglob("*") if path.name != "_lock"}


def put(source, target):
    """Replace a file or folder by another one, or add it."""
    if target.is_dir():
        shutil.rmtree(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    (shutil.copytree if source.is_dir() else shutil.copyfile)(source, target)


def outcome(answer, expected):
    """Return "same" or "refused"; any other answer fails the test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = answer()
        except NetchoiceError as error:
            assert "\n" not in str(error)
            return "refused"
    assert found == expected
    return "same"


def exchanged(ours, theirs, folder):
    """Yield each path of two runs, and a copy of our run in which this path is that of the other."""
    for number, path in enumerate(sorted(paths(theirs))):
        copy = folder / str(number)
        shutil.copytree(ours, copy)
        put(theirs / path, copy / path)
        yield path, copy
        shutil.rmtree(copy)


@pytest.fixture(scope="module")
def choosers(tmp_path_factory):
    """Return the folders of two choosers with different seeds, and the answers of the first one."""
    made = {seed: tmp_path_factory.mktemp("choosers") / str(seed) for seed in (1, 2)}
    for seed, path in made.items():
        Chooser("ba", n_nodes=[12, 14], seed=seed, **SETTINGS).fit(path=path, **SERIAL)
    assert probabilities(made[1]) != probabilities(made[2])
    return made[1], made[2], probabilities(made[1])


def probabilities(path):
    return Chooser.load(path).predict_proba(GRAPHS).tolist()


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Return the folders of two answers for one network with different seeds."""
    made = {seed: tmp_path_factory.mktemp("answers") / str(seed) for seed in (1, 2)}
    for seed in made:
        choose(made[seed], seed)
    return made[1], made[2]


def choose(path, seed=1):
    choice = netchoice.choose_model(
        GRAPHS[0], "ba", seed=seed, path=path, on_progress=False, **SETTINGS, **SERIAL
    )
    return choice.probabilities


def reported(path):
    """Return what a report shows."""
    found = read_folder(path)
    known = {name: value for name, value in found.record.items() if name != "cost"}
    return known, found.evidence, found.table.y.tolist(), found.table.X.to_numpy().tolist()


def test_chooser_does_not_answer_with_simulations_of_another_one(choosers, tmp_path):
    ours, theirs, expected = choosers
    outcomes = {
        path: outcome(lambda copy=copy: probabilities(copy), expected)
        for path, copy in exchanged(ours, theirs, tmp_path)
    }
    refused = {path for path, each in outcomes.items() if each == "refused"}
    assert {path.as_posix() for path in refused} >= {
        "run.json", "12-keep", "12-keep/run.json", "12-keep/prepared.json", "12-keep/tables",
        "12-keep/tables/inference", "14-keep",
    }  # fmt: skip


def test_sizes_of_a_chooser_are_not_exchanged(choosers, tmp_path):
    ours, _, expected = choosers
    for source, target in [
        ("12-keep", "14-keep"),
        ("14-keep", "12-keep"),
        ("12-keep", "11..15-keep"),
    ]:
        copy = tmp_path / f"{source} {target}"
        shutil.copytree(ours, copy)
        put(ours / source, copy / target)
        if target == "11..15-keep":
            shutil.rmtree(copy / "14-keep")
        assert outcome(lambda copy=copy: probabilities(copy), expected) == "refused"


def test_cohort_is_not_answered_with_simulations_of_another_chooser(
    choosers, tmp_path, monkeypatch
):
    """Workers read the sizes of a chooser with many sizes themselves."""
    ours, theirs, _ = choosers
    shutil.copytree(ours, tmp_path / "copy")
    put(theirs / "12-keep", tmp_path / "copy" / "12-keep")
    for limit in (0, 9):
        monkeypatch.setattr("netchoice.workflows.chooser.MAX_SIZES_IN_MEMORY", limit)
        with pytest.raises(NetchoiceError, match=r"^.*12-keep belongs to another run; .*$"):
            Chooser.load(tmp_path / "copy").choose_many(GRAPHS, engine="serial")


def test_report_shows_no_simulations_of_another_run(answers, tmp_path):
    ours, theirs = answers
    expected = reported(ours)
    outcomes = {
        path.as_posix(): outcome(lambda copy=copy: reported(copy), expected)
        for path, copy in exchanged(ours, theirs, tmp_path)
    }
    assert outcomes["tables/inference"] == outcomes["tables"] == "refused"
    assert outcomes["choice.json"] == outcomes["_files.json"] == "refused"


def test_answer_does_not_serve_as_chooser_with_files_of_another_one(answers, tmp_path):
    ours, theirs = answers
    expected = Chooser.load(ours).predict_proba(GRAPHS[:1]).tolist()
    outcomes = {
        path.as_posix(): outcome(
            lambda copy=copy: Chooser.load(copy).predict_proba(GRAPHS[:1]).tolist(), expected
        )
        for path, copy in exchanged(ours, theirs, tmp_path)
    }
    assert outcomes["run.json"] == outcomes["prepared.json"] == outcomes["tables"] == "refused"


@pytest.mark.slow
def test_resumed_answer_and_its_report_are_not_of_another_run(answers, tmp_path):
    ours, theirs = answers
    expected, shown = choose(ours), reported(ours)
    for _, copy in exchanged(ours, theirs, tmp_path):
        if outcome(lambda copy=copy: choose(copy), expected) == "same":
            assert outcome(lambda copy=copy: reported(copy), shown) == "same"


@pytest.mark.slow
def test_answer_of_a_chooser_is_not_written_beside_simulations_of_another_run(choosers, tmp_path):
    made = [Chooser.load(path) for path in choosers[:2]]
    folders = [tmp_path / "ours", tmp_path / "theirs"]
    for chooser, folder in zip(made, folders, strict=True):
        chooser.choose(GRAPHS[0], path=folder, **SERIAL)
    shown = reported(folders[0])
    for part in (
        "tables",
        "tables/inference",
        "tables/inference/_manifest.json",
        "tables/selection",
    ):
        copy = tmp_path / "copy"
        shutil.copytree(folders[0], copy)
        put(folders[1] / part, copy / part)
        outcome(
            lambda copy=copy: made[0].choose(GRAPHS[0], path=copy, **SERIAL).model,
            shown[0]["model"],
        )
        outcome(lambda copy=copy: reported(copy), shown)
        shutil.rmtree(copy)


def test_second_preparation_in_one_folder_is_refused_at_once(choosers, tmp_path):
    """It is refused with the same settings and with others, and gives no answer of the first one later."""
    path, refused = tmp_path / "prepared", []

    def prepare(seed, on_progress=False):
        made = Chooser("ba", n_nodes=[12, 14], seed=seed, **SETTINGS)
        return made.fit(path=path, on_progress=on_progress, **SERIAL)

    def start_others(*_):
        for seed in (2, 1) if not refused else ():
            with pytest.raises(
                NetchoiceError, match=r"process \d+ .* is writing to .*prepared; wait"
            ):
                prepare(seed)
            refused.append(seed)

    prepare(1, start_others)
    assert refused == [2, 1]
    with pytest.raises(UsageError, match="holds a run with another seed; give another folder"):
        prepare(2)
    assert Chooser.load(path).sizes_ == [Size(12, "keep"), Size(14, "keep")]
    assert probabilities(path) == choosers[2]
