"""Figure of what each feature costs, and how much of it other features share."""

from __future__ import annotations

from collections.abc import Iterable

from matplotlib.axes import Axes

from netchoice.costs import CostModel
from netchoice.figures.data.cost_text import cost_text, cost_title, list_costs
from netchoice.figures.static.axes import (
    ABOVE,
    GREY,
    SMALL,
    WIDTH,
    cost_axis,
    new_axes,
    text_at_right,
)
from netchoice.figures.style import BLUE, VERMILLION
from netchoice.validation import check_integer


def feature_costs(
    costs: CostModel,
    features: Iterable[str] | None = None,
    *,
    top: int | None = None,
    unit: str = "s",
    ax: Axes | None = None,
) -> Axes:
    """Draw the cost of each feature on a logarithmic axis, the most expensive first.

    A filled point is the cost of the feature alone. A ring is what the feature costs once its shared
    steps are paid; the distance between the two is what other features can share. The text at the
    right names the most expensive shared step if it costs more than the feature's own part, and the
    number of features in the figure that use it.

    Parameters
    ----------
    costs : CostModel
    features : iterable of str, by default all
    top : int, number of most expensive features to draw, by default all
    unit : str, unit of the costs; seconds are shown as µs, ms or s
    ax : Axes, optional

    Examples
    --------
    >>> lab = CostModel(
    ...     own={"glucose": 2.0, "sodium": 3.0, "x-ray": 40.0},
    ...     uses={"glucose": ["blood sample"], "sodium": ["blood sample"]},
    ...     steps={"blood sample": 10.0})
    >>> [text.get_text() for text in feature_costs(lab, unit="euro").texts]
    ['blood sample 10 euro, shared by 2', 'blood sample 10 euro, shared by 2']
    """
    rows = list_costs(costs, features)
    if top is not None:
        rows = list_costs(costs, [row.feature for row in rows[: check_integer("top", top)]])
    ax = new_axes(ax, WIDTH, 1.1 + 0.19 * len(rows))
    sharing = [(y, row) for y, row in enumerate(rows) if row.steps]
    heights, own = [y for y, _ in sharing], [row.own for _, row in sharing]
    ax.hlines(heights, own, [row.alone for _, row in sharing], color=GREY, linewidth=1)
    ax.scatter(
        own, heights, s=26, marker="o", facecolor="white", edgecolor=VERMILLION, linewidth=1.3,
        zorder=3, label="shared steps already paid", gid="own",
    )  # fmt: skip
    alone = [row.alone for row in rows]
    ax.scatter(alone, range(len(rows)), s=26, color=BLUE, zorder=3, label="cost alone", gid="alone")
    for y, row in sharing:
        step = row.steps[0]
        if step.cost > row.own:
            text = f"{step.name} {cost_text(step.cost, unit)}{step.users}"
            text_at_right(ax, y, text, 5, fontsize=SMALL, color=GREY)
    cost_axis(ax.xaxis, [*alone, *(row.own for row in rows)], unit, cost_title(unit))
    ax.grid(axis="x", alpha=0.3)
    ax.set_yticks(range(len(rows)), [row.feature for row in rows], fontsize=SMALL)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.legend(ncols=2, reverse=True, **ABOVE)
    return ax
