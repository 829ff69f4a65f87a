"""Figures of features over the simulations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, NullLocator
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.figures.data import histograms
from netchoice.figures.data.checks import check_names
from netchoice.figures.static.axes import PLAIN, SMALL, halo, small_panels
from netchoice.figures.style import SeriesStyle, model_styles


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
    styles = model_styles(str(model) for model in np.unique(models))
    axes, figure = small_panels(len(names), columns, 1.75)
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
