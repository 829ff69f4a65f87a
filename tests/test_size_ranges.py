"""Choosers for a range of sizes, and the sizes of networks."""

import numpy as np
import pytest
from small_plans import small_plan

import netchoice
from netchoice import Chooser
from netchoice.errors import UsageError
from netchoice.workflows.sizes import Size, find_size, in_order

PLAN = small_plan(selection_samples=640, samples=400)
TABLE = {"n_samples": 200, "seed": 3, "engine": "serial", "features": ["degree_mean"]}


def grown(model, n_nodes, seed=1):
    model, rng = netchoice.get_model(model), np.random.default_rng(seed)
    return model.grow(n_nodes, model.sample(rng), rng)


@pytest.fixture(scope="module")
def chooser(tmp_path_factory):
    made = Chooser("ba", n_nodes="20..30", isolated="keep", plan=PLAN)
    return made.fit(path=tmp_path_factory.mktemp("range") / "chooser", engine="serial")


def sizes_of_rows(table):
    simulator = netchoice.simulate.make_simulator(
        netchoice.get_space("ba"), (20, 30), "keep", ["degree_mean"], 3, "train"
    )
    return [simulator.network(row)[1].n_nodes for row in range(len(table))]


def test_rows_of_a_range_have_all_its_sizes_and_small_ones_more_often():
    table = netchoice.simulate_table("ba", n_nodes=(20, 30), **TABLE)
    sizes = sizes_of_rows(table)
    assert set(sizes) == set(range(20, 31))
    assert np.mean(np.log(sizes)) == pytest.approx((np.log(20) + np.log(31)) / 2, abs=0.05)
    assert table.manifest["n_nodes"] == [20, 30]


def test_table_of_a_range_is_resumed(tmp_path):
    whole = netchoice.simulate_table("ba", n_nodes=(20, 30), path=tmp_path / "a", **TABLE)
    part = TABLE | {"n_samples": 50}
    netchoice.simulate_table("ba", n_nodes=(20, 30), path=tmp_path / "b", **part)
    resumed = netchoice.simulate_table("ba", n_nodes=(20, 30), path=tmp_path / "b", **TABLE)
    assert resumed.X.equals(whole.X)


@pytest.mark.parametrize(
    ("n_nodes", "message"), [((30, 20), "from 30 to 20 nodes"), ((20, 20), "from 20 to 20 nodes")]
)
def test_empty_range_is_refused(n_nodes, message):
    with pytest.raises(UsageError, match=message):
        netchoice.simulate_table("ba", n_nodes=n_nodes, **TABLE)


def test_range_answers_for_every_size_in_it_and_for_no_other(chooser):
    networks = {str(n): grown("ba2", n) for n in (20, 25, 30, 31)}
    answers = chooser.choose_many(networks, engine="serial").set_index("id")
    assert answers["error"].isna().tolist() == [True, True, True, False]
    assert "31 nodes" in answers.loc["31", "error"]
    assert "20 to 30 nodes" in answers.loc["31", "error"]
    assert answers["model"].tolist()[:3] == ["ba2"] * 3


def test_number_of_nodes_is_a_feature_of_every_set(chooser):
    selection = chooser.prepared_for(grown("ba2", 22)).selection
    sets = [selection.features, selection.for_model, *selection.near_optimal]
    assert all("n_nodes" in each for each in sets)
    choice = chooser.choose(grown("ba2", 22), engine="serial")
    assert choice.features["n_nodes"] == 22


def test_simulations_near_a_network_have_its_size(chooser):
    network = netchoice.Graph.from_edges([(i, (i + 1) % 27) for i in range(27)])
    choice = chooser.choose(network, engine="serial")
    assert choice.verdict == "none-fits"
    near = choice.discrepancies("ba1").set_index("feature").loc["n_nodes"]
    assert (near["minimum"], near["maximum"]) == (27, 27)


@pytest.mark.slow
def test_range_is_read_from_disk_with_equal_answers(chooser):
    network = grown("ba3", 29)
    loaded = Chooser.load(chooser.path)
    assert loaded.sizes_ == [Size((20, 30), "keep")]
    first, second = (each.choose(network, engine="serial") for each in (chooser, loaded))
    assert first.probabilities == second.probabilities
    assert first.fit_p_values == second.fit_p_values


def test_exact_size_is_preferred_to_a_range():
    prepared = [Size((20, 40), "keep"), Size(30, "keep"), Size((25, 35), "keep")]
    assert find_size(Size(30, "keep"), prepared) == Size(30, "keep")
    assert find_size(Size(26, "keep"), prepared) == Size((25, 35), "keep")
    assert find_size(Size(30, "drop"), prepared) is None
    assert in_order(prepared)[0] == Size((20, 40), "keep")


@pytest.mark.parametrize("n_nodes", [8, 9, 11, 12, 13, 100, 300, 1499, 12_345])
def test_ranges_are_disjoint_and_cover_all_sizes(n_nodes):
    size = Size(n_nodes, "drop")
    low, high = size.range.ends
    assert size.range.covers(size)
    assert Size(low - 1, "drop").range.ends[1] == low - 1 or low == 8
    assert Size(high, "drop").range == size.range
    assert high <= 1.5 * low


def test_range_of_large_networks_is_refused():
    with pytest.raises(UsageError, match="up to 2000 nodes; expected at most 1500"):
        Chooser("ba", n_nodes="1400..2000", plan=PLAN).fit(engine="serial")


@pytest.mark.parametrize(
    ("n_nodes", "message"),
    [
        ("20..x", "expected a number such as 300, or a range such as 240..375"),
        ("1..2..3", "expected a number such as 300, or a range"),
        ("30..20", "from 30 to 20 nodes"),
    ],
)
def test_wrong_range_is_refused(n_nodes, message):
    with pytest.raises(UsageError, match=message):
        Chooser("ba", n_nodes=n_nodes, plan=PLAN).fit(engine="serial")
