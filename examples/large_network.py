"""Choose a model for a network of 100,000 nodes, on which computing all features takes too long.

``netchoice.select_on_pilots`` selects features on networks of 1000 nodes, at costs that it extrapolates to
100,000 nodes, so that features that are expensive there are avoided. Only the selected features are
computed at full size: on the network, and on simulations of both models. The nearest neighbours of the
network among these simulations predict its model. The script takes a few minutes.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import netchoice
from netchoice.units import duration

#: A prior that gives sparse networks. Most large networks are sparse.
SPACE = netchoice.get_space("duplication").with_priors({"p_delete": "uniform(0.5, 0.75)"})
NEIGHBOURS = 10


def main() -> None:
    """Select features on pilots, predict the model of a large network, and print the costs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--model", choices=SPACE.labels, default="dmr", help="the true model")
    parser.add_argument("--pilots", type=int, default=1000, help="networks to select on")
    parser.add_argument("--references", type=int, default=100, help="simulations of full size")
    options = parser.parse_args()
    start = time.monotonic()

    found = netchoice.select_on_pilots(SPACE, n_nodes=options.nodes, samples=options.pilots)
    selected = list(found.features)
    print(f"features selected on {found.samples} networks of {found.pilot_nodes} nodes: "
          f"{', '.join(selected)}")  # fmt: skip

    rng = np.random.default_rng(2024)
    model = SPACE[options.model]
    network = model.grow(options.nodes, model.sample(rng), rng)
    print(f"network grown by {options.model}: {network.n_nodes} nodes, {network.n_edges} edges")
    result = netchoice.compute_features(network, selected)
    measured = sum(result.own_seconds.values()) + sum(result.step_seconds.values())
    for name in selected:
        print(
            f"    {name:28}{result.values[name]:>14.6g}{duration(result.seconds[name]):>12} alone"
        )
    print(
        f"cost of these features: {duration(measured)} measured, {duration(found.cost)} predicted"
    )
    print(f"predicted cost of all features: {duration(found.cost_of_all)} per network, "
          f"{found.cost_of_all / found.cost:.0f} times as much")  # fmt: skip

    references = netchoice.simulate_table(
        SPACE, n_nodes=options.nodes, n_samples=options.references, seed=3, features=selected
    )
    neighbours = make_pipeline(StandardScaler(), KNeighborsClassifier(NEIGHBOURS))
    X, y = references.X[selected].to_numpy(), references.y.to_numpy()
    accuracy = cross_val_score(neighbours, X, y, cv=5).mean()
    observed = [[result.values[name] for name in selected]]
    votes = neighbours.fit(X, y).predict_proba(observed)[0]
    shares = ", ".join(
        f"{label} {vote:.0%}" for label, vote in zip(neighbours.classes_, votes, strict=True)
    )
    print(f"models of the {NEIGHBOURS} nearest of {len(X)} simulations: {shares}; "
          f"cross-validated accuracy: {accuracy:.0%}")  # fmt: skip
    print(f"this run took {duration(time.monotonic() - start)}; computing all features of the "
          f"simulations would take {duration(found.cost_of_all * len(X))} of CPU time")  # fmt: skip


if __name__ == "__main__":
    main()
