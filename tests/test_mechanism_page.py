"""The page on mechanisms agrees with the models."""

import runpy
from pathlib import Path

import netchoice
from netchoice.models.space import FAMILIES, by_family

DOCS = Path(__file__).resolve().parents[1] / "docs"
MAKE = runpy.run_path(str(DOCS / "pictures" / "make_mechanisms.py"))


def test_the_page_lists_the_mechanisms_as_they_are():
    page = (DOCS / "mechanisms.md").read_text()
    assert MAKE["with_list"](page) == page, "run python docs/pictures/make_mechanisms.py"


def test_every_mechanism_states_its_rule_family_reference_and_parameters():
    for model in netchoice.get_space("all"):
        assert len(MAKE["rule"](model)) > 60, model.name
        assert model.family in FAMILIES, model.name
        assert model.reference, model.name
        assert all(spec.meaning for spec in model.parameters.values()), model.name


def test_every_family_has_a_picture():
    for family in by_family(netchoice.get_space("all")):
        assert (DOCS / "pictures" / f"mechanisms-{family}.png").stat().st_size > 5000
