"""``choose`` for one network and for a cohort, and ``prepare``: what they print, write and refuse."""

import json
import time

import networkx as nx
import pandas as pd
import pytest
from quick_answers import QUICK, grown

import netchoice

FEATURES = "degree_mean,transitivity,n_triangles"
SETTINGS = ("--space", "dmc,ba2", "--features", FEATURES, "--engine", "serial")


@pytest.fixture(autouse=True)
def few_simulations(monkeypatch):
    """Let the commands simulate few networks."""
    monkeypatch.setattr("netchoice.choice.settings.Effort", lambda: QUICK)


@pytest.fixture
def refused(run):
    """Run a command that must end with one line and exit code 2; return the line."""

    def refused(*arguments):
        code, _, errors = run(*arguments)
        assert (code, errors.count("\n")) == (2, 1), errors
        return errors

    return refused


@pytest.fixture(scope="module")
def networks(tmp_path_factory):
    """Return a folder with network files; those of 20 nodes have isolated nodes."""
    folder = tmp_path_factory.mktemp("networks")
    foreign = nx.complete_graph(18)
    foreign.add_nodes_from([18, 19])
    graphs = {"dmc": grown("dmc", 20, 3), "foreign": netchoice.Graph.of(foreign)}
    assert all(graph.n_isolated for graph in graphs.values())
    for name, graph in {**graphs, "small": grown("ba2", 15)}.items():
        netchoice.write_network(graph, folder / f"{name}.graphml")
    (folder / "broken.graphml").write_text("<graphml>")
    return folder


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """Return the folder of simulations for 20 nodes with isolated nodes."""
    path = tmp_path_factory.mktemp("prepared") / "made"
    netchoice.prepare(
        "dmc,ba2", 20, isolated="keep", features=FEATURES.split(","), effort=QUICK,
        engine="serial", out=path,
    )  # fmt: skip
    return path


# One network


def test_choose_prints_and_writes_the_answer(run, refused, networks, tmp_path):
    out = tmp_path / "answer"
    command = ["choose", networks / "dmc.graphml", *SETTINGS, "--out", out]
    code, text, errors = run(*command)
    assert code == 0, errors
    lines = text.splitlines()
    assert len(lines) <= 12
    assert lines[0].startswith("network: 20 nodes, ")
    assert lines[1].startswith("verdict: ")
    assert lines[-1] == f"report.html, answer.json, figures and tables are in {out}"
    assert "simulating (training)" in errors
    assert (out / "figures" / "probabilities.png").stat().st_size > 5000
    assert (out / "report.html").stat().st_size > 50_000

    code, text, errors = run(*command, "--json")  # the run ended, and nothing is simulated again
    assert code == 0, errors
    assert "simulating" not in errors
    record = json.loads(text)
    kept = json.loads((out / "answer.json").read_text())
    assert record == {name: kept[name] for name in record}
    assert {each["name"] for each in record["models"]} == {"dmc", "ba2"}
    assert record["reading"]["format"] == "graphml"
    assert json.loads(run("show", out, "--json")[1]) == record
    assert run("show", out)[1].splitlines() == run(*command, "--verbose")[1].splitlines()[:-1]
    assert "holds a run with another seed" in refused(*command, "--seed", 2)


@pytest.mark.usefixtures("no_figures")
def test_time_limit_of_the_command_is_kept(run, networks, tmp_path, monkeypatch):
    """Reading and starting are part of the command; this process started long ago."""
    endless = netchoice.Effort(trained=10**6, altered=10**6)
    monkeypatch.setattr("netchoice.choice.settings.Effort", lambda: endless)
    monkeypatch.setattr("netchoice.cli.choose.STARTED", started := time.monotonic())
    command = ["choose", networks / "dmc.graphml", "--space", "duplication", "--engine", "serial"]
    code, text, errors = run(*command, "--time-limit", "3s", "--json", "--out", tmp_path / "answer")
    assert code == 0, errors
    assert time.monotonic() - started < 20  # without a limit it takes hours
    assert "open" in {each["state"] for each in json.loads(text)["models"]}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--time-limit", "soon"], "`--time-limit` must be a time such as 5ms, 90s or 2min; got 'soon'"),
        (["--space", ","], "the model space is empty; expected a name such as duplication"),
        (["--features", ","], "--features is empty; expected items separated by commas"),
        (["--method", "jm"], "unknown method 'jm'; did you mean 'jmi'"),
        (["--budget", "5eur"], "`budget` must be a cost such as 20"),
        (["--space", "ba", "--prior", "x"], "not of the form name=value"),
        (["--space", "nowhere:x"], "no module 'nowhere'"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("no_simulation")
def test_wrong_option_of_choose_is_refused(refused, networks, tmp_path, options, message):
    command = ["choose", networks / "dmc.graphml", *options, "--out", tmp_path / "x"]
    assert message in refused(*command)
    assert not (tmp_path / "x").exists()


def test_missing_file_is_refused(run, tmp_path):
    code, _, errors = run("choose", tmp_path / "nowhere.tsv")
    assert (code, errors.count("\n")) == (1, 1)
    assert "nowhere.tsv" in errors


# Prepared simulations


def decisions(record):
    """Return what an answer says, without what comes from all simulations, of which there can be more."""
    names = ("name", "state", "probability", "interval", "parameters")
    return record["verdict"], [[each[name] for name in names] for each in record["models"]]


@pytest.mark.usefixtures("no_figures")
def test_answer_with_prepared_simulations_is_the_answer_without(run, networks, tmp_path):
    out, options = tmp_path / "made", [*SETTINGS[2:], "--isolated", "keep", "--seed", 5]
    prepare = ["prepare", "dmc,ba2", *options, "--nodes", 20, "--out", out]
    code, text, errors = run(*prepare)
    assert code == 0, errors
    assert text.splitlines() == [
        "prepared dmc, ba2 for",
        "  20 nodes, isolated nodes kept",
        f"use it with: netchoice choose NETWORK… --reference {out}",
    ]
    assert run("show", out)[1].splitlines() == ["dmc, ba2:", "20 nodes, isolated nodes kept"]
    assert "simulating" in errors
    assert run(*prepare) == (0, text, "")  # nothing is simulated again

    choose = ["choose", networks / "dmc.graphml", "--json"]
    given = ["--reference", out, "--engine", "serial", "--out", tmp_path / "with"]
    code, text, errors = run(*choose, *given)
    assert code == 0, errors
    found = json.loads(text)
    assert found["verdict"]["model"] == "dmc"
    code, text, errors = run(*choose, "--space", "dmc,ba2", *options, "--out", tmp_path / "without")
    assert code == 0, errors
    assert decisions(found) == decisions(json.loads(text))
    assert (tmp_path / "with" / "answer.json").exists()


@pytest.mark.usefixtures("no_simulation")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--out", "x"], "no number of nodes is given; pass n_nodes (--nodes 300), or networks"),
        (["--nodes", "20"], "--out is missing; give it, for example --out duplication-1000"),
        (["ba", "--nodes", "a,b", "--out", "x"], "'a' nodes; expected a number such as 300, or a range"),
        (["--nodes", "20", "--out", "x"], "density-matched simulations depend on networks"),
    ],
)  # fmt: skip
def test_incomplete_preparation_is_refused(refused, options, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert message in refused("prepare", *options)
    assert not (tmp_path / "x").exists()


@pytest.mark.usefixtures("no_simulation")
@pytest.mark.parametrize(
    "option",
    ["--match", "--method=jmi", "--penalty=1", "--budget=5ms", "--costs=measured", "--seed=2",
     "--prior=p_delete=0.5", "--isolated=keep"],
)  # fmt: skip
def test_options_that_prepared_simulations_have_decided_are_refused(
    refused, prepared, networks, option, tmp_path
):
    command = ["choose", networks / "dmc.graphml", "--reference", prepared, option]
    name = option.partition("=")[0].removeprefix("--")
    expected = f"netchoice: `{name}` is given, but the simulations were made before"
    assert refused(*command, "--out", tmp_path / "out").startswith(expected)
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("no_simulation")
@pytest.mark.parametrize(
    ("network", "options", "message"),
    [
        ("dmc", ["--space", "ba"], "the models of the space ba differ from those of the simulations"),
        ("dmc", ["--space", "dmc,ba1"], "the models of the space dmc, ba1 differ"),
        ("dmc", ["--features", "degree_mean"],
         "features degree_mean are given, and the simulations were made"),
        ("small", [], "prepared are: 20 nodes, isolated nodes kept"),
    ],
)  # fmt: skip
def test_other_models_features_and_sizes_than_those_prepared_are_refused(
    refused, prepared, networks, network, options, message, tmp_path
):
    command = ["choose", networks / f"{network}.graphml", "--reference", prepared, *options]
    assert message in refused(*command, "--out", tmp_path / "out")


@pytest.mark.usefixtures("no_figures")
def test_prepared_models_of_the_user_are_named_again(run, refused, networks, tmp_path, monkeypatch):
    (tmp_path / "models_of_the_user.py").write_text(
        "import networkx as nx\nimport netchoice\n\n"
        '@netchoice.model(p="uniform(0.05, 0.4)")\ndef gnp(n_nodes, rng, p):\n'
        "    return nx.fast_gnp_random_graph(n_nodes, p, seed=int(rng.integers(2**31)))\n\n"
        'space = netchoice.ModelSpace("mine", [gnp, netchoice.get_model("ba2")])\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    out, space = tmp_path / "made", "models_of_the_user:space"
    options = ["--nodes", 20, "--isolated", "keep", *SETTINGS[2:]]
    code, _, errors = run("prepare", space, *options, "--out", out)
    assert code == 0, errors
    choose = [
        "choose",
        networks / "dmc.graphml",
        "--reference",
        out,
        "--engine",
        "serial",
        "--json",
    ]
    message = "the model gnp is not built in; pass the model space that holds it (--space"
    assert message in refused(*choose, "--out", tmp_path / "a")
    code, text, errors = run(*choose, "--out", tmp_path / "b", "--space", space)
    assert code == 0, errors
    assert {each["name"] for each in json.loads(text)["models"]} == {"gnp", "ba2"}


# A cohort


@pytest.fixture
def manifest(networks):
    path = networks / "cohort.csv"
    rows = ["s1,foreign.graphml,old,71,north", "s2,broken.graphml,old,,south",
            "s3,dmc.graphml,young,23,north", "s4,small.graphml,young,25,"]  # fmt: skip
    path.write_text("\n".join(["id,path,group,age,site", *rows]) + "\n")
    return path


def columns():
    """Return the columns of answers.csv that are promised."""
    names = ["id", "group", "age", "site", "file", "verdict", "model", "probable", "family"]
    for model in ("dmc", "ba2"):
        names += [f"{kind}_{model}" for kind in ("probability", "lower", "upper", "fit_p", "state")]
    for parameter in ("dmc_p_delete", "dmc_p_connect", "ba2_m"):
        names += [f"{parameter}_{end}" for end in ("median", "lower", "upper")]
    names += ["headline", "n_nodes", "n_edges", "isolated", "reference"]
    return {*names, "notes", "seconds", "error"}


def test_cohort_has_a_row_for_each_network_with_what_is_known(run, prepared, manifest, tmp_path):
    out = tmp_path / "out"
    command = ["choose", manifest, "--reference", prepared, "--engine", "serial", "--out", out]
    code, text, errors = run(*command)
    assert code == 0, errors
    assert text.splitlines()[0] == "4 networks"
    files = "report.html, summary.json, figures and tables"
    assert text.endswith(f"{files} are in {out}\n")
    assert (out / "report.html").exists()
    assert run("show", out)[1].splitlines() == text.splitlines()[1:-1]
    frame = pd.read_csv(out / "tables" / "answers.csv", engine="python")
    assert {*frame.columns} == columns()
    assert list(frame["id"]) == ["s1", "s2", "s3", "s4"]
    assert list(frame["group"]) == ["old", "old", "young", "young"]
    assert frame["age"].tolist()[2:] == [23, 25]
    assert frame["site"].tolist()[:3] == ["north", "south", "north"]
    assert frame.loc[0, "verdict"] == "none-fits"
    assert "compared with dmc: " in frame.loc[0, "notes"]
    assert frame.loc[2, "model"] == "dmc"
    assert frame.loc[[0, 2], "error"].isna().all()
    assert "broken" in frame.loc[1, "error"]
    assert frame.loc[3, "error"].startswith("no simulations are prepared for a network with 15")
    assert frame.loc[[1, 3], ["verdict", "probability_dmc", "notes"]].isna().all(axis=None)
    assert (frame["seconds"] > 0).all()
    assert frame.loc[2, "dmc_p_delete_lower"] < frame.loc[2, "dmc_p_delete_upper"]

    (out / "mine.txt").write_text("mine")
    before = (out / "tables" / "answers.csv").read_bytes()
    assert run(*command)[0] == 0  # nothing is left to do
    assert (out / "tables" / "answers.csv").read_bytes() == before
    assert run(*command, "--fresh", "--json")[0] == 0
    assert (out / "mine.txt").read_text() == "mine"
    again = pd.read_csv(out / "tables" / "answers.csv", engine="python")
    pd.testing.assert_frame_equal(again.drop(columns="seconds"), frame.drop(columns="seconds"))


def test_cohort_without_an_answer_exits_with_one(run, prepared, networks, tmp_path):
    command = ["choose", networks / "small.graphml", networks / "broken.graphml"]
    code, text, _ = run(
        *command, "--reference", prepared, "--engine", "serial", "--out", tmp_path / "out"
    )
    assert code == 1
    assert "no network was answered" in text


@pytest.mark.usefixtures("no_simulation")
@pytest.mark.parametrize(
    "option",
    [
        "--budget=5ms",
        "--method=jmi",
        "--penalty=1",
        "--costs=measured",
        "--time-limit=5s",
        "--verbose",
    ],
)
def test_options_for_one_network_are_refused_for_a_cohort(refused, networks, option, tmp_path):
    name = option.partition("=")[0]
    message = refused("choose", networks, option, "--out", tmp_path / "out")
    assert message == f"netchoice: {name} is for one network; leave it out for a cohort\n"


@pytest.mark.usefixtures("no_simulation")
def test_folder_of_results_is_no_cohort(refused, prepared, tmp_path):
    table = tmp_path / "table"
    table.mkdir()
    (table / "_manifest.json").write_text("{}")
    for folder in (prepared, table):
        message = refused("choose", folder, "--out", tmp_path / "out")
        assert f"{folder} holds results of netchoice and not networks" in message
        assert message.endswith(f"netchoice show {folder}\n")


@pytest.mark.usefixtures("no_simulation")
def test_folders_without_networks_and_of_somebody_else_are_refused(
    run, refused, networks, tmp_path
):
    (tmp_path / "empty").mkdir()
    refused("choose", tmp_path / "empty", "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    cohort = tmp_path / "cohort.csv"
    rows = [f"{i},{networks / 'dmc.graphml'}" for i in range(5)]  # enough to share simulations
    cohort.write_text("\n".join(["id,path", *rows]) + "\n")
    for name, kind in (("mine", "a cohort"), ("run/references", "netchoice prepare")):
        out = tmp_path / f"with {kind}"
        theirs = out / name / "notes.txt"
        theirs.parent.mkdir(parents=True)
        theirs.write_text("mine")
        code, _, errors = run("choose", cohort, *SETTINGS, "--fresh", "--out", out)
        assert code == 2
        assert f"is not empty and holds no run of {kind}" in errors.splitlines()[-1]
        assert [path for path in out.rglob("*") if path.is_file()] == [theirs]
