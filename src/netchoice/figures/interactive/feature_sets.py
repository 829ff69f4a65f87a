"""Plotly figures of sets of features: accuracy against cost, heat maps, rankings."""

from __future__ import annotations

from typing import Any

import pandas as pd

from netchoice.evaluation import accuracy_interval
from netchoice.figures.data import feature_sets as data
from netchoice.figures.data.cost_text import CHARGES, cost_text, cost_title
from netchoice.figures.data.feature_sets import FeatureSets
from netchoice.figures.interactive import layout
from netchoice.figures.interactive.layout import (
    TEXT_COLOUR,
    cells,
    figure,
    label,
    outlined,
    rounded,
    scatter,
)
from netchoice.figures.style import HIGHLIGHT, VERMILLION, method_styles, series_styles

MOST_RANKED, LAST_POSITION = 12, 10  # features and positions in the figure of a ranking


def explorer(sets: FeatureSets) -> dict[str, Any]:
    """Return accuracy against cost of every set, and two markers that the script moves."""
    axis = _cost_axis(sets)
    traces = []
    for method, style in method_styles(sets.methods).items():
        penalties, rows = sets.penalties(method), sets.distinct_rows(method)
        costs = [axis.position(row[f"cost_{sets.charge}"]) for row in rows]
        markers = scatter(
            x=rounded(costs if sets.has_costs else [row["k"] for row in rows]),
            y=rounded(row["accuracy"] for row in rows), name=label(method), mode="markers",
            customdata=[[penalties.index(row["penalty"]), int(row["k"])] for row in rows],
            hovertemplate="%{text}<extra></extra>", opacity=0.75,
            marker={"color": style.colour, "symbol": f"{style.symbol}-open", "size": 8},
        )  # fmt: skip
        traces.append(markers)
    front = scatter(
        **_front(sets, sets.charge), mode="lines", name="Pareto front", hoverinfo="skip",
        line={"color": TEXT_COLOUR, "width": 2, "shape": "hv"},
    )  # fmt: skip
    star = _moved("recommended set", outlined("star", 18, HIGHLIGHT, TEXT_COLOUR, 1.5))
    ring = _moved("selected set", outlined("circle-open", 24, TEXT_COLOUR, TEXT_COLOUR, 3))
    title = cost_title(sets.unit, sets.charge)
    return figure(
        [*traces, front, star, ring], height=560,
        xaxis=axis.layout(title) if sets.has_costs else {"title": {"text": "number of features"}},
        yaxis={"title": {"text": sets.measure}, "tickformat": _tick_format(sets.measure)},
    )  # fmt: skip


def _tick_format(measure: str, digits: int = 0) -> str:
    """Return Plotly's format of an accuracy (a percentage) or of R² (a number)."""
    return f".{digits}%" if measure == "accuracy" else f".{digits + 1}f"


def _moved(name: str, marker: dict[str, Any]) -> dict[str, Any]:
    """Return a marker that the script of the page moves."""
    place: dict[str, Any] = {"x": [None], "y": [None], "mode": "markers"}
    return scatter(**place, name=name, hoverinfo="skip", marker=marker)


def explorer_data(sets: FeatureSets) -> dict[str, Any]:
    """Return every set for the script of the page; features are given by their index."""
    index = {name: i for i, name in enumerate(sets.features)}
    n = float((sets.evaluation["n_choosing"] + sets.evaluation["n_reporting"]).iloc[0])

    def cell(rows: pd.DataFrame) -> dict[str, Any]:
        """Return one ranking, and accuracy and costs of its first k features."""
        order = sets.features_of(rows.iloc[int(rows["k"].argmax())])
        intervals = [accuracy_interval(row, "accuracy", n) for _, row in rows.iterrows()]
        return {
            "order": [index[name] for name in order],
            "k": [int(k) for k in rows["k"]],
            "accuracy": rounded(rows["accuracy"]),
            "low": rounded(low for low, _ in intervals),
            "high": rounded(high for _, high in intervals),
            "alone": rounded(rows["cost_alone"]),
            "shared": rounded(rows["cost_shared"]),
        }

    return {
        "measure": sets.measure,
        "features": sets.features,
        "labels": [label(name, 60) for name in sets.features],
        "methods": sets.methods,
        "penalties": [sets.penalties(method) for method in sets.methods],
        "cells": [
            [cell(rows) for _, rows in sets.rows(method).groupby("penalty")]
            for method in sets.methods
        ],
        "cost_of_all": sets.cost_of_all,
        "left_end": _cost_axis(sets).left_end,
        "has_costs": sets.has_costs,
        "costs_given": sets.costs_given,
        "unit": sets.unit,
        "cost_titles": {charge: cost_title(sets.unit, charge) for charge in CHARGES},
        "charge": sets.charge,
        "front": {charge: _front(sets, charge) for charge in CHARGES},
        "recommended": sets.recommended,
    }


def _cost_axis(sets: FeatureSets) -> layout.CostAxis:
    """Return one axis for both ways to charge, so that it does not move between them."""
    costs = sets.evaluation[["cost_shared", "cost_alone"]].to_numpy(dtype=float)
    return layout.CostAxis(costs.ravel(), sets.unit)


def _front(sets: FeatureSets, charge: str) -> dict[str, list[float | None]]:
    """Return the line of best accuracy for each cost, or for each k if nothing has a cost."""
    if not sets.has_costs:
        best = sets.evaluation.groupby("k", as_index=False)["accuracy"].max()
        return {"x": rounded(best["k"]), "y": rounded(best["accuracy"])}
    front, axis = sets.front(charge), _cost_axis(sets)
    x = rounded(map(axis.position, front[f"cost_{charge}"]))
    return {"x": x, "y": rounded(front["accuracy"])}


def heatmap(sets: FeatureSets, method: str) -> dict[str, Any]:
    """Return accuracy over λ and k of one method; all methods share one colour scale."""
    grid = data.accuracy_grid(sets.evaluation, method, "cost_shared")
    low, high = data.accuracy_limits(sets.evaluation)
    costs = [
        ["" if cost != cost else cost_text(cost, sets.unit) for cost in row] for row in grid.cost
    ]
    traces = [
        cells(
            x=list(range(len(grid.penalties))), y=grid.ks, z=[rounded(row) for row in grid.accuracy],
            zmin=low, zmax=high, colorscale="Cividis", xgap=1, ygap=1, text=costs,
            customdata=[[f"{penalty:.4g}" for penalty in grid.penalties]] * len(grid.ks),
            colorbar={"title": {"text": sets.measure, "side": "right"}, "thickness": 12,
                      "tickformat": _tick_format(sets.measure, 0 if high - low > 0.05 else 1)},
            hovertemplate=f"λ = %{{customdata}}, %{{y}} features<br>{sets.measure} "
            f"%{{z:{_tick_format(sets.measure, 2)}}}<br>"
            "cost, shared steps paid once: %{text}<extra></extra>",
        ),
        scatter(
            x=[int(column) for _, column in grid.noise_cells],
            y=[grid.ks[row] for row, _ in grid.noise_cells], mode="markers", hoverinfo="skip",
            marker={"color": "white", "size": 5, "line": {"color": "black", "width": 1}},
            name="with noise features", showlegend=bool(len(grid.noise_cells)),
        ),
        _moved("selected set", outlined("square", 16, layout.CLEAR, VERMILLION, 3)),
    ]  # fmt: skip
    axis = {"title": {"text": "number of features k"}, "showgrid": False,
            "dtick": 2 if len(grid.ks) > 8 else 1,
            "range": [grid.ks[0] - 0.5, grid.ks[-1] + 0.5]}  # fmt: skip
    drawn = figure(traces, height=420, xaxis=layout.penalty_axis(grid.penalties), yaxis=axis)
    drawn["layout"]["legend"].update({"itemclick": False, "itemdoubleclick": False})
    return drawn


def ranking_paths(sets: FeatureSets, method: str) -> dict[str, Any]:
    """Return the positions over λ of the features with the best positions of one method."""
    positions = data.ranking_positions(sets.rankings, method)[sets.penalties(method)]
    positions = positions.loc[[name for name in sets.features if name in positions.index]]
    positions = positions.where(positions <= LAST_POSITION)
    best = (1 / positions).sum(axis=1).sort_values(ascending=False, kind="stable")
    shown = best[best > 0].index[:MOST_RANKED]
    traces = [
        scatter(
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
        traces, height=480, phone_height=640, xaxis=layout.penalty_axis(list(positions.columns)),
        yaxis={"title": {"text": "position in the ranking"}, "range": [last + 0.5, 0.5], "dtick": 1},
    )  # fmt: skip
