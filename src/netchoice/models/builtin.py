"""The model spaces that come with the package, and the look-up of models by name or by record."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np

from netchoice.errors import UsageError
from netchoice.models.density_matched import MatchedSpace
from netchoice.models.edge_bound import bounded_space
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
    bound = record["models"][0].get("max_edges")
    if bound is not None:
        unbounded = [_without_bound(each) for each in record["models"]]
        return bounded_space(rebuilt_space({**record, "models": unbounded}, given), bound)
    if given is not None:
        if json.loads(json.dumps(given.as_dict())) != json.loads(json.dumps(record)):
            raise UsageError(
                f"the models of the space {given.name} differ from those of the simulations (names, priors "
                "or weights); pass the model space that they were made with"
            )
        return given
    models = [_rebuilt(each) for each in record["models"]]
    return ModelSpace(record["name"], models, [each["weight"] for each in record["models"]])


def _without_bound(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key != "max_edges"}


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
