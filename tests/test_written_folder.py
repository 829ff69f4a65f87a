"""The folder of a run: links and foreign names in it lead to no other file, and it has one lock."""

import sys

import numpy as np
import pytest

import netchoice
from netchoice import simulate_table
from netchoice.atomic import write_text
from netchoice.errors import NetchoiceError, TableError, UsageError
from netchoice.storage.kept_files import read_json, write_json
from netchoice.storage.run_folder import KEPT, LOCK, RECORD, run_folder, written_folder

SETTINGS = {"seed": 1}
SMALL = {"n_nodes": 12, "n_samples": 3, "features": ["degree_mean"], "engine": "serial"}
posix = pytest.mark.skipif(sys.platform == "win32", reason="needs links and flock")


@pytest.fixture
def victim(tmp_path):
    """A file of somebody else, which must keep its content."""
    (tmp_path / "elsewhere").mkdir()
    path = tmp_path / "elsewhere" / "thesis.tex"
    path.write_text("theirs")
    yield path
    assert path.read_text() == "theirs"


def opened(folder, settings, fresh=False):
    """Open the folder of a run, and close it."""
    with run_folder(folder, settings, fresh):
        pass


@posix
def test_lock_that_is_a_link_is_refused(tmp_path, victim):
    (tmp_path / "table").mkdir()
    (tmp_path / "table" / LOCK).symlink_to(victim)
    with pytest.raises(UsageError, match="_lock is a link; remove it"):
        simulate_table("ba", seed=1, out=tmp_path / "table", **SMALL)
    (tmp_path / "answer" / KEPT).mkdir(parents=True)
    (tmp_path / "answer" / KEPT / LOCK).symlink_to(victim)
    with pytest.raises(UsageError, match="_lock is a link; remove it"):
        opened(tmp_path / "answer", SETTINGS)


@posix
def test_file_of_somebody_else_with_the_name_of_a_lock_is_refused(tmp_path):
    (tmp_path / LOCK).write_text("a thesis")
    with pytest.raises(UsageError, match="_lock is not a lock of netchoice; move it"):
        simulate_table("ba", seed=1, out=tmp_path, **SMALL)
    assert (tmp_path / LOCK).read_text() == "a thesis"


@posix
def test_subfolder_of_the_record_that_is_a_link_is_refused(tmp_path, victim):
    (tmp_path / "answer").mkdir()
    (tmp_path / "answer" / KEPT).symlink_to(victim.parent)
    with pytest.raises(UsageError, match="run is a link that leads out of"):
        opened(tmp_path / "answer", SETTINGS)
    assert [*victim.parent.iterdir()] == [victim]


@posix
def test_incomplete_file_that_is_a_link_is_replaced(tmp_path, victim, monkeypatch):
    monkeypatch.setattr("os.getpid", lambda: 7)
    (tmp_path / ".x.txt.7.partial").symlink_to(victim)
    write_text(tmp_path / "x.txt", "ours")
    assert (tmp_path / "x.txt").read_text() == "ours"


@posix
def test_subfolder_that_is_a_link_to_another_folder_is_refused(tmp_path, victim):
    with run_folder(tmp_path / "run", SETTINGS, fresh=False):
        (tmp_path / "run" / "figures").symlink_to(victim.parent)
        with pytest.raises(UsageError, match="figures is outside the folder of the run, or a link"):
            write_text(tmp_path / "run" / "figures" / "thesis.tex", "ours")


@pytest.mark.parametrize("name", ["../elsewhere/thesis.tex", "{victim}"])
def test_list_with_a_file_of_another_folder_is_refused(tmp_path, victim, name):
    opened(tmp_path / "run", SETTINGS)
    record = read_json(tmp_path / "run" / RECORD, advice="")
    files = [name.format(victim=victim)]
    write_json(tmp_path / "run" / RECORD, {**record, "files": files}, "")
    for fresh in (True, False):
        with pytest.raises(UsageError, match=r"elsewhere is outside the folder of the run"):
            opened(tmp_path / "run", SETTINGS, fresh)


@posix
def test_fresh_deletes_nothing_behind_a_link(tmp_path, victim):
    run = tmp_path / "run"
    with run_folder(run, SETTINGS, fresh=False):
        (run / "figures").mkdir()
        write_text(run / "figures" / "thesis.tex", "ours")
    (run / "figures" / "thesis.tex").unlink()
    (run / "figures").rmdir()
    (run / "figures").symlink_to(victim.parent)
    with pytest.raises(UsageError, match="figures is outside the folder of the run, or a link"):
        opened(run, {"seed": 2}, fresh=True)


@posix
def test_subfolders_belong_to_the_lock_of_their_folder(tmp_path):
    table = tmp_path / "run" / "table"
    with run_folder(tmp_path / "run", SETTINGS, fresh=False):
        simulate_table("ba", seed=1, out=table, **SMALL)
        with pytest.raises(TableError, match="is writing to"), written_folder(tmp_path / "run"):
            pass
    assert not (table / "_lock").exists()
    simulate_table("ba", seed=1, out=table, **SMALL)
    assert (table / "_lock").exists()  # alone, it has its own


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Return the folders of two answers with different seeds, and the network."""
    network = netchoice.get_model("ba2").grow(30, rng=np.random.default_rng(1))
    folders = [tmp_path_factory.mktemp("answers") / str(seed) for seed in (1, 2)]
    for seed, folder in enumerate(folders, start=1):
        choose(network, seed, folder)
    return folders, network


def choose(network, seed, folder):
    effort = netchoice.Effort.small()
    return netchoice.choose_model(
        network, "ba", seed=seed, effort=effort, engine="serial", out=folder
    )


@pytest.mark.parametrize("name", ["run/evidence.json", "answer.json"])
def test_file_of_another_run_is_refused(answers, name):
    (ours, theirs), network = answers
    content = (ours / name).read_bytes()
    (ours / name).write_bytes((theirs / name).read_bytes())
    try:
        with pytest.raises(NetchoiceError, match=r"belongs to another run") as refused:
            choose(network, 1, ours)
        assert "\n" not in str(refused.value)
        with pytest.raises(NetchoiceError, match=r"belongs to another run"):
            netchoice.Answer.load(ours)
    finally:
        (ours / name).write_bytes(content)
    assert choose(network, 1, ours) is not None


def test_other_network_in_the_folder_of_an_answer_is_refused(answers):
    (ours, _), _ = answers
    content = (ours / "run" / "network.tsv").read_text()
    (ours / "run" / "network.tsv").write_text(content + "0\t29\n")
    try:
        with pytest.raises(NetchoiceError, match=r"run/network.tsv is another network"):
            netchoice.Answer.load(ours)
    finally:
        (ours / "run" / "network.tsv").write_text(content)
