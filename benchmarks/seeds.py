"""How much an answer depends on random numbers: real networks, each answered with several seeds.

All mechanisms, density-matched, as ``netchoice choose FILE`` does. Networks are drawn from a folder; those
for tuning and those that are reported are apart (``--part``). Wanted, before the reported run:

- of one model and network, no pair of seeds says "fits" once and "does not fit" once, in at least 99 %;
- the same verdict for at least 90 % of pairs of seeds, the same family first for at least 95 %;
- the intervals of a probability meet in at least 95 %; median total variation at most 0.05.

The last line holds by construction if the same models fit: probabilities come from simulations that do not
depend on the seed. `probability_estimators.py` compares independent simulations. Answers are kept in
``--out``, in a folder for each version of the package, and are not made again.
"""

import argparse
import hashlib
import itertools
import os
import subprocess
from pathlib import Path

import numpy as np
import report

import netchoice
from netchoice.errors import NetchoiceError
from netchoice.inference.sequential_test import FITS, REJECTED

NETWORKS = os.environ.get("NETCHOICE_NETWORKS", "../shared/data/networks")


def readable(folder, least, most):
    """Return the networks of a folder by name, in an order that depends on their names only."""
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        if path.is_dir() or path.name in ("counts.csv", "README.md"):
            continue
        try:
            graph, _ = netchoice.read_network(path)
        except NetchoiceError:
            continue
        if least <= graph.n_nodes <= most and graph.n_edges >= least:
            found[path.relative_to(folder).as_posix()] = graph
    return dict(sorted(found.items(), key=lambda item: hashlib.sha256(item[0].encode()).digest()))


def answered(name, graph, seed, out, workers):
    """Return the answer for a network with a seed; None if it cannot be compared."""
    path = Path(out) / f"{name.replace('/', '-')}-{seed}"
    try:
        return netchoice.choose_model(
            graph, seed=seed, out=path, workers=workers, on_progress=False
        )
    except NetchoiceError as error:
        print(f"{name}: {error}")
        return None


def compare(one, other):
    """Return what two answers for one network have in common."""
    first, second = ({each.name: each for each in answer.models} for answer in (one, other))
    states = [(first[name].state, second[name].state) for name in first]
    shared = [name for name in first if first[name].is_candidate and second[name].is_candidate]
    candidates = [name for name in first if first[name].is_candidate or second[name].is_candidate]
    meets = [
        first[name].interval[0] <= second[name].interval[1]
        and second[name].interval[0] <= first[name].interval[1]
        for name in shared
        if first[name].interval and second[name].interval
    ]
    chances = [
        np.array([each[name].probability or 0.0 for name in candidates]) for each in (first, second)
    ]
    families = [next(iter(answer.verdict.families), None) for answer in (one, other)]
    return {
        "contradicts": sum({*pair} == {FITS, REJECTED} for pair in states),
        "models": len(states),
        "changes": sum(a != b for a, b in states),
        "verdict": one.verdict.kind == other.verdict.kind,
        "named": one.verdict.model == other.verdict.model,
        "family": families[0] == families[1],
        "meets": meets,
        "variation": float(np.abs(chances[0] - chances[1]).sum() / 2) if candidates else None,
        "same candidates": len(shared) == len(candidates),
    }


def main():
    """Print how much the answers of each network differ."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--networks", default=NETWORKS)
    parser.add_argument("--part", choices=("tuning", "reported"), default="reported")
    parser.add_argument("--nodes", type=int, nargs=2, default=(30, 400))
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--out", default="build/seeds")
    parser.add_argument("--workers", type=int)
    report.add_json(parser)
    options = parser.parse_args()
    code = ["git", "rev-parse", "--short", "HEAD:src"]
    version = subprocess.run(code, check=True, capture_output=True, text=True).stdout.strip()
    folder = Path(options.out) / version
    found = readable(options.networks, *options.nodes)
    names = [*found][options.part == "reported" :: 2][: options.count]
    pairs, seconds = [], []
    for name in names:
        answers = [
            answered(name, found[name], seed, folder, options.workers) for seed in options.seeds
        ]
        if None in answers:
            continue
        seconds += [each.cost.simulation_seconds for each in answers]
        for one, other in itertools.combinations(answers, 2):
            pairs.append(compare(one, other))
            variation = pairs[-1]["variation"]
            print(
                f"{name} ({found[name].n_nodes} nodes, {found[name].n_edges} edges): {one.verdict.kind}"
                f"{'' if pairs[-1]['verdict'] else ' / ' + other.verdict.kind}; candidates "
                f"{', '.join(one.verdict.candidates)} / {', '.join(other.verdict.candidates)}; "
                f"variation {'-' if variation is None else f'{variation:.3f}'}; "
                f"meets {sum(pairs[-1]['meets'])} of {len(pairs[-1]['meets'])}; "
                f"contradictions {pairs[-1]['contradicts']}; "
                f"{answers[0].cost.seconds:.0f} s, {answers[0].cost.simulations} simulations",
                flush=True,
            )
    meets = [met for each in pairs for met in each["meets"]]
    variations = [each["variation"] for each in pairs if each["variation"] is not None]
    n_models = sum(each["models"] for each in pairs)
    print(f"{len(pairs)} pairs of answers, {len({*names})} networks")
    print(f"contradictions: {sum(each['contradicts'] for each in pairs)} of {n_models} models")
    print(f"states that change: {sum(each['changes'] for each in pairs)} of {n_models}")
    for key in ("verdict", "named", "family", "same candidates"):
        print(f"the same {key}: {sum(each[key] for each in pairs)} of {len(pairs)}")
    print(f"intervals meet: {sum(meets)} of {len(meets)}")
    values = {key: float(np.mean([each[key] for each in pairs])) for key in ("verdict", "family")}
    values["contradictions"] = sum(each["contradicts"] for each in pairs) / n_models
    values |= {"meet": float(np.mean(meets)), "variation": float(np.median(variations))}
    report.write(options, values | {"pairs": len(pairs), "networks": len({*names})})
    print(f"total variation: median {np.median(variations):.3f}, largest {max(variations):.3f}")


if __name__ == "__main__":
    main()
