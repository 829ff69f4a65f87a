"""What accuracy costs, over all methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from netchoice.errors import UsageError
from netchoice.evaluation import pareto_front
from netchoice.plots.canvas import (
    SMALL,
    checked,
    cost_axis,
    cost_text,
    halo,
    one_of,
    paper,
    signs,
)

COSTS = ("cost_shared", "cost_alone")
_READINGS = {"cost_shared": "steps shared", "cost_alone": "each feature alone"}


def pareto(
    evaluation: pd.DataFrame,
    *,
    cost: str = "cost_shared",
    knee: Mapping[str, Any] | None = None,
    point: Mapping[str, Any] | None = None,
    unit: str = "s",
    ax: Axes | None = None,
) -> Axes:
    """Accuracy against cost over all methods, penalties and numbers of features.

    Faint signs are all sets evaluated. The line is the Pareto front, the best accuracy for the
    money, with standard errors.

    Parameters
    ----------
    evaluation : DataFrame
        One row for each method, penalty and k: method, cost_alone, cost_shared, accuracy and
        accuracy_se.
    cost : "cost_shared" or "cost_alone"
        Cost of a set: a step paid once, or for every feature that needs it.
    knee, point : mapping or Series, optional
        The front's knee and the set that was chosen, to be marked: its ``accuracy`` and its cost,
        under the name of the column or as ``cost``.
    unit : str
        Of the costs; seconds are shown as µs, ms or s.
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({
    ...     "method": ["jmi", "jmi", "mrmr"], "cost_alone": [0.001, 0.1, 0.02],
    ...     "cost_shared": [0.001, 0.1, 0.02], "accuracy": [0.7, 0.99, 0.6], "accuracy_se": 0.01,
    ... })
    >>> ax = pareto(table, point={"cost": 0.1, "accuracy": 0.99})
    >>> [text.get_text() for text in ax.texts]
    ['chosen: 99.0 % for 100 ms']
    """
    checked(evaluation, ("method", *COSTS, "accuracy", "accuracy_se"), "evaluation")
    one_of("cost", cost, COSTS)
    ax = paper(ax)
    _cloud(ax, evaluation, cost)
    front = pareto_front(evaluation, cost=cost)
    ax.step(
        front[cost], front["accuracy"], where="post", color="black", linewidth=1.6,
        path_effects=halo(3), zorder=4, label="Pareto front", gid="front",
    )  # fmt: skip
    sure = front[front["accuracy_se"] > 0]
    ax.errorbar(
        sure[cost], sure["accuracy"], yerr=sure["accuracy_se"], fmt="none", ecolor="black",
        elinewidth=0.9, capsize=2, zorder=4,
    )  # fmt: skip
    what = "cost per network" if unit == "s" else "cost"
    cost_axis(ax.xaxis, list(evaluation[cost]), unit, f"{what}, {_READINGS[cost]}")
    ax.margins(y=0.08)
    _mark(ax, knee, "knee", cost, unit)
    _mark(ax, point, "chosen", cost, unit)
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
    ax.set_ylabel("accuracy")
    ax.grid(alpha=0.25)
    legend = ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    for handle in legend.legend_handles:
        if handle is not None:
            handle.set_alpha(1.0)
    return ax


def _cloud(ax: Axes, evaluation: pd.DataFrame, cost: str) -> None:
    for method, sign in signs(dict.fromkeys(evaluation["method"])).items():
        rows = evaluation[evaluation["method"] == method]
        sets = rows[[cost, "accuracy"]].drop_duplicates()  # most sets stand at several penalties
        ax.scatter(
            sets[cost], sets["accuracy"], s=22, marker=sign.marker, facecolor="none",
            edgecolor=sign.colour, linewidth=0.9, alpha=0.55, label=str(method), gid=str(method),
        )  # fmt: skip


def _mark(ax: Axes, point: Mapping[str, Any] | None, name: str, cost: str, unit: str) -> None:
    if point is None:
        return
    costs = point.get(cost, point.get("cost"))
    accuracy = point.get("accuracy")
    if costs is None or accuracy is None:
        raise UsageError(
            f"the {name} point has {', '.join(map(str, point.keys())) or 'nothing'}; expected "
            f"'accuracy' and {cost!r} or 'cost'"
        )
    marker, size = ("*", 190) if name == "chosen" else ("D", 60)
    ax.scatter(
        [costs], [accuracy], s=size, marker=marker, facecolor="#F0E442", edgecolor="black",
        linewidth=1.2, zorder=5, gid=name,
    )  # fmt: skip
    on_the_left = ax.transLimits.transform(ax.transScale.transform((costs, accuracy)))[0] < 0.4
    # Nothing lies above a front, so that is where there is room; the knee may be the same point.
    above = name == "chosen"
    ax.annotate(
        f"{name}: {100 * accuracy:.1f} % for {cost_text(costs, unit)}",
        (costs, accuracy), xytext=(-3, 9) if above else (8, -8), textcoords="offset points",
        ha="right" if above and not on_the_left else "left", va="bottom" if above else "top",
        fontsize=SMALL + 1, zorder=6, path_effects=halo(2),
    )  # fmt: skip
