"""Mixtures: each new node uses one of two growing mechanisms."""

from __future__ import annotations

import re
from dataclasses import replace

from netchoice.errors import UsageError
from netchoice.models.mechanism import Growth, GrowthStep, probability
from netchoice.models.model import Model, Parameter

FAMILY = "mixture"
#: The parameter of a mixture: the probability that a new node uses the first mechanism.
SHARE = "q"


def mixture(first: Model, second: Model) -> Model:
    """Return the mixture of two growing mechanisms, called "first+second".

    Each new node uses the first mechanism with probability ``q``, else the second. The prior of ``q`` is
    uniform between 0 and 1. The mixture has the parameters of both models, with their priors. A
    parameter that means the same in both, such as ``mean_links``, is shared and keeps its name. The names
    of all others begin with that of their model: ``dmr_p_delete``.

    >>> import netchoice
    >>> mixed = mixture(netchoice.get_model("lpa"), netchoice.get_model("rdg"))
    >>> mixed.name, list(mixed.parameters)
    ('lpa+rdg', ['q', 'mean_links', 'lpa_attractiveness'])
    """
    if first.name == second.name:
        raise UsageError(f"a mixture of {first.name} with itself; expected two different models")
    shared = _shared(first, second)
    share = probability(f"probability that a new node uses {first.name}, not {second.name}", 0, 1)
    parameters, parts, n_leaves = {SHARE: share}, [], 1
    for model, pure in ((first, 1.0), (second, 0.0)):
        step, names, leaves = _growing_part(model)
        prefix = re.sub(r"\W", "_", model.name)
        renamed = {name: name if name in shared else f"{prefix}_{name}" for name in names}
        for name in names:
            # The density of the pure model does not depend on the other mechanism.
            alone = () if name in shared else ((SHARE, pure),)
            parameters[renamed[name]] = replace(model.parameters[name], search_at=alone)
        parts.append((step, tuple(renamed.values())))
        n_leaves = max(n_leaves, leaves)
    name = f"{first.name}+{second.name}"
    return Model(
        name,
        Growth(name, tuple(parts), n_leaves),
        parameters,
        description=f"{first.name} with probability {SHARE}, else {second.name}",
        reference="; ".join(dict.fromkeys(filter(None, (first.reference, second.reference)))),
        min_nodes=n_leaves + 1,
        family=FAMILY,
    )


def pure_models(model: Model) -> tuple[str, ...]:
    """Return the names of the two models that a mixture consists of, or nothing for other models.

    >>> import netchoice
    >>> pure_models(netchoice.get_model("dmr+lpa~edges"))
    ('dmr~edges', 'lpa~edges')
    """
    if model.family != FAMILY or SHARE not in model.parameters:
        return ()
    name, tilde, kind = model.name.partition("~")
    return tuple(f"{part}{tilde}{kind}" for part in name.split("+"))


def _growing_part(model: Model) -> tuple[GrowthStep, tuple[str, ...], int]:
    """Return the step of a growing mechanism, its parameters, and the leaves of its first star."""
    growth = model.function
    if not is_growing(model):
        from netchoice.models.mechanisms import all_models

        known = ", ".join(name for name, each in all_models().items() if is_growing(each))
        raise UsageError(
            f"{model.name} cannot be mixed, because it does not grow node by node with one mechanism; "
            f"expected a growing mechanism: {known}, or your own (netchoice.mechanism)"
        )
    ((step, names),) = growth.parts  # type: ignore[attr-defined]
    return step, names, growth.n_leaves  # type: ignore[attr-defined]


def is_growing(model: Model) -> bool:
    """Return whether a model grows node by node with one mechanism, so that it can be mixed."""
    return isinstance(model.function, Growth) and len(model.function.parts) == 1


def _shared(first: Model, second: Model) -> set[str]:
    """Return the parameters that mean the same in both models; their priors must agree."""
    shared = set()
    for name in first.parameters.keys() & second.parameters.keys() - {SHARE}:
        one, other = first.parameters[name], second.parameters[name]
        if not one.meaning or _quantity(one) != _quantity(other):
            continue
        if one.prior != other.prior:
            raise UsageError(
                f"{first.name} and {second.name} share {name} in a mixture, but its priors are "
                f"{one.prior} and {other.prior}; give both models the same prior"
            )
        shared.add(name)
    return shared


def _quantity(spec: Parameter) -> tuple[float, float, str]:
    return spec.low, spec.high, spec.meaning
