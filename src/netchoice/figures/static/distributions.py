"""Figures of features over the simulations and of parameters over their priors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, NullLocator
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.figures.data import histograms
from netchoice.figures.data.checks import check_names
from netchoice.figures.static.axes import GREY, PLAIN, SMALL, WIDTH, halo, new_panels
from netchoice.figures.style import BLUE, SeriesStyle, series_styles


def feature_distributions(
    X: pd.DataFrame, y: Any, observed: Mapping[str, float], features: Iterable[str] | None = None,
    *, columns: int = 3,
) -> NDArray[Any]:  # fmt: skip
    """Draw a histogram of each feature by model, with the value of the observed network.

    The axis of a feature that spans orders of magnitude is logarithmic, with a linear part around
    0 if the feature takes that value.

    Parameters
    ----------
    X, y : DataFrame (n, q), array (n,)
        Features of the simulations, and their models.
    observed : mapping
        Features of the observed network. A feature without a value gets no line.
    features : iterable of str, by default all
    columns : int, number of panels in a row

    Examples
    --------
    >>> X = pd.DataFrame({"degree_mean": [1, 2, 2, 3.0], "estrada_index": [1e2, 1e9, 1e20, 1e40]})
    >>> axes = feature_distributions(X, ["a", "a", "b", "b"], {"degree_mean": 9, "estrada_index": 1})
    >>> [ax.get_title(loc="left") for ax in axes], [ax.get_xscale() for ax in axes]
    (['degree_mean', 'estrada_index'], ['linear', 'log'])
    """
    names = check_names("feature", features, [str(name) for name in X.columns])
    models = np.asarray(y).astype(str)
    if len(models) != len(X) or not len(X):
        raise UsageError(f"{len(X)} rows and {len(models)} labels; expected rows with a label each")
    styles = series_styles(str(model) for model in np.unique(models))
    axes, figure = _panels(len(names), columns, 1.75)
    for ax, name in zip(axes, names, strict=True):
        values = X[name].to_numpy(dtype=np.float64)
        value = float(observed.get(name, np.nan))
        _draw_histogram(ax, histograms.feature_histogram(name, values, models, value), styles)
    handles = [
        Line2D([], [], color=style.colour, linestyle=style.line, linewidth=1.6, label=model)
        for model, style in styles.items()
    ]
    handles.append(Line2D([], [], color="black", linewidth=2.2, label="observed network"))
    figure.legend(handles=handles, loc="outside upper left", ncols=5, **PLAIN)
    return axes


def _panels(n: int, columns: int, height: float) -> tuple[NDArray[Any], Figure]:
    return new_panels(n, columns, WIDTH * max(min(n, columns) / 3, 0.6), 0.5, height)


def _draw_histogram(
    ax: Axes, histogram: histograms.FeatureHistogram, styles: Mapping[str, SeriesStyle]
) -> None:
    scale, edges = histogram.scale, histogram.edges
    if scale.kind == "linear":
        ax.xaxis.set_major_locator(MaxNLocator(4))
    else:
        linear_part = {"linthresh": scale.linear_part} if scale.kind == "symlog" else {}
        ax.set_xscale(scale.kind, **linear_part)
        ax.set_xticks(scale.ticks())
    ax.xaxis.set_minor_locator(NullLocator())
    for model, share in histogram.shares.items():
        colour, line = styles[model].colour, styles[model].line
        ax.stairs(share, edges, color=colour, alpha=0.25, fill=True)
        ax.stairs(share, edges, color=colour, linestyle=line, linewidth=1.2, gid=f"model {model}")
    if histogram.observed is not None:
        ax.axvline(
            histogram.observed, gid="observed", color="black", linewidth=2.2, path_effects=halo(3.4)
        )
    ax.set(ylim=(0, None), yticks=[])
    ax.tick_params(axis="x", labelsize=SMALL)
    ax.set_title(histogram.name, loc="left", fontsize=SMALL + 1)


def posteriors(
    draws: pd.DataFrame, *,
    intervals: Mapping[str, tuple[float, float]] | None = None,
    priors: Mapping[str, tuple[float, float]] | None = None, columns: int = 3,
) -> NDArray[Any]:  # fmt: skip
    """Draw the posterior of each parameter as a histogram over the range of its prior.

    The thick line at the bottom is the credible interval. The dashed line is the density of a
    uniform prior.

    Parameters
    ----------
    draws : DataFrame (k, p), draws from the posterior, a column for each parameter
    intervals, priors : mapping from parameter to lower and upper end, optional
        Credible intervals, and ranges of the priors; by default the ranges of the draws.
    columns : int, number of panels in a row

    Examples
    --------
    >>> draws = pd.DataFrame({"p_new": [0.3, 0.35, 0.4]})
    >>> axes = posteriors(draws, intervals={"p_new": (0.3, 0.4)}, priors={"p_new": (0.25, 0.75)})
    >>> axes[0].get_xlabel(), axes[0].get_title(loc="left")
    ('p_new', '0.3 to 0.4')
    """
    if not draws.shape[1] or not len(draws):
        raise UsageError(
            f"draws of shape {draws.shape}; expected at least one row, and a column for each parameter"
        )
    axes, figure = _panels(draws.shape[1], columns, 2.4)
    for ax, name in zip(axes, map(str, draws.columns), strict=True):
        values = draws[name].to_numpy(dtype=np.float64)
        edges, density = histograms.posterior_histogram(values, (priors or {}).get(name))
        ax.stairs(density, edges, color=BLUE, alpha=0.4, fill=True)
        ax.stairs(density, edges, color=BLUE, linewidth=1.2, gid="posterior")
        low, high = edges[[0, -1]]
        uniform = [1 / (high - low)] * 2
        ax.plot([low, high], uniform, color=GREY, linestyle="--", linewidth=1.1, gid="prior")
        margin = 0.02 * (high - low)
        ax.set(xlim=(low - margin, high + margin), ylim=(0, None), yticks=[], xlabel=name)
        ax.tick_params(axis="x", labelsize=SMALL)
        if intervals and name in intervals:
            low, high = intervals[name]
            bar = {"color": "black", "linewidth": 4, "solid_capstyle": "butt", "clip_on": False}
            ax.plot([low, high], [0, 0], zorder=4, gid="interval", **bar)
            ax.set_title(f"{low:.3g} to {high:.3g}", loc="left", fontsize=SMALL + 1)
    handles = [
        Line2D([], [], color=BLUE, linewidth=4, alpha=0.6, label="posterior"),
        Line2D([], [], color=GREY, linestyle="--", linewidth=1.1, label="uniform prior"),
    ]
    if intervals:
        handles.append(Line2D([], [], color="black", linewidth=4, label="credible interval"))
    figure.legend(handles=handles, loc="outside upper left", ncols=3, **PLAIN)
    return axes
