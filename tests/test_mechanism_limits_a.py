"""Growing mechanisms against exact probabilities, closed forms of their papers, and networkx."""

from itertools import pairwise

import naive
import networkx as nx
import numpy as np
import pytest
from fast_and_slow import few_or_many
from naive_mechanisms_a import STEPS, Chance, outcomes
from scipy import integrate, optimize, stats
from test_models_growth import measure, two_sample_p

import netchoice
from netchoice.models.mechanism import Growth

N_LARGE = 100_000
LARGEST_DEGREE = 8


def grow(name, n_nodes, seed=1, **parameters):
    return netchoice.get_model(name).grow(n_nodes, parameters, np.random.default_rng(seed))


def degree_shares(name, **parameters):
    """Return the shares of nodes with 1, 2, … links in one large network."""
    degrees = np.diff(grow(name, N_LARGE, **parameters).indptr)
    return np.bincount(degrees, minlength=LARGEST_DEGREE + 1)[1 : LARGEST_DEGREE + 1] / N_LARGE


def shares_from_rates(rates):
    """Return the shares of nodes with 1, 2, … links, if a node with k links gains rates[k - 1] / n."""
    shares = [1 / (1 + rates[0])]
    for before, rate in pairwise(rates):
        shares.append(shares[-1] * before / (1 + rate))
    return np.array(shares)


def links_to_older(graph):
    """Return, for each node from the third one on, its neighbours that are older."""
    return [[other for other in graph[node] if other < node] for node in range(2, len(graph))]


@few_or_many("n_draws", 1000, 10_000)
@pytest.mark.parametrize("n_nodes", [3, 4])
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("nonlinear", {"mean_links": 0.6, "alpha": 0.5}),
        ("nonlinear", {"mean_links": 1.5, "alpha": 1.4}),
        ("fitness", {"mean_links": 0.6, "spread": 0.0}),
        ("fitness", {"mean_links": 1.5, "spread": 0.0}),
        ("redirection", {"mean_links": 0.6, "p_redirect": 0.4}),
        ("redirection", {"mean_links": 1.5, "p_redirect": 0.7}),
        ("copying", {"mean_links": 0.6, "p_random": 0.4}),
        ("copying", {"mean_links": 1.5, "p_random": 0.3}),
        ("saramaki-kaski", {"mean_links": 0.8, "n_steps": 1}),
        ("saramaki-kaski", {"mean_links": 1.0, "n_steps": 3}),
        ("ispolatov", {"p_keep": 0.3}),
        ("ispolatov", {"p_keep": 0.8}),
        ("heterodimer", {"p_keep": 0.3, "p_dimer": 0.2}),
        ("heterodimer", {"p_keep": 0.6, "p_dimer": 0.7}),
    ],
)
def test_small_networks_have_exact_probabilities(name, parameters, n_nodes, n_draws):
    exact = outcomes(STEPS[name], n_nodes, **parameters)
    assert sum(exact.values()) == pytest.approx(1)
    model, rng = netchoice.get_model(name), np.random.default_rng(3)
    counts = dict.fromkeys(exact, 0)
    for _ in range(n_draws):
        grown = model.grow(n_nodes, parameters, rng)
        counts[frozenset(map(tuple, grown.edges().tolist()))] += 1  # KeyError: impossible network
    expected = np.array(list(exact.values())) * n_draws
    if len(expected) > 1:
        assert stats.chisquare(list(counts.values()), expected).pvalue > 1e-4


@few_or_many("n_networks", 50, 300)
@pytest.mark.parametrize("name", sorted(STEPS))
def test_mixture_with_dmc_has_the_distribution_of_the_reference_implementation(name, n_networks):
    """Between the steps, dmc moves links and leaves nodes without links."""
    parameters = {
        "nonlinear": {"mean_links": 1.3, "alpha": 1.2},
        "fitness": {"mean_links": 1.3, "spread": 0.8},
        "redirection": {"mean_links": 1.3, "p_redirect": 0.7},
        "copying": {"mean_links": 1.3, "p_random": 0.3},
        "saramaki-kaski": {"mean_links": 1.3, "n_steps": 2},
        "vazquez-walk": {"p_follow": 0.5},
        "ispolatov": {"p_keep": 0.4},
        "heterodimer": {"p_keep": 0.3, "p_dimer": 0.3},
    }[name]
    dmc = {"p_delete": 0.8, "p_connect": 0.1}
    parts = [netchoice.get_model(each).function.parts[0] for each in (name, "dmc")]
    mixture = Growth("mixture", tuple(parts))
    ours, reference = np.random.default_rng(4), np.random.default_rng(5)

    def step(graph, new):
        if reference.random() >= 0.6:
            naive.dmc_step(graph, new, reference, **dmc)
            return
        chosen = None
        while chosen is None:
            chosen = STEPS[name](graph, Chance(reference), **parameters)
        graph.add_node(new)
        graph.add_edges_from((new, node) for node in chosen)

    grown = (mixture(25, ours, q=0.6, **parameters, **dmc) for _ in range(n_networks))
    a = [measure(graph.to_networkx()) for graph in grown]
    b = [measure(naive._grow(nx.path_graph(2), step, 25, "keep")) for _ in range(n_networks)]
    assert two_sample_p(a, b) > 1e-3 / (len(STEPS) * 4 * 2)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 0.8, 1.0])
def test_nonlinear_degrees_follow_the_closed_form(alpha):
    """One link per node: a node with k links gains k ** alpha / mu, and mu is the mean of k ** alpha."""
    k = np.arange(1, 5001) ** alpha

    def excess(mu):
        return float(shares_from_rates(k / mu) @ k) - mu

    mu = 2.0 if alpha == 1 else optimize.brentq(excess, 1, 2)
    exact = shares_from_rates(k / mu)[:LARGEST_DEGREE]
    if alpha in (0, 1):
        n = np.arange(1, LARGEST_DEGREE + 1)
        known = 2.0**-n if alpha == 0 else 4 / (n * (n + 1) * (n + 2))
        assert exact == pytest.approx(known)
    shares = degree_shares("nonlinear", mean_links=1, alpha=alpha)
    assert shares == pytest.approx(exact, abs=0.004)


def test_one_node_gains_nearly_all_links_above_linear_attachment():
    largest = [
        np.diff(grow("nonlinear", N_LARGE, mean_links=1, alpha=alpha).indptr).max() / N_LARGE
        for alpha in (1.0, 1.2, 1.5)
    ]
    assert largest[0] < 0.02 < 0.1 < largest[1] < 0.9 < largest[2]


@few_or_many("n_networks", 60, 400)
@pytest.mark.parametrize(
    ("name", "parameters"),
    [("nonlinear", {"mean_links": 2, "alpha": 1}), ("fitness", {"mean_links": 2, "spread": 0})],
)
def test_linear_attachment_equals_networkx(name, parameters, n_networks):
    rng, model, edge = np.random.default_rng(2), netchoice.get_model(name), nx.path_graph(2)
    numbers = range(n_networks)
    ours = [measure(model.grow(60, parameters, rng).to_networkx()) for _ in numbers]
    theirs = [measure(nx.barabasi_albert_graph(60, 2, seed=i, initial_graph=edge)) for i in numbers]
    assert two_sample_p(ours, theirs) > 1e-4


@pytest.mark.parametrize("spread", [0.5, 1.0])
def test_fitness_degrees_follow_the_closed_form(spread):
    """A node of fitness f gains f * k / C; C is the mean of f times its mean degree 1 / (1 - f / C)."""

    def mean_over_fitness(function):
        return integrate.quad(function, 1 - spread, 1, limit=200)[0] / spread

    constant = optimize.brentq(lambda c: mean_over_fitness(lambda f: f / (1 - f / c)) - c, 1.01, 2)
    if spread == 1:  # the equation of the paper
        assert np.exp(-2 / constant) == pytest.approx(1 - 1 / constant)
    k = np.arange(1, LARGEST_DEGREE + 1)
    exact = [
        mean_over_fitness(lambda f, i=i: shares_from_rates(f * k / constant)[i])
        for i in range(LARGEST_DEGREE)
    ]
    shares = degree_shares("fitness", mean_links=1, spread=spread)
    assert shares == pytest.approx(exact, abs=0.004)


@pytest.mark.parametrize("p_redirect", [0.0, 0.25, 0.5, 0.75])
def test_redirection_degrees_follow_the_closed_form(p_redirect):
    """One link per node: a node with k links gains 1 - p for itself and p for k - 1 younger ones."""
    k = np.arange(1, 2001)
    exact = shares_from_rates(1 - p_redirect + p_redirect * (k - 1))
    if p_redirect > 0:
        slope = np.log(exact[-1] / exact[999]) / np.log(2)
        assert -slope == pytest.approx(1 + 1 / p_redirect, abs=0.02)
    shares = degree_shares("redirection", mean_links=1, p_redirect=p_redirect)
    assert shares == pytest.approx(exact[:LARGEST_DEGREE], abs=0.004)


def test_redirection_of_every_link_gives_a_star():
    assert np.diff(grow("redirection", 500, mean_links=1, p_redirect=1).indptr).max() == 499


def test_copying_without_copies_is_uniform_attachment():
    shares = degree_shares("copying", mean_links=1, p_random=1)
    assert shares == pytest.approx(2.0 ** -np.arange(1, LARGEST_DEGREE + 1), abs=0.004)


@pytest.mark.parametrize("p_random", [0.0, 0.3, 0.7])
def test_two_copied_links_share_a_prototype(p_random):
    """Both links are copied with probability (1 - p_random) ** 2; few random ones share a neighbour."""
    graph = grow("copying", 5000, mean_links=2, p_random=p_random).to_networkx()
    chosen = links_to_older(graph)
    assert {len(nodes) for nodes in chosen} == {2}
    n_shared = sum(
        any(older < new for older in set(graph[u]) & set(graph[v]))
        for new, (u, v) in enumerate(chosen, start=2)
    )
    assert n_shared / len(chosen) == pytest.approx((1 - p_random) ** 2, abs=0.03)


def test_walk_of_one_step_closes_one_triangle_per_node():
    graph = grow("saramaki-kaski", 2000, mean_links=2, n_steps=1).to_networkx()
    assert sum(nx.triangles(graph).values()) == 3 * (2000 - 2)
    clustering = [
        nx.average_clustering(grow("saramaki-kaski", 2000, mean_links=2, n_steps=n).to_networkx())
        for n in (1, 3, 5)
    ]
    assert 0.7 < clustering[0] < 0.8
    assert clustering[0] > 1.5 * clustering[1] > 2 * clustering[2] > 0.2


@few_or_many("n_networks", 50, 200)
def test_long_walks_end_as_linear_attachment(n_networks):
    """The walk forgets its start; on a network without a period it is at a node by its degree."""
    rng = np.random.default_rng(3)
    parameters = {"mean_links": 3, "n_steps": 60}
    model = netchoice.get_model("saramaki-kaski")
    triangle, numbers = nx.complete_graph(3), range(n_networks)
    ours = [measure(model.grow(40, parameters, rng).to_networkx()) for _ in numbers]
    theirs = [nx.barabasi_albert_graph(40, 3, seed=i, initial_graph=triangle) for i in numbers]
    assert two_sample_p(ours, list(map(measure, theirs))) > 1e-4


@pytest.mark.parametrize("p_follow", [0.2, 0.5, 0.8])
def test_vazquez_walk_links_to_neighbours_with_the_given_probability(p_follow):
    graph = grow("vazquez-walk", 5000, p_follow=p_follow).to_networkx()
    chosen = links_to_older(graph)
    n_longer = sum(len(each) > 1 for each in chosen)
    assert stats.binomtest(n_longer, len(chosen), p_follow).pvalue > 1e-4
    assert sum(nx.triangles(graph).values()) >= 3 * n_longer
    assert nx.is_connected(graph)


@few_or_many("n_networks", 60, 400)
@pytest.mark.parametrize("p_keep", [0.2, 0.5, 0.8])
def test_ispolatov_equals_networkx(p_keep, n_networks):
    rng, model = np.random.default_rng(2), netchoice.get_model("ispolatov")
    numbers = range(n_networks)
    ours = [measure(model.grow(60, {"p_keep": p_keep}, rng).to_networkx()) for _ in numbers]
    theirs = [measure(nx.duplication_divergence_graph(60, p_keep, seed=i)) for i in numbers]
    assert two_sample_p(ours, theirs) > 1e-4


def test_ispolatov_networks_are_connected_and_bipartite():
    for seed in range(20):
        graph = grow("ispolatov", 100, seed, p_keep=0.4).to_networkx()
        assert nx.is_connected(graph)
        assert nx.is_bipartite(graph)
    complete = grow("ispolatov", 50, p_keep=1).to_networkx()
    one, two = nx.bipartite.sets(complete)
    assert complete.number_of_edges() == len(one) * len(two)


@pytest.mark.slow
def test_ispolatov_edges_grow_as_a_power_of_the_nodes():
    """Without failed attempts, n nodes have a mean number of edges proportional to n ** (2 p_keep)."""
    rng, model = np.random.default_rng(4), netchoice.get_model("ispolatov")
    means = [
        np.mean([model.grow(n, {"p_keep": 0.75}, rng).n_edges for _ in range(2000)])
        for n in (100, 400)
    ]
    assert np.log(means[1] / means[0]) / np.log(4) == pytest.approx(1.5, abs=0.05)


@few_or_many("n_networks", 60, 400)
def test_heterodimer_without_dimers_equals_networkx(n_networks):
    rng, model = np.random.default_rng(5), netchoice.get_model("heterodimer")
    parameters, numbers = {"p_keep": 0.4, "p_dimer": 0}, range(n_networks)
    ours = [measure(model.grow(60, parameters, rng).to_networkx()) for _ in numbers]
    theirs = [measure(nx.duplication_divergence_graph(60, 0.4, seed=i)) for i in numbers]
    assert two_sample_p(ours, theirs) > 1e-4


def test_heterodimer_limits_are_a_complete_graph_and_a_random_tree():
    assert grow("heterodimer", 40, p_keep=1, p_dimer=1).n_edges == 40 * 39 // 2
    shares = degree_shares("heterodimer", p_keep=0.001, p_dimer=1)
    assert shares == pytest.approx(2.0 ** -np.arange(1, LARGEST_DEGREE + 1), abs=0.005)
