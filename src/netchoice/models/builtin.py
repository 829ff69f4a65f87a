"""The model spaces that come with the package, and the look-up of models by name."""

from __future__ import annotations

from typing import Any

from netchoice.errors import UsageError
from netchoice.models.duplication import DMC, DMR
from netchoice.models.model import Model, model_of
from netchoice.models.preferential import AGV, BA, LPA
from netchoice.models.priors import uniform
from netchoice.models.random_graphs import RDG, RDS, SMW
from netchoice.models.space import ModelSpace
from netchoice.names import load_attribute, unknown

# Density-matched sparse networks need more deletion than the paper's priors allow.
_WIDE = {"p_delete": uniform(0.25, 1), "p_connect": uniform(0, 1), "p_new": uniform(0, 1)}


def _widened(model: Model) -> Model:
    return model.with_priors({name: _WIDE[name] for name in model.parameters})


SPACES = {
    space.name: space
    for space in (
        ModelSpace("ba", BA),
        ModelSpace("duplication", [DMC, DMR]),
        # The seven models of Middendorf, Ziv & Wiggins, PNAS 102:3192 (2005), doi:10.1073/pnas.0409515102.
        ModelSpace("mechanisms", [_widened(DMC), _widened(DMR), RDS, RDG, LPA, AGV, SMW]),
    )
}


def get_space(name: str | ModelSpace) -> ModelSpace:
    """Return a model space by its name or by ``module:attribute``.

    A model or function named by ``module:attribute`` becomes a space with one model.

    >>> get_space("ba").labels
    ('ba1', 'ba2', 'ba3', 'ba4')
    """
    if isinstance(name, ModelSpace):
        return name
    name = str(name)
    if ":" in name:
        loaded = load_attribute(name)
        if isinstance(loaded, ModelSpace):
            return loaded
        return ModelSpace(name.partition(":")[2], [as_model(loaded, name)])
    if name not in SPACES:
        raise unknown("model space", name, SPACES)
    return SPACES[name]


def get_model(name: Any) -> Model:
    """Return a model by its name, from the first space that has it, or by ``module:attribute``.

    >>> get_model("dmr").description
    'duplication with random mutation'
    """
    if not isinstance(name, str):
        return as_model(name, repr(name))
    if ":" in name:
        return as_model(load_attribute(name), name)
    models: dict[str, Model] = {}
    for space in SPACES.values():
        for model in space:  # dmc and dmr have the priors of the space duplication
            models.setdefault(model.name, model)
    if name not in models:
        raise unknown("model", name, models)
    return models[name]


def as_model(thing: Any, where: str) -> Model:
    """Return a model unchanged, or turn a function into a model."""
    if isinstance(thing, Model):
        return thing
    if callable(thing):
        return model_of(thing)
    raise UsageError(
        f"{where} is a {type(thing).__name__}; expected a netchoice.Model or a function "
        "(n_nodes, rng, …) that returns a network"
    )
