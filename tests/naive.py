"""Slow, readable reference implementations of the kernels; imports nothing from netchoice.

The first part computes features: ``adjacency`` is a list of sorted lists of neighbours. The second
part grows networks: networkx graphs with nodes numbered in the order of their addition. With
``isolated="drop"``, growth ends when exactly ``n_nodes`` nodes have neighbours, and starts over if it
passes that number.
"""

import math
from fractions import Fraction
from itertools import combinations

import naive_mechanisms_a
import naive_mechanisms_b
import networkx as nx
import numpy as np


def distances_from(adjacency, source):
    """Return the distance from the source to each node that can be reached, as a dict."""
    distance = {source: 0}
    queue = [source]
    for u in queue:
        for v in adjacency[u]:
            if v not in distance:
                distance[v] = distance[u] + 1
                queue.append(v)
    return distance


def distance_counts(adjacency):
    """Count unordered pairs at distance 0 (none), 1, 2, … up to the largest distance."""
    counts = [0]
    for u in range(len(adjacency)):
        for v, d in distances_from(adjacency, u).items():
            if u < v:
                counts += [0] * (d + 1 - len(counts))
                counts[d] += 1
    return counts


def largest_component(adjacency):
    """Return the nodes of the largest component; of several, the one with the smallest node."""
    return max(components(adjacency), key=len, default=[])


def induced(adjacency, nodes):
    """Return the adjacency of the subgraph on these nodes, numbered by position in the list."""
    position = {node: i for i, node in enumerate(nodes)}
    return [[position[v] for v in adjacency[u] if v in position] for u in nodes]


def path_counts(adjacency, source):
    """Count the shortest paths from the source to each node that can be reached."""
    distance = distances_from(adjacency, source)
    count = {source: 1}
    for v in sorted(distance, key=distance.get)[1:]:
        count[v] = sum(count[u] for u in adjacency[v] if distance[u] == distance[v] - 1)
    return count


def betweenness(adjacency):
    """Sum, for each node, the fractions of shortest paths of other pairs that pass through it."""
    n = len(adjacency)
    distance = [distances_from(adjacency, u) for u in range(n)]
    count = [path_counts(adjacency, u) for u in range(n)]
    between = [Fraction(0)] * n
    for s in range(n):
        for t in distance[s]:
            for v in distance[s]:
                if s < t and v not in (s, t) and distance[s][v] + distance[v][t] == distance[s][t]:
                    between[v] += Fraction(count[s][v] * count[v][t], count[s][t])
    return [float(b) for b in between]


def components(adjacency):
    """Return sorted lists of nodes, one per component, in the order of their smallest node."""
    members = [sorted(distances_from(adjacency, u)) for u in range(len(adjacency))]
    return [nodes for u, nodes in enumerate(members) if nodes[0] == u]


def dense(adjacency, nodes):
    """Return the adjacency matrix of the subgraph induced by these nodes."""
    matrix = np.zeros((len(nodes), len(nodes)))
    for u, neighbours in enumerate(induced(adjacency, nodes)):
        matrix[u, neighbours] = 1
    return matrix


def estrada_index(adjacency):
    """Return the sum of exp(eigenvalue) of the adjacency matrix."""
    eigenvalues = np.linalg.eigvalsh(dense(adjacency, range(len(adjacency))))
    return np.exp(eigenvalues).sum()


def leading_eigenvector(adjacency):
    """Return the leading eigenvalue, its unit eigenvector ≥ 0, and the gap to the next eigenvalue.

    If several components share the eigenvalue to 1e-9 · max(1, eigenvalue), the one with the smallest
    node counts. The gap is that inside the component; for a single node it is infinite.
    """
    if not adjacency:
        return 0.0, np.zeros(0), np.inf
    spectra = []
    for nodes in components(adjacency):
        values, vectors = np.linalg.eigh(dense(adjacency, nodes))
        spectra.append((nodes, values, vectors[:, -1]))
    largest = max(values[-1] for _, values, _ in spectra)
    sharing = (s for s in spectra if s[1][-1] >= largest - 1e-9 * max(1.0, largest))
    nodes, values, leading = next(sharing)
    vector = np.zeros(len(adjacency))
    vector[nodes] = np.abs(leading)
    gap = values[-1] - values[-2] if len(values) > 1 else np.inf
    return largest, vector, gap


def core_numbers(adjacency):
    """Remove, for k = 0, 1, …, all nodes with at most k remaining neighbours."""
    core = [0] * len(adjacency)
    left = set(range(len(adjacency)))
    k = 0
    while left:
        low = {u for u in left if len(left.intersection(adjacency[u])) <= k}
        for u in low:
            core[u] = k
        left -= low
        if not low:
            k += 1
    return core


def is_degeneracy_order(order, adjacency):
    """Return True if no node has more neighbours after it than its core number."""
    position = {u: i for i, u in enumerate(order)}
    core = core_numbers(adjacency)
    return sorted(order) == list(range(len(adjacency))) and all(
        sum(position[v] > position[u] for v in adjacency[u]) <= core[u] for u in order
    )


def node_triangles(adjacency):
    return [
        sum(w in adjacency[v] for v, w in combinations(neighbours, 2)) for neighbours in adjacency
    ]


def local_efficiency(adjacency):
    result = []
    for neighbours in adjacency:
        inside = induced(adjacency, neighbours)
        total = 0
        for source in range(len(inside)):
            distances = distances_from(inside, source)
            total += sum(1 / d for v, d in distances.items() if v != source)
        n_pairs = len(neighbours) * (len(neighbours) - 1)
        result.append(total / n_pairs if n_pairs else 0)
    return result


def square_clustering(adjacency):
    """Compute C_4 of Lind, González and Herrmann from its definition over pairs of neighbours."""
    result = []
    for v, neighbours in enumerate(adjacency):
        squares = possible = 0
        for u, w in combinations(neighbours, 2):
            q = len((set(adjacency[u]) & set(adjacency[w])) - {v})
            theta = w in adjacency[u]
            rest_of_u = len(adjacency[u]) - (1 + q + theta)
            rest_of_w = len(adjacency[w]) - (1 + q + theta)
            squares += q
            possible += rest_of_u + rest_of_w + q
        result.append(squares / possible if possible else 0)
    return result


def _cliques(adjacency):
    """Yield every complete subgraph once, as a sorted tuple."""
    stack = [((u,), [v for v in adjacency[u] if v > u]) for u in range(len(adjacency))]
    while stack:
        clique, candidates = stack.pop()
        yield clique
        for v in candidates:
            after = set(adjacency[v])
            stack.append(((*clique, v), [w for w in candidates if w > v and w in after]))


def count_cliques(adjacency):
    sizes = [len(clique) for clique in _cliques(adjacency)]
    return sizes.count(4), sizes.count(5)


def clique_number(adjacency):
    return max((len(clique) for clique in _cliques(adjacency)), default=0)


def node_dominating_set_size(adjacency):
    """Repeatedly choose the node with the most unchosen nodes in its closed neighbourhood."""
    chosen = set()
    uncovered = set(range(len(adjacency)))
    while uncovered:
        left = [u for u in range(len(adjacency)) if u not in chosen]
        best = max(left, key=lambda u: len({u, *adjacency[u]} - chosen))  # of equals, the first
        chosen.add(best)
        uncovered -= {best, *adjacency[best]}
    return len(chosen)


def edge_dominating_set_size(adjacency):
    matched = set()
    for u, neighbours in enumerate(adjacency):
        for v in neighbours:
            if v > u and u not in matched and v not in matched:
                matched |= {u, v}
    return len(matched) // 2


def degree_connectivity(adjacency, included):
    around = {}
    for u, neighbours in enumerate(adjacency):
        if included[u]:
            degrees = around.setdefault(len(neighbours), [])
            degrees += [len(adjacency[v]) for v in neighbours]
    means = [sum(degrees) / len(degrees) if degrees else 0 for degrees in around.values()]
    return sum(means) / len(means) if means else 0


# Growth


def _count(graph, isolated):
    if isolated == "keep":
        return graph.number_of_nodes()
    return sum(1 for _, degree in graph.degree() if degree > 0)


def _grow(seed, step, n_nodes, isolated):
    """Apply ``step(graph, new_node)`` until there are ``n_nodes`` nodes."""
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


def _random_integer(mean, rng):
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
    """Grow networks of different totals until exactly n_nodes nodes have neighbours."""
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
        n_free = (new + 1) * new // 2 - graph.number_of_edges()
        wanted = graph.number_of_edges() + min(n_free, _random_integer(mean_links, rng))
        while graph.number_of_edges() < wanted:
            graph.add_edge(*rng.choice(new + 1, size=2, replace=False).tolist())

    return _grow(nx.path_graph(2), step, n_nodes, isolated)


def lpa(n_nodes, rng, mean_links, attractiveness, isolated="keep"):
    def step(graph, new):
        earlier = list(graph)
        weights = [graph.degree(node) + attractiveness for node in earlier]
        total = sum(weights)
        n_links = min(len(earlier), _random_integer(mean_links, rng))
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
        n_links = min(len(active), _random_integer(mean_links, rng))
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


def _model_of(step):
    """Return the function that grows networks by a step of ``naive_mechanisms_a``."""

    def grow(n_nodes, rng, isolated="keep", **parameters):
        def add(graph, new):
            chosen = None
            while chosen is None:
                chosen = step(graph, naive_mechanisms_a.Chance(rng), **parameters)
            graph.add_node(new)
            graph.add_edges_from((new, node) for node in chosen)

        return _grow(nx.path_graph(2), add, n_nodes, isolated)

    return grow


MODELS = {"dmc": dmc, "dmr": dmr, "rds": rds, "rdg": rdg, "lpa": lpa, "agv": agv, "smw": smw}
MODELS |= {f"ba{m}": ba for m in (1, 2, 3, 4)}
MODELS |= {name: _model_of(step) for name, step in naive_mechanisms_a.STEPS.items()}


def _growing(step):
    """Return the function that grows a network from one edge with a step."""

    def grow(n_nodes, rng, isolated="keep", **parameters):
        def add(graph, new):
            step(graph, new, rng, **parameters)

        return _grow(nx.path_graph(2), add, n_nodes, isolated)

    return grow


def _static(grow):
    """Return the function that grows static networks, with or without isolated nodes."""

    def search(n_nodes, rng, isolated="keep", **parameters):
        return _search_total(lambda total: grow(total, rng, **parameters), n_nodes, isolated)

    return search


MODELS |= {name: _growing(step) for name, step in naive_mechanisms_b.STEPS.items()}
MODELS |= {name: _static(grow) for name, grow in naive_mechanisms_b.STATIC.items()}


def dmc_step_outcomes(p_delete, p_connect):
    """Return the function that yields all networks after a step of DMC, with exact probabilities."""

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

    return step


def dmc_outcomes(n_nodes, p_delete, p_connect):
    """Return all networks that DMC can grow, with exact probabilities: {frozenset of edges: p}."""
    return _outcomes(n_nodes, dmc_step_outcomes(p_delete, p_connect))


def dmr_step_outcomes(p_delete, p_new):
    """Return the function that yields all networks after a step of DMR, with exact probabilities."""

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

    return step


def dmr_outcomes(n_nodes, p_delete, p_new):
    """Return all networks that DMR can grow, with exact probabilities: {frozenset of edges: p}."""
    return _outcomes(n_nodes, dmr_step_outcomes(p_delete, p_new))


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


def swap_edges(graph, draws):
    """Exchange ends of edges; two of the draws choose the directed edges u→v and x→y of an attempt."""
    ends = [(u, v) for u in sorted(graph) for v in sorted(graph[u])]
    for first, second in zip(draws[::2], draws[1::2], strict=True):
        u, v = ends[int(first * len(ends))]
        x, y = ends[int(second * len(ends))]
        if u == y or x == v or (u, y) in ends or (x, v) in ends:
            continue
        new = {(u, v): (u, y), (y, x): (y, u), (x, y): (x, v), (v, u): (v, x)}
        ends = [new.get(pair, pair) for pair in ends]
    return nx.Graph(ends)


def move_edges(graph, n_moves, keep_linked, draws):
    """Remove random edges, then add as many; ``draws`` is an iterator of uniform numbers."""
    moved = nx.Graph(graph)
    edges = sorted(tuple(sorted(edge)) for edge in graph.edges())
    for i in range(len(edges)):
        at = i + int(next(draws) * (len(edges) - i))
        edges[i], edges[at] = edges[at], edges[i]
        u, v = edges[i]
        would_isolate = moved.degree(u) == 1 or moved.degree(v) == 1
        removed = graph.number_of_edges() - moved.number_of_edges()
        if removed < n_moves and not (keep_linked and would_isolate):
            moved.remove_edge(u, v)
    while moved.number_of_edges() < graph.number_of_edges():
        u = int(next(draws) * len(moved))
        v = [w for w in sorted(moved) if w != u][int(next(draws) * (len(moved) - 1))]
        moved.add_edge(u, v)
    return moved
