"""Comparison of rules that choose the size of a pilot: ``python -m reproduction.pilot_rules``.

For several spaces and seeds, pilots of 10, 20, 40, … nodes select features. Each rule chooses a size
from the pilots alone. Its loss is the accuracy of the selected features on networks of the target
size, compared with the best of all sizes.

Three rules follow the discussion of the paper, which proposes to choose the size by the separation of
the clusters that the models form: in the space of all features, along linear discriminants, or by the
distance between the clusters.
"""

from __future__ import annotations

import argparse

import numpy as np
import pandas as pd
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import NearestCentroid
from sklearn.preprocessing import StandardScaler

from netchoice.storage.table import ReferenceTable
from reproduction.pilot_size import PilotLadder
from reproduction.spaces import Simulations

SIZES = (10, 20, 40, 80, 160, 320)


def run_pilots(space: str, seed: int, target: int, method: str, k: int, rows: int) -> PilotLadder:
    """Run the pilots of all sizes."""
    simulations = Simulations(space, seed, engine="serial")
    ladder = PilotLadder(simulations, target, method, 0.0, k, samples=rows, check_samples=2 * rows)
    for n in SIZES:
        ladder.add(n)
    return ladder


def separations(table: ReferenceTable) -> dict[str, float]:
    """Return how well the models of a pilot are separated, measured on every second row.

    The first two are shares of rows whose nearest centre is that of their model. The third is the
    smallest distance between two centres along the discriminants, in standard deviations.
    """
    X = StandardScaler().fit_transform(table.drop_constant().X)
    y = table.y.to_numpy()
    rows, held_out = slice(0, None, 2), slice(1, None, 2)
    discriminants = LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto").fit(
        X[rows], y[rows]
    )
    Z = discriminants.transform(X)
    centres = [Z[held_out][y[held_out] == model].mean(axis=0) for model in np.unique(y)]
    within = np.mean([Z[held_out][y[held_out] == model].std() for model in np.unique(y)])
    distances = [np.linalg.norm(a - b) for i, a in enumerate(centres) for b in centres[:i]]
    return {
        "all features": NearestCentroid().fit(X[rows], y[rows]).score(X[held_out], y[held_out]),
        "discriminants": NearestCentroid().fit(Z[rows], y[rows]).score(Z[held_out], y[held_out]),
        "distance": float(min(distances) / within),
    }


def choices(ladder: PilotLadder) -> dict[str, int]:
    """Return the position of the size that each rule chooses; the last one if it chooses none."""
    pilots, last = ladder.pilots, len(ladder.pilots) - 1
    here = [pilot.correct.mean() for pilot in pilots]
    chosen = {"ours": ladder.confirmed(), "smallest": 0, "largest": last}
    chosen["99% accuracy at its own size"] = next((i for i in range(last) if here[i] >= 0.99), None)
    chosen["unchanged set"] = next(
        (i for i in range(last) if pilots[i].features == pilots[i + 1].features), None
    )
    chosen["next size, evaluated there"] = next(
        (
            i
            for i in range(last)
            if ladder.gain(pilots[i], pilots[i + 1], pilots[i + 1].n_nodes)[1] <= ladder.tolerance
        ),
        None,
    )
    found = [separations(table) for table in ladder.tables]
    for space in ("all features", "discriminants"):
        separated = (i for i in range(last) if found[i][space] >= 0.99)
        chosen[f"clusters separated to 99%, {space}"] = next(separated, None)
    chosen["distance of clusters grows by less than a tenth"] = next(
        (i for i in range(last) if found[i + 1]["distance"] < 1.1 * found[i]["distance"]), None
    )
    return {rule: last if at is None else at for rule, at in chosen.items()}


def main() -> None:
    """Print the accuracies of all pilots and the loss of each rule."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--target", type=int, default=1000)
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--spaces", default="ba,duplication,mechanisms")
    parser.add_argument("--methods", default="jmi:5,relieff:5,jmi:2")
    options = parser.parse_args()
    results = []
    for space in options.spaces.split(","):
        for method, k in (each.split(":") for each in options.methods.split(",")):
            for seed in range(1, options.seeds + 1):
                ladder = run_pilots(space, seed, options.target, method, int(k), options.rows)
                at_target = [
                    float(np.mean(np.equal(*ladder.predict(options.target, pilot.features))))
                    for pilot in ladder.pilots
                ]
                here = [f"{pilot.correct.mean():.2f}" for pilot in ladder.pilots]
                print(f"{space} {method} k={k} seed {seed}: at their own size {' '.join(here)}; "
                      f"at the target {' '.join(f'{a:.3f}' for a in at_target)}", flush=True)  # fmt: skip
                for rule, at in choices(ladder).items():
                    loss = max(at_target) - at_target[at]
                    results.append((space, method, rule, SIZES[at], at_target[at], loss))
    frame = pd.DataFrame(results, columns=["space", "method", "rule", "n", "accuracy", "loss"])
    for keys in (["space", "rule"], ["rule"]):
        summary = frame.groupby(keys, sort=False).agg(
            typical_n=("n", "median"), largest_n=("n", "max"), accuracy=("accuracy", "mean"),
            mean_loss=("loss", "mean"), worst_loss=("loss", "max"),
        )  # fmt: skip
        print(f"\n{summary.round(3).to_string()}")


if __name__ == "__main__":
    main()
