"""Which model made a network of 100,000 nodes, where the whole battery of features is out of reach?

Pilots of at most 1000 nodes say which features tell the models apart, and how costs grow. Costs
are extrapolated to 100,000 nodes, so that the selection avoids what would be expensive there. Only the
selected features are computed at full size: on the network in question, and on networks that both
models grow, among which its nearest neighbours name the model. A few minutes.
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
from netchoice.cost_growth import CostGrowth
from netchoice.features import min_powers
from netchoice.selection import get_selector
from netchoice.units import duration

#: Sparse networks, as most large ones are.
SPACE = netchoice.get_space("duplication").with_priors({"p_delete": "uniform(0.5, 0.75)"})
SIZES = (100, 200, 500, 1000)
PENALTY, N_FEATURES, NEIGHBOURS = 10.0, 4, 10


def pilots(rows: int) -> list[netchoice.ReferenceTable]:
    """Tables of small networks, the same draws at every size."""
    return [
        netchoice.simulate_table(SPACE, n_nodes=n, n_samples=rows, seed=1, stream="pilot")
        for n in SIZES
    ]


def select(table: netchoice.ReferenceTable, costs: netchoice.CostModel) -> list[str]:
    """Features that tell most about the model for their cost at full size."""
    varying = table.drop_constant()
    selector = get_selector(
        "jmi",
        penalty=PENALTY,
        costs=costs.only(varying.features),
        discrete_features=[varying.discrete[name] for name in varying.features],
    )
    return list(selector.fit(varying.X, varying.y).ranking_names_[:N_FEATURES])


def main() -> None:
    """Pilots, selection, the large network, its neighbours; and what was paid."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--model", choices=SPACE.labels, default="dmr", help="the one to be found")
    parser.add_argument("--rows", type=int, default=400, help="of each pilot")
    parser.add_argument("--references", type=int, default=100, help="networks of full size")
    options = parser.parse_args()
    begun = time.monotonic()

    small = pilots(options.rows)
    growth = CostGrowth.fit(small, powers=min_powers())
    costs = growth.predict(options.nodes)
    chosen = select(small[-1], costs)
    print(f"pilots of {', '.join(map(str, SIZES))} nodes select: {', '.join(chosen)}")

    rng = np.random.default_rng(2024)
    model = SPACE[options.model]
    network = model.grow(options.nodes, model.sample(rng), rng)
    print(
        f"the network, grown by {options.model}: {network.n_nodes} nodes, {network.n_edges} edges"
    )
    result = netchoice.compute_features(network, chosen)
    paid = sum(result.own_seconds.values()) + sum(result.step_seconds.values())
    for name in chosen:
        print(
            f"    {name:28}{result.values[name]:>14.6g}{duration(result.seconds[name]):>12} alone"
        )
    foretold = costs.cost_of_set(chosen, "shared")
    print(f"paid for it: {duration(paid)}; foretold for such networks: {duration(foretold)}")
    whole = growth.total(options.nodes)
    print(f"the whole battery, extrapolated: {duration(whole)} for each network, "
          f"{whole / foretold:.0f} times as much")  # fmt: skip

    references = netchoice.simulate_table(
        SPACE, n_nodes=options.nodes, n_samples=options.references, seed=3, features=chosen
    )
    neighbours = make_pipeline(StandardScaler(), KNeighborsClassifier(NEIGHBOURS))
    X, y = references.X[chosen].to_numpy(), references.y.to_numpy()
    accuracy = cross_val_score(neighbours, X, y, cv=5).mean()
    observed = [[result.values[name] for name in chosen]]
    votes = neighbours.fit(X, y).predict_proba(observed)[0]
    told = ", ".join(
        f"{label} {v:.0%}" for label, v in zip(neighbours.classes_, votes, strict=True)
    )
    print(f"{NEIGHBOURS} nearest of {len(X)} networks of full size: {told}; "
          f"right for {accuracy:.0%} of these networks themselves")  # fmt: skip
    print(f"the same with the whole battery, extrapolated: {duration(whole * len(X))} of CPU time; "
          f"this took {duration(time.monotonic() - begun)} in all")  # fmt: skip


if __name__ == "__main__":
    main()
