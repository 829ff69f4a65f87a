"""Models whose networks have at most a number of edges, so that none takes too long."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from netchoice.errors import EdgeLimitError, GrowthLimitError
from netchoice.graph import Graph
from netchoice.models.model import Model, Parameters
from netchoice.models.space import ModelSpace

MAX_PROPOSALS = 1000


@dataclass(frozen=True)
class BoundedModel(Model):
    """A model conditioned on at most ``max_edges`` edges.

    :meth:`draw` draws parameters and grows a network with them until one has so few edges. The growth of
    other networks ends at the bound.
    """

    max_edges: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Return the name, the priors and the bound as a dictionary for JSON."""
        return {**super().as_dict(), "max_edges": self.max_edges}

    def draw(
        self, n_nodes: int, rng: np.random.Generator, isolated: str = "keep"
    ) -> tuple[Parameters, Graph]:
        """Draw parameters, and grow a network with them, until one has few enough edges; return both."""
        for _ in range(MAX_PROPOSALS):
            parameters = self.sample(rng)
            try:
                return parameters, self.grow(
                    n_nodes, parameters, rng, isolated=isolated, max_edges=self.max_edges
                )
            except EdgeLimitError:
                continue
        raise GrowthLimitError(
            f"{self.name}: none of {MAX_PROPOSALS} networks with {n_nodes} nodes had at most "
            f"{self.max_edges} edges; change its priors, or leave the model out"
        )


def bounded_model(model: Model, max_edges: int) -> BoundedModel:
    """Return a model with a bound on the number of edges."""
    values = {field.name: getattr(model, field.name) for field in fields(Model)}
    return BoundedModel(**values, max_edges=max_edges)


def bounded_space(space: ModelSpace, max_edges: int) -> ModelSpace:
    """Return a space of models with a bound on the number of edges; they keep their weights.

    >>> import netchoice
    >>> space = bounded_space(netchoice.get_space("duplication"), 100)
    >>> rng = np.random.default_rng(1)
    >>> max(space["dmr"].draw(60, rng)[1].n_edges for _ in range(20)) <= 100
    True
    """
    models = [bounded_model(model, max_edges) for model in space]
    return ModelSpace(space.name, models, space.weights)
