"""Costs as text, on an axis, and in the figure of the cost of each feature."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from netchoice.costs import CostModel
from netchoice.figures.axes import (
    GREY,
    SMALL,
    WIDTH,
    check_names,
    legend_above,
    new_axes,
    short,
    text_at_right,
)
from netchoice.figures.style import BLUE, VERMILLION
from netchoice.units import duration


def cost_text(cost: float, unit: str = "s") -> str:
    """Return a cost with its unit.

    >>> cost_text(0.00025), cost_text(0), cost_text(120.0), cost_text(12.5, "euro")
    ('250 µs', '0 s', '2 min', '12.5 euro')
    """
    if unit != "s":
        return f"{cost:.4g} {unit}".rstrip()
    return duration(cost) if cost else "0 s"


def cost_title(unit: str, charge: str | None = None) -> str:
    """Return the title of a cost axis; costs in seconds are per network.

    >>> cost_title("s", "shared"), cost_title("euro")
    ('cost per network, shared steps paid once', 'cost (euro)')
    """
    title = "cost per network" if unit == "s" else "cost"
    if charge is not None:
        title += f", {CHARGES[charge]}"
    return title if unit in ("s", "") else f"{title} ({unit})"


#: How a set of features is charged, as text.
CHARGES = {"shared": "shared steps paid once", "alone": "each feature paid alone"}


class FeatureCost(NamedTuple):
    """Cost of one feature alone, its own part, and its shared steps, the most expensive first."""

    feature: str
    alone: float
    own: float
    steps: dict[str, float]


def list_costs(costs: CostModel, features: Iterable[str] | None = None) -> list[FeatureCost]:
    """Return the cost of each feature, the most expensive first; by default of all features.

    >>> lab = CostModel({"glucose": 2.0, "x-ray": 40.0}, {"glucose": ["sample"]}, {"sample": 10.0})
    >>> [(row.feature, row.alone, row.own) for row in list_costs(lab)]
    [('x-ray', 40.0, 40.0), ('glucose', 12.0, 2.0)]
    """
    names = dict.fromkeys(check_names("feature", features, costs.features))
    step_costs = costs.own | costs.steps
    rows = []
    for name in sorted(names, key=costs.cost, reverse=True):
        used = sorted(costs.uses.get(name, ()), key=step_costs.__getitem__, reverse=True)
        steps = {step: step_costs[step] for step in used}
        rows.append(FeatureCost(name, costs.cost(name), costs.own[name], steps))
    return rows


def cost_axis(axis: Axis, costs: Iterable[float], unit: str, title: str) -> None:
    """Make an axis of costs logarithmic, with a linear part at 0 if some costs are 0."""
    positive = [cost for cost in costs if cost > 0]
    scale = axis.axes.set_xscale if axis is axis.axes.xaxis else axis.axes.set_yscale
    if not positive:
        scale("linear")
    elif any(cost == 0 for cost in costs):
        scale("symlog", linthresh=min(positive))
    else:
        scale("log")
        narrow = max(positive) < 30 * min(positive)
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if narrow else (1.0,)))
    axis.set_minor_locator(NullLocator())
    shown_unit = unit if unit == "s" else ""  # the title names other units
    axis.set_major_formatter(FuncFormatter(lambda cost, _: cost_text(cost, shown_unit)))
    axis.set_label_text(title)


def feature_costs(
    costs: CostModel, features: Iterable[str] | None = None, *,
    unit: str = "s", ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw the cost of each feature on a logarithmic axis, the most expensive first.

    A full point is the cost of the feature alone. A ring is what the feature costs once its shared
    steps are paid; the distance between the two is what other features can share. The text at the
    right names the most expensive shared step if it costs more than the feature's own part, and the
    number of features in the figure that use it.

    Parameters
    ----------
    costs : CostModel
    features : iterable of str, by default all
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
    users = Counter(step for row in rows for step in row.steps)
    for y, row in sharing:
        step, cost = next(iter(row.steps.items()))
        if cost > row.own:
            shared = f", shared by {users[step]}" if users[step] > 1 else ""
            text = f"{short(step)} {cost_text(cost, unit)}{shared}"
            text_at_right(ax, y, text, 5, fontsize=SMALL, color=GREY)
    cost_axis(ax.xaxis, [*alone, *(row.own for row in rows)], unit, cost_title(unit))
    ax.grid(axis="x", alpha=0.3)
    ax.set_yticks(range(len(rows)), [short(row.feature) for row in rows], fontsize=SMALL)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    legend_above(ax, reverse=True)
    return ax
