"""Model spaces: the models to compare, their prior weights, and the families of mechanisms."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.errors import UsageError
from netchoice.graph import Graph
from netchoice.markup import summary_html
from netchoice.models.model import ISOLATED, Model, Parameters
from netchoice.validation import check_choice, unknown

if TYPE_CHECKING:
    from netchoice.models.density_matched import MatchedSpace

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


class ModelSpace:
    """The models that are compared, with their prior weights.

    Parameters
    ----------
    name : str
    models : sequence of Model or str
        Models with different names. A text is the name of a model for :func:`netchoice.get_model`.
    weights : sequence of float, optional
        Prior weights, which are scaled to sum 1. By default all weights are equal.

    Examples
    --------
    >>> import numpy as np, netchoice
    >>> space = netchoice.get_space("duplication")
    >>> space.labels
    ('dmc', 'dmr')
    >>> rng = np.random.default_rng(1)
    >>> label, parameters = space.sample(rng)
    >>> space[label].grow(100, parameters, rng).n_nodes
    100
    """

    def __init__(
        self, name: str, models: Sequence[Model | str], weights: Sequence[float] | None = None
    ) -> None:
        self.name = name
        self.models: tuple[Model, ...] = tuple(_known(model) for model in models)
        if not self.models:
            raise UsageError(f"model space {name!r} has no models; expected at least one")
        self._by_name: dict[str, Model] = {}
        for model in self.models:
            if not isinstance(model, Model):
                raise UsageError(
                    f"model space {name!r}: {model!r} is not a Model or the name of one (see netchoice.model)"
                )
            if model.name in self._by_name:
                raise UsageError(f"model space {name!r} has two models called {model.name!r}")
            self._by_name[model.name] = model
        weights = [1.0] * len(self.models) if weights is None else weights
        if len(weights) != len(self.models) or not all(math.isfinite(w) and w > 0 for w in weights):
            raise UsageError(
                f"`weights` must be one positive number for each of {len(self.models)} models; got "
                f"{list(weights)}"
            )
        total = math.fsum(weights)
        self.weights = tuple(float(weight) / total for weight in weights)
        self._cumulative = list(itertools.accumulate(self.weights))

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(self._by_name)

    def __getitem__(self, label: str) -> Model:
        if label not in self._by_name:
            raise unknown(f"model in space {self.name}", label, self._by_name)
        return self._by_name[label]

    def __iter__(self) -> Iterator[Model]:
        return iter(self.models)

    def __len__(self) -> int:
        return len(self.models)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {', '.join(self.labels)}>"

    def _repr_html_(self) -> str:
        rows = [
            (
                model.name,
                f"{weight:.3g}",
                ", ".join(f"{name} {spec.prior}" for name, spec in model.parameters.items()),
                model.description,
            )
            for model, weight in zip(self.models, self.weights, strict=True)
        ]
        head = ("model", "weight", "priors", "description")
        return summary_html(f"{type(self).__name__} {self.name}", head, rows)

    def sample(self, rng: np.random.Generator) -> tuple[str, Parameters]:
        """Draw a model by its prior weight, and its parameters from their priors."""
        model = self.draw_model(rng)
        return model.name, model.sample(rng)

    def draw_model(self, rng: np.random.Generator) -> Model:
        """Draw a model by its prior weight."""
        at = bisect.bisect_right(self._cumulative, rng.random())
        return self.models[min(at, len(self.models) - 1)]

    def with_priors(self, priors: Mapping[str, Any]) -> ModelSpace:
        """Return the space with other priors.

        A key is the name of a parameter in all models that have it (``"p_delete"``) or in one model
        (``"dmc.p_delete"``).

        >>> import netchoice
        >>> space = netchoice.get_space("duplication").with_priors({"dmc.p_delete": "uniform(0, 1)"})
        >>> [str(model.parameters["p_delete"].prior) for model in space]
        ['uniform(0, 1)', 'uniform(0.25, 0.75)']
        """
        changes: dict[str, dict[str, Any]] = {label: {} for label in self.labels}
        for key, prior in priors.items():
            label, dot, name = key.rpartition(".")
            models = [self[label]] if dot else [m for m in self.models if name in m.parameters]
            if not models:
                known = dict.fromkeys(name for model in self.models for name in model.parameters)
                raise unknown(f"parameter in space {self.name}", name, known)
            for model in models:
                changes[model.name][name] = prior
        models = [model.with_priors(changes[model.name]) for model in self.models]
        return ModelSpace(self.name, models, self.weights)

    def with_mixtures(self, names: Iterable[str]) -> ModelSpace:
        """Return the space with mixtures such as "dmr+lpa", and with their pure models if absent.

        A mixture has the priors that its pure models have in the space. Added models get weights by
        family if the space has such weights, as the space "all" has. Otherwise each gets the mean weight.

        >>> import netchoice
        >>> netchoice.get_space("duplication").with_mixtures(["dmc+dmr", "dmr+lpa"]).labels
        ('dmc', 'dmr', 'dmc+dmr', 'lpa', 'dmr+lpa')
        """
        from netchoice.models.builtin import with_mixtures

        return with_mixtures(self, names)

    def thinned(self, kind: str) -> ModelSpace:
        """Return the space with every model thinned, by "edges" or "nodes".

        See :func:`~netchoice.models.thinned.thinned`.
        """
        from netchoice.models.thinned import thinned

        models = [thinned(model, kind) for model in self.models]
        return ModelSpace(f"{self.name}~{kind}", models, self.weights)

    def only(self, labels: Iterable[str]) -> ModelSpace:
        """Return the space of some of the models; their weights are scaled to sum 1.

        >>> import netchoice
        >>> netchoice.get_space("ba").only(["ba3", "ba1"]).labels
        ('ba1', 'ba3')
        """
        wanted = {self[label].name for label in labels}
        kept = [i for i, model in enumerate(self.models) if model.name in wanted]
        models, weights = [self.models[i] for i in kept], [self.weights[i] for i in kept]
        return ModelSpace(self.name, models, weights)

    def as_dict(self) -> dict[str, Any]:
        """Return the models, weights and priors as a dictionary for JSON."""
        weighted = zip(self.models, self.weights, strict=True)
        models = [{**model.as_dict(), "weight": weight} for model, weight in weighted]
        return {"name": self.name, "models": models}

    def matched_to(
        self, graph: Any, *, tolerance: float = 0.1, isolated: str | None = None
    ) -> MatchedSpace:
        """Return the density-matched space: every network has about as many edges as ``graph``.

        By default isolated nodes are dropped if ``graph`` has none. See
        :class:`~netchoice.models.density_matched.MatchedSpace`.
        """
        from netchoice.models.density_matched import MatchedSpace

        graph = Graph.of(graph)
        if isolated is None:
            isolated = "keep" if graph.n_isolated else "drop"
        check_choice("isolated", isolated, ISOLATED)
        return MatchedSpace(self, graph.n_nodes, graph.n_edges, tolerance, isolated)


def _known(model: Model | str) -> Model:
    """Return the model that a name names; other objects are returned unchanged."""
    if not isinstance(model, str):
        return model
    from netchoice.models.builtin import get_model

    return get_model(model)
