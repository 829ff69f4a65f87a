"""Colours, markers and line styles that all figures share."""

from __future__ import annotations

import colorsys
from collections.abc import Iterable
from typing import Any, NamedTuple
from zlib import crc32

from netchoice.selection import METHODS

#: Okabe and Ito's colours for colour-blind readers, without black and yellow. Neighbours differ in
#: lightness, so they can be distinguished in greyscale too.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#56B4E9", "#D55E00", "#CC79A7")
BLUE, VERMILLION = "#0072B2", "#D55E00"
#: Fill of the observed network and of the chosen set of features. No series has this colour.
HIGHLIGHT = "#F0E442"

#: The colour of each built-in model; the docstring of :func:`model_colour` says how they were chosen.
MODEL_COLOURS = {
    "agv": "#31CD7E", "fitness": "#90D55A", "lpa": "#009E73", "nonlinear": "#206E4C",
    "redirection": "#77AD6F",
    "copying": "#8E5A00", "dmc": "#0072B2", "dmr": "#E69F00", "heterodimer": "#322492",
    "ispolatov": "#E07F10",
    "davidsen": "#B488FE", "forest-fire": "#E99CF9", "holme-kim": "#CC79A7",
    "jackson-rogers": "#5F40B2", "kumpula": "#8870E5", "saramaki-kaski": "#AD4499",
    "toivonen": "#7A377D", "vazquez-walk": "#670067",
    "geometric": "#780006", "hyperbolic": "#9C1504", "smw": "#D55E00",
    "configuration": "#747474", "planted-partition": "#3D3D3D", "rdg": "#BEBEBE", "rds": "#4D4D4D",
    "ba1": "#440154", "ba2": "#31688E", "ba3": "#1F9E89", "ba4": "#7AD151",
}  # fmt: skip

_LUMINANCE = (0.2126, 0.7152, 0.0722)  # weights of red, green and blue

#: The end of the name of models that are shown together; their colour is light grey.
OTHER_MODELS = " other models"

#: The colour of each selection method of the paper, with one hue for methods of one kind: information
#: blue, ReliefF orange, penalized forests green, weighted forests purple. The baseline is grey.
METHOD_COLOURS = {
    "mrmr": "#0072B2", "jmi": "#56B4E9", "jmim": "#332288", "relieff": "#E69F00",
    "forest-relieff": "#D55E00", "penalized-mdi": "#009E73", "penalized-mda": "#7AB648",
    "weighted-mdi": "#CC79A7", "weighted-mda": "#882255", "random": "#888888",
}  # fmt: skip

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", "*", ">", "h", "p", "d")
LINES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1.5, 1, 1.5)), (0, (9, 2)))


class SeriesStyle(NamedTuple):
    """Colour, marker and line style of one series."""

    colour: str
    marker: str
    line: Any


def series_styles(names: Iterable[str]) -> dict[str, SeriesStyle]:
    """Return a style for each name; neighbours differ in colour, marker and line style.

    >>> series_styles(["dmc", "dmr"])["dmr"]
    SeriesStyle(colour='#E69F00', marker='s', line=(0, (5, 1.5)))
    """
    cycles = COLOURS, MARKERS, LINES
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
    own = {name: style.colour for name, style in styles.items()} | METHOD_COLOURS
    return {name: styles[name]._replace(colour=own[name]) for name in names}


def model_styles(models: Iterable[str]) -> dict[str, SeriesStyle]:
    """Return a style for each model: its own colour, and a marker and line unlike its neighbours'.

    >>> model_styles(["lpa", "dmr"])["dmr"]
    SeriesStyle(colour='#E69F00', marker='s', line=(0, (5, 1.5)))
    """
    styles = series_styles(models)
    return {name: style._replace(colour=model_colour(name)) for name, style in styles.items()}


def model_colour(name: str) -> str:
    """Return the colour of a model, which is the same in every figure and depends on its name only.

    The best known models have colours of Okabe and Ito: dmc blue, dmr orange, lpa green, smw vermillion,
    holme-kim purple. The other built-in models have the hue of their family, with different lightness:
    attachment green, duplication blue or orange, closure purple, spatial red, static grey. They were
    chosen to be far from each other in the Oklab colour space, for normal and for three kinds of
    colour-deficient vision (``tests/test_style.py`` has the distances). 25 colours cannot all be
    easy to distinguish, so figures also use markers and line styles. ba1 to ba4, which are one model with
    1 to 4 links, run from dark to light.

    A mixture has the mean colour of its two models. A thinned model is lighter than the model (edges) or
    darker (nodes). The colour of any other model is derived from its name.

    >>> model_colour("dmr"), model_colour("dmr+lpa"), model_colour("dmr~edges")
    ('#E69F00', '#739E39', '#EEC059')
    """
    if name in MODEL_COLOURS:
        return MODEL_COLOURS[name]
    if name.endswith(OTHER_MODELS):
        return "#DCDCDC"
    base, _, kind = name.rpartition("~")
    if base and kind in ("edges", "nodes"):
        return _mixed(model_colour(base), "#FFFFFF" if kind == "edges" else "#000000", 0.35)
    parts = name.split("+")
    if len(parts) == 2 and all(parts):
        return _mixed(model_colour(parts[0]), model_colour(parts[1]), 0.5)
    number = crc32(name.encode())
    rgb = colorsys.hls_to_rgb(number % 360 / 360, 0.35 + 0.1 * (number // 360 % 3), 0.6)
    return _hex([255 * part for part in rgb])


def lightened(colour: str) -> str:
    """Return a colour for a dark background: mixed with white until it is light enough.

    >>> lightened("#E69F00"), lightened("#0072B2")
    ('#E69F00', '#308CC0')
    """
    while (
        sum(w * (part / 255) ** 2.2 for w, part in zip(_LUMINANCE, _rgb(colour), strict=True)) < 0.2
    ):
        colour = _mixed(colour, "#FFFFFF", 0.1)
    return colour


def _mixed(first: str, second: str, share: float) -> str:
    """Return the mean of two colours; ``share`` is the weight of the second."""
    pairs = zip(_rgb(first), _rgb(second), strict=True)
    return _hex([(1 - share) * a + share * b for a, b in pairs])


def _rgb(colour: str) -> list[int]:
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


def _hex(rgb: list[float]) -> str:
    return "#" + "".join(f"{int(part):02X}" for part in rgb)
