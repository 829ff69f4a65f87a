"""The atlas: which mechanisms explain real networks, with controls and two seeds.

``atlas-criteria.md`` says what is compared and what counts; it was written before the first answer. The
networks are written to ``--out`` with numbers as names, and answered as a cohort for each seed. Run the same
command again to resume. ``--hours`` ends it after so many hours.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import math
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import networkx as nx
import numpy as np
from seeds import NETWORKS, readable

import netchoice
from netchoice.alterations import swap_edges
from netchoice.errors import NetchoiceError
from netchoice.models.space import family_of

MIXTURES = (
    "dmc+lpa", "dmr+lpa", "dmc+holme-kim", "dmr+holme-kim", "heterodimer+lpa", "ispolatov+rdg",
    "holme-kim+rdg", "jackson-rogers+lpa", "toivonen+rdg", "forest-fire+rdg",
)  # fmt: skip
SPACE = netchoice.get_space("all").with_mixtures(MIXTURES)
SEEDS, SIZES, MOST_NODES = (1, 2), (60, 120, 240, 480), 5000
N_REWIRED, N_RELABELLED = 30, 10
YEAST = ("uetz2000.txt", "ito2001.txt", "yu2008.txt")
WITH_NETWORKX: dict[str, Callable[[], nx.Graph]] = {
    "karate club": nx.karate_club_graph, "Les Misérables": nx.les_miserables_graph,
    "southern women": nx.davis_southern_women_graph, "Florentine families": nx.florentine_families_graph,
    "Krackhardt kite": nx.krackhardt_kite_graph,
}  # fmt: skip


class Entry(NamedTuple):
    """A network of the atlas: what it is, where it comes from, and the model that made it, if one did."""

    kind: str
    name: str
    group: str
    truth: str
    graph: netchoice.Graph


# The networks


def real_networks(folder: str | Path) -> Iterator[Entry]:
    """Yield the networks of a folder, of yeast, and of networkx; each once."""
    found = {name: (name.partition("/")[0], graph) for name, graph in _files(folder)}
    found |= {name: ("networkx", make()) for name, make in WITH_NETWORKX.items()}
    seen = set()
    for name, (group, graph) in found.items():
        network = netchoice.Graph.of(graph).without_isolated()
        if 8 <= network.n_nodes <= MOST_NODES and network.fingerprint not in seen:
            seen.add(network.fingerprint)
            yield Entry("real", name, group, "", network)


def _files(folder: str | Path) -> Iterator[tuple[str, netchoice.Graph]]:
    yield from sorted(readable(folder, 8, MOST_NODES).items())
    for name in YEAST:
        path = Path(folder).parent / name
        if path.exists():
            yield f"yeast/{name}", netchoice.read_network(path)[0]


def grown_networks(rng: np.random.Generator) -> Iterator[Entry]:
    """Yield networks of every mechanism and mixture."""
    for model in SPACE:
        is_mixture = model.name in MIXTURES
        first = MIXTURES.index(model.name) if is_mixture else 0
        for n_nodes in (SIZES[1 + first % 2],) if is_mixture else SIZES:
            graph = _grown(model, n_nodes, rng)
            if graph is not None:
                kind = "mixed" if is_mixture else "grown"
                yield Entry(kind, f"{model.name} {n_nodes}", family_of(model), model.name, graph)


def _grown(
    model: netchoice.Model, n_nodes: int, rng: np.random.Generator
) -> netchoice.Graph | None:
    for _ in range(200):
        try:
            graph = model.grow(n_nodes, model.sample(rng), rng, isolated="drop")
        except NetchoiceError:
            continue
        if 0.8 * n_nodes <= graph.n_edges <= 6 * n_nodes:
            return graph
    return None


def _lattice(n: int, seed: int) -> nx.Graph:
    graph = nx.grid_2d_graph(round(math.sqrt(n)), round(math.sqrt(n)))
    rng = np.random.default_rng(seed)
    edges = [*graph.edges]
    graph.remove_edges_from(
        [edges[i] for i in rng.choice(len(edges), len(edges) // 10, replace=False)]
    )
    return graph


def _apollonian(n: int, seed: int) -> nx.Graph:
    """Return a random Apollonian network: each new node goes into a random triangle."""
    rng, graph, triangles = np.random.default_rng(seed), nx.complete_graph(3), [(0, 1, 2)]
    for new in range(3, n):
        u, v, w = triangles.pop(int(rng.integers(len(triangles))))
        graph.add_edges_from([(new, u), (new, v), (new, w)])
        triangles += [(u, v, new), (u, w, new), (v, w, new)]
    return graph


def _tree_of_cliques(n: int, seed: int) -> nx.Graph:
    graph = nx.random_labeled_tree(max(4, n * 2 // 5), seed=seed)
    number = itertools.count(graph.number_of_nodes())
    for leaf in [node for node, degree in graph.degree if degree == 1]:
        graph.add_edges_from(itertools.combinations([leaf, *itertools.islice(number, 3)], 2))
    return graph


def _two_kinds(n: int, seed: int) -> nx.Graph:
    return nx.bipartite.gnmk_random_graph(n // 3, n - n // 3, 2 * n, seed=seed)


def _core(n: int, seed: int) -> nx.Graph:
    k = n // 6
    inside, between, outside = min(1.0, 8 / k), 2.0 / n, 0.5 / n
    rates = [[inside, between], [between, outside]]
    return nx.stochastic_block_model([k, n - k], rates, seed=seed)


#: Rules that are not in the space: functions of a number of nodes and a seed.
FOREIGN: dict[str, Callable[[int, int], nx.Graph]] = {
    "regular": lambda n, seed: nx.random_regular_graph(4, n, seed=seed),
    "caves": lambda n, seed: nx.relaxed_caveman_graph(n // 6, 6, 0.1, seed=seed),
    "lattice": _lattice,
    "triangles": _apollonian,
    "internet": lambda n, seed: nx.random_internet_as_graph(n, seed=seed),
    "two kinds": _two_kinds,
    "line graph": lambda n, seed: nx.line_graph(nx.random_labeled_tree(n + 1, seed=seed)),
    "intersections": lambda n, seed: nx.uniform_random_intersection_graph(n, n, 1.6 / n, seed=seed),
    "core": _core,
    "tree of cliques": _tree_of_cliques,
}


def foreign_networks(rng: np.random.Generator) -> Iterator[Entry]:
    """Yield networks of rules that are not in the space."""
    for rule, make in FOREIGN.items():
        for n_nodes in SIZES:
            made = nx.Graph(make(n_nodes, int(rng.integers(2**31))))
            made.remove_edges_from([*nx.selfloop_edges(made)])
            plain = nx.convert_node_labels_to_integers(made)
            graph = netchoice.Graph.of(plain).without_isolated()
            yield Entry("foreign", f"{rule} {n_nodes}", rule, "", graph)


def changed_networks(real: list[Entry], rng: np.random.Generator) -> Iterator[Entry]:
    """Yield rewired and relabelled real networks."""
    drawn = rng.permutation(len(real))
    for i in drawn[:N_REWIRED]:
        each = real[i]
        yield Entry("rewired", each.name, each.group, "", swap_edges(each.graph, 5, rng))
    for i in drawn[N_REWIRED : N_REWIRED + N_RELABELLED]:
        each = real[i]
        order = rng.permutation(each.graph.n_nodes)
        graph = netchoice.Graph.from_edges(order[each.graph.edges()], n_nodes=each.graph.n_nodes)
        yield Entry("relabelled", each.name, each.group, "", graph)


def write_networks(folder: str | Path, out: Path) -> None:
    """Write all networks with numbers as names, in random order, and the key to them."""
    rng = np.random.default_rng(20261119)
    real = list(real_networks(folder))
    entries = [*real, *grown_networks(rng), *foreign_networks(rng), *changed_networks(real, rng)]
    entries = [entries[i] for i in rng.permutation(len(entries))]
    (out / "networks").mkdir(parents=True, exist_ok=True)
    rows = []
    for number, each in enumerate(entries):
        name = f"{number:03d}"
        plain = netchoice.Graph(each.graph.indptr, each.graph.indices)
        netchoice.write_network(plain, out / "networks" / f"{name}.tsv", overwrite=True)
        rows.append((name, *each[:4], each.graph.n_nodes, each.graph.n_edges))
    with open(out / "key.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("id", "kind", "name", "group", "truth", "nodes", "edges"))
        writer.writerows(rows)


def main() -> None:
    """Write the networks once, and answer for all of them with each seed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--networks", default=NETWORKS)
    parser.add_argument("--out", type=Path, default=Path("build/atlas"))
    parser.add_argument("--hours", type=float, default=6.0)
    parser.add_argument("--workers", type=int)
    options = parser.parse_args()
    if not (options.out / "key.csv").exists():
        write_networks(options.networks, options.out)
    signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
    signal.alarm(math.ceil(options.hours * 3600))
    for seed in SEEDS:
        answers = netchoice.choose_cohort(
            netchoice.io.find_networks(options.out / "networks"), SPACE, match=True, seed=seed,
            out=options.out / f"seed-{seed}", workers=options.workers, on_progress=True,
        )  # fmt: skip
        print(f"seed {seed}: {answers.n - answers.n_failed} of {answers.n} networks answered")


if __name__ == "__main__":
    main()
