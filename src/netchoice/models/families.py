"""Families of mechanisms: which models are variants of one idea, and prior weights by family."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from netchoice.models.model import Model

#: The families, in the order in which they are shown.
FAMILIES = {
    "attachment": "new nodes prefer nodes with certain properties, such as a large degree",
    "duplication": "new nodes copy the links of an earlier node",
    "closure": "new links join nodes that are close to each other in the network",
    "spatial": "nodes have places, and near ones are linked",
    "static": "links are drawn at random, given few properties of the network",
    "mixture": "each new node uses one of two mechanisms",
}
OTHER = "other"


def family_of(model: Model) -> str:
    """Return the family of a model, or "other" if it has none."""
    return model.family or OTHER


def by_family(models: Iterable[Model]) -> dict[str, list[Model]]:
    """Return the models of each family; the families of the package come first.

    >>> import netchoice
    >>> {family: len(models) for family, models in by_family(netchoice.get_space("mechanisms")).items()}
    {'attachment': 2, 'duplication': 2, 'spatial': 1, 'static': 2}
    """
    found: dict[str, list[Model]] = {}
    for model in models:
        found.setdefault(family_of(model), []).append(model)
    order = [*FAMILIES, *(family for family in found if family not in FAMILIES)]
    return {family: found[family] for family in order if family in found}


def family_weights(models: Iterable[Model]) -> list[float]:
    """Return prior weights that are equal for all families, and within a family for all its models.

    Adding a variant of a mechanism then does not change the prior probability of its family.
    """
    models = list(models)
    sizes = {family: len(members) for family, members in by_family(models).items()}
    return [1 / (len(sizes) * sizes[family_of(model)]) for model in models]


def family_probabilities(
    models: Iterable[Model], probabilities: Mapping[str, float]
) -> dict[str, float]:
    """Return the probability of each family: the sum over its models; the most probable comes first.

    The result is empty if it would say nothing else than the probabilities of the models: with one family
    only, or with one model in each.

    >>> import netchoice
    >>> space = netchoice.get_space("mechanisms")
    >>> family_probabilities(space, dict.fromkeys(space.labels, 0.1) | {"smw": 0.4})
    {'spatial': 0.4, 'attachment': 0.2, 'duplication': 0.2, 'static': 0.2}
    """
    found = by_family(models)
    if len(found) == 1 or all(len(members) == 1 for members in found.values()):
        return {}
    sums = {
        family: math.fsum(probabilities[model.name] for model in members)
        for family, members in found.items()
    }
    return dict(sorted(sums.items(), key=lambda item: -item[1]))
