"""``choose_model``: from a network to an answer, with few simulations."""

import dataclasses
import json
import shutil
from contextlib import contextmanager
from pathlib import Path

import naive
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from fast_and_slow import fast_for
from small_plans import small_plan

import netchoice
from netchoice import ModelSpace
from netchoice.errors import NetchoiceError, UsageError
from netchoice.features.registry import find
from netchoice.inference import FitTest
from netchoice.workflows import choose as choose_module
from netchoice.workflows import comparison as comparison_module
from netchoice.workflows.preparation import ChoiceSettings
from netchoice.workflows.simulation_plan import Stopwatch
from netchoice.workflows.table_maker import TableMaker

PLAN = small_plan(selection_samples=640, samples=400, fit_samples=640, held_out_samples=400)
TWO_MODELS_PLAN = small_plan(selection_samples=320, samples=200, fit_samples=320)


def grown_network(name="ba2", n=40, seed=1):
    model, rng = netchoice.get_model(name), np.random.default_rng(seed)
    return model.grow(n, model.sample(rng), rng)


def two_models():
    return ModelSpace("two", [netchoice.get_model("ba1"), netchoice.get_model("ba2")])


def choose(graph, space="ba", plan=PLAN, **options):
    defaults = {"engine": "serial", "workers": 1, "plan": plan}
    return netchoice.choose_model(graph, space, **{**defaults, **options})


def choose_from_two(graph=None, **options):
    graph = grown_network() if graph is None else graph
    return choose(graph, two_models(), TWO_MODELS_PLAN, **options)


@contextmanager
def recorded_features():
    """Record the names of the features that are computed on the observed network, call by call."""
    calls = []
    original = choose_module.compute_features

    def record(graph, features, **options):
        calls.append([find(feature).name for feature in features])
        return original(graph, features, **options)

    with pytest.MonkeyPatch.context() as patch:
        replace_compute_features(patch, record)
        yield calls


def replace_compute_features(patch, function):
    """Compute features of the observed network with another function."""
    for module in (choose_module, comparison_module):
        patch.setattr(module, "compute_features", function)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """An answer, its folder, and the features that were computed on the network."""
    folder = tmp_path_factory.mktemp("choice") / "run"
    with recorded_features() as calls:
        return choose(grown_network(), path=folder), folder, calls


@pytest.fixture(scope="module")
def answered(run):
    return run[:2]


@pytest.fixture(scope="module")
def run_with_pilots():
    plan = dataclasses.replace(
        PLAN, max_direct_nodes=50, pilot_sizes=(16, 24, 40), pilot_cost_samples=40
    )
    with recorded_features() as calls:
        return choose(grown_network("ba3", 90), plan=plan), calls


# Answers


def test_network_of_a_model_is_attributed_to_it(answered):
    choice, _ = answered
    assert choice.model == "ba2"
    assert sum(choice.probabilities.values()) == pytest.approx(1)
    assert all(0 < p < 1 for p in choice.probabilities.values())
    for name, (low, high) in choice.intervals.items():
        assert low <= choice.probabilities[name] <= high
    assert choice.fits
    assert set(choice.fit_p_values) == {"ba1", "ba2", "ba3", "ba4"}
    assert choice.fit_p_values["ba2"] > choice.fit["alpha"]
    assert choice.accuracy > 0.95
    evidence = choice.evidence
    assert choice.confusion.to_numpy().sum() == len(evidence.table)
    assert choice.features == {
        name: pytest.approx(netchoice.compute_features(grown_network(), [name]).values[name])
        for name in evidence.selection.features
    }
    assert list(evidence.table.features) == list(choice.features)
    assert len(choice.fit["features"]) > 40  # the fit is judged on all affordable features
    assert choice.cost["all_features"] > choice.cost["selected_features"] > 0


def test_summary_states_probabilities_features_accuracy_and_cost(answered):
    choice, _ = answered
    text = str(choice)
    assert text.startswith("verdict: one model fits and is clearly the most probable: ba2")
    assert choice.verdict == "one-fits"
    assert "probabilities of the models:\n  ba2" in text
    assert "at this size the test notices: all edges rewired with degrees kept in " in text
    assert "stability of the selection: " in text
    assert text.count("(interval ") == 4
    names = ", ".join(f"{name} = {value:.4g}" for name, value in choice.features.items())
    assert f"features used ({len(choice.features)}): {names}\n" in text
    assert f"held-out accuracy: {choice.accuracy:.1%} of 400 simulations" in text
    assert "saved on 400 simulations" in text
    page = choice._repr_html_()
    assert f"<p><b>Verdict: {choice.headline}</b></p>" in page
    assert page.count("<tr>") == 5


def test_folder_holds_the_documented_files_and_fields(answered):
    choice, folder = answered
    record = json.loads((folder / "choice.json").read_text())
    assert record == json.loads(choice.to_json())
    assert set(record) == {
        "schema", "verdict", "headline", "model", "probabilities", "families", "intervals", "fits",
        "fit_p_values", "fit", "misfit", "features", "parameters", "accuracy", "confusion", "scores",
        "selection", "cost", "network", "space", "mixtures", "notes", "screening",
        "settings",
    }  # fmt: skip
    assert set(record) == {name.strip("`") for name in documented_fields()}
    graph, _ = netchoice.read_network(folder / "network.tsv")
    assert graph.n_edges == grown_network().n_edges
    assert (folder / "evaluation.csv").exists()
    assert len(netchoice.ReferenceTable.load(folder / "tables" / "inference")) == 400
    for i, model in enumerate(choice.probabilities):
        near = netchoice.ReferenceTable.load(folder / "tables" / f"local-{i}")
        assert set(near.y) == {model}
    assert record["settings"]["n_nodes"] == grown_network().without_isolated().n_nodes
    assert record["settings"]["network"] == choice.evidence.graph.fingerprint
    assert json.loads((folder / "run.json").read_text())["versions"]["netchoice"]


def test_models_without_parameters_have_an_empty_posterior(answered):
    choice, folder = answered
    assert choice.parameters[choice.model] == {}
    assert choice.posterior().empty
    assert (folder / "posterior.csv").read_text() == "model,draw,weight\n"


def documented_fields():
    docs = Path(__file__).resolve().parents[1] / "docs"
    section = (docs / "choose.md").read_text().partition("## choice.json")[2]
    table = section.partition("\n### ")[0]
    for line in table.splitlines():
        if line.startswith("| `"):
            yield from line.split("|")[1].strip().split(", ")


@pytest.fixture
def copied_folder(answered, tmp_path):
    """Return a copy of the answer's folder, to resume the run there."""
    return Path(shutil.copytree(answered[1], tmp_path / "run"))


def test_resumed_run_simulates_nothing_and_gives_the_same_answer(answered, copied_folder):
    choice, _ = answered
    progress = []
    again = choose(
        grown_network(), path=copied_folder, on_progress=lambda *step: progress.append(step)
    )
    assert again.probabilities == choice.probabilities
    assert again.features == choice.features
    assert not progress


def test_folder_of_another_run_is_refused(answered):
    _, folder = answered
    with pytest.raises(UsageError, match="holds a run with another seed; give another folder"):
        choose(grown_network(), path=folder, seed=2)
    with pytest.raises(UsageError, match="another network"):
        choose(grown_network(seed=5), path=folder)
    with pytest.raises(UsageError, match="another plan"):
        choose(grown_network(), path=folder, plan=TWO_MODELS_PLAN)


def test_fresh_deletes_an_earlier_run_but_no_other_folder(tmp_path):
    folder = tmp_path / "run"
    choose_from_two(path=folder, features=["degree_mean"], local=False)
    options = {"features": ["transitivity"], "local": False}
    fresh = choose_from_two(path=folder, **options, fresh=True)
    assert list(fresh.features) == ["transitivity"]
    assert fresh.selection.get("operating_point") is None
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("mine")
    with pytest.raises(UsageError, match="is not empty and holds no run"):
        choose_from_two(path=tmp_path / "full", fresh=True)
    assert (tmp_path / "full" / "thesis.txt").exists()


@pytest.fixture(scope="module")
def lattice():
    """An answer for a network that no model makes."""
    return choose(nx.grid_2d_graph(7, 7), features=["degree_mean"])


def test_network_that_no_model_makes_does_not_fit(lattice):
    choice = lattice
    assert not choice.fits
    assert choice.verdict == "none-fits"
    assert "none of these models fits" in choice.fit["summary"]
    nearest = min(choice.fit["remoteness"], key=choice.fit["remoteness"].get)
    assert choice.model == nearest
    text = str(choice)
    assert text.startswith(
        f"verdict: none of these models fits; the nearest is {nearest}\nnearest: "
    )
    assert "under the wrong assumption that one of these models made the network:" in text
    assert text.index("nearest: ") < text.index("wrong assumption") < text.index("(interval ")


@pytest.mark.slow
def test_complete_network_does_not_fit():
    complete = choose(nx.complete_graph(30), features=["degree_mean"])
    assert complete.verdict == "none-fits"


def test_answer_says_how_the_network_differs_from_each_model(lattice):
    choice = lattice
    frame = choice.discrepancies()
    assert set(frame["model"]) == set(choice.probabilities)
    worst = choice.discrepancies("ba2").iloc[0]
    assert worst["size"] > 0
    simulated = choice.evidence.misfit["ba2"]
    assert worst["sentence"] == simulated.discrepancies[0].sentence
    assert worst["observed"] == pytest.approx(choice.evidence.fit_observed[worst["feature"]])
    for model, record in choice.misfit.items():
        assert record["discrepancies"], model
        assert record["advice"], model
    panel = simulated.panels["degree"]
    assert panel.observed[panel.labels.index("4")] == pytest.approx(25 / 49)
    with pytest.raises(UsageError, match="ba7"):
        choice.discrepancies("ba7")


def test_failed_simulations_are_left_out_of_the_explanation():
    @netchoice.model(p="uniform(0.1, 0.3)")
    def fragile(n_nodes, rng, p):
        if rng.random() < 0.05:
            raise ValueError("growth failed")
        return nx.fast_gnp_random_graph(n_nodes, p, seed=int(rng.integers(2**31)))

    space = ModelSpace("fragile", [fragile, netchoice.get_model("ba2")])
    choice = choose(grown_network(), space, TWO_MODELS_PLAN, features=["degree_mean"])
    assert choice.evidence.misfit["fragile"].panels
    assert choice.model == "ba2"


@pytest.mark.slow
def test_parameter_with_one_value_in_all_simulations_reaches_the_local_stage():
    """Only one value of an integer density parameter matches, so it has no posterior."""

    @netchoice.model(k="integers(1, 6)", p="uniform(0, 1)")
    def ring(n_nodes, rng, k, p):
        return nx.watts_strogatz_graph(n_nodes, 2 * int(k), p, seed=int(rng.integers(2**31)))

    @netchoice.model(p="uniform(0.05, 0.4)")
    def gnp(n_nodes, rng, p):
        return nx.fast_gnp_random_graph(n_nodes, p, seed=int(rng.integers(2**31)))

    graph = nx.gnm_random_graph(25, 50, seed=3)
    space = ModelSpace("rings", [ring, gnp]).matched_to(graph, isolated="keep")
    choice = choose(graph, space, TWO_MODELS_PLAN, features=["transitivity"], isolated="keep")
    draws = choice.evidence.posteriors["ring"].draws
    assert dict(zip(draws.names, draws.rows[0], strict=True))["k"] == 2


def test_local_stage_can_be_switched_off(tmp_path):
    choice = choose_from_two(features=["degree_mean"], path=tmp_path / "off", local=False)
    assert not list((tmp_path / "off" / "tables").glob("local-*"))
    assert not choice.fit["local"]
    assert choice.fit["local_p_value"] is None
    assert choice.cost["fit_simulations"] == len(choice.evidence.fit_table)
    assert choice.evidence.misfit["ba2"].panels


@pytest.mark.slow
def test_two_equal_models_cannot_be_distinguished():
    dmr = netchoice.get_model("dmr")
    space = ModelSpace("equal models", [dmr, dataclasses.replace(dmr, name="dmr_again")])
    choice = choose(grown_network("dmr", 60), space, isolated="keep")
    assert choice.verdict == "undetermined"
    assert choice.headline.startswith(
        "the models cannot be distinguished: the features used do not"
    )
    assert all(0.2 < p < 0.8 for p in choice.probabilities.values())


@pytest.mark.slow
def test_parameters_lie_within_their_priors():
    graph = netchoice.get_model("dmr").grow(
        80, {"p_delete": 0.5, "p_new": 0.5}, np.random.default_rng(3)
    )
    choice = choose(graph, "duplication", samples=600)
    for name, parameter in choice.parameters[choice.model].items():
        low, high = parameter["interval"]
        assert 0.25 <= low <= parameter["median"] <= high <= 0.75, name
    names = set(netchoice.get_model(choice.model).parameters)
    assert set(choice.parameters[choice.model]) == names
    assert choice.network["isolated"] == "keep"  # by default, because the network has some
    without = choose(graph.without_isolated(), "duplication", features=["transitivity"])
    assert without.network["isolated"] == "drop"


def test_large_network_is_answered_with_features_selected_on_pilots(run_with_pilots):
    choice, _ = run_with_pilots
    assert choice.model == "ba3"
    assert choice.selection["pilots"] == [16, 24, 40]
    assert choice.cost["extrapolated"]
    assert any("selected on networks with 40 nodes" in note for note in choice.notes)


def test_budget_below_the_cheapest_set_is_refused_after_the_selection_table(tmp_path):
    with pytest.raises(UsageError, match="no set costs at most 1e-3us; the cheapest one costs"):
        choose_from_two(budget="1e-3us", path=tmp_path / "run")
    assert len(netchoice.ReferenceTable.load(tmp_path / "run" / "tables" / "selection")) == 320


def test_time_limit_that_is_too_short_is_refused_before_the_work(tmp_path):
    message = "the time limit of 0.5 s is too short .* smallest limit that would do now is [0-9]+ s"
    with pytest.raises(UsageError, match=message), recorded_features() as calls:
        choose(grown_network(), time_limit=0.5, path=tmp_path / "run")
    assert not calls
    assert not (tmp_path / "run").exists()


def test_answer_does_not_depend_on_the_order_of_the_nodes():
    """Simulated nodes are ordered by age; in this network the oldest ones come last."""
    network = grown_network("ba2", 60)
    edges = np.array([(u, v) for u in range(60) for v in network.neighbors(u) if u < v])
    relabelled = netchoice.Graph.from_edges(59 - edges)
    names = netchoice.compute_features(network, ["edge_dominating_set_size"]).values
    assert netchoice.compute_features(relabelled, ["edge_dominating_set_size"]).values != names
    one, other = choose_from_two(network, local=False), choose_from_two(relabelled, local=False)
    assert one.features == other.features
    assert one.probabilities == pytest.approx(other.probabilities, rel=1e-6)
    same = {name for name in one.fit if name != "remoteness"}
    assert all(one.fit[name] == other.fit[name] for name in same)
    with pytest.raises(
        UsageError, match="'edge_dominating_set_size' depends on the order of the nodes"
    ):
        choose_from_two(features=["edge_dominating_set_size"])


def test_networks_of_the_reference_implementation_are_attributed_to_their_model():
    """The compiled growth must also explain networks that it did not grow."""
    from netchoice.inference import model_probabilities

    rng = np.random.default_rng(7)
    table = netchoice.simulate_table(
        "duplication", n_nodes=120, n_samples=500, seed=2, engine="serial",
        features=["transitivity", "clustering_mean", "degree_mean", "n_triangles"],
    )  # fmt: skip
    correct = 0
    for i in range(16):
        name = ("dmc", "dmr")[i % 2]
        p, q = rng.uniform(0.25, 0.75, 2)
        graph = netchoice.Graph.of(getattr(naive, name)(120, rng, p, q))
        observed = netchoice.compute_features(graph, table.features).values
        correct += model_probabilities(table.X, table.y, observed).model == name
    assert correct >= 13


@fast_for("form", ["object"], ["object", "module:attribute"])
def test_feature_of_the_user_is_simulated_and_used_under_its_name(form, tmp_path, monkeypatch):
    (tmp_path / "feature_of_the_user.py").write_text(
        "import netchoice\n\n@netchoice.feature()\ndef edges_per_node(graph):\n"
        '    """Edges per node."""\n    return graph.n_edges / graph.n_nodes\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    import feature_of_the_user

    own = feature_of_the_user.edges_per_node
    given = own if form == "object" else "feature_of_the_user:edges_per_node"
    with recorded_features() as calls:
        choice = choose_from_two(features=[given, "transitivity"], path=tmp_path / "run")
    assert choice.model == "ba2"
    assert list(choice.features) == ["edges_per_node", "transitivity"]
    assert choice.features["edges_per_node"] == pytest.approx(77 / 40, rel=0.05)
    assert_computed_once(calls, choice)


def test_compared_methods_are_evaluated_but_do_not_affect_the_answer(answered, copied_folder):
    """Both answers use the same simulations, so that the measured costs are equal."""
    plain = answered[0]
    choice = choose(grown_network(), path=copied_folder, compare=["jmi", "random"])
    compared = choice.evidence.selection
    assert set(compared.evaluation["method"]) == {"jmi", "random"}
    assert compared.point == plain.evidence.selection.point
    assert compared.point.method == "jmi"
    assert choice.probabilities == plain.probabilities
    rankings = compared.rankings.query("method == 'jmi'").reset_index(drop=True)
    pd.testing.assert_frame_equal(rankings, plain.evidence.selection.rankings)


def test_most_probable_model_that_does_not_fit_leaves_the_answer_undetermined(monkeypatch):
    original = FitTest.test

    def only_others_fit(test, observed):
        fit = original(test, observed)
        p_values = {name: 0.001 if name == "ba2" else 0.5 for name in fit.p_values}
        return dataclasses.replace(fit, p_values=p_values)

    monkeypatch.setattr(FitTest, "test", only_others_fit)
    choice = choose_from_two(features=["degree_mean"], local=False)
    assert choice.fits
    assert choice.model == "ba2"
    assert choice.verdict == "undetermined"
    assert "ba2 is the most probable but does not fit; fitting: ba" in choice.headline


def test_full_disk_loses_no_simulation(tmp_path, monkeypatch):
    original = Path.write_text

    def full(self, *arguments, **options):
        if "choice.json" in self.name:
            raise OSError(28, "No space left on device")
        return original(self, *arguments, **options)

    options = {"path": tmp_path / "run", "features": ["degree_mean"], "local": False}
    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", full)
        with pytest.raises(NetchoiceError, match=r"cannot write to .*: No space left on device"):
            choose_from_two(**options)
    progress = []
    again = choose_from_two(**options, on_progress=lambda *step: progress.append(step))
    assert again.model == "ba2"
    assert not progress


# Features of the observed network


def assert_computed_once(calls, choice):
    """Assert that one call computed all features of the answer, each once."""
    (names,) = calls
    assert len(names) == len(set(names))
    assert set(names) >= {*choice.features, *choice.fit["features"]}


def test_features_of_the_network_are_computed_once(run):
    choice, _, calls = run
    assert_computed_once(calls, choice)


def test_features_of_a_large_network_are_computed_once(run_with_pilots):
    choice, calls = run_with_pilots
    assert_computed_once(calls, choice)
    assert set(calls[0]) == {*choice.features, *choice.fit["features"]}


def test_feature_without_a_value_is_left_out_and_not_computed_again(monkeypatch):
    original = choose_module.compute_features

    def without_degree_mean(graph, names, **options):
        result = original(graph, names, **options)
        if "degree_mean" in names:
            result.failures["degree_mean"] = "it broke"
            result.values["degree_mean"] = float("nan")
        return result

    replace_compute_features(monkeypatch, without_degree_mean)
    with pytest.raises(
        UsageError, match=r"'degree_mean' has no value on this network \(it broke\)"
    ):
        choose_from_two(features=["degree_mean"])
    with recorded_features() as calls:
        choice = choose_from_two()
    assert "degree_mean" not in choice.features
    assert "degree_mean" not in choice.fit["features"]
    assert choice.settings["without"] == ("degree_mean",)
    assert "features without a value on this network were left out: degree_mean" in choice.notes
    assert_computed_once(calls, choice)


# Refused before any simulation


@pytest.fixture
def no_simulation(monkeypatch):
    def simulate(*_, **__):
        pytest.fail("a table was simulated")

    monkeypatch.setattr(TableMaker, "table", simulate)


@pytest.mark.usefixtures("no_simulation")
@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (netchoice.Graph.from_edges([]), "has 0 nodes and no edges"),
        (netchoice.Graph.from_edges([], n_nodes=1), "1 nodes and no edges"),
        (netchoice.Graph.from_edges([], n_nodes=50), "50 nodes and no edges"),
        (netchoice.Graph.from_edges([(0, 1)]), "has 2 nodes with edges; expected at least 8"),
        (nx.complete_graph(3), "has 3 nodes with edges"),
    ],
)
def test_network_without_information_is_refused(graph, message):
    with pytest.raises(UsageError, match=message):
        choose(graph)


@pytest.mark.usefixtures("no_simulation")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "jm"}, "unknown method 'jm'; did you mean 'jmi'"),
        ({"method": ["jmi", "jm"]}, "unknown method 'jm'"),
        ({"compare": ["tarot"]}, "unknown method 'tarot'"),
        ({"compare": ["jmi", "jm"]}, "unknown method 'jm'"),
        ({"isolated": "some"}, "`isolated` must be 'keep' or 'drop'; got 'some'"),
        ({"inference": "bayes"}, "`inference` must be .* or .*; got 'bayes'"),
        ({"budget": "5eur"}, "`budget` must be a cost such as 20"),
        ({"features": ["transitvity"]}, "did you mean 'transitivity'"),
        ({"time_limit": -1}, "`time_limit` must be a positive number; got -1"),
        ({"space": ModelSpace("one", [netchoice.get_model("ba2")])}, "one model"),
    ],
)
def test_wrong_option_is_refused(options, message, tmp_path):
    with pytest.raises(UsageError, match=message):
        choose(grown_network(), path=tmp_path / "run", **options)
    assert not (tmp_path / "run").exists()


# Settings


@pytest.mark.parametrize(
    "settings",
    [
        PLAN,
        ChoiceSettings(
            space={}, n_nodes=40, isolated="keep", samples=None, features=None,
            purpose="both", method=("jmi",), penalty=None, budget=None, inference=None,
            time_limit=None, seed=1, plan=PLAN,
        ),
    ],
    ids=lambda settings: type(settings).__name__,
)  # fmt: skip
def test_settings_are_frozen(settings):
    for field in dataclasses.fields(settings):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(settings, field.name, None)


def test_choice_and_evidence_are_frozen(answered):
    choice, _ = answered
    for record, name in ((choice, "model"), (choice.evidence, "table")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(record, name, None)


@pytest.mark.parametrize(
    ("wanted", "minimum", "row_seconds", "seconds", "affordable"),
    [
        (1000, 10, 0.5, 60, 240),  # two workers share 120 seconds
        (1000, 10, 0.1, 50, 1000),  # just enough
        (1000, 10, 0.0, 1, 1000),  # rows too fast to measure
        (1000, 300, 0.5, 60, 300),  # at least the minimum
        (100, 300, 60.0, 1, 100),  # but no more than wanted
        (1000, 0, 60.0, 1, 0),
        (1000, 10, 0.5, float("inf"), 1000),
    ],
)
def test_number_of_affordable_simulations(wanted, minimum, row_seconds, seconds, affordable):
    watch = Stopwatch(limit=None, workers=2)
    assert watch.affordable("fit", wanted, minimum, row_seconds, seconds) == affordable
    if affordable == 1000:
        assert not watch.notes


def test_every_reduced_number_of_simulations_is_noted():
    watch = Stopwatch(limit=None, workers=1)
    watch.affordable("pilot", 100, 10, row_seconds=1, seconds=50)
    watch.affordable("selection", 100, 10, row_seconds=1, seconds=1000)
    watch.affordable("fit", 100, 60, row_seconds=1, seconds=50)
    assert watch.notes == [
        "50 simulations instead of 100, to stay within the time limit",
        "60 simulations instead of 100, to stay within the time limit",
    ]


def test_time_left_is_that_of_the_limit():
    assert Stopwatch(limit=None, workers=1).left == float("inf")
    assert 59 < Stopwatch(limit=60, workers=1).left <= 60
    for limit in (0, -1, float("inf"), float("nan"), "60"):
        with pytest.raises(UsageError, match="`time_limit` must be a positive number; got"):
            Stopwatch(limit=limit, workers=1)
