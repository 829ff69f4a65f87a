"""Early rejection: the share of wrong models that it drops, and how rarely it drops the true one.

All mechanisms, density-matched. Before a score is trained, a model is dropped if the distance ratio of the
observation is clearly beyond ``--calibrate`` simulations (``inference.model_scores``). The ratio has
``--reference`` simulations, a third of which have parameters at the bounds of the prior.

Wanted, before the reported runs (seed 101: ``--nodes 50 --density 3``, ``--nodes 150 --density 1.5``,
``--nodes 350 --density 2.5``; the rule was chosen with 42, 100 and 300 nodes, density 2):

- of a model's own networks, at most 0.5 % are dropped: inside the prior, where a parameter is in the outer
  3 % of its values, and where all are at bounds of the prior (means over models);
- in less than 0.2 % of pairs of model and network, one seed drops a model that fits with another one. Two
  seeds share the reference, as in a choice; the line "other reference" is for seeds that share nothing;
- at least half of the wrong models are dropped.

"Fits" means here that the distance ratio has a p-value above 0.015 among all other simulations.
"""

import argparse
import time

import numpy as np
import report
from fit_scores import at_corners, at_edges, features, for_bounds, grown, matched_space, networks

from netchoice.errors import NetchoiceError
from netchoice.inference.model_scores import FAR_RATIO, DistanceRatio, clearly_beyond

PARTS = ("own", "edge", "corner", "wrong")


def simulate(model, n, rng, options):
    """Return the features of simulations by part, and the CPU seconds of a row."""
    started = time.process_time()
    n_rows = 2 * (options.reference + options.calibrate) + options.test
    parameters, graphs = networks(model, n, rng, n_rows)
    found = {"prior": features(graphs)}
    found["seconds"] = (time.process_time() - started) / n_rows
    at_bounds = for_bounds(model)
    n_bounds = 2 * (options.reference // 3)
    found["bounds"] = features(grown(at_bounds or model, n, rng, n_bounds))
    found["edge"] = features(grown(at_edges(model, parameters), n, rng, options.at_edges))
    corners = at_corners(model)
    found["corner"] = features(grown(corners, n, rng, options.at_edges)) if corners else None
    return found


def races(model, tables, options):
    """Return the share that is dropped by part, and the two shares of contradictions."""
    own, size = tables[model], options.reference + options.calibrate
    wrong = [each["prior"][-options.foreign :] for name, each in tables.items() if name != model]
    tests = {"own": own["prior"][2 * size :], "edge": own["edge"], "corner": own["corner"]}
    tests = {part: rows for part, rows in tests.items() if rows is not None}
    tests["wrong"] = np.vstack(wrong)
    n_bounds = options.reference // 3
    dropped, fits, calibrating = [], [], []
    ratios = []
    for seed in range(2):
        block = own["prior"][seed * size : (seed + 1) * size]
        bounds = own["bounds"][seed * n_bounds : (seed + 1) * n_bounds]
        ratio = DistanceRatio.fit(np.vstack([bounds, block[n_bounds : options.reference]]))
        ratios.append(ratio)
        calibrating.append(block[options.reference :])
        dropped.append(drops(ratio, calibrating[seed], tests))
        others = np.sort(ratio.logarithms(own["prior"][(1 - seed) * size :][:size]))
        above = len(others) - np.searchsorted(others, ratio.logarithms(tests["wrong"]))
        fits.append((above + 1) / (len(others) + 1) > 0.015)
    again = drops(ratios[0], calibrating[1], tests)
    found = {part: np.mean([each[part].mean() for each in dropped]) for part in tests}
    found["other reference"] = np.mean(
        [dropped[0]["wrong"] & fits[1], dropped[1]["wrong"] & fits[0]]
    )
    found["same reference"] = np.mean([dropped[0]["wrong"] & fits[0], again["wrong"] & fits[0]])
    return found


def drops(ratio, calibrating, tests):
    """Return by part whether networks are clearly beyond the calibrating ones."""
    known = ratio.logarithms(calibrating)
    return {
        part: clearly_beyond(known, ratio.logarithms(X), FAR_RATIO) for part, X in tests.items()
    }


def main():
    """Print shares of each model, and their means."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--nodes", type=int, default=42)
    parser.add_argument("--density", type=float, default=2.0, help="edges per node")
    parser.add_argument("--reference", type=int, default=150)
    parser.add_argument("--calibrate", type=int, default=100)
    parser.add_argument("--test", type=int, default=500, help="own networks")
    parser.add_argument(
        "--at-edges", type=int, default=150, help="own networks at edges; at corners"
    )
    parser.add_argument("--foreign", type=int, default=25, help="networks of each other model")
    parser.add_argument("--seed", type=int, default=1)
    report.add_json(parser)
    options = parser.parse_args()
    tables = {}
    for k, model in enumerate(matched_space(options.nodes, options.density)):
        rng = np.random.default_rng([options.seed, options.nodes, k])
        try:
            if model.can_match(200, rng):
                tables[model.name] = simulate(model, options.nodes, rng, options)
        except NetchoiceError as error:
            print(f"{model.name} left out: {str(error)[:80]}", flush=True)
    columns = (*PARTS, "other reference", "same reference")
    print(f"{options.nodes} nodes, {len(tables)} models: " + ", ".join(columns))
    rows = []
    for name in tables:
        found = races(name, tables, options)
        rows.append([found.get(column, np.nan) for column in columns])
        cells = " ".join(f"{each:8.4f}" for each in rows[-1])
        print(f"{name:20} {cells}   {1000 * tables[name]['seconds']:.1f} ms a row", flush=True)
    means = np.nanmean(rows, axis=0)
    print(f"{'mean':20} " + " ".join(f"{each:8.4f}" for each in means))
    report.write(options, dict(zip(columns, means, strict=True)) | {"models": len(rows)})


if __name__ == "__main__":
    main()
