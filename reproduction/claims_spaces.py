"""Claims of the paper about its two model spaces, and their findings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from netchoice.evaluation import evaluate_rankings, recommended_set
from netchoice.selection.methods import WEIGHTED_METHODS
from reproduction.settings import (
    FAMILIES,
    FOREST_METHODS,
    INFORMATION_METHODS,
    METHODS,
    PENALIZED_METHODS,
    RELIEF_METHODS,
    SETTINGS,
    Setting,
)
from reproduction.spaces import SET_SIZE, SpaceRun
from reproduction.verdict import (
    IMPLEMENTATION,
    MACHINE,
    METHOD,
    PERFECT,
    WELL,
    Claim,
    Evidence,
    Finding,
)

if TYPE_CHECKING:
    import pandas as pd

N_METHODS = len(METHODS)
#: The paper's penalties from this one on count as "very large".
LARGE = 12.8
#: Accuracies that differ by less count as equal when two classifiers are compared.
RESOLUTION = 0.005
NOISE_FEATURES = ("noise_normal", "noise_uniform", "noise_bernoulli", "noise_integer")
#: A fall is sharp if accuracy loses this much ...
DROP = 0.02
#: ... within this factor of λ: neighbouring large penalties of the paper's grid are as far apart.
FACTOR = 2.0

_NAN = float("nan")


def _cell_label(row: Any) -> str:
    return f"{row['method']}, λ = {row['penalty']:g}, k = {row['k']}"


def _first_noise_ranks(rankings: pd.DataFrame) -> pd.DataFrame:
    """Return the rank of the first noise feature (the last + 1 if none), by penalty and method."""
    is_noise = rankings["feature"].isin(NOISE_FEATURES)
    rank = rankings["position"].where(is_noise, rankings["position"].max() + 1)
    first = rank.groupby([rankings["method"], rankings["penalty"]], sort=False).min()
    return first.astype(int).unstack("method")


def all_cells(cells: pd.DataFrame, least: float) -> Finding:
    """Check whether all cells have at least this accuracy."""
    reached = cells["accuracy"] >= least
    lowest, lower = cells.loc[cells["accuracy"].idxmin()], cells[~reached]
    text = ""
    if len(lower):
        text = (
            f"of the {len(lower)} lower cells, {(lower['n_noise'] > 0).sum()} contain noise features; "
            f"the lowest ({_cell_label(lowest)}) uses {', '.join(lowest['features'][:5])}"
        )
    values = {
        "cells": len(cells),
        f"cells below {least:g}": len(lower),
        "lowest accuracy": float(lowest["accuracy"]),
    }
    return Finding(not len(lower), values, text)


def information_methods_perfect(run: SpaceRun, setting: Setting) -> Finding:
    """Check every cell of the information methods."""
    cells = run.evaluation(setting)
    return all_cells(cells[cells["method"].isin(INFORMATION_METHODS)], PERFECT)


def cheap_set_without_loss(run: SpaceRun, setting: Setting) -> Finding:
    """Find the cheapest set as accurate as the best one, and how many times cheaper it is."""
    point = recommended_set(run.evaluation(setting), charge=setting.charge)
    factor = 1 / point.share if setting.charge == "alone" else point.speedup
    with_all = float(run.all_features()["accuracy"].iloc[0])
    values = {
        "times cheaper": factor,
        "accuracy": point.accuracy,
        "lower end of its 95 % interval": point.interval[0],
        "accuracy of the best set": point.best_accuracy,
        "accuracy with all features": with_all,
    }
    lossless = point.accuracy >= min(PERFECT, max(point.best_accuracy, with_all))
    return Finding(lossless and factor >= 100, values, ", ".join(point.features))


def noise_at_large_penalty(run: SpaceRun, setting: Setting) -> Finding:
    """Count the methods that select noise at the largest penalty, and earlier than without one."""
    ranks = _first_noise_ranks(run.rankings(setting))[list(METHODS)]
    start, end, most = ranks.iloc[0], ranks.iloc[-1], max(run.scale.ks)
    n_selecting = int(((end <= most) & (end < start)).sum())
    costs = run.costs(setting).alone()
    cheapest_noise = min(costs[name] for name in NOISE_FEATURES if name in costs)
    values = {
        f"methods with noise among the first {most}": n_selecting,
        f"methods with noise among the first {SET_SIZE}": int((end <= SET_SIZE).sum()),
        "largest λ (1/s)": float(ranks.index[-1]),
        "features that are cheaper than all noise": sum(
            cost < cheapest_noise for cost in costs.values()
        ),
    }
    return Finding(n_selecting == N_METHODS, values)


def mrmr_noise_earlier(run: SpaceRun, setting: Setting) -> Finding:
    """Compare the rank of the first noise feature of mRMR with that of the other methods."""
    ranks = _first_noise_ranks(run.rankings(setting))
    at_zero, mean = ranks.iloc[0], ranks.mean()
    others = [method for method in METHODS if method != "mrmr"]
    values = {
        "rank of the first noise feature at λ = 0: mRMR": int(at_zero["mrmr"]),
        "rank of the first noise feature at λ = 0: lowest of the others": int(
            at_zero[others].min()
        ),
        "mean rank over λ: mRMR": float(mean["mrmr"]),
        "mean rank over λ: lowest of the others": float(mean[others].min()),
    }
    earlier_at_zero = bool(at_zero["mrmr"] < at_zero[others].min())
    return Finding(earlier_at_zero and bool(mean["mrmr"] < mean[others].min()), values)


def mrmr_noise_second(run: SpaceRun, setting: Setting) -> Finding:
    """Count the penalties up to 1 at which the second feature of mRMR, not the first, is noise."""
    ranks = _first_noise_ranks(run.rankings(setting)).loc[:1, "mrmr"]
    second = ranks == 2
    values = {
        "penalties up to 1": len(ranks),
        "penalties with noise second": int(second.sum()),
        "rank of the first noise feature at λ = 0": int(ranks.iloc[0]),
    }
    return Finding(bool(second.iloc[0]) and float(second.mean()) >= 0.5, values)


def forests_accurate(run: SpaceRun, setting: Setting) -> Finding:
    """Check whether forest methods are accurate, except at very large penalties."""
    cells = run.evaluation(setting)
    below = cells[cells["penalty"] < LARGE]
    found = all_cells(below[below["method"].isin(FOREST_METHODS)], WELL)
    lowest = {}
    for name, methods in (("penalized", PENALIZED_METHODS), ("weighted", WEIGHTED_METHODS)):
        own = below.loc[below["method"].isin(methods), "accuracy"]
        lowest[f"lowest accuracy by group: {name}"] = float(own.min())
    return found._replace(values={**found.values, **lowest})


def forests_fall_by_noise(run: SpaceRun, setting: Setting) -> Finding:
    """Check whether half of the features are noise where a penalized forest is not perfect."""
    cells = run.evaluation(setting)
    imperfect = cells[cells["accuracy"] < PERFECT]
    mostly_noise = imperfect["n_noise"] >= imperfect["k"] / 2
    penalized = mostly_noise[imperfect["method"] == "penalized-mda"]
    weighted = mostly_noise[imperfect["method"].isin(WEIGHTED_METHODS)]
    values = {}
    for name, own in (("penalized-mda", penalized), ("weighted forests", weighted)):
        values[f"cells below {PERFECT:g}: {name}"] = len(own)
        values[f"such cells with at least half noise: {name}"] = int(own.sum())
    return Finding(len(penalized) > 0 and float(penalized.mean()) >= 0.9, values)


def forests_vary(run: SpaceRun) -> Finding:
    """Compare the first features of the same method on the same table over seeds."""
    frame = run.forest_runs()
    similarity, spread = {}, {}
    for method in FOREST_METHODS:
        own = frame[frame["method"] == method]
        sets = [set(names) for names in own.loc[own["k"] == SET_SIZE, "features"]]
        jaccard = np.mean([len(a & b) / len(a | b) for a, b in combinations(sets, 2)])
        similarity[f"mean Jaccard similarity of the first {SET_SIZE}: {method}"] = float(jaccard)
        first = own.loc[own["k"] == 1, "accuracy"]
        spread[f"range of accuracy with one feature: {method}"] = float(np.ptp(first))
    return Finding(max(similarity.values()) < 1, similarity | spread)


def relief_poor_with_one_feature(run: SpaceRun, setting: Setting) -> Finding:
    """Check whether ReliefF ranks the three-core first and is inaccurate with it."""
    cells = run.evaluation(setting).query("penalty == 0 and k == 1").set_index("method")
    cells = cells.loc[list(RELIEF_METHODS)]
    first = cells["features"].str[0]
    poor = (cells["accuracy"] <= 0.6) & (first == "core_3_size")
    values = {f"accuracy with one feature: {m}": float(a) for m, a in cells["accuracy"].items()}
    return Finding(bool(poor.all()), values, ", ".join(f"{m}: {name}" for m, name in first.items()))


def relief_accurate_with_three_features(run: SpaceRun, setting: Setting) -> Finding:
    """Check the cells of ReliefF with three or more features."""
    cells = run.evaluation(setting)
    return all_cells(cells[cells["method"].isin(RELIEF_METHODS) & (cells["k"] >= 3)], WELL)


def relief_improves_with_penalty(run: SpaceRun, setting: Setting) -> Finding:
    """Check whether some penalty gives ReliefF a first feature that is better and cheaper."""
    cells = run.evaluation(setting).query("k == 1")
    improved, values, texts = [], {}, []
    for method in RELIEF_METHODS:
        own = cells[cells["method"] == method].sort_values("penalty")
        start, best = own.iloc[0], own.loc[own["accuracy"].idxmax()]
        better = best["accuracy"] >= start["accuracy"] + 0.1
        improved.append(bool(better and best["cost_alone"] < start["cost_alone"]))
        values[f"accuracy at λ = 0: {method}"] = float(start["accuracy"])
        values[f"highest accuracy: {method}"] = float(best["accuracy"])
        values[f"its λ (1/s): {method}"] = float(best["penalty"])
        texts.append(f"{method}: {start['features'][0]}, then {best['features'][0]}")
    return Finding(all(improved), values, "; ".join(texts))


def svm_less_accurate(run: SpaceRun) -> Finding:
    """Compare the support vector machine with nearest neighbours."""
    cells = run.svm_comparison()
    difference = cells["accuracy"] - cells["knn"]
    n_lower, n_higher = int((difference < -RESOLUTION).sum()), int((difference > RESOLUTION).sum())
    values = {
        "cells": len(cells),
        f"cells lower by more than {RESOLUTION:g}": n_lower,
        f"cells higher by more than {RESOLUTION:g}": n_higher,
        "mean difference": float(difference.mean()),
        "largest difference in favour: of nearest neighbours": float(-difference.min()),
        "largest difference in favour: of the support vector machine": float(difference.max()),
    }
    text = "" if n_lower or n_higher else "the classifiers are equally accurate in every cell"
    return Finding(n_lower > 0 and not n_higher, values, text)


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
        factors[method] = float(saved.where(lossless & (own["penalty"] > 0)).max())
    n_saving = sum(factor >= 2 for factor in factors.values())
    values = {"methods": n_saving} | {f"largest factor: {m}": f for m, f in factors.items()}
    return Finding(n_saving == N_METHODS, values)


def clustering_falls(run: SpaceRun, setting: Setting) -> Finding:
    """Compare the ranks of the clustering features without penalty and at the largest one."""
    rankings = run.rankings(setting)
    clustering = rankings[rankings["feature"].isin(["transitivity", "clustering_mean"])]
    best = clustering.groupby(["method", "penalty"])["position"].min().unstack("penalty")
    start, end = best[0.0], best[best.columns.max()]
    n_both = int(((start <= 10) & (end > 15)).sum())
    values = {
        "methods": n_both,
        **{f"better rank of the two at λ = 0: {m}": int(start[m]) for m in METHODS},
        **{f"at the largest λ: {m}": int(end[m]) for m in METHODS},
    }
    return Finding(n_both == N_METHODS, values)


def weighted_forests_alike(run: SpaceRun, setting: Setting) -> Finding:
    """Compare the accuracies of the two weighted forests."""
    cells = run.evaluation(setting).set_index(["penalty", "k"])
    mdi, mda = (cells.loc[cells["method"] == method, "accuracy"] for method in WEIGHTED_METHODS)
    mean, largest = (float(value) for value in (mdi - mda).abs().agg(["mean", "max"]))
    values = {
        "absolute difference in accuracy: mean": mean,
        "absolute difference in accuracy: largest": largest,
    }
    return Finding(mean <= 0.02, values)


def costs_span(run: SpaceRun, setting: Setting) -> Finding:
    """Compare the most expensive and the cheapest feature, noise excluded."""
    costs = {n: c for n, c in run.costs(setting).alone().items() if n not in NOISE_FEATURES}
    expensive, cheap = max(costs, key=costs.__getitem__), min(costs, key=costs.__getitem__)
    ratio = costs[expensive] / costs[cheap]
    return Finding(ratio >= 1000, {"ratio of costs": ratio}, f"{expensive} and {cheap}")


def cost_falls(run: SpaceRun, setting: Setting) -> Finding:
    """Compare the cost of a set without penalty and at the largest penalty."""
    cells = run.evaluation(setting).query(f"k == {SET_SIZE}")
    costs = cells.pivot(index="penalty", columns="method", values=f"cost_{setting.charge}")
    factors = (costs.iloc[0] / costs.iloc[-1])[list(METHODS)]
    rising = (costs.diff().iloc[1:] > 0).mean()[list(METHODS)]
    values = {
        "largest λ (1/s)": float(costs.index[-1]),
        **{
            f"cost at λ = 0 divided by that at the largest: {m}": float(f)
            for m, f in factors.items()
        },
        "share of the steps of λ that make the set more expensive": float(rising.mean()),
    }
    return Finding(bool((factors >= 10).all()), values)


def mean_degree_identifies(run: SpaceRun) -> Finding:
    """Test the mean degree alone, and list the constant features."""
    import pandas as pd

    alone = pd.DataFrame(
        {"method": ["degree_mean"], "penalty": [0.0], "position": [1], "feature": ["degree_mean"]}
    )
    cells = evaluate_rankings(alone, run.test, ks=[1], folds=run.scale.folds)
    accuracy = float(cells["accuracy"].iloc[0])
    constant = sorted(set(run.test.features) - set(run.train.features))
    values = {"accuracy with degree_mean": accuracy, "constant features": len(constant)}
    return Finding(accuracy >= PERFECT and "lcc_nodes" in constant, values, ", ".join(constant))


def table_takes_hours(run: SpaceRun, paper_hours: float) -> Finding:
    """Compare the CPU time of all features for 5000 networks with the hours of the paper."""
    seconds = 5000 * run.test.costs.cost_of_set(run.test.features, "shared")
    values = {
        "minutes of CPU time here": seconds / 60,
        "times less than the paper states": 3600 * paper_hours / seconds,
    }
    return Finding(None, values)


class Fall(NamedTuple):
    """A plateau of perfect accuracy, and what follows it; NaN if there is no plateau or no fall."""

    threshold: float  # the largest penalty of the plateau
    drop: float  # the loss of accuracy within a factor of two of the threshold
    best_beyond: float  # the highest accuracy at any larger penalty

    @classmethod
    def of(cls, accuracies: pd.Series) -> Fall:
        """Return the fall of accuracies that are indexed by penalty.

        >>> import pandas as pd
        >>> Fall.of(pd.Series([1, 1, 0.5, 0.6], index=[0, 1, 2, 4.0]))
        Fall(threshold=1.0, drop=0.5, best_beyond=0.6)
        """
        ordered = accuracies.sort_index()
        plateau = (ordered >= PERFECT).cummin()
        if not plateau.iloc[0]:
            return cls(_NAN, _NAN, _NAN)
        threshold = float(ordered.index[plateau].max())
        beyond = ordered[ordered.index > threshold]
        if not len(beyond):
            return cls(threshold, _NAN, _NAN)
        near = beyond[beyond.index <= FACTOR * threshold]
        lowest = float((near if len(near) else beyond.iloc[:1]).min())
        return cls(threshold, float(ordered.loc[threshold]) - lowest, float(beyond.max()))

    @property
    def is_sharp(self) -> bool:
        """Whether accuracy is perfect up to the threshold, falls sharply, and is imperfect beyond."""
        return self.drop >= DROP and self.best_beyond < PERFECT


def sharp_transition(run: SpaceRun, setting: Setting) -> Finding:
    """Count the methods whose accuracy falls sharply at some penalty."""
    fine = run.transition(setting)
    coarse = run.evaluation(setting).query(f"k == {SET_SIZE}")
    falls = {}
    for method in METHODS:
        frame = fine if method in set(fine["method"]) else coarse
        own = frame[frame["method"] == method].set_index("penalty")["accuracy"]
        falls[method] = Fall.of(own)
    n_sharp = sum(fall.is_sharp for fall in falls.values())
    values = {
        "methods that fall sharply": n_sharp,
        "methods that are perfect at λ = 0": sum(f.threshold >= 0 for f in falls.values()),
        **{f"last perfect λ (1/s): {m}": fall.threshold for m, fall in falls.items()},
        **{f"fall within a factor of two: {m}": fall.drop for m, fall in falls.items()},
        **{f"highest accuracy beyond: {m}": fall.best_beyond for m, fall in falls.items()},
    }
    return Finding(n_sharp == len(METHODS), values)


_SECTIONS = {"ba": "section 3.1.1", "duplication": "section 3.1.2"}
_BA, _DUPLICATION = ("ba",), ("duplication",)
#: Claims on which costs have no effect, so that they are judged once.
_WITHOUT_COSTS = ("forests-vary", "svm-lower", "mean-degree", "table-hours")
#: Claims about something else than the methods.
_KINDS = {
    "table-hours": MACHINE, "costs-span": IMPLEMENTATION, "forests-fall-by-noise": IMPLEMENTATION,
}  # fmt: skip
#: Hours for a table of 5000 networks on one core, as stated in the paper.
PAPER_HOURS = {"ba": 5.2, "duplication": 6.6}

_Row = tuple[tuple[str, ...], str, str, str, str, Callable[..., Finding]]
#: Model spaces, name, place in the paper, statement, criterion, and the function that judges.
_TABLE: list[_Row] = [
    (_BA, "information-perfect", "{section}, Figures 1a, 1b, S1a",
     "JMI, JMIM and mRMR classify perfectly for every λ and k.",
     f"Every cell of the three methods has an accuracy of at least {PERFECT}.",
     information_methods_perfect),
    (FAMILIES, "two-orders", "abstract, {section}",
     "The cost falls by more than two orders of magnitude without loss of accuracy.",
     "The set is chosen on half of the test rows: the cheapest one whose accuracy lies within the "
     "95 % interval of the best. It costs at most 1/100 of all features, and on the other half its "
     f"accuracy is at least {PERFECT}, or at least that of the best set and that of all features.",
     cheap_set_without_loss),
    (_BA, "noise-at-large-penalty", "{section}",
     "A large λ selects cheap noise features.",
     "At the largest λ, all nine methods rank noise among the features that the paper's figures show "
     "(15), and earlier than at λ = 0.",
     noise_at_large_penalty),
    (_BA, "mrmr-noise-earlier", "{section}, Figure 1b",
     "mRMR selects noise features earlier than the other methods.",
     "The first noise feature of mRMR ranks before that of every other method, at λ = 0 and on "
     "average over λ.",
     mrmr_noise_earlier),
    (_DUPLICATION, "mrmr-noise-second", "{section}, Figure 2b",
     "mRMR selects a noise feature directly after one informative feature.",
     "The second feature of mRMR is noise and the first is not, at λ = 0 and at half or more of the "
     "penalties up to 1.",
     mrmr_noise_second),
    (FAMILIES, "forests-vary", _SECTIONS["ba"],
     "Rankings by forest methods vary between runs.",
     f"At λ = 0, the first {SET_SIZE} features differ between runs on the same table for all four "
     "forest methods.",
     forests_vary),
    (_BA, "forests-accurate", "{section}, Figures 1d, S1c, S1d",
     "Forest methods perform well except at very large λ.",
     f"Every cell of the four methods with λ < {LARGE} has an accuracy of at least {WELL}.",
     forests_accurate),
    (_BA, "forests-fall-by-noise", "{section}, Figure 1d",
     "The accuracy of forest methods falls at very large λ because many noise features are "
     "selected.",
     f"Some cells of penalized-mda are below {PERFECT}, and in at least 90 % of them at least half of "
     "the features are noise.",
     forests_fall_by_noise),
    (_BA, "relieff-one-inaccurate", "{section}, Figure 1c",
     "ReliefF with one feature is inaccurate: it ranks the size of the three-core first.",
     "At λ = 0, both ReliefF methods rank core_3_size first, with an accuracy of at most 0.6.",
     relief_poor_with_one_feature),
    (_BA, "relieff-three-accurate", "{section}, Figure 1c",
     "ReliefF performs well with more than two features.",
     f"Every cell of both methods with k ≥ 3 has an accuracy of at least {WELL}.",
     relief_accurate_with_three_features),
    (_BA, "relieff-improves", "{section}, Figure 1c",
     "The accuracy of ReliefF with one feature increases with λ, because cheaper and better features "
     "replace the three-core.",
     "For both methods, some λ > 0 selects a cheaper feature whose accuracy is higher by at least "
     "0.1.",
     relief_improves_with_penalty),
    (FAMILIES, "svm-lower", _SECTIONS["ba"],
     "A support vector machine is less accurate throughout.",
     "Over penalties from 0 to the largest, there are cells in which its accuracy differs from that "
     f"of nearest neighbours by more than {RESOLUTION}, and it is lower in all of them.",
     svm_less_accurate),
    (_DUPLICATION, "transition", "{section}, Figure 2",
     "Every method is perfect below a threshold in λ, and its accuracy falls sharply there.",
     f"With {SET_SIZE} features, all nine methods have an accuracy of at least {PERFECT} up to some λ, "
     f"lose at least {DROP} within a factor of two of it, and stay below {PERFECT} at every larger λ.",
     sharp_transition),
    (FAMILIES, "penalty-saves", f"{_SECTIONS['duplication']}, last paragraph",
     "For every method, some λ saves much of the cost without loss of accuracy.",
     "For all nine methods, some λ > 0 at least halves the cost at equal k, and accuracy reaches "
     f"that at λ = 0 or {PERFECT}, whichever is lower.",
     penalty_saves_cost),
    (_DUPLICATION, "clustering-falls", "{section}",
     "Clustering features are highly informative, but do not rank highly at large λ.",
     "In all nine methods, the better-ranked of transitivity and clustering_mean is among the first "
     "ten at λ = 0 and below rank 15 at the largest λ.",
     clustering_falls),
    (FAMILIES, "weighted-alike", "captions of Figures S1, S2",
     "Weighted forests with impurity importance (MDI) behave like those with accuracy importance "
     "(MDA).",
     "The mean absolute difference in accuracy over all cells is at most 0.02.",
     weighted_forests_alike),
    (FAMILIES, "costs-span", "abstract, Table S1",
     "Feature costs span several orders of magnitude.",
     "The most expensive feature costs at least 1000 times as much as the cheapest, noise excluded.",
     costs_span),
    (_BA, "cost-falls", "{section}",
     "The cost of the selected features falls substantially as λ increases.",
     f"For all nine methods, {SET_SIZE} features at the largest λ cost at most a tenth of "
     f"{SET_SIZE} features at λ = 0.",
     cost_falls),
    (_BA, "mean-degree", "{section}",
     "The mean degree alone identifies the model; some features, such as the size of the largest "
     "component, are constant.",
     f"The accuracy with degree_mean is at least {PERFECT}, and lcc_nodes is constant.",
     mean_degree_identifies),
    *(((family,), "table-hours", "caption of Table S1",
       f"A table of 5000 networks takes {hours} h on one core.",
       "None: hours depend on the machine and the implementation. The time is reported, not judged.",
       partial(table_takes_hours, paper_hours=hours))
      for family, hours in PAPER_HOURS.items()),
]  # fmt: skip


def _claim(family: str, row: _Row) -> Claim:
    _, name, where, statement, criterion, find = row

    def judge(evidence: Evidence) -> dict[str, Finding]:
        run = evidence.spaces[family]
        if name in _WITHOUT_COSTS:
            return {"": find(run)}
        return {setting.label: find(run, setting) for setting in SETTINGS}

    where = where.format(section=_SECTIONS[family])
    kind = _KINDS.get(name, METHOD)
    return Claim(f"{family}-{name}", family, where, statement, criterion, judge, kind)


CLAIMS = [_claim(family, row) for row in _TABLE for family in row[0]]
