"""Figure of accuracy at the target size against the size of the pilot networks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from netchoice.errors import UsageError
from netchoice.figures.data.checks import check_columns
from netchoice.figures.static.axes import SMALL, new_panels
from netchoice.figures.style import series_styles

COLUMNS = ("n", "method", "penalty", "k", "accuracy")


def pilot_accuracy(
    accuracy: pd.DataFrame, *, ks: Iterable[int] = (1, 2, 5, 15), penalty: float = 0.0
) -> Sequence[Axes]:
    """Draw the accuracy at the target size against the size of the pilot, one panel for each k.

    Parameters
    ----------
    accuracy : DataFrame
        The table of a :class:`netchoice.workflows.PilotStudy`: n, method, penalty, k, accuracy, one
        row for each repeat. Lines are means over repeats; bars span the smallest to the largest.
    ks : iterable of int
        Numbers of features to show. Those without a row are left out.
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
    check_columns(accuracy, COLUMNS, "accuracy table")
    shown = accuracy[accuracy["penalty"] == penalty]
    if not len(shown):
        known = ", ".join(f"{p:g}" for p in sorted(set(accuracy["penalty"])))
        raise UsageError(f"no accuracy for penalty {penalty:g}; there is {known}")
    present = [k for k in ks if k in set(shown["k"])] or [int(shown["k"].max())]
    across = 2 if len(present) == 4 else min(3, len(present))
    height = 0.8 + 2.7 * -(-len(present) // across)
    panels, figure = new_panels(len(present), across, 2 + 3.2 * across, height, sharey=True)
    for ax, k in zip(panels, present, strict=True):
        _draw_panel(ax, shown[shown["k"] == k], k)
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside right upper", frameon=False, fontsize=SMALL + 1)
    figure.supxlabel("number of nodes of the pilot networks", fontsize=SMALL + 2)
    figure.supylabel("accuracy at the target size", fontsize=SMALL + 2)
    return list(panels)


def _draw_panel(ax: Axes, rows: pd.DataFrame, k: int) -> None:
    methods = list(dict.fromkeys(rows["method"]))
    for i, (method, style) in enumerate(series_styles(methods).items()):
        by_size = rows[rows["method"] == method].groupby("n")["accuracy"]
        mean, low, high = by_size.mean(), by_size.min(), by_size.max()
        shift = 1.015 ** (i - (len(methods) - 1) / 2)  # so that no bar hides another
        ax.errorbar(
            mean.index * shift, mean, yerr=[mean - low, high - mean], color=style.colour,
            marker=style.marker, linestyle=style.line, markersize=4, elinewidth=1, capsize=2,
            linewidth=1.2, label=method,
        )  # fmt: skip
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(FixedLocator(_tick_sizes(sorted(set(rows["n"])))))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda n, _: f"{n:,.0f}"))
    ax.tick_params(labelsize=SMALL)
    ax.set_title("1 feature" if k == 1 else f"{k} features", fontsize=SMALL + 2)
    ax.grid(alpha=0.25)


def _tick_sizes(sizes: Sequence[int]) -> list[int]:
    """Return sizes that are far enough apart for their labels."""
    ticks = [sizes[-1]]
    for size in reversed(sizes[:-1]):
        if size <= 0.72 * ticks[-1]:
            ticks.append(size)
    return ticks
