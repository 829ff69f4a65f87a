"""Growing mechanisms: models whose compiled function adds one node at a time, alone or mixed."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import TooDenseError, UsageError
from netchoice.graph import Graph, kernel
from netchoice.models.model import MAX_GROWTH, Model, Parameter, edge_limit, growth_limit
from netchoice.models.priors import uniform

ATTRACTIVENESS = Parameter(
    uniform(0.2, 5),
    0.01,
    1000.0,
    "added to every degree, so that nodes without links can be chosen",
)
MEAN_LINKS = Parameter(
    uniform(0.5, 4), 0.001, 100.0, "mean number of links per new node", adapts=True
)
P_KEEP = Parameter(
    uniform(0.1, 0.7), 0.001, 1.0, "probability that the new node keeps a copied link", adapts=True
)


def probability(meaning: str, low: float = 0.25, high: float = 0.75) -> Parameter:
    """Return the parameter for a probability; its prior is uniform between two bounds."""
    return Parameter(uniform(low, high), 0.0, 1.0, meaning)


def too_dense(
    name: str, mean_links: float, n_nodes: int, most: float, about: str = ""
) -> TooDenseError:
    """Return the error for more links than the nodes have room for."""
    return TooDenseError(
        f"{name}: mean_links={mean_links:g} is too dense for {n_nodes} nodes; expected at most "
        f"{about}{most:g}"
    )


#: Growth that passes the wanted number of non-isolated nodes starts over, at most this many times.
_MAX_STARTS = 1000


def seed_from(rng: np.random.Generator) -> NDArray[np.uint64]:
    """Draw the seed of a kernel's random stream from a NumPy generator."""
    return rng.random(3).view("u8")


def graph_of(grown: Any) -> Graph:
    """Return the graph that a growth kernel returned as arrays."""
    _, _, indptr, indices = grown
    return Graph._trusted(indptr, indices)


class GrowthStep:
    """A function ``step(net, new, *values)`` that links a new node; it is compiled on first use."""

    known: ClassVar[dict[tuple[str, str], GrowthStep]] = {}

    def __init__(self, function: Callable[..., None]) -> None:
        self.function = function
        net, new, *names = inspect.signature(function).parameters
        if (net, new) != ("net", "new") or not names:
            raise UsageError(
                f"the step {function.__name__} takes ({', '.join((net, new, *names))}); expected "
                "(net, new, …), followed by at least one parameter of the model"
            )
        self.parameters = tuple(names)
        self.known[function.__module__, function.__qualname__] = self

    def __reduce__(self) -> tuple[Any, ...]:
        if (
            self.function.__module__ == "__main__"
        ):  # a script or notebook, which others cannot import
            return GrowthStep, (self.function,)
        return _known_step, (self.function.__module__, self.function.__qualname__)

    @cached_property
    def _compiled(self) -> tuple[Any, bool]:
        compiled: tuple[Any, bool] = kernel("growth_loop.compile_step")(
            self.function, len(self.parameters)
        )
        return compiled

    @cached_property
    def address(self) -> int:
        """The address of the compiled function."""
        return int(self._compiled[0].address)

    def compile(self) -> bool:
        """Load the compiled function; return True if it was compiled, False if it was cached."""
        return not self._compiled[1]


def _known_step(module: str, name: str) -> GrowthStep:
    import_module(module)
    return GrowthStep.known[module, name]


@dataclass(frozen=True)
class Growth:
    """The function of a model that grows node by node, from a star with ``n_leaves`` leaves.

    ``parts`` are one or two steps, each with the names of its parameters in the model. With two of them,
    each new node uses the first one with probability ``q``.
    """

    name: str
    parts: tuple[tuple[GrowthStep, tuple[str, ...]], ...]
    n_leaves: int = 1

    @cached_property
    def _is_ours(self) -> bool:
        """Whether the steps are those of the package, which tests have shown to be right."""
        own = __name__.rpartition(".")[0]
        return all(step.function.__module__.startswith(own) for step, _ in self.parts)

    def __call__(
        self,
        n_nodes: int,
        rng: np.random.Generator,
        *,
        isolated: str = "keep",
        max_edges: int | None = None,
        **values: float,
    ) -> Graph:
        """Grow one network."""
        drop = isolated == "drop"
        max_nodes = MAX_GROWTH * n_nodes + 1000 if drop else n_nodes
        edges_allowed = 2**31 - 1 if max_edges is None else max_edges
        share = float(values["q"]) if len(self.parts) == 2 else 1.0
        steps: list[Any] = []
        for step, names in self.parts:
            steps += [step.address, np.array([values[name] for name in names], np.float64)]
        steps += steps[:2] if len(self.parts) == 1 else []
        grow = kernel("growth_loop.grow_by_steps")
        limits = (n_nodes, max_nodes, edges_allowed, drop, self.n_leaves)
        total = n_nodes
        for _ in range(_MAX_STARTS):
            status, total, indptr, indices = grow(*limits, share, *steps, seed_from(rng))
            if status == 2:
                raise edge_limit(self.name, len(indices) // 2, edges_allowed)
            if status == 0:
                make = Graph._trusted if self._is_ours else Graph  # which checks it
                return make(indptr, indices)
            if status == 1:
                break
        raise growth_limit(self.name, n_nodes, total)


def mechanism(
    family: str, reference: str, *, n_leaves: int = 1, **parameters: Any
) -> Callable[[Callable[..., None]], Model]:
    """Turn a step into a model; a decorator.

    Parameters
    ----------
    family : str
        A family of :data:`~netchoice.models.space.FAMILIES`.
    reference : str
        The publication that describes the mechanism.
    n_leaves : int
        Growth begins with a star that has this number of leaves; 1 gives a single edge.
    **parameters
        For each parameter of the step, a :class:`Parameter` or anything that :func:`as_prior` accepts.

    The name of the model is that of the function, with ``-`` for ``_``. Its description is the first
    line of the docstring. The guide on models of your own explains how to write a step.

    Examples
    --------
    >>> import numpy as np, netchoice
    >>> from netchoice.models.growing import draw, link
    >>> @netchoice.mechanism("attachment", "an example", p_new="uniform(0.5, 1)")
    ... def random_tree(net, new, p_new):
    ...     '''A random recursive tree, in which some nodes stay isolated.'''
    ...     if draw(net) < p_new:
    ...         link(net, new, int(draw(net) * new))
    >>> random_tree.grow(100, {"p_new": 1.0}, np.random.default_rng(1)).n_edges
    99
    """

    def decorate(function: Callable[..., None]) -> Model:
        step, name = GrowthStep(function), function.__name__.replace("_", "-")
        if set(parameters) != set(step.parameters):
            raise UsageError(
                f"the step {function.__name__} has the parameters {', '.join(step.parameters)}; got "
                f"priors for {', '.join(parameters) or 'none'}"
            )
        first_line = (inspect.getdoc(function) or "").partition("\n")[0].rstrip(".")
        return Model(
            name,
            Growth(name, ((step, step.parameters),), n_leaves),
            {each: parameters[each] for each in step.parameters},
            description=first_line[:1].lower() + first_line[1:],
            reference=reference,
            min_nodes=n_leaves + 1,
            family=family,
        )

    return decorate
