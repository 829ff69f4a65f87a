"""Figures as SVG elements of a page, which gives them its font."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from io import StringIO
from typing import Any
from xml.etree import ElementTree

import matplotlib
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from netchoice.figures.axes import SMALL, STYLE, PlainFigure
from netchoice.figures.style import page_colour
from netchoice.markup import Html

_PAGE_STYLE: dict[Any, Any] = STYLE | {
    "font.size": SMALL + 1, "axes.labelsize": SMALL + 1, "axes.titlesize": SMALL + 1,
    "xtick.labelsize": SMALL, "ytick.labelsize": SMALL, "legend.fontsize": SMALL,
    "axes.linewidth": 0.6, "xtick.major.width": 0.6, "ytick.major.width": 0.6,
    "xtick.major.size": 2.5, "ytick.major.size": 2.5, "svg.fonttype": "none", "text.parse_math": False,
    "font.sans-serif": ["DejaVu Sans"], "axes.facecolor": "none", "savefig.facecolor": "none",
}  # fmt: skip
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NUMBER = re.compile(r"-?\d+\.\d+")
_COLOUR = re.compile("#[0-9a-f]{6}(?![0-9a-z])")
_HALO = "halo"  # the id of texts with an outline


def draw_svg(
    draw: Callable[[Axes], Any], size: tuple[float, float], label: str, prefix: str
) -> Html:
    """Return a figure as an SVG element that scales with the page.

    Parameters
    ----------
    draw : function that draws on the Axes that it gets
    size : width and height in inches; the text has 8 or 9 points
    label : str
        What the figure shows, in words, for those who do not see it. Without it, the drawing is an ornament.
    prefix : str, different for each figure of a page, so that their ids differ
    """
    style = _PAGE_STYLE | {"svg.hashsalt": prefix}
    with matplotlib.rc_context(style), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # the font of the page draws it
        figure = PlainFigure(figsize=size, dpi=72, layout="constrained")
        draw(figure.add_subplot())
        tooltips = _prepare(figure)
        file = StringIO()
        figure.savefig(file, format="svg")
    text = _NOT_XML.sub("\ufffd", file.getvalue())
    root = ElementTree.fromstring(text)  # noqa: S314 - matplotlib wrote it, with names escaped
    for name, group in _simplify(root):
        if name == _HALO:
            group.set("class", "halo")
        _add_titles(group, tooltips.get(name, []))
    width, height = (f"{72 * length:g}" for length in size)
    element = ElementTree.Element("svg", viewBox=f"0 0 {width} {height}")
    named = {"role": "img", "aria-label": _NOT_XML.sub("\ufffd", label)}
    element.attrib |= named if label else {"aria-hidden": "true"}
    element.extend(
        root.findall("g") + root.findall("defs[clipPath]") + root.findall("defs[pattern]")
    )
    return Html(ElementTree.tostring(element, encoding="unicode").replace(" />", "/>"))


def draw_key(artist: Artist, prefix: str) -> Html:
    """Return an artist as the small drawing of a legend, without its label."""

    def draw(ax: Axes) -> None:
        ax.set_axis_off()
        ax.legend([artist], [""], loc="center", frameon=False, borderpad=0, handletextpad=0)

    return draw_svg(draw, (0.4, 0.17), "", prefix)


def _prepare(figure: Figure) -> dict[str, list[str]]:
    """Mark what SVG shows in another way, by ids; return the tooltips by id."""
    tooltips = {}
    for i, artist in enumerate(figure.findobj()):
        if texts := getattr(artist, "tooltips", None):
            tooltips[f"tooltips-{i}"] = texts
            artist.set_gid(f"tooltips-{i}")
        elif isinstance(artist, Text) and artist.get_path_effects():
            artist.set_path_effects([])  # they would make the text a drawing
            artist.set_gid(_HALO)
    return tooltips


def _simplify(root: ElementTree.Element) -> list[tuple[str, ElementTree.Element]]:
    """Simplify attributes and use the colours of the page; return the groups, with the ids that they had."""
    groups = []
    for node in root.iter():
        node.tag = node.tag.rpartition("}")[2]
        node.text, node.tail = node.text if node.tag in ("text", "tspan", "title") else None, None
        if node.tag == "g":
            groups.append((node.attrib.pop("id", ""), node))
        for key in list(node.attrib):
            value = _NUMBER.sub(
                lambda found: f"{round(float(found[0]), 2):g}", node.attrib.pop(key)
            )
            value = _COLOUR.sub(lambda found: page_colour(found[0]), value)
            node.set(key.rpartition("}")[2], value)
    return groups


def _add_titles(group: ElementTree.Element, texts: list[str]) -> None:
    """Give each marker of a group its tooltip, if there is one for each."""
    marks = group.findall(".//use") or group.findall(".//path")
    if len(marks) == len(texts):
        for mark, text in zip(marks, texts, strict=True):
            ElementTree.SubElement(mark, "title").text = _NOT_XML.sub("\ufffd", text)
