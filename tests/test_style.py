"""Colours of models: stable by name, and distinguishable, also for colour-deficient vision."""

import itertools

import numpy as np
import pytest

import netchoice
from netchoice.figures.style import HIGHLIGHT, MODEL_COLOURS, model_colour, model_styles

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
def test_colours_of_models_differ_for_all_kinds_of_vision(vision):
    space = {name: netchoice.get_space(name).labels for name in ("all", "mechanisms", "ba")}
    colours = {name: [*map(model_colour, space[name]), HIGHLIGHT] for name in space}
    assert nearest(colours["all"], vision) > 5.5
    assert nearest(colours["mechanisms"], vision) > 7.5
    assert nearest(colours["ba"], vision) > 7.5
    assert nearest([model_colour("dmc"), model_colour("dmr")], vision) > 20


def test_every_built_in_model_has_a_colour_of_its_own():
    names = {*netchoice.get_space("all").labels, *netchoice.get_space("ba").labels}
    assert set(MODEL_COLOURS) == names
    assert len(set(MODEL_COLOURS.values())) == len(names)


def test_a_model_has_the_same_colour_among_any_others():
    names = [
        "dmc",
        "dmr",
        "dmr+lpa",
        "dmr~edges",
        "dmr+lpa~nodes",
        "my own model",
        "a+b+c",
        "+",
        "",
    ]
    for others in (names, names[::-1], names[2:5]):
        for name, style in model_styles(others).items():
            assert style.colour == model_colour(name)
    assert len({model_colour(name) for name in names}) == len(names)
    assert model_colour("lpa+dmr") == model_colour("dmr+lpa")
    assert all(len(model_colour(name)) == 7 for name in names)
