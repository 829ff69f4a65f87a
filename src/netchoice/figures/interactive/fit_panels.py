"""Plotly panels of a model's fit: distributions of the observed network over the simulations."""

from __future__ import annotations

from typing import Any

import numpy as np

from netchoice.figures.data.fit_panels import FitPanel, percent, position, range_text
from netchoice.figures.interactive.layout import (
    TEXT_COLOUR,
    bar,
    figure,
    outlined,
    rounded,
    scatter,
)
from netchoice.figures.style import VERMILLION

_DIGITS = 3
_HOVER = "%{customdata[0]}: %{customdata[1]}<br>simulated %{customdata[2]}<extra></extra>"


def fit_panel(panel: FitPanel, colour: str) -> dict[str, Any]:
    """Return one panel: the observed network over the 95 % and the 50 % range, which have a colour."""
    traces: list[Any] = []
    for level, opacity in enumerate((0.25, 0.45)):
        low, heights = (rounded(values, _DIGITS) for values in panel.bars(level))
        marker = {"color": colour, "opacity": opacity}
        traces.append(bar(y=heights, base=low, width=1, marker=marker, hoverinfo="skip"))
    y = np.array(rounded(position(panel.observed), _DIGITS))
    line = {"color": TEXT_COLOUR, "width": 1.5}
    hover = {"customdata": _hover_texts(panel), "hovertemplate": _HOVER}
    traces.append(
        scatter(y=y.tolist(), line=line, marker={"size": 5}, mode="lines+markers", **hover)
    )
    if panel.outside.any():
        at = np.flatnonzero(panel.outside)
        marker = outlined("diamond", 9, VERMILLION, TEXT_COLOUR, 1)
        options = {"mode": "markers", "marker": marker, "hoverinfo": "skip"}
        traces.append(scatter(x=at.tolist(), y=y[at].tolist(), **options))
    x_ticks, y_ticks = panel.x_ticks(), panel.y_ticks()
    return figure(
        traces, height=210, showlegend=False, barmode="overlay",
        margin={"l": 4, "r": 16, "t": 8, "b": 4},
        xaxis={"title": {"text": panel.text.x_title}, "tickvals": list(x_ticks),
               "ticktext": list(x_ticks.values()), "tickangle": 0, "showgrid": False,
               "ticklabeloverflow": "allow"},
        yaxis={"title": {"text": panel.text.y_title}, "tickvals": rounded(y_ticks),
               "ticktext": list(y_ticks.values()), "range": rounded([0, 1.06 * position(panel.top)])},
    )  # fmt: skip


def _hover_texts(panel: FitPanel) -> list[list[str]]:
    texts = [range_text(low, high) for low, high in panel.ranges[0].T]
    return [
        list(row) for row in zip(panel.labels, map(percent, panel.observed), texts, strict=True)
    ]
