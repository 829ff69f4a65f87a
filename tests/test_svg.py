"""Figures as SVG elements of a page: text stays text, colours are those of the page, ids are unique."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.lines import Line2D

from netchoice import CostModel, figures
from netchoice.figures.axes import GREY, add_tooltips, halo
from netchoice.figures.style import ON_DARK, page_colours
from netchoice.figures.svg import draw_key, draw_svg

SIZE = (3.4, 2.1)


def parsed(draw, label="a figure", prefix="f1"):
    return ElementTree.fromstring(draw_svg(draw, SIZE, label, prefix))


def scatter(ax, texts=("one", "two & three", "<b>four</b>")):
    points = ax.scatter(range(3), range(3), color="#0072B2", s=9)
    add_tooltips(points, texts)
    ax.set_xlabel("x < y & z")


def properties(node):
    """Return the style of an element."""
    parts = (part.partition(":") for part in node.get("style", "").split(";"))
    return {name.strip(): value.strip() for name, _, value in parts}


def test_element_has_a_label_and_scales_with_the_page():
    drawing = parsed(scatter, 'a "figure" of <b>&')
    assert (drawing.tag, drawing.get("role")) == ("svg", "img")
    assert drawing.get("aria-label") == 'a "figure" of <b>&'
    assert drawing.get("viewBox") == "0 0 244.8 151.2"
    assert drawing.get("width") is None


def test_text_stays_text():
    drawing = parsed(scatter)
    shown = [text.text for text in drawing.iter("text")]
    assert "x < y & z" in shown
    sizes = {properties(text).get("font-size") for text in drawing.iter("text")}
    assert {size.strip() for size in sizes} <= {"8px", "9px"}


def test_each_point_has_its_tooltip():
    drawing = parsed(scatter)
    points = [use for use in drawing.iter("use") if use.find("title") is not None]
    assert [use.find("title").text for use in points] == ["one", "two & three", "<b>four</b>"]
    places = np.array([[float(use.get(axis)) for axis in "xy"] for use in points])
    assert (np.diff(places[:, 0]) > 0).all()
    assert (np.diff(places[:, 1]) < 0).all()  # the axis of SVG points downwards


def test_points_get_no_tooltips_if_the_numbers_differ():
    assert not list(parsed(lambda ax: scatter(ax, ["one"])).iter("title"))


def test_ids_differ_between_figures_and_every_reference_has_a_target():
    texts = [draw_svg(scatter, SIZE, "a figure", prefix) for prefix in ("f1", "f2")]
    one, other = (re.findall(r'id="([^"]*)"', text) for text in texts)
    assert one
    assert len({*one, *other}) == len([*one, *other])
    references = re.findall(r'(?:href="#|url\(#)([^")]*)', texts[0])
    assert set(references) <= set(one)


def test_a_key_is_an_ornament():
    drawing = ElementTree.fromstring(draw_key(Line2D([], [], color="#0072B2", label="a"), "f"))
    assert drawing.get("aria-hidden") == "true"
    assert drawing.get("role") is None
    assert not list(drawing.iter("text"))
    assert "var(--0072B2)" in ElementTree.tostring(drawing, encoding="unicode")


def test_equal_figures_give_equal_elements():
    assert draw_svg(scatter, SIZE, "a", "f") == draw_svg(scatter, SIZE, "a", "f")


def test_colours_are_those_of_the_page():
    def draw(ax):
        scatter(ax)
        ax.axhline(1, color=GREY)
        ax.text(0.5, 0.5, "halo", path_effects=halo(2))

    text = draw_svg(draw, SIZE, "a figure", "f")
    assert "fill: var(--0072B2)" in text
    assert "stroke: var(--595959)" in text
    assert "stroke: var(--000000)" in text
    assert 'class="halo"' in text
    light, _, dark = page_colours().partition("dark")
    assert "--0072B2:#0072B2;" in light
    assert f"--0072B2:{ON_DARK['#0072B2']};" in dark


@pytest.mark.parametrize(
    "name", ["a\x00b\x0bc", "\ud800", "\uffff", "$x$ $$", "]]>", "&#x0;", "中文"]
)
def test_any_name_is_shown(name):
    costs = CostModel({name: 1.0, "b": 2.0})
    drawing = parsed(lambda ax: figures.feature_costs(costs, ax=ax), name)
    known = re.sub("[\x00\ud800\uffff]", "\ufffd", name)
    assert known.replace("\x0b", " ") in [text.text for text in drawing.iter("text")]
    known = known.replace("\x0b", "\ufffd")
    assert drawing.get("aria-label") == known


def test_texts_fit_into_the_figure():
    def draw(ax):
        figures.probabilities({"a model with a long name": 0.9, "b": 0.1}, ax=ax)

    drawing = parsed(draw)
    width, height = map(float, drawing.get("viewBox").split()[2:])
    widths = {"end": -1, "middle": -0.5, None: 0, "start": 0}
    anchors = {
        text: properties(group).get("text-anchor") for group in drawing.iter("g") for text in group
    }
    for text in drawing.iter("text"):
        anchor = properties(text).get("text-anchor") or anchors.get(text)
        length = 0.5 * 8 * len(text.text)
        left = float(text.get("x")) + widths[anchor] * length
        assert left >= 0
        assert left + length <= width + 1
        assert 0 < float(text.get("y")) < height


def test_labels_stay_inside_if_the_numbers_at_the_ticks_get_longer():
    """A smaller size of the Axes can change the numbers at the ticks, and so their width."""

    def draw(ax):
        ax.plot([0, 1], [0.45, 0.752], "o")
        ax.set_ylabel("a parameter")

    (label,) = [text for text in parsed(draw).iter("text") if text.text == "a parameter"]
    assert float(label.get("x")) > 8  # the height of its letters
