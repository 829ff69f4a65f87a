"""Histograms: features by model with the observed value, and posteriors of parameters over their priors."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.figures.axes import GREY, SMALL, Panel, draw_panels, halo, short
from netchoice.figures.style import BLUE, SeriesStyle, model_styles

Floats = NDArray[np.float64]
Range = tuple[float, float]
#: Values by name, such as those of one feature by model; a frame is one, too.
Columns = Mapping[str, Sequence[float]]

BINS, POSTERIOR_BINS = 30, 15
MOST_POINTS = 500  # in the plane of two parameters
MOST_FILLED = 3  # models; more filled areas would hide each other
_WIDE = 100.0  # the axis is logarithmic if the maximum is more than this many times the median
_ROUND = [1, 2, 5, 10]  # steps between ticks
_LARGEST = 1e300  # larger values would overflow
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def feature_distributions(
    samples: Mapping[str, Columns], observed: Mapping[str, float], *,
    labels: Mapping[str, str] | None = None, styles: Mapping[str, SeriesStyle] | None = None,
) -> NDArray[Any]:  # fmt: skip
    """Draw a histogram of each feature by model, with the value of the observed network.

    The axis of a feature that spans orders of magnitude is logarithmic, with a linear part around
    0 if the feature takes that value.

    Parameters
    ----------
    samples : mapping from feature and model to values of simulations
    observed : mapping from feature to the value of the network; a feature without one gets no line
    labels : mapping from feature to its title, by default the name
    styles : mapping from model to style, by default :func:`model_styles` of these models

    Examples
    --------
    >>> samples = {"degree_mean": {"a": [1, 2], "b": [2, 3]}, "estrada_index": {"a": [1e2, 1e9, 1e40]}}
    >>> axes = feature_distributions(samples, {"degree_mean": 9})
    >>> [ax.get_title(loc="left") for ax in axes], [ax.get_xscale() for ax in axes]
    (['degree_mean', 'estrada_index'], ['linear', 'log'])
    """
    models = list(dict.fromkeys(model for each in samples.values() for model in each))
    if not models:
        raise UsageError("no simulations to draw; expected values of at least one feature")
    styles = styles or model_styles(models)
    panels = histogram_panels(samples, observed, labels or {}, styles)
    return draw_panels(panels, 1.75, histogram_keys(models, styles))


def histogram_keys(models: Iterable[str], styles: Mapping[str, SeriesStyle]) -> list[Artist]:
    """Return what stands in the legend of histograms of features."""
    keys: list[Artist] = [
        Line2D([], [], color=styles[model].colour, linestyle=styles[model].line, label=short(model))
        for model in models
    ]
    return [*keys, Line2D([], [], color="black", linewidth=2.2, label="observed network")]


def histogram_panels(
    samples: Mapping[str, Mapping[str, Sequence[float]]], observed: Mapping[str, float],
    labels: Mapping[str, str], styles: Mapping[str, SeriesStyle],
) -> list[Panel]:  # fmt: skip
    """Return the histogram of each feature."""
    panels = []
    for name, values in samples.items():
        title, value = labels.get(name, name), observed.get(name, math.nan)
        label = f"Histograms of {title} by model; the observed value is {value:.4g}."
        panels.append(Panel(title, label, partial(_draw_feature, title, values, value, styles)))
    return panels


def _draw_feature(
    title: str, samples: Columns, observed: float, styles: Mapping[str, SeriesStyle], ax: Axes
) -> None:
    """Draw the histogram of one feature; values that are missing are left out."""
    groups = {model: _known(values) for model, values in samples.items()}
    line = _known([observed])
    shown = np.concatenate([*groups.values(), line])
    edges = _set_scale(ax, shown) if len(shown) else shown
    for model, own in groups.items():
        if not len(own):
            continue
        share, style = np.histogram(own, edges)[0] / len(own), styles[model]
        if len(groups) <= MOST_FILLED:
            ax.stairs(share, edges, color=style.colour, alpha=0.25, fill=True)
        how: dict[str, Any] = {"color": style.colour, "linestyle": style.line, "linewidth": 1.2}
        ax.stairs(share, edges, gid=f"model {model}", **how)
    for value in line:
        ax.axvline(value, gid="observed", color="black", linewidth=2.2, path_effects=halo(3.4))
    ax.set(ylim=(0, None), yticks=[])
    ax.tick_params(axis="x", labelsize=SMALL)
    ax.set_title(short(title, 40), loc="left", fontsize=SMALL + 1)


def _set_scale(ax: Axes, values: Floats) -> Floats:
    """Give the x axis the scale that suits the values; return bins that are even along it."""
    low, high = float(values.min()), float(values.max())
    sizes = np.abs(values[values != 0])
    ax.xaxis.set_major_locator(MaxNLocator(4, steps=_ROUND))
    if low == high:
        return np.array([low - 0.5, high + 0.5])
    if sizes.max() > _WIDE * np.median(sizes):
        linear_part = 10.0 ** math.ceil(math.log10(np.quantile(sizes, 0.02)))
        ax.set_xscale("log") if low > 0 else ax.set_xscale("symlog", linthresh=linear_part)
        locator: Any = ax.xaxis.get_major_locator()
        locator.set_params(numticks=4)
        ax.xaxis.set_major_formatter(FuncFormatter(lambda tick, _: power_text(tick)))
        ax.xaxis.set_minor_locator(NullLocator())
    elif high - low <= BINS and (values == np.round(values)).all():
        return np.arange(low - 0.5, high + 1)  # each integer has a bin
    axis = ax.xaxis.get_transform()
    first, last = axis.transform(np.array([low, high]))
    edges = axis.inverted().transform(np.linspace(first, last, BINS + 1))
    edges[[0, -1]] = low, high  # rounding must not exclude the extremes
    return np.asarray(edges)


def _known(values: Sequence[float]) -> Floats:
    """Return the values that are known, without infinities."""
    found = np.asarray(values, dtype=np.float64)
    return np.asarray(found[~np.isnan(found)].clip(-_LARGEST, _LARGEST))


def power_text(value: float) -> str:
    """Return a number as text; large and small powers of ten have an exponent.

    >>> power_text(-1e5), power_text(0.0009999999), power_text(0.0)
    ('−10⁵', '0.001', '0')
    """
    text = f"{value:.5g}"
    if "e" not in text:
        return text.replace("-", "−")
    mantissa, _, exponent = f"{value:.3g}".partition("e")
    factor = {"1": "", "-1": "−"}.get(mantissa, f"{mantissa}·".replace("-", "−"))
    return f"{factor}10{str(int(exponent)).translate(_RAISED)}"


# Parameters


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
    panels = posterior_panels(draws, intervals or {}, bounds or {}, uniform, colour)
    return draw_panels(panels, 2.4, posterior_keys(colour, bool(uniform)))


def posterior_keys(colour: str, uniform: bool) -> list[Artist]:
    """Return what stands in the legend of posteriors."""
    prior = Line2D([], [], color=GREY, linestyle="--", label="uniform prior")
    return [
        Line2D([], [], color=colour, linewidth=4, alpha=0.6, label="posterior"),
        Line2D([], [], color="black", linewidth=4, label="credible interval"),
        *([prior] if uniform else []),
    ]


def posterior_panels(
    draws: Columns, intervals: Mapping[str, Range], bounds: Mapping[str, Range],
    uniform: Collection[str], colour: str,
) -> list[Panel]:  # fmt: skip
    """Return the posterior of each parameter, and then the draws of each pair of parameters."""
    values, panels = _finite(draws), []
    for name, own in values.items():
        ends = intervals.get(name), bounds.get(name)
        draw = partial(_draw_posterior, name, own, *ends, name in uniform, colour)
        panels.append(Panel(name, f"Posterior of {name}.", draw))
    for pair in combinations(values, 2):
        both = " and ".join(pair)
        draw = partial(_draw_pair, pair, values, bounds, colour)
        panels.append(Panel(both, f"Draws of {both} together.", draw))
    return panels


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
    edges = np.linspace(low, high, POSTERIOR_BINS + 1)
    density = np.histogram(draws.clip(low, high), edges, density=True)[0]
    ax.stairs(density, edges, color=colour, alpha=0.4, fill=True)
    ax.stairs(density, edges, color=colour, linewidth=1.2, gid="posterior")
    if uniform:
        level = [1 / (high - low)] * 2
        ax.plot([low, high], level, color=GREY, linestyle="--", linewidth=1.1, gid="prior")
    ax.set(xlim=_with_margin(low, high), ylim=(0, None), yticks=[], xlabel=short(name))
    ax.xaxis.set_major_locator(MaxNLocator(6, steps=_ROUND))
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
        axis.set_major_locator(MaxNLocator(6, steps=_ROUND))
    ax.tick_params(labelsize=SMALL)
    title = f"draws (correlation {correlation:.2f})".replace("-", "−")
    ax.set_title(title, loc="left", fontsize=SMALL + 1)


def _with_margin(low: float, high: float) -> Range:
    margin = 0.02 * (high - low)
    return low - margin, high + margin
