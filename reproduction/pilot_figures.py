"""Figures of pilots: accuracy and cost against the number of nodes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib import ticker
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from netchoice import figures
from netchoice.errors import UsageError
from netchoice.figures.style import method_styles, series_styles
from netchoice.units import duration
from reproduction.pilots import ALL_FEATURES

if TYPE_CHECKING:
    from reproduction.pilots import PilotStudy

WIDTH, DPI = 8.0, 150  # inches, and dots per inch
SMALL = 8  # points: the smallest text
#: Line styles of several fits of one series.
LINES = ("-", "--", ":")
MAX_SERIES = 5
#: A feature is shown only if its cost is below this share of the cost of those already shown:
#: features that mostly consist of the same shared step have nearly equal costs.
DISTINCT_COST = 0.9


class Fit(NamedTuple):
    """A curve that is drawn through a series of costs: its label, and seconds as a function of n."""

    name: str
    label: str
    curve: Callable[[Any], Any]


def power_fit(name: str, power: dict[str, Any]) -> Fit:
    """Return the curve of a power of n, as :func:`reproduction.pilots.fit_power` returns it.

    >>> power_fit("all", {"factor": 2.0, "exponent": 1.5, "low": 1.4, "high": 1.6}).label
    '∝ $n^{1.50}$ (1.40 to 1.60)'
    """
    factor, exponent = power["factor"], power["exponent"]
    interval = "" if power["low"] is None else f" ({power['low']:.2f} to {power['high']:.2f})"
    label = f"∝ $n^{{{exponent:.2f}}}$" + interval.replace("-", "−")
    return Fit(name, label, lambda n: factor * n**exponent)


def cost_growth(frame: pd.DataFrame, fits: Iterable[Fit] = ()) -> Axes:
    """Draw the cost per network against its number of nodes, both logarithmic, with fits.

    The layout is that of Figure 3 of the paper. ``frame`` has one row for each name and size: name (such
    as "all", or a feature), n (number of nodes), seconds (mean per network) and seconds_se. Several fits
    of one series differ in line style.

    >>> frame = pd.DataFrame({"name": "all", "n": [100, 200], "seconds": [0.01, 0.04], "seconds_se": 0})
    >>> power = {"factor": 1e-6, "exponent": 2.0, "low": None, "high": None}
    >>> ax = cost_growth(frame, [power_fit("all", power)])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['all', '∝ $n^{2.00}$']
    """
    ax = Figure(figsize=(WIDTH, 5.0), dpi=DPI, layout="constrained").add_subplot()
    last = frame.sort_values("n").groupby("name", sort=False)["seconds"].last()
    by_cost = [str(name) for name in last.sort_values(ascending=False, kind="stable").index]
    handles: list[Any] = []
    for name, style in series_styles(by_cost).items():
        rows = frame[frame["name"].astype(str) == name].sort_values("n")
        points = ax.errorbar(
            rows["n"], rows["seconds"], yerr=rows["seconds_se"], fmt=style.marker,
            color=style.colour, markersize=5, markeredgecolor="white", markeredgewidth=0.4,
            elinewidth=1, capsize=2, label=name, zorder=3,
        )  # fmt: skip
        handles.append(points)
        for i, fit in enumerate(fit for fit in fits if fit.name == name):
            n = np.geomspace(rows["n"].min(), rows["n"].max(), 100)
            handles += ax.plot(
                n, fit.curve(n), color=style.colour, linestyle=LINES[i % len(LINES)],
                linewidth=1.4, label=fit.label,
            )  # fmt: skip
    _size_axis(ax, _ticks(frame["n"], 300))
    ax.set_xlabel("number of nodes n")
    ax.set(yscale="log", ylabel="cost per network")
    ax.yaxis.set_major_locator(_ticks(frame["seconds"], 30))
    ax.yaxis.set_major_formatter(ticker.FuncFormatter(lambda seconds, _: duration(seconds)))
    ax.yaxis.set_minor_formatter(ticker.NullFormatter())
    ax.grid(alpha=0.25)
    ax.legend(
        handles=handles, fontsize=SMALL + 1, loc="center left", bbox_to_anchor=(1.0, 0.5),
        frameon=False,
    )  # fmt: skip
    return ax


def _ticks(values: pd.Series, wide: float) -> ticker.LogLocator:
    """Return ticks at powers of ten and, if the values span less than a wide range, at 2 and 5 times them."""
    is_wide = values.max() > wide * values.min()
    return ticker.LogLocator(subs=(1.0,) if is_wide else (1.0, 2.0, 5.0))


def pilot_accuracy(
    accuracy: pd.DataFrame, *, ks: Iterable[int] = (1, 2, 5, 15), penalty: float = 0.0
) -> Sequence[Axes]:
    """Draw the accuracy at the target size against the size of the pilot, one panel for each k.

    ``accuracy`` is the table of a :class:`reproduction.pilots.PilotStudy`. Numbers of features without a
    row are left out.

    >>> frame = pd.DataFrame({"n": [10, 20], "method": "jmi", "penalty": 0.0, "k": 2,
    ...                       "accuracy": [0.8, 1.0]})
    >>> [ax.get_title() for ax in pilot_accuracy(frame)]
    ['2 features']
    """
    shown = accuracy[accuracy["penalty"] == penalty]
    if not len(shown):
        known = ", ".join(f"{p:g}" for p in sorted(set(accuracy["penalty"])))
        raise UsageError(f"no accuracy for penalty {penalty:g}; there is {known}")
    present = [k for k in ks if k in set(shown["k"])] or [int(shown["k"].max())]
    across = 2 if len(present) == 4 else min(3, len(present))
    rows = -(-len(present) // across)
    size = (2 + 3.2 * across, 0.8 + 2.7 * rows)
    figure = Figure(figsize=size, dpi=DPI, layout="constrained")
    axes = figure.subplots(rows, across, squeeze=False, sharey=True).ravel()
    for unused in axes[len(present) :]:
        unused.remove()
    for ax, k in zip(axes, present, strict=False):
        _draw_panel(ax, shown[shown["k"] == k], k)
    legend = axes[0].get_legend_handles_labels()
    figure.legend(*legend, loc="outside right upper", frameon=False, fontsize=SMALL + 1)
    figure.supxlabel("number of nodes of the pilot networks", fontsize=SMALL + 2)
    figure.supylabel("accuracy at the target size", fontsize=SMALL + 2)
    return list(axes[: len(present)])


def _draw_panel(ax: Axes, rows: pd.DataFrame, k: int) -> None:
    for method, style in method_styles(dict.fromkeys(rows["method"])).items():
        own = rows[rows["method"] == method].sort_values("n")
        ax.plot(
            own["n"], own["accuracy"], color=style.colour, marker=style.marker,
            linestyle=style.line, markersize=4, linewidth=1.2, label=method,
        )  # fmt: skip
    _size_axis(ax, ticker.FixedLocator(_tick_sizes(sorted(set(rows["n"])))))
    ax.tick_params(labelsize=SMALL)
    ax.set_title("1 feature" if k == 1 else f"{k} features", fontsize=SMALL + 2)
    ax.grid(alpha=0.25)


def _size_axis(ax: Axes, locator: ticker.Locator) -> None:
    """Make the x axis a logarithmic axis of numbers of nodes."""
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_minor_locator(ticker.NullLocator())
    ax.xaxis.set_major_formatter(ticker.StrMethodFormatter("{x:,.0f}"))


def _tick_sizes(sizes: Sequence[int]) -> list[int]:
    """Return sizes that are far enough apart for their labels."""
    ticks = [sizes[-1]]
    for size in reversed(sizes[:-1]):
        if size <= 0.72 * ticks[-1]:
            ticks.append(size)
    return ticks


def draw_study(study: PilotStudy, folder: Path) -> list[Path]:
    """Draw the figures of a study of pilots with several sizes, and return the paths of the files.

    The figures show the accuracy at the target size for each penalty, and how costs grow with the number
    of nodes: of all features together and of the most expensive ones.
    """
    drawn: dict[str, Any] = {
        f"accuracy-{penalty:g}": pilot_accuracy(study.accuracy, penalty=penalty)
        for penalty in dict.fromkeys(study.accuracy["penalty"])
    }
    names = [ALL_FEATURES, *_most_expensive(study.costs)][:MAX_SERIES]
    fits = []
    for name in names:
        power, curve = study.growth(name)
        fits += [power_fit(name, power), Fit(name, f"a + b·$n^{{{curve.c:.2f}}}$", curve)]
    drawn["growth"] = cost_growth(study.costs[study.costs["name"].isin(names)], fits)
    return [figures.save(figure, folder / f"{name}.png") for name, figure in drawn.items()]


def _most_expensive(costs: pd.DataFrame) -> list[str]:
    """Return features in order of decreasing cost at the target, with clearly different costs."""
    largest = costs[(costs["n"] == costs["n"].max()) & (costs["name"] != ALL_FEATURES)]
    names, lowest = [], math.inf
    for row in largest.sort_values("seconds", ascending=False).itertuples():
        if row.seconds < DISTINCT_COST * lowest:
            lowest = row.seconds
            names.append(row.name)
    return names
