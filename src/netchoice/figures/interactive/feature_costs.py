"""Plotly figure of what each feature costs, alone and with its shared steps paid."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import plotly.graph_objects as go

from netchoice.figures.data.cost_text import FeatureCost, cost_text, cost_title
from netchoice.figures.interactive.layout import (
    BACKGROUND,
    FAINT,
    CostAxis,
    figure,
    label,
    rounded,
)  # fmt: skip
from netchoice.figures.style import BLUE, VERMILLION

MOST_FEATURES, MOST_STEPS = 60, 6


def feature_costs(rows: list[FeatureCost], chosen: Collection[str], unit: str) -> dict[str, Any]:
    """Return the costs of the most expensive features and of the chosen ones."""
    rows = drawn_rows(rows, chosen)[::-1]  # the axis points upwards
    axis = CostAxis([*(row.alone for row in rows), *(row.own for row in rows)], unit)
    texts = [_hover_text(row, unit) for row in rows]
    sharing = [i for i, row in enumerate(rows) if row.steps]
    between: list[float | None] = []
    for i in sharing:
        between += [axis.position(rows[i].own), axis.position(rows[i].alone), None]
    traces = [
        go.Scatter(
            x=rounded(between), y=[y for i in sharing for y in (i, i, None)], mode="lines",
            line={"color": FAINT, "width": 1}, hoverinfo="skip", showlegend=False,
        ),
        go.Scatter(
            x=rounded(axis.position(row.alone) for row in rows), y=list(range(len(rows))),
            mode="markers", name="cost alone", marker={"color": BLUE, "size": 9}, text=texts,
            hovertemplate="%{text}<extra></extra>",
        ),
        go.Scatter(
            x=rounded(axis.position(rows[i].own) for i in sharing), y=sharing, mode="markers",
            name="shared steps already paid", text=[texts[i] for i in sharing],
            marker={"color": BACKGROUND, "size": 9, "line": {"color": VERMILLION, "width": 2}},
            hovertemplate="%{text}<extra></extra>",
        ),
    ]  # fmt: skip
    names = [
        f"<b>★ {label(row.feature, 30)}</b>" if row.feature in chosen else label(row.feature, 32)
        for row in rows
    ]
    y = {"tickvals": list(range(len(rows))), "ticktext": names, "range": [-0.7, len(rows) - 0.3],
         "showgrid": False, "tickfont": {"size": 11}}  # fmt: skip
    x = axis.layout(cost_title(unit))
    drawn = figure(traces, height=110 + 17 * len(rows), xaxis=x, yaxis=y)
    drawn["layout"]["meta"]["few_ticks"] = True  # names take most of a phone's width
    return drawn


def drawn_rows(rows: list[FeatureCost], chosen: Collection[str]) -> list[FeatureCost]:
    """Return the rows that the figure draws: the most expensive ones and the chosen ones."""
    return [row for i, row in enumerate(rows) if i < MOST_FEATURES or row.feature in chosen]


def _hover_text(row: FeatureCost, unit: str) -> str:
    """Return the parts of a cost, one on each line."""
    lines = [f"<b>{label(row.feature)}</b>: {cost_text(row.alone, unit)} alone"]
    lines.append(f"own part: {cost_text(row.own, unit)}")
    for step in row.steps[:MOST_STEPS]:
        lines.append(f"step {label(step.name)}: {cost_text(step.cost, unit)}{step.users}")
    if len(row.steps) > MOST_STEPS:
        lines.append(f"and {len(row.steps) - MOST_STEPS} cheaper steps")
    return "<br>".join(lines)
