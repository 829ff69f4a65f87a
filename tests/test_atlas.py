"""The atlas: networks and controls that it compares, and the tables that it makes of the answers."""

import json
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import netchoice

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))
import atlas


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("networks")
    for domain, graphs in {
        "social": {"karate": nx.karate_club_graph(), "lesmis": nx.les_miserables_graph()},
        "grids": {"grid": nx.convert_node_labels_to_integers(nx.grid_2d_graph(6, 6))},
    }.items():
        (path / domain).mkdir()
        for name, graph in graphs.items():
            nx.write_edgelist(graph, path / domain / f"{name}.edges", data=["weight"])
    (path / "grids" / "broken.graphml").write_text("<graphml>")
    return path


@pytest.fixture(scope="module")
def entries(folder):
    found, errors = atlas.real_networks(folder)
    assert "grids/broken.graphml" in errors
    return [each for each in found if each.domain != "protein"]


def test_networks_have_a_domain_and_say_what_was_left_out(entries):
    by_id = {each.id: each for each in entries}
    assert {*by_id} == {"social-karate", "social-lesmis", "grids-grid"}
    karate = by_id["social-karate"]
    assert (karate.graph.n_nodes, karate.graph.n_edges) == (34, 78)
    assert "weights ignored" in karate.notes


def test_controls_keep_what_they_should(entries):
    by_id = {each.id: each.graph for each in entries}
    made = atlas.controls(entries, 2)
    assert [each.kind for each in made] == ["grown"] * 2 + ["rewired"] * 2 + ["relabelled"] * 2
    for control in made:
        real, graph = by_id[control.source], control.graph
        assert graph.n_nodes == real.n_nodes
        if control.kind == "grown":
            assert control.truth in netchoice.get_space("all").labels
            assert abs(graph.n_edges / real.n_edges - 1) < 0.11
            continue
        assert graph.n_edges == real.n_edges
        edges, before = set(map(tuple, graph.edges())), set(map(tuple, real.edges()))
        assert edges != before
        if control.kind == "rewired":
            np.testing.assert_array_equal(graph.degrees, real.degrees)
            assert len(edges & before) < 0.8 * len(before)
        else:
            assert nx.is_isomorphic(graph.to_networkx(), real.to_networkx())


def record(verdict, model, p, **changes):
    """Return what an answer holds, as far as the atlas reads it."""
    known = {
        "verdict": verdict, "model": model, "network": {"nodes": 30, "edges": 60},
        "families": {"duplication": 0.8, "closure": 0.2}, "headline": "a sentence",
        "probabilities": {"dmc": 0.7, "holme-kim": 0.3}, "fit_p_values": {"dmc": p, "holme-kim": 0.001},
        "fit": {"power_summary": "some"}, "parameters": {}, "notes": [],
        "misfit": {model: {"discrepancies": [{"feature": "transitivity"}, {"feature": "degree_max"}]}},
        "cost": {"saved_seconds": 1800.0}, "screening": {"p_values": {"lpa": 0.002}},
        "cpu": 3600.0, "wall": 1800.0,
    }  # fmt: skip
    return known | changes


def entry(name, kind="real", **facts):
    graph = netchoice.Graph.from_edges([(0, 1)])
    return atlas.Entry(name, kind, facts.pop("domain", "social"), graph, **facts)


@pytest.fixture
def frame():
    entries = [
        entry("a"), entry("b"), entry("c", domain="web"), entry("d"),
        entry("g1", "grown", truth="dmc"), entry("g2", "grown", truth="holme-kim"),
        entry("r", "rewired"), entry("l", "relabelled", source="a"),
    ]  # fmt: skip
    records = {each.id: record("one-fits", "dmc", 0.5) for each in entries}
    records["b"] = record("none-fits", "dmc", 0.001)
    records["g2"] = record("none-fits", "dmc", 0.001)
    records["d"] = {"error": "it takes too long", "cpu": 1.0, "wall": 1.0}
    tested = atlas.pairs(entries, records)
    return atlas.answers(entries, records, tested), tested


def test_p_values_are_adjusted_over_all_pairs_of_a_kind(frame):
    _, tested = frame
    assert {*tested["model"]} == {"dmc", "holme-kim", "lpa"}
    for _, own in tested.groupby("kind"):
        expected = netchoice.inference.adjusted_p_values(own["p"].to_numpy())
        np.testing.assert_array_equal(own["q"], expected)
    assert "d" not in set(tested["network"])


def test_answers_say_what_fits_after_the_adjustment(frame):
    answers = frame[0].set_index("network")
    assert answers["fits"].to_dict() == {
        "a": True, "b": False, "c": True, "g1": True, "g2": False, "r": True, "l": True
    }  # fmt: skip
    assert answers.loc["a", "fitting"] == "dmc"
    assert answers.loc["a", "discrepancies"] == "transitivity;degree_max"


def test_tables_have_domains_controls_and_costs(frame):
    text = atlas.tables(frame[0], {"d": "it takes too long"}, ["huge"])
    assert "3 real networks were compared; 1 files could not be read or compared" in text
    assert "| social | 2 | 1 of 2 (" in text
    assert "none fits (a false discovery) for 1 of 2" in text
    assert "the true one for 1 of 2" in text
    assert "the most probable family for 1 of 2" in text
    assert "*relabelled*: the same verdict and model for 1 of 1" in text
    assert "CPU hours: 7.00 for 7 networks" in text
    assert "Too large: huge" in text
    assert "- d: it takes too long" in text


def test_answers_are_kept(tmp_path, monkeypatch):
    calls = []

    class Found:
        def to_json(self):
            return json.dumps({"verdict": "one-fits"})

    def choose(*_, **options):
        calls.append(options["time_limit"])
        return Found()

    monkeypatch.setattr(atlas.netchoice, "choose_model", choose)
    karate = entry("karate")
    karate.graph = netchoice.Graph.of(nx.karate_club_graph())
    for _ in range(2):
        assert atlas.answer(karate, tmp_path, 90.0, 1)["verdict"] == "one-fits"
    assert calls == [90.0]
    assert atlas.seconds_each([karate, entry("other")], tmp_path, 1.0) == 3600
    assert atlas.seconds_each([entry(f"n{i}") for i in range(100)], tmp_path, 0.1) == atlas.SHORTEST
    assert atlas.seconds_each([karate], tmp_path, None) is None


def test_picture_shows_every_network(entries, tmp_path):
    rows = [
        {"network": each.id, "kind": "real", "domain": each.domain, "verdict": "one-fits"}
        for each in entries
    ]
    atlas.draw(entries, pd.DataFrame(rows), tmp_path / "atlas.png")
    assert (tmp_path / "atlas.png").stat().st_size > 10_000
