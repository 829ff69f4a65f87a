"""Plotly figures of a chosen model: probabilities, embedding, features, reliability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from netchoice.figures.data.histograms import FeatureHistogram
from netchoice.figures.data.predictions import rank_probabilities, reliability_bins
from netchoice.figures.interactive import layout
from netchoice.figures.interactive.layout import (
    FAINT,
    TEXT_COLOUR,
    bar,
    figure,
    label,
    rounded,
    scatter,
)
from netchoice.figures.style import BLUE, HIGHLIGHT, model_colour, model_styles

MOST_POINTS = 2000
OTHER_MODELS = "other models"
MOST_BARS = 12  # models in the figure of probabilities
MOST_FILLED = 3  # models; more filled areas would hide each other


def probabilities(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a bar for the probability of each model, the most probable on top."""
    compared = {name: record["probabilities"][name] for name in record["intervals"]}
    rows = rank_probabilities(compared, record["intervals"])[:MOST_BARS][::-1]
    heights = list(range(len(rows)))
    bars = bar(
        x=rounded(row.probability for row in rows), y=heights, orientation="h", width=0.6,
        showlegend=False, marker={"color": [model_colour(row.model) for row in rows], "opacity": 0.8},
        error_x={
            "type": "data", "color": TEXT_COLOUR, "thickness": 2, "width": 6,
            "array": rounded(row.high - row.probability for row in rows),
            "arrayminus": rounded(row.probability - row.low for row in rows),
        },
        customdata=[
            [label(row.model), f"{row.low:.4f}", f"{row.high:.4f}",
             f"{record['fit_p_values'][row.model]:.3g}"] for row in rows
        ],
        hovertemplate="%{customdata[0]}: %{x:.4f}<br>interval %{customdata[1]} to %{customdata[2]}"
        "<br>p-value of the fit: %{customdata[3]}<extra></extra>",
    )  # fmt: skip
    names = [label(row.model, 24) for row in rows]
    return figure(
        [bars], height=110 + (42 if len(rows) < 7 else 28) * len(rows),
        yaxis={"tickvals": heights, "ticktext": names, "showgrid": False},
        xaxis={"title": {"text": "probability of the model"}, "range": [0, 1.02]},
    )  # fmt: skip


def embedding(record: Mapping[str, Any], coloured: Sequence[str]) -> dict[str, Any]:
    """Return simulated networks as points in the plane, by model, and the observed one as a star.

    Models that are not ``coloured`` share one series of grey points.
    """
    models = np.array(
        [name if name in coloured else OTHER_MODELS for name in record["model"]], dtype=object
    )
    rows = np.arange(0, len(models), max(1, -(-len(models) // MOST_POINTS)))
    x, y = (np.array(record[name], dtype=float) for name in ("x", "y"))
    found = sorted(set(models), key=lambda name: (name != OTHER_MODELS, name))  # grey points below
    owned = {name: rows[models[rows] == name] for name in found}
    styles = model_styles(owned)
    if OTHER_MODELS in styles:
        styles[OTHER_MODELS] = styles[OTHER_MODELS]._replace(colour=FAINT, symbol="circle-open")
    traces = [
        scatter(
            x=rounded(x[owned[name]]), y=rounded(y[owned[name]]), mode="markers", name=label(name),
            text=[_parameter_text(record["parameters"], row) for row in owned[name]], opacity=0.55,
            marker={"color": style.colour, "symbol": style.symbol,
                    "size": 6 if len(rows) > 500 else 9},
            hovertemplate="<b>%{fullData.name}</b><br>%{text}<extra></extra>",
        )
        for name, style in styles.items()
    ]  # fmt: skip
    star = scatter(
        x=record["observed"][:1], y=record["observed"][1:], mode="markers", name="observed network",
        marker=layout.outlined("star", 20, HIGHLIGHT, TEXT_COLOUR, 2),
        hovertemplate="<b>observed network</b><extra></extra>",
    )  # fmt: skip
    bare = {"showticklabels": False, "showgrid": False, "showline": False, "ticks": ""}
    square = bare | {"scaleanchor": "x", "scaleratio": 1}
    return figure([*traces, star], height=520, phone_height=400, xaxis=bare, yaxis=square)


def _parameter_text(parameters: Mapping[str, Sequence[float | None]], row: int) -> str:
    """Return the parameters of one simulation, one on each line."""
    known = {name: column[row] for name, column in parameters.items() if column[row] is not None}
    lines = [f"{label(name)} = {value:.3g}" for name, value in known.items()]
    return "<br>".join(lines) or "no parameters"


def distribution(histogram: FeatureHistogram) -> dict[str, Any]:
    """Return the histogram of one feature by model, with the value of the observed network."""
    scale, shares = histogram.scale, histogram.shares
    x = rounded(scale.transform(histogram.edges), 8)
    traces = [
        scatter(
            x=x, y=rounded([*shares[model], shares[model][-1]]), name=label(model, 20), showlegend=False,
            mode="lines", line={"color": style.colour, "dash": style.dash, "shape": "hv"},
            fill="tozeroy" if len(shares) <= MOST_FILLED else "none",
            fillcolor=layout.translucent(style.colour),
            hovertemplate="%{fullData.name}: %{y:.1%} of simulations<extra></extra>",
        )
        for model, style in model_styles(shares).items()
    ]  # fmt: skip
    if histogram.observed is not None:
        highest = max(float(share.max()) for share in shares.values())
        observed = scatter(
            x=rounded(scale.transform([histogram.observed] * 2), 8), y=[0, 1.08 * highest],
            mode="lines", name="observed", showlegend=False, line={"color": TEXT_COLOUR, "width": 3},
            hovertemplate=f"observed network: {histogram.observed:.5g}<extra></extra>",
        )  # fmt: skip
        traces.append(observed)
    axis: dict[str, Any] = {"title": {"text": label(histogram.name)}, "nticks": 5}
    if scale.kind != "linear":
        ticks = scale.ticks()
        axis["tickvals"] = rounded(scale.transform(ticks), 8)
        axis["ticktext"] = [f"{tick:.4g}" for tick in ticks]
    return figure(traces, height=230, xaxis=axis, yaxis=layout.NO_TICKS)


def reliability(records: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """Return a reliability diagram: observed frequency against predicted probability."""
    bins = reliability_bins(pd.DataFrame(records))
    traces = [
        scatter(
            x=[0, 1], y=[0, 1], mode="lines", name="perfectly calibrated", hoverinfo="skip",
            line={"color": FAINT, "dash": "dash"},
        ),
        scatter(
            x=rounded(bins.predicted), y=rounded(bins.observed), mode="markers",
            name="held-out simulations", customdata=bins.n.astype(int).tolist(),
            marker={"color": BLUE, "size": rounded(7 + 13 * np.sqrt(bins.n / bins.n.max()))},
            error_y={
                "type": "data", "color": BLUE, "thickness": 1.5, "width": 3,
                "array": rounded(bins.high - bins.observed),
                "arrayminus": rounded(bins.observed - bins.low),
            },
            hovertemplate="predicted probability %{x:.3f}<br>observed frequency %{y:.3f}<br>"
            "%{customdata} predictions<extra></extra>",
        ),
    ]  # fmt: skip
    axis = {"range": [-0.04, 1.04], "dtick": 0.25}
    return figure(
        traces, height=420, xaxis=axis | {"title": {"text": "predicted probability"}},
        yaxis=axis | {"title": {"text": "observed frequency"}},
    )  # fmt: skip
