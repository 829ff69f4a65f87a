"""What the paper says about pilots."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from netchoice.reproduction.claim import (
    PERFECT,
    Claim,
    Evidence,
    Finding,
    verdict,
)
from netchoice.reproduction.pilots import PilotRun
from netchoice.reproduction.scales import FAMILIES, FORESTS, RELIEFS

#: How many times cheaper networks of 100 nodes were than networks of 1000.
PAPERS_FACTOR = {"ba": 57, "duplication": 73}


def superlinear(run: PilotRun) -> Finding:
    """The power of n in the cost of a network is above 1."""
    exponent, low, high = (run.growth[key] for key in ("exponent", "low", "high"))
    sure = low is not None and low > 1
    interval = "" if low is None else f" ({low:.2f}–{high:.2f})"
    return Finding(
        verdict(sure, exponent > 1),
        f"cost per network ∝ n^{exponent:.2f}{interval}, n = {run.costs['n'].min()} to "
        f"{run.costs['n'].max()}",
    )


def saving(run: PilotRun, papers: float) -> Finding:
    """Cost of the largest network over that of the smallest."""
    rows = run.costs.sort_values("n")
    small, large = rows.iloc[0], rows.iloc[-1]
    factor = large["seconds"] / small["seconds"]
    comparable = (small["n"], large["n"]) == (100, 1000)
    error = factor * np.hypot(
        small["seconds_se"] / small["seconds"], large["seconds_se"] / large["seconds"]
    )
    return Finding(
        verdict(factor >= 0.8 * papers, factor >= 10),
        f"{factor:.1f} ± {2 * error:.1f} times ({large['seconds'] * 1e3:.3g} ms at {large['n']} nodes, "
        f"{small['seconds'] * 1e3:.3g} ms at {small['n']})",
        "" if comparable else "the sizes are not the paper's, so neither can the factor be",
    )


def two_are_enough(run: PilotRun) -> Finding:
    """With two features or more, accuracy at the target is perfect for every method and size."""
    cells = run.accuracy[run.accuracy["k"] >= 2]
    fine = cells["accuracy"] >= PERFECT
    by_method = cells.assign(fine=fine).groupby("method")["fine"].mean()
    worst = cells.loc[cells["accuracy"].idxmin()]
    missed = cells[~fine]
    why = (
        f"{int((missed['n_noise'] > 0).sum())} of the {len(missed)} cells below hold noise features"
        if len(missed)
        else ""
    )
    return Finding(
        verdict(bool(fine.all()), float(fine.mean()) >= 0.9),
        f"{fine.mean():.1%} of {len(cells)} cells at least {PERFECT}; lowest {worst['accuracy']:.3f} "
        f"({worst['method']}, n = {worst['n']}, k = {worst['k']}); methods below 100 %: "
        + (", ".join(f"{m} {v:.0%}" for m, v in by_method.items() if v < 1) or "none"),
        why,
    )


def one_poor_for_relief(run: PilotRun) -> Finding:
    """With one feature, ReliefF's accuracy is poor."""
    cells = run.accuracy[(run.accuracy["k"] == 1) & run.accuracy["method"].isin(RELIEFS)]
    told = cells.groupby("method")["accuracy"].agg(["mean", "min", "max"])
    poor = (told["mean"] < 0.9).sum()
    return Finding(
        verdict(poor == 2, poor == 1),
        "; ".join(
            f"{method} mean {row['mean']:.3f} ({row['min']:.3f}–{row['max']:.3f} over sizes and repeats)"
            for method, row in told.iterrows()
        ),
    )


def one_varies_for_forests(run: PilotRun) -> Finding:
    """With one feature, accuracies of forests differ between repeats or sizes."""
    cells = run.accuracy[(run.accuracy["k"] == 1) & run.accuracy["method"].isin(FORESTS)]
    told = cells.groupby("method")["accuracy"].agg(["min", "max"])
    varying = (told["max"] - told["min"] > 0.05).sum()
    return Finding(
        verdict(varying == len(FORESTS), varying > 0),
        "; ".join(
            f"{method} {row['min']:.3f} to {row['max']:.3f}" for method, row in told.iterrows()
        ),
    )


def _of(
    family: str, judge: Callable[[PilotRun], Finding]
) -> Callable[[Evidence], dict[str, Finding]]:
    return lambda evidence: {"": judge(evidence.pilots[family])}


def _saving_of(family: str) -> Callable[[PilotRun], Finding]:
    return lambda run: saving(run, PAPERS_FACTOR[family])


CLAIMS = [
    claim
    for family in FAMILIES
    for claim in (
        Claim(
            f"{family}-pilot-superlinear", "pilot", "section 3.2, Figure 3",
            f"The cost of a network grows faster than its number of nodes ({family}).",
            "Power of n, all features, steps paid once: 95 % interval above 1; in part: estimate "
            "above 1.",
            _of(family, superlinear),
        ),
        Claim(
            f"{family}-pilot-factor", "pilot", "section 3.2",
            f"Networks of 100 nodes are {PAPERS_FACTOR[family]} times cheaper than of 1000 ({family}).",
            f"At least {0.8 * PAPERS_FACTOR[family]:.0f} times; in part: 10 times.",
            _of(family, _saving_of(family)),
        ),
        Claim(
            f"{family}-pilot-two-features", "pilot", "section 3.2",
            f"With two or more features accuracy stays at 100 % for every method ({family}).",
            f"Every size, repeat, method and k ≥ 2 at least {PERFECT}; in part: nine in ten.",
            _of(family, two_are_enough),
        ),
        Claim(
            f"{family}-pilot-one-relieff", "pilot", "section 3.2",
            f"With one feature ReliefF methods do poorly ({family}).",
            "Mean accuracy over sizes and repeats below 0.9 for both; in part: for one.",
            _of(family, one_poor_for_relief),
        ),
        Claim(
            f"{family}-pilot-one-forests", "pilot", "section 3.2",
            f"With one feature forest methods vary ({family}).",
            "Accuracies of all four differ by more than 0.05 over sizes and repeats; in part: of some.",
            _of(family, one_varies_for_forests),
        ),
    )
]  # fmt: skip
