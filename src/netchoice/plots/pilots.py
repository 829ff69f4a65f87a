"""What pilots are worth: accuracy at the target against the size of the pilot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from netchoice.errors import UsageError
from netchoice.plots.canvas import DPI, SMALL, checked, signs

COLUMNS = ("n", "method", "penalty", "k", "accuracy")


def pilot_accuracy(
    accuracy: pd.DataFrame,
    *,
    ks: Iterable[int] = (1, 2, 5, 15),
    penalty: float = 0.0,
) -> Sequence[Axes]:
    """Accuracy at the target size against the size of the pilot, a panel for each k.

    Parameters
    ----------
    accuracy : DataFrame
        As a :class:`netchoice.workflows.PilotStudy` has it: n, method, penalty, k, accuracy, one row for
        each repeat. Lines are means over repeats, bars reach from the least to the largest.
    ks : iterable of int
        Numbers of features to show, as far as there are any.
    penalty : float

    Returns
    -------
    list of Axes

    Examples
    --------
    >>> frame = pd.DataFrame({"n": [10, 20], "method": "jmi", "penalty": 0.0, "k": 2,
    ...                       "accuracy": [0.8, 1.0]})
    >>> [ax.get_title() for ax in pilot_accuracy(frame)]
    ['2 features']
    """
    checked(accuracy, COLUMNS, "accuracy table")
    shown = accuracy[accuracy["penalty"] == penalty]
    if not len(shown):
        known = ", ".join(f"{p:g}" for p in sorted(set(accuracy["penalty"])))
        raise UsageError(f"no accuracy for penalty {penalty:g}; there is {known}")
    present = [k for k in ks if k in set(shown["k"])] or [int(shown["k"].max())]
    across = 2 if len(present) == 4 else min(3, len(present))
    down = -(-len(present) // across)
    figure = Figure(figsize=(2 + 3.2 * across, 0.8 + 2.7 * down), dpi=DPI, layout="constrained")
    panels = np.ravel(figure.subplots(down, across, sharey=True, squeeze=False))
    for ax, k in zip(panels, present, strict=False):
        _panel(ax, shown[shown["k"] == k], k)
    for ax in panels[len(present) :]:
        ax.set_visible(False)
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside right upper", frameon=False, fontsize=SMALL + 1)
    figure.supxlabel("nodes of the pilot networks", fontsize=SMALL + 2)
    figure.supylabel("accuracy at the target size", fontsize=SMALL + 2)
    return list(panels[: len(present)])


def _panel(ax: Axes, rows: pd.DataFrame, k: int) -> None:
    methods = list(dict.fromkeys(rows["method"]))
    for i, (method, sign) in enumerate(signs(methods).items()):
        by_size = rows[rows["method"] == method].groupby("n")["accuracy"]
        mean, low, high = by_size.mean(), by_size.min(), by_size.max()
        shift = 1.015 ** (i - (len(methods) - 1) / 2)  # so that no bar hides another
        ax.errorbar(
            mean.index * shift, mean, yerr=[mean - low, high - mean], color=sign.colour,
            marker=sign.marker, linestyle=sign.line, markersize=4, elinewidth=1, capsize=2,
            linewidth=1.2, label=method,
        )  # fmt: skip
    sizes = sorted(set(rows["n"]))
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(FixedLocator(_spread(sizes)))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda n, _: f"{n:,.0f}"))
    ax.tick_params(labelsize=SMALL)
    ax.set_title("1 feature" if k == 1 else f"{k} features", fontsize=SMALL + 2)
    ax.grid(alpha=0.25)


def _spread(sizes: Sequence[int]) -> list[int]:
    """Sizes far enough apart for their labels."""
    kept = [sizes[-1]]
    for size in reversed(sizes[:-1]):
        if size <= 0.72 * kept[-1]:
            kept.append(size)
    return kept
