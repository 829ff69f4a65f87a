"""Answers for the three yeast networks with several seeds, ``python -m reproduction.yeast_seeds``.

``netchoice choose`` compares each network with the duplication models, with each seed, into the folder
``--out``; a run that is complete there is not repeated. The printed table has, for each network, how
often each verdict and each nearest model came out, what was said about each model, and how the network
differs from it.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import netchoice
from netchoice.choice import ModelAnswer
from reproduction.yeast import NETWORKS, load


def counts(values: Iterable[str]) -> str:
    """Return how often each value occurs, most frequent first."""
    return ", ".join(f"{value} {n}" for value, n in Counter(values).most_common())


def verdict_on(model: ModelAnswer) -> str:
    """Return what an answer says about one model."""
    parts = [model.state]
    if model.p_value is not None:
        parts.append(f"p = {model.p_value:.3g}")
    if model.interval is not None:
        low, high = model.interval
        parts.append(f"probability {model.probability:.3f} ({low:.3f} to {high:.3f})")
    return ", ".join(parts)


def measure(name: str, seeds: Iterable[int], out: Path) -> None:
    """Print the answers for one network."""
    answers = [
        netchoice.choose_model(load(name), "duplication", seed=seed, out=out / f"{name}-{seed}")
        for seed in seeds
    ]
    print(f"\n{name}")
    print("verdicts:", counts(answer.verdict.kind for answer in answers))
    nearest = (min(answer.models, key=lambda model: model.remoteness) for answer in answers)
    print("nearest:", counts(model.name for model in nearest))
    for model in ("dmc", "dmr"):
        found = [answer[model] for answer in answers]
        print(f"{model}:", "; ".join(map(verdict_on, found)))
        all_discrepancies = (each for one in found for each in one.discrepancies)
        print(
            f"differs from {model}:", counts(f"{d.direction} {d.label}" for d in all_discrepancies)
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("build/yeast"))
    parser.add_argument("--seeds", type=int, default=10, help="number of seeds")
    arguments = parser.parse_args()
    for network in NETWORKS:
        measure(network, range(1, arguments.seeds + 1), arguments.out)
