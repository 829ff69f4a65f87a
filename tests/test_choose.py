"""Whole tasks: ``choose_model`` with few simulations, ``rank_features`` and ``evaluate_features``."""

import dataclasses
import json
from concurrent.futures import ThreadPoolExecutor

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from fast_and_slow import fast_for
from quick_answers import FEW, QUICK, SERIAL, choose, facts, grown

import netchoice
from netchoice import CostModel, ModelSpace, ReferenceTable, choice
from netchoice.choice import observe as observe_module
from netchoice.choice.rank import selectors_for
from netchoice.choice.tables import find_costs, load_table
from netchoice.errors import GrowthLimitError, NetchoiceError, TableError, UsageError
from netchoice.features.paper import paper_costs
from netchoice.models.density_matched import MatchedModel
from netchoice.selection import METHODS, ReliefF, get_selector
from netchoice.storage import user_tables

#: Parameters in the middle of the priors.
MIDDLE = {"dmc": {"p_delete": 0.5, "p_connect": 0.5}, "dmr": {"p_delete": 0.5, "p_new": 0.5}}
#: The costs include a feature that the table does not have.
COSTS = CostModel(
    {"real": 1.0, "count": 2.0, "constant": 4.0, "elsewhere": 8.0},
    {"real": ["step"], "count": ["step"], "elsewhere": ["other step"]},
    {"step": 16.0, "other step": 32.0},
)


@pytest.fixture(scope="module")
def answered(tmp_path_factory):
    """An answer in which one model fits and the other one is rejected, and its folder."""
    folder = tmp_path_factory.mktemp("choice") / "run"
    return choose(grown("dmc", 40, 9, **MIDDLE["dmc"]), "duplication", out=folder), folder


# Which model


@pytest.mark.parametrize("model", ["ba1", "ba3"])
def test_the_model_of_a_network_is_named(model):
    answer = choose(grown(model))
    assert (answer.verdict.kind, answer.verdict.model) == ("one-fits", model)
    assert answer[model].state == "fits"
    assert answer[model].probability >= 0.95
    assert answer.is_complete


def test_equal_models_both_fit_and_none_is_named():
    dmr = netchoice.get_model("dmr")
    space = ModelSpace("equal", [dmr, dataclasses.replace(dmr, name="again")])
    answer = choose(grown("dmr", 40, **MIDDLE["dmr"]), space)
    assert (answer.verdict.kind, answer.verdict.model) == ("several-fit", None)
    assert {each.name for each in answer.candidates} == {"dmr", "again"}
    for each in answer.candidates:
        low, high = each.interval
        assert low <= each.probability <= high
        assert each.probability == pytest.approx(0.5, abs=0.35)


def test_no_model_fits_a_grid():
    answer = choose(nx.grid_2d_graph(5, 6), "duplication")
    assert answer.verdict.kind == "none-fits"
    assert answer.verdict.model is None
    assert answer.candidates == ()
    for each in answer.models:
        assert (each.state, each.probability, each.parameters) == ("does not fit", None, {})
        assert each.advice
        assert each.discrepancies[0].sentence in answer.summary(verbose=True)


def test_rejected_model_has_no_probability_and_is_not_named(answered):
    answer, _ = answered
    rejected = answer["dmr"]
    assert answer.verdict.model == "dmc"
    assert rejected.state == "does not fit"
    assert rejected.probability is rejected.interval is None
    assert not rejected.parameters
    assert answer["dmc"].probability == 1
    assert 0 < rejected.probability_before < answer["dmc"].probability_before < 1
    assert "its probability before was <0.01" in answer.summary(verbose=True)
    assert "dmr" not in answer.verdict.sentence


def test_answer_does_not_depend_on_the_order_of_the_nodes():
    """Simulated nodes are ordered by age; in this network the oldest ones come last."""
    network = grown("ba2")
    turned = netchoice.Graph.from_edges(29 - network.edges())
    one, other = choose(network, "ba1,ba2"), choose(turned, "ba1,ba2")
    assert one.verdict == other.verdict
    with pytest.raises(UsageError, match="'edge_dominating_set_size' depends on the order"):
        choose(features=["edge_dominating_set_size"], graph=network)


# Workers, interruptions and folders


@fast_for("engine", ["threads"], ["threads", "processes"])
def test_answer_of_two_workers_and_in_memory_is_the_same(answered, engine):
    network = grown("dmc", 40, 9, **MIDDLE["dmc"])
    with ThreadPoolExecutor(2) as pool:
        given = pool if engine == "threads" else engine
        again = choose(network, "duplication", engine=given, workers=2)
    assert facts(again) == facts(answered[0])


class KilledError(Exception):
    """Ends a run in the middle."""


def test_killed_run_resumes_to_the_same_rows(answered, tmp_path):
    done = []

    def kill(stage, n_done, n_total, n_failed):
        if stage == "calibration" and n_done > 100:
            raise KilledError
        done.append(stage)

    network, options = grown("dmc", 40, 9, **MIDDLE["dmc"]), {"out": tmp_path / "run"}
    with pytest.raises(KilledError):
        choose(network, "duplication", **options, on_progress=kill)
    assert {"screened", "training", "altered", "calibration"} <= {*done}
    *_, lost = (tmp_path / "run").rglob("calibration/rows-*.parquet")
    lost.unlink()  # rows that were not written yet
    resumed = []
    again = choose(
        network, "duplication", **options, on_progress=lambda *step: resumed.append(step[0])
    )
    assert facts(again) == facts(answered[0])
    assert {"screened", "training", "altered"}.isdisjoint(resumed)


@pytest.mark.usefixtures("no_simulation")
def test_finished_folder_returns_the_kept_answer(answered):
    answer, folder = answered
    again = choose(grown("dmc", 40, 9, **MIDDLE["dmc"]), "duplication", out=folder)
    assert again.as_dict() == answer.as_dict()


def test_folder_holds_what_people_read_and_one_subfolder_for_the_rest(answered):
    answer, folder = answered
    shown = {path.name for path in folder.iterdir() if not path.name.startswith("_")}
    assert shown == {"answer.json", "tables", "run"}
    record = json.loads((folder / "answer.json").read_text())
    del record["netchoice"]
    assert record == json.loads(answer.to_json())
    tables = {path.name for path in (folder / "tables").iterdir()}
    assert tables == {f"{name}.csv" for name in ("models", "parameters", "features",
                                                 "discrepancies", "posterior")}  # fmt: skip


@pytest.mark.usefixtures("no_simulation")
@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"seed": 2}, "seed"),
        ({"features": FEW[:2]}, "features"),
        ({"effort": netchoice.Effort()}, "effort"),
        ({"space": "ba"}, "space"),
        ({"match": True}, "match"),
        ({"isolated": "keep"}, "isolated"),
        ({"graph": grown("dmc", 40, 5)}, "network"),
    ],
)
def test_other_settings_in_the_same_folder_are_refused_in_one_line(answered, options, name):
    given = {"graph": grown("dmc", 40, 9, **MIDDLE["dmc"]), "space": "duplication", **options}
    with pytest.raises(UsageError, match=rf"^.* holds a run with another {name}; .*fresh=True.*$"):
        choose(out=answered[1], **given)


def test_fresh_deletes_an_earlier_run_and_nothing_else(tmp_path):
    folder = tmp_path / "run"
    choose(nx.star_graph(20), "ba3,ba4", out=folder, features=FEW[1:2])
    (folder / "thesis.txt").write_text("mine")
    options = {"features": ["transitivity"], "fresh": True}
    fresh = choose(nx.star_graph(20), "ba3,ba4", out=folder, **options)
    assert [each.name for each in fresh.features] == ["transitivity"]
    assert netchoice.Answer.load(folder).verdict == fresh.verdict
    assert (folder / "thesis.txt").read_text() == "mine"


@pytest.mark.usefixtures("no_simulation")
@pytest.mark.parametrize("fresh", [False, True])
def test_folder_of_somebody_else_is_refused(tmp_path, fresh):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(UsageError, match="is not empty and holds no run of netchoice choose"):
        choose(grown("ba2"), out=tmp_path, fresh=fresh)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_unfinished_folder_cannot_be_loaded(tmp_path):
    with pytest.raises(UsageError, match=r"holds no answer.json; expected a folder that netchoice"):
        netchoice.Answer.load(tmp_path)


# Models and features of the user


@netchoice.model(p="uniform(0.05, 0.4)")
def gnp(n_nodes, rng, p):
    """Link each pair of nodes with probability p."""
    return nx.fast_gnp_random_graph(n_nodes, p, seed=int(rng.integers(2**31)))


@netchoice.feature
def edges_per_node(graph):
    """Edges per node."""
    return graph.n_edges / graph.n_nodes


@netchoice.feature
def inverse_of_triangles(n_triangles):
    """A number that some networks do not have."""
    return 1 / n_triangles if n_triangles != 20 else 1 / 0


def test_model_and_feature_of_the_user_are_compared_by_their_names():
    space = ModelSpace("own", [gnp, netchoice.get_model("ba2")])
    network = nx.fast_gnp_random_graph(30, 0.12, seed=1)
    answer = choose(network, space, features=[edges_per_node, "degree_std", "transitivity"])
    assert answer.verdict.model == "gnp"
    assert answer["gnp"].description == "Link each pair of nodes with probability p."
    low, high = answer["gnp"].parameters["p"].interval
    assert 0.05 <= low <= 0.12 <= high <= 0.4
    first = answer.features[0]
    assert (first.name, first.observed) == ("edges_per_node", network.number_of_edges() / 30)


def test_named_feature_without_a_value_is_refused():
    named = [inverse_of_triangles, "degree_mean"]
    with pytest.raises(UsageError, match=r"'inverse_of_triangles' has no value on this network \("):
        choose(grown("ba1"), features=named)
    message = r"^feature 'inverse_of_triangles' has no value on some simulations \(.*zero\); leave"
    with pytest.raises(UsageError, match=message):
        choose(grown("ba2"), "ba3,ba4", features=named)


def test_other_features_without_a_value_are_left_out_with_a_note(monkeypatch):
    original = observe_module.compute_features

    def without_degree_mean(graph, names, **options):
        result = original(graph, names, **options)
        result.failures["degree_mean"] = "it broke"
        result.values["degree_mean"] = float("nan")
        return result

    monkeypatch.setattr(observe_module, "compute_features", without_degree_mean)
    answer = choose(grown("ba2"), "ba1,ba2", features=None)
    assert "degree_mean" not in {each.name for each in answer.features}
    assert answer.verdict.model == "ba2"
    assert "features without a value were left out: degree_mean" in answer.notes


def test_model_that_fails_sometimes_is_compared_by_its_other_networks():
    @netchoice.model(p="uniform(0.1, 0.3)")
    def fragile(n_nodes, rng, p):
        if rng.random() < 0.05:
            raise ValueError("growth failed")
        return nx.fast_gnp_random_graph(n_nodes, p, seed=int(rng.integers(2**31)))

    space = ModelSpace("fragile", [fragile, netchoice.get_model("ba2")])
    answer = choose(grown("ba2"), space, features=FEW[1:3])
    assert answer.verdict.model == "ba2"
    assert answer.is_complete


# Options


def test_isolated_nodes_are_kept_or_dropped_as_the_network_has_them():
    graph = grown("dmr", 40, 2, p_delete=0.5, p_new=0.2)
    assert graph.n_isolated
    kept, dropped = (
        choose(graph, "duplication", isolated=each, features=FEW[:2]) for each in (None, "drop")
    )
    assert kept.network["isolated"] == "keep"
    assert kept.network["nodes"] == 40
    assert (dropped.network["isolated"], dropped.network["isolated_nodes"]) == ("drop", 0)
    assert dropped.network["nodes"] == 40 - graph.n_isolated
    assert any("isolated nodes were kept" in note for note in kept.notes)
    assert not any("isolated nodes were kept" in note for note in dropped.notes)


@pytest.mark.parametrize("prior", [{"p_delete": 0.5}, ["p_delete=0.5"]])
def test_priors_are_a_mapping_or_texts(prior):
    graph, space = grown("dmc", 30, 1), netchoice.get_space("lpa,dmc")
    one = choose(graph, space.with_priors({"p_delete": 0.5}), features=FEW[:2])
    other = choose(graph, space, prior=prior, features=FEW[:2])
    assert facts(one) == facts(other)
    with pytest.raises(
        UsageError, match=r"'p_delete' is not of the form name=value \(in `prior`\)"
    ):
        choose(graph, space, prior="p_delete")


def test_simulations_are_matched_to_the_density_on_request():
    graph = grown("dmr", 40, 1, **MIDDLE["dmr"])
    answer = choose(graph, "dmr,rdg", match=True)
    assert answer.space["matched"]
    simulated = np.array(answer.evidence.samples["degree_mean"]["dmr"])
    assert np.abs(simulated * 40 / (2 * graph.n_edges) - 1).max() <= 0.1


@pytest.mark.parametrize(("match", "n_edges"), [(None, 56), (False, None)])
def test_simulations_like_a_network_are_matched_to_its_density(match, n_edges):
    like = [grown("ba2", 30)]
    assert like[0].n_edges == 56
    options = {"like": like, "match": match, "features": FEW[:2], "effort": QUICK, **SERIAL}
    (size,) = netchoice.prepare("lpa,dmr", **options)
    assert (size.nodes, size.edges) == ((30, 30), n_edges)


def test_models_that_never_have_the_density_are_not_compared():
    answer = choose(grown("ba3"), "ba1,ba3,rds", match=True, features=FEW[1:3])
    assert answer["ba1"].state == "never has this density"
    assert answer["ba1"].probability is None
    assert len(answer.models) == 3
    assert {each.name for each in answer.candidates} <= {"ba3", "rds"}
    with pytest.raises(UsageError, match="of 2 models, 1 can make a network of this density"):
        choose(grown("ba3"), "ba1,ba3", match=True)


def test_named_features_are_used_and_no_others():
    answer = choose(grown("ba2"), "ba1,ba2", features=("transitivity", "degree_max"))
    assert [each.name for each in answer.features] == ["transitivity", "degree_max"]
    for each in answer.features:
        assert each.below
        assert all(0 <= share <= 1 for share in each.below.values())


def test_budget_selects_features_that_cost_at_most_so_much():
    names = ["degree_mean", "transitivity", "betweenness_max"]
    answer = choose(grown("ba2"), "ba1,ba2", features=names, budget="50%")
    selected = {each.name for each in answer.features}
    assert selected
    assert "betweenness_max" not in selected  # nearly all of the cost
    assert answer.verdict.model == "ba2"
    with pytest.raises(UsageError, match="no set costs at most 1e-12"):
        choose(grown("ba2"), "ba1,ba2", features=names, budget=1e-12)


@pytest.mark.usefixtures("no_simulation")
@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (netchoice.Graph.from_edges([]), "has 0 nodes and no edges"),
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
        ({"isolated": "some"}, "`isolated` must be 'keep' or 'drop'; got 'some'"),
        ({"budget": "5eur"}, "`budget` must be a cost such as 20"),
        ({"penalty": -1}, "`penalty` must be a non-negative number; got -1"),
        ({"costs": "guessed"}, "`costs` must be 'reference' or 'measured'; got 'guessed'"),
        ({"features": ["transitvity"]}, "did you mean 'transitivity'"),
        ({"features": ["noise_normal"]}, "is random: its value says nothing about a network"),
        ({"features": []}, "`features` is empty; name at least one feature"),
        ({"time_limit": -1}, "`time_limit` must be a time such as 5ms, 90s or 2min; got -1"),
        ({"seed": -1}, "`seed` must be an integer of at least 0; got -1"),
        ({"space": "ba2"}, "holds one model only, so there is nothing to choose"),
        ({"space": "baa"}, "unknown model space 'baa'; did you mean 'ba'"),
    ],
)
def test_wrong_option_is_refused_before_the_work(options, message, tmp_path):
    with pytest.raises(UsageError, match=message):
        choose(grown("ba2"), out=tmp_path / "run", **options)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", ["screened", "trained", "altered", "most", "inferred"])
def test_effort_that_decides_nothing_is_refused(name):
    with pytest.raises(UsageError, match=f"`{name}` must be an integer of at least 150; got 149"):
        dataclasses.replace(QUICK, **{name: 149})


def test_full_disk_loses_no_simulation(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    options = {"out": tmp_path / "run", "space": "ba1,ba2", "features": ["degree_mean"]}
    with monkeypatch.context() as patch:
        patch.setattr("netchoice.choice.answer.write_text", full)
        with pytest.raises(NetchoiceError, match=r"cannot write to .*: No space left on device"):
            choose(grown("ba2"), **options)
    progress = []
    again = choose(grown("ba2"), **options, on_progress=lambda *step: progress.append(step))
    assert again.verdict.model == "ba2"
    assert not progress


# Rankings and evaluations of tables


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    frame = pd.DataFrame(
        {
            "label": np.where(y, "x", "y"),
            "real": y + 0.1 * rng.normal(size=200),
            "count": rng.integers(0, 5, 200),
            "constant": 1.0,
        }
    )
    return ReferenceTable.from_frame(frame, costs=COSTS)


@pytest.mark.parametrize("charge", ["shared", "alone"])
def test_every_method_is_used_with_the_same_parameters(charge, table):
    options = {"costs": COSTS, "charge": charge, "seed": 7, "n_jobs": 1}
    selectors = selectors_for(table.drop_constant(), list(METHODS), **options)
    assert list(selectors) == list(METHODS)
    for name, selector in selectors.items():
        reference = get_selector(name)
        expected = reference.get_params() | {
            "costs": COSTS.only(["real", "count"]),
            "random_state": 7,
            "n_jobs": 1,
            "charge": charge if reference.supports_shared_costs else "alone",
        }
        if "discrete_features" in expected:
            expected["discrete_features"] = [False, True]
        assert selector.get_params() == expected, name
        assert set(selector.costs.own) == {"real", "count"}
        assert set(selector.costs.steps) == {"step"}


def test_some_methods_support_no_shared_costs_and_some_no_discrete_features():
    """Otherwise the test above would not notice a wrong rule."""
    selectors = [get_selector(name) for name in METHODS]
    assert {selector.supports_shared_costs for selector in selectors} == {True, False}
    assert {"discrete_features" in selector.get_params() for selector in selectors} == {True, False}


def test_given_selectors_are_cloned_and_keep_their_parameters(table):
    varying = table.drop_constant()
    given = ReliefF(n_neighbors=3, charge="shared", cost_scale="raw")
    ready = selectors_for(varying, {"mine": given}, costs=COSTS, seed=5)["mine"]
    assert ready is not given
    assert given.costs is None
    assert (ready.n_neighbors, ready.charge, ready.cost_scale) == (3, "shared", "raw")
    assert (ready.costs, ready.random_state) == (COSTS.only(["real", "count"]), 5)
    assert not hasattr(ready, "ranking_")


def test_selectors_without_costs_are_free(table):
    selectors = selectors_for(table.drop_constant(), ["jmi"], costs=None)
    assert selectors["jmi"].costs is None


def test_wrong_methods_are_refused(table):
    with pytest.raises(UsageError, match="no methods; expected some of mrmr, jmi"):
        selectors_for(table, [], costs=None)
    with pytest.raises(UsageError, match="unknown method 'jm'; did you mean 'jmi'"):
        selectors_for(table, ["jm"], costs=None)


def test_costs_come_from_the_table_the_paper_or_the_user(table):
    measured = find_costs(table)
    assert measured.model == COSTS.only(table.features)
    assert (measured.name, measured.in_seconds) == ("given", False)
    assert find_costs(table, "measured") == measured
    paper = find_costs(table, "paper:ba")
    assert (paper.name, paper.in_seconds) == ("paper:ba", True)
    assert paper.model.cost("transitivity") == paper_costs("ba")["transitivity"]
    given = find_costs(table, {"real": 2.0})
    assert (given.model, given.name, given.in_seconds) == (CostModel({"real": 2.0}), "given", False)
    assert find_costs(table, COSTS).model is COSTS


def test_table_without_costs_is_free(table):
    free = ReferenceTable.from_frame(table.X.assign(label=table.y))
    source = find_costs(free)
    assert (source.model, source.name) == (None, "none")
    assert source.for_features(["real"]).cost("real") == 0
    with pytest.raises(UsageError, match="this table has no measured costs"):
        find_costs(free, "measured")


def test_table_is_loaded_from_a_folder_a_file_or_memory(table, tmp_path):
    table.save(tmp_path / "folder")
    table.X.assign(group=table.y).to_csv(tmp_path / "file.csv", index=False)
    assert load_table(table) is table
    for loaded in (load_table(tmp_path / "folder"), load_table(tmp_path / "file.csv", "group")):
        pd.testing.assert_frame_equal(loaded.X, table.X)
        assert list(loaded.y) == list(table.y)
    with pytest.raises(TableError, match="nowhere does not exist"):
        load_table(tmp_path / "nowhere")


def test_table_with_infinite_values_is_refused(table):
    frame = table.X.assign(label=table.y)
    frame.loc[3, "real"] = np.inf
    with pytest.raises(TableError, match="column 'real' has a value of ±inf"):
        ReferenceTable.from_frame(frame)


def test_large_table_is_drawn_from_and_says_so(table, monkeypatch):
    monkeypatch.setattr("netchoice.choice.tables.MAX_ROWS", 50)
    with pytest.warns(UserWarning, match="50 of 200 rows of the table are used, drawn at random"):
        assert len(load_table(table)) == 50
    assert len(load_table(table, rows=150)) == 150


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_rows_of_a_file_are_drawn_in_parts(suffix, tmp_path, monkeypatch):
    frame = pd.DataFrame(
        {"label": np.arange(90) % 2, "x": np.arange(90), "text": ["a, b", "c", "d"] * 30}
    )
    path = tmp_path / f"table.{suffix}"
    frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path)
    whole, n_rows = user_tables.read_frame(path)
    pd.testing.assert_frame_equal(whole, frame, check_dtype=False)
    drawn, _ = user_tables.read_frame(path, 20, seed=3)
    assert (len(drawn), n_rows, drawn["x"].is_unique) == (20, 90, True)
    monkeypatch.setattr(user_tables, "MAX_CONTENT", 10)
    monkeypatch.setattr(user_tables, "ROWS_OF_PART", 7)
    pd.testing.assert_frame_equal(user_tables.read_frame(path)[0], whole)
    pd.testing.assert_frame_equal(user_tables.read_frame(path, 20, seed=3)[0], drawn)


def test_text_is_a_category_and_values_may_be_missing(tmp_path):
    rng = np.random.default_rng(1)
    y = np.arange(300) % 2
    frame = pd.DataFrame(
        {
            "label": np.where(y, "ill", "well"),
            "place": np.where(y ^ (rng.random(300) < 0.1), "ward", "home"),
            "noise": rng.normal(size=300),
            "flag": y == 1,
            "copy": y == 1,
        }
    )
    frame.loc[:20, "noise"] = np.nan
    frame.loc[5, "place"] = None
    frame.to_csv(tmp_path / "table.csv", index=False)
    frame.to_parquet(tmp_path / "table.parquet")
    for name in ("table.csv", "table.parquet"):
        ranking = netchoice.rank_features(tmp_path / name)
        assert ranking.ranking[0] == "flag"
        relevance = ranking.steps.set_index("feature")["relevance"]
        assert relevance["place"] > 0.2 > 0.1 > relevance["noise"]
        assert ranking.equal == {"copy": "flag"}
        loaded = load_table(tmp_path / name)
        assert list(loaded.X["place"].cat.categories) == ["home", "ward"]
        assert loaded.X["place"].isna().sum() == 1
    loaded.save(tmp_path / "folder")
    pd.testing.assert_frame_equal(ReferenceTable.load(tmp_path / "folder").X, loaded.X)
    result = netchoice.evaluate_features(
        tmp_path / "table.csv", max_features=2, penalties=[0, 1], repeats=1,
        costs={"place": 1, "noise": 1, "flag": 20, "copy": 30},
    )  # fmt: skip
    assert result.recommended.features == ("flag",)
    assert result.row_by_row["accuracy"] > 0.95
    assert 0 < result.row_by_row["cost"] < 51


def test_results_and_efforts_are_frozen():
    known = [getattr(choice, name) for name in choice.__all__]
    classes = {each for each in known if dataclasses.is_dataclass(each)}
    assert {choice.Answer, choice.Effort, choice.FeatureEvaluation} <= classes
    assert all(each.__dataclass_params__.frozen for each in classes)


def test_ranking_states_costs_in_their_unit(table):
    ranking = netchoice.rank_features(table, penalty=1)
    assert set(ranking.ranking) == {"real", "count"}
    assert ranking.constant == ["constant"]
    assert ranking.steps["cumulative_cost"].tolist() == ranking.steps["cost"].cumsum().tolist()
    assert ranking.steps["cumulative_cost"].iloc[-1] == 19
    alone = netchoice.rank_features(table, penalty=1, charge="alone")
    assert alone.steps["cumulative_cost"].iloc[-1] == 35
    assert alone.ranking[0] == "real"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"penalty": -1}, "`penalty` must be a non-negative number; got -1"),
        ({"charge": "twice"}, "`charge` must be 'alone' or 'shared'; got 'twice'"),
        ({"method": "jm"}, "unknown method 'jm'"),
    ],
)
def test_wrong_option_of_a_ranking_is_refused(options, message):
    """The table is not read: the message would say that it does not exist."""
    with pytest.raises(UsageError, match=message):
        netchoice.rank_features("nowhere", **options)


def test_weighted_forests_charge_alone_and_say_so(table):
    ranked = netchoice.rank_features(table, "weighted-mdi", costs={"real": 1.0, "count": 2.0})
    assert ranked.charge == "alone"


def test_ranking_of_constant_features_is_refused(table):
    frame = pd.DataFrame({"label": table.y, "one": 1.0, "two": 2.0})
    with pytest.raises(TableError, match="all 2 features of the table are constant"):
        netchoice.rank_features(ReferenceTable.from_frame(frame))


def test_evaluation_recommends_a_set_and_writes_it(table, tmp_path):
    options = {"methods": ["jmi", "random"], "penalties": [0, 1], "folds": 4, "classifier": "knn"}
    progress = []
    result = netchoice.evaluate_features(
        table, **options, out=tmp_path, on_progress=lambda *step: progress.append(step)
    )
    assert result.recommended.features == ("real",)
    assert result.recommended.rule == "cheapest"
    assert result.settings["rows"] == [200]
    assert set(result.recall) == set(table.y)
    assert set(result.costs.own) == {"real", "count"}
    assert {stage for stage, _, _, _ in progress} == {"ranking", "evaluating"}
    record = json.loads((tmp_path / "recommended.json").read_text())
    assert record.pop("netchoice")["file"] == "recommended.json"
    assert record == json.loads(json.dumps(result.as_dict()))
    evaluation = pd.read_csv(tmp_path / "tables" / "evaluation.csv")
    assert evaluation["features"].tolist() == result.evaluation["features"].map(";".join).tolist()
    assert evaluation["accuracy"].tolist() == result.evaluation["accuracy"].tolist()
    rankings = pd.read_csv(tmp_path / "tables" / "rankings.csv")
    pd.testing.assert_frame_equal(rankings, result.rankings, check_dtype=False)
    assert CostModel.from_file(tmp_path / "tables" / "costs.json") == result.costs
    within = netchoice.evaluate_features(table, **options, out=tmp_path, budget="90%")
    assert within.recommended.rule == "budget"
    assert within.recommended.share <= 0.9


def test_wrong_option_of_an_evaluation_is_refused(table):
    with pytest.raises(UsageError, match="`budget` must be a cost such as 20"):
        netchoice.evaluate_features("nowhere", budget="5eur")
    with pytest.raises(UsageError, match="`loss` must be a non-negative number; got -1"):
        netchoice.evaluate_features("nowhere", loss=-1)
    with pytest.raises(UsageError, match="unknown score 'best'"):
        netchoice.evaluate_features(table, scoring="best")
    with pytest.raises(UsageError, match="sensitivity@95 needs two classes and a specificity"):
        netchoice.evaluate_features(table, scoring="sensitivity@95")
    with pytest.raises(UsageError, match="the budget 5ms is a time, but the costs from given are"):
        netchoice.evaluate_features(table, budget="5ms", costs={"real": 1.0, "count": 1.0})
    with pytest.raises(UsageError, match="penalties 'few'; expected auto, paper, or numbers"):
        netchoice.evaluate_features(table, penalties="few")
    with pytest.raises(UsageError, match="`max_features` must be an integer of at least 1; got 0"):
        netchoice.evaluate_features(table, max_features=0)


def test_model_without_networks_near_the_observed_one_ends_no_run(monkeypatch):
    """Its posterior can be where hardly any network has the density."""
    draw = MatchedModel.draw

    def fails_with_given_draws(self, *arguments):
        if self.draws is not None:
            raise GrowthLimitError("none of 2000 networks had the density")
        return draw(self, *arguments)

    monkeypatch.setattr(MatchedModel, "draw", fails_with_given_draws)
    answer = choose(grown("dmr", 40, **MIDDLE["dmr"]), "duplication", match=True)
    assert answer.verdict.kind == "one-fits"
