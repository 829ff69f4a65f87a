"""What the paper says about its two model spaces."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.evaluation import operating_point
from netchoice.reproduction.judging import (
    FAILS,
    HOLDS,
    LARGE,
    PERFECT,
    Claim,
    Finding,
    cell,
    first_noise,
    once,
    under_prices,
    verdict,
    with_interval,
)
from netchoice.reproduction.prices import Setting
from netchoice.reproduction.scales import FORESTS, INFORMATION, NINE, RELIEFS
from netchoice.reproduction.spaces import FEW, SpaceRun

if TYPE_CHECKING:
    import pandas as pd


def perfect_everywhere(cells: pd.DataFrame, n_rows: int) -> Finding:
    """All cells, or nearly all, round to 1."""
    fine = cells["accuracy"] >= PERFECT
    worst = cells.loc[cells["accuracy"].idxmin()]
    missed = cells[~fine]
    only_noise = int((missed["n_noise"] == missed["k"]).sum())
    why = (
        ""
        if not len(missed)
        else f"of the {len(missed)} cells below, {int((missed['n_noise'] > 0).sum())} hold noise "
        f"features and {only_noise} nothing else; the lowest has {', '.join(worst['features'][:5])}"
    )
    return Finding(
        verdict(bool(fine.all()), float(fine.mean()) >= 0.9),
        f"{int(fine.sum())} of {len(cells)} cells at least {PERFECT}; lowest "
        f"{with_interval(worst['accuracy'], n_rows)} ({cell(worst)})",
        why,
    )


def information_perfect(run: SpaceRun, setting: Setting) -> Finding:
    """Of the three information methods, every cell."""
    cells = run.evaluation(setting)
    return perfect_everywhere(cells[cells["method"].isin(INFORMATION)], len(run.test))


def cheap_without_loss(run: SpaceRun, setting: Setting) -> Finding:
    """The cheapest set that is as good as the best, chosen on half of the rows."""
    point = operating_point(run.evaluation(setting), charge=setting.charge)
    factor = 1 / point.share if setting.charge == "alone" else point.speedup
    all_of_them = float(run.whole()["accuracy"].iloc[0])
    lossless = point.interval[1] >= min(PERFECT, point.best_accuracy)
    return Finding(
        verdict(lossless and factor >= 100, lossless and factor >= 10),
        f"{factor:,.0f} times cheaper with {', '.join(point.features)}: accuracy "
        f"{point.accuracy:.4f} ({point.interval[0]:.4f}–{point.interval[1]:.4g}) on rows that had no "
        f"part in the choice; best set {point.best_accuracy:.4f}, all features {all_of_them:.4f}",
    )


def noise_at_large_penalty(run: SpaceRun, setting: Setting) -> Finding:
    """Noise among the first five at the largest penalty of the grid, and not without penalty."""
    first = first_noise(run.rankings(setting)).unstack("method")
    at_zero, at_last = first.iloc[0], first.loc[run.scale.penalties[-1]]
    noisy = [method for method in NINE if at_last[method] <= FEW]
    earlier = [method for method in NINE if at_last[method] < at_zero[method]]
    return Finding(
        verdict(len(noisy) == len(NINE), len(noisy) > len(NINE) / 2),
        f"noise among the first {FEW} at λ = {run.scale.penalties[-1]:g} in {len(noisy)} of "
        f"{len(NINE)} methods; earlier than at λ = 0 in {len(earlier)}",
        "" if len(noisy) == len(NINE) else f"not in {', '.join(sorted(set(NINE) - set(noisy)))}",
    )


def mrmr_noise_earlier(run: SpaceRun, setting: Setting) -> Finding:
    """The first noise feature of mRMR comes before that of every other method."""
    first = first_noise(run.rankings(setting)).unstack("method")
    at_zero, mean = first.iloc[0], first.mean()
    others = [method for method in NINE if method != "mrmr"]
    now = bool(at_zero["mrmr"] < at_zero[others].min())
    overall = bool(mean["mrmr"] < mean[others].min())
    return Finding(
        verdict(now and overall, now or overall),
        f"first noise at λ = 0: mRMR {at_zero['mrmr']}, others {at_zero[others].min()} to "
        f"{at_zero[others].max()}; mean over λ: mRMR {mean['mrmr']:.1f}, others "
        f"{mean[others].min():.1f} ({mean[others].idxmin()}) to {mean[others].max():.1f}",
    )


def mrmr_noise_second(run: SpaceRun, setting: Setting) -> Finding:
    """MRMR's second feature is noise, its first is not."""
    first = first_noise(run.rankings(setting))["mrmr"]
    low = first[first.index <= 1]
    second = low == 2
    return Finding(
        verdict(bool(second.iloc[0]) and float(second.mean()) >= 0.5, bool(second.any())),
        f"at {int(second.sum())} of the {len(low)} penalties up to 1 the second feature is noise; "
        f"first noise at λ = 0 is number {low.iloc[0]}",
    )


def forests_fine(run: SpaceRun, setting: Setting) -> Finding:
    """Forest methods are perfect below very large penalties, and not there."""
    cells = run.evaluation(setting)
    cells = cells[cells["method"].isin(FORESTS)]
    moderate = perfect_everywhere(cells[cells["penalty"] < LARGE], len(run.test))
    lowest = float(cells.loc[cells["penalty"] >= LARGE, "accuracy"].min())
    falls = lowest < PERFECT
    return Finding(
        verdict(moderate.verdict == HOLDS and falls, moderate.verdict != FAILS),
        f"λ below {LARGE}: {moderate.figure}; lowest from there on {lowest:.3f}",
        moderate.why,
    )


def forests_fall_by_noise(run: SpaceRun, setting: Setting) -> Finding:
    """Where the penalised forest is not perfect, most of its features are noise."""
    cells = run.evaluation(setting)
    poor = cells[(cells["method"] == "penalized-mda") & (cells["accuracy"] < PERFECT)]
    if not len(poor):
        return Finding(FAILS, "no cell of penalized-mda is below perfect, so nothing falls")
    noisy = float((poor["n_noise"] >= poor["k"] / 2).mean())
    return Finding(
        verdict(noisy >= 0.9, noisy >= 0.5),
        f"in {noisy:.0%} of the {len(poor)} cells below {PERFECT}, half of the features or more are "
        "noise",
    )


def forests_vary(run: SpaceRun) -> Finding:
    """The first five features of the same method on the same table, over seeds."""
    frame = run.runs().query("penalty == 0")
    told, spread = [], []
    for method in FORESTS:
        own = frame[frame["method"] == method]
        sets = [set(names) for names in own.loc[own["k"] == FEW, "features"]]
        pairs = [len(a & b) / len(a | b) for a, b in combinations(sets, 2)]
        told.append(float(np.mean(pairs)))
        one = own.loc[own["k"] == 1, "accuracy"]
        spread.append(f"{method} {np.mean(pairs):.2f} ({one.min():.3f} to {one.max():.3f})")
    varying = sum(value < 1 for value in told)
    return Finding(
        verdict(varying == len(FORESTS), varying > 0),
        f"agreement of the first {FEW} over {run.scale.runs} runs (1: always the same), and accuracy "
        f"of the first alone: {'; '.join(spread)}",
    )


def relief_one_poor(run: SpaceRun, setting: Setting) -> Finding:
    """The first feature of both ReliefF methods is the three-core, and it is poor."""
    cells = run.evaluation(setting).query("penalty == 0 and k == 1").set_index("method")
    rows = {method: cells.loc[method] for method in RELIEFS}
    poor = [
        method
        for method, row in rows.items()
        if row["accuracy"] <= 0.6 and row["features"] == ("core_3_size",)
    ]
    told = [
        f"{method}: {row['features'][0]} {with_interval(row['accuracy'], len(run.test))}"
        for method, row in rows.items()
    ]
    return Finding(verdict(len(poor) == 2, len(poor) == 1), "; ".join(told))


def relief_more_fine(run: SpaceRun, setting: Setting) -> Finding:
    """With three features or more, ReliefF is perfect below very large penalties."""
    cells = run.evaluation(setting)
    some = cells["method"].isin(RELIEFS) & (cells["k"] >= 3) & (cells["penalty"] < LARGE)
    return perfect_everywhere(cells[some], len(run.test))


def relief_improves(run: SpaceRun, setting: Setting) -> Finding:
    """With one feature, accuracy grows with the penalty as a cheaper feature comes first."""
    cells = run.evaluation(setting).query("k == 1")
    told, better = [], []
    for method in RELIEFS:
        own = cells[cells["method"] == method].sort_values("penalty")
        start, best = own.iloc[0], own.loc[own["accuracy"].idxmax()]
        improves = best["accuracy"] >= start["accuracy"] + 0.1
        better.append(bool(improves and best["price_alone"] < start["price_alone"]))
        told.append(
            f"{method}: {start['accuracy']:.3f} ({start['features'][0]}) at λ = 0, "
            f"{best['accuracy']:.3f} ({best['features'][0]}) at λ = {best['penalty']:g}"
        )
    return Finding(verdict(all(better), any(better)), "; ".join(told))


def machine_lower(run: SpaceRun) -> Finding:
    """The support vector machine is never better than the neighbours, and mostly worse."""
    cells = run.machine()
    difference = cells["accuracy"] - cells["knn"]
    never, mostly = bool((difference <= 0).all()), float((difference < 0).mean())
    best = cells.loc[difference.idxmax()]
    return Finding(
        verdict(never and mostly >= 0.5, float(difference.mean()) < 0),
        f"lower in {int((difference < 0).sum())}, equal in {int((difference == 0).sum())}, higher in "
        f"{int((difference > 0).sum())} of {len(cells)} cells; mean difference "
        f"{difference.mean():+.5f}, from {difference.min():+.4f} to {difference.max():+.4f}",
        f"highest gain: {cell(best)}" if difference.max() > 0 else "",
    )


def slope(accuracies: pd.Series) -> dict[str, Any]:
    """Where accuracy, by penalty, falls: from 10 % to 90 % of the way down.

    >>> import pandas as pd
    >>> found = slope(pd.Series([1, 1, 0.5, 0.5], index=[0, 1, 2, 4.0]))
    >>> found["begins"], found["ends"], found["drop"]
    (1.0, 2.0, 0.5)
    """
    ordered = accuracies.sort_index()
    top, floor = float(ordered.iloc[0]), float(ordered.iloc[-1])
    drop = top - floor
    still_up = (ordered >= top - 0.1 * drop).cummin()
    begins = float(ordered.index[still_up].max())
    down = ordered.index[(ordered <= floor + 0.1 * drop) & (ordered.index > begins)]
    ends = float(down.min()) if len(down) else float("inf")
    between = int(((ordered.index >= begins) & (ordered.index <= ends)).sum())
    return {"top": top, "drop": drop, "begins": begins, "ends": ends, "points": between}


def sharp_transition(run: SpaceRun, setting: Setting) -> Finding:
    """Accuracy with five features falls within a factor of four of λ, for every method."""
    fine, coarse = run.transition(setting), run.evaluation(setting).query(f"k == {FEW}")
    told, sharp, perfect = [], 0, 0
    for method in NINE:
        frame = fine if method in set(fine["method"]) else coarse
        own = frame[frame["method"] == method].set_index("penalty")["accuracy"]
        found = slope(own)
        perfect += found["top"] >= PERFECT
        width = found["ends"] / found["begins"] if found["begins"] > 0 else np.inf
        if found["drop"] < 0.05:
            told.append(f"{method} none")
            continue
        sharp += width <= 4
        told.append(f"{method} λ = {found['begins']:.3g} to {found['ends']:.3g}")
    return Finding(
        verdict(sharp == len(NINE) and perfect == len(NINE), sharp > len(NINE) / 2),
        f"sharp in {sharp} of {len(NINE)} methods, perfect before it in {perfect}: "
        + "; ".join(told),
    )


def penalty_saves(run: SpaceRun, setting: Setting) -> Finding:
    """Every method has a penalty at which a set as long costs half or less, and is as good."""
    cells = run.evaluation(setting)
    price = f"price_{setting.charge}"
    told, saving = [], 0
    for method in NINE:
        own = cells[cells["method"] == method]
        start = own[own["penalty"] == 0].set_index("k")
        before = own["k"].map(start[price])
        good = own["accuracy"] >= np.minimum(own["k"].map(start["accuracy"]), PERFECT)
        factor = (before / own[price]).where(good & (own["penalty"] > 0)).max()
        saving += bool(factor >= 2)
        told.append(f"{method} {factor:,.0f}" if factor >= 10 else f"{method} {factor:.1f}")
    return Finding(
        verdict(saving == len(NINE), saving > len(NINE) / 2),
        f"{saving} of {len(NINE)} methods; largest saving at equal k and no loss, times: "
        + ", ".join(told),
    )


def clustering_falls(run: SpaceRun, setting: Setting) -> Finding:
    """Transitivity and mean clustering are among the first ten at λ = 0 and far behind at the end."""
    rankings = run.rankings(setting)
    names = ["transitivity", "clustering_mean"]
    some = rankings[rankings["feature"].isin(names)]
    best = some.groupby(["method", "penalty"])["position"].min().unstack("penalty")
    start, end = best[0.0], best[best.columns.max()]
    high, fallen = start <= 10, end > 15
    both = int((high & fallen).sum())
    return Finding(
        verdict(both == len(NINE), both > len(NINE) / 2),
        f"first of the two among the first ten at λ = 0 in {int(high.sum())} of {len(NINE)} methods, "
        f"beyond the 15th at the largest λ in {int(fallen.sum())}, both in {both}: places "
        + ", ".join(f"{method} {start[method]}→{end[method]}" for method in NINE),
    )


def weighted_alike(run: SpaceRun, setting: Setting) -> Finding:
    """The two weighted forests have heat maps that look alike."""
    cells = run.evaluation(setting).set_index(["penalty", "k"])
    mdi, mda = (
        cells.loc[cells["method"] == f"weighted-{which}", "accuracy"] for which in ("mdi", "mda")
    )
    difference = (mdi - mda).abs()
    return Finding(
        verdict(float(difference.mean()) <= 0.02, float(difference.mean()) <= 0.05),
        f"mean difference in accuracy {difference.mean():.4f}, largest {difference.max():.3f}",
    )


def prices_span(run: SpaceRun, setting: Setting) -> Finding:
    """Dearest over cheapest feature, noise left out."""
    prices = {n: p for n, p in run.costs(setting).prices().items() if not n.startswith("noise_")}
    dear, cheap = max(prices, key=prices.__getitem__), min(prices, key=prices.__getitem__)
    ratio = prices[dear] / prices[cheap]
    return Finding(
        verdict(ratio >= 1000, ratio >= 100),
        f"{dear} costs {ratio:,.0f} times as much as {cheap}",
    )


_BA, _DUPLICATION = "section 3.1.1", "section 3.1.2"
_EACH = {"ba": _BA, "duplication": _DUPLICATION}

CLAIMS = [
    Claim(
        "ba-information-perfect", "ba", f"{_BA}, Figures 1a, 1b, S1a",
        "JMI, JMIM and mRMR classify perfectly for every λ and k.",
        f"Every cell of the three at least {PERFECT}; in part: nine in ten.",
        under_prices("ba", information_perfect),
    ),
    *(
        Claim(
            f"{family}-two-orders", family, f"abstract, {_EACH[family]}",
            "Cost is cut by more than two orders of magnitude without loss of accuracy.",
            "The cheapest set within the 95 % interval of the best, chosen on half of the test rows, "
            f"costs 1/100 of all features and on the other half its interval reaches {PERFECT} or the "
            "best set's accuracy; in part: 1/10.",
            under_prices(family, cheap_without_loss),
        )
        for family in _EACH
    ),
    Claim(
        "ba-noise-at-large-penalty", "ba", _BA,
        "Large λ brings in cheap noise features.",
        f"Noise among the first {FEW} at the grid's largest λ in all nine methods; in part: in most.",
        under_prices("ba", noise_at_large_penalty),
    ),
    Claim(
        "ba-mrmr-noise-earlier", "ba", f"{_BA}, Figure 1b",
        "mRMR takes noise features earlier than the other methods.",
        "Its first noise feature comes before that of every other method at λ = 0, and in the mean "
        "over λ; in part: one of the two.",
        under_prices("ba", mrmr_noise_earlier),
    ),
    Claim(
        "duplication-mrmr-noise-second", "duplication", f"{_DUPLICATION}, Figure 2b",
        "mRMR takes noise right after a single informative feature.",
        "Its second feature is noise and its first is not, at λ = 0 and for at least half of the "
        "penalties up to 1; in part: for any of them.",
        under_prices("duplication", mrmr_noise_second),
    ),
    *(
        Claim(
            f"{family}-forests-vary", family, _BA,
            "Rankings by forests vary between runs.",
            f"The first {FEW} features differ between runs on the same table for all four forest "
            "methods at λ = 0; in part: for some.",
            once(family, forests_vary),
        )
        for family in _EACH
    ),
    Claim(
        "ba-forests-fine", "ba", f"{_BA}, Figures 1d, S1c, S1d",
        "Forest methods do well except at very large λ.",
        f"Every cell of the four with λ < {LARGE} at least {PERFECT}, and some beyond below it; in "
        "part: nine in ten of the former, or no fall.",
        under_prices("ba", forests_fine),
    ),
    Claim(
        "ba-forests-fall-by-noise", "ba", f"{_BA}, Figure 1d",
        "Their accuracy falls there because many noise features come in.",
        f"In nine of ten cells of penalized-mda below {PERFECT}, at least half of the features are "
        "noise; in part: in half of them.",
        under_prices("ba", forests_fall_by_noise),
    ),
    Claim(
        "ba-relieff-one-poor", "ba", f"{_BA}, Figure 1c",
        "ReliefF with one feature is poor: it takes the size of the three-core first.",
        "For both ReliefF methods at λ = 0, k = 1: core_3_size, accuracy at most 0.6; in part: for "
        "one of them.",
        under_prices("ba", relief_one_poor),
    ),
    Claim(
        "ba-relieff-more-fine", "ba", f"{_BA}, Figure 1c",
        "ReliefF does well with more than two features.",
        f"Every cell of both with k ≥ 3 and λ < {LARGE} at least {PERFECT}; in part: nine in ten.",
        under_prices("ba", relief_more_fine),
    ),
    Claim(
        "ba-relieff-improves", "ba", f"{_BA}, Figure 1c",
        "Its accuracy with one feature grows with λ as cheaper, better features replace the three-core.",
        "For both, some λ > 0 gives an accuracy higher by 0.1 or more with a cheaper feature; in part: "
        "for one.",
        under_prices("ba", relief_improves),
    ),
    *(
        Claim(
            f"{family}-svm-lower", family, _BA,
            "A support vector machine has lower accuracy throughout.",
            "Never higher than the neighbours', and lower in at least half of the cells looked at; in "
            "part: lower in the mean.",
            once(family, machine_lower),
        )
        for family in _EACH
    ),
    Claim(
        "duplication-transition", "duplication", f"{_DUPLICATION}, Figure 2",
        "Every method is perfect below a threshold in λ and falls sharply there.",
        f"With {FEW} features: at least {PERFECT} at λ = 0, and from 10 % to 90 % of a fall of at least "
        "0.05 within a factor of four of λ, for all nine; in part: for most.",
        under_prices("duplication", sharp_transition),
    ),
    *(
        Claim(
            f"{family}-penalty-saves", family, f"{_DUPLICATION}, last paragraph",
            "For every method a λ exists that saves much cost without loss.",
            "At equal k, half of the price at λ = 0 or less, and an accuracy not below that at λ = 0 or "
            f"{PERFECT}, for all nine; in part: for most.",
            under_prices(family, penalty_saves),
        )
        for family in _EACH
    ),
    Claim(
        "duplication-clustering-falls", "duplication", _DUPLICATION,
        "Clustering features are highly informative but are not ranked highly at large λ.",
        "The better of transitivity and clustering_mean is among the first ten at λ = 0 and beyond the "
        "15th place at the largest λ, in all nine methods; in part: in most.",
        under_prices("duplication", clustering_falls),
    ),
    *(
        Claim(
            f"{family}-weighted-alike", family, "captions of Figures S1, S2",
            "Weighted forests by impurity behave like those by accuracy.",
            "Mean difference in accuracy over all cells at most 0.02; in part: 0.05.",
            under_prices(family, weighted_alike),
        )
        for family in _EACH
    ),
    *(
        Claim(
            f"{family}-prices-span", family, "abstract, Table S1",
            "Prices of features span several orders of magnitude.",
            "Dearest over cheapest, noise left out, at least 1000; in part: 100.",
            under_prices(family, prices_span),
        )
        for family in _EACH
    ),
]  # fmt: skip
