"""How figures look: signs that need no colour, and what all layouts share."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from netchoice.plots.canvas import COLOURS

# Stand for colours of the page, which differ by day and by night; the script puts them in.
INK, PAPER, FAINT = "#010203", "#fdfefc", "#7a7b7c"
#: Of the point that is chosen or shown; neither among the colours of the series.
CHOSEN = "#F0E442"

SYMBOLS = (
    "circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "x", "triangle-left",
    "star", "triangle-right", "hexagon", "pentagon", "diamond-tall",
)  # fmt: skip
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
DIGITS = 5


class Sign(NamedTuple):
    """How one series is drawn; neighbours differ in all three."""

    colour: str
    symbol: str
    dash: str


def signs(names: Iterable[str]) -> dict[str, Sign]:
    """A sign for each name.

    >>> signs(["dmc", "dmr"])["dmr"]
    Sign(colour='#D55E00', symbol='square', dash='dash')
    """
    return {
        name: Sign(COLOURS[i % len(COLOURS)], SYMBOLS[i % len(SYMBOLS)], DASHES[i % len(DASHES)])
        for i, name in enumerate(names)
    }


def short(values: Iterable[Any], digits: int = DIGITS) -> list[float | None]:
    """Numbers with a few digits; None where there is none.

    >>> short([1 / 3, float("nan"), 2])
    [0.33333, None, 2.0]
    """
    return [
        float(f"{float(v):.{digits}g}") if v is not None and math.isfinite(v) else None
        for v in values
    ]


def figure(
    traces: list[Any], *, height: int, on_a_phone: int | None = None, **layout: Any
) -> dict[str, Any]:
    """A figure as the page embeds it, with its height in pixels, perhaps another one on a phone."""
    import plotly.graph_objects as go

    made = go.Figure(data=traces)
    made.update_layout(
        height=height,
        meta={"phone": on_a_phone or height},
        margin={"l": 8, "r": 12, "t": 28, "b": 8},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": INK, "size": 13},
        hoverlabel={
            "bgcolor": PAPER,
            "bordercolor": FAINT,
            "font": {"color": INK},
            "align": "left",
        },
        hovermode="closest",
        dragmode=False,
        legend={
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 1.0,
            "yanchor": "bottom",
        },
        # Upright, so that it does not cover the legend.
        modebar={
            "orientation": "v",
            "bgcolor": "rgba(0,0,0,0)",
            "color": FAINT,
            "activecolor": INK,
        },
    )
    axis = {
        "automargin": True, "gridcolor": "rgba(128,128,128,0.22)", "linecolor": FAINT,
        "zeroline": False, "showline": True, "title": {"standoff": 10},
    }  # fmt: skip
    made.update_xaxes(**axis)
    made.update_yaxes(**axis)
    made.update_layout(**layout)
    plain: dict[str, Any] = made.to_plotly_json()
    plain["layout"].pop("template", None)
    return plain
