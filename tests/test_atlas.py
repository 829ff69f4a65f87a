"""The atlas: networks and controls that it compares, answers that are kept, and the tables made of them."""

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
import atlas_again
import atlas_figures
import atlas_networks
import atlas_page
import atlas_result
from small_plans import small_plan


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
    found, errors = atlas_networks.real_networks(folder)
    assert "grids/broken.graphml" in errors
    return [each for each in found if each.domain != "protein"]


def test_networks_have_a_domain_and_say_what_was_left_out(entries):
    by_id = {each.id: each for each in entries}
    shipped = {f"networkx-{name}" for name in ("karate", "les-miserables", "davis", "florentine")}
    assert {*by_id} == {"social-karate", "social-lesmis", "grids-grid", *shipped}
    karate = by_id["social-karate"]
    assert (karate.graph.n_nodes, karate.graph.n_edges) == (34, 78)
    assert "weights ignored" in karate.notes
    assert atlas_networks.ALL_EVEN in by_id["grids-grid"].notes
    assert atlas_networks.ALL_EVEN not in karate.notes
    assert by_id["networkx-davis"].notes == ["two kinds of nodes"]


def test_only_the_folder_can_be_compared(folder):
    found, errors = atlas_networks.real_networks(folder, only=True)
    assert {each.id for each in found} == {"social-karate", "social-lesmis", "grids-grid"}
    assert {*errors} == {"grids/broken.graphml"}


def test_a_network_that_is_there_twice_is_marked(entries):
    copies = {each.id: each.notes[-1] for each in entries if "the same" in " ".join(each.notes)}
    assert copies == {
        "networkx-karate": "the same network as social-karate",
        "networkx-les-miserables": "the same network as social-lesmis",
    }


def test_equal_degrees_do_not_make_a_copy():
    cycles = [nx.cycle_graph(6), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))]
    cycles.append(nx.relabel_nodes(cycles[1], dict(enumerate([5, 1, 3, 0, 2, 4]))))
    made = [
        atlas_result.Entry(f"{i}", "real", "x", netchoice.Graph.of(each))
        for i, each in enumerate(cycles)
    ]
    atlas_networks._mark_copies(made)
    assert [each.copy_of for each in made] == ["", "", "1"]


def test_controls_keep_what_they_should(entries):
    by_id = {each.id: each.graph for each in entries}
    made = atlas_networks.controls(entries, 1)
    assert [each.kind for each in made] == [
        *["grown"] * 4, *["rewired"] * 2, "relabelled", *["foreign"] * 2
    ]  # fmt: skip
    grown = [each.truth for each in made if each.kind == "grown"]
    assert len({*grown}) == len(grown)  # no mechanism twice
    assert not any(each.source == "networkx-karate" for each in made)  # a copy
    for control in made:
        real, graph = by_id[control.source], control.graph
        if control.kind == "foreign":
            assert control.truth in atlas_networks.FOREIGN
            continue
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


@pytest.mark.parametrize(("n_nodes", "n_edges"), [(30, 30), (64, 120), (100, 700)])
@pytest.mark.parametrize("rule", atlas_networks.FOREIGN)
def test_foreign_networks_have_about_the_size_and_the_density(rule, n_nodes, n_edges):
    graph = atlas_networks.FOREIGN[rule](
        n_nodes, n_edges, np.random.default_rng(1)
    ).without_isolated()
    assert abs(graph.n_nodes - n_nodes) <= 0.15 * n_nodes
    assert abs(graph.n_edges - n_edges) <= 0.35 * n_edges
    if rule == "regular":
        assert len({*graph.degrees}) == 1


def test_a_lattice_links_the_nearest_pairs_first():
    graph = atlas_networks.lattice(36, 60, np.random.default_rng(1))
    assert nx.is_isomorphic(graph.to_networkx(), nx.grid_2d_graph(6, 6))


def test_relabelled_networks_come_after_their_originals(entries):
    copy = atlas_result.Entry("a-copy", "relabelled", "social", entries[0].graph, entries[0].id)
    ids = [each.id for each in atlas_networks.in_order([copy, *entries])]
    assert ids.index("a-copy") > ids.index(entries[0].id)
    assert ids[0] == "networkx-florentine"


# Answers


def test_answers_are_kept_and_used_again(tmp_path, monkeypatch, capsys):
    karate = atlas_result.Entry(
        "karate", "real", "social", netchoice.Graph.of(nx.karate_club_graph())
    )
    space = netchoice.get_space("all").only(["dmc", "rdg"]).matched_to(karate.graph)
    plan = small_plan(samples=300, screen_above=1, screening_samples=60, screening_training=20)
    monkeypatch.setattr(atlas, "space_for", lambda _: space)
    monkeypatch.setattr(atlas, "PLAN", plan)
    answerer = atlas.Answerer([karate], tmp_path)
    atlas.answer_all(answerer, None, 1)
    record = answerer.known(karate)
    assert record["model"] in {"dmc", "rdg"}
    assert {*atlas_result.p_values(record)} == {"dmc", "rdg"}
    assert not any((tmp_path / "runs").iterdir())
    costs = record["costs"]
    assert 0 < costs["saved_by_stages"] + costs["saved_by_selection"] < costs["all_features"]
    assert "[1/1, " in capsys.readouterr().out

    def fail(*_, **__):
        raise AssertionError("the answer is known")

    monkeypatch.setattr(atlas.netchoice, "choose_model", fail)
    atlas.answer_all(answerer, None, 1)
    assert "1 of 1 networks have an answer" in capsys.readouterr().out
    stored = {"karate": json.loads(json.dumps(record))}
    assert atlas.Answerer([karate], tmp_path / "new", stored).known(karate) == record
    other = {"karate": {**record, "code": "of another version"}}
    assert atlas.Answerer([karate], tmp_path / "new", other).known(karate) is None
    assert atlas.Answerer([karate], tmp_path / "new", other, any_code=True).known(karate)
    copy = atlas_result.Entry("copy", "relabelled", "social", karate.graph, karate.id)
    pair = [karate, copy]  # both answers must come from the same code
    assert atlas.Answerer(pair, tmp_path / "new", stored, any_code=True).known(karate) == record
    assert atlas.Answerer(pair, tmp_path / "new", other, any_code=True).known(karate) is None
    failed = {"karate": {**other["karate"], "error": "of another version"}}
    assert atlas.Answerer([karate], tmp_path / "new", failed, any_code=True).known(karate) is None
    moved = {"karate": {**record, "fingerprint": "of another network"}}
    assert atlas.Answerer([karate], tmp_path / "new", moved, any_code=True).known(karate) is None


def test_an_error_of_one_network_is_recorded(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(atlas, "space_for", lambda _: netchoice.get_space("all"))
    tiny = atlas_result.Entry("tiny", "real", "social", netchoice.Graph.from_edges([(0, 1)]))
    answerer = atlas.Answerer([tiny], tmp_path)
    atlas.answer_all(answerer, None, 1)
    assert "expected at least" in answerer.known(tiny)["error"]
    assert "expected at least" in capsys.readouterr().out


def test_a_run_ends_when_its_time_is_over(tmp_path, monkeypatch, capsys):
    karate = atlas_result.Entry(
        "karate", "real", "social", netchoice.Graph.of(nx.karate_club_graph())
    )

    def wait(*_, **__):
        while True:
            pass

    monkeypatch.setattr(atlas.netchoice, "choose_model", wait)
    monkeypatch.setattr(atlas, "space_for", lambda _: None)
    answerer = atlas.Answerer([karate], tmp_path)
    atlas.answer_all(answerer, 0.5 / 3600, 1)
    assert "run the same command again to resume" in capsys.readouterr().out
    assert answerer.known(karate) is None


# Tables


def record(verdict, model, p, **changes):
    """Return an answer."""
    discrepancy = {
        "feature": "transitivity", "label": "transitivity", "observed": 0.4, "median": 0.2, "q025": 0.1,
        "q975": 0.3,
    }  # fmt: skip
    known = {
        "verdict": verdict, "model": model, "nodes": 30, "edges": 60, "headline": "a sentence",
        "families": {"duplication": 0.8, "closure": 0.2}, "mixtures": [], "notes": [],
        "probabilities": {"dmc": 0.7, "holme-kim": 0.3}, "fit_p_values": {"dmc": p, "holme-kim": 0.001},
        "intervals": {"dmc": [0.6, 0.8], "holme-kim": [0.2, 0.4]},
        "parameters": {"p_new": {"median": 0.5, "interval": [0.4, 0.6], "at_boundary": None}},
        "power": {"all edges rewired with degrees kept": 0.9}, "screening": {"lpa": 0.002}, "unmatched": [],
        "discrepancies": [discrepancy], "cpu": 3600.0, "wall": 1800.0, "code": "c", "fingerprint": "f",
        "resumed": False, "settings": "s",
        "costs": {"simulations": 20_000, "all_features": 7200.0, "saved_by_stages": 1800.0,
                  "saved_by_selection": 900.0},
    }  # fmt: skip
    return known | changes


def entry(name, kind="real", **facts):
    graph = netchoice.Graph.of(nx.cycle_graph(8 + len(name)))
    return atlas_result.Entry(name, kind, facts.pop("domain", "social"), graph, **facts)


@pytest.fixture
def result():
    entries = [
        entry("a", notes=["weights ignored"]), entry("b"), entry("c", domain="web"), entry("d"),
        entry("g1", "grown", truth="dmc"), entry("g2", "grown", truth="holme-kim"),
        entry("r", "rewired"), entry("l", "relabelled", source="a"),
        entry("f1", "foreign", truth="lattice"), entry("f2", "foreign", truth="regular"),
    ]  # fmt: skip
    records = {each.id: record("one-fits", "dmc", 0.5) for each in entries}
    records["b"] = record("none-fits", "dmc", 0.001)
    records["g2"] = record("none-fits", "dmc", 0.001)
    records["f2"] = record("none-fits", "dmc", 0.001)
    records["d"] = {"error": "it takes too long", "cpu": 1.0, "wall": 1.0, "code": "c"}
    return atlas_result.Result(entries, records, {"d": "it takes too long"}, ["late"], ["huge"])


def test_the_false_discovery_rate_of_none_fits_is_controlled(result):
    assert {*result.pairs["model"]} == {"dmc", "holme-kim", "lpa"}
    assert "d" not in set(result.pairs["network"])
    assert result.threshold == 0.002  # the largest p-value of b, the only discovery
    del result.records["b"], result.records["d"]
    assert again(result).threshold == 0.0


def test_the_threshold_is_that_of_benjamini_and_hochberg():
    def found(p):
        return atlas_result.threshold(pd.Series(p))

    # With the probability of an error of the screening: 2 · 0.004 <= 2/10 · 0.05, 2 · 0.005 > 3/20 · 0.05.
    assert found([0.003, 0.004, *[0.5] * 8]) == 0.004
    assert found([0.003, 0.004, 0.005, *[0.5] * 17]) == 0.0
    assert found([0.009, 0.01, 0.011]) == 0.01  # at most the level of choose
    # Tests that cannot be discoveries do not help others: 0.015 · 100 > 0.05, but 0.0199 · 100 / 41 < 0.05.
    assert found([0.01, *[0.0149] * 40, *[0.5] * 59]) == 0.0


def test_a_network_that_is_there_twice_counts_once(result):
    result.entries[1].copy_of = "a"
    assert "b" not in set(result.counted["network"])
    assert result.threshold == 0.0
    assert "1 of the real networks are copies of others and are not counted" in atlas_page.page(
        result
    )


def test_a_copy_counts_if_its_original_has_no_answer(result):
    result.entries[0].copy_of = "d"
    result.entries[1].copy_of = "d"
    assert len(result.counted) == 2  # d is an error: one of a and b, and c


def test_what_is_rejected_but_no_discovery_remains_open(result):
    result.records["d"] = record("one-fits", "dmc", 0.5)
    result.records["b"]["fit_p_values"] = {"dmc": 0.0099}
    row = result.frame.set_index("network").loc["b"]
    assert not row["fits"]
    assert not row["none"]  # (0.0099 + 0.005) · 4 > 0.05
    assert "| social | 3 | 2 of 3 (21–94%) |  | 1 | 0 |" in atlas_page.page(result)


def test_answers_say_what_fits(result):
    fits = result.frame.set_index("network")["fits"].to_dict()
    assert fits == {
        "a": True, "b": False, "c": True, "g1": True, "g2": False, "r": True, "l": True, "f1": True,
        "f2": False,
    }  # fmt: skip
    assert result.frame.set_index("network").loc["a", "fitting"] == ["dmc"]


def test_networks_that_are_answered_again_are_no_copies(entries):
    answers = {each.id: {} for each in entries if each.id != "grids-grid"}
    chosen = {each.id for each in atlas_again.drawn(entries, answers, 100, 100)}
    assert chosen == {each.id for each in entries if each.id in answers and not each.copy_of}
    assert len(chosen) == len(answers) - 2  # the karate club and Les Misérables are there twice
    assert len(atlas_again.drawn(entries, answers, 2, 2)) == 2  # none is large


def test_two_answers_for_a_network_are_compared():
    first = record("one-fits", "dmc", 0.5)
    found = atlas_again.comparison(first, first)
    assert all(found[part] for part in atlas_again.PARTS)
    assert (found["before"], found["after"], found["both"], found["difference"]) == (1, 1, 1, 0.0)
    second = record("none-fits", "holme-kim", 0.01, families={"duplication": 0.2, "closure": 0.8})
    found = atlas_again.comparison(first, second)
    assert not any(found[part] for part in atlas_again.PARTS)
    assert (found["before"], found["after"], found["both"]) == (1, 0, 0)
    assert found["difference"] == pytest.approx(0.49)
    table = pd.DataFrame([atlas_again.comparison(first, each) for each in (first, first, second)])
    text = "\n".join(atlas_again.report(table))
    assert "the same, small: a model fits 2 of 3 (" in text
    assert "the most probable model, rejected with 0 of 2 seeds, is the same for 2 of 2" in text
    assert "the most probable model, rejected with 1 of 2 seeds, is the same for 1 of 1" in text
    assert "models not rejected: 3 before, 2 now, 2 both" in text


def test_page_has_domains_controls_and_costs(result):
    text = atlas_page.page(result)
    assert "3 real networks were compared, and as controls 2 grown, 1 rewired, 1 relabelled" in text
    assert "1 networks were not reached within the time. 1 networks are too large." in text
    assert "| social | 2 | 1 of 2 (9–91%) |  | 1 | 1 |" in text
    assert "| all | 2 of 3 | `dmc` 2 |" in text
    assert (
        "all models rejected for 1 of 2 (9–91%), true model rejected for 1 of 2 (9–91%); exp"
        in text
    )
    assert (
        "expected at most 1.5%, which is contradicted. The p-value of the true model is at" in text
    )
    assert "is the true one for 1 of 2 (9–91%), and the most probable family for 1 of 2" in text
    assert "for 1 of 2 (9–91%) (lattice 1 of 1, regular 0 of 1)" in text
    assert "*relabelled*: the same verdict and model for 1 of 1; largest difference of the " in text
    assert "9.00 CPU hours for 9 networks, with controls, and 0.18 million simulations" in text
    assert "would take 18.00 CPU hours; 4.50 were saved" in text
    assert "Too large: huge." in text
    assert "Not reached: late." in text
    assert "- d: it takes too long" in text


def test_page_compares_rejections_with_chance(result):
    text = atlas_page.page(result)
    assert (
        "All models are rejected for 1 of 3 (6–79%) at the level 0.01, where at most 0.04 " in text
    )
    assert "for 1 of 3 (6–79%) at the level 0.05, where at most 0.17 are expected if one of" in text
    assert 'The smallest p-value of "none fits" is 0.002. With 3 networks and a false ' in text
    assert "only if it can be said of 1 or more" in text
    result.records["a"]["nodes"] = 200
    result.records["c"]["power"] = {}
    assert "| social | 2 | 1 of 2 (9–91%) | 1 of 1 | 1 | 1 |" in atlas_page.page(again(result))
    sizes = atlas_page.size_table(again(result).counted)
    assert sizes[2:] == [
        "| below 50 | 1 of 2 (9–91%) | 0.5 | 90% |", "| 200 to 999 | 1 of 1 (21–100%) | 1 | 90% |"
    ]  # fmt: skip


def again(result):
    """Return a result with the same answers that computes everything again."""
    entries = [each for each in result.entries if each.id in result.records]
    return atlas_result.Result(entries, result.records, {}, [], [])


def test_many_small_p_values_are_needed_for_a_discovery(result):
    for name in "abcd":
        result.records[name] = record("none-fits", "dmc", 0.005, screening={"lpa": 0.0099})
    text = atlas_page.page(again(result))
    assert "4 of 4 (51–100%) at the level 0.01, where at most 0.06 are expected" in text
    assert "only if it can be said of 2 or more" in text  # 0.0149 · 4 / 2 < 0.05 < 0.0149 · 4


def test_rewired_networks_are_compared_with_their_originals(result):
    next(each for each in result.entries if each.id == "r").source = "a"
    text = atlas_page.page(result)
    assert "Of the 1 pairs of a real network and a model that fits it, the model also fits" in text
    assert "the rewired network in 1\n" in text


def test_a_model_without_a_p_value_is_an_error(result):
    with pytest.raises(AssertionError, match="no p-value"):
        atlas_result.p_values(record("one-fits", "dmc", float("nan")))


def test_power_is_shown_in_one_order(result):
    shares = {"1 in 20 edges moved": 0.1, "all edges rewired with degrees kept": 0.9}
    result.records["a"]["power"] = shares
    row = next(line for line in atlas_page.network_table(result.real) if line.startswith("| a |"))
    assert "| 90% / 10% |" in row


def test_nothing_is_written_without_answers(result, tmp_path, capsys):
    atlas_page.write(atlas_result.Result([], {}, {}, ["a"], []), tmp_path, to_docs=False)
    assert "no real network has an answer yet" in capsys.readouterr().out
    assert not any(tmp_path.iterdir())


def test_each_network_has_a_row_with_everything_that_is_known(result):
    row = next(line for line in atlas_page.network_table(result.real) if line.startswith("| a |"))
    for part in (
        "one model fits", "duplication 0.80", "`dmc` 0.70", "p_new 0.5 (0.4 to 0.6)", "90%",
        "transitivity 0.4 (simulated 0.1 to 0.3)", "weights ignored",
    ):  # fmt: skip
        assert part in row


def test_discrepancies_are_counted_by_side(result):
    counts = atlas_figures.discrepancy_counts(result.real)
    assert counts.loc["transitivity", ("social", 1)] == 2
    assert counts.loc["transitivity", ("web", 1)] == 1


def test_all_files_are_written(result, tmp_path, monkeypatch):
    for name in ("PAGE", "LIST"):
        file = tmp_path / f"{name}.md"
        file.write_text("before\n\n{}\n\nold\n\n{}\nafter".format(*atlas_page.MARKERS))
        monkeypatch.setattr(atlas_page, name, file)
    monkeypatch.setattr(atlas_page, "DOCS", tmp_path)
    monkeypatch.setattr(atlas_page, "RECORDS", tmp_path / "atlas.json")
    atlas_page.write(result, tmp_path, to_docs=True)
    text = (tmp_path / "PAGE.md").read_text()
    assert text.startswith("before")
    assert text.endswith("after")
    assert "3 real networks" in text
    assert "old" not in text
    assert {"atlas.csv", "p-values.csv", "report", "pictures"} <= {
        path.name for path in tmp_path.iterdir()
    }
    assert "social" in (tmp_path / "report" / "report.html").read_text()
    assert atlas_page.stored_answers()["a"] == result.records["a"]
