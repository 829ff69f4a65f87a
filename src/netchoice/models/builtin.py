"""The model spaces that come with the package, and the look-up of models by name."""

from __future__ import annotations

from functools import cache
from typing import Any

from netchoice.errors import UsageError
from netchoice.models.families import by_family, family_weights
from netchoice.models.model import Model, model_of
from netchoice.models.priors import uniform
from netchoice.models.space import ModelSpace
from netchoice.names import load_attribute, unknown

# Density-matched sparse networks need more deletion than the paper's priors allow.
_WIDE = {"p_delete": uniform(0.25, 1), "p_connect": uniform(0, 1), "p_new": uniform(0, 1)}


def _models() -> dict[str, Model]:
    """Return every model by name; the mechanisms import the compiler, so not before they are needed."""
    from netchoice.models.mechanisms import all_models

    return all_models()


def _widened(name: str) -> Model:
    model = _models()[name]
    return model.with_priors({each: _WIDE[each] for each in model.parameters})


def _every_mechanism() -> ModelSpace:
    """Return all mechanisms; lpa and nonlinear contain those of the space ba."""
    chosen = [
        _widened(name) if name in ("dmc", "dmr") else model
        for name, model in _models().items()
        if not name.startswith("ba")
    ]
    models = [model for members in by_family(chosen).values() for model in members]
    return ModelSpace("all", models, family_weights(models))


@cache
def spaces() -> dict[str, ModelSpace]:
    """Return the model spaces that come with the package, by name."""
    models = _models()
    # The seven models of Middendorf, Ziv & Wiggins, PNAS 102:3192 (2005), doi:10.1073/pnas.0409515102.
    others = [models[name] for name in ("rds", "rdg", "lpa", "agv", "smw")]
    return {
        "ba": ModelSpace("ba", [models[f"ba{m}"] for m in (1, 2, 3, 4)]),
        "duplication": ModelSpace("duplication", [models["dmc"], models["dmr"]]),
        "mechanisms": ModelSpace("mechanisms", [_widened("dmc"), _widened("dmr"), *others]),
        "all": _every_mechanism(),
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
    if name not in spaces():
        raise unknown("model space", name, spaces())
    return spaces()[name]


def get_model(name: Any) -> Model:
    """Return a model by its name, or by ``module:attribute``.

    >>> get_model("dmr").description
    'duplication with random mutation'
    """
    if not isinstance(name, str):
        return as_model(name, repr(name))
    if ":" in name:
        return as_model(load_attribute(name), name)
    models = _models()
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
