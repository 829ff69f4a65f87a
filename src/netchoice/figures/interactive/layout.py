"""Layout, axes and texts that all Plotly figures of the report share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from netchoice.figures.data.cost_text import cost_text
from netchoice.figures.data.feature_sets import penalty_text

#: Placeholders for colours of the page, which differ in light and dark mode; the script replaces them.
TEXT_COLOUR, BACKGROUND, FAINT = "#010203", "#fdfefc", "#7a7b7c"
CLEAR = "rgba(0,0,0,0)"
#: The axis of shares and densities, which has no ticks.
NO_TICKS = {"showticklabels": False, "rangemode": "tozero", "showgrid": False}


def label(value: Any, longest: int = 40) -> str:
    """Return a name as text for a figure: shortened, and escaped because Plotly reads some tags.

    >>> label("<b>bold</b> & co"), label("x" * 50, 5)
    ('&lt;b&gt;bold&lt;/b&gt; &amp; co', 'xxxx…')
    """
    name = " ".join(str(value).split())
    if len(name) > longest:
        name = f"{name[: longest - 1]}…"
    return escape(name, quote=False)


def rounded(values: Iterable[Any], digits: int = 5) -> list[float | None]:
    """Return numbers rounded to significant digits; None for what is not a finite number.

    >>> rounded([1 / 3, float("nan"), 2])
    [0.33333, None, 2.0]
    """
    return [
        float(f"{float(v):.{digits}g}") if v is not None and math.isfinite(v) else None
        for v in values
    ]


def translucent(colour: str) -> str:
    """Return the colour of the area below a line.

    >>> translucent("#0072B2")
    'rgba(0,114,178,0.14)'
    """
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.14)"


class CostAxis:
    """A logarithmic axis of costs; a cost of 0 is placed at its left end.

    >>> axis = CostAxis([0.0, 0.001, 0.1], "s")
    >>> axis.position(0.1), round(axis.position(0.0), 6)
    (0.1, 0.000333)
    """

    def __init__(self, costs: Iterable[float], unit: str) -> None:
        given = [float(cost) for cost in costs]
        self.positive = [cost for cost in given if cost > 0]
        self.unit = unit
        self.has_free = bool(self.positive) and min(given) == 0
        self.left_end = min(self.positive) / 3 if self.positive else 0.0

    def position(self, cost: float) -> float:
        """Return the position of a cost on the axis."""
        return max(float(cost), self.left_end)

    def layout(self, title: str) -> dict[str, Any]:
        """Return the layout of the axis for Plotly."""
        if not self.positive:
            return {"title": {"text": title}, "type": "linear"}
        low, high = min(self.positive), max(self.positive)
        multiples = (1.0,) if high > 50 * low else (1.0, 2.0, 5.0)
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        ticks = [multiple * 10.0**power for power in powers for multiple in multiples]
        texts = [cost_text(tick, self.unit) for tick in ticks]
        if self.has_free:
            ticks, texts = [self.left_end, *ticks], ["free", *texts]
        ticked = {"tickvals": ticks, "ticktext": texts, "tickangle": 0}
        return {"title": {"text": title}, "type": "log", **ticked}


def outlined(symbol: str, size: int, colour: str, line: str, width: float) -> dict[str, Any]:
    """Return a marker with a line around it."""
    around = {"color": line, "width": width}
    return {"symbol": symbol, "size": size, "color": colour, "line": around}


def penalty_axis(penalties: list[float]) -> dict[str, Any]:
    """Return the layout of an axis with the penalties at equal distances and about seven ticks."""
    ticks = list(range(0, len(penalties), max(1, -(-len(penalties) // 7))))
    return {
        "title": {"text": "cost penalty λ"}, "tickvals": ticks, "tickangle": 0,
        "ticktext": [penalty_text(penalties[i], 2) for i in ticks], "showgrid": False,
        "range": [-0.5, len(penalties) - 0.5],
    }  # fmt: skip


def scatter(**options: Any) -> dict[str, Any]:
    """Return points or lines for Plotly."""
    return {"type": "scatter", **options}


def bar(**options: Any) -> dict[str, Any]:
    """Return bars for Plotly."""
    return {"type": "bar", **options}


def cells(**options: Any) -> dict[str, Any]:
    """Return coloured cells for Plotly."""
    return {"type": "heatmap", **options}


def figure(
    traces: list[Any], *, height: int, phone_height: int | None = None, **layout: Any
) -> dict[str, Any]:
    """Return a figure as the page embeds it; heights are in pixels.

    Figures are plain dictionaries. Plotly's classes would check each value, which takes longer than all
    other work for a page; the tests check them instead.
    """
    axis = {
        "automargin": True, "gridcolor": "rgba(128,128,128,0.22)", "linecolor": FAINT,
        "zeroline": False, "showline": True, "title": {"standoff": 10},
    }  # fmt: skip
    common = {
        "height": height, "meta": {"phone": phone_height or height}, "hovermode": "closest",
        "dragmode": False, "margin": {"l": 8, "r": 12, "t": 28, "b": 8}, "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR, "font": {"color": TEXT_COLOUR, "size": 13},
        "hoverlabel": {"bgcolor": BACKGROUND, "bordercolor": FAINT, "font": {"color": TEXT_COLOUR},
                       "align": "left"},
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.0, "yanchor": "bottom"},
        # A vertical bar does not cover the legend.
        "modebar": {"orientation": "v", "bgcolor": CLEAR, "color": FAINT, "activecolor": TEXT_COLOUR},
        "xaxis": axis, "yaxis": axis,
    }  # fmt: skip
    return {"data": traces, "layout": _merged(common, layout)}


def _merged(common: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return a layout in which own values take precedence, also within its parts."""
    merged = {**common, **own}
    for name in common.keys() & own.keys():
        if isinstance(common[name], Mapping) and isinstance(own[name], Mapping):
            merged[name] = _merged(common[name], own[name])
    return merged
