"""Plotly figures of parameters: posteriors, pairs of parameters, ranks of true values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from netchoice.figures.data.posteriors import (
    Floats,
    JointDraws,
    RankHistogram,
    posterior_histogram,
)
from netchoice.figures.interactive import layout
from netchoice.figures.interactive.layout import FAINT, TEXT_COLOUR, figure, label, rounded, scatter

_HEIGHT = 250


def _draws(record: Mapping[str, Any], name: str) -> Floats:
    draws = np.array([draw for draw in record["draws"][name] if draw is not None], dtype=float)
    if not len(draws):
        raise ValueError(f"no draw of the parameter {name!r} is a number")
    return draws


def posterior(
    name: str, record: Mapping[str, Any], summary: Mapping[str, Any], *, uniform: bool, colour: str
) -> dict[str, Any]:
    """Return the posterior of one parameter over the range of its prior, which may be uniform.

    ``record`` holds draws and bounds of all parameters, ``summary`` the interval of one.
    """
    edges, density = posterior_histogram(_draws(record, name), (record["bounds"] or {}).get(name))
    traces = [
        scatter(
            x=rounded(edges), y=rounded([*density, density[-1]]),
            mode="lines", name="posterior", line={"color": colour, "shape": "hv"}, fill="tozeroy",
            hoverinfo="skip", fillcolor=layout.translucent(colour),
        ),
        scatter(
            x=rounded(summary["interval"]), y=[0, 0], mode="lines",
            name=f"{summary['coverage']:.0%} interval", line={"color": TEXT_COLOUR, "width": 6},
            hovertemplate="%{x:.4g}<extra></extra>",
        ),
    ]  # fmt: skip
    if uniform:
        low, high = edges[[0, -1]].tolist()
        prior = scatter(
            x=[low, high], y=[1 / (high - low)] * 2, mode="lines",
            name="uniform prior", line={"color": FAINT, "dash": "dash"}, hoverinfo="skip",
        )  # fmt: skip
        traces.insert(1, prior)
    axis = {"title": {"text": label(name)}, "nticks": 6}
    return figure(traces, height=_HEIGHT, xaxis=axis, yaxis=layout.NO_TICKS)


def joint(first: str, second: str, record: Mapping[str, Any], colour: str) -> dict[str, Any]:
    """Return draws of two parameters as points over the ranges of their priors."""
    bounds = record["bounds"] or {}
    names = (first, second)
    drawn = JointDraws.of(*(_draws(record, name) for name in names), *map(bounds.get, names))
    points = scatter(
        x=rounded(drawn.x, 4), y=rounded(drawn.y, 4), mode="markers", name=drawn.label,
        showlegend=True, marker={"color": colour, "size": 5, "opacity": 0.45},
        hovertemplate=f"{label(first)} = %{{x:.4g}}<br>{label(second)} = %{{y:.4g}}<extra></extra>",
    )  # fmt: skip
    return figure(
        [points],
        height=_HEIGHT,
        xaxis=_axis(first, drawn.x_range),
        yaxis=_axis(second, drawn.y_range),
    )


def _axis(name: str, ends: tuple[float, float]) -> dict[str, Any]:
    margin = 0.02 * (ends[1] - ends[0])
    limits = rounded((ends[0] - margin, ends[1] + margin))
    return {"title": {"text": label(name)}, "range": limits, "nticks": 6}


def rank_histogram(name: str, record: Mapping[str, Any], colour: str) -> dict[str, Any]:
    """Return the ranks of the true values of one parameter, with the range expected by chance."""
    ranks = RankHistogram.of(record["ranks"][name], record["rank_draws"])
    band = scatter(
        x=[0, 1, 1, 0, 0], y=[ranks.low, ranks.low, ranks.high, ranks.high, ranks.low], mode="lines",
        fill="toself", fillcolor="rgba(128,128,128,0.22)", line={"color": FAINT, "width": 1},
        name="99% range by chance", hoverinfo="skip",
    )  # fmt: skip
    line = scatter(
        x=rounded(ranks.edges), y=[*ranks.counts.tolist(), int(ranks.counts[-1])], mode="lines",
        name="held-out simulations", line={"color": colour, "shape": "hv", "width": 2.5},
        hovertemplate="%{y} simulations<extra></extra>",
    )  # fmt: skip
    title = {"text": f"relative rank of the true {label(name)}"}
    return figure(
        [band, line], height=_HEIGHT, xaxis={"title": title, "range": [-0.02, 1.02], "nticks": 6},
        yaxis={"title": {"text": "simulations"}, "rangemode": "tozero", "nticks": 5},
    )  # fmt: skip
