"""Figures as SVG elements of a page: text stays text, colours are those of the page, ids are unique."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from netchoice import CostModel, figures
from netchoice.figures.axes import GREY, add_tooltips, halo
from netchoice.figures.style import on_dark
from netchoice.figures.svg import draw_svg, page_colour, series_colours

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
    return {name: value for name, _, value in parts}


def test_element_has_a_label_and_scales_with_the_page():
    drawing = parsed(scatter, 'a "figure" of <b>&')
    assert (drawing.tag, drawing.get("role")) == ("svg", "img")
    assert drawing.get("aria-label") == 'a "figure" of <b>&'
    assert drawing.get("viewBox") == "0 0 244.8 151.2"
    assert drawing.get("width") is None


def test_text_stays_text_without_a_font():
    drawing = parsed(scatter)
    shown = [text.text for text in drawing.iter("text")]
    assert "x < y & z" in shown
    assert {properties(text).get("font-size") for text in drawing.iter("text")} <= {
        "8px",
        "9px",
        None,
    }
    assert "font-family" not in ElementTree.tostring(drawing, encoding="unicode")


def test_each_point_has_its_tooltip():
    drawing = parsed(scatter)
    points = [use for use in drawing.iter("use") if use.find("title") is not None]
    assert [use.find("title").text for use in points] == ["one", "two & three", "<b>four</b>"]
    places = np.array([[float(use.get(axis)) for axis in "xy"] for use in points])
    assert (np.diff(places[:, 0]) > 0).all()
    assert (np.diff(places[:, 1]) < 0).all()  # the axis of SVG points downwards


def test_points_get_no_tooltips_if_the_numbers_differ():
    assert not list(parsed(lambda ax: scatter(ax, ["one"])).iter("title"))


def test_ids_have_the_prefix_and_every_reference_has_a_target():
    text = draw_svg(scatter, SIZE, "a figure", "prefix")
    ids = re.findall(r'id="([^"]*)"', text)
    assert ids
    assert len(ids) == len(set(ids))
    assert all(name.startswith("prefix-") for name in ids)
    references = re.findall(r'(?:href="#|url\(#)([^")]*)', text)
    assert set(references) == set(ids)


def test_equal_figures_give_equal_elements():
    assert draw_svg(scatter, SIZE, "a", "f") == draw_svg(scatter, SIZE, "a", "f")


def test_colours_are_those_of_the_page():
    def draw(ax):
        scatter(ax)
        ax.axhline(1, color=GREY)
        ax.text(0.5, 0.5, "halo", path_effects=halo(2))

    text = draw_svg(draw, SIZE, "a figure", "f")
    assert "fill:var(--c0072b2)" in text
    assert "stroke:var(--faint)" in text
    assert "stroke:var(--text)" in text
    assert "paint-order:stroke;stroke:var(--surface)" in text
    assert not re.search("#[0-9a-f]{6}", text)
    style = series_colours(text)
    assert style.count("--c0072b2:#0072b2;") == 1
    assert f"--c0072b2:{on_dark('#0072b2')};" in style.partition("dark")[2]
    assert page_colour("#FFFFFF") == "var(--surface)"


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
    assert any(title.text.startswith(known) for title in drawing.iter("title"))


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
