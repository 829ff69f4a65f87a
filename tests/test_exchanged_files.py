"""Files that are exchanged between two runs: the answer stays the same, or one line refuses it."""

import contextlib
import shutil
import warnings

import pytest
from fast_and_slow import fast_for
from quick_answers import FEW, QUICK, SERIAL, choose, facts, grown

import netchoice
from netchoice import References
from netchoice.choice.reference import STREAMS
from netchoice.choice.sizes import Size
from netchoice.errors import NetchoiceError, UsageError
from netchoice.storage.kept_files import OtherRunError
from netchoice.storage.run_folder import lock_folder

SPACE, FEATURES = "ba1,ba2", FEW[:2]
GRAPH = grown("ba2", 12, 2)


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


def exchanged(ours, theirs, folder, depth=9):
    """Yield each path of two runs, and a copy of our run in which this path is that of the other."""
    chosen = sorted(path for path in paths(theirs) if len(path.parts) <= depth)
    for number, path in enumerate(chosen):
        copy = folder / str(number)
        shutil.copytree(ours, copy)
        put(theirs / path, copy / path)
        yield path, copy
        shutil.rmtree(copy)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """Return the folders of prepared simulations with two seeds, and the answer of the first ones."""
    folder = tmp_path_factory.mktemp("prepared")
    for seed in (1, 2):
        prepare(folder / str(seed), seed)
    expected = answer_with(folder / "1")
    assert answer_with(folder / "2") != expected
    return folder / "1", folder / "2", expected


def prepare(path, seed=1, on_progress=False):
    return netchoice.prepare(
        SPACE, [12, 14], isolated="keep", features=FEATURES, effort=QUICK, seed=seed, out=path,
        **SERIAL | {"on_progress": on_progress},
    )  # fmt: skip


def answer_with(path):
    """Return the answer from prepared simulations."""
    return facts(netchoice.choose_model(GRAPH, reference=path, **SERIAL))


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Return the folders of two answers for one network with different seeds."""
    folder = tmp_path_factory.mktemp("answers")
    made = [answered(folder / str(seed), seed) for seed in (1, 2)]
    assert made[0] != made[1]
    return folder / "1", folder / "2"


def answered(path, seed=1):
    """Return an answer that is made, resumed or found in a folder."""
    return facts(choose(GRAPH, SPACE, features=FEATURES, penalty=0.1, seed=seed, out=path))


def resumed(path):
    """Return the answer of a run that was interrupted before its end."""
    (path / "answer.json").unlink(missing_ok=True)
    return answered(path)


def loaded(path):
    return facts(netchoice.Answer.load(path))


@fast_for("depth", [1], [1, 9])
def test_prepared_simulations_of_another_run_do_not_answer(prepared, depth, tmp_path):
    ours, theirs, expected = prepared
    outcomes = {
        path.as_posix(): outcome(lambda copy=copy: answer_with(copy), expected)
        for path, copy in exchanged(ours, theirs, tmp_path, depth)
    }
    refused = {path for path, each in outcomes.items() if each == "refused"}
    assert refused >= {"run", "12-keep"}
    assert depth == 1 or refused >= {"run/run.json", "12-keep/prepared.json"}
    unused = {path for path in outcomes if path.startswith("14-keep/")}
    assert unused & refused <= {"14-keep/prepared.json"}  # it is read for the list of sizes


def test_sizes_of_prepared_simulations_are_not_exchanged(prepared, tmp_path):
    ours, _, expected = prepared
    for source, target in [("14-keep", "12-keep"), ("14-keep", "11..13-keep")]:
        copy = tmp_path / target
        shutil.copytree(ours, copy)
        put(ours / source, copy / target)
        if target == "11..13-keep":
            shutil.rmtree(copy / "12-keep")
        assert outcome(lambda copy=copy: answer_with(copy), expected) == "refused"


def test_cohort_is_not_answered_with_simulations_of_another_run(prepared, tmp_path):
    ours, theirs, _ = prepared
    shutil.copytree(ours, tmp_path / "copy")
    put(theirs / "12-keep", tmp_path / "copy" / "12-keep")
    with pytest.raises(NetchoiceError, match=r"^.*12-keep.* belongs to another run.*$"):
        netchoice.choose_cohort(
            [GRAPH], reference=tmp_path / "copy", out=tmp_path / "cohort", **SERIAL
        )


def test_answer_is_not_read_with_files_of_another_run(answers, tmp_path):
    ours, theirs = answers
    expected = loaded(ours)
    outcomes = {
        path.as_posix(): outcome(lambda copy=copy: loaded(copy), expected)
        for path, copy in exchanged(ours, theirs, tmp_path)
    }
    refused = {path for path, each in outcomes.items() if each == "refused"}
    assert refused == {"answer.json", "run", "run/evidence.json"}


@pytest.mark.slow
def test_interrupted_answer_is_not_resumed_with_files_of_another_run(answers, tmp_path):
    ours, theirs = answers
    expected = answered(tmp_path / "expected")
    outcomes = {
        path.as_posix(): outcome(lambda copy=copy: resumed(copy), expected)
        for path, copy in exchanged(ours, theirs, tmp_path / "copies")
    }
    assert outcomes["run/run.json"] == outcomes["run/simulations/calibration"] == "refused"
    # These random numbers are those of the method: the rows are the same for every seed.
    assert outcomes["run/simulations/training"] == "same"


def test_second_preparation_in_one_folder_is_refused_at_once(prepared, tmp_path):
    """It is refused with the same settings and with others, and gives no answer of the first one later."""
    path, refused = tmp_path / "prepared", []

    def start_others(*_):
        for seed in (2, 1) if not refused else ():
            with pytest.raises(
                NetchoiceError, match=r"process \d+ .* is writing to .*prepared; wait"
            ):
                prepare(path, seed)
            refused.append(seed)

    prepare(path, 1, start_others)
    assert refused == [2, 1]
    with pytest.raises(UsageError, match="holds a run with another seed; give another folder"):
        prepare(path, 2)
    assert [*References.load(path)] == [Size((12, 12), "keep"), Size((14, 14), "keep")]
    assert answer_with(path) == prepared[2]


def test_prepared_simulations_are_read_by_several_processes_at_once(tmp_path):
    effort = netchoice.Effort.small()
    netchoice.prepare("ba", 20, effort=effort, out=tmp_path, engine="serial", on_progress=False)
    with contextlib.ExitStack() as locks:
        for folder in (path.parent for path in tmp_path.rglob("_manifest.json")):
            locks.enter_context(lock_folder(folder))
        known = netchoice.References.load(tmp_path)
        size = next(iter(known))
        assert known[size].n_rows(STREAMS[0], "ba1") == effort.screened


def test_prepared_simulations_of_another_version_are_refused_at_once(tmp_path, monkeypatch):
    effort = netchoice.Effort.small()
    netchoice.prepare("ba", 20, effort=effort, out=tmp_path, engine="serial", on_progress=False)
    monkeypatch.setattr("netchoice.choice.references.STREAMS", STREAMS[1:])
    with pytest.raises(OtherRunError, match="prepare it again in another folder"):
        netchoice.References.load(tmp_path)
