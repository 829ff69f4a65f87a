"""Answers where the truth is known: networks that other programs grew, each answered as ``choose`` does.

The reference implementations of the tests grow networks of ``duplication`` with 300 nodes, with parameters
from the priors ("inside") and with all parameters at bounds of the priors ("corners"). Foreign kinds are
made by networkx: small worlds, random geometric, preferential attachment, regular, grids and trees with as
many edges as a network of the space. Wanted, before the reported run (``--seed 101``):

- inside: the model is named, and right, for at least 99 %; "none fits" for at most 1.5 %;
- corners: "none fits" for at most 2 %;
- foreign kinds: "none fits" for all.
"""

import argparse
import itertools
import sys
from collections import Counter
from pathlib import Path

import networkx as nx
import numpy as np
import report

import netchoice
from netchoice.inference.wilson_interval import wilson

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
import naive


def grown(model, n_nodes, parameters, rng):
    """Return a network that a reference implementation grew."""
    return netchoice.Graph.of(getattr(naive, model.name)(n_nodes, rng, **parameters))


def corner(model, rng):
    """Return parameters at bounds of their priors."""
    bounds = {name: (spec.prior.low, spec.prior.high) for name, spec in model.parameters.items()}
    return {name: ends[int(rng.integers(2))] for name, ends in bounds.items()}


def foreign(kind, n, n_edges, rng):
    """Return a network of a foreign kind, with about as many nodes and edges."""
    seed, degree = int(rng.integers(2**31)), max(2, round(2 * n_edges / n))
    if kind == "small world":
        return nx.watts_strogatz_graph(n, degree + degree % 2, 0.1, seed=seed)
    if kind == "geometric":
        return nx.random_geometric_graph(n, np.sqrt(degree / (np.pi * n)), seed=seed)
    if kind == "attachment":
        return nx.barabasi_albert_graph(n, max(1, degree // 2), seed=seed)
    if kind == "regular":
        return nx.random_regular_graph(degree + (degree * n) % 2, n, seed=seed)
    if kind == "random":
        return nx.gnm_random_graph(n, n_edges, seed=seed)
    if kind == "grid":
        side = round(np.sqrt(n))
        return nx.convert_node_labels_to_integers(nx.grid_2d_graph(side, n // side))
    tree = nx.random_labeled_tree(n, seed=seed)
    tree.add_edges_from(itertools.combinations(range(degree), 2))
    return tree


KINDS = ("small world", "geometric", "attachment", "regular", "random", "grid", "tree")


def answers(networks, options, space):
    """Return the row of the answer for each network, by name, from one reference."""
    folder = Path(options.out) / f"seed-{options.seed}"
    found = netchoice.choose_cohort(
        networks, space, out=folder, fresh=True, isolated="keep", seed=options.seed, workers=options.workers,
        on_progress=False,
    )  # fmt: skip
    return found.frame()


def main():
    """Print the share of right answers of each part."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--space", default="duplication")
    parser.add_argument("--nodes", type=int, default=300)
    parser.add_argument("--inside", type=int, default=200, help="networks of each model")
    parser.add_argument("--corners", type=int, default=60, help="networks of each model")
    parser.add_argument("--foreign", type=int, default=12, help="networks of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--out", default="build/recovery")
    report.add_json(parser)
    options = parser.parse_args()
    space, n = netchoice.get_space(options.space), options.nodes
    rng = np.random.default_rng([options.seed, n])
    networks, truth = {}, {}
    for model in space:
        for part, count in (("inside", options.inside), ("corner", options.corners)):
            for i in range(count):
                drawn = model.sample(rng) if part == "inside" else corner(model, rng)
                networks[f"{part} {model.name} {i}"] = grown(model, n, drawn, rng)
    typical = int(np.median([graph.n_edges for graph in networks.values()]))
    for kind in KINDS:
        for i in range(options.foreign):
            networks[f"foreign {kind.replace(' ', '-')} {i}"] = foreign(kind, n, typical, rng)
    frame = answers(networks, options, space)
    values = {}
    for part in ("inside", "corner", "foreign"):
        rows = frame[frame["id"].str.startswith(part)]
        truth = rows["id"].str.split().str[1]
        right = int(((rows["verdict"] == "one-fits") & (rows["model"] == truth)).sum())
        none = int((rows["verdict"] == "none-fits").sum())
        values |= {f"{part}_networks": len(rows), f"{part}_right": right, f"{part}_none": none}
        for word, count in (("right", right), ("none fits", none)):
            low, high = wilson(count / len(rows), len(rows))
            print(f"{part}: {word} {count} of {len(rows)} ({low:.1%} to {high:.1%})")
        print(f"  {dict(Counter(rows['verdict']))}")
        for each in rows[
            rows["verdict"] != ("none-fits" if part == "foreign" else "one-fits")
        ].itertuples():
            print(f"  {each.id}: {each.headline}")
    report.write(options, values)


if __name__ == "__main__":
    main()
