"""Plotly figures of one feature over the simulations and of one parameter over its prior."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go

from netchoice.figures.data.histograms import FeatureHistogram, posterior_histogram
from netchoice.figures.interactive.layout import (
    FAINT,
    NO_TICKS,
    TEXT_COLOUR,
    figure,
    label,
    rounded,
    translucent,
)
from netchoice.figures.style import BLUE, series_styles

MOST_FILLED = 3  # models; more filled areas would hide each other


def distribution(histogram: FeatureHistogram) -> dict[str, Any]:
    """Return the histogram of one feature by model, with the value of the observed network."""
    scale, shares = histogram.scale, histogram.shares
    x = rounded(scale.transform(histogram.edges), 8)
    traces = []
    for model, style in series_styles(shares).items():
        traces.append(
            go.Scatter(
                x=x, y=rounded([*shares[model], shares[model][-1]]), name=label(model, 20),
                mode="lines", line={"color": style.colour, "dash": style.dash, "shape": "hv"},
                fill="tozeroy" if len(shares) <= MOST_FILLED else "none",
                fillcolor=translucent(style.colour),
                hovertemplate="%{fullData.name}: %{y:.1%} of simulations<extra></extra>",
            )
        )  # fmt: skip
    if histogram.observed is not None:
        highest = max(float(share.max()) for share in shares.values())
        traces.append(
            go.Scatter(
                x=rounded(scale.transform([histogram.observed] * 2), 8), y=[0, 1.08 * highest],
                mode="lines", name="observed network", line={"color": TEXT_COLOUR, "width": 3},
                hovertemplate=f"observed network: {histogram.observed:.5g}<extra></extra>",
            )
        )  # fmt: skip
    axis: dict[str, Any] = {"title": {"text": label(histogram.name)}, "nticks": 5}
    if scale.kind != "linear":
        ticks = scale.ticks()
        axis["tickvals"] = rounded(scale.transform(ticks), 8)
        axis["ticktext"] = [f"{tick:.4g}" for tick in ticks]
    return figure(traces, height=250 + 20 * (len(traces) // 4), xaxis=axis, yaxis=NO_TICKS)


def posterior(
    name: str, record: Mapping[str, Any], summary: Mapping[str, Any], *, uniform: bool
) -> dict[str, Any]:
    """Return the posterior of one parameter over the range of its prior.

    ``record`` holds the draws, weights and bounds of all parameters, ``summary`` the interval of
    this one. The density of a uniform prior is drawn if ``uniform`` is true.
    """
    pairs = zip(record["draws"][name], record["weights"], strict=True)
    known = [pair for pair in pairs if None not in pair]
    if not known:
        raise ValueError(f"no draw of the parameter {name!r} is a number")
    draws, weights = np.array(known, dtype=float).T
    histogram = posterior_histogram(draws, weights, (record["bounds"] or {}).get(name))
    traces = [
        go.Scatter(
            x=rounded(histogram.edges), y=rounded([*histogram.density, histogram.density[-1]]),
            mode="lines", name="posterior", line={"color": BLUE, "shape": "hv"}, fill="tozeroy",
            hoverinfo="skip", fillcolor=translucent(BLUE),
        ),
        go.Scatter(
            x=rounded(summary["interval"]), y=[0, 0], mode="lines",
            name=f"{summary['coverage']:.0%} interval", line={"color": TEXT_COLOUR, "width": 6},
            hovertemplate="%{x:.4g}<extra></extra>",
        ),
    ]  # fmt: skip
    if uniform:
        prior = go.Scatter(
            x=histogram.bounds, y=[histogram.uniform_density] * 2, mode="lines",
            name="uniform prior", line={"color": FAINT, "dash": "dash"}, hoverinfo="skip",
        )  # fmt: skip
        traces.insert(1, prior)
    axis = {"title": {"text": label(name)}, "nticks": 6}
    return figure(traces, height=250, xaxis=axis, yaxis=NO_TICKS)
