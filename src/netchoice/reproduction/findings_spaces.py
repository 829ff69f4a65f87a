"""Findings on the claims about the two model spaces."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.evaluation import evaluate_rankings, operating_point, wilson
from netchoice.reproduction.claim import FAILS, HOLDS, PERFECT, Finding, verdict, verdict_of_count
from netchoice.reproduction.cost_settings import Setting
from netchoice.reproduction.paper_methods import (
    FOREST_METHODS,
    INFORMATION_METHODS,
    METHODS,
    PENALIZED_METHODS,
    RELIEF_METHODS,
)
from netchoice.reproduction.space_run import SET_SIZE, SpaceRun
from netchoice.selection import WEIGHTED_METHODS

if TYPE_CHECKING:
    import pandas as pd

N_METHODS = len(METHODS)
#: The paper's penalties from this one on count as "very large".
LARGE = 12.8
NOISE_FEATURES = ("noise_normal", "noise_uniform", "noise_bernoulli", "noise_integer")
#: Hours for a table of 5000 networks on one core, as stated in the paper.
PAPER_HOURS = {"ba": 5.2, "duplication": 6.6}


def _with_interval(accuracy: float, n: float) -> str:
    """Return an accuracy with its 95 % interval for n rows, as text."""
    low, high = wilson(accuracy, n)
    return f"{accuracy:.4f} ({low:.4f}–{high:.4g})"


def _cell_label(row: Any) -> str:
    return f"{row['method']}, λ = {row['penalty']:g}, k = {row['k']}"


def _first_noise_ranks(rankings: pd.DataFrame) -> pd.DataFrame:
    """Return the rank of the first noise feature (the last + 1 if none), by penalty and method."""
    is_noise = rankings["feature"].isin(NOISE_FEATURES)
    rank = rankings["position"].where(is_noise, rankings["position"].max() + 1)
    first = rank.groupby([rankings["method"], rankings["penalty"]], sort=False).min()
    return first.astype(int).unstack("method")


def all_cells_perfect(cells: pd.DataFrame, n_rows: int) -> Finding:
    """Check whether all cells, or at least 90 % of them, are perfect."""
    perfect = cells["accuracy"] >= PERFECT
    lowest, lower = cells.loc[cells["accuracy"].idxmin()], cells[~perfect]
    note = (
        f"of the {len(lower)} lower cells, {(lower['n_noise'] > 0).sum()} contain noise features and "
        f"{(lower['n_noise'] == lower['k']).sum()} contain only noise; the lowest uses "
        f"{', '.join(lowest['features'][:5])}"
    )
    return Finding(
        verdict(bool(perfect.all()), float(perfect.mean()) >= 0.9),
        f"{int(perfect.sum())} of {len(cells)} cells at least {PERFECT}; lowest "
        f"{_with_interval(lowest['accuracy'], n_rows)} ({_cell_label(lowest)})",
        note if len(lower) else "",
    )


def information_methods_perfect(run: SpaceRun, setting: Setting) -> Finding:
    """Check every cell of the information methods."""
    cells = run.evaluation(setting)
    return all_cells_perfect(cells[cells["method"].isin(INFORMATION_METHODS)], len(run.test))


def cheap_set_without_loss(run: SpaceRun, setting: Setting) -> Finding:
    """Find the cheapest set as accurate as the best one, and how many times cheaper it is."""
    point = operating_point(run.evaluation(setting), charge=setting.charge)
    factor = 1 / point.share if setting.charge == "alone" else point.speedup
    with_all = float(run.all_features()["accuracy"].iloc[0])
    lossless = point.interval[1] >= min(PERFECT, point.best_accuracy)
    return Finding(
        verdict(lossless and factor >= 100, lossless and factor >= 10),
        f"{factor:,.0f} times cheaper with {', '.join(point.features)}: accuracy {point.accuracy:.4f} "
        f"({point.interval[0]:.4f}–{point.interval[1]:.4g}) on rows not used to choose the set; "
        f"best set {point.best_accuracy:.4f}, all features {with_all:.4f}",
    )


def noise_at_large_penalty(run: SpaceRun, setting: Setting) -> Finding:
    """Count the methods with noise among the first features at the paper's largest penalty."""
    ranks = _first_noise_ranks(run.rankings(setting))[list(METHODS)]
    largest, last, most = run.scale.penalties[-1], ranks.index[-1], max(run.scale.ks)
    n_early = int((ranks.loc[largest] <= SET_SIZE).sum())
    costs = run.costs(setting).alone()
    cheapest_noise = min(costs[name] for name in NOISE_FEATURES if name in costs)
    n_cheaper = sum(cost < cheapest_noise for cost in costs.values())
    return Finding(
        verdict_of_count(n_early, N_METHODS),
        f"noise among the first {SET_SIZE} at λ = {largest:g} in {n_early} of {N_METHODS} methods, "
        f"earlier than at λ = 0 in {(ranks.loc[largest] < ranks.iloc[0]).sum()}; among the first "
        f"{most} at λ = {last:g} in {(ranks.loc[last] <= most).sum()}",
        f"{n_cheaper} features are cheaper than every noise feature under these costs",
    )


def mrmr_noise_earlier(run: SpaceRun, setting: Setting) -> Finding:
    """Compare the rank of the first noise feature of mRMR with that of the other methods."""
    ranks = _first_noise_ranks(run.rankings(setting))
    at_zero, mean = ranks.iloc[0], ranks.mean()
    others = [method for method in METHODS if method != "mrmr"]
    earlier_at_zero = bool(at_zero["mrmr"] < at_zero[others].min())
    earlier_on_average = bool(mean["mrmr"] < mean[others].min())
    return Finding(
        verdict(earlier_at_zero and earlier_on_average, earlier_at_zero or earlier_on_average),
        f"rank of the first noise feature at λ = 0: mRMR {at_zero['mrmr']}, others "
        f"{at_zero[others].min()} to {at_zero[others].max()}; mean over λ: mRMR {mean['mrmr']:.1f}, "
        f"others {mean[others].min():.1f} ({mean[others].idxmin()}) to {mean[others].max():.1f}",
    )


def mrmr_noise_second(run: SpaceRun, setting: Setting) -> Finding:
    """Count the penalties up to 1 at which the second feature of mRMR, not the first, is noise."""
    ranks = _first_noise_ranks(run.rankings(setting)).loc[:1, "mrmr"]
    second = ranks == 2
    return Finding(
        verdict(bool(second.iloc[0]) and float(second.mean()) >= 0.5, bool(second.any())),
        f"the second feature is noise at {int(second.sum())} of the {len(ranks)} penalties up to 1; "
        f"at λ = 0 the first noise feature has rank {ranks.iloc[0]}",
    )


def forests_accurate(run: SpaceRun, setting: Setting) -> Finding:
    """Check whether forest methods are perfect, except at very large penalties."""
    cells = run.evaluation(setting)
    cells = cells[cells["method"].isin(FOREST_METHODS)]
    below = cells[cells["penalty"] < LARGE]
    moderate = all_cells_perfect(below, len(run.test))
    counts = []
    for name, methods in (("penalized", PENALIZED_METHODS), ("weighted", WEIGHTED_METHODS)):
        perfect = below.loc[below["method"].isin(methods), "accuracy"] >= PERFECT
        counts.append(f"{name} {int(perfect.sum())} of {len(perfect)}")
    lowest = float(cells.loc[cells["penalty"] >= LARGE, "accuracy"].min())
    return Finding(
        verdict(moderate.verdict == HOLDS and lowest < PERFECT, moderate.verdict != FAILS),
        f"λ < {LARGE}: {moderate.figure}; {', '.join(counts)}; lowest at λ ≥ {LARGE}: {lowest:.3f}",
        moderate.note,
    )


def forests_fall_by_noise(run: SpaceRun, setting: Setting) -> Finding:
    """Check whether half of the features are noise where a penalized forest is not perfect."""
    cells = run.evaluation(setting)
    imperfect = cells[cells["accuracy"] < PERFECT]
    mostly_noise = imperfect["n_noise"] >= imperfect["k"] / 2
    penalized = mostly_noise[imperfect["method"] == "penalized-mda"]
    if not len(penalized):
        weighted = mostly_noise[imperfect["method"].isin(WEIGHTED_METHODS)]
        return Finding(
            FAILS,
            f"no fall: 0 cells of penalized-mda are below {PERFECT}",
            f"weighted forests have {len(weighted)} such cells; in {int(weighted.sum())} of them, at "
            "least half of the features are noise",
        )
    share, n = float(penalized.mean()), len(penalized)
    text = (
        f"in {share:.0%} of the {n} cells below {PERFECT}, at least half of the features are noise"
    )
    return Finding(verdict(share >= 0.9, share >= 0.5), text)


def forests_vary(run: SpaceRun) -> Finding:
    """Compare the first features of the same method on the same table over seeds."""
    frame = run.forest_runs().query("penalty == 0")
    n_varying, texts = 0, []
    for method in FOREST_METHODS:
        own = frame[frame["method"] == method]
        sets = [set(names) for names in own.loc[own["k"] == SET_SIZE, "features"]]
        jaccard = np.mean([len(a & b) / len(a | b) for a, b in combinations(sets, 2)])
        n_varying += bool(jaccard < 1)
        first = own.loc[own["k"] == 1, "accuracy"]
        texts.append(f"{method} {jaccard:.2f} ({first.min():.3f} to {first.max():.3f})")
    return Finding(
        verdict(n_varying == len(FOREST_METHODS), n_varying > 0),
        f"mean Jaccard similarity of the first {SET_SIZE} features over {run.scale.forest_runs} runs, "
        f"and accuracy with the first feature alone: {'; '.join(texts)}",
    )


def relief_poor_with_one_feature(run: SpaceRun, setting: Setting) -> Finding:
    """Check whether ReliefF ranks the three-core first and is inaccurate with it."""
    cells = run.evaluation(setting).query("penalty == 0 and k == 1").set_index("method")
    cells = cells.loc[list(RELIEF_METHODS)]
    first = cells["features"].str[0]
    n_poor = int(((cells["accuracy"] <= 0.6) & (first == "core_3_size")).sum())
    texts = [
        f"{method}: {first[method]} {_with_interval(accuracy, len(run.test))}"
        for method, accuracy in cells["accuracy"].items()
    ]
    return Finding(verdict(n_poor == 2, n_poor == 1), "; ".join(texts))


def relief_perfect_with_three_features(run: SpaceRun, setting: Setting) -> Finding:
    """Check the cells of ReliefF with three or more features, except at very large penalties."""
    cells = run.evaluation(setting)
    cells = cells[cells["method"].isin(RELIEF_METHODS) & (cells["k"] >= 3)]
    return all_cells_perfect(cells[cells["penalty"] < LARGE], len(run.test))


def relief_improves_with_penalty(run: SpaceRun, setting: Setting) -> Finding:
    """Check whether some penalty gives ReliefF a first feature that is better and cheaper."""
    cells = run.evaluation(setting).query("k == 1")
    texts, improved = [], []
    for method in RELIEF_METHODS:
        own = cells[cells["method"] == method].sort_values("penalty")
        start, best = own.iloc[0], own.loc[own["accuracy"].idxmax()]
        better = best["accuracy"] >= start["accuracy"] + 0.1
        improved.append(bool(better and best["cost_alone"] < start["cost_alone"]))
        texts.append(
            f"{method}: {start['accuracy']:.3f} ({start['features'][0]}) at λ = 0, "
            f"{best['accuracy']:.3f} ({best['features'][0]}) at λ = {best['penalty']:g}"
        )
    return Finding(verdict(all(improved), any(improved)), "; ".join(texts))


def svm_less_accurate(run: SpaceRun) -> Finding:
    """Compare the support vector machine with nearest neighbours."""
    cells = run.svm_comparison()
    difference = cells["accuracy"] - cells["knn"]
    n_lower, n_equal, n_higher = (int((np.sign(difference) == sign).sum()) for sign in (-1, 0, 1))
    note = ""
    if n_higher:
        note = f"largest difference: {_cell_label(cells.loc[difference.idxmax()])}"
    elif cells["accuracy"].min() == 1:
        note = "both classifiers are perfect in every compared cell"
    return Finding(
        verdict(not n_higher and n_lower >= len(cells) / 2, float(difference.mean()) < 0),
        f"lower in {n_lower}, equal in {n_equal}, higher in {n_higher} of {len(cells)} cells; mean "
        f"difference {difference.mean():+.5f}, from {difference.min():+.4f} to {difference.max():+.4f}",
        note,
    )


def penalty_saves_cost(run: SpaceRun, setting: Setting) -> Finding:
    """Find the largest factor by which a penalty cuts the cost of k features without loss."""
    cells = run.evaluation(setting)
    cost = f"cost_{setting.charge}"
    factors = {}
    for method in METHODS:
        own = cells[cells["method"] == method]
        start = own[own["penalty"] == 0].set_index("k")
        lossless = own["accuracy"] >= np.minimum(own["k"].map(start["accuracy"]), PERFECT)
        saved = own["k"].map(start[cost]) / own[cost]
        factors[method] = saved.where(lossless & (own["penalty"] > 0)).max()
    n_saving = sum(bool(factor >= 2) for factor in factors.values())
    texts = [f"{m} {f:,.0f}" if f >= 10 else f"{m} {f:.1f}" for m, f in factors.items()]
    return Finding(
        verdict_of_count(n_saving, N_METHODS),
        f"{n_saving} of {N_METHODS} methods; largest saving factor at equal k without loss: "
        f"{', '.join(texts)}",
    )


def clustering_falls(run: SpaceRun, setting: Setting) -> Finding:
    """Compare the ranks of the clustering features without penalty and at the largest one."""
    rankings = run.rankings(setting)
    clustering = rankings[rankings["feature"].isin(["transitivity", "clustering_mean"])]
    best = clustering.groupby(["method", "penalty"])["position"].min().unstack("penalty")
    start, end = best[0.0], best[best.columns.max()]
    high, low = start <= 10, end > 15
    n_both = int((high & low).sum())
    return Finding(
        verdict_of_count(n_both, N_METHODS),
        f"better rank of the two: among the first ten at λ = 0 in {int(high.sum())} of {N_METHODS} "
        f"methods, below rank 15 at the largest λ in {int(low.sum())}, both in {n_both}; ranks "
        + ", ".join(f"{method} {start[method]}→{end[method]}" for method in METHODS),
    )


def weighted_forests_alike(run: SpaceRun, setting: Setting) -> Finding:
    """Compare the accuracies of the two weighted forests."""
    cells = run.evaluation(setting).set_index(["penalty", "k"])
    mdi, mda = (cells.loc[cells["method"] == method, "accuracy"] for method in WEIGHTED_METHODS)
    mean, largest = (mdi - mda).abs().agg(["mean", "max"])
    text = f"mean absolute difference in accuracy {mean:.4f}, largest {largest:.3f}"
    return Finding(verdict(mean <= 0.02, mean <= 0.05), text)


def costs_span(run: SpaceRun, setting: Setting) -> Finding:
    """Compare the most expensive and the cheapest feature, noise excluded."""
    costs = {n: c for n, c in run.costs(setting).alone().items() if n not in NOISE_FEATURES}
    expensive, cheap = max(costs, key=costs.__getitem__), min(costs, key=costs.__getitem__)
    ratio = costs[expensive] / costs[cheap]
    text = f"{expensive} costs {ratio:,.0f} times as much as {cheap}"
    return Finding(verdict(ratio >= 1000, ratio >= 100), text)


def cost_falls(run: SpaceRun, setting: Setting) -> Finding:
    """Compare the cost of a set without penalty and at the largest penalty."""
    cells = run.evaluation(setting).query(f"k == {SET_SIZE}")
    costs = cells.pivot(index="penalty", columns="method", values=f"cost_{setting.charge}")
    factors = (costs.iloc[0] / costs.iloc[-1])[list(METHODS)]
    rising = (costs.diff().iloc[1:] > 0).mean()[list(METHODS)]
    return Finding(
        verdict(bool((factors >= 10).all()), bool((factors > 1).all())),
        f"cost of {SET_SIZE} features at λ = 0 divided by that at λ = {costs.index[-1]:g}: "
        + ", ".join(f"{method} {factor:,.0f}" for method, factor in factors.items()),
        f"the cost does not fall everywhere: {rising.mean():.0%} of the steps to the next larger λ "
        "make a set more expensive",
    )


def mean_degree_identifies(run: SpaceRun) -> Finding:
    """Test the mean degree alone, and list the constant features."""
    import pandas as pd

    alone = pd.DataFrame(
        {"method": ["degree_mean"], "penalty": [0.0], "position": [1], "feature": ["degree_mean"]}
    )
    cells = evaluate_rankings(alone, run.test, ks=[1], folds=run.scale.folds)
    accuracy = float(cells["accuracy"].iloc[0])
    constant = sorted(set(run.test.features) - set(run.train.features))
    return Finding(
        verdict(accuracy >= PERFECT and "lcc_nodes" in constant, accuracy >= PERFECT),
        f"degree_mean alone {_with_interval(accuracy, len(run.test))}; {len(constant)} features are "
        f"constant: {', '.join(constant)}",
    )


def table_takes_hours(run: SpaceRun, paper_hours: float) -> Finding:
    """Compare the CPU time of all features for 5000 networks with the hours of the paper."""
    hours = 5000 * run.test.costs.cost_of_set(run.test.features, "shared") / 3600
    return Finding(
        verdict(hours >= paper_hours / 2, hours >= 1),
        f"{60 * hours:.2f} min of CPU time, {paper_hours / hours:,.0f} times less than the paper's "
        f"{paper_hours} h (on another machine)",
        "" if run.scale.nodes == 1000 else "the networks are smaller than the paper's",
    )
