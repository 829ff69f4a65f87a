"""Networks that may have two kinds of nodes: how they are recognised, and the note in the answer."""

import networkx as nx
import numpy as np
import pytest
from quick_answers import choose

import netchoice
from netchoice.choice.notes import MANY_CYCLES, may_have_two_kinds
from netchoice.report import report_answer


@pytest.mark.parametrize("seed", range(20))
def test_it_is_networkx_is_bipartite_for_networks_with_cycles(seed):
    rng = np.random.default_rng(seed)
    first = nx.bipartite.gnmk_random_graph(12, 15, 45, seed=seed)
    second = nx.gnm_random_graph(14, int(rng.integers(0, 25)), seed=seed)
    both = nx.disjoint_union(first, second)
    both.add_node("isolated")
    for graph in (first, second, both):
        n_cycles = graph.number_of_edges() - len(graph) + nx.number_connected_components(graph)
        expected = n_cycles >= MANY_CYCLES and nx.is_bipartite(graph)
        assert may_have_two_kinds(netchoice.Graph.of(graph)) == expected
    assert may_have_two_kinds(netchoice.Graph.of(first))


def test_few_cycles_tell_nothing():
    assert not may_have_two_kinds(netchoice.Graph.of(nx.random_labeled_tree(50, seed=1)))
    ladder = nx.ladder_graph(MANY_CYCLES + 1)
    assert may_have_two_kinds(netchoice.Graph.of(ladder))
    ladder.remove_edge(0, 1)
    assert not may_have_two_kinds(netchoice.Graph.of(ladder))


def test_the_answer_says_so():
    women = nx.davis_southern_women_graph()
    says = "all cycles of the network have an even number of edges"

    def n_notes():
        answer = choose(women, "duplication", features=["degree_mean"])
        return sum(says in note for note in answer.notes)

    assert n_notes() == 1
    women.add_edge("Evelyn Jefferson", "Laura Mandeville")
    assert n_notes() == 0


def test_two_kinds_of_nodes_are_said_on_the_first_screen(tmp_path):
    """Such a network has no triangles; a panel of its figure then has no bins."""
    graph = nx.bipartite.gnmk_random_graph(12, 14, 45, seed=1)
    graph.remove_nodes_from(list(nx.isolates(graph)))
    answer = choose(
        netchoice.Graph.of(graph), "ispolatov,dmr", effort=netchoice.Effort.small(), out=tmp_path / "a"
    )  # fmt: skip
    assert "next: compare a projection on one kind of nodes" in answer.summary()
    report_answer(answer, tmp_path / "a")
    assert (tmp_path / "a" / "report.html").exists()
