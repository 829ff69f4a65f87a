"""Claims of the paper about pilots, and their findings."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from netchoice.reproduction.claim import PERFECT, Claim, Evidence, Finding, verdict
from netchoice.reproduction.paper_methods import FOREST_METHODS, RELIEF_METHODS
from netchoice.reproduction.pilot_run import PilotRun

#: How many times cheaper networks of 100 nodes are than networks of 1000, as the paper states.
PAPER_FACTORS = {"ba": 57, "duplication": 73}


def cost_superlinear(run: PilotRun) -> Finding:
    """Check whether the cost of a network grows with a power of n above 1."""
    exponent, low, high = (run.growth[key] for key in ("exponent", "low", "high"))
    interval = "" if low is None else f" ({low:.2f}–{high:.2f})"
    return Finding(
        verdict(low is not None and low > 1, exponent > 1),
        f"cost per network ∝ n^{exponent:.2f}{interval}, n = {run.costs['n'].min()} to "
        f"{run.costs['n'].max()}",
    )


def saving_factor(run: PilotRun, paper_factor: float) -> Finding:
    """Compare the cost of the largest network with that of the smallest."""
    rows = run.costs.sort_values("n")
    small, large = rows.iloc[0], rows.iloc[-1]
    factor = large["seconds"] / small["seconds"]
    same_sizes = (small["n"], large["n"]) == (100, 1000)
    error = factor * np.hypot(*(row["seconds_se"] / row["seconds"] for row in (small, large)))
    return Finding(
        verdict(factor >= 0.8 * paper_factor, factor >= 10),
        f"{factor:.1f} ± {2 * error:.1f} times ({large['seconds'] * 1e3:.3g} ms at {large['n']} nodes, "
        f"{small['seconds'] * 1e3:.3g} ms at {small['n']})",
        ""
        if same_sizes
        else "the sizes differ from the paper's, so the factors cannot be compared",
    )


def two_features_perfect(run: PilotRun) -> Finding:
    """Check whether two or more features are perfect for every method and pilot size."""
    cells = run.accuracy[run.accuracy["k"] >= 2]
    perfect = cells["accuracy"] >= PERFECT
    by_method = perfect.groupby(cells["method"]).mean()
    imperfect = ", ".join(f"{m} {share:.0%}" for m, share in by_method.items() if share < 1)
    lowest, lower = cells.loc[cells["accuracy"].idxmin()], cells[~perfect]
    note = f"{(lower['n_noise'] > 0).sum()} of the {len(lower)} lower cells contain noise features"
    return Finding(
        verdict(bool(perfect.all()), float(perfect.mean()) >= 0.9),
        f"{perfect.mean():.1%} of {len(cells)} cells at least {PERFECT}; lowest "
        f"{lowest['accuracy']:.3f} ({lowest['method']}, n = {lowest['n']}, k = {lowest['k']}); methods "
        f"below 100 %: {imperfect or 'none'}",
        note if len(lower) else "",
    )


def relief_poor_with_one_feature(run: PilotRun) -> Finding:
    """Check whether the ReliefF methods are inaccurate with one feature."""
    cells = run.accuracy[(run.accuracy["k"] == 1) & run.accuracy["method"].isin(RELIEF_METHODS)]
    accuracy = cells.groupby("method")["accuracy"].agg(["mean", "min", "max"])
    n_poor = (accuracy["mean"] < 0.9).sum()
    texts = [
        f"{row.Index} mean {row.mean:.3f} ({row.min:.3f}–{row.max:.3f} over sizes and repeats)"
        for row in accuracy.itertuples()
    ]
    return Finding(verdict(n_poor == 2, n_poor == 1), "; ".join(texts))


def forests_vary_with_one_feature(run: PilotRun) -> Finding:
    """Check whether accuracies of forest methods with one feature differ over sizes or repeats."""
    cells = run.accuracy[(run.accuracy["k"] == 1) & run.accuracy["method"].isin(FOREST_METHODS)]
    accuracy = cells.groupby("method")["accuracy"].agg(["min", "max"])
    n_varying = (accuracy["max"] - accuracy["min"] > 0.05).sum()
    texts = [f"{row.Index} {row.min:.3f} to {row.max:.3f}" for row in accuracy.itertuples()]
    return Finding(verdict(n_varying == len(FOREST_METHODS), n_varying > 0), "; ".join(texts))


#: Name, place in the paper, statement, criterion, and the function that judges.
_TABLE: list[tuple[str, str, str, str, Callable[..., Finding]]] = [
    ("superlinear", "section 3.2, Figure 3",
     "The cost of a network increases faster than its number of nodes",
     "The cost of all features per network, shared steps charged once, grows with a power of n "
     "whose 95 % interval lies above 1; in part: the estimate lies above 1.",
     cost_superlinear),
    ("factor", "section 3.2", "Networks of 100 nodes are {factor} times cheaper than networks of 1000",
     "At least {least:.0f} times; in part: at least 10 times.",
     saving_factor),
    ("two-features", "section 3.2",
     "With two or more features, accuracy stays at 100 % for every method",
     f"Every size, repeat, method and k ≥ 2 has an accuracy of at least {PERFECT}; in part: at "
     "least 90 % of these cells.",
     two_features_perfect),
    ("one-relieff", "section 3.2", "With one feature, the ReliefF methods are inaccurate",
     "The mean accuracy over sizes and repeats is below 0.9 for both methods; in part: for one of them.",
     relief_poor_with_one_feature),
    ("one-forests", "section 3.2", "With one feature, the accuracy of forest methods varies",
     "Accuracies differ by more than 0.05 over sizes and repeats for all four methods; in part: for "
     "some of them.",
     forests_vary_with_one_feature),
]  # fmt: skip


def _claim(
    family: str, factor: float, name: str, where: str, statement: str, criterion: str,
    find: Callable[..., Finding],
) -> Claim:  # fmt: skip
    def judge(evidence: Evidence) -> dict[str, Finding]:
        run = evidence.pilots[family]
        return {"": find(run, factor) if find is saving_factor else find(run)}

    return Claim(
        f"{family}-pilot-{name}", "pilot", where, f"{statement.format(factor=factor)} ({family}).",
        criterion.format(least=0.8 * factor), judge,
    )  # fmt: skip


CLAIMS = [_claim(family, n, *row) for family, n in PAPER_FACTORS.items() for row in _TABLE]
