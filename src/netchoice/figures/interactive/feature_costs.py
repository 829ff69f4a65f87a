"""Plotly figure of what each feature costs, alone and with its shared steps paid."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from netchoice.figures.data.cost_text import FeatureCost, cost_text, cost_title
from netchoice.figures.interactive import layout
from netchoice.figures.interactive.layout import figure, label, rounded, scatter
from netchoice.figures.style import BLUE, VERMILLION

MOST_FEATURES, MOST_STEPS = 60, 6


def feature_costs(rows: list[FeatureCost], chosen: Collection[str], unit: str) -> dict[str, Any]:
    """Return the costs of the most expensive features and of the chosen ones."""
    rows = drawn_rows(rows, chosen)[::-1]  # the axis points upwards
    axis = layout.CostAxis([*(row.alone for row in rows), *(row.own for row in rows)], unit)
    texts = [_hover_text(row, unit) for row in rows]
    sharing = [i for i, row in enumerate(rows) if row.steps]
    ends = [map(axis.position, (rows[i].own, rows[i].alone)) for i in sharing]
    traces = [
        scatter(
            x=rounded(x for pair in ends for x in (*pair, None)), mode="lines", hoverinfo="skip",
            y=[y for i in sharing for y in (i, i, None)], line={"color": layout.FAINT, "width": 1},
            showlegend=False,
        ),
        scatter(
            x=rounded(axis.position(row.alone) for row in rows), y=list(range(len(rows))),
            mode="markers", name="cost alone", marker={"color": BLUE, "size": 9}, text=texts,
            hovertemplate="%{text}<extra></extra>",
        ),
        scatter(
            x=rounded(axis.position(rows[i].own) for i in sharing), y=sharing, mode="markers",
            name="shared steps already paid", text=[texts[i] for i in sharing],
            marker={"color": layout.BACKGROUND, "size": 9, "line": {"color": VERMILLION, "width": 2}},
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
    name, alone, own = label(row.feature), cost_text(row.alone, unit), cost_text(row.own, unit)
    lines = [f"<b>{name}</b>: {alone} alone", f"own part: {own}"]
    for step in row.steps[:MOST_STEPS]:
        lines.append(f"step {label(step.name)}: {cost_text(step.cost, unit)}{step.users}")
    if len(row.steps) > MOST_STEPS:
        lines.append(f"and {len(row.steps) - MOST_STEPS} cheaper steps")
    return "<br>".join(lines)
