"""What each feature costs, and how much of it others may share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from matplotlib.axes import Axes

from netchoice.costs import CostModel
from netchoice.errors import UsageError
from netchoice.plots.canvas import (
    COLOURS,
    GREY,
    SMALL,
    WIDTH,
    cost_axis,
    cost_text,
    one_of,
    paper,
)


def feature_costs(
    costs: CostModel,
    features: Iterable[str] | None = None,
    *,
    top: int | None = None,
    unit: str = "s",
    ax: Axes | None = None,
) -> Axes:
    """Cost of each feature, the most expensive first, on a logarithmic axis.

    A full dot is the cost alone. A ring is what the feature still costs where its shared steps
    are paid already: the further apart the two, the more there is to share. At the right, the
    most expensive of its shared steps, where that costs more than the feature's own part, with the number
    of the features drawn that need it. (Stacked bars would mislead: on a logarithmic axis the
    length of a piece depends on what it stands upon.)

    Parameters
    ----------
    costs : CostModel
    features : iterable of str, optional
        Which ones; by default all.
    top : int, optional
        The most expensive only.
    unit : str
        Of the costs; seconds are shown as µs, ms or s.
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> from netchoice import CostModel
    >>> lab = CostModel(
    ...     own={"glucose": 2.0, "sodium": 3.0, "x-ray": 40.0},
    ...     uses={"glucose": ["blood sample"], "sodium": ["blood sample"]},
    ...     shared steps={"blood sample": 10.0},
    ... )
    >>> ax = costs(lab, unit="euro")
    >>> [text.get_text() for text in ax.texts]
    ['blood sample 10 euro, shared by 2', 'blood sample 10 euro, shared by 2']
    """
    names = _most_expensive(costs, features, top)
    alone = [costs.cost(name) for name in names]
    own = [costs.own[name] for name in names]
    ax = paper(ax, WIDTH, 1.1 + 0.19 * len(names))
    rows = range(len(names))
    blue, orange = COLOURS[:2]
    shares = [row for row in rows if costs.uses.get(names[row])]
    ax.hlines(shares, [own[i] for i in shares], [alone[i] for i in shares], color=GREY, linewidth=1)
    ax.scatter(
        [own[i] for i in shares], shares, s=26, marker="o", facecolor="white", edgecolor=orange,
        linewidth=1.3, zorder=3, label="its shared steps already paid", gid="own",
    )  # fmt: skip
    ax.scatter(alone, rows, s=26, color=blue, zorder=3, label="cost alone", gid="alone")
    _name_steps(ax, costs, names, unit)
    cost_axis(ax.xaxis, [*alone, *own], unit, "cost per network" if unit == "s" else "cost")
    ax.grid(axis="x", alpha=0.3)
    ax.set_yticks(list(rows), names, fontsize=SMALL)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.legend(
        loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, frameon=False, fontsize=SMALL + 1,
        reverse=True, borderaxespad=0.2,
    )  # fmt: skip
    return ax


def _most_expensive(costs: CostModel, features: Iterable[str] | None, top: int | None) -> list[str]:
    known = costs.features
    names = [one_of("feature", name, known) for name in (known if features is None else features)]
    names = sorted(dict.fromkeys(names), key=costs.cost, reverse=True)
    if top is not None and top < 1:
        raise UsageError(f"top={top}; expected at least 1")
    if not names:
        raise UsageError("no features to draw; expected at least one with a cost")
    return names[:top]


def _name_steps(ax: Axes, costs: CostModel, names: list[str], unit: str) -> None:
    """At the right, the step that makes most of a cost."""
    steps = costs.own | costs.steps
    users = Counter(step for name in names for step in costs.uses.get(name, ()))
    for row, name in enumerate(names):
        step = max(costs.uses.get(name, ()), key=steps.__getitem__, default=None)
        if step is not None and steps[step] > costs.own[name]:
            others = f", shared by {users[step]}" if users[step] > 1 else ""
            ax.annotate(
                f"{step} {cost_text(steps[step], unit)}{others}",
                (1.0, row), xycoords=("axes fraction", "data"), xytext=(5, 0),
                textcoords="offset points", va="center", fontsize=SMALL, color=GREY,
            )  # fmt: skip
