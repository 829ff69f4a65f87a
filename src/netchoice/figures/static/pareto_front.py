"""Figure of accuracy against cost, with the Pareto front."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from netchoice.errors import UsageError
from netchoice.evaluation import pareto_front
from netchoice.figures.data.checks import check_columns, check_names
from netchoice.figures.data.cost_text import cost_text, cost_title
from netchoice.figures.static.axes import SMALL, cost_axis, halo, new_axes
from netchoice.figures.style import HIGHLIGHT, series_styles

COSTS = ("cost_shared", "cost_alone")


def pareto(
    evaluation: pd.DataFrame,
    *,
    cost: str = "cost_shared",
    knee: Mapping[str, Any] | None = None,
    point: Mapping[str, Any] | None = None,
    unit: str = "s",
    ax: Axes | None = None,
) -> Axes:
    """Draw accuracy against cost over all methods, penalties and numbers of features.

    Each faint marker is a set of features. The line is the Pareto front, the best accuracy for each
    cost, with standard errors.

    Parameters
    ----------
    evaluation : DataFrame
        One row for each method, penalty and k: method, cost_alone, cost_shared, accuracy and
        accuracy_se.
    cost : "cost_shared" or "cost_alone"
        Cost of a set: shared steps paid once, or for each feature that uses them.
    knee, point : mapping or Series, optional
        The knee of the front and the chosen set, each with ``accuracy`` and its cost, under the
        name of the cost column or as ``cost``. They are marked in the figure.
    unit : str
        Unit of the costs. Seconds are shown as µs, ms or s.
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
    check_columns(evaluation, ("method", *COSTS, "accuracy", "accuracy_se"), "evaluation")
    check_names("cost", [cost], COSTS)
    ax = new_axes(ax)
    _draw_sets(ax, evaluation, cost)
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
    title = cost_title(unit, cost.removeprefix("cost_"))
    cost_axis(ax.xaxis, list(evaluation[cost]), unit, title)
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


def _draw_sets(ax: Axes, evaluation: pd.DataFrame, cost: str) -> None:
    for method, style in series_styles(dict.fromkeys(evaluation["method"])).items():
        rows = evaluation[evaluation["method"] == method]
        sets = rows[[cost, "accuracy"]].drop_duplicates()  # many sets occur at several penalties
        ax.scatter(
            sets[cost], sets["accuracy"], s=22, marker=style.marker, facecolor="none",
            edgecolor=style.colour, linewidth=0.9, alpha=0.55, label=str(method), gid=str(method),
        )  # fmt: skip


def _mark(ax: Axes, point: Mapping[str, Any] | None, name: str, cost: str, unit: str) -> None:
    if point is None:
        return
    x = point.get(cost, point.get("cost"))
    accuracy = point.get("accuracy")
    if x is None or accuracy is None:
        raise UsageError(
            f"the {name} point has {', '.join(map(str, point.keys())) or 'nothing'}; expected "
            f"'accuracy' and {cost!r} or 'cost'"
        )
    is_chosen = name == "chosen"
    marker, size = ("*", 190) if is_chosen else ("D", 60)
    ax.scatter(
        [x], [accuracy], s=size, marker=marker, facecolor=HIGHLIGHT, edgecolor="black",
        linewidth=1.2, zorder=5, gid=name,
    )  # fmt: skip
    on_the_left = ax.transLimits.transform(ax.transScale.transform((x, accuracy)))[0] < 0.4
    # There is room above a front. The knee is named below, because it may be the chosen point.
    ax.annotate(
        f"{name}: {100 * accuracy:.1f} % for {cost_text(x, unit)}",
        (x, accuracy), xytext=(-3, 9) if is_chosen else (8, -8), textcoords="offset points",
        ha="right" if is_chosen and not on_the_left else "left",
        va="bottom" if is_chosen else "top", fontsize=SMALL + 1, zorder=6, path_effects=halo(2),
    )  # fmt: skip
