"""Colours, markers and line styles that all figures share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple
from zlib import crc32

from netchoice.selection import METHODS

#: Colours of series on a light page, and on a dark one. Any two of the twelve differ by at least 9.5 (light)
#: or 8 (dark) in the Oklab space, times 100, for normal and for three kinds of colour-deficient vision.
COLOURS = {
    "#0072B2": "#3C9BE0", "#E69F00": "#E69F00", "#00AA99": "#44DD99", "#661111": "#883366",
    "#CCAAEE": "#DDAADD", "#AA1100": "#AA1122", "#77CC99": "#88AA88", "#222288": "#5533CC",
    "#9988EE": "#664499", "#553355": "#BB77AA", "#3322DD": "#6644FF", "#885577": "#AA5588",
}  # fmt: skip
#: All colours that a dark page changes: also those of texts, axes, grids, and points without a series.
ON_DARK = COLOURS | {
    "#000000": "#E9EBEE", "#FFFFFF": "#1C2027", "#595959": "#A3ABB5", "#B0B0B0": "#6B727C",
    "#4D5359": "#83898F",
}  # fmt: skip
BLUE, VERMILLION = "#0072B2", "#D55E00"
#: Fill of the observed network and of the chosen set of features. No series has this colour.
HIGHLIGHT = "#F0E442"

#: Models whose preferred colours are those at the same positions.
_WELL_KNOWN = ("dmc", "dmr", "lpa", "smw", "agv", "rdg", "rds", "ba1", "ba2", "ba3", "ba4")

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", "*", ">", "h", "p", "d")
LINES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1.5, 1, 1.5)), (0, (9, 2)))


class SeriesStyle(NamedTuple):
    """Colour, marker and line style of one series."""

    colour: str
    marker: str
    line: Any


def series_styles(names: Iterable[str]) -> dict[str, SeriesStyle]:
    """Return a style for each name; neighbours differ in colour, marker and line style.

    >>> series_styles(["a", "b"])["b"]
    SeriesStyle(colour='#E69F00', marker='s', line=(0, (5, 1.5)))
    """
    cycles = tuple(COLOURS), MARKERS, LINES
    return {
        name: SeriesStyle(*(cycle[i % len(cycle)] for cycle in cycles))
        for i, name in enumerate(names)
    }


def method_styles(methods: Iterable[str]) -> dict[str, SeriesStyle]:
    """Return a style for each selection method, which is the same in every figure.

    >>> method_styles(["relieff"])["relieff"] == method_styles(["jmi", "relieff"])["relieff"]
    True
    """
    names = list(methods)
    styles = series_styles(dict.fromkeys((*METHODS, *names)))
    return {name: styles[name] for name in names}


def model_styles(models: Iterable[str]) -> dict[str, SeriesStyle]:
    """Return a style for each model; the first twelve models have different colours.

    A model has its preferred colour, see :func:`model_colour`, unless an earlier one has it.

    >>> [style.colour for style in model_styles(["dmr", "dmc"]).values()]
    ['#E69F00', '#0072B2']
    """
    styles = series_styles(models)
    free: list[str] = []
    for name, style in styles.items():
        free = free or list(COLOURS)
        colour = model_colour(name) if model_colour(name) in free else free[0]
        free.remove(colour)
        styles[name] = style._replace(colour=colour)
    return styles


def model_colour(name: str) -> str:
    """Return the preferred colour of a model, which depends on its name only.

    >>> model_colour("dmr")
    '#E69F00'
    """
    known = _WELL_KNOWN.index(name) if name in _WELL_KNOWN else crc32(name.encode())
    return tuple(COLOURS)[known % len(COLOURS)]


def page_colour(colour: str) -> str:
    """Return a colour as a page defines it, for light and dark mode; other colours stay.

    >>> page_colour("#e69f00"), page_colour("#123456")
    ('var(--E69F00)', '#123456')
    """
    name = colour.upper()
    return f"var(--{name[1:]})" if name in ON_DARK else colour


def page_colours() -> str:
    """Return the style that defines the colours of a page."""
    light = "".join(f"--{colour[1:]}:{colour};" for colour in ON_DARK)
    dark = "".join(f"--{colour[1:]}:{other};" for colour, other in ON_DARK.items())
    return f":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"
