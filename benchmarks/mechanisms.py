"""Answers for networks of all mechanisms: is the true one kept, and is it named?

Every mechanism of the space `all` grows networks with parameters from its priors, of 0.8 to 5 edges
per node. Each is answered as ``netchoice choose FILE`` does, with all mechanisms, density-matched.
Wanted, before the reported run: the true mechanism is rejected for at most 3 % of the networks (the level is
1 %), its family comes first for at least 90 %, and another one is named for at most 5 %. Mechanisms that
make the same networks cannot be distinguished, so there is no aim for the share that is named.
"""

import argparse
from collections import Counter

import numpy as np
import report

import netchoice
from netchoice.errors import NetchoiceError
from netchoice.inference.sequential_test import REJECTED
from netchoice.inference.wilson_interval import wilson
from netchoice.models.space import family_of


def grown(model, n_nodes, rng):
    """Return a network with a moderate density, of at most 100 that are grown."""
    for _ in range(100):
        try:
            graph = model.grow(n_nodes, model.sample(rng), rng)
        except NetchoiceError:
            continue
        if 0.8 * n_nodes <= graph.n_edges <= 5 * n_nodes:
            return graph
    return None


def main():
    """Print what the answers say about the true mechanisms."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=150)
    parser.add_argument("--networks", type=int, default=2, help="of each mechanism")
    parser.add_argument("--seed", type=int, default=101)
    report.add_json(parser)
    options = parser.parse_args()
    rng, found = np.random.default_rng(options.seed), Counter()
    for model in netchoice.get_space("all"):
        for _ in range(options.networks):
            graph = grown(model, options.nodes, rng)
            if graph is None:
                print(f"{model.name}: no network of a moderate density")
                continue
            answer = netchoice.choose_model(graph, on_progress=False)
            named = answer.verdict.model
            first = next(iter(answer.verdict.families), None)
            found["networks"] += 1
            found["rejected"] += answer[model.name].state == REJECTED
            found["named"] += named == model.name
            found["another named"] += named not in (None, model.name)
            found["family first"] += first == family_of(model)
            print(
                f"{model.name} ({graph.n_edges} edges): {answer[model.name].state}; "
                f"{answer.verdict.sentence}; {answer.cost.simulation_seconds:.0f} CPU s",
                flush=True,
            )
    n = found["networks"]
    for key in ("rejected", "named", "another named", "family first"):
        low, high = wilson(found[key], n)
        print(f"{key}: {found[key]} of {n} ({low:.1%} to {high:.1%})")
    values = {key: found[key] / n for key in ("rejected", "named", "another named", "family first")}
    report.write(options, values | {"networks": n, "nodes": options.nodes})


if __name__ == "__main__":
    main()
