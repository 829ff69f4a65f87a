"""Figures of a pilot study: accuracy and cost against the number of nodes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib import ticker
from matplotlib.axes import Axes
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.figures.data.checks import check_columns, check_names
from netchoice.figures.data.cost_text import cost_title
from netchoice.figures.static.axes import (
    BESIDE,
    PLAIN,
    SMALL,
    cost_axis,
    new_axes,
    new_panels,
    save,
)
from netchoice.figures.style import LINES, method_styles, series_styles
from netchoice.stores import place

if TYPE_CHECKING:
    from netchoice.cost_growth import CostGrowth
    from netchoice.workflows import PilotStudy

MAX_CURVES = 5
#: A feature is shown only if its cost is below this share of the cost of those already shown:
#: features that mostly consist of the same shared step have nearly equal costs.
DISTINCT_COST = 0.9


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

    Examples
    --------
    >>> frame = pd.DataFrame({"n": [10, 20], "method": "jmi", "penalty": 0.0, "k": 2,
    ...                       "accuracy": [0.8, 1.0]})
    >>> [ax.get_title() for ax in pilot_accuracy(frame)]
    ['2 features']
    """
    check_columns(accuracy, ("n", "method", "penalty", "k", "accuracy"), "accuracy table")
    shown = accuracy[accuracy["penalty"] == penalty]
    if not len(shown):
        known = ", ".join(f"{p:g}" for p in sorted(set(accuracy["penalty"])))
        raise UsageError(f"no accuracy for penalty {penalty:g}; there is {known}")
    present = [k for k in ks if k in set(shown["k"])] or [int(shown["k"].max())]
    across = 2 if len(present) == 4 else min(3, len(present))
    panels, figure = new_panels(len(present), across, 2 + 3.2 * across, 0.8, 2.7, sharey=True)
    for ax, k in zip(panels, present, strict=True):
        _draw_panel(ax, shown[shown["k"] == k], k)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside right upper", **PLAIN)
    figure.supxlabel("number of nodes of the pilot networks", fontsize=SMALL + 2)
    figure.supylabel("accuracy at the target size", fontsize=SMALL + 2)
    return list(panels)


def _draw_panel(ax: Axes, rows: pd.DataFrame, k: int) -> None:
    methods = list(dict.fromkeys(rows["method"]))
    for i, (method, style) in enumerate(method_styles(methods).items()):
        by_size = rows[rows["method"] == method].groupby("n")["accuracy"]
        mean, low, high = by_size.mean(), by_size.min(), by_size.max()
        shift = 1.015 ** (i - (len(methods) - 1) / 2)  # so that no bar hides another
        ax.errorbar(
            mean.index * shift, mean, yerr=[mean - low, high - mean], color=style.colour,
            marker=style.marker, linestyle=style.line, markersize=4, elinewidth=1, capsize=2,
            linewidth=1.2, label=method,
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


def cost_growth(
    frame: pd.DataFrame, fits: Iterable[Mapping[str, Any]] | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw the cost per network against its number of nodes, both logarithmic, with fits.

    The layout is that of Figure 3 of the paper.

    Parameters
    ----------
    frame : DataFrame
        One row for each name and size: name (such as "all", or a feature), n (number of nodes),
        seconds (mean per network) and, for error bars, seconds_se.
    fits : iterable of mappings, optional
        Each with name (a series of the frame), curve (a function from an array of n to seconds, or
        a pair of arrays, n and seconds), exponent and its interval low, high; or label instead of
        the exponent. Several fits of one series differ in line style.
    ax : Axes, optional

    Examples
    --------
    >>> frame = pd.DataFrame({"name": "all", "n": [100, 200, 400], "seconds": [0.01, 0.04, 0.16]})
    >>> fit = {"name": "all", "exponent": 2.0, "low": 1.9, "high": 2.1, "curve": lambda n: 1e-6 * n**2}
    >>> ax = cost_growth(frame, [fit])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['all', '∝ $n^{2.00}$ (1.90 to 2.10)']
    """
    check_columns(frame, ("name", "n", "seconds"), "cost growth table")
    if not ((frame["n"] > 0) & (frame["seconds"] > 0)).all():
        raise UsageError(
            "the cost growth table has n or seconds of 0 or less; a logarithmic axis needs "
            "positive numbers"
        )
    ax = new_axes(ax)
    last = frame.sort_values("n").groupby("name", sort=False)["seconds"].last()
    by_cost = [str(name) for name in last.sort_values(ascending=False, kind="stable").index]
    fits = list(fits or [])
    for fit in fits:
        _check_fit(fit, by_cost)
    handles: list[Any] = []
    sizes, seconds = list(frame["n"]), list(frame["seconds"])
    for name, style in series_styles(by_cost).items():
        rows = frame[frame["name"].astype(str) == name].sort_values("n")
        points = ax.errorbar(
            rows["n"], rows["seconds"], yerr=rows.get("seconds_se"), fmt=style.marker,
            color=style.colour, markersize=5, markeredgecolor="white", markeredgewidth=0.4,
            elinewidth=1, capsize=2, label=name, zorder=3,
        )  # fmt: skip
        handles.append(points)
        for i, fit in enumerate(fit for fit in fits if str(fit["name"]) == name):
            n, cost = _curve(fit, np.geomspace(rows["n"].min(), rows["n"].max(), 100))
            sizes += [n.min(), n.max()]
            seconds += [cost.min(), cost.max()]
            handles += ax.plot(
                n, cost, color=style.colour, linestyle=LINES[i % len(LINES)][0], linewidth=1.4,
                label=_label(fit), gid=f"fit of {name}",
            )  # fmt: skip
    is_wide = max(sizes) > 300 * min(sizes)
    _size_axis(ax, ticker.LogLocator(subs=(1.0,) if is_wide else (1.0, 2.0, 5.0)))
    ax.set_xlabel("number of nodes n")
    cost_axis(ax.yaxis, seconds, "s", cost_title("s"))
    ax.grid(alpha=0.25)
    ax.legend(handles=handles, fontsize=SMALL + 1, **BESIDE)
    return ax


def _check_fit(fit: Mapping[str, Any], names: list[str]) -> None:
    missing = [key for key in ("name", "curve") if key not in fit]
    if missing:
        found = ", ".join(map(str, fit))
        raise UsageError(f"a fit has {found}; it lacks {' and '.join(missing)}")
    check_names("series", [str(fit["name"])], names)


def _curve(fit: Mapping[str, Any], span: NDArray[np.float64]) -> Iterable[NDArray[np.float64]]:
    """Return sizes and costs along the curve of a fit."""
    curve = fit["curve"]
    pair = (span, curve(span)) if callable(curve) else curve
    return (np.asarray(values, dtype=np.float64) for values in pair)


def _label(fit: Mapping[str, Any]) -> str:
    if "label" in fit:
        return str(fit["label"])
    if "exponent" not in fit:
        return "fit"
    interval = f" ({fit['low']:.2f} to {fit['high']:.2f})" if {"low", "high"} <= set(fit) else ""
    return f"∝ $n^{{{fit['exponent']:.2f}}}$" + interval.replace("-", "−")


def draw_pilot_study(study: PilotStudy, folder: str | PathLike[str]) -> list[Path]:
    """Draw the figures of a pilot study and return the paths of the PNG files.

    The figures show the accuracy at the target size for each penalty and, with several sizes, how
    costs grow with the number of nodes.

    Parameters
    ----------
    study : PilotStudy, as :func:`netchoice.workflows.pilot` returned it
    folder : path, created if it does not exist

    Examples
    --------
    >>> import tempfile
    >>> from netchoice.workflows import pilot
    >>> study = pilot("ba", sizes=[20, 40], target=40, samples=40, methods=["jmi"], penalties=[0],
    ...               ks=[1, 2], features=["degree_mean", "transitivity"], engine="serial")
    >>> [path.stem for path in draw_pilot_study(study, tempfile.mkdtemp())]
    ['accuracy-0', 'growth']
    """
    drawn: dict[str, Any] = {
        f"accuracy-{penalty:g}": pilot_accuracy(study.accuracy, penalty=penalty)
        for penalty in study.settings.penalties
    }
    if study.cost_growth is not None:
        names = ["all", *_most_expensive(study.costs)][:MAX_CURVES]
        frame = study.costs[study.costs["name"].isin(names)]
        drawn["growth"] = cost_growth(frame, _fits(study.cost_growth, names))
    return [save(figure, place(folder) / f"{name}.png") for name, figure in drawn.items()]


def _most_expensive(costs: pd.DataFrame) -> list[str]:
    """Return features in order of decreasing cost at the target, with clearly different costs."""
    largest = costs[(costs["n"] == costs["n"].max()) & (costs["kind"] == "feature")]
    names, lowest = [], math.inf
    for row in largest.sort_values("seconds", ascending=False).itertuples():
        if row.seconds < DISTINCT_COST * lowest:
            lowest = row.seconds
            names.append(row.name)
    return names


def _fits(growth: CostGrowth, names: list[str]) -> list[dict[str, Any]]:
    """Return two curves for each name: a power of n, and a power with a fixed overhead."""
    fits: list[dict[str, Any]] = []
    for curve in growth.curves.values():
        if curve.kind not in ("feature", "total") or curve.name not in names:
            continue
        rows = growth.measured
        rows = rows[(rows["kind"] == curve.kind) & (rows["name"] == curve.name)]
        power = curve.exponent
        factor = float((rows["seconds"] / rows["n"] ** power).median())
        straight = {"name": curve.name, "exponent": power}
        if not math.isnan(curve.low):
            straight |= {"low": curve.low, "high": curve.high}
        fits.append({**straight, "curve": lambda n, b=factor, c=power: b * n**c})
        fits.append({"name": curve.name, "curve": curve, "label": f"a + b·$n^{{{curve.c:.2f}}}$"})
    return fits
