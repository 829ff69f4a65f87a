"""``Chooser``: the answers of ``choose_model``, from simulations that are made once and kept on disk."""

import json
import shutil
import warnings
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from small_plans import small_plan

import netchoice
from netchoice import Chooser, ModelSpace
from netchoice.errors import NetchoiceError, UsageError
from netchoice.storage import table as table_module
from netchoice.workflows import comparison
from netchoice.workflows.prepared_folder import read_record
from netchoice.workflows.sizes import Size
from netchoice.workflows.table_maker import TableMaker

PLAN = small_plan(selection_samples=260, samples=200, min_fit_samples=124, local_samples=130)
SPACE = ModelSpace("two", [netchoice.get_model("dmc"), netchoice.get_model("ba2")])
FEATURES = ["degree_mean", "transitivity", "n_triangles"]
SETTINGS = {"features": FEATURES, "plan": PLAN}
SERIAL = {"engine": "serial", "workers": 1}
KEPT, DROPPED = Size(20, "keep"), Size(20, "drop")


def grown(name, n=20, seed=1, **parameters):
    model, rng = netchoice.get_model(name), np.random.default_rng(seed)
    return model.grow(n, parameters or model.sample(rng), rng)


def cliques():
    """Return a foreign network: three complete networks of six nodes, and two isolated nodes."""
    graph = nx.disjoint_union_all([nx.complete_graph(6)] * 3)
    graph.add_nodes_from([18, 19])
    return netchoice.Graph.of(graph)


#: Networks of models and foreign networks, with and without isolated nodes.
NETWORKS = {
    "dmc": grown("dmc", seed=3),
    "ba2": grown("ba2"),
    "cliques": cliques(),
    "star": netchoice.Graph.of(nx.star_graph(19)),
}


def facts(choice):
    """Return what an answer says, without costs and times."""
    names = ("verdict", "headline", "model", "probabilities", "intervals", "fit_p_values")
    kept = {name: getattr(choice, name) for name in (*names, "features", "parameters", "notes")}
    return json.loads(json.dumps(kept, default=str))


def expected_row(choice):
    """Return the row of a table that says the same as an answer."""
    row = {"verdict": choice.verdict, "model": choice.model, "headline": choice.headline}
    for model, probability in choice.probabilities.items():
        row[f"probability_{model}"] = probability
        row[f"lower_{model}"], row[f"upper_{model}"] = choice.intervals[model]
        row[f"fit_p_{model}"] = choice.fit_p_values[model]
    for model in ("dmc", "ba2"):
        for name in netchoice.get_model(model).parameters:
            known = choice.parameters.get(model, {}).get(name)
            low, high = known["interval"] if known else (None, None)
            row[f"{model}_{name}_median"] = known["median"] if known else None
            row[f"{model}_{name}_lower"], row[f"{model}_{name}_upper"] = low, high
    reasons = []
    if choice.verdict == "none-fits":
        (model,) = [m for m, p in choice.probabilities.items() if p > 0.5]
        main = choice.evidence.misfit[model].main[:3]
        reasons = [f"compared with {model}: {each.sentence}" for each in main]
    return row | {"notes": "; ".join([*choice.notes, *reasons]), "error": None}


def assert_rows(frame, choices):
    """Assert that the rows of a table say exactly what single answers say."""
    assert list(frame["id"]) == list(choices)
    for name, choice in choices.items():
        expected = expected_row(choice)
        found = frame.set_index("id").loc[name, list(expected)]
        assert {key: None if pd.isna(x) else x for key, x in found.items()} == expected, name


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return the folder of a chooser for 20 nodes, with and without isolated nodes."""
    path = tmp_path_factory.mktemp("chooser") / "made"
    Chooser(SPACE, n_nodes=20, **SETTINGS).fit(path=path, **SERIAL)
    return path


@pytest.fixture(scope="module")
def chooser(folder):
    return Chooser.load(folder)


@pytest.fixture(scope="module")
def choices(chooser):
    return {name: chooser.choose(graph, **SERIAL) for name, graph in NETWORKS.items()}


@pytest.fixture(scope="module")
def direct(tmp_path_factory):
    """Return the answers of choose_model for two networks, and their folders."""
    path = tmp_path_factory.mktemp("direct")
    return {
        name: netchoice.choose_model(NETWORKS[name], SPACE, path=path / name, **SETTINGS, **SERIAL)
        for name in ("dmc", "star")
    }, path


@pytest.fixture
def copied(folder, tmp_path):
    """Return a copy of the chooser with one size."""
    shutil.copytree(folder, tmp_path / "copied")
    shutil.rmtree(tmp_path / "copied" / DROPPED.folder)
    return tmp_path / "copied"


@pytest.fixture
def no_simulation(monkeypatch):
    def simulate(*_, **__):
        pytest.fail("a table was simulated")

    monkeypatch.setattr(TableMaker, "table", simulate)


# The same answers


def test_networks_of_the_tests_cover_the_verdicts_and_the_local_stage(choices):
    assert choices["dmc"].model == "dmc"
    assert choices["dmc"].parameters["dmc"]
    assert choices["ba2"].model == "ba2"
    for name in ("cliques", "star"):
        assert choices[name].verdict == "none-fits"
        assert choices[name].fit["local_p_value"] is not None
    isolated = {name: choice.network["isolated"] for name, choice in choices.items()}
    assert isolated == {"dmc": "keep", "ba2": "drop", "cliques": "keep", "star": "drop"}


def test_chooser_gives_the_answer_of_choose_model(choices, direct):
    for name, choice in direct[0].items():
        assert facts(choice) == facts(choices[name])


def test_rows_say_what_single_answers_say(chooser, choices):
    assert_rows(chooser.choose_many(NETWORKS, engine="serial"), choices)


@pytest.mark.slow
def test_rows_of_two_workers_are_the_same(chooser, choices):
    assert_rows(chooser.choose_many(NETWORKS, workers=2), choices)


def test_predicted_probabilities_are_those_of_the_answers(chooser, choices):
    found = chooser.predict_proba(NETWORKS.values())
    assert list(chooser.classes_) == ["dmc", "ba2"]
    expected = [[c.probabilities[m] for m in chooser.classes_] for c in choices.values()]
    assert found.tolist() == expected
    assert chooser.predict_proba([]).shape == (0, 2)


@pytest.fixture(scope="module")
def selected(tmp_path_factory):
    """Return a chooser with selected features, and the answer of choose_model for a network.

    Measured costs differ between runs, so each feature and each step has the same cost here.
    """
    measured = table_module.mean_seconds
    path, graph = tmp_path_factory.mktemp("selected") / "made", NETWORKS["dmc"]
    options = {"plan": PLAN, "isolated": "keep"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            table_module, "mean_seconds", lambda *given: dict.fromkeys(measured(*given), 1e-5)
        )
        choice = netchoice.choose_model(graph, SPACE, **options, **SERIAL)
        return Chooser(SPACE, **options).fit([graph], path=path, **SERIAL), choice


def test_selected_features_and_pooled_probabilities_are_the_same(selected):
    chooser, choice = selected
    assert choice.evidence.selection.near_optimal
    for each in (chooser, Chooser.load(chooser.path)):
        row = each.choose_many({"dmc": NETWORKS["dmc"]}, engine="serial")
        assert_rows(row, {"dmc": choice})


def test_selection_is_read_as_it_was_written(selected):
    chooser, choice = selected
    found = Chooser.load(chooser.path).prepared_for(NETWORKS["dmc"]).selection
    expected = choice.evidence.selection
    for name in ("rankings", "evaluation", "parameter_evaluation"):
        frames = (getattr(found, name), getattr(expected, name).reset_index(drop=True))
        pd.testing.assert_frame_equal(*frames, check_exact=True, check_dtype=False)
    for name in ("features", "for_model", "for_parameters", "near_optimal", "point"):
        assert getattr(found, name) == getattr(expected, name), name


# On disk


def test_folder_of_choose_model_is_a_chooser(direct, choices, tmp_path):
    path = direct[1] / "dmc"
    chooser = Chooser.load(path)
    assert chooser.sizes_ == [KEPT]
    assert facts(chooser.choose(NETWORKS["dmc"], **SERIAL)) == facts(choices["dmc"])
    chooser.save(tmp_path / "saved")
    again = Chooser.load(tmp_path / "saved")
    graphs = [NETWORKS["dmc"], NETWORKS["cliques"]]
    expected = [list(choices[name].probabilities.values()) for name in ("dmc", "cliques")]
    order = [list(again.classes_).index(model) for model in choices["dmc"].probabilities]
    assert again.predict_proba(graphs)[:, order].tolist() == expected


@pytest.mark.usefixtures("no_simulation")
def test_saved_chooser_is_the_same_wherever_it_is(folder, chooser, choices, tmp_path):
    Chooser.load(folder).save(tmp_path / "saved")
    (tmp_path / "saved").rename(tmp_path / "moved")
    moved = Chooser.load(tmp_path / "moved")
    moved.save(tmp_path / "again")
    assert moved.sizes_ == chooser.sizes_ == [DROPPED, KEPT]
    for size in moved.sizes_:
        for name in ("prepared.json", "run.json"):
            found = (tmp_path / "again" / size.folder / name).read_bytes()
            assert found == (folder / size.folder / name).read_bytes()
    known = moved.predict_proba(NETWORKS.values())
    assert known.tolist() == chooser.predict_proba(NETWORKS.values()).tolist()
    assert moved.record() == chooser.record()


def test_files_of_a_chooser_hold_no_pickle(selected):
    files = [path for path in selected[0].path.rglob("*") if path.is_file()]
    suffixes = {path.suffix for path in files if path.name != "_lock"}
    assert suffixes == {".json", ".parquet", ".csv", ".jsonl", ".npz"}
    for path in (path for path in files if path.suffix == ".npz"):
        with np.load(path, allow_pickle=False) as arrays:
            assert all(arrays[name].dtype == float for name in arrays)
    for path in files:
        assert not path.read_bytes().startswith(b"\x80"), path  # how a pickle begins


class Stop:
    """Stop a simulation after so many reports of its progress."""

    def __init__(self, after):
        self.left = after

    def __call__(self, *_):
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


def test_interrupted_preparation_is_resumed_with_the_same_simulations(folder, tmp_path):
    def made():
        return Chooser(SPACE, n_nodes=20, isolated="keep", **SETTINGS)

    path = tmp_path / "run"
    with pytest.raises((KeyboardInterrupt, NetchoiceError)):
        made().fit(path=path, **SERIAL, on_progress=Stop(after=6))
    assert list((path / KEPT.folder / "tables" / "selection").glob("rows-*.parquet"))
    with pytest.raises(UsageError, match=r"^the chooser in .* is not finished; run the same"):
        Chooser.load(path)
    made().fit(path=path, **SERIAL)
    found, expected = (read_record(each / KEPT.folder) for each in (path, folder))
    for name in ("fingerprint", "held_out", "quality", "power", "rows"):
        assert found[name] == expected[name], name


def test_size_can_be_added_later(copied):
    before = (copied / KEPT.folder / "prepared.json").read_bytes()
    chooser = Chooser.load(copied)
    with pytest.raises(
        UsageError,
        match=r"^no simulations are prepared for a network with 12 nodes, isolated nodes kept; prepared "
        r"are: 20 nodes, isolated nodes kept; prepare this size too$",
    ):
        chooser.predict_proba([grown("dmc", 12, seed=3)])
    Chooser(SPACE, **SETTINGS).fit([Size(12, "keep")], path=copied, **SERIAL)
    assert Chooser.load(copied).sizes_ == [Size(12, "keep"), KEPT]
    assert (copied / KEPT.folder / "prepared.json").read_bytes() == before
    assert chooser.sizes_ == [Size(12, "keep"), KEPT]  # a chooser sees what others add
    both = [grown("dmc", 12, seed=3), NETWORKS["dmc"]]
    assert Chooser.load(copied).predict_proba(both).tolist() == chooser.predict_proba(both).tolist()


@pytest.mark.usefixtures("no_simulation")
@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"seed": 2}, "seed"),
        ({"features": ["degree_mean"]}, "features"),
        ({"plan": None}, "plan"),
        ({"local": False}, "plan"),
        ({"isolated": "keep"}, "isolated"),
        ({"match": True}, "match"),
        ({"space": "ba"}, "space"),
    ],
)
def test_folder_with_other_settings_is_refused(folder, options, name):
    options = {"space": SPACE, **SETTINGS, **options}
    other = Chooser(options.pop("space"), **options)
    with pytest.raises(UsageError, match=f"^.* holds a run with another {name}; give another.*$"):
        other.fit([KEPT], path=folder, **SERIAL)


def test_simulations_in_memory_are_written_when_a_folder_is_named(folder, tmp_path):
    made = Chooser(SPACE, n_nodes=20, isolated="keep", **SETTINGS).fit(**SERIAL)
    assert made.path is None
    made.fit(path=tmp_path / "late", **SERIAL)
    found = read_record(tmp_path / "late" / KEPT.folder)
    assert found["fingerprint"] == read_record(folder / KEPT.folder)["fingerprint"]


# Models and features of the user


@netchoice.model(p="uniform(0.05, 0.4)")
def gnp(n_nodes, rng, p):
    return nx.fast_gnp_random_graph(n_nodes, p, seed=int(rng.integers(2**31)))


@netchoice.feature()
def edges_per_node(graph):
    """Edges per node."""
    return graph.n_edges / graph.n_nodes


OWN_SPACE = ModelSpace("own", [gnp, netchoice.get_model("ba2")])
OWN_FEATURES = [edges_per_node, "transitivity"]


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """Return a density-matched chooser with a model and a feature of the user."""
    made = Chooser(OWN_SPACE, match=True, features=OWN_FEATURES, plan=PLAN, isolated="keep")
    return made.fit([NETWORKS["ba2"]], path=tmp_path_factory.mktemp("own") / "made", **SERIAL)


@pytest.mark.slow
def test_chooser_with_own_models_and_features_is_read_with_them(own):
    loaded = Chooser.load(own.path, OWN_SPACE, OWN_FEATURES)
    assert loaded.sizes_ == [Size(20, "keep", NETWORKS["ba2"].n_edges)]
    found = loaded.choose(NETWORKS["ba2"], **SERIAL)
    assert facts(found) == facts(own.choose(NETWORKS["ba2"], **SERIAL))
    assert found.features["edges_per_node"] == NETWORKS["ba2"].n_edges / 20
    edges = found.evidence.fit_table.X["lcc_edges"]
    assert edges.max() <= 1.1 * NETWORKS["ba2"].n_edges
    (row,) = loaded.choose_many([NETWORKS["ba2"]], engine="serial").to_dict("records")
    assert row["probability_gnp"] == found.probabilities["gnp"]


def test_density_matched_chooser_refuses_other_densities(own):
    with pytest.raises(UsageError, match=r"has 19 edges, and the density-matched .* matches this"):
        own.predict_proba([NETWORKS["star"]])
    frame = own.choose_many([NETWORKS["star"]], engine="serial")
    assert frame["error"][0].startswith("the network has 19 edges, and the density-matched")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "the model gnp is not built in; pass the model space that holds it"),
        ((OWN_SPACE,), "the feature edges_per_node is not built in; pass the features that were given"),
        ((OWN_SPACE, ["transitivity"]), "features transitivity are given, and the simulations were made"),
        (("ba", OWN_FEATURES), "the models of the space ba differ from those of the simulations"),
    ],
)  # fmt: skip
def test_chooser_is_not_read_with_other_models_or_features(own, arguments, message):
    with pytest.raises(UsageError, match=rf"^{message}.*$"):
        Chooser.load(own.path, *arguments)


def test_other_space_or_priors_are_not_ignored(folder):
    """Built-in models could be found without the argument."""
    for space in ("ba", SPACE.with_priors({"p_delete": "uniform(0, 1)"})):
        with pytest.raises(UsageError, match="differ from those of the simulations"):
            Chooser.load(folder, space)
    assert Chooser.load(folder, SPACE).sizes_ == [DROPPED, KEPT]


def test_density_matched_answer_is_a_chooser(tmp_path):
    graph = NETWORKS["ba2"]
    space = SPACE.matched_to(graph, isolated="keep", tolerance=0.2)
    options = {"isolated": "keep", **SETTINGS, **SERIAL}
    choice = netchoice.choose_model(graph, space, path=tmp_path / "run", **options)
    chooser = Chooser.load(tmp_path / "run")
    chooser.save(tmp_path / "saved")
    again = Chooser.load(tmp_path / "saved")
    expected = [choice.probabilities[model] for model in chooser.classes_]
    assert chooser.predict_proba([graph]).tolist() == [expected]
    assert again.predict_proba([graph]).tolist() == [expected]
    assert again.match


# Damaged files


def verdicts(path):
    """Return what a chooser says about a network, without simulations near it."""
    chooser = Chooser.load(path)
    prepared = chooser.prepared_for(NETWORKS["dmc"])
    found = comparison.Comparison.of(prepared, NETWORKS["dmc"])
    return (
        found.probabilities.probabilities, found.prior_fit.p_values, prepared.is_above_chance,
        prepared.selection.as_dict(), prepared.known_power, list(chooser.classes_),
        chooser.seed, chooser.plan,
    )  # fmt: skip


def damaged(content, rng):
    """Return the content of a file with a bit changed, with another byte, or shorter."""
    where = int(rng.integers(len(content)))
    match rng.integers(3):
        case 0:
            changed = content[where] ^ (1 << int(rng.integers(8)))
        case 1:
            changed = int(rng.integers(256))
        case _:
            return content[:where]
    return content[:where] + bytes([changed]) + content[where + 1 :]


@pytest.mark.slow
def test_damaged_chooser_gives_the_same_answer_or_one_line(selected, tmp_path):
    copied = selected[0].path
    expected = verdicts(copied)
    files = [p.relative_to(copied) for p in sorted(copied.rglob("*")) if p.name != "_lock"]
    files = [name for name in files if (copied / name).is_file()]
    assert {name.name for name in files} >= {"run.json", "prepared.json", "_manifest.json"}
    assert {name.name for name in files} >= {"rankings.csv", "evaluation.csv"}
    rng, outcomes = np.random.default_rng(1), []
    trials = [(name, None) for name in files]
    trials += [(files[i % len(files)], rng) for i in range(60)]
    for number, (name, random) in enumerate(trials):
        path = tmp_path / str(number)
        shutil.copytree(copied, path)
        if random is None:
            (path / name).unlink()
        else:
            (path / name).write_bytes(damaged((copied / name).read_bytes(), random))
        outcomes.append(outcome(path, expected))
        shutil.rmtree(path)
    assert outcomes.count("same") >= 5  # files that only a preparation reads, and versions
    assert outcomes.count("refused") >= 20


def outcome(path, expected):
    """Return whether a damaged chooser is refused in one line, or gives the same answer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # damaged shards are renamed with a warning
        try:
            found = verdicts(path)
        except NetchoiceError as error:
            assert "\n" not in str(error)
            return "refused"
    assert found == expected
    return "same"


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [('"dmc"', '"dmr"', ""), ('"seed": 1', '"seed": 2', ""), ('"match"', '"natch"', "")],
)
def test_changed_settings_of_a_chooser_are_noticed(copied, old, new, place):
    path = copied / place / "run.json"
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(UsageError, match=r"^.*run.json is damaged: its checksum differs; .*$"):
        Chooser.load(copied)


# Sizes


@pytest.mark.parametrize(
    ("n_nodes", "message"),
    [
        (20.5, "`n_nodes` must be an integer of at least 1; got 20.5"),
        (0, "`n_nodes` must be an integer of at least 1; got 0"),
        ([20, "x"], "'x' nodes; expected a number such as 300, or a range such as 240..375"),
        (None, "no number of nodes is given; pass n_nodes, or networks to fit"),
    ],
)
@pytest.mark.usefixtures("no_simulation")
def test_wrong_number_of_nodes_is_refused(n_nodes, message):
    with pytest.raises(UsageError, match=message):
        Chooser(SPACE, n_nodes=n_nodes, **SETTINGS).fit(**SERIAL)


def test_network_of_another_size_costs_one_row(chooser, choices):
    networks = {"small": grown("ba2", 15), "dmc": NETWORKS["dmc"], "empty": [], "none": None}
    frame = chooser.choose_many(networks, engine="serial").set_index("id")
    assert list(frame.index) == list(networks)
    assert frame.loc["small", "error"] == (
        "no simulations are prepared for a network with 15 nodes, isolated nodes dropped; prepared are: "
        "20 nodes, isolated nodes dropped; 20 nodes, isolated nodes kept"
    )
    assert pd.isna(frame.loc["small", "verdict"])
    assert frame.loc["empty", "error"].startswith("the network has 0 nodes and no edges")
    assert frame.loc["none", "error"].startswith("cannot convert a builtins.NoneType to a network")
    assert pd.isna(frame.loc["dmc", "error"])
    assert frame.loc["dmc", "probability_dmc"] == choices["dmc"].probabilities["dmc"]


@pytest.fixture(scope="module")
def sizes(tmp_path_factory):
    """Return a chooser with five sizes, more than a worker gets at once."""
    path = tmp_path_factory.mktemp("sizes") / "made"
    made = Chooser("ba", n_nodes=range(12, 17), isolated="keep", features=["degree_mean"],
                   plan=small_plan(selection_samples=640, samples=100), local=False)  # fmt: skip
    return made.fit(path=path, **SERIAL)


@pytest.mark.slow
def test_rows_of_many_sizes_say_what_single_sizes_say(sizes):
    """Five sizes are read from disk one after the other, and rows keep the order of the networks."""
    numbers = [16, 12, 14, 13, 15, 12, 30]
    graphs = {f"n{i}": grown("ba2", n, seed=i) for i, n in enumerate(numbers)}
    frame = sizes.choose_many(graphs, engine="serial")
    assert list(frame["id"]) == list(graphs)
    assert frame["error"][6].startswith("no simulations are prepared for a network with 30 nodes")
    for (name, graph), n in zip(list(graphs.items())[:6], numbers[:6], strict=True):
        single = Chooser.load(sizes.path / f"{n}-keep").choose_many({name: graph}, engine="serial")
        row = frame[frame["id"] == name].reset_index(drop=True)
        left = ["seconds"]
        pd.testing.assert_frame_equal(row.drop(columns=left), single.drop(columns=left))
        assert row["n_nodes"][0] == n


# Tables


@pytest.fixture(scope="module")
def simulated():
    return netchoice.simulate_table(
        SPACE, n_nodes=20, n_samples=300, seed=3, isolated="keep", engine="serial"
    )


def test_simulated_table_serves_for_all_purposes(simulated, tmp_path):
    chooser = Chooser.from_table(simulated, **SETTINGS)
    assert chooser.sizes_ == [KEPT]
    assert chooser.seed == 3
    choice = chooser.choose(NETWORKS["dmc"], **SERIAL)
    assert choice.model == "dmc"
    assert choice.evidence.table.y.tolist() == simulated.y.tolist()
    assert len(choice.evidence.table) == len(choice.evidence.fit_table) == 300
    chooser.save(tmp_path / "saved")
    loaded = Chooser.load(tmp_path / "saved")
    assert facts(loaded.choose(NETWORKS["dmc"], **SERIAL)) == facts(choice)
    parameters = loaded.simulations(KEPT).parameters
    pd.testing.assert_frame_equal(parameters, simulated.parameters)


@pytest.mark.parametrize(
    ("space", "options", "message"),
    [
        (None, {"seed": 3}, "seed is given, but the table has decided it; leave it out"),
        (None, {"isolated": "drop"}, "isolated is given, but the table has decided it"),
        ("ba", {}, "the models of the space ba differ from those of the simulations"),
    ],
)
def test_options_that_a_table_has_decided_are_refused(simulated, space, options, message):
    with pytest.raises(UsageError, match=message):
        Chooser.from_table(simulated, space, **SETTINGS, **options)


def test_imported_and_combined_tables_are_refused(simulated):
    frame = pd.DataFrame({"label": ["dmc", "ba2"] * 200, "degree_mean": range(400)})
    imported = netchoice.ReferenceTable.from_frame(frame)
    combined = netchoice.ReferenceTable.concat(simulated.split(0.5))
    for table in (imported, combined):
        with pytest.raises(
            UsageError, match=r"^this table was not simulated by .* in one run; .*$"
        ):
            Chooser.from_table(table, **SETTINGS)


# Features without a value


@pytest.fixture
def failing(monkeypatch):
    """Return a function that lets a feature have no value on observed networks."""
    original = comparison.compute_features

    def fail(name):
        def compute(graph, names):
            result = original(graph, names)
            result.failures[name] = "it broke"
            result.values[name] = float("nan")
            return result

        monkeypatch.setattr(comparison, "compute_features", compute)

    return fail


def test_feature_of_the_fit_without_a_value_is_left_out_with_a_note(chooser, choices, failing):
    failing("degree_max")
    choice = chooser.choose(NETWORKS["dmc"], **SERIAL)
    note = "features without a value on this network were left out: degree_max"
    assert note in choice.notes
    assert "degree_max" not in choice.fit["features"]
    assert "degree_max" in choices["dmc"].fit["features"]
    assert choice.probabilities == choices["dmc"].probabilities
    (row,) = chooser.choose_many([NETWORKS["dmc"]], engine="serial").to_dict("records")
    assert note in row["notes"]
    assert row["fit_p_dmc"] == choice.fit_p_values["dmc"]


def test_selected_feature_without_a_value_costs_one_row(chooser, failing):
    failing("transitivity")
    message = r"feature 'transitivity' has no value on this network \(it broke\); leave it out"
    with pytest.raises(UsageError, match=message):
        chooser.predict_proba([NETWORKS["dmc"]])
    frame = chooser.choose_many([NETWORKS["dmc"]], engine="serial")
    assert "'transitivity' has no value on this network (it broke)" in frame["error"][0]
    assert pd.isna(frame["verdict"][0])


def test_answer_next_to_a_chooser_keeps_the_chooser(copied):
    """The folder of a chooser is not taken for the answer of one network."""
    with pytest.raises(UsageError, match=r"holds a run with another \w+; give another folder"):
        Chooser.load(copied).choose(NETWORKS["dmc"], path=copied, **SERIAL)
    assert Path(copied / KEPT.folder / "prepared.json").exists()
    assert verdicts(copied)
