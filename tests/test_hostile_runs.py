"""Runs beside files of others, with code that ends the program, and with contradicting options."""

import os
import shlex
import subprocess
import sys
from dataclasses import replace

import networkx as nx
import pytest
from quick_answers import FEW, QUICK, SERIAL, choose, facts, grown

import netchoice
from netchoice.choice.text import answer_lines
from netchoice.cli import main
from netchoice.errors import NetchoiceError, UsageError

SIMULATE = {
    "n_nodes": 9,
    "n_samples": 2,
    "seed": 1,
    "features": ["degree_mean"],
    "engine": "serial",
}


# Files of others in the folder of a run


def test_a_file_that_is_no_lock_is_not_replaced(tmp_path):
    """Also a pipe, a folder and a link, which would lead to a file elsewhere."""
    (tmp_path / "precious").write_text("precious")
    makers = {
        "file": lambda path: path.write_text("precious"),
        "link": lambda path: path.symlink_to(tmp_path / "precious"),
        "folder": lambda path: path.mkdir(),
        "pipe": os.mkfifo,
    }
    for name, make in makers.items():
        for lock, run in (
            ("a/_lock", lambda path: netchoice.simulate_table("ba", **SIMULATE, out=path)),
            ("b/run/_lock", lambda path: choose(grown("ba2"), out=path)),
        ):
            path = tmp_path / name / lock
            path.parent.mkdir(parents=True)
            make(path)
            with pytest.raises(NetchoiceError, match=r"_lock is|Is a directory"):
                run(tmp_path / name / lock[0])
            if name == "file":
                assert path.read_text() == "precious"
    assert (tmp_path / "precious").read_text() == "precious"


def test_a_link_in_the_folder_of_a_run_leads_to_no_file_elsewhere(tmp_path):
    folder, elsewhere = tmp_path / "run", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    (elsewhere / ".run.json.1.partial").write_text("precious")
    (folder / "run").symlink_to(elsewhere)
    with pytest.raises(UsageError, match="run is a link"):
        choose(grown("ba2"), out=folder)
    with pytest.raises(UsageError, match="run is a link"):
        netchoice.prepare("ba", 20, out=folder, effort=QUICK, features=FEW, **SERIAL)
    assert [path.name for path in elsewhere.iterdir()] == [".run.json.1.partial"]


@pytest.mark.parametrize("name", ["run/simulations", "run/simulations/training"])
def test_linked_simulations_are_refused(tmp_path, name):
    folder, elsewhere = tmp_path / "run", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (folder / name).parent.mkdir(parents=True)
    (folder / name).symlink_to(elsewhere)
    with pytest.raises(UsageError, match="a link that leads"):
        choose(grown("ba2"), out=folder)
    assert not any(elsewhere.iterdir())


# Code of users


@pytest.mark.parametrize(
    "code", ["raise SystemExit(0)", "def model(n_nodes, rng): raise SystemExit(0)"]
)
def test_code_that_ends_the_program_is_an_error(tmp_path, monkeypatch, capsys, code):
    """The command would end with 0, and without a result."""
    (tmp_path / "ending.py").write_text(f"{code}\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stopped:
        main(["grow", "ending:model", "-n", "9"])
    sys.modules.pop("ending", None)
    assert stopped.value.code in (1, 2)
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_output_that_nobody_reads_is_no_error():
    command = (
        f"{shlex.quote(sys.executable)} -m netchoice show models | true; exit ${{PIPESTATUS[0]}}"
    )
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""


# Options


@pytest.fixture(scope="module")
def references():
    return netchoice.prepare("ba1,ba2", 12, effort=QUICK, features=FEW, isolated="keep", **SERIAL)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("space", "ba3,ba4"), ("match", True), ("features", ["n_triangles"]), ("budget", "1ms"), ("seed", 2),
        ("method", "jmi"), ("penalty", 0.0), ("costs", "measured"), ("isolated", "drop"), ("effort", QUICK),
    ],
)  # fmt: skip
def test_options_that_the_simulations_have_decided_are_refused(references, name, value):
    """They were ignored: the answer was about other models than those that were named."""
    graph = grown("ba2", 12)
    with pytest.raises(
        UsageError, match=f"`{name}` is given, but the simulations were made before"
    ):
        netchoice.choose_model(graph, reference=references, **{name: value}, **SERIAL)


def test_kept_simulations_are_read_with_the_space_that_made_them(tmp_path):
    own = netchoice.ModelSpace("own", [netchoice.get_model("ba1"), netchoice.get_model("ba2")])
    options = {"effort": QUICK, "features": FEW, "isolated": "keep", **SERIAL}
    netchoice.prepare(own, 12, out=tmp_path / "kept", **options)
    graph, given = grown("ba2", 12), {"reference": tmp_path / "kept", **SERIAL}
    answer = netchoice.choose_model(graph, own, features=FEW, **given)
    assert facts(answer) == facts(netchoice.choose_model(graph, **given))
    with pytest.raises(UsageError, match="differ from those of the simulations"):
        netchoice.choose_model(graph, "ba3,ba4", **given)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"effort": "small"}, "`effort` must be a netchoice.Effort; got 'small'"),
        ({"seed": 10**5000}, "`seed` must be an integer of at least 0; got a number of very many digits"),
        ({"seed": 10**400}, "`seed` must be an integer of at least 0; got 1000.* … .*000"),
    ],
)  # fmt: skip
def test_wrong_values_are_refused_in_one_short_line(options, message):
    with pytest.raises(UsageError, match=message) as refused:
        choose(grown("ba2"), **options)
    assert len(str(refused.value)) < 200


def test_features_that_are_named_twice_count_once():
    assert [each.name for each in choose(grown("ba2"), features=FEW[:2] * 2).features] == FEW[:2]


# Time limits


def test_selection_of_features_ends_in_time(tmp_path):
    """The pilots are kept, so that the same command finishes them."""
    endless = {"space": "ba1,ba2", "features": None, "budget": "1ms", "out": tmp_path / "run"}
    with pytest.raises(UsageError, match=r"ended after .* of 400 pilots.*; give a longer limit"):
        choose(nx.barabasi_albert_graph(300, 8, seed=1), time_limit=0.01, **endless)
    assert (tmp_path / "run/run/simulations/selection/tables/pilots").is_dir()


def test_models_that_stay_open_without_a_time_limit_are_not_blamed_on_it():
    """A model of which most simulations fail is not decided."""
    answer = choose(grown("ba2"), "ba1,ba2")
    models = tuple(replace(each, state="open", p_value=None) for each in answer.models)
    still_open = replace(answer, models=models, is_complete=False)
    assert not any("time limit" in line for line in answer_lines(still_open))
    limited = replace(still_open, settings=answer.settings | {"time_limit": 1.0})
    assert any("give a longer time limit" in line for line in answer_lines(limited))


def test_cohorts_refuse_what_their_simulations_have_decided(references, tmp_path):
    with pytest.raises(UsageError, match="`space` is given, but the simulations were made before"):
        netchoice.choose_cohort(
            [grown("ba2", 12)], "ba3,ba4", reference=references, out=tmp_path / "c", **SERIAL
        )


def test_names_that_are_no_text_are_shown_as_codes(references, tmp_path):
    """File names may hold bytes of another encoding."""
    networks = {"a\udcff": grown("ba2", 12)}
    answers = netchoice.choose_cohort(networks, reference=references, out=tmp_path / "c", **SERIAL)
    assert answers.frame()["id"].tolist() == ["a\\udcff"]
