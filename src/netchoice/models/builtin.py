"""The model spaces that come with the package, and the look-up of models by name or by record."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np

from netchoice.errors import UsageError
from netchoice.models.density_matched import MatchedSpace
from netchoice.models.mixture import mixture
from netchoice.models.model import Model, model_of
from netchoice.models.priors import uniform
from netchoice.models.space import ModelSpace, by_family, family_weights
from netchoice.models.thinned import thinned
from netchoice.user_code import load_attribute
from netchoice.validation import unknown

# Density-matched sparse networks need more deletion than the paper's priors allow.
_WIDE = {"p_delete": uniform(0.25, 1), "p_connect": uniform(0, 1), "p_new": uniform(0, 1)}


def _models() -> dict[str, Model]:
    """Return every model by name; the mechanisms import the compiler, so not before they are needed."""
    from netchoice.models.mechanisms import all_models

    return all_models()


def _widened(model: Model) -> Model:
    """Return dmc and dmr with wide priors, and other models unchanged."""
    models = _models()
    if model not in (models["dmc"], models["dmr"]):
        return model
    return model.with_priors({each: _WIDE[each] for each in model.parameters})


def _every_mechanism() -> ModelSpace:
    """Return all mechanisms; lpa and nonlinear contain those of the space ba."""
    chosen = [_widened(model) for name, model in _models().items() if not name.startswith("ba")]
    models = [model for members in by_family(chosen).values() for model in members]
    return ModelSpace("all", models, family_weights(models))


@cache
def spaces() -> dict[str, ModelSpace]:
    """Return the model spaces that come with the package, by name."""
    models = _models()
    # The seven models of Middendorf, Ziv & Wiggins, PNAS 102:3192 (2005), doi:10.1073/pnas.0409515102.
    seven = [models[name] for name in ("dmc", "dmr", "rds", "rdg", "lpa", "agv", "smw")]
    return {
        "ba": ModelSpace("ba", [models[f"ba{m}"] for m in (1, 2, 3, 4)]),
        "duplication": ModelSpace("duplication", [models["dmc"], models["dmr"]]),
        "mechanisms": ModelSpace("mechanisms", [_widened(model) for model in seven]),
        "all": _every_mechanism(),
    }


def get_space(name: str | ModelSpace) -> ModelSpace:
    """Return a model space by its name, by ``module:attribute``, or from names of models.

    Names are separated by commas: of spaces, of models, and of mixtures such as "dmr+lpa", whose two models
    are added. "~edges" or "~nodes" after a name observes only a part of the edges or nodes.
    A model or function named by ``module:attribute`` becomes a space with one model.

    >>> get_space("ba").labels, get_space("dmc,dmr+lpa").labels
    (('ba1', 'ba2', 'ba3', 'ba4'), ('dmc', 'dmr', 'lpa', 'dmr+lpa'))
    >>> get_space("duplication~edges").labels
    ('dmc~edges', 'dmr~edges')
    """
    if isinstance(name, ModelSpace):
        return name
    parts = [part.strip() for part in str(name).split(",") if part.strip()]
    if not parts:
        raise UsageError("the model space is empty; expected a name such as duplication")
    if len(parts) == 1 and "+" not in parts[0]:
        return _single_space(parts[0])
    named = [_space_of_models(part) for part in parts]
    models = {model.name: model for space in reversed(named) for model in space}
    listed = [models.pop(model.name) for space in named for model in space if model.name in models]
    # A space with weights by family, such as "all", keeps them when models are added.
    is_by_family = any(len(set(space.weights)) > 1 for space in named)
    return ModelSpace(", ".join(parts), listed, family_weights(listed) if is_by_family else None)


def _space_of_models(part: str) -> ModelSpace:
    base, tilde, kind = part.partition("~")
    if "+" in base:
        space = with_mixtures(None, [base])
        return space.thinned(kind) if tilde else space
    if base in spaces() or ":" in base:
        return _single_space(part)
    return ModelSpace(part, [get_model(part)])


def _single_space(name: str) -> ModelSpace:
    base, tilde, kind = name.partition("~")
    if tilde and (base in spaces() or ":" in base):
        return _single_space(base).thinned(kind)
    if ":" in name:
        loaded = load_attribute(name)
        if isinstance(loaded, ModelSpace):
            return loaded
        return ModelSpace(name.partition(":")[2], [as_model(loaded, name)])
    if name in spaces():
        return spaces()[name]
    if name.partition("~")[0] in _models():
        return ModelSpace(name, [get_model(name)])
    raise unknown("model space", name, [*spaces(), *_models()])


def get_model(name: Any) -> Model:
    """Return a model by its name, or by ``module:attribute``.

    "dmr+lpa" is the mixture of two models. "dmr~edges" and "dmr~nodes" are thinned models.

    >>> get_model("dmr").description
    'duplication with random mutation'
    >>> get_model("dmr+lpa~edges").description
    'dmr with probability q, else lpa; some edges are observed'
    """
    if not isinstance(name, str):
        return as_model(name, repr(name))
    if "~" in name:
        base, _, kind = name.rpartition("~")
        return thinned(get_model(base), kind)
    if "+" in name:
        return mixture(*(_widened(get_model(part)) for part in mixed_names(name)))
    if ":" in name:
        return as_model(load_attribute(name), name)
    models = _models()
    if name not in models:
        raise unknown("model", name, models)
    return models[name]


def mixed_names(name: str) -> tuple[str, str]:
    """Return the names of the two models of a mixture."""
    names = [part.strip() for part in name.split("+")]
    if len(names) != 2 or not all(names):
        raise UsageError(f"{name!r} is not a mixture; expected two models, for example dmr+lpa")
    return names[0], names[1]


def with_mixtures(space: ModelSpace | None, names: Iterable[str]) -> ModelSpace:
    """Return a space with mixtures and their pure models; without a space, only these.

    See :meth:`ModelSpace.with_mixtures`.
    """
    models = {} if space is None else {model.name: model for model in space}
    n_before = len(models)
    for name in names:
        given = [models.get(part) or _widened(get_model(part)) for part in mixed_names(name)]
        pure = [models.setdefault(model.name, model) for model in given]
        mixed = mixture(*pure)
        models.setdefault(mixed.name, mixed)
    added = list(models.values())
    if space is None:
        return ModelSpace("mixtures", added)
    weights = [*space.weights, *[1 / n_before] * (len(added) - n_before)]
    if len(set(space.weights)) > 1 and np.allclose(space.weights, family_weights(space)):
        weights = family_weights(added)
    return ModelSpace(f"{space.name} and mixtures", added, weights)


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


def rebuilt_space(record: Mapping[str, Any], given: ModelSpace | None = None) -> ModelSpace:
    """Return the space whose :meth:`ModelSpace.as_dict` is this record.

    ``given`` is needed if its models are not built in: the space, or the space before it was matched. It
    must agree with the record.

    >>> import netchoice
    >>> space = netchoice.get_space("duplication").with_priors({"p_delete": "uniform(0, 1)"})
    >>> rebuilt_space(space.as_dict()).as_dict() == space.as_dict()
    True
    """
    if "match" in record:
        match = record["match"]
        base = rebuilt_space(match["base"], getattr(given, "base", given))
        settings = (match[name] for name in ("n_nodes", "n_edges", "tolerance", "isolated"))
        priors = {each["name"]: each["priors"] for each in record["models"]}
        return MatchedSpace(base, *settings, priors=priors)
    if given is not None:
        if json.loads(json.dumps(given.as_dict())) != json.loads(json.dumps(record)):
            raise UsageError(
                f"the models of the space {given.name} differ from those of the simulations (names, priors "
                "or weights); pass the model space that they were made with"
            )
        return given
    models = [_rebuilt(each) for each in record["models"]]
    return ModelSpace(record["name"], models, [each["weight"] for each in record["models"]])


def _rebuilt(record: Mapping[str, Any]) -> Model:
    try:
        model = get_model(record["name"])
    except UsageError as error:
        raise UsageError(
            f"the model {record['name']} is not built in; pass the model space that holds it "
            "(--space, in Python space=…)"
        ) from error
    priors = {
        name: prior
        for name, prior in record["priors"].items()
        if str(model.parameters[name].prior) != prior
    }
    return model.with_priors(priors)
