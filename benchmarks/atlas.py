"""The atlas: which mechanisms explain real networks, with controls and two seeds.

``atlas-criteria.md`` says what is compared and what counts; it was written before the first answer. The
networks are written to ``--out`` with numbers as names. Networks of one size are answered together, with
both seeds, because they share most simulations. The answers are then written as a cohort for each seed. Run
the same command again to resume. ``--hours`` ends it after so many hours.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import math
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
from seeds import NETWORKS, readable

import netchoice
from netchoice.alterations import swap_edges
from netchoice.choice.cohort import NetworkRows, answer_all
from netchoice.choice.reference import STREAMS, ModelTable, Reference, Stream
from netchoice.choice.references import References, references_of
from netchoice.choice.sizes import Size
from netchoice.engines import get_engine
from netchoice.errors import NetchoiceError
from netchoice.io.collection import NetworkCollection
from netchoice.io.many_networks import NetworkSource
from netchoice.models.space import ModelSpace, family_of
from netchoice.report import report_cohort
from netchoice.rows import Row, run_rows
from netchoice.storage.kept_files import fingerprint_of
from netchoice.storage.shards import RowFolder

MIXTURES = (
    "dmc+lpa", "dmr+lpa", "dmc+holme-kim", "dmr+holme-kim", "heterodimer+lpa", "ispolatov+rdg",
    "holme-kim+rdg", "jackson-rogers+lpa", "toivonen+rdg", "forest-fire+rdg",
)  # fmt: skip
SPACE = netchoice.get_space("all").with_mixtures(MIXTURES)
SEEDS, MOST_NODES = (1, 2), 5000
#: Numbers of nodes of grown and of foreign networks.
GROWN_SIZES, SIZES = (50, 100, 210, 300), (60, 120, 240, 480)
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
        for n_nodes in (GROWN_SIZES[1 + first % 2],) if is_mixture else GROWN_SIZES:
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
        if 0.8 * n_nodes <= graph.n_edges <= 4 * n_nodes:
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
    rng = np.random.default_rng(20261120)
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


# The answers


class Seeded(Reference):
    """Simulations for one network and seed; those that do not depend on the seed are shared."""

    def __init__(self, shared: Reference, seed: int) -> None:
        self.__dict__ |= shared.__dict__ | {
            "shared": shared, "settings": replace(shared.settings, seed=seed), "incomplete": {},
            "_tables": {stream.name: {} for stream in STREAMS}, "n_simulated": 0,
        }  # fmt: skip
        fits = ("ratio", "ratios", "score", "before")  # fitted to rows that never differ
        self._fitted = {key: each for key, each in shared._fitted.items() if key[0] in fits}

    def simulate(
        self, stream: Stream, models: Sequence[str], n: int, deadline: float | None = None
    ) -> None:
        """Take rows from the shared simulations, which simulate those that are missing."""
        if not stream.is_fixed:
            super().simulate(stream, models, n, deadline)
            return
        self.shared.simulate(stream, models, n, deadline)
        for model in models:
            table = self.shared._tables[stream.name].get(model)
            if table is None or n <= self.n_rows(stream, model):
                continue
            first = table.first(n)
            X, parameters = table.X[first], table.parameters[first].reset_index(drop=True)
            self._tables[stream.name][model] = ModelTable(n, table.numbers[first], X, parameters)
            for name, missing in zip(self.names_of(stream), np.isnan(X).any(axis=0), strict=True):
                if missing:
                    self.incomplete.setdefault(name, self.shared.incomplete[name])

    def share_fits(self) -> None:
        """Keep what was fitted for other networks of the size, and other seeds."""
        self.shared._fitted |= self._fitted


class OneSeed(NetworkRows):
    """Answers with one seed for networks of one size."""

    shared: Reference | None = None
    last: Seeded | None = None

    def own_reference(self, size: Size) -> Reference:
        """Return simulations for a network."""
        if self.shared is None:
            self.shared = super().own_reference(size)
        self.last = Seeded(self.shared, self.references.settings.seed)
        return self.last


@dataclass
class OneSize:
    """Answers with all seeds for the networks of one size: a row is a size.

    Most simulations are the same for every seed and every network of a size, and are made once. The answers
    are those of separate runs.
    """

    references: list[References]

    def __call__(self, number: int, sources: list[NetworkSource]) -> Row:
        """Return the answers as text: seed, id, cells and failure of each."""
        answers, shared = [], None
        for references, source in itertools.product(self.references, sources):
            rows = OneSeed(references)
            rows.shared = shared
            row = rows(0, source)
            shared = rows.shared
            if rows.last is not None:
                rows.last.share_fits()
            answers.append((references.settings.seed, source.id, row.cells, row.failure))
        return Row(number, {"answers": json.dumps(answers)})

    def known(self, number: int) -> dict[str, None]:
        """Return the cells of a size without answers."""
        return {"answers": None}

    def kind(self, column: str) -> str:
        """Return what the column holds."""
        return "text"

    def warm_up(self) -> None:
        """Do nothing: kernels are compiled before the run."""


class Kept(NetworkRows):
    """Answers that are known by id, as rows of a cohort."""

    def __init__(self, references: References, found: dict[str, tuple[dict[str, Any], str | None]]):
        super().__init__(references)
        self.found = found

    def __call__(self, number: int, source: NetworkSource) -> Row:
        """Return the answer for one network."""
        return Row(number, *self.found[source.id])


def sizes_of(networks: NetworkCollection) -> list[list[NetworkSource]]:
    """Return the networks in groups of one size."""
    groups: dict[tuple[int, int], list[NetworkSource]] = {}
    for source in networks:
        graph, _ = source.read()
        groups.setdefault((graph.n_nodes, graph.n_edges), []).append(source)
    return [*groups.values()]


def answer(networks: NetworkCollection, space: ModelSpace, out: Path, **options: Any) -> None:
    """Answer for all networks with each seed, and write a cohort for each seed, with its report."""
    effort, workers = options.get("effort"), options.get("workers")
    references = [
        references_of(None, space, None, None, seed, match=True, isolated=None, effort=effort)
        for seed in SEEDS
    ]
    sizes = sizes_of(networks)
    run = fingerprint_of([networks.fingerprint, *(each.fingerprint for each in references)])
    folder = RowFolder(out / "sizes", run)
    with folder.lock():
        run_rows(
            OneSize(references), np.arange(len(sizes)), engine=get_engine("processes", workers),
            folder=folder, argument=sizes.__getitem__, noun="sizes",
            on_progress=lambda done, total, _: print(f"{done} of {total} sizes", flush=True),
        )  # fmt: skip
    kept = [each for text in folder.read()["answers"] for each in json.loads(text)]
    for each in references:
        seed = each.settings.seed
        found = {name: (cells, failure) for at, name, cells, failure in kept if at == seed}
        cohort = out / f"seed-{seed}"
        answer_all(networks, Kept(each, found), folder=cohort, engine="serial")
        answers, _ = report_cohort(networks, space, out=cohort, match=True, seed=seed, **options)
        print(f"seed {seed}: {answers.n - answers.n_failed} of {answers.n} networks answered")


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
    networks = netchoice.io.find_networks(options.out / "networks")
    answer(networks, SPACE, options.out, workers=options.workers)


if __name__ == "__main__":
    main()
