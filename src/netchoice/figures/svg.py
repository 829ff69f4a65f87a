"""Figures as SVG elements of a page, which gives them its font and its colours, also in dark mode."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from io import StringIO
from typing import Any
from xml.etree import ElementTree

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.markers import MarkerStyle
from matplotlib.text import Text

from netchoice.figures.axes import GREY, SMALL, STYLE, PlainFigure
from netchoice.figures.style import SeriesStyle, on_dark
from netchoice.markup import Html

#: Colours of the page that replace those of a figure; other colours are those of series.
PAGE_COLOURS = {
    "#000000": "text", "#ffffff": "surface", GREY: "faint", "#b0b0b0": "faint", "#999999": "faint",
    "#d9d9d9": "line", "#cccccc": "line",
}  # fmt: skip
_PAGE_STYLE: dict[Any, Any] = STYLE | {
    "font.size": SMALL + 1, "axes.labelsize": SMALL + 1, "axes.titlesize": SMALL + 1,
    "xtick.labelsize": SMALL, "ytick.labelsize": SMALL, "legend.fontsize": SMALL,
    "axes.linewidth": 0.6, "xtick.major.width": 0.6, "ytick.major.width": 0.6,
    "xtick.major.size": 2.5, "ytick.major.size": 2.5, "svg.fonttype": "none", "text.parse_math": False,
}  # fmt: skip
_MARGIN = 2.0  # points around a figure
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NUMBER = re.compile(r"-?\d+\.\d+")
_COLOUR = re.compile("#[0-9a-f]{6}")
_REFERENCE = re.compile(r"(?:href=\"#|url\(#)([^\")]+)")
#: Properties that the page decides, or that change nothing.
_USELESS = ("font-family", "stroke-miterlimit")


def draw_svg(
    draw: Callable[[Axes], Any], size: tuple[float, float], label: str, prefix: str
) -> Html:
    """Return a figure as an SVG element that scales with the page.

    Parameters
    ----------
    draw : function that draws on the Axes that it gets
    size : width and height in inches; the text has 8 or 9 points
    label : str, what the figure shows, in words, for those who do not see it
    prefix : str, the start of every id, so that several figures of a page do not clash
    """
    with matplotlib.rc_context(_PAGE_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # the font of the page draws it
        figure = PlainFigure(figsize=size, dpi=72)
        ax = figure.add_axes((0.1, 0.2, 0.88, 0.7))
        draw(ax)
        for _ in range(2):  # a new size can change the numbers at the ticks
            _fill_figure(figure, ax)
        tooltips = _prepare(figure)
        file = StringIO()
        figure.savefig(file, format="svg")
    width, height = (f"{72 * length:g}" for length in size)
    text = _NOT_XML.sub("\ufffd", file.getvalue())
    root = ElementTree.fromstring(text)  # noqa: S314 - matplotlib wrote it, with names escaped
    element = ElementTree.Element("svg", viewBox=f"0 0 {width} {height}", role="img")
    element.set("aria-label", _NOT_XML.sub("\ufffd", label))
    element.extend(_Compactor(text, prefix, tooltips, 0 if size[0] > 10 else 1).parts(root))
    return Html(ElementTree.tostring(element, encoding="unicode").replace(" />", "/>"))


def key_svg(style: SeriesStyle, *, line: bool = False, width: float = 3.0) -> Html:
    """Return the marker or the line of a series as a small SVG element, for a legend."""
    colour = page_colour(style.colour)
    if line:
        dashes = "" if style.line == "-" else " ".join(f"{3 * part:g}" for part in style.line[1])
        parts = f'<path d="M0 5H40" stroke="{colour}" stroke-width="{width:g}" stroke-dasharray="{dashes}"/>'
        return Html(f'<svg viewBox="0 0 40 10" aria-hidden="true" class="line">{parts}</svg>')
    marker = MarkerStyle(style.marker)
    shape: Any = marker.get_path().transformed(marker.get_transform()).to_polygons()[0]
    points = " ".join(f"{8 * x:.1f},{-8 * y:.1f}" for x, y in shape)
    parts = f'<polygon points="{points}" fill="{colour}"/>'
    return Html(f'<svg viewBox="-5 -5 10 10" aria-hidden="true" class="marker">{parts}</svg>')


def series_colours(page: str) -> Html:
    """Return the style that defines the colours of series in a page, for light and dark mode."""
    used = sorted(set(re.findall(r"var\(--c([0-9a-f]{6})\)", page)))
    light, dark = (
        "".join(f"--c{colour}:{change(f'#{colour}')};" for colour in used)
        for change in (str, on_dark)
    )
    return Html(f":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}")


def page_colour(colour: str) -> str:
    """Return a colour as the page defines it.

    >>> page_colour("#000000"), page_colour("#E69F00")
    ('var(--text)', 'var(--ce69f00)')
    """
    name = PAGE_COLOURS.get(colour.lower(), f"c{colour[1:].lower()}")
    return f"var(--{name})"


def _fill_figure(figure: Figure, ax: Axes) -> None:
    """Place the Axes so that its texts just fit into the figure."""
    canvas: Any = FigureCanvasAgg(figure)
    legend = ax.get_legend()
    texts = [*ax.texts, *([legend] if legend else [])]
    outer: Any = ax.get_tightbbox(canvas.get_renderer(), bbox_extra_artists=texts)
    (left, bottom), (right, top) = outer.min - ax.bbox.min, outer.max - ax.bbox.max
    width, height = figure.bbox.size
    left, bottom, right, top = (_MARGIN - left, _MARGIN - bottom, _MARGIN + right, _MARGIN + top)
    size = (width - left - right) / width, (height - bottom - top) / height
    ax.set_position((left / width, bottom / height, *size))
    figure.patch.set_visible(False)
    if ax.patch.get_facecolor()[:3] == (1.0, 1.0, 1.0):
        ax.patch.set_visible(False)


def _prepare(figure: Figure) -> dict[str, list[str]]:
    """Mark what SVG shows in another way, by ids; return the tooltips by id."""
    tooltips = {}
    for i, artist in enumerate(figure.findobj()):
        if texts := getattr(artist, "tooltips", None):
            tooltips[f"tooltips-{i}"] = texts
            artist.set_gid(f"tooltips-{i}")
        elif isinstance(artist, Text) and artist.get_path_effects():
            artist.set_path_effects([])  # they would make the text a drawing
            artist.set_gid("halo")
    return tooltips


class _Compactor:
    """Short equivalents of the elements that matplotlib writes."""

    def __init__(
        self, text: str, prefix: str, tooltips: Mapping[str, list[str]], digits: int
    ) -> None:
        names = dict.fromkeys(_REFERENCE.findall(text))
        self.ids = {name: f"{prefix}-{number}" for number, name in enumerate(names)}
        self.tooltips, self.digits = tooltips, digits

    def parts(self, node: ElementTree.Element) -> list[ElementTree.Element]:
        """Return the elements that stand for the children of an element."""
        return [part for child in node for part in self.element(child)]

    def element(self, node: ElementTree.Element) -> list[ElementTree.Element]:
        """Return the elements that stand for one element: none, one, or its parts."""
        tag, id = node.tag.rpartition("}")[2], node.get("id", "")
        parts = self.parts(node)
        if tag in ("metadata", "style") or (tag in ("g", "defs") and not parts):
            return []
        made = ElementTree.Element(tag, dict(self.attributes(node)))
        made.text = node.text if tag in ("text", "tspan") else None
        made.extend(parts)
        if tag != "g":
            return [made]
        if id == "halo":
            made.set("style", "paint-order:stroke;stroke:var(--surface);stroke-width:2")
        _add_titles(made, self.tooltips.get(id, []))
        _hoist(made)
        return [made] if made.attrib else parts

    def attributes(self, node: ElementTree.Element) -> Iterator[tuple[str, str]]:
        """Yield the attributes of an element."""
        digits = 2 if node.get("id") in self.ids else self.digits
        for key, value in node.attrib.items():
            name = key.rpartition("}")[2]
            if name == "id":
                if value in self.ids:
                    yield name, self.ids[value]
            elif name == "style":
                known = [part for part in value.split("; ") if not part.startswith(_USELESS)]
                yield name, self.value(";".join(known), 2).replace(": ", ":")
            elif name == "d":
                yield name, re.sub(r"\s*([A-Za-z])\s*", r"\1", self.value(value, digits)).strip()
            elif name == "transform":
                if not value.startswith("rotate(-0 "):
                    yield name, self.value(value, 4)
            else:
                yield name, self.value(value, digits)

    def value(self, text: str, digits: int) -> str:
        """Return the text of an attribute with the colours of the page, few digits, and new ids."""
        text = _COLOUR.sub(lambda found: page_colour(found[0]), text)
        text = re.sub(r"(?<=#)[^)]+", lambda found: self.ids.get(found[0], found[0]), text)
        return _NUMBER.sub(lambda found: f"{round(float(found[0]), digits):g}", text)


def _add_titles(group: ElementTree.Element, texts: list[str]) -> None:
    """Give each marker of a group its tooltip, if there is one for each."""
    defined = {id(part) for definition in group.iter("defs") for part in definition.iter()}
    marks = [
        part for part in group.iter() if part.tag in ("use", "path") and id(part) not in defined
    ]
    if len(marks) == len(texts):
        for mark, text in zip(marks, texts, strict=True):
            ElementTree.SubElement(mark, "title").text = _NOT_XML.sub("\ufffd", text)


def _hoist(group: ElementTree.Element) -> None:
    """Move the style that all parts of a group have to the group, and dissolve empty groups in it."""
    parts = [part for part in group if part.tag not in ("defs", "title")]
    for key in ("style", "clip-path"):
        values = {part.get(key, "") for part in parts}
        common = values.pop() if len(values) == 1 else ""
        # An opacity would be that of the whole group.
        if common and key not in group.attrib and not re.search("(?<!-)opacity", common):
            group.set(key, common)
            for part in parts:
                del part.attrib[key]
    flat = [
        one for part in group for one in (part if part.tag == "g" and not part.attrib else [part])
    ]
    if flat != list(group):
        group[:] = flat
        _hoist(group)
