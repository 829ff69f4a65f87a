"""Slow, readable reference implementations of growing mechanisms; imports nothing from netchoice.

A step takes a networkx graph and returns the nodes that the next node is linked to, or None for an
attempt that is repeated. All its random choices are made by an object, so the same step either grows
random networks (:class:`Chance`) or gives the exact probabilities of small ones (:func:`outcomes`).
"""

import math
from collections import defaultdict

import networkx as nx


class Chance:
    """Random choices from a NumPy generator."""

    def __init__(self, rng):
        self.rng = rng

    def number(self):
        return self.rng.random()

    def position(self, probabilities):
        at = self.rng.random()
        for i, probability in enumerate(probabilities[:-1]):
            at -= probability
            if at < 0:
                return i
        return len(probabilities) - 1

    def choose(self, items, weights=None):
        items = list(items)
        weights = [1] * len(items) if weights is None else list(weights)
        total = sum(weights)
        return items[self.position([weight / total for weight in weights])]

    def happens(self, probability):
        return self.position([probability, 1 - probability]) == 0

    def integer(self, mean):
        return math.floor(mean) + self.happens(mean - math.floor(mean))


class Undecided(Exception):  # noqa: N818
    """The next choice of a path is open; its probabilities are the argument."""


class Path(Chance):
    """Choices that are given in advance, with their joint probability."""

    def __init__(self, choices):
        self.choices = list(choices)
        self.probability = 1.0

    def number(self):
        return 0.5  # enumeration is exact only where this number has no effect

    def position(self, probabilities):
        if not self.choices:
            raise Undecided(probabilities)
        position = self.choices.pop(0)
        self.probability *= probabilities[position]
        return position


def outcomes(step, n_nodes, **parameters):
    """Return all networks that can grow, with exact probabilities: {frozenset of edges: p}."""
    current = {frozenset({(0, 1)}): 1.0}
    for new in range(2, n_nodes):
        grown = defaultdict(float)
        for edges, probability in current.items():
            linked = _step_outcomes(step, edges, new, parameters)
            for nodes, p in linked.items():
                grown[edges | {(node, new) for node in nodes}] += probability * p
        current = grown
    return dict(current)


def _step_outcomes(step, edges, new, parameters):
    """Return the probability of each set of chosen nodes, given that the attempt does not fail."""
    found, waiting = defaultdict(float), [()]
    while waiting:
        choices = waiting.pop()
        graph = nx.empty_graph(new)
        graph.add_edges_from(edges)
        path = Path(choices)
        try:
            nodes = step(graph, path, **parameters)
        except Undecided as open_choice:
            waiting += [(*choices, i) for i, p in enumerate(open_choice.args[0]) if p > 0]
        else:
            if nodes is not None:
                found[frozenset(nodes)] += path.probability
    total = sum(found.values())
    return {nodes: p / total for nodes, p in found.items()}


def _distinct(graph, chance, mean_links, weights):
    chosen = []
    for _ in range(min(len(graph), chance.integer(mean_links))):
        rest = [node for node in graph if node not in chosen]
        chosen.append(chance.choose(rest, [weights[node] for node in rest]))
    return chosen


def nonlinear(graph, chance, mean_links, alpha):
    weights = {node: max(degree, 1) ** alpha for node, degree in graph.degree()}
    return _distinct(graph, chance, mean_links, weights)


def fitness(graph, chance, mean_links, spread):
    weights = {}
    for node, degree in graph.degree():
        fit = graph.nodes[node].setdefault("fitness", 1 - spread * chance.number())
        weights[node] = fit * max(degree, 1)
    return _distinct(graph, chance, mean_links, weights)


def redirection(graph, chance, mean_links, p_redirect):
    chosen = []
    for _ in range(min(len(graph), chance.integer(mean_links))):
        node = chance.choose(node for node in graph if node not in chosen)
        older = [other for other in graph[node] if other < node and other not in chosen]
        if older and chance.happens(p_redirect):
            node = chance.choose(older)
        chosen.append(node)
    return chosen


def copying(graph, chance, mean_links, p_random):
    n_links = min(len(graph), chance.integer(mean_links))
    prototype = chance.choose(graph)
    chosen = []
    for _ in range(n_links):
        rest = [node for node in graph if node not in chosen]
        copied = [node for node in rest if graph.has_edge(node, prototype)]
        chosen.append(chance.choose(rest if chance.happens(p_random) or not copied else copied))
    return chosen


def saramaki_kaski(graph, chance, mean_links, n_steps):
    n_links = min(len(graph), chance.integer(mean_links))
    chosen, n_failures = [], 0
    at = chance.choose(graph)
    while len(chosen) < n_links:
        if n_failures == 20:
            at = chance.choose(node for node in graph if node not in chosen)
        else:
            for _ in range(n_steps):
                at = chance.choose(graph[at]) if graph[at] else at
        if at in chosen:
            n_failures += 1
        else:
            chosen.append(at)
            n_failures = 0
    return chosen


def vazquez_walk(graph, chance, p_follow):
    visited = [chance.choose(graph)]
    while graph[visited[-1]] and chance.happens(p_follow):
        visited.append(chance.choose(graph[visited[-1]]))
    return set(visited)


def ispolatov(graph, chance, p_keep):
    copied = chance.choose(graph)
    return [node for node in graph[copied] if chance.happens(p_keep)] or None


def heterodimer(graph, chance, p_keep, p_dimer):
    copied = chance.choose(graph)
    kept = [node for node in graph[copied] if chance.happens(p_keep)]
    return kept + [copied] * chance.happens(p_dimer) or None


STEPS = {
    "nonlinear": nonlinear,
    "fitness": fitness,
    "redirection": redirection,
    "copying": copying,
    "saramaki-kaski": saramaki_kaski,
    "vazquez-walk": vazquez_walk,
    "ispolatov": ispolatov,
    "heterodimer": heterodimer,
}
