"""Reference implementations of closure, spatial and static mechanisms; imports nothing from netchoice.

``STEPS`` are functions ``step(graph, new, rng, **parameters)`` that add one node to a networkx graph.
``STATIC`` are functions ``grow(n_nodes, rng, **parameters)`` that return a networkx graph. The functions
``*_outcomes`` return the exact distribution of small networks.
"""

import math
from itertools import combinations, permutations

import networkx as nx


def _random_integer(mean, rng):
    return math.floor(mean) + (rng.random() < mean - math.floor(mean))


def _sample(items, n_wanted, rng):
    """Return different random items, all of them if there are fewer than wanted."""
    items = sorted(items)
    return [items[i] for i in rng.permutation(len(items))[:n_wanted]]


def _link(graph, new, nodes):
    graph.add_node(new)
    graph.add_edges_from((new, node) for node in nodes)


def holme_kim_step(graph, new, rng, mean_links, p_triad):
    n_links = min(new, _random_integer(mean_links, rng))
    chosen, last = set(), None
    while len(chosen) < n_links:
        around = set(graph[last]) - chosen if last is not None else set()
        by_degree = [node for node in range(new) for _ in range(graph.degree(node))]
        by_degree = [node for node in by_degree if node not in chosen]
        if last is not None and rng.random() < p_triad and around:
            chosen |= set(_sample(around, 1, rng))
        elif by_degree:
            last = by_degree[rng.integers(len(by_degree))]
            chosen.add(last)
        else:
            chosen |= set(_sample(set(range(new)) - chosen, 1, rng))
    _link(graph, new, chosen)


def jackson_rogers_step(graph, new, rng, mean_links, share_random):
    n_links = min(new, _random_integer(mean_links, rng))
    n_random = min(n_links, max(1, _random_integer(share_random * n_links, rng)))
    chosen = _sample(range(new), n_random, rng)
    around = {node for parent in chosen for node in graph[parent]} - set(chosen)
    chosen += _sample(around, n_links - n_random, rng)
    chosen += _sample(set(range(new)) - set(chosen), n_links - len(chosen), rng)
    _link(graph, new, chosen)


def forest_fire_step(graph, new, rng, p_burn):
    burned = [int(rng.integers(new))]
    for node in burned:  # the list becomes longer in the loop
        number = rng.geometric(1 - p_burn) - 1
        burned += _sample(set(graph[node]) - set(burned), number, rng)
    _link(graph, new, burned)


def toivonen_step(graph, new, rng, max_secondary, p_two):
    initial = _sample(range(new), 2 if rng.random() < p_two else 1, rng)
    chosen = list(initial)
    for contact in initial:
        number = rng.integers(_random_integer(max_secondary, rng) + 1)
        chosen += _sample(set(graph[contact]) - set(chosen), number, rng)
    _link(graph, new, chosen)


STEPS = {
    "holme-kim": holme_kim_step,
    "jackson-rogers": jackson_rogers_step,
    "forest-fire": forest_fire_step,
    "toivonen": toivonen_step,
}


# Exact distributions


def _integer_outcomes(mean):
    """Yield the integers that ``_random_integer`` can return, with probabilities."""
    base = math.floor(mean)
    yield base, 1 - (mean - base)
    yield base + 1, mean - base


def _subsets(items, n_wanted):
    """Yield the sets that ``_sample`` can return, with probabilities."""
    found = list(combinations(sorted(items), min(n_wanted, len(items))))
    for each in found:
        yield frozenset(each), 1 / len(found)


def _outcomes(n_nodes, step):
    """Return {frozenset of edges: p} for growth from one edge; ``step`` yields sets of linked nodes."""
    current = {frozenset({(0, 1)}): 1.0}
    for new in range(2, n_nodes):
        grown = {}
        for edges, before in current.items():
            graph = nx.empty_graph(new)
            graph.add_edges_from(edges)
            for chosen, p in step(graph, new):
                after = edges | {(node, new) for node in chosen}
                grown[after] = grown.get(after, 0.0) + before * p
        current = grown
    return current


def holme_kim_outcomes(n_nodes, mean_links, p_triad):
    def continued(graph, chosen, last, n_links):
        if len(chosen) == n_links:
            yield chosen, 1.0
            return
        around = set(graph[last]) - chosen if last is not None else set()
        p_close = p_triad if around else 0.0
        for node in around:
            for after, p in continued(graph, chosen | {node}, last, n_links):
                yield after, p * p_close / len(around)
        degrees = {node: degree for node, degree in graph.degree() if node not in chosen}
        total = sum(degrees.values())
        for node, degree in degrees.items():
            share = degree / total if total else 1 / len(degrees)
            following = node if total else last
            for after, p in continued(graph, chosen | {node}, following, n_links):
                yield after, p * (1 - p_close) * share

    def step(graph, new):
        for number, p in _integer_outcomes(mean_links):
            for chosen, q in continued(graph, frozenset(), None, min(new, number)):
                yield chosen, p * q

    return _outcomes(n_nodes, step)


def jackson_rogers_outcomes(n_nodes, mean_links, share_random):
    def step(graph, new):
        for number, p in _integer_outcomes(mean_links):
            n_links = min(new, number)
            for wanted, q in _integer_outcomes(share_random * n_links):
                n_random = min(n_links, max(1, wanted))
                for parents, r in _subsets(range(new), n_random):
                    around = {node for parent in parents for node in graph[parent]} - parents
                    for near, s in _subsets(around, n_links - n_random):
                        rest = set(range(new)) - parents - near
                        for far, t in _subsets(rest, n_links - n_random - len(near)):
                            yield parents | near | far, p * q * r * s * t

    return _outcomes(n_nodes, step)


def toivonen_outcomes(n_nodes, max_secondary, p_two):
    def continued(graph, contacts, chosen):
        if not contacts:
            yield chosen, 1.0
            return
        for largest, p in _integer_outcomes(max_secondary):
            for number in range(largest + 1):
                for near, q in _subsets(set(graph[contacts[0]]) - chosen, number):
                    for after, r in continued(graph, contacts[1:], chosen | near):
                        yield after, p / (largest + 1) * q * r

    def step(graph, new):
        for n_contacts, p in ((1, 1 - p_two), (2, p_two)):
            orders = list(permutations(range(new), n_contacts))
            for contacts in orders:
                for chosen, q in continued(graph, contacts, frozenset(contacts)):
                    yield chosen, p * q / len(orders)

    return _outcomes(n_nodes, step)


STATIC = {}
