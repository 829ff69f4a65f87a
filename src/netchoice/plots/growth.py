"""What networks cost as they grow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.names import unknown
from netchoice.plots.canvas import (
    LINES,
    SMALL,
    Sign,
    checked,
    cost_axis,
    paper,
    signs,
    size_axis,
)


def cost_growth(
    frame: pd.DataFrame,
    fits: Iterable[Mapping[str, Any]] | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Cost per network against its number of nodes, both logarithmic, with fits.

    As Figure 3 of the paper.

    Parameters
    ----------
    frame : DataFrame
        One row for each name and size: name (such as "all", or a feature), n (nodes), seconds
        (the mean per network) and, for error bars, seconds_se.
    fits : iterable of mappings, optional
        Each with name (a series of the frame), curve (a function from an array of n to seconds, or
        a pair of arrays, n and seconds), exponent and its interval low, high; or label, instead of
        the exponent. Several fits of one series differ in their lines.
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
    checked(frame, ("name", "n", "seconds"), "growth table")
    if not ((frame["n"] > 0) & (frame["seconds"] > 0)).all():
        raise UsageError(
            "the growth table has n or seconds that are 0 or less; logarithms need more"
        )
    ax = paper(ax)
    last = frame.sort_values("n").groupby("name", sort=False)["seconds"].last()
    by_cost = [str(name) for name in last.sort_values(ascending=False, kind="stable").index]
    drawn = _by_name(fits or [], by_cost)
    entries: list[Any] = []
    sizes: list[float] = list(frame["n"])
    seconds: list[float] = list(frame["seconds"])
    for name, sign in signs(by_cost).items():
        rows = frame[frame["name"].astype(str) == name].sort_values("n")
        entries.append(_markers(ax, name, rows, sign))
        span = np.geomspace(rows["n"].min(), rows["n"].max(), 100)
        for i, fit in enumerate(drawn[name]):
            n, cost = _curve(fit, span)
            sizes += [n.min(), n.max()]
            seconds += [cost.min(), cost.max()]
            entries += ax.plot(
                n, cost, color=sign.colour, linestyle=LINES[i % len(LINES)], linewidth=1.4,
                label=_label(fit), gid=f"fit of {name}",
            )  # fmt: skip
    size_axis(ax.xaxis, sizes)
    cost_axis(ax.yaxis, seconds, "s", "cost per network")
    ax.grid(alpha=0.25)
    ax.legend(
        handles=entries, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False,
        fontsize=SMALL + 1,
    )  # fmt: skip
    return ax


def _by_name(
    fits: Iterable[Mapping[str, Any]], names: list[str]
) -> dict[str, list[Mapping[str, Any]]]:
    drawn: dict[str, list[Mapping[str, Any]]] = {name: [] for name in names}
    for fit in fits:
        missing = [key for key in ("name", "curve") if key not in fit]
        if missing:
            raise UsageError(
                f"a fit has {', '.join(map(str, fit))}; it lacks {' and '.join(missing)}"
            )
        if str(fit["name"]) not in drawn:
            raise unknown("series", str(fit["name"]), names)
        drawn[str(fit["name"])].append(fit)
    return drawn


def _markers(ax: Axes, name: str, rows: pd.DataFrame, sign: Sign) -> Any:
    errors = rows.get("seconds_se")
    return ax.errorbar(
        rows["n"], rows["seconds"], yerr=errors, fmt=sign.marker, color=sign.colour, markersize=5,
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
