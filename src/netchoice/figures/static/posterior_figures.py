"""Figures of parameters: posteriors over their priors, pairs of parameters, ranks of true values."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.figures.data.posteriors import (
    Floats,
    JointDraws,
    RankHistogram,
    posterior_histogram,
)
from netchoice.figures.static.axes import GREY, PLAIN, SMALL, small_panels
from netchoice.figures.style import BLUE, model_colour

Interval = tuple[float, float]


def posteriors(
    draws: pd.DataFrame, *,
    intervals: Mapping[str, Interval] | None = None,
    priors: Mapping[str, Interval] | None = None, model: str | None = None, columns: int = 3,
) -> NDArray[Any]:  # fmt: skip
    """Draw the posterior of each parameter as a histogram, and each pair of parameters as points.

    The axes span the ranges of the priors. In the histograms, which come first, the thick line at the
    bottom is the credible interval, and the dashed line is the density of a uniform prior.

    Parameters
    ----------
    draws : DataFrame (k, p), draws from the posterior, a column for each parameter
    intervals, priors : mapping from parameter to lower and upper end, optional
        Credible intervals, and ranges of the priors; by default the ranges of the draws.
    model : str, optional, the model that has these parameters, whose colour is used
    columns : int, number of panels in a row

    Examples
    --------
    >>> draws = pd.DataFrame({"p_new": [0.3, 0.35, 0.4], "p_delete": [0.5, 0.6, 0.4]})
    >>> axes = posteriors(draws, intervals={"p_new": (0.3, 0.4)}, priors={"p_new": (0.25, 0.75)})
    >>> axes[0].get_xlabel(), axes[0].get_title(loc="left"), axes[2].get_ylabel()
    ('p_new', '0.3 to 0.4', 'p_delete')
    """
    if not draws.shape[1] or not len(draws):
        raise UsageError(
            f"draws of shape {draws.shape}; expected at least one row, and a column for each parameter"
        )
    values = {str(name): draws[name].to_numpy(dtype=np.float64) for name in draws}
    pairs = list(combinations(values, 2))
    axes, figure = small_panels(len(values) + len(pairs), columns, 2.4)
    intervals, priors, colour = intervals or {}, priors or {}, _colour(model)
    for ax, name in zip(axes, values, strict=False):
        _draw_posterior(ax, name, values[name], intervals.get(name), priors.get(name), colour)
    for ax, names in zip(axes[len(values) :], pairs, strict=True):
        both = (values[name] for name in names)
        _draw_pair(ax, names, JointDraws.of(*both, *map(priors.get, names)), colour)
    handles = [
        Line2D([], [], color=colour, linewidth=4, alpha=0.6, label="posterior"),
        Line2D([], [], color=GREY, linestyle="--", linewidth=1.1, label="uniform prior"),
    ]
    if intervals:
        handles.append(Line2D([], [], color="black", linewidth=4, label="credible interval"))
    figure.legend(handles=handles, loc="outside upper left", ncols=3, **PLAIN)
    return axes


def _colour(model: str | None) -> str:
    return BLUE if model is None else model_colour(model)


def _draw_posterior(
    ax: Axes, name: str, draws: Floats, interval: Interval | None, prior: Interval | None, colour: str
) -> None:  # fmt: skip
    edges, density = posterior_histogram(draws, prior)
    ax.stairs(density, edges, color=colour, alpha=0.4, fill=True)
    ax.stairs(density, edges, color=colour, linewidth=1.2, gid="posterior")
    low, high = edges[[0, -1]]
    uniform = [1 / (high - low)] * 2
    ax.plot([low, high], uniform, color=GREY, linestyle="--", linewidth=1.1, gid="prior")
    ax.set(xlim=_with_margin(low, high), ylim=(0, None), yticks=[], xlabel=name)
    ax.tick_params(axis="x", labelsize=SMALL)
    if interval is not None:
        low, high = interval
        bar: dict[str, Any] = {"color": "black", "linewidth": 4, "solid_capstyle": "butt"}
        ax.plot([low, high], [0, 0], zorder=4, gid="interval", clip_on=False, **bar)
        ax.set_title(f"{low:.3g} to {high:.3g}", loc="left", fontsize=SMALL + 1)


def _draw_pair(ax: Axes, names: tuple[str, str], joint: JointDraws, colour: str) -> None:
    ax.plot(joint.x, joint.y, "o", color=colour, markersize=2.5, alpha=0.35, mew=0, gid="draws")
    ax.set(xlabel=names[0], ylabel=names[1])
    ax.set(xlim=_with_margin(*joint.x_range), ylim=_with_margin(*joint.y_range))
    ax.tick_params(labelsize=SMALL)
    ax.set_title(joint.label, loc="left", fontsize=SMALL + 1)


def _with_margin(low: float, high: float) -> Interval:
    margin = 0.02 * (high - low)
    return low - margin, high + margin


def rank_histograms(
    ranks: pd.DataFrame, n_draws: int, *, model: str | None = None, columns: int = 3
) -> NDArray[Any]:
    """Draw the ranks of the true values of each parameter, which are uniform if posteriors are exact.

    The relative rank is the share of draws below the true value. The grey band is the range of a bin
    expected by chance, with a probability of 99 %. If the outer bins are high, posteriors are too narrow;
    if the middle is high, they are too wide; a slope is a shift.

    Parameters
    ----------
    ranks : DataFrame (m, p)
        ``ranks`` of :class:`~netchoice.inference.PosteriorQuality`, a column for each parameter.
    n_draws : int, the largest possible rank
    model : str, optional, the model that has these parameters, whose colour is used
    columns : int, number of panels in a row

    Examples
    --------
    >>> axes = rank_histograms(pd.DataFrame({"p_new": range(0, 1000, 5)}), 999)
    >>> axes[0].get_xlabel(), axes[0].get_ylabel()
    ('relative rank of the true p_new', 'held-out simulations')
    """
    if not ranks.shape[1] or not len(ranks):
        raise UsageError(
            f"ranks of shape {ranks.shape}; expected at least one row, and a column for each parameter"
        )
    axes, figure = small_panels(ranks.shape[1], columns, 2.4)
    for ax, name in zip(axes, ranks, strict=True):
        histogram = RankHistogram.of(ranks[name], n_draws)
        ax.axhspan(histogram.low, histogram.high, color="0.85", gid="band", zorder=0)
        ax.stairs(
            histogram.counts,
            histogram.edges,
            color=_colour(model),
            linewidth=1.8,
            baseline=None,
            gid="ranks",
        )
        ax.set(xlim=(0, 1), ylim=(0, None), xlabel=f"relative rank of the true {name}")
        ax.yaxis.set_major_locator(MaxNLocator(5, integer=True))
        ax.tick_params(labelsize=SMALL)
    axes[0].set_ylabel("held-out simulations")
    handles: list[Any] = [
        Line2D([], [], color=_colour(model), linewidth=1.8, label="held-out simulations"),
        Patch(color="0.85", label="99% range by chance"),
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=2, **PLAIN)
    return axes
