"""Plotly figures of a cohort: verdicts, models, probabilities, parameters and the embedding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from netchoice.figures.data.cohort import (
    VERDICT_STYLES,
    CategoryStyle,
    CohortEmbedding,
    ParameterPanel,
    SortedProbabilities,
)
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
from netchoice.figures.style import MARKERS, model_colour, model_styles

_SMALL_HEIGHT = 280


def group_bars(counts: pd.DataFrame, styles: Mapping[str, CategoryStyle]) -> dict[str, Any]:
    """Return a bar for each group, divided by category; the rows of ``counts`` are groups."""
    rows = counts[::-1]
    sizes = rows.sum(axis=1)
    heights = list(range(len(rows)))
    traces = []
    for name, style in styles.items():
        if not rows[name].any():
            continue
        traces.append(
            bar(
                x=rounded(rows[name] / sizes.clip(lower=1)), y=heights, orientation="h", width=0.66,
                name=label(name), text=[str(n) if n else "" for n in rows[name]],
                textposition="inside", insidetextanchor="middle", textangle=0,
                marker={"color": style.colour, "line": {"color": layout.BACKGROUND, "width": 1},
                        "pattern": {"shape": style.pattern, "solidity": 0.15, "size": 8,
                                    "fillmode": "overlay", "fgcolor": "#fff", "fgopacity": 0.4}},
                customdata=[[label(group), int(n), int(size)] for group, n, size
                            in zip(rows.index, rows[name], sizes, strict=True)],
                hovertemplate="<b>%{customdata[0]}</b><br>%{fullData.name}: %{customdata[1]} of "
                "%{customdata[2]} (%{x:.0%})<extra></extra>",
            )
        )  # fmt: skip
    ticks = [f"{label(group, 22)} ({n})" for group, n in sizes.items()]
    return figure(
        traces, **_heights(120 + 40 * len(rows), len(traces), 1), barmode="stack",
        uniformtext={"minsize": 9, "mode": "hide"},
        xaxis={"title": {"text": "share of the networks"}, "tickformat": ".0%", "range": [0, 1.02],
               "dtick": 0.25},
        legend={"traceorder": "normal"},
        yaxis={"tickvals": heights, "ticktext": ticks, "showgrid": False},
    )  # fmt: skip


def probabilities(data: SortedProbabilities) -> dict[str, Any]:
    """Return the probabilities of the models for each network, stacked to a column."""
    positions = list(range(len(data.values)))
    traces = [
        bar(
            x=positions, y=rounded(data.values[model], 3), name=label(model), width=1,
            marker={"color": style.colour, "line": {"width": 0}},
            text=[label(name) for name in data.ids], textposition="none",
            hovertemplate="<b>%{text}</b><br>%{fullData.name}: %{y:.3f}<extra></extra>",
        )
        for model, style in model_styles(list(data.values)).items()
    ]  # fmt: skip
    axis: dict[str, Any] = {
        "title": {"text": "networks"},
        "showgrid": False,
        "showticklabels": False,
    }
    if data.spans:
        ends = data.spans.values()
        axis |= {
            "title": {"text": "networks by group"}, "showticklabels": True,
            "tickvals": [(first + last) / 2 for first, last in ends],
            "ticktext": [label(name, 16) for name in data.spans],
        }  # fmt: skip
    edges = [last + 0.5 for _, last in data.spans.values()][:-1]
    lines = [
        {"type": "line", "x0": x, "x1": x, "y0": -0.02, "y1": 1.02,
         "line": {"color": TEXT_COLOUR, "width": 2}} for x in edges
    ]  # fmt: skip
    return figure(
        traces, **_heights(340, len(traces), 2), barmode="stack", bargap=0, shapes=lines,
        legend={"traceorder": "normal"},
        xaxis=axis | {"range": [-0.5, len(positions) - 0.5]},
        yaxis={"title": {"text": "probability"}, "range": [-0.02, 1.02]},
    )  # fmt: skip


def _heights(height: int, entries: int, phone_columns: int) -> dict[str, int]:
    """Return the heights of a figure on a screen and on a phone, with room for the rows of the legend."""
    columns = {"height": 4, "phone_height": phone_columns}
    return {name: height + 20 * max(0, -(-entries // n) - 1) for name, n in columns.items()}


def parameter(panel: ParameterPanel) -> dict[str, Any]:
    """Return the medians and intervals of one parameter, by group or against a covariate."""
    rows, colour = panel.rows, model_colour(panel.model)
    many = len(rows) > 150
    points = scatter(
        x=rounded(rows["x"]), y=rounded(rows["median"], 4), mode="markers", showlegend=False,
        marker={"color": colour, "size": 4 if many else 7},
        error_y={
            "type": "data", "color": layout.translucent(colour).replace("0.14", "0.45"),
            "thickness": 1 if many else 1.5, "width": 0,
            "array": rounded(rows["upper"] - rows["median"], 4),
            "arrayminus": rounded(rows["median"] - rows["lower"], 4),
        },
        text=[f"<b>{label(one['id'])}</b><br>{one['median']:.3g} ({one['lower']:.3g} to "
              f"{one['upper']:.3g})" for one in rows.to_dict("records")],
        hovertemplate="%{text}<extra></extra>",
    )  # fmt: skip
    axis: dict[str, Any] = {"title": {"text": label(panel.covariate)}, "nticks": 6}
    if panel.ticks:
        axis |= {
            "tickvals": list(panel.ticks.values()), "showgrid": False, "zeroline": False,
            "ticktext": [label(name, 14) for name in panel.ticks],
            "range": [-0.5, len(panel.ticks) - 0.5],
        }  # fmt: skip
    title = {"text": label(f"{panel.model} {panel.parameter}")}
    return figure([points], height=_SMALL_HEIGHT, xaxis=axis, yaxis={"title": title, "nticks": 6})


def embedding(data: CohortEmbedding) -> dict[str, Any]:
    """Return the networks by verdict, on top of the simulations of each model."""
    simulated = data.simulated
    traces = [
        scatter(
            x=rounded(own["x"], 4), y=rounded(own["y"], 4), mode="markers", opacity=0.4,
            name=f"{label(name, 24)} (simulated)", hoverinfo="skip",
            marker={"color": FAINT, "symbol": f"{MARKERS[i % len(MARKERS)][1]}-open", "size": 5},
        )
        for i, (name, own) in enumerate(simulated.groupby("label"))
    ]  # fmt: skip
    for kind, style in VERDICT_STYLES.items():
        own = data.networks[data.networks["verdict"] == kind]
        if len(own):
            texts = [
                f"<b>{label(row['id'])}</b><br>{label(row['group'])}<br>{kind}, {label(row['model'])}"
                for row in own.to_dict("records")
            ]
            traces.append(
                scatter(
                    x=rounded(own["x"], 4), y=rounded(own["y"], 4), mode="markers", name=kind,
                    text=texts, hovertemplate="%{text}<extra></extra>",
                    marker=layout.outlined(
                        style.symbol, 7 if len(data.networks) > 500 else 11, style.colour, TEXT_COLOUR, 1
                    ),
                )
            )  # fmt: skip
    names = [
        {"x": float(own["x"].median()), "y": float(own["y"].median()), "text": f"<b>{label(name)}</b>",
         "showarrow": False, "bgcolor": layout.BACKGROUND, "opacity": 0.7, "borderpad": 2,
         "font": {"color": TEXT_COLOUR}}
        for name, own in simulated.groupby("label")
    ]  # fmt: skip
    bare = {"showticklabels": False, "showgrid": False, "showline": False, "ticks": ""}
    square = bare | {"scaleanchor": "x", "scaleratio": 1}
    return figure(traces, height=520, phone_height=420, annotations=names, xaxis=bare, yaxis=square)
