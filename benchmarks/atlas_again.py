"""How far do the answers of the atlas depend on the random numbers?

    python benchmarks/atlas_again.py        # after `make atlas`, with the same folder of networks

Some real networks, drawn at random, are answered again with another seed and the current code. They are
compared with the answers in ``docs/atlas.json``. Small and large networks are drawn apart, because an answer
for a large one takes about six times as long. Nothing is expected: the shares of equal answers are reported.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import atlas_page
import numpy as np
import pandas as pd
from atlas import NETWORKS, Answerer, answer_all
from atlas_networks import LARGE, in_order, real_networks
from atlas_result import LEVEL, Entry, p_values

#: Parts of an answer that are the same or not.
PARTS = ("a model fits", "verdict", "family", "model")


def drawn(entries: list[Entry], answers: dict[str, Any], small: int, large: int) -> list[Entry]:
    """Return some networks that have an answer, and are no copies of others."""
    rng, chosen = np.random.default_rng(5), []
    for count, is_large in ((small, False), (large, True)):
        known = [each for each in entries if each.id in answers and not each.copy_of]
        known = [each for each in known if (each.size > LARGE) == is_large]
        chosen += [known[i] for i in rng.permutation(len(known))[:count]]
    return in_order(chosen)


def most_probable(probabilities: dict[str, float]) -> str:
    """Return the name with the largest probability."""
    return max(probabilities, key=lambda name: probabilities[name])


def comparison(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Return what is the same in two answers, and how far p-values differ."""
    pairs = pd.DataFrame({"before": p_values(before), "after": p_values(after)}).dropna()
    fits = pairs > LEVEL
    tested = pairs[fits.any(axis=1)]
    first = [most_probable(answer["probabilities"]) for answer in (before, after)]
    return {
        "nodes": before["nodes"],
        "large": before["nodes"] + before["edges"] > LARGE,
        "a model fits": fits["before"].any() == fits["after"].any(),
        "verdict": before["verdict"] == after["verdict"],
        "family": most_probable(before["families"]) == most_probable(after["families"]),
        "model": before["model"] == after["model"],
        "most probable": first[0] == first[1],
        "rejected": sum(p <= LEVEL for p in (pairs["before"][first[0]], pairs["after"][first[1]])),
        "before": int(fits["before"].sum()),
        "after": int(fits["after"].sum()),
        "both": int(fits.all(axis=1).sum()),
        "largest before": pairs["before"].max(),
        "largest after": pairs["after"].max(),
        "difference": (tested["before"] - tested["after"]).abs().median(),
    }


def report(table: pd.DataFrame) -> list[str]:
    """Return the comparisons, and the shares of what is the same: of all networks, and by size."""
    lines = [table.to_string(float_format=lambda value: f"{value:.3g}")]
    sizes = table["large"].map({False: "small", True: "large"})
    for size, own in [("all", table), *table.groupby(sizes)]:
        shares = [f"{part} {atlas_page.share(int(own[part].sum()), len(own))}" for part in PARTS]
        lines.append(f"the same, {size}: {', '.join(shares)}")
    for times, own in table.groupby("rejected"):
        same = f"{own['most probable'].sum()} of {len(own)}"
        lines.append(
            f"the most probable model, rejected with {times} of 2 seeds, is the same for {same}"
        )
    total = table[["before", "after", "both"]].sum()
    return [
        *lines,
        f"models not rejected: {total['before']} before, {total['after']} now, {total['both']} both",
        f"difference of their p-values, median of networks: {table['difference'].median():.2g}",
    ]


def main() -> None:
    """Answer some networks again, and print what differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--networks", type=Path, default=NETWORKS)
    parser.add_argument("--out", type=Path, default=Path("build/atlas-again"))
    parser.add_argument("--small", type=int, default=30)
    parser.add_argument("--large", type=int, default=6)
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--hours", type=float)
    given = parser.parse_args()
    if not given.networks.is_dir():
        parser.error(f"{given.networks} is no folder; name one with NETCHOICE_NETWORKS")
    answers = atlas_page.stored_answers()
    entries = drawn(real_networks(given.networks)[0], answers, given.small, given.large)
    answerer = Answerer(entries, given.out, seed=given.seed)
    answer_all(answerer, given.hours, workers=2)
    again = {each.id: record for each in entries if (record := answerer.known(each))}
    if not again:
        parser.error(f"no network of docs/atlas.json with an answer is in {given.networks}")
    rows = {name: comparison(answers[name], record) for name, record in again.items()}
    print("\n".join(report(pd.DataFrame.from_dict(rows, orient="index"))))


if __name__ == "__main__":
    main()
