"""Plotly figure of accuracy against cost, and the data with which the script moves through it."""

from __future__ import annotations

from typing import Any

import pandas as pd
import plotly.graph_objects as go

from netchoice.evaluation import wilson
from netchoice.figures.data.costs import CHARGES, cost_title
from netchoice.figures.data.feature_sets import FeatureSets
from netchoice.figures.interactive.layout import TEXT_COLOUR, CostAxis, figure, label, rounded
from netchoice.figures.style import HIGHLIGHT, series_styles

COVERAGE = 0.95


def explorer(sets: FeatureSets) -> dict[str, Any]:
    """Return accuracy against cost of every set.

    The script moves the last two traces, the recommended set and the selected set.
    """
    axis = _cost_axis(sets)
    traces = []
    for method, style in series_styles(sets.methods).items():
        index = {penalty: i for i, penalty in enumerate(sets.penalties(method))}
        rows = sets.distinct_rows(method)
        x = [
            axis.position(row[f"cost_{sets.charge}"]) if sets.has_costs else row["k"]
            for row in rows
        ]
        traces.append(
            go.Scatter(
                x=rounded(x), y=rounded(row["accuracy"] for row in rows), name=label(method),
                customdata=[[index[row["penalty"]], int(row["k"])] for row in rows], mode="markers",
                hovertemplate="%{text}<extra></extra>", opacity=0.75,
                marker={"color": style.colour, "symbol": f"{style.symbol}-open", "size": 8},
            )
        )  # fmt: skip
    traces.append(
        go.Scatter(
            **_front(sets, sets.charge), mode="lines", name="Pareto front", hoverinfo="skip",
            line={"color": TEXT_COLOUR, "width": 2, "shape": "hv"},
        )
    )  # fmt: skip
    star = {"symbol": "star", "size": 18, "color": HIGHLIGHT,
            "line": {"color": TEXT_COLOUR, "width": 1.5}}  # fmt: skip
    ring = {"symbol": "circle-open", "size": 24, "color": TEXT_COLOUR,
            "line": {"color": TEXT_COLOUR, "width": 3}}  # fmt: skip
    for name, marker in (("recommended set", star), ("selected set", ring)):
        traces.append(
            go.Scatter(
                x=[None], y=[None], mode="markers", name=name, hoverinfo="skip", marker=marker
            )
        )
    title = cost_title(sets.unit, sets.charge)
    return figure(
        traces, height=560,
        xaxis=axis.layout(title) if sets.has_costs else {"title": {"text": "number of features"}},
        yaxis={"title": {"text": "accuracy"}, "tickformat": ".0%", "hoverformat": ".2%"},
    )  # fmt: skip


def explorer_data(sets: FeatureSets) -> dict[str, Any]:
    """Return every set for the script of the page; features are given by their index."""
    index = {name: i for i, name in enumerate(sets.features)}
    n = float((sets.evaluation["n_choosing"] + sets.evaluation["n_reporting"]).iloc[0])
    intervals = {share: wilson(share, n, COVERAGE) for share in set(sets.evaluation["accuracy"])}

    def cell(rows: pd.DataFrame) -> dict[str, Any]:
        """Return one ranking, and accuracy and costs of its first k features."""
        order = sets.features_of(rows.iloc[int(rows["k"].argmax())])
        return {
            "order": [index[name] for name in order],
            "k": [int(k) for k in rows["k"]],
            "accuracy": rounded(rows["accuracy"]),
            "low": rounded(intervals[share][0] for share in rows["accuracy"]),
            "high": rounded(intervals[share][1] for share in rows["accuracy"]),
            "alone": rounded(rows["cost_alone"]),
            "shared": rounded(rows["cost_shared"]),
        }

    return {
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


def _cost_axis(sets: FeatureSets) -> CostAxis:
    """Return one axis for both ways to charge, so that it does not move between them."""
    costs = sets.evaluation[["cost_shared", "cost_alone"]].to_numpy(dtype=float)
    return CostAxis(costs.ravel(), sets.unit)


def _front(sets: FeatureSets, charge: str) -> dict[str, list[float | None]]:
    """Return the line of best accuracy for each cost, or for each k if nothing has a cost."""
    if not sets.has_costs:
        best = sets.evaluation.groupby("k", as_index=False)["accuracy"].max()
        return {"x": rounded(best["k"]), "y": rounded(best["accuracy"])}
    front, axis = sets.front(charge), _cost_axis(sets)
    x = rounded(map(axis.position, front[f"cost_{charge}"]))
    return {"x": x, "y": rounded(front["accuracy"])}
