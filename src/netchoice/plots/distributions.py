"""Pictures of what an answer rests on: features over the simulations, parameters over their priors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator, SymmetricalLogLocator
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.plots.canvas import COLOURS, DPI, GREY, SMALL, WIDTH, halo, one_of, signs
from netchoice.plots.choices import Range, shades

_ORDERS = 100.0  # a feature whose largest value is so many times its middle is drawn by logarithm
_BINS = 30


def feature_distributions(
    X: pd.DataFrame,
    y: Any,
    observed: Mapping[str, float],
    features: Iterable[str] | None = None,
    *,
    columns: int = 3,
) -> NDArray[Any]:
    """For each feature, its histogram over the simulations of each model and the network's value.

    Where a feature spans orders of magnitude the axis is logarithmic, with a linear piece
    about 0 if it takes that value.

    Parameters
    ----------
    X : DataFrame (n, q)
        Features of the simulations.
    y : array (n,)
        Their models.
    observed : mapping
        Features of the network; one without a value has no line.
    features : iterable of str, optional
        Which ones; by default all.
    columns : int
        Pictures in a row.

    Returns
    -------
    array of Axes
        One for each feature.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"degree_mean": [1, 2, 2, 3.0], "estrada_index": [1e2, 1e9, 1e20, 1e40]})
    >>> axes = feature_distributions(X, ["a", "a", "b", "b"], {"degree_mean": 9, "estrada_index": 1})
    >>> [ax.get_title(loc="left") for ax in axes], [ax.get_xscale() for ax in axes]
    (['degree_mean', 'estrada_index'], ['linear', 'log'])
    """
    known = [str(name) for name in X.columns]
    names = [one_of("feature", name, known) for name in (known if features is None else features)]
    if not names:
        raise UsageError("no features to draw; expected at least one")
    models = np.asarray(y).astype(str)
    if len(models) != len(X) or not len(X):
        raise UsageError(f"{len(X)} rows and {len(models)} labels; expected one for each, and some")
    told = [str(model) for model in np.unique(models)]
    axes, figure = _grid(len(names), columns, 1.75)
    for ax, name in zip(axes, names, strict=True):
        value = float(observed.get(name, np.nan))
        _histograms(ax, X[name].to_numpy(dtype=np.float64), models, value)
        ax.set_title(name, loc="left", fontsize=SMALL + 1)
    handles = [
        Line2D([], [], color=colour, linestyle=sign.line, linewidth=1.6, label=model)
        for (model, sign), colour in zip(signs(told).items(), shades(told), strict=True)
    ]
    handles.append(Line2D([], [], color="black", linewidth=2.2, label="observed network"))
    figure.legend(
        handles=handles, loc="outside upper left", ncols=5, frameon=False, fontsize=SMALL + 1
    )
    return axes


def _grid(n: int, columns: int, height: float) -> tuple[NDArray[Any], Figure]:
    across = max(1, min(n, columns))
    down = -(-n // across)
    figure = Figure(
        figsize=(max(WIDTH * across / 3, 0.6 * WIDTH), 0.5 + height * down), dpi=DPI,
        layout="constrained",
    )  # fmt: skip
    every = figure.subplots(down, across, squeeze=False).ravel()
    for blank in every[n:]:
        blank.remove()
    return every[:n], figure


def _histograms(ax: Axes, values: NDArray[np.float64], models: Any, observed: float) -> None:
    values = values.clip(-1e300, 1e300)
    shown = values if np.isnan(observed) else np.append(values, np.clip(observed, -1e300, 1e300))
    linear = _linear_part(values)
    if linear is None:
        edges = _even(shown)
        ax.xaxis.set_major_locator(MaxNLocator(4))
    elif shown.min() > 0:
        edges = np.geomspace(shown.min(), shown.max(), _BINS + 1)
        ax.set_xscale("log")
        ax.xaxis.set_major_locator(LogLocator(numticks=5))
    else:
        edges = _logarithmic(shown, linear)
        ax.set_xscale("symlog", linthresh=linear)
        locator = SymmetricalLogLocator(base=10, linthresh=linear)
        locator.set_params(numticks=5)
        ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_minor_locator(NullLocator())
    names = [str(name) for name in np.unique(models)]
    for (name, sign), colour in zip(signs(names).items(), shades(names), strict=True):
        own = values[models == name]
        share = np.histogram(own, edges)[0] / len(own)
        ax.stairs(share, edges, color=colour, alpha=0.25, fill=True)
        ax.stairs(
            share, edges, color=colour, linestyle=sign.line, linewidth=1.2, gid=f"model {name}"
        )
    if not np.isnan(observed):
        ax.axvline(shown[-1], color="black", linewidth=2.2, path_effects=halo(3.4), gid="observed")
    ax.set_ylim(0, None)
    ax.set_yticks([])
    ax.tick_params(axis="x", labelsize=SMALL)


def _linear_part(values: NDArray[np.float64]) -> float | None:
    """Where a logarithmic axis begins, or None if a linear one will do."""
    sizes = np.abs(values[values != 0])
    if not len(sizes):
        return None
    typical = float(np.quantile(sizes, 0.5))
    wide = sizes.max() > _ORDERS * typical
    # A power of ten, so that the axis has a tick there and none between there and 0.
    return float(10 ** np.ceil(np.log10(np.quantile(sizes, 0.02)))) if wide else None


def _even(values: NDArray[np.float64]) -> NDArray[np.float64]:
    low, high = float(values.min()), float(values.max())
    if low == high:
        return np.array([low - 0.5, low + 0.5])
    if (values == np.round(values)).all() and high - low <= _BINS:
        return np.arange(low - 0.5, high + 1)
    return np.linspace(low, high, _BINS + 1)


def _logarithmic(values: NDArray[np.float64], linear: float) -> NDArray[np.float64]:
    low, high = float(values.min()), float(values.max())
    steps = np.linspace(np.arcsinh(low / linear), np.arcsinh(high / linear), _BINS + 1)
    edges = np.asarray(np.sinh(steps) * linear)
    edges[[0, -1]] = low, high  # rounding must not leave out the outermost
    return edges


def posteriors(
    draws: pd.DataFrame,
    *,
    weights: Any = None,
    intervals: Mapping[str, Range] | None = None,
    priors: Mapping[str, Range] | None = None,
    columns: int = 3,
) -> NDArray[Any]:
    """What is known of each parameter: a histogram over the range of its prior.

    The thick line below is the interval, the flat dashed one what a uniform prior says.

    Parameters
    ----------
    draws : DataFrame (k, p)
        Accepted draws, a column for each parameter.
    weights : array (k,), optional
        Of the draws; equal by default.
    intervals : mapping, optional
        Lowest and highest credible value by parameter.
    priors : mapping, optional
        Range of the prior by parameter; by default that of the draws.
    columns : int
        Pictures in a row.

    Returns
    -------
    array of Axes
        One for each parameter.

    Examples
    --------
    >>> import pandas as pd
    >>> draws = pd.DataFrame({"p_new": [0.3, 0.35, 0.4]})
    >>> axes = posteriors(draws, intervals={"p_new": (0.3, 0.4)}, priors={"p_new": (0.25, 0.75)})
    >>> axes[0].get_xlabel(), axes[0].get_title(loc="left")
    ('p_new', '0.3 to 0.4')
    """
    if not draws.shape[1] or not len(draws):
        raise UsageError(f"draws of shape {draws.shape}; expected rows, and a column a parameter")
    axes, figure = _grid(draws.shape[1], columns, 2.4)
    for ax, name in zip(axes, draws.columns, strict=True):
        values = draws[name].to_numpy(dtype=np.float64)
        low, high = (priors or {}).get(str(name), (float(values.min()), float(values.max())))
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges = np.linspace(low, high, _BINS // 2 + 1)
        density = np.histogram(values.clip(low, high), edges, weights=weights, density=True)[0]
        ax.stairs(density, edges, color=COLOURS[0], alpha=0.4, fill=True)
        ax.stairs(density, edges, color=COLOURS[0], linewidth=1.2, gid="posterior")
        flat = 1 / (high - low)
        ax.plot([low, high], [flat, flat], color=GREY, linestyle="--", linewidth=1.1, gid="prior")
        if intervals and str(name) in intervals:
            ends = intervals[str(name)]
            ax.plot(
                ends, [0, 0], color="black", linewidth=4, solid_capstyle="butt", clip_on=False,
                zorder=4, gid="interval",
            )  # fmt: skip
            ax.set_title(f"{ends[0]:.3g} to {ends[1]:.3g}", loc="left", fontsize=SMALL + 1)
        room = 0.02 * (high - low)
        ax.set(xlim=(low - room, high + room), ylim=(0, None), yticks=[], xlabel=str(name))
        ax.tick_params(axis="x", labelsize=SMALL)
    handles = [
        Line2D([], [], color=COLOURS[0], linewidth=4, alpha=0.6, label="posterior"),
        Line2D([], [], color=GREY, linestyle="--", linewidth=1.1, label="uniform prior"),
    ]
    if intervals:
        handles.append(Line2D([], [], color="black", linewidth=4, label="credible interval"))
    figure.legend(
        handles=handles, loc="outside upper left", ncols=3, frameon=False, fontsize=SMALL + 1
    )
    return axes
