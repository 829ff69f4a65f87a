"""The networks that the atlas compares: real ones, and controls of known origin."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import numpy as np
from atlas_result import Entry
from node_order import shuffled

import netchoice
from netchoice.alterations import swap_edges
from netchoice.errors import NetchoiceError, UsageError
from netchoice.io import find_networks
from netchoice.workflows.identifiability import may_have_two_kinds

YEAST = ("uetz2000", "ito2001", "yu2008")
SHIPPED = {
    "karate": nx.karate_club_graph,
    "les-miserables": nx.les_miserables_graph,
    "davis": nx.davis_southern_women_graph,
    "florentine": nx.florentine_families_graph,
}
#: Controls of each kind, for each one that ``--controls`` asks for.
KINDS = {"grown": 4, "rewired": 2, "relabelled": 1, "foreign": 2}
#: Networks with more nodes and edges together are large: no controls are made from them.
LARGE = 3000
#: Networks of a mechanism, one of which must have the density of a control.
MATCH_TRIES = 500
#: Swaps per edge that leave nothing of a network but its degrees.
SWAPS = 20
ALL_EVEN = "all cycles are even, as with two kinds of nodes"
#: A relabelled network comes later than networks of its size: it uses the costs measured for the original.
LATER = 1.25


def real_networks(folder: Path, only: bool = False) -> tuple[list[Entry], dict[str, str]]:
    """Return the real networks, and the errors of those that cannot be read, by file.

    With ``only``, they are those of the folder, without those of yeast and of networkx.
    """
    entries, errors = [], {}
    for domain in sorted(path for path in folder.iterdir() if path.is_dir()):
        for file in sorted(path for path in domain.iterdir() if path.is_file()):
            name = f"{domain.name}/{file.name}"
            try:
                for source in find_networks([file]):
                    graph, report = source.read()
                    entries.append(_entry(f"{domain.name}-{source.id}", domain.name, graph, report))
            except NetchoiceError as error:
                errors[name] = str(error)
    if not only:
        _add_known_networks(folder, entries, errors)
    _mark_copies(entries)
    return entries, errors


def _add_known_networks(folder: Path, entries: list[Entry], errors: dict[str, str]) -> None:
    for name in YEAST:
        try:
            network = netchoice.read_network(folder.parent / f"{name}.txt")
            entries.append(_entry(f"protein-{name}", "protein", *network))
        except NetchoiceError as error:
            errors[name] = str(error)
    for name, make in SHIPPED.items():
        graph = netchoice.Graph.of(make())
        notes = ["two kinds of nodes"] if name == "davis" else []
        entries.append(Entry(f"networkx-{name}", "real", "networkx", graph, notes=notes))


def _entry(name: str, domain: str, graph: netchoice.Graph, report: Any) -> Entry:
    facts = {
        "direction ignored": report.direction_ignored,
        "weights ignored": report.weights_ignored,
        "two kinds of nodes": report.bipartite is not None,
        f"{report.self_loops} self loops left out": report.self_loops,
    }
    network = graph.without_isolated()
    dropped = graph.n_nodes - network.n_nodes
    facts[f"{dropped} isolated nodes left out"] = dropped
    n_components = netchoice.compute_features(network, ["n_components"]).values["n_components"]
    facts[f"{n_components:.0f} components"] = n_components > 1
    facts[ALL_EVEN] = report.bipartite is None and may_have_two_kinds(network)
    notes = [note for note, holds in facts.items() if holds]
    return Entry(name, "real", domain, network, notes=notes)


def _mark_copies(entries: list[Entry]) -> None:
    """Note which networks have the same edges as an earlier one, up to the names of nodes."""
    seen: dict[tuple[int, ...], list[Entry]] = {}
    for entry in entries:
        graph = _igraph(entry.graph)
        alike = seen.setdefault(tuple(sorted(graph.degree())), [])
        same = [each.id for each in alike if graph.isomorphic(_igraph(each.graph))]
        if same:
            entry.copy_of = same[0]
            entry.notes.append(f"the same network as {entry.copy_of}")
        alike.append(entry)


def _igraph(graph: netchoice.Graph) -> igraph.Graph:
    return igraph.Graph(graph.n_nodes, graph.edges().tolist())


def controls(entries: list[Entry], count: int, seed: int = 7) -> list[Entry]:
    """Return controls of each kind, from different real networks; ``count`` relabelled ones.

    Each mechanism grows one of the networks before one grows a second one.
    """
    usable = [entry for entry in entries if entry.size <= LARGE and not entry.copy_of]
    made = []
    for number, (kind, times) in enumerate(KINDS.items()):
        rng = np.random.default_rng([seed, number])
        chosen = [usable[i] for i in rng.permutation(len(usable))[: count * times]]
        rules: list[str] = []
        for entry in chosen:
            rules = rules or rng.permutation(RULES[kind]).tolist()
            graph, truth = _control(kind, entry.graph, rules, rng)
            rules = [rule for rule in rules if rule != truth]
            made.append(Entry(f"{kind}-{entry.id}", kind, entry.domain, graph, entry.id, truth))
    return made


def _control(
    kind: str, graph: netchoice.Graph, rules: list[str], rng: np.random.Generator
) -> tuple[netchoice.Graph, str]:
    """Return a network, and the first rule that can make one of this density."""
    if kind == "rewired":
        return swap_edges(graph, SWAPS, rng), ""
    if kind == "relabelled":
        return shuffled(graph, rng), ""
    if kind == "foreign":
        return FOREIGN[rules[0]](graph.n_nodes, graph.n_edges, rng).without_isolated(), rules[0]
    for name in [*rules, *RULES[kind]]:
        model: Any = netchoice.get_space("all").only([name]).matched_to(graph)[name]
        if model.can_match(MATCH_TRIES, rng):
            return model.draw(graph.n_nodes, rng, "drop")[1], name
    raise UsageError(f"no mechanism has the density of {graph}")


def lattice(n_nodes: int, n_edges: int, rng: np.random.Generator) -> netchoice.Graph:
    """Return a square lattice whose nearest pairs are linked; of equally near ones a random part."""
    side = int(np.ceil(np.sqrt(n_nodes)))
    x, y = np.divmod(np.arange(n_nodes), side)
    u, v = np.triu_indices(n_nodes, 1)
    distances = (x[u] - x[v]) ** 2 + (y[u] - y[v]) ** 2 + 0.5 * rng.random(len(u))
    near = np.argpartition(distances, n_edges - 1)[:n_edges]
    return netchoice.Graph.from_edges(np.stack([u[near], v[near]], axis=1), n_nodes=n_nodes)


def regular(n_nodes: int, n_edges: int, rng: np.random.Generator) -> netchoice.Graph:
    """Return a random network in which all nodes have the same degree."""
    degree = max(1, round(2 * n_edges / n_nodes))
    n_nodes += n_nodes * degree % 2
    made = nx.random_regular_graph(degree, n_nodes, seed=int(rng.integers(2**31)))
    return netchoice.Graph.of(made)


def cliques(n_nodes: int, n_edges: int, rng: np.random.Generator) -> netchoice.Graph:
    """Return cliques of equal size, one in ten edges of which leads to a random node."""
    size = max(2, round(2 * n_edges / n_nodes) + 1)
    n_cliques = max(2, round(n_nodes / size))
    made = nx.relaxed_caveman_graph(n_cliques, size, 0.1, seed=int(rng.integers(2**31)))
    made.remove_edges_from(list(nx.selfloop_edges(made)))
    return netchoice.Graph.of(made)


#: Rules that are not in the space.
FOREIGN = {"lattice": lattice, "regular": regular, "cliques": cliques}
#: What can make a control.
RULES = {
    "grown": netchoice.get_space("all").labels, "foreign": [*FOREIGN], "rewired": [""], "relabelled": [""],
}  # fmt: skip


def in_order(entries: list[Entry]) -> list[Entry]:
    """Return the networks from the smallest on, relabelled ones after their originals."""
    return sorted(
        entries, key=lambda each: (each.size * (LATER if each.kind == "relabelled" else 1), each.id)
    )
