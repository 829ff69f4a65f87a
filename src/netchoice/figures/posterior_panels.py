"""Figures of parameters: posteriors over their priors, pairs of parameters, ranks of true values."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.figures.axes import GREY, PLAIN, SMALL, few_ticks, short, small_panels
from netchoice.figures.style import BLUE, model_colour

Floats = NDArray[np.float64]
Range = tuple[float, float]
Bounds = Sequence[float | None] | None  # of a prior; None is a bound of the draws

BINS = 15
MOST_POINTS = 500  # in the plane of two parameters
MOST_RANK_BINS, HELD_OUT_PER_BIN = 10, 20
BAND = 0.99  # probability that the count of a bin is within the band, if posteriors are exact


def prior_range(draws: Floats, bounds: Bounds = None) -> Range:
    """Return the bounds of the prior; None is a bound of the draws.

    >>> prior_range(np.array([0.2, 0.4]), (0.0, None)), prior_range(np.array([3.0]))
    ((0.0, 0.4), (2.5, 3.5))
    """
    low, high = bounds or (None, None)
    low = float(draws.min()) if low is None else float(low)
    high = float(draws.max()) if high is None else float(high)
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def posterior_histogram(draws: Floats, bounds: Bounds = None) -> tuple[Floats, Floats]:
    """Return bin edges and density over the bounds of the prior; None is a bound of the draws."""
    low, high = prior_range(draws, bounds)
    edges = np.linspace(low, high, BINS + 1)
    return edges, np.histogram(draws.clip(low, high), edges, density=True)[0]


def rank_histogram(ranks: Any, n_draws: int) -> tuple[Floats, NDArray[np.int64], Range]:
    """Return bin edges and counts of ranks from 0 to ``n_draws``, and the range of a count by chance.

    A rank is divided by the number of draws; a bin has about 20 simulations.

    >>> edges, counts, by_chance = rank_histogram(np.arange(200) * 5, 999)
    >>> counts.tolist(), by_chance
    ([20, 20, 20, 20, 20, 20, 20, 20, 20, 20], (10.0, 32.0))
    """
    from scipy.stats import binom

    shares = (np.asarray(ranks, dtype=np.float64) + 0.5) / (n_draws + 1)
    n, n_bins = len(shares), max(2, min(MOST_RANK_BINS, len(shares) // HELD_OUT_PER_BIN))
    edges = np.linspace(0, 1, n_bins + 1)
    low, high = binom(n, 1 / n_bins).interval(BAND)
    return edges, np.histogram(shares, edges)[0], (float(low), float(high))


def uniform_priors(spec: Mapping[str, Any]) -> set[str]:
    """Return the parameters of a model that have a uniform prior, from the record of its space.

    If networks are density-matched, only some draws are kept, and those need not be uniform.

    >>> sorted(uniform_priors({"priors": {
    ...     "a": "uniform(0, 1)", "b": "loguniform(1, 9)", "c": "integers(1, 9)",
    ...     "d": "scipy.stats.uniform(0.25, 0.5) on [0.25, 0.75]"}}))
    ['a', 'd']
    """
    priors = {} if "match" in spec else spec.get("priors", {})
    texts = {name: str(prior).removeprefix("scipy.stats.") for name, prior in priors.items()}
    return {name for name, text in texts.items() if text.startswith("uniform(")}


def posteriors(
    draws: pd.DataFrame, *,
    intervals: Mapping[str, Range] | None = None, priors: Mapping[str, Range] | None = None,
    uniform: Collection[str] | None = None, model: str | None = None, columns: int = 3,
) -> NDArray[Any]:  # fmt: skip
    """Draw the posterior of each parameter as a histogram, and each pair of parameters as points.

    The axes span the ranges of the priors. In the histograms, which come first, the thick line at the
    bottom is the credible interval, and the dashed line is the density of a uniform prior.

    Parameters
    ----------
    draws : DataFrame (k, p), draws from the posterior, a column for each parameter
    intervals, priors : mapping from parameter to lower and upper end, optional
        Credible intervals, and ranges of the priors; by default the ranges of the draws.
    uniform : collection of str, parameters with a uniform prior; by default all
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
    uniform = values if uniform is None else uniform
    for ax, name in zip(axes, values, strict=False):
        draw_posterior(
            ax, name, values[name], intervals.get(name), priors.get(name), colour=colour,
            uniform=name in uniform,
        )  # fmt: skip
    for ax, names in zip(axes[len(values) :], pairs, strict=True):
        draw_pair(ax, names, values, priors, colour=colour)
    handles = [
        Line2D([], [], color=colour, linewidth=4, alpha=0.6, label="posterior"),
    ]
    if uniform:
        dashes: dict[str, Any] = {"linestyle": "--", "linewidth": 1.1, "label": "uniform prior"}
        handles.append(Line2D([], [], color=GREY, **dashes))
    if intervals:
        handles.append(Line2D([], [], color="black", linewidth=4, label="credible interval"))
    figure.legend(handles=handles, loc="outside upper left", ncols=3, **PLAIN)
    return axes


def _colour(model: str | None) -> str:
    return BLUE if model is None else model_colour(model)


def draw_posterior(
    ax: Axes, name: str, draws: Floats, interval: Sequence[float] | None, bounds: Bounds = None, *,
    colour: str, uniform: bool = True,
) -> None:  # fmt: skip
    """Draw the posterior of one parameter over its prior, which has a line if it is uniform."""
    edges, density = posterior_histogram(draws, bounds)
    ax.stairs(density, edges, color=colour, alpha=0.4, fill=True)
    ax.stairs(density, edges, color=colour, linewidth=1.2, gid="posterior")
    low, high = edges[[0, -1]]
    if uniform:
        level = [1 / (high - low)] * 2
        ax.plot([low, high], level, color=GREY, linestyle="--", linewidth=1.1, gid="prior")
    ax.set(xlim=_with_margin(low, high), ylim=(0, None), yticks=[], xlabel=short(name))
    few_ticks(ax.xaxis, 6)
    ax.tick_params(axis="x", labelsize=SMALL)
    if interval is not None:
        low, high = interval
        bar: dict[str, Any] = {"color": "black", "linewidth": 4, "solid_capstyle": "butt"}
        ax.plot([low, high], [0, 0], zorder=4, gid="interval", clip_on=False, **bar)
        ax.set_title(f"{low:.3g} to {high:.3g}", loc="left", fontsize=SMALL + 1)


def draw_pair(
    ax: Axes, names: tuple[str, str], draws: Mapping[str, Floats], bounds: Mapping[str, Bounds], *,
    colour: str,
) -> None:  # fmt: skip
    """Draw the draws of two parameters as points in the plane."""
    x, y = (draws[name] for name in names)
    varies = x.std() > 0 and y.std() > 0
    correlation = float(np.corrcoef(x, y)[0, 1]) if varies else 0.0
    step = max(1, -(-len(x) // MOST_POINTS))
    ax.plot(x[::step], y[::step], "o", color=colour, markersize=2.5, alpha=0.35, mew=0, gid="draws")
    ends = [_with_margin(*prior_range(draws[name], bounds.get(name))) for name in names]
    ax.set(xlabel=short(names[0]), ylabel=short(names[1]), xlim=ends[0], ylim=ends[1])
    for axis in (ax.xaxis, ax.yaxis):
        few_ticks(axis, 6)
    ax.tick_params(labelsize=SMALL)
    title = f"draws (correlation {correlation:.2f})".replace("-", "−")
    ax.set_title(title, loc="left", fontsize=SMALL + 1)


def _with_margin(low: float, high: float) -> Range:
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
    ('relative rank of the true p_new', 'simulations')
    """
    if not ranks.shape[1] or not len(ranks):
        raise UsageError(
            f"ranks of shape {ranks.shape}; expected at least one row, and a column for each parameter"
        )
    axes, figure = small_panels(ranks.shape[1], columns, 2.4)
    for ax, name in zip(axes, ranks, strict=True):
        draw_ranks(ax, str(name), ranks[name], n_draws, colour=_colour(model))
    handles: list[Any] = [
        Line2D([], [], color=_colour(model), linewidth=1.8, label="held-out simulations"),
        Patch(color="0.85", label="99% range by chance"),
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=2, **PLAIN)
    return axes


def draw_ranks(ax: Axes, name: str, ranks: Any, n_draws: int, *, colour: str) -> None:
    """Draw the ranks of the true values of one parameter over the range expected by chance."""
    edges, counts, (low, high) = rank_histogram(ranks, n_draws)
    ax.axhspan(low, high, color="0.85", gid="band", zorder=0)
    ax.stairs(counts, edges, color=colour, linewidth=1.8, baseline=None, gid="ranks")
    ax.set(xlim=(0, 1), ylim=(0, None), xlabel=f"relative rank of the true {short(name)}")
    ax.set_ylabel("simulations")
    few_ticks(ax.yaxis, 5, integer=True)
    ax.tick_params(labelsize=SMALL)
