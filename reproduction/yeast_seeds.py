"""Answers for the three yeast networks with several seeds, ``python -m reproduction.yeast_seeds``.

``netchoice choose`` runs with default settings for every network and seed, into the folder ``--out``; a run
that is complete there is not repeated. The printed table has, for each network, how often each verdict and
each nearest model came out, the probability of dmr with its interval for every seed, and the share of pairs
of seeds whose intervals overlap.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import netchoice
from reproduction.yeast import NETWORKS, load


def answer(name: str, seed: int, out: Path) -> dict[str, Any]:
    """Return the record of one run."""
    folder = out / f"{name}-{seed}"
    if not (folder / "choice.json").exists():
        netchoice.choose_model(load(name), seed=seed, path=folder)
    record: dict[str, Any] = json.loads((folder / "choice.json").read_text())
    return record


def counts(values: list[str]) -> str:
    """Return how often each value occurs, most frequent first."""
    return ", ".join(f"{value} {n}" for value, n in Counter(values).most_common())


def measure(name: str, seeds: list[int], out: Path) -> None:
    """Print the answers for one network."""
    records = [answer(name, seed, out) for seed in seeds]
    intervals = [record["intervals"]["dmr"] for record in records]
    pairs = list(itertools.combinations(intervals, 2))
    overlap = sum(a[0] <= b[1] and b[0] <= a[1] for a, b in pairs) / max(1, len(pairs))
    print(f"\n{name}")
    print("verdicts:", counts([record["verdict"] for record in records]))
    print("nearest:", counts([record["model"] for record in records]))
    print("P(dmr):", "; ".join(
        f"{record['probabilities']['dmr']:.3f} ({low:.3f}-{high:.3f})"
        for record, (low, high) in zip(records, intervals, strict=True)
    ))  # fmt: skip
    print(f"intervals overlap in {overlap:.3f} of {len(pairs)} pairs")
    features = [feature for record in records for feature in record["features"]]
    print("selected features:", counts(features))
    for model in ("dmc", "dmr"):
        labels = [
            f"{each['direction']} {each['label']}"
            for record in records
            for each in record["misfit"][model]["discrepancies"]
        ]
        print(f"differs from {model}:", counts(labels))
    print("power:", [[round(p["share"], 2) for p in record["fit"]["power"]] for record in records])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("build/yeast"))
    parser.add_argument("--seeds", type=int, default=10, help="number of seeds")
    arguments = parser.parse_args()
    for network in NETWORKS:
        measure(network, list(range(1, arguments.seeds + 1)), arguments.out)
