"""Slow, readable twins of everything compiled. Imports nothing from netchoice.

Models grow networkx graphs with nodes numbered in the order of their arrival. ``isolated="drop"``
follows the same rule everywhere: growth ends when exactly ``n_nodes`` nodes have neighbours, and
starts again if it passes that number.
"""

import math

import networkx as nx


def _count(graph, isolated):
    if isolated == "keep":
        return graph.number_of_nodes()
    return sum(1 for _, degree in graph.degree() if degree > 0)


def _grow(seed, step, n_nodes, isolated):
    """Apply ``step(graph, new_node)`` until there are enough nodes."""
    graph = seed.copy()
    while _count(graph, isolated) != n_nodes:
        step(graph, graph.number_of_nodes())
        if _count(graph, isolated) > n_nodes:
            graph = seed.copy()
    if isolated == "drop":
        graph = graph.subgraph([v for v, degree in graph.degree() if degree > 0])
    return graph


def _pick(items, rng):
    return items[rng.integers(len(items))]


def _whole(mean, rng):
    return math.floor(mean) + (rng.random() < mean - math.floor(mean))


def ba(n_nodes, rng, m, isolated="keep"):
    def step(graph, new):
        by_degree = [node for node, degree in graph.degree() for _ in range(degree)]
        chosen = set()
        while len(chosen) < m:
            chosen.add(_pick(by_degree, rng))
        graph.add_edges_from((new, node) for node in chosen)

    return _grow(nx.star_graph(m), step, n_nodes, isolated)


def dmc_step(graph, new, rng, p_delete, p_connect):
    copied = _pick(list(graph), rng)
    graph.add_node(new)
    for neighbor in list(graph.neighbors(copied)):
        graph.add_edge(new, neighbor)
        if rng.random() < p_delete:
            loser = copied if rng.random() < 0.5 else new
            graph.remove_edge(loser, neighbor)
    if rng.random() < p_connect:
        graph.add_edge(copied, new)


def dmc(n_nodes, rng, p_delete, p_connect, isolated="keep"):
    def step(graph, new):
        dmc_step(graph, new, rng, p_delete, p_connect)

    return _grow(nx.path_graph(2), step, n_nodes, isolated)


def dmr_step(graph, new, rng, p_delete, p_new):
    earlier = list(graph)
    copied = _pick(earlier, rng)
    graph.add_node(new)
    for neighbor in list(graph.neighbors(copied)):
        if rng.random() >= p_delete:
            graph.add_edge(new, neighbor)
    for node in earlier:
        if rng.random() < p_new / len(earlier):
            graph.add_edge(new, node)


def dmr(n_nodes, rng, p_delete, p_new, isolated="keep"):
    def step(graph, new):
        dmr_step(graph, new, rng, p_delete, p_new)

    return _grow(nx.path_graph(2), step, n_nodes, isolated)


def _search_total(grow, n_nodes, isolated):
    """Models of fixed size: try totals until exactly n_nodes nodes have neighbours."""
    total = n_nodes
    while True:
        graph = grow(total)
        if isolated == "keep":
            return graph
        linked = [v for v, degree in graph.degree() if degree > 0]
        if len(linked) == n_nodes:
            return graph.subgraph(linked)
        total = max(n_nodes, total + n_nodes - len(linked))


def rds(n_nodes, rng, mean_links, isolated="keep"):
    def grow(total):
        graph = nx.empty_graph(total)
        pairs = [(u, v) for u in range(total) for v in range(u)]
        for i in rng.choice(len(pairs), size=round(mean_links * total), replace=False):
            graph.add_edge(*pairs[i])
        return graph

    return _search_total(grow, n_nodes, isolated)


def rdg(n_nodes, rng, mean_links, isolated="keep"):
    def step(graph, new):
        graph.add_node(new)
        free = list(nx.non_edges(graph))
        for i in rng.permutation(len(free))[: _whole(mean_links, rng)]:
            graph.add_edge(*free[i])

    return _grow(nx.path_graph(2), step, n_nodes, isolated)


def lpa(n_nodes, rng, mean_links, attractiveness, isolated="keep"):
    def step(graph, new):
        earlier = list(graph)
        weights = [graph.degree(node) + attractiveness for node in earlier]
        total = sum(weights)
        n_links = min(len(earlier), _whole(mean_links, rng))
        chosen = set()
        while len(chosen) < n_links:
            chosen.add(rng.choice(earlier, p=[weight / total for weight in weights]))
        graph.add_node(new)
        graph.add_edges_from((new, node) for node in chosen)

    return _grow(nx.path_graph(2), step, n_nodes, isolated)


def agv(n_nodes, rng, mean_links, attractiveness, isolated="keep"):
    most_active = max(1, math.ceil(mean_links))
    active = []

    def step(graph, new):
        if new == 2:
            active[:] = [1] if most_active == 1 else [0, 1]
        n_links = min(len(active), _whole(mean_links, rng))
        graph.add_node(new)
        graph.add_edges_from((new, int(node)) for node in rng.permutation(active)[:n_links])
        active.append(new)
        if len(active) > most_active:
            weights = [1 / (graph.degree(node) + attractiveness) for node in active]
            total = sum(weights)
            active.remove(rng.choice(active, p=[weight / total for weight in weights]))

    return _grow(nx.path_graph(2), step, n_nodes, isolated)


def smw(n_nodes, rng, mean_links, p_rewire, isolated="keep"):
    def grow(total):
        graph = nx.empty_graph(total)
        lattice = []
        for step in range(1, math.ceil(mean_links) + 1):
            share = min(1, mean_links - (step - 1))
            for u in range(total):
                if rng.random() < share:
                    lattice.append((u, (u + step) % total))
        graph.add_edges_from(lattice)
        for u, v in lattice:
            free = [w for w in graph if w != u and not graph.has_edge(u, w)]
            if rng.random() < p_rewire and free:
                graph.remove_edge(u, v)
                graph.add_edge(u, _pick(free, rng))
        return graph

    return _search_total(grow, n_nodes, isolated)


MODELS = {"dmc": dmc, "dmr": dmr, "rds": rds, "rdg": rdg, "lpa": lpa, "agv": agv, "smw": smw}
MODELS |= {f"ba{m}": ba for m in (1, 2, 3, 4)}


def dmc_outcomes(n_nodes, p_delete, p_connect):
    """Every network that DMC can grow, with its exact probability: {frozenset of edges: p}."""

    def step(edges, new):
        for copied in range(new):
            neighbors = [w for w in range(new) if _edge(copied, w) in edges]
            partial = [(edges, 1 / new)]
            for w in neighbors:
                both = [(e | {_edge(new, w)}, p * (1 - p_delete)) for e, p in partial]
                copy_lost = [(e, p * p_delete / 2) for e, p in partial]
                original_lost = [
                    ((e - {_edge(copied, w)}) | {_edge(new, w)}, p * p_delete / 2)
                    for e, p in partial
                ]
                partial = both + copy_lost + original_lost
            for e, p in partial:
                yield e | {_edge(copied, new)}, p * p_connect
                yield e, p * (1 - p_connect)

    return _outcomes(n_nodes, step)


def dmr_outcomes(n_nodes, p_delete, p_new):
    """Every network that DMR can grow, with its exact probability."""

    def step(edges, new):
        for copied in range(new):
            neighbors = [w for w in range(new) if _edge(copied, w) in edges]
            partial = [(edges, 1 / new)]
            for w in range(new):
                linked = p_new / new
                if w in neighbors:
                    linked = 1 - p_delete * (1 - p_new / new)
                partial = [(e | {_edge(w, new)}, p * linked) for e, p in partial] + [
                    (e, p * (1 - linked)) for e, p in partial
                ]
            yield from partial

    return _outcomes(n_nodes, step)


def _edge(u, v):
    return (min(u, v), max(u, v))


def _outcomes(n_nodes, step):
    current = {frozenset({(0, 1)}): 1.0}
    for new in range(2, n_nodes):
        grown = {}
        for edges, probability in current.items():
            for after, p in step(edges, new):
                grown[after] = grown.get(after, 0.0) + probability * p
        current = grown
    return current
