"""Colours of series: distinguishable, also for colour-deficient vision, and stable by name."""

import itertools

import numpy as np
import pytest

import netchoice
from netchoice.figures.style import COLOURS, HIGHLIGHT, ON_DARK, model_colour, model_styles

#: Machado, Oliveira & Fernandes (2009), severity 1; they apply to linear RGB.
VISION = {
    "normal": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
               [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
               [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
               [0.004733, 0.691367, 0.303900]],
}  # fmt: skip
TO_CONES = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005]]  # fmt: skip
TO_OKLAB = [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660]]  # fmt: skip


def oklab(colour, vision):
    """Return a colour in the Oklab space (times 100), as eyes with this vision see it."""
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(VISION[vision]) @ linear, 0, 1)
    return 100 * np.array(TO_OKLAB) @ np.cbrt(np.array(TO_CONES) @ seen)


def nearest(colours, vision):
    """Return the smallest distance of two colours; about 2 is just noticeable."""
    places = [oklab(colour, vision) for colour in colours]
    return min(np.linalg.norm(a - b) for a, b in itertools.combinations(places, 2))


@pytest.mark.parametrize("vision", VISION)
def test_colours_differ_from_each_other_and_from_the_page_for_all_kinds_of_vision(vision):
    light, dark = "#FFFFFF", "#1C2027"
    assert len(COLOURS) == 12
    assert nearest([*COLOURS, light], vision) > 9.5
    assert nearest([*COLOURS.values(), dark], vision) > 8
    for colour in (*COLOURS, *COLOURS.values()):
        assert nearest([colour, HIGHLIGHT], vision) > 9.5


def test_dark_colours_of_texts_and_lines_are_lighter_on_a_dark_page():
    for colour, other in ON_DARK.items():
        if colour not in COLOURS and colour != "#FFFFFF":
            assert oklab(other, "normal")[0] > 50 or other == "#6B727C"
    assert oklab(ON_DARK["#FFFFFF"], "normal")[0] < 25


def test_each_dozen_of_models_has_all_colours():
    names = netchoice.get_space("all").labels
    for order in (names, names[::-1]):
        colours = [style.colour for style in model_styles(order).values()]
        assert {*colours[:12]} == {*colours[12:24]} == {*COLOURS}


def test_a_model_has_its_own_colour_unless_an_earlier_one_has_it():
    names = ["dmc", "dmr", "lpa", "ba1", "ba2"]
    own = {name: model_colour(name) for name in names}
    assert len({*own.values()}) == len(names)
    for order in (names, names[::-1], names[1:3]):
        assert {name: s.colour for name, s in model_styles(order).items()} == {
            name: own[name] for name in order
        }
    rival = next(f"m{i}" for i in range(100) if model_colour(f"m{i}") == own["dmr"])
    styles = model_styles([rival, "dmr", "dmc"])
    assert styles[rival].colour == own["dmr"]
    assert len({style.colour for style in styles.values()}) == 3
