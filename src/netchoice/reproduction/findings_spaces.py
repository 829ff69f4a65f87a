"""How the claims about the two model spaces fare."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.evaluation import operating_point
from netchoice.reproduction.claim import (
    FAILS,
    HOLDS,
    LARGE,
    PERFECT,
    Finding,
    cell,
    first_noise,
    verdict,
    with_interval,
)
from netchoice.reproduction.costs import Setting
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
    """Noise among the first five at the largest penalty of the paper's grid."""
    first = first_noise(run.rankings(setting)).unstack("method")
    at_zero, at_last = first.iloc[0], first.loc[run.scale.penalties[-1]]
    noisy = [method for method in NINE if at_last[method] <= FEW]
    earlier = [method for method in NINE if at_last[method] < at_zero[method]]
    most = max(run.scale.ks)
    shown = [method for method in NINE if first.iloc[-1][method] <= most]
    costs = run.costs(setting).alone()
    noise = min(cost for name, cost in costs.items() if name.startswith("noise_"))
    cheaper = sum(p < noise for name, p in costs.items() if not name.startswith("noise_"))
    return Finding(
        verdict(len(noisy) == len(NINE), len(noisy) > len(NINE) / 2),
        f"noise among the first {FEW} at λ = {run.scale.penalties[-1]:g} in {len(noisy)} of "
        f"{len(NINE)} methods, earlier than at λ = 0 in {len(earlier)}; among the first {most} at "
        f"λ = {first.index[-1]:g} in {len(shown)}",
        f"{cheaper} features are cheaper than any noise feature under these costs",
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
    below = cells[cells["penalty"] < LARGE]
    moderate = perfect_everywhere(below, len(run.test))
    penalised = below["method"].str.startswith("penalized")
    told = [
        f"{name} {int((below.loc[which, 'accuracy'] >= PERFECT).sum())} of {int(which.sum())}"
        for name, which in (("penalised", penalised), ("weighted", ~penalised))
    ]
    lowest = float(cells.loc[cells["penalty"] >= LARGE, "accuracy"].min())
    falls = lowest < PERFECT
    return Finding(
        verdict(moderate.verdict == HOLDS and falls, moderate.verdict != FAILS),
        f"λ below {LARGE}: {moderate.figure}; {', '.join(told)}; lowest from there on {lowest:.3f}",
        moderate.why,
    )


def forests_fall_by_noise(run: SpaceRun, setting: Setting) -> Finding:
    """Where the penalised forest is not perfect, most of its features are noise."""
    cells = run.evaluation(setting)
    imperfect = cells[cells["accuracy"] < PERFECT]
    poor = imperfect[imperfect["method"] == "penalized-mda"]
    if not len(poor):
        weighted = imperfect[imperfect["method"].str.startswith("weighted")]
        most_noise = int((weighted["n_noise"] >= weighted["k"] / 2).sum())
        return Finding(
            FAILS,
            "0 cells of penalized-mda are below perfect, so nothing falls",
            f"weighted forests do fall: {len(weighted)} cells, in {most_noise} of which half of the "
            "features or more are noise",
        )
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
        better.append(bool(improves and best["cost_alone"] < start["cost_alone"]))
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
        f"highest gain: {cell(best)}"
        if difference.max() > 0
        else "both are perfect in every cell looked at"
        if cells["accuracy"].min() == 1
        else "",
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
    told, sharp, perfect, first_falls = [], 0, 0, []
    for method in NINE:
        frame = fine if method in set(fine["method"]) else coarse
        own = frame[frame["method"] == method].set_index("penalty")["accuracy"]
        found = slope(own)
        first_falls.append(f"{method} {_first_fall(own)}")
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
        "looked at after the first run: the first fall by more than 0.02 comes between neighbouring "
        f"penalties, {'; '.join(first_falls)}; what follows is slow. Weighted forests are on the "
        "coarse grid",
    )


def _first_fall(accuracies: pd.Series) -> str:
    """Between which neighbouring penalties accuracy first drops by more than 0.02."""
    ordered = accuracies.sort_index()
    low = (ordered < ordered.iloc[0] - 0.02).to_numpy()
    if not low.any():
        return "never"
    place = int(low.argmax())
    before, after = ordered.index[place - 1], ordered.index[place]
    return f"{before:.3g}→{after:.3g} ({ordered.iloc[place - 1]:.3f} to {ordered.iloc[place]:.3f})"


def penalty_saves(run: SpaceRun, setting: Setting) -> Finding:
    """Every method has a penalty at which a set as long costs half or less, and is as good."""
    cells = run.evaluation(setting)
    cost = f"cost_{setting.charge}"
    told, saving = [], 0
    for method in NINE:
        own = cells[cells["method"] == method]
        start = own[own["penalty"] == 0].set_index("k")
        before = own["k"].map(start[cost])
        good = own["accuracy"] >= np.minimum(own["k"].map(start["accuracy"]), PERFECT)
        factor = (before / own[cost]).where(good & (own["penalty"] > 0)).max()
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


def costs_span(run: SpaceRun, setting: Setting) -> Finding:
    """Most expensive over cheapest feature, noise left out."""
    costs = {n: p for n, p in run.costs(setting).alone().items() if not n.startswith("noise_")}
    expensive, cheap = max(costs, key=costs.__getitem__), min(costs, key=costs.__getitem__)
    ratio = costs[expensive] / costs[cheap]
    return Finding(
        verdict(ratio >= 1000, ratio >= 100),
        f"{expensive} costs {ratio:,.0f} times as much as {cheap}",
    )


def cost_falls(run: SpaceRun, setting: Setting) -> Finding:
    """Sets of five cost less at the largest penalty than without one, by a factor of ten or more."""
    cells = run.evaluation(setting).query(f"k == {FEW}")
    costs = cells.pivot(index="penalty", columns="method", values=f"cost_{setting.charge}")
    factors = (costs.iloc[0] / costs.iloc[-1])[list(NINE)]
    rising = (costs.diff().iloc[1:] > 0).mean()[list(NINE)]
    return Finding(
        verdict(bool((factors >= 10).all()), bool((factors > 1).all())),
        f"cost of {FEW} features at λ = 0 over that at λ = {costs.index[-1]:g}: "
        + ", ".join(f"{method} {factor:,.0f}" for method, factor in factors.items()),
        f"not at every step: {rising.mean():.0%} of the steps to the next larger λ make a set more expensive",
    )


def one_feature_tells(run: SpaceRun) -> Finding:
    """The mean degree alone is perfect, and some features do not vary."""
    import pandas as pd

    from netchoice.evaluation import evaluate

    alone = pd.DataFrame(
        {"method": ["degree_mean"], "penalty": [0.0], "position": [1], "feature": ["degree_mean"]}
    )
    accuracy = float(evaluate(alone, run.test, ks=[1], folds=run.scale.folds)["accuracy"].iloc[0])
    constant = sorted(set(run.test.features) - set(run.train.features))
    return Finding(
        verdict(accuracy >= PERFECT and "lcc_nodes" in constant, accuracy >= PERFECT),
        f"degree_mean alone {with_interval(accuracy, len(run.test))}; {len(constant)} features do not "
        f"vary: {', '.join(constant)}",
    )


#: Hours for a table of 5000 networks on one core, as the paper states them.
PAPERS_HOURS = {"ba": 5.2, "duplication": 6.6}


def table_takes_hours(run: SpaceRun, papers: float) -> Finding:
    """CPU time of features for 5000 networks of 1000 nodes."""
    hours = 5000 * run.test.costs.cost_of_set(run.test.features, "shared") / 3600
    comparable = run.scale.nodes == 1000
    return Finding(
        verdict(hours >= papers / 2, hours >= 1),
        f"{60 * hours:.2f} min of CPU time, {papers / hours:,.0f} times less than the paper's "
        f"{papers} h (another machine)",
        "" if comparable else "networks are smaller than the paper's",
    )
