"""Reference implementations of closure, spatial and static mechanisms; imports nothing from netchoice.

``STEPS`` are functions ``step(graph, new, rng, **parameters)`` that add one node to a networkx graph.
``STATIC`` are functions ``grow(n_nodes, rng, **parameters)`` that return a networkx graph. The functions
``*_outcomes`` return the exact distribution of small networks.
"""

import functools
import math
from itertools import combinations, permutations
from random import Random

import networkx as nx
import numpy as np
from scipy import integrate, optimize


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


def planted_partition(n_nodes, rng, mean_links, n_groups, p_inside):
    group = rng.permutation([u % n_groups for u in range(n_nodes)])
    free = {True: [], False: []}
    for u, v in rng.permutation(list(combinations(range(n_nodes), 2))):
        free[bool(group[u] == group[v])].append((int(u), int(v)))
    graph = nx.empty_graph(n_nodes)
    for _ in range(round(mean_links * n_nodes)):
        inside = bool(rng.random() < p_inside)
        inside = inside if free[inside] else not inside
        graph.add_edge(*free[inside].pop())
    return graph


@functools.cache
def _power_law(mean, exponent, most):
    """Return the lower bound of the density x^-exponent up to ``most`` that has this mean."""

    def moment(least, k):
        return integrate.quad(lambda t: math.exp((k + 1 - exponent) * t), least, math.log(most))[0]

    def difference(least):
        return moment(least, 1) / moment(least, 0) - mean

    return math.exp(optimize.brentq(difference, -10, math.log(mean)))


def configuration(n_nodes, rng, mean_links, exponent):
    most = n_nodes - 1
    least = _power_law(2 * mean_links, exponent, most)
    stubs = []
    for node in range(n_nodes):
        x = math.inf
        while x >= most:  # the tail of the power law without an upper bound
            x = least * (1 + rng.pareto(exponent - 1))
        stubs += [node] * _random_integer(x, rng)
    stubs = [stubs[i] for i in rng.permutation(len(stubs))]
    graph = nx.empty_graph(n_nodes)
    pairs = zip(stubs[::2], stubs[1::2], strict=False)
    graph.add_edges_from((u, v) for u, v in pairs if u != v)
    return graph


@functools.cache
def _square_radius(share):
    """Return the radius for a share of pairs, from the density of distances in the unit square."""

    def density(d):
        if d < 1:
            return 2 * d * (math.pi - 4 * d + d * d)
        s = math.sqrt(d * d - 1)
        return 2 * d * (4 * s - d * d - 2 + math.pi - 4 * math.atan(s))

    def difference(radius):
        return integrate.quad(density, 0, radius, points=[1] if radius > 1 else None)[0] - share

    largest = math.sqrt(2)
    return largest if difference(largest) <= 0 else optimize.brentq(difference, 0, largest)


def geometric(n_nodes, rng, mean_links):
    radius = _square_radius(2 * mean_links / (n_nodes - 1))
    x, y = rng.random((2, n_nodes))
    near = np.hypot(x[:, None] - x, y[:, None] - y) < radius
    return nx.from_numpy_array(np.triu(near, 1))


def hyperbolic_links(r, s, angle, radius, temperature):
    """Return the probability of a link between places at radii r and s, by the law of cosines."""
    cosh = np.cosh(r) * np.cosh(s) - np.sinh(r) * np.sinh(s) * np.cos(angle)
    distance = np.arccosh(np.maximum(cosh, 1))
    if temperature == 0:
        return distance < radius
    return 1 / (1 + np.exp(np.minimum((distance - radius) / (2 * temperature), 700)))


@functools.cache
def hyperbolic_radius(share, exponent, temperature):
    """Return the radius of the disk in which this share of pairs is linked, from sums over a grid."""
    alpha = (exponent - 1) / 2
    points, weights = np.polynomial.legendre.leggauss(24)
    angles = np.append(0, np.geomspace(1e-4, math.pi, 150))
    middle, width = (angles[1:] + angles[:-1]) / 2, np.diff(angles) / math.pi

    def difference(radius):
        r = (points + 1) / 2 * radius
        weight = weights * np.sinh(alpha * r)
        weight /= weight.sum()
        p = hyperbolic_links(r[:, None, None], r[:, None], middle, radius, temperature)
        return math.log(weight @ (p @ width) @ weight / share)

    return optimize.brentq(difference, 0.01, 40, xtol=1e-3)


def hyperbolic(n_nodes, rng, mean_links, exponent, temperature):
    alpha = (exponent - 1) / 2
    radius = hyperbolic_radius(2 * mean_links / (n_nodes - 1), exponent, temperature)
    r = np.arccosh(1 + (np.cosh(alpha * radius) - 1) * rng.random(n_nodes)) / alpha
    angle = 2 * math.pi * rng.random(n_nodes)
    difference = angle[:, None] - angle
    p = hyperbolic_links(r[:, None], r, difference, radius, temperature)
    linked = np.triu(rng.random((n_nodes, n_nodes)) < p, 1)
    return nx.from_numpy_array(linked)


def _other(n_nodes, node, random):
    return (node + random.randrange(1, n_nodes)) % n_nodes


def davidsen(n_nodes, rng, lifetime):
    random = Random(int(rng.integers(2**62)))
    graph = nx.empty_graph(n_nodes)
    for _ in range(math.ceil(5 * n_nodes * lifetime)):
        node = random.randrange(n_nodes)
        if graph.degree(node) >= 2:
            graph.add_edge(*random.sample(list(graph[node]), 2))
        else:
            graph.add_edge(node, _other(n_nodes, node, random))
        if random.random() < 1 / lifetime:
            node = random.randrange(n_nodes)
            graph.remove_edges_from([(node, v) for v in list(graph[node])])
            graph.add_edge(node, _other(n_nodes, node, random))
    return graph


def kumpula(n_nodes, rng, p_close, reinforcement, n_sweeps=800):
    random = Random(int(rng.integers(2**62)))
    weight = [{} for _ in range(n_nodes)]  # for each node, the weight of each neighbour

    def by_weight(node, without=None):
        if not set(weight[node]) - {without}:
            return None
        chosen = without
        while chosen == without:
            chosen = random.choices(list(weight[node]), weight[node].values())[0]
        return chosen

    def set_weight(u, v, value):
        weight[u][v] = weight[v][u] = value

    for u in list(range(n_nodes)) * n_sweeps:
        v = by_weight(u)
        w = by_weight(v, without=u) if v is not None else None
        if w is not None:
            set_weight(u, v, weight[u][v] + reinforcement)
            set_weight(v, w, weight[v][w] + reinforcement)
            if w in weight[u]:
                set_weight(u, w, weight[u][w] + reinforcement)
            elif random.random() < p_close:
                set_weight(u, w, 1)
        if random.random() < 0.005 or not weight[u]:
            v = _other(n_nodes, u, random)
            set_weight(u, v, weight[u].get(v, 1))
        if random.random() < 0.01:
            for v in weight[u]:
                del weight[v][u]
            weight[u] = {}
    graph = nx.empty_graph(n_nodes)
    graph.add_edges_from((u, v) for u in range(n_nodes) for v in weight[u])
    return graph


STATIC = {
    "davidsen": davidsen,
    "kumpula": kumpula,
    "planted-partition": planted_partition,
    "configuration": configuration,
    "geometric": geometric,
    "hyperbolic": hyperbolic,
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


def planted_partition_outcomes(n_nodes, mean_links, n_groups, p_inside):
    """Return {frozenset of edges: p}; node u is in the group u modulo n_groups."""
    pairs = set(combinations(range(n_nodes), 2))
    inside = {(u, v) for u, v in pairs if (u - v) % n_groups == 0}
    n_edges = round(mean_links * n_nodes)
    outcomes = {}
    for wanted in range(n_edges + 1):
        p = math.comb(n_edges, wanted) * p_inside**wanted * (1 - p_inside) ** (n_edges - wanted)
        n_inside = max(min(wanted, len(inside)), n_edges - len(pairs - inside))
        for near, q in _subsets(inside, n_inside):
            for far, r in _subsets(pairs - inside, n_edges - n_inside):
                outcomes[near | far] = outcomes.get(near | far, 0.0) + p * q * r
    return outcomes
