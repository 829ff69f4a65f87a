"""``choose --with`` and ``--table``, and ``prepare``: what they print, write and refuse."""

import functools
import json
import shutil

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from netchoice.workflows import preparation
from netchoice.workflows.table_maker import TableMaker
from small_plans import small_plan

import netchoice
from netchoice import Chooser, ModelSpace

SIZES = {"selection_samples": 260, "samples": 200, "min_fit_samples": 124, "local_samples": 130}
FEATURES = "degree_mean,transitivity,n_triangles"
#: The chooser of these tests on the command line.
SETTINGS = ("--models", "dmc,ba2", "--features", FEATURES, "--engine", "serial", "--workers", 1)
RUN = ("--engine", "serial", "--workers", 1, "--no-report")
SPACE = ModelSpace("chosen", [netchoice.get_model("dmc"), netchoice.get_model("ba2")])


@pytest.fixture(autouse=True)
def few_simulations(monkeypatch, no_figures):
    """Let the commands simulate few networks."""
    plan = functools.partial(small_plan, **SIZES)
    monkeypatch.setattr(preparation, "SimulationPlan", plan)


@pytest.fixture
def no_simulation(monkeypatch):
    def simulate(*_, **__):
        pytest.fail("a table was simulated")

    monkeypatch.setattr(TableMaker, "table", simulate)


def grown(name, n=20, seed=1):
    model, rng = netchoice.get_model(name), np.random.default_rng(seed)
    return model.grow(n, model.sample(rng), rng)


def foreign():
    """Return a network that no model fits, with two isolated nodes."""
    graph = nx.disjoint_union_all([nx.complete_graph(6)] * 3)
    graph.add_nodes_from([18, 19])
    return netchoice.Graph.of(graph)


@pytest.fixture(scope="module")
def networks(tmp_path_factory):
    """Return a folder with network files; those of 20 nodes have isolated nodes."""
    folder = tmp_path_factory.mktemp("networks")
    graphs = {"dmc": grown("dmc", seed=3), "foreign": foreign(), "small": grown("ba2", 15)}
    assert all(graphs[name].n_isolated for name in ("dmc", "foreign"))
    for name, graph in graphs.items():
        netchoice.write_network(graph, folder / f"{name}.graphml")
    (folder / "broken.graphml").write_text("<graphml>")
    return folder


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """Return the folder of the chooser for 20 nodes with isolated nodes."""
    path = tmp_path_factory.mktemp("prepared") / "made"
    options = {"isolated": "keep", "features": FEATURES.split(","), "plan": small_plan(**SIZES)}
    Chooser(SPACE, n_nodes=20, **options).fit(path=path, engine="serial", workers=1)
    return path


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Return the folder of a simulated table."""
    path = tmp_path_factory.mktemp("table") / "simulated"
    netchoice.simulate_table(
        SPACE, n_nodes=20, n_samples=300, seed=3, isolated="keep", engine="serial", path=path
    )
    return path


def facts(record):
    names = ("verdict", "headline", "model", "probabilities", "intervals", "fit_p_values")
    return {name: record[name] for name in (*names, "features", "parameters", "notes")}


# netchoice prepare, and choose --with


def test_answer_with_a_prepared_chooser_is_the_answer_without(run, networks, tmp_path):
    out = tmp_path / "chooser"
    options = [*SETTINGS, "--isolated", "keep", "--seed", 5]
    code, text, errors = run("prepare", *options, "--nodes", 20, "--out", out)
    assert code == 0, errors
    lines = text.splitlines()
    assert lines[0] == (
        "20 nodes, isolated nodes kept: 200 simulations for inference, 260 for the fit"
    )
    assert lines[1] == f"  features: {FEATURES.replace(',', ', ')}"
    assert lines[2].startswith("  held-out accuracy: ")
    assert lines[-1] == f"use it with: netchoice choose NETWORK… --with {out}"
    assert run("show", out)[1].splitlines() == lines[:-1]

    network = networks / "foreign.graphml"
    given = ["--with", out, *RUN, "--json", "--out", tmp_path / "with"]
    code, text, errors = run("choose", network, *given)
    assert code == 0, errors
    found = json.loads(text)
    assert found["verdict"] == "none-fits"
    given = [*options, "--no-report", "--json", "--out", tmp_path / "without"]
    code, text, errors = run("choose", network, *given)
    assert code == 0, errors
    assert facts(found) == facts(json.loads(text))
    assert (tmp_path / "with" / "choice.json").exists()


@pytest.mark.usefixtures("no_simulation")
def test_prepared_sizes_are_not_prepared_again(run, prepared):
    options = [*SETTINGS, "--isolated", "keep", "--nodes", 20, "--out", prepared, "--json"]
    code, text, errors = run("prepare", *options)
    assert code == 0, errors
    (size,) = json.loads(text)["sizes"]
    assert size["size"] == {"n_nodes": 20, "isolated": "keep", "n_edges": None}
    assert size["features"] == FEATURES.split(",")
    assert set(size["power"]) == {"dmc", "ba2"}


@pytest.mark.usefixtures("no_simulation")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--out", "x"], "--nodes is missing; give it, for example --nodes 1000"),
        (["--nodes", "20"], "--out is missing; give it, for example --out duplication-1000"),
        (["--nodes", "a,b", "--out", "x"], "'a' nodes; expected a number such as 300, or a range"),
        (
            ["--nodes", "20", "--table", "t", "--out", "x"],
            "--table is given, so --nodes and --match",
        ),
    ],
)
def test_incomplete_preparation_is_refused(run, options, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, errors = run("prepare", *options)
    assert (code, errors.count("\n")) == (2, 1)
    assert message in errors


@pytest.mark.usefixtures("no_simulation")
@pytest.mark.parametrize(
    "option",
    [
        "--samples=200", "--for=model", "--method=jmi", "--penalty=1", "--budget=5ms", "--match",
        "--time-limit=5s", "--inference=forest", "--no-local", "--seed=1",
    ],
)  # fmt: skip
def test_options_that_a_chooser_has_decided_are_refused(run, prepared, networks, option, tmp_path):
    out = tmp_path / "out"
    code, _, errors = run(
        "choose", networks / "dmc.graphml", "--with", prepared, option, "--out", out
    )
    assert (code, errors.count("\n")) == (2, 1)
    name = option.partition("=")[0]
    expected = f"netchoice: {name} is given, but the simulations of {prepared} were made before"
    assert errors.startswith(expected)
    assert not out.exists()


@pytest.mark.usefixtures("no_simulation")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--space", "ba"], "the models of the space ba differ from those of the simulations"),
        (["--models", "dmc,ba1"], "the models of the space chosen differ"),
        (["--models", "dmc,ba2", "--prior", "p_delete=uniform(0, 1)"], "the models of the space chosen"),
        (["--features", "degree_mean"], "features degree_mean are given, and the simulations were made"),
        (["--table", "x"], "--with and --table are given; expected one of them"),
    ],
)  # fmt: skip
def test_other_models_and_features_than_those_of_a_chooser_are_refused(
    run, prepared, networks, options, message, tmp_path
):
    out = ["--out", tmp_path / "out"]
    code, _, errors = run("choose", networks / "dmc.graphml", "--with", prepared, *options, *out)
    assert (code, errors.count("\n")) == (2, 1)
    assert message in errors


def test_table_serves_with_a_part_of_its_simulations(run, table, networks, tmp_path):
    given = ["--table", table, "--features", FEATURES, "--no-report"]
    command = ["choose", networks / "dmc.graphml", *given, "--samples", 200]
    code, text, errors = run(*command, "--json", "--out", tmp_path / "answer")
    assert code == 0, errors
    assert json.loads(text)["cost"]["simulations"] == 200
    code, _, errors = run("prepare", *given[:-1], "--samples", 200, "--out", tmp_path / "made")
    assert code == 0, errors
    made = Chooser.load(tmp_path / "made")
    (size,) = made.sizes_
    drawn, full = made.simulations(size).frame, netchoice.ReferenceTable.load(table).frame
    assert len(drawn) == 200
    chosen = full[full["row"].isin(drawn["row"])].reset_index(drop=True)
    pd.testing.assert_series_equal(drawn["degree_mean"], chosen["degree_mean"])


def test_network_of_another_size_is_refused_in_one_line(run, prepared, networks, tmp_path):
    out = ["--out", tmp_path / "out"]
    code, _, errors = run("choose", networks / "small.graphml", "--with", prepared, *RUN, *out)
    assert (code, errors.count("\n")) == (2, 1)
    assert "prepared are: 20 nodes, isolated nodes kept" in errors


def test_chooser_with_models_of_the_user_is_named_again(run, networks, tmp_path, monkeypatch):
    (tmp_path / "models_of_the_user.py").write_text(
        "import networkx as nx\nimport netchoice\n\n"
        '@netchoice.model(p="uniform(0.05, 0.4)")\ndef gnp(n_nodes, rng, p):\n'
        "    return nx.fast_gnp_random_graph(n_nodes, p, seed=int(rng.integers(2**31)))\n\n"
        'space = netchoice.ModelSpace("mine", [gnp, netchoice.get_model("ba2")])\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    out, space = tmp_path / "chooser", "models_of_the_user:space"
    options = ["--nodes", 20, "--isolated", "keep", "--features", FEATURES, "--engine", "serial"]
    code, _, errors = run("prepare", space, *options, "--out", out)
    assert code == 0, errors
    choose = ["choose", networks / "dmc.graphml", "--with", out, *RUN, "--json"]
    code, _, errors = run(*choose, "--out", tmp_path / "a")
    assert (code, errors.count("\n")) == (2, 1)
    assert "the model gnp is not built in; pass the model space that holds it (--space" in errors
    code, text, errors = run(*choose, "--out", tmp_path / "b", "--space", space)
    assert code == 0, errors
    assert set(json.loads(text)["probabilities"]) == {"gnp", "ba2"}


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
    names = ["id", "group", "age", "site", "verdict", "model"]
    for model in ("dmc", "ba2"):
        names += [f"{kind}_{model}" for kind in ("probability", "lower", "upper", "fit_p")]
    for parameter in ("dmc_p_delete", "dmc_p_connect", "ba2_m"):
        names += [f"{parameter}_{end}" for end in ("median", "lower", "upper")]
    return {*names, "notes", "seconds", "error"}


def test_cohort_has_a_row_for_each_network_with_what_is_known(run, prepared, manifest, tmp_path):
    out = tmp_path / "out"
    command = ["choose", manifest, "--with", prepared, *RUN, "--out", out]
    code, text, errors = run(*command)
    assert code == 0, errors
    assert text.splitlines()[0] == "4 networks"
    assert text.endswith(f"answers.csv, answers.parquet and features.parquet are in {out}\n")
    assert run("show", out)[1].splitlines() == text.splitlines()[1:-1]
    code, _, errors = run("show", out, "--out", tmp_path / "again.html")
    assert (code, len(errors.splitlines())) == (2, 1)
    frame = pd.read_csv(out / "answers.csv", engine="python")
    assert columns() <= {*frame.columns}
    assert {*frame.columns} - columns() == {
        "file",
        "headline",
        "n_nodes",
        "n_edges",
        "isolated",
        "chooser",
    }
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

    graphs = [
        netchoice.read_network(manifest.parent / f"{n}.graphml")[0] for n in ("foreign", "dmc")
    ]
    chooser = Chooser.load(prepared)
    expected = chooser.choose_many(graphs, engine="serial").drop(
        columns=["id", "group", "file", "seconds"]
    )
    found = frame.loc[[0, 2], list(expected.columns)].reset_index(drop=True)
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, check_exact=True)

    (out / "mine.txt").write_text("mine")
    before = (out / "answers.csv").read_bytes()
    assert run(*command)[0] == 0  # nothing is left to do
    assert (out / "answers.csv").read_bytes() == before
    assert run(*command, "--fresh", "--json")[0] == 0
    assert (out / "mine.txt").read_text() == "mine"
    again = pd.read_csv(out / "answers.csv", engine="python")
    pd.testing.assert_frame_equal(again.drop(columns="seconds"), frame.drop(columns="seconds"))


def test_collection_without_networks_is_refused(run, prepared, tmp_path):
    (tmp_path / "empty").mkdir()
    code, _, errors = run("choose", tmp_path / "empty", "--with", prepared, "--out", tmp_path / "x")
    assert (code, errors.count("\n")) == (2, 1)
    assert not (tmp_path / "x").exists()


# netchoice choose --table, and prepare --table


def test_simulated_table_answers(run, table, networks, tmp_path):
    options = ["--features", FEATURES, *RUN, "--json", "--out"]
    choose = ["choose", networks / "dmc.graphml"]
    code, text, errors = run(*choose, "--table", table, *options, tmp_path / "direct")
    assert code == 0, errors
    direct = json.loads(text)
    assert direct["model"] == "dmc"
    assert direct["cost"]["simulations"] == 300

    out = tmp_path / "chooser"
    code, text, errors = run("prepare", "--table", table, "--features", FEATURES, "--out", out)
    assert code == 0, errors
    assert text.startswith("20 nodes, isolated nodes kept: 300 simulations for inference, 300 for")
    code, text, errors = run(*choose, "--with", out, *RUN, "--json", "--out", tmp_path / "with")
    assert code == 0, errors
    assert facts(json.loads(text)) == facts(direct)


@pytest.mark.parametrize("option", ["--seed=1", "--match", "--space=ba"], ids=lambda text: text)
def test_options_that_a_table_has_decided_are_refused(run, table, networks, option, tmp_path):
    out = ["--out", tmp_path / "out"]
    code, _, errors = run("choose", networks / "dmc.graphml", "--table", table, option, *out)
    assert (code, errors.count("\n")) == (2, 1)
    assert not (tmp_path / "out").exists()


def test_imported_table_is_refused(run, networks, tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"label": ["dmc", "ba2"] * 150, "degree_mean": rng.random(300)})
    netchoice.ReferenceTable.from_frame(frame).save(tmp_path / "imported")
    for command in (["choose", networks / "dmc.graphml"], ["prepare"]):
        options = ["--table", tmp_path / "imported", "--out", tmp_path / "out"]
        code, _, errors = run(*command, *options)
        assert (code, errors.count("\n")) == (2, 1)
        assert "this table was not simulated by netchoice simulate in one run" in errors
        assert not (tmp_path / "out").exists()


# A cohort with its own chooser


def answers(folder):
    return pd.read_csv(folder / "answers.csv").drop(columns="seconds")


@pytest.mark.slow
def test_cohort_keeps_its_chooser_in_its_folder(run, networks, tmp_path):
    files = [networks / "dmc.graphml", networks / "foreign.graphml"]
    command = ["choose", *files, *SETTINGS, "--no-report", "--out", tmp_path / "first"]
    code, text, errors = run(*command)
    assert code == 0, errors
    lines = text.splitlines()
    assert lines[0] == "2 networks"
    assert lines[1] == "sizes: 2 with 20 nodes, isolated nodes kept"
    assert lines[2].startswith("1 of 1 sizes are not prepared; each takes about ")
    own = tmp_path / "first" / "chooser"
    assert lines[2].endswith(f"they are kept in {own}")
    assert "selection: 260/260" in errors
    found = answers(tmp_path / "first")
    assert found["verdict"][1] == "none-fits"

    code, _, errors = run("choose", *files, "--with", own, *RUN, "--out", tmp_path / "second")
    assert code == 0, errors
    pd.testing.assert_frame_equal(answers(tmp_path / "second"), found)

    code, text, errors = run(*command, "--fresh")
    assert code == 0, errors
    assert "selection: 260/260" in errors
    pd.testing.assert_frame_equal(answers(tmp_path / "first"), found)


def twice(networks):
    """Return a manifest with one network under two ids."""
    path = networks / "twice.csv"
    path.write_text("id,path\na,dmc.graphml\nb,dmc.graphml\n")
    return path


@pytest.fixture
def stopped(prepared, tmp_path):
    """Return the folder of a cohort that was stopped after its size was prepared."""
    folder = tmp_path / "cohort"
    shutil.copytree(prepared, folder / "chooser")
    return folder


@pytest.mark.usefixtures("no_simulation")
def test_resumed_cohort_does_not_simulate_again(run, networks, stopped):
    command = ["choose", twice(networks), *SETTINGS, "--isolated", "keep", "--no-report"]
    code, text, errors = run(*command, "--out", stopped)
    assert code == 0, errors
    assert "not prepared" not in text
    assert answers(stopped)["model"].tolist() == ["dmc", "dmc"]
    before = (stopped / "answers.csv").read_bytes()
    assert run(*command, "--out", stopped)[0] == 0
    assert (stopped / "answers.csv").read_bytes() == before


@pytest.mark.usefixtures("no_simulation")
def test_cohort_with_other_settings_is_refused(run, networks, stopped):
    options = [*SETTINGS, "--isolated", "keep", "--seed", 2, "--out", stopped]
    code, _, errors = run("choose", twice(networks), *options)
    assert code == 2
    assert "chooser holds a run with another seed" in errors.splitlines()[-1]


@pytest.mark.usefixtures("no_simulation")
def test_files_of_the_user_beside_the_simulations_are_kept(run, networks, stopped):
    (stopped / "chooser" / "20-keep" / "mine.txt").write_text("mine")
    options = [*SETTINGS, "--isolated", "keep", "--fresh", "--out", stopped]
    code, _, errors = run("choose", twice(networks), *options)
    assert code == 2
    assert "chooser is not empty and holds no run" in errors.splitlines()[-1]
    left = [path for path in stopped.rglob("*") if path.is_file()]
    assert left == [stopped / "chooser" / "20-keep" / "mine.txt"]


@pytest.mark.usefixtures("no_simulation")
def test_folder_of_somebody_else_is_refused_before_the_work(run, networks, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    files = [networks / "dmc.graphml", networks / "foreign.graphml"]
    code, _, errors = run("choose", *files, *SETTINGS, "--out", tmp_path / "mine")
    assert code == 2
    assert "mine is not empty and holds no run of a cohort" in errors.splitlines()[-1]
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.txt"]
