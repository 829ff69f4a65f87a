"""Plotly figures over the cost penalty: heat map of accuracy, positions of features."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from netchoice.figures.data.costs import cost_text
from netchoice.figures.data.feature_sets import (
    FeatureSets,
    accuracy_grid,
    accuracy_limits,
    ranking_positions,
)
from netchoice.figures.interactive.layout import figure, label, penalty_axis, rounded
from netchoice.figures.style import VERMILLION, series_styles

MOST_RANKED, LAST_POSITION = 12, 10  # features and positions in the figure of a ranking


def heatmap(sets: FeatureSets, method: str) -> dict[str, Any]:
    """Return accuracy over λ and k of one method; all methods share one colour scale."""
    grid = accuracy_grid(sets.evaluation, method, "cost_shared")
    low, high = accuracy_limits(sets.evaluation)
    costs = [
        ["" if cost != cost else cost_text(cost, sets.unit) for cost in row] for row in grid.cost
    ]
    traces = [
        go.Heatmap(
            x=list(range(len(grid.penalties))), y=grid.ks, z=[rounded(row) for row in grid.accuracy],
            zmin=low, zmax=high, colorscale="Cividis", xgap=1, ygap=1, text=costs,
            customdata=[[f"{penalty:.4g}" for penalty in grid.penalties]] * len(grid.ks),
            colorbar={"title": {"text": "accuracy", "side": "right"}, "thickness": 12,
                      "tickformat": ".0%" if high - low > 0.05 else ".1%"},
            hovertemplate="λ = %{customdata}, %{y} features<br>accuracy %{z:.2%}<br>"
            "cost, shared steps paid once: %{text}<extra></extra>",
        ),
        go.Scatter(
            x=[int(column) for _, column in grid.noise_cells],
            y=[grid.ks[row] for row, _ in grid.noise_cells], mode="markers", hoverinfo="skip",
            marker={"color": "white", "size": 5, "line": {"color": "black", "width": 1}},
            name="with noise features", showlegend=bool(len(grid.noise_cells)),
        ),
        go.Scatter(
            x=[None], y=[None], mode="markers", hoverinfo="skip", name="selected set",
            marker={"symbol": "square", "size": 16, "color": "rgba(0,0,0,0)",
                    "line": {"color": VERMILLION, "width": 3}},
        ),
    ]  # fmt: skip
    axis = {"title": {"text": "number of features k"}, "showgrid": False,
            "dtick": 2 if len(grid.ks) > 8 else 1,
            "range": [grid.ks[0] - 0.5, grid.ks[-1] + 0.5]}  # fmt: skip
    drawn = figure(traces, height=420, xaxis=penalty_axis(grid.penalties), yaxis=axis)
    drawn["layout"]["legend"].update({"itemclick": False, "itemdoubleclick": False})
    return drawn


def ranking_paths(sets: FeatureSets, method: str) -> dict[str, Any]:
    """Return the positions over λ of the features with the best positions of one method."""
    positions = ranking_positions(sets.rankings, method)[sets.penalties(method)]
    positions = positions.loc[[name for name in sets.features if name in positions.index]]
    positions = positions.where(positions <= LAST_POSITION)
    best = (1 / positions).sum(axis=1).sort_values(ascending=False, kind="stable")
    shown = best[best > 0].index[:MOST_RANKED]
    traces = [
        go.Scatter(
            x=list(range(positions.shape[1])), y=rounded(positions.loc[name]), name=label(name),
            mode="lines+markers", marker={"symbol": style.symbol, "size": 7}, connectgaps=False,
            line={"color": style.colour, "dash": style.dash, "width": 2},
            customdata=[f"{penalty:.4g}" for penalty in positions.columns],
            hovertemplate="%{fullData.name}<br>position %{y} at λ = %{customdata}<extra></extra>",
        )
        for name, style in series_styles(shown).items()
    ]  # fmt: skip
    last = int(positions.max(axis=None))
    return figure(
        traces, height=480, phone_height=640, xaxis=penalty_axis(list(positions.columns)),
        yaxis={"title": {"text": "position in the ranking"}, "range": [last + 0.5, 0.5], "dtick": 1},
    )  # fmt: skip
