"""Figures of sets of features: accuracy against cost, and the rankings that the sets come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from netchoice.errors import UsageError
from netchoice.evaluation import pareto_front
from netchoice.evaluation.recommendation import measure_of
from netchoice.figures.axes import (
    SMALL,
    WIDTH,
    check_columns,
    check_names,
    halo,
    legend_above,
    new_axes,
    short,
    size_in_inches,
)
from netchoice.figures.cost_figures import cost_axis, cost_text, cost_title
from netchoice.figures.style import HIGHLIGHT, method_styles, series_styles
from netchoice.validation import check_integer

MOST_RANKED = 12  # features in the figure of a ranking
COSTS = ("cost_shared", "cost_alone", "k")


def pareto(
    evaluation: pd.DataFrame, *, cost: str = "cost_shared", point: Mapping[str, Any] | None = None,
    unit: str = "s", ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw accuracy against cost over all methods, penalties and numbers of features.

    Each faint marker is a set of features. The line is the Pareto front, the best accuracy for each
    cost, with standard errors.

    Parameters
    ----------
    evaluation : DataFrame
        One row for each method, penalty and k: method, cost_alone, cost_shared, accuracy and
        accuracy_se.
    cost : "cost_shared", "cost_alone" or "k"
        Cost of a set: shared steps paid once, or for each feature that uses them; or the number of
        features, if they have no costs.
    point : mapping or Series, optional
        The chosen set, with ``accuracy`` and its cost, under the name of the cost column or as
        ``cost``. It is marked in the figure.
    unit : str, unit of the costs; seconds are shown as µs, ms or s
    ax : Axes, optional

    Examples
    --------
    >>> table = pd.DataFrame({
    ...     "method": ["jmi", "jmi", "mrmr"], "cost_alone": [0.001, 0.1, 0.02],
    ...     "cost_shared": [0.001, 0.1, 0.02], "accuracy": [0.7, 0.99, 0.6], "accuracy_se": 0.01})
    >>> ax = pareto(table, point={"cost": 0.1, "accuracy": 0.99})
    >>> [text.get_text() for text in ax.texts]
    ['chosen: 99.0 % for 100 ms']
    """
    check_names("cost", [cost], COSTS)
    check_columns(evaluation, ("method", cost, "accuracy", "accuracy_se"), "evaluation")
    ax = new_axes(ax)
    for method, style in method_styles(dict.fromkeys(evaluation["method"])).items():
        rows = evaluation[evaluation["method"] == method]
        sets = rows.drop_duplicates([cost, "accuracy"])  # many sets occur at several penalties
        ax.scatter(
            sets[cost], sets["accuracy"], s=22, marker=style.marker, facecolor="none",
            edgecolor=style.colour, linewidth=0.9, alpha=0.55, label=short(method), gid=str(method),
        )  # fmt: skip
    front = pareto_front(evaluation, cost=cost)
    ax.step(
        front[cost], front["accuracy"], where="post", color="black", linewidth=1.6,
        path_effects=halo(3), zorder=4, label="Pareto front", gid="front",
    )  # fmt: skip
    with_error = front[front["accuracy_se"] > 0]
    ax.errorbar(
        with_error[cost], with_error["accuracy"], yerr=with_error["accuracy_se"], fmt="none",
        ecolor="black", elinewidth=0.9, capsize=2, zorder=4,
    )  # fmt: skip
    if cost == "k":
        ax.set_xlabel("number of features")
    else:
        title = cost_title(unit, cost.removeprefix("cost_"))
        cost_axis(ax.xaxis, list(evaluation[cost]), unit, title)
    ax.margins(y=0.16)  # with room for the text at the chosen set
    measure = measure_of(evaluation)
    if point is not None:
        _mark(ax, point, cost, unit, measure)
    if "accuracy" in measure:
        ax.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
    ax.set_ylabel(measure)
    ax.grid(alpha=0.25)
    for handle in filter(None, legend_above(ax).legend_handles):
        handle.set_alpha(1.0)
    return ax


def _mark(ax: Axes, point: Mapping[str, Any], cost: str, unit: str, measure: str) -> None:
    """Mark the chosen set with a star and a text, for which there is room above a front."""
    x, accuracy = point.get(cost, point.get("cost")), point.get("accuracy")
    if x is None or accuracy is None:
        raise UsageError(
            f"the chosen point has {', '.join(map(str, point.keys())) or 'nothing'}; expected "
            f"'accuracy' and {cost!r} or 'cost'"
        )
    ax.scatter(
        [x], [accuracy], s=190, marker="*", facecolor=HIGHLIGHT, edgecolor="black",
        linewidth=1.2, zorder=5, gid="chosen",
    )  # fmt: skip
    text = f"{100 * accuracy:.1f} %" if "accuracy" in measure else f"{measure} {accuracy:.3f}"
    amount = f"{x:g} features" if cost == "k" else cost_text(x, unit)
    on_the_left = ax.transLimits.transform(ax.transScale.transform((x, accuracy)))[0] < 0.4
    ax.annotate(
        f"chosen: {text} for {amount}", (x, accuracy), xytext=(-3, 9), textcoords="offset points",
        ha="left" if on_the_left else "right", va="bottom", fontsize=SMALL + 1, zorder=6,
        path_effects=halo(2),
    )  # fmt: skip


def penalty_text(penalty: float) -> str:
    """Return a penalty as short text for an axis.

    >>> penalty_text(0.0125), penalty_text(204.8), penalty_text(61440.0)
    ('0.0125', '204.8', '61.4k')
    """
    if penalty >= 1e6:
        return f"{penalty:.2g}"
    return f"{penalty / 1000:.3g}k" if penalty >= 1000 else f"{penalty:.4g}"


def penalty_axis(ax: Axes, penalties: Sequence[float]) -> None:
    """Place the penalties at equal distances on the x axis; a dashed line separates λ = 0."""
    n = len(penalties)
    step = max(1, -(-n // max(3, int(size_in_inches(ax)[0] / 0.5))))
    labelled = [0, *reversed(range(n - 1, step - 1, -step))] if n > 1 else [0]
    ax.set_xticks(labelled, [penalty_text(penalties[i]) for i in labelled], fontsize=SMALL)
    ax.set_xlim(-0.5, n - 0.5)
    ax.set_xlabel("cost penalty λ")
    if n > 1 and penalties[0] == 0:
        ax.axvline(0.5, color="black", ls="--", lw=1.2, path_effects=halo(), gid="no penalty")


def ranking_paths(
    path: pd.DataFrame, method: str, *, top: int = 10, ax: Axes | None = None
) -> Axes:
    """Draw the positions of features over the penalty λ, for features that reach the top.

    A line that leaves at the bottom has fallen below position ``top``. A dashed line separates λ = 0.

    Parameters
    ----------
    path : DataFrame
        One row for each method, penalty and position (from 1): method, penalty, position, feature,
        as :func:`netchoice.selection.rank_path` returns it.
    method : str
    top : int
        Features that never reach this position are left out, and so are all but the twelve with the
        best positions.
    ax : Axes, optional

    Examples
    --------
    >>> orders = {0: ["triangles", "degree", "noise"], 1: ["degree", "triangles", "noise"]}
    >>> path = pd.DataFrame(
    ...     [("jmi", p, i + 1, name) for p in orders for i, name in enumerate(orders[p])],
    ...     columns=["method", "penalty", "position", "feature"])
    >>> ax = ranking_paths(path, "jmi", top=2)
    >>> legend = ax.get_legend()
    >>> legend.get_title().get_text(), [text.get_text() for text in legend.get_texts()]
    ('jmi', ['triangles', 'degree'])
    """
    check_columns(path, ("method", "penalty", "position", "feature"), "ranking path")
    check_names("method", [method], list(dict.fromkeys(path["method"])))
    check_integer("top", top)
    own = path[path["method"] == method]
    for row in own[own.duplicated(["penalty", "feature"])].itertuples():
        raise UsageError(
            f"the ranking path of {method!r} has {row.feature!r} twice at penalty "
            f"{row.penalty:g}; expected it once"
        )
    positions = own.pivot(index="feature", columns="penalty", values="position").sort_index(axis=1)
    positions = positions[(positions <= top).any(axis=1)]
    best = (1 / positions.where(positions <= top)).sum(axis=1)
    positions = positions.loc[best.sort_values(ascending=False, kind="stable").index[:MOST_RANKED]]
    last = int(positions.max().max())
    positions = positions.fillna(last + 1)  # rankings may have the first positions only
    rows = min(top, last)
    ax = new_axes(ax, WIDTH, 1.8 + 0.3 * rows)
    # In the order of the lines, so that the styles of neighbouring lines differ.
    order = positions.assign(best=positions.min(axis=1))
    order = order.sort_values(["best", *positions.columns], kind="stable").drop(columns="best")
    penalty_axis(ax, list(order.columns))
    for feature, style in series_styles(str(name) for name in order.index).items():
        ax.plot(
            range(len(order.columns)), order.loc[feature], color=style.colour, linestyle=style.line,
            linewidth=1.6, marker=style.marker, markersize=4.5, markeredgewidth=0, gid=feature,
            label=short(feature, 24),
        )  # fmt: skip
    ax.set_ylim(rows + 0.6, 0.4)
    ax.set_yticks(range(1, rows + 1), map(str, range(1, rows + 1)))
    ax.set_ylabel("position in the ranking")
    legend_above(ax, title=short(method), alignment="left")
    return ax
