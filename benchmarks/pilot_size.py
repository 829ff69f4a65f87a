"""Comparison of rules that choose the size of a pilot.

For several spaces and seeds, pilots of 10, 20, 40, … nodes select features. Each rule chooses a size
from the pilots alone. Its loss is the accuracy of the selected features on networks of the target
size, compared with the best of all sizes.
"""

from __future__ import annotations

import argparse

import numpy as np
import pandas as pd
from netchoice.workflows.pilot_tables import Maker

import netchoice
from netchoice.workflows.pilot_ladder import Climb

SIZES = (10, 20, 40, 80, 160, 320)


def climb(space: str, seed: int, target: int, method: str, k: int, rows: int) -> Climb:
    """Run the pilots of all sizes."""
    maker = Maker(netchoice.get_space(space), seed, engine="serial")
    made = Climb(maker, target, method, 0.0, k, rows, 2 * rows, 0.02, 2, 0.95, 600.0)
    for n in SIZES:
        made.step(n)
    return made


def choices(made: Climb) -> dict[str, int]:
    """Return the position of the size that each rule chooses; the last one if it chooses none."""
    rungs, last = made.rungs, len(made.rungs) - 1
    here = [rung.right_here.mean() for rung in rungs]
    chosen = {"ours": made.chosen(), "smallest": 0, "largest": last}
    chosen["99% accuracy at its own size"] = next((i for i in range(last) if here[i] >= 0.99), None)
    chosen["unchanged set"] = next(
        (i for i in range(last) if rungs[i].features == rungs[i + 1].features), None
    )
    chosen["next size, evaluated there"] = next(
        (
            i
            for i in range(last)
            if made.gain(rungs[i], rungs[i + 1], rungs[i + 1].n)[1] <= made.tolerance
        ),
        None,
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
                made = climb(space, seed, options.target, method, int(k), options.rows)
                at_target = [
                    float(np.mean(np.equal(*made.tell(options.target, rung.features))))
                    for rung in made.rungs
                ]
                here = [f"{rung.right_here.mean():.2f}" for rung in made.rungs]
                print(f"{space} {method} k={k} seed {seed}: at their own size {' '.join(here)}; "
                      f"at the target {' '.join(f'{a:.3f}' for a in at_target)}", flush=True)  # fmt: skip
                for rule, at in choices(made).items():
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
