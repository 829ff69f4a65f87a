"""Figure of the cost per network against its number of nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.figures.data.checks import check_columns, check_names
from netchoice.figures.data.cost_text import cost_title
from netchoice.figures.static.axes import SMALL, cost_axis, new_axes, size_axis
from netchoice.figures.style import LINES, SeriesStyle, series_styles


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

    Returns
    -------
    Axes

    Examples
    --------
    >>> import pandas as pd
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
    fits_by_name = _by_name(fits or [], by_cost)
    handles: list[Any] = []
    sizes: list[float] = list(frame["n"])
    seconds: list[float] = list(frame["seconds"])
    for name, style in series_styles(by_cost).items():
        rows = frame[frame["name"].astype(str) == name].sort_values("n")
        handles.append(_draw_points(ax, name, rows, style))
        span = np.geomspace(rows["n"].min(), rows["n"].max(), 100)
        for i, fit in enumerate(fits_by_name[name]):
            n, cost = _curve(fit, span)
            sizes += [n.min(), n.max()]
            seconds += [cost.min(), cost.max()]
            handles += ax.plot(
                n, cost, color=style.colour, linestyle=LINES[i % len(LINES)][0], linewidth=1.4,
                label=_label(fit), gid=f"fit of {name}",
            )  # fmt: skip
    size_axis(ax.xaxis, sizes)
    cost_axis(ax.yaxis, seconds, "s", cost_title("s"))
    ax.grid(alpha=0.25)
    ax.legend(
        handles=handles, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False,
        fontsize=SMALL + 1,
    )  # fmt: skip
    return ax


def _by_name(
    fits: Iterable[Mapping[str, Any]], names: list[str]
) -> dict[str, list[Mapping[str, Any]]]:
    by_name: dict[str, list[Mapping[str, Any]]] = {name: [] for name in names}
    for fit in fits:
        missing = [key for key in ("name", "curve") if key not in fit]
        if missing:
            raise UsageError(
                f"a fit has {', '.join(map(str, fit))}; it lacks {' and '.join(missing)}"
            )
        (name,) = check_names("series", [str(fit["name"])], names)
        by_name[name].append(fit)
    return by_name


def _draw_points(ax: Axes, name: str, rows: pd.DataFrame, style: SeriesStyle) -> Any:
    errors = rows.get("seconds_se")
    return ax.errorbar(
        rows["n"], rows["seconds"], yerr=errors, fmt=style.marker, color=style.colour, markersize=5,
        markeredgecolor="white", markeredgewidth=0.4, elinewidth=1, capsize=2, label=name, zorder=3,
    )  # fmt: skip


def _curve(
    fit: Mapping[str, Any], span: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    curve = fit["curve"]
    n, cost = (span, curve(span)) if callable(curve) else curve
    return np.asarray(n, dtype=np.float64), np.asarray(cost, dtype=np.float64)


def _label(fit: Mapping[str, Any]) -> str:
    if "label" in fit:
        return str(fit["label"])
    if "exponent" not in fit:
        return "fit"
    interval = f" ({fit['low']:.2f} to {fit['high']:.2f})" if {"low", "high"} <= set(fit) else ""
    return f"∝ $n^{{{fit['exponent']:.2f}}}$" + interval.replace("-", "−")
