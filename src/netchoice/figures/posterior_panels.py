"""Figures of parameters: posteriors over their priors, and pairs of parameters."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.figures.axes import GREY, SMALL, Panel, draw_panels, few_ticks, short
from netchoice.figures.style import BLUE

Floats = NDArray[np.float64]
Range = tuple[float, float]
#: Values by parameter; a frame with a column for each parameter is one, too.
Columns = Mapping[str, Sequence[float]]

BINS = 15
MOST_POINTS = 500  # in the plane of two parameters


def posteriors(
    draws: Columns, *,
    intervals: Mapping[str, Range] | None = None, bounds: Mapping[str, Range] | None = None,
    uniform: Collection[str] = (), colour: str = BLUE,
) -> NDArray[Any]:  # fmt: skip
    """Draw the posterior of each parameter as a histogram, and each pair of parameters as points.

    The axes span the ranges of the priors. In the histograms, which come first, the thick line at the
    bottom is the credible interval, and the dashed line is the density of a uniform prior.

    Parameters
    ----------
    draws : mapping or DataFrame, draws from the posterior by parameter
    intervals, bounds : mapping from parameter to lower and upper end, optional
        Credible intervals, and bounds of the priors; by default, and for a bound that is not finite,
        the range of the draws.
    uniform : collection of str, parameters with a uniform prior
    colour : str

    Examples
    --------
    >>> draws = {"p_new": [0.3, 0.35, 0.4], "p_delete": [0.5, 0.6, 0.4]}
    >>> axes = posteriors(draws, intervals={"p_new": (0.3, 0.4)}, bounds={"p_new": (0.25, 0.75)})
    >>> axes[0].get_xlabel(), axes[0].get_title(loc="left"), axes[2].get_ylabel()
    ('p_new', '0.3 to 0.4', 'p_delete')
    """
    panels = [
        *posterior_panels(draws, intervals or {}, bounds or {}, uniform, colour),
        *pair_panels(draws, bounds or {}, colour),
    ]
    keys = [Line2D([], [], color=colour, linewidth=4, alpha=0.6, label="posterior")]
    if uniform:
        keys.append(Line2D([], [], color=GREY, linestyle="--", label="uniform prior"))
    if intervals:
        keys.append(Line2D([], [], color="black", linewidth=4, label="credible interval"))
    return draw_panels(panels, 2.4, keys)


def posterior_panels(
    draws: Columns, intervals: Mapping[str, Range], bounds: Mapping[str, Range],
    uniform: Collection[str], colour: str,
) -> list[Panel]:  # fmt: skip
    """Return the posterior of each parameter."""
    values = _finite(draws)
    return [
        Panel(
            f"Posterior of {name}.",
            partial(
                _draw_posterior,
                name,
                own,
                intervals.get(name),
                bounds.get(name),
                name in uniform,
                colour,
            ),
        )
        for name, own in values.items()
    ]


def pair_panels(draws: Columns, bounds: Mapping[str, Range], colour: str) -> list[Panel]:
    """Return the draws of each pair of parameters."""
    values = _finite(draws)
    return [
        Panel(
            f"Draws of {' and '.join(names)} together.",
            partial(_draw_pair, names, values, bounds, colour),
        )
        for names in combinations(values, 2)
    ]


def _finite(draws: Columns) -> dict[str, Floats]:
    """Return the draws that are finite, the same for all parameters."""
    names = [str(name) for name in draws]
    values = np.array([np.asarray(draws[name], dtype=np.float64) for name in names])
    if values.size:
        values = values[:, np.isfinite(values).all(axis=0)]
    if not values.size:
        raise UsageError("no draws; expected at least one parameter, and one finite draw of it")
    return dict(zip(names, values, strict=True))


def prior_range(draws: Floats, bounds: Range | None) -> Range:
    """Return the bounds of the prior; one that is not finite is that of the draws.

    >>> prior_range(np.array([0.2, 0.4]), (0.0, np.inf)), prior_range(np.array([3.0]), None)
    ((0.0, 0.4), (2.5, 3.5))
    """
    low, high = bounds or (np.nan, np.nan)
    low = float(low if np.isfinite(low) else draws.min())
    high = float(high if np.isfinite(high) else draws.max())
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def _draw_posterior(
    name: str, draws: Floats, interval: Range | None, bounds: Range | None, uniform: bool,
    colour: str, ax: Axes,
) -> None:  # fmt: skip
    """Draw the posterior of one parameter over its prior, which has a line if it is uniform."""
    low, high = prior_range(draws, bounds)
    edges = np.linspace(low, high, BINS + 1)
    density = np.histogram(draws.clip(low, high), edges, density=True)[0]
    ax.stairs(density, edges, color=colour, alpha=0.4, fill=True)
    ax.stairs(density, edges, color=colour, linewidth=1.2, gid="posterior")
    if uniform:
        level = [1 / (high - low)] * 2
        ax.plot([low, high], level, color=GREY, linestyle="--", linewidth=1.1, gid="prior")
    ax.set(xlim=_with_margin(low, high), ylim=(0, None), yticks=[], xlabel=short(name))
    few_ticks(ax.xaxis, 6)
    ax.tick_params(axis="x", labelsize=SMALL)
    if interval is not None:
        bar: dict[str, Any] = {"color": "black", "linewidth": 4, "solid_capstyle": "butt"}
        ax.plot(interval, [0, 0], zorder=4, gid="interval", clip_on=False, **bar)
        ax.set_title(f"{interval[0]:.3g} to {interval[1]:.3g}", loc="left", fontsize=SMALL + 1)


def _draw_pair(
    names: tuple[str, str], draws: Mapping[str, Floats], bounds: Mapping[str, Range], colour: str,
    ax: Axes,
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
