"""Figures of features: histograms over the simulations of each model, with the observed value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, NullLocator
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.figures.axes import PLAIN, SMALL, check_names, few_ticks, halo, short, small_panels
from netchoice.figures.style import SeriesStyle, model_styles

Floats = NDArray[np.float64]

BINS = 30
MOST_FILLED = 3  # models; more filled areas would hide each other
_WIDE = 100.0  # the axis is logarithmic if the maximum is more than this many times the median
_LARGEST = 1e300  # larger values would overflow
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class FeatureScale:
    """Axis of one feature: linear, logarithmic, or logarithmic with a linear part around 0.

    ``linear_part`` is where the linear part of a "symlog" axis ends, a power of ten.

    >>> scale = FeatureScale.of(np.array([0, 1, 1, 10, 1e5]))
    >>> scale.kind, scale.linear_part, scale.ticks()
    ('symlog', 1.0, [0.0, 1.0, 100.0, 10000.0])
    """

    kind: str
    linear_part: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Floats) -> FeatureScale:
        """Return the scale that suits the values."""
        low, high = float(values.min()), float(values.max())
        sizes = np.abs(values[values != 0])
        if not len(sizes) or sizes.max() <= _WIDE * np.median(sizes):
            return cls("linear", 0.0, low, high)
        linear_part = 10.0 ** math.ceil(math.log10(np.quantile(sizes, 0.02)))
        return cls("log" if low > 0 else "symlog", linear_part, low, high)

    def transform(self, values: Any) -> Floats:
        """Return the positions of values along the axis."""
        if self.kind == "linear":
            return np.asarray(values, dtype=np.float64)
        if self.kind == "log":
            return np.asarray(np.log10(values))
        return np.asarray(np.arcsinh(np.asarray(values) / self.linear_part))

    def edges(self, values: Floats) -> Floats:
        """Return the borders of the bins, evenly spaced along the axis; integers get a bin each."""
        if self.low == self.high:
            return np.array([self.low - 0.5, self.low + 0.5])
        if self.kind == "log":
            return np.geomspace(self.low, self.high, BINS + 1)
        if self.kind == "symlog":
            first, last = self.transform([self.low, self.high])
            steps = np.linspace(first, last, BINS + 1)
            edges = np.asarray(np.sinh(steps) * self.linear_part)
            edges[[0, -1]] = self.low, self.high  # rounding must not exclude the extremes
            return edges
        if (values == np.round(values)).all() and self.high - self.low <= BINS:
            return np.arange(self.low - 0.5, self.high + 1)
        return np.linspace(self.low, self.high, BINS + 1)

    def ticks(self) -> list[float]:
        """Return up to about five values for the ticks of an axis that is not linear."""
        first = self.low if self.kind == "log" else self.linear_part
        last = max(abs(self.low), abs(self.high))
        powers = range(math.ceil(math.log10(first)), math.floor(math.log10(last)) + 1)
        sizes = [10.0**power for power in powers[:: -(-len(powers) // 4) or 1]]
        ticks = [*(-size for size in reversed(sizes)), 0.0, *sizes]
        return [tick for tick in ticks if self.low <= tick <= self.high]


@dataclass(frozen=True)
class FeatureHistogram:
    """Share of each model's simulations in each bin of one feature, and the observed value or None."""

    name: str
    scale: FeatureScale
    edges: Floats
    shares: dict[str, Floats]
    observed: float | None


def feature_histogram(name: str, values: Floats, models: Any, observed: float) -> FeatureHistogram:
    """Return the histogram of one feature by model; simulations without a value are left out."""
    known = ~np.isnan(values)
    values, models = values[known].clip(-_LARGEST, _LARGEST), np.asarray(models)[known]
    value = None if math.isnan(observed) else min(max(observed, -_LARGEST), _LARGEST)
    shown = values if value is None else np.append(values, value)
    scale = FeatureScale.of(shown)
    edges = scale.edges(shown)
    groups = {str(model): values[models == model] for model in np.unique(models)}
    shares = {model: np.histogram(own, edges)[0] / len(own) for model, own in groups.items()}
    return FeatureHistogram(name, scale, edges, shares, value)


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
        draw_histogram(ax, feature_histogram(name, values, models, value), styles)
    handles = [
        Line2D([], [], color=style.colour, linestyle=style.line, linewidth=1.6, label=short(model))
        for model, style in styles.items()
    ]
    handles.append(Line2D([], [], color="black", linewidth=2.2, label="observed network"))
    figure.legend(handles=handles, loc="outside upper left", ncols=5, **PLAIN)
    return axes


def draw_histogram(
    ax: Axes, histogram: FeatureHistogram, styles: Mapping[str, SeriesStyle]
) -> None:
    """Draw the histogram of one feature."""
    scale, edges = histogram.scale, histogram.edges
    if scale.kind == "linear":
        few_ticks(ax.xaxis, 4)
    else:
        linear_part = {"linthresh": scale.linear_part} if scale.kind == "symlog" else {}
        ax.set_xscale(scale.kind, **linear_part)
        ax.set_xticks(scale.ticks())
        ax.xaxis.set_major_formatter(FuncFormatter(lambda tick, _: power_text(tick)))
    ax.xaxis.set_minor_locator(NullLocator())
    for model, share in histogram.shares.items():
        colour, line = styles[model].colour, styles[model].line
        if len(histogram.shares) <= MOST_FILLED:
            ax.stairs(share, edges, color=colour, alpha=0.25, fill=True)
        ax.stairs(share, edges, color=colour, linestyle=line, linewidth=1.2, gid=f"model {model}")
    if histogram.observed is not None:
        ax.axvline(
            histogram.observed, gid="observed", color="black", linewidth=2.2, path_effects=halo(3.4)
        )
    ax.set(ylim=(0, None), yticks=[])
    ax.tick_params(axis="x", labelsize=SMALL)
    ax.set_title(short(histogram.name, 40), loc="left", fontsize=SMALL + 1)


def power_text(value: float) -> str:
    """Return a number as text; large and small powers of ten have an exponent.

    >>> power_text(-1e5), power_text(0.001), power_text(0.0)
    ('−10⁵', '0.001', '0')
    """
    if not value or 1e-3 <= abs(value) < 1e5:
        return f"{value:.5g}".replace("-", "−")
    mantissa, _, exponent = f"{value:.3g}".partition("e")
    factor = {"1": "", "-1": "−"}.get(mantissa, f"{mantissa}·".replace("-", "−"))
    return f"{factor}10{str(int(exponent)).translate(_RAISED)}"
