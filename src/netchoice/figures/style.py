"""Colours, markers and line styles that all figures share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

#: Okabe and Ito's colours for colour-blind readers, without black and yellow. Neighbours differ in
#: lightness, so they can be distinguished in greyscale too.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#56B4E9", "#D55E00", "#CC79A7")
BLUE, VERMILLION = "#0072B2", "#D55E00"
#: Fill of the observed network and of the chosen set of features. No series has this colour.
HIGHLIGHT = "#F0E442"

#: The same marker for matplotlib and for Plotly.
MARKERS = (
    ("o", "circle"), ("s", "square"), ("^", "triangle-up"), ("D", "diamond"),
    ("v", "triangle-down"), ("P", "cross"), ("X", "x"), ("<", "triangle-left"), ("*", "star"),
    (">", "triangle-right"), ("h", "hexagon"), ("p", "pentagon"), ("d", "diamond-tall"),
)  # fmt: skip
#: The same line style for matplotlib and for Plotly.
LINES: tuple[tuple[Any, str], ...] = (
    ("-", "solid"), ((0, (5, 1.5)), "dash"), ((0, (1, 1)), "dot"),
    ((0, (5, 1.5, 1, 1.5)), "dashdot"), ((0, (9, 2)), "longdash"),
)  # fmt: skip


class SeriesStyle(NamedTuple):
    """Style of one series: marker and line for matplotlib, symbol and dash for Plotly."""

    colour: str
    marker: str
    line: Any
    symbol: str
    dash: str


def series_styles(names: Iterable[str]) -> dict[str, SeriesStyle]:
    """Return a style for each name; neighbours differ in colour, marker and line style.

    >>> series_styles(["dmc", "dmr"])["dmr"]
    SeriesStyle(colour='#E69F00', marker='s', line=(0, (5, 1.5)), symbol='square', dash='dash')
    """
    styles = {}
    for i, name in enumerate(names):
        (marker, symbol), (line, dash) = MARKERS[i % len(MARKERS)], LINES[i % len(LINES)]
        styles[name] = SeriesStyle(COLOURS[i % len(COLOURS)], marker, line, symbol, dash)
    return styles
