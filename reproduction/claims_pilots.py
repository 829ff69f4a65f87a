"""Claims of the paper about pilots, and their findings."""

from __future__ import annotations

from collections.abc import Callable

from reproduction.pilots import PilotRun
from reproduction.settings import FOREST_METHODS, RELIEF_METHODS
from reproduction.verdict import IMPLEMENTATION, METHOD, PERFECT, Claim, Evidence, Finding

#: How many times cheaper networks of 100 nodes are than networks of 1000, as the paper states.
PAPER_FACTORS = {"ba": 57, "duplication": 73}


def cost_superlinear(run: PilotRun) -> Finding:
    """Check whether the cost of a network grows with a power of n above 1."""
    exponent, low, high = (run.growth[key] for key in ("exponent", "low", "high"))
    values = {"power of n": exponent}
    if low is not None:
        values |= {
            "95 % interval of the power: lower end": low,
            "95 % interval of the power: upper end": high,
        }
    return Finding(low is not None and low > 1, values)


def saving_factor(run: PilotRun, paper_factor: float) -> Finding:
    """Compare the cost of the largest network with that of the smallest."""
    rows = run.costs.sort_values("n")
    small, large = rows.iloc[0], rows.iloc[-1]
    factor = float(large["seconds"] / small["seconds"])
    values = {"times cheaper": factor} | {
        f"milliseconds per network: {row['n']} nodes": 1e3 * float(row["seconds"])
        for row in (small, large)
    }
    if (small["n"], large["n"]) != (100, 1000):
        return Finding(
            None, values, "not the paper's sizes, so that the factors cannot be compared"
        )
    return Finding(factor >= 0.8 * paper_factor, values)


def two_features_perfect(run: PilotRun) -> Finding:
    """Check whether two or more features are perfect for every method and pilot size."""
    cells = run.accuracy[run.accuracy["k"] >= 2]
    lower, lowest = cells[cells["accuracy"] < PERFECT], cells.loc[cells["accuracy"].idxmin()]
    by_method = lower["method"].value_counts(sort=False)
    values = {
        "cells": len(cells),
        f"cells below {PERFECT:g}": len(lower),
        "such cells with noise features": int((lower["n_noise"] > 0).sum()),
        "lowest accuracy": float(lowest["accuracy"]),
    }
    text = ", ".join(f"{method} {count}" for method, count in by_method.items())
    return Finding(not len(lower), values, f"lower cells: {text}" if text else "")


def relief_poor_with_one_feature(run: PilotRun) -> Finding:
    """Check whether the ReliefF methods are inaccurate with one feature."""
    cells = run.accuracy[(run.accuracy["k"] == 1) & run.accuracy["method"].isin(RELIEF_METHODS)]
    means = cells.groupby("method")["accuracy"].mean()
    values = {f"mean accuracy over sizes: {method}": float(mean) for method, mean in means.items()}
    return Finding(bool((means < 0.9).all()), values)


def forests_vary_with_one_feature(run: PilotRun) -> Finding:
    """Check whether accuracies of forest methods with one feature differ over sizes."""
    cells = run.accuracy[(run.accuracy["k"] == 1) & run.accuracy["method"].isin(FOREST_METHODS)]
    spread = cells.groupby("method")["accuracy"].agg(lambda each: float(each.max() - each.min()))
    values = {f"range of accuracy over sizes: {m}": float(each) for m, each in spread.items()}
    return Finding(bool((spread > 0.05).all()), values)


#: Name, place in the paper, statement, criterion, and the function that judges.
_TABLE: list[tuple[str, str, str, str, Callable[..., Finding]]] = [
    ("superlinear", "section 3.2, Figure 3",
     "The cost of a network increases faster than its number of nodes",
     "The cost of all features per network, shared steps charged once, grows with a power of n "
     "whose 95 % interval lies above 1.",
     cost_superlinear),
    ("factor", "section 3.2", "Networks of 100 nodes are {factor} times cheaper than networks of 1000",
     "At least {least:.0f} times.",
     saving_factor),
    ("two-features", "section 3.2",
     "With two or more features, accuracy stays at 100 % for every method",
     f"Every size, method and k ≥ 2 has an accuracy of at least {PERFECT}.",
     two_features_perfect),
    ("one-relieff", "section 3.2", "With one feature, the ReliefF methods are inaccurate",
     "The mean accuracy over sizes is below 0.9 for both methods.",
     relief_poor_with_one_feature),
    ("one-forests", "section 3.2", "With one feature, the accuracy of forest methods varies",
     "Accuracies differ by more than 0.05 over sizes for all four methods.",
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
        IMPLEMENTATION if find in (cost_superlinear, saving_factor) else METHOD,
    )  # fmt: skip


CLAIMS = [_claim(family, n, *row) for family, n in PAPER_FACTORS.items() for row in _TABLE]
