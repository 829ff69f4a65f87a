"""Reference costs: seconds of shared steps and features by the size of a network, measured once.

A cost that is measured in each run differs from run to run, and so would the features that are selected by
it. Reference costs are the same in every run and on every machine. The script
``benchmarks/reference_costs.py`` measured them and wrote ``reference_costs.json``.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import NamedTuple

from netchoice.costs import CostModel
from netchoice.errors import UsageError
from netchoice.features.registry import Computation, Feature, Step, find, plan
from netchoice.user_code import is_ours
from netchoice.validation import check_integer, unknown

#: The last bits of a power differ between machines; so many significant digits do not.
DIGITS = 3
#: More nodes or edges are refused, so that no cost overflows.
MOST_NODES, MOST_EDGES = 10**12, 10**15


class Curve(NamedTuple):
    """Seconds of one computation: overhead + factor · nodes^node_power · edges^edge_power."""

    overhead: float
    factor: float
    node_power: float
    edge_power: float

    def seconds(self, n_nodes: int, n_edges: int) -> float:
        """Return the rounded seconds for a network; without edges, those for one edge."""
        growth = n_nodes**self.node_power * max(n_edges, 1) ** self.edge_power
        return float(f"{self.overhead + self.factor * growth:.{DIGITS}g}")


def reference_costs(
    features: Iterable[str | Feature],
    n_nodes: int,
    n_edges: int,
    measured: Mapping[str, float] | None = None,
) -> CostModel:
    """Return the reference costs of features for networks of one size, in CPU seconds.

    The model has the same features, shared steps and uses as the costs of a table that was simulated with
    these features. Nothing is timed, so two calls return the same costs. They describe a typical network
    with so many nodes and edges, as one thread of the machine that was measured computes it. Networks of
    20 to 10,000 nodes with at least as many edges as nodes were measured; other costs are extrapolated.
    Networks with fewer edges fall into small parts, and distances, betweenness and the Estrada index then
    cost far less than here.

    Parameters
    ----------
    features : iterable
        Features by name, by ``module:attribute``, or as :class:`~netchoice.Feature`.
    n_nodes : int
    n_edges : int
        For a model space, the typical number of edges, for example the median of some simulations.
    measured : mapping, optional
        Seconds by name, which replace the reference costs of these features or shared steps. For a
        feature, these are the seconds without its shared steps and other inputs. Pass them for your
        own features, which have no reference cost. A feature of yours that is missing here costs as
        much as the most expensive built-in feature without its inputs, so that it is not selected
        because its cost is unknown.

    Examples
    --------
    >>> from netchoice.features.reference_costs import reference_costs
    >>> costs = reference_costs(["degree_max", "betweenness_max"], n_nodes=1000, n_edges=3000)
    >>> costs.uses["betweenness_max"], costs == reference_costs(costs.features, 1000, 3000)
    (('betweenness',), True)
    >>> costs.cost("betweenness_max") > 10 * costs.cost("degree_max")
    True
    """
    n_nodes = check_integer("n_nodes", n_nodes, 1, MOST_NODES)
    n_edges = check_integer("n_edges", n_edges, 0, MOST_EDGES)
    if isinstance(features, (str, Feature)):
        raise UsageError(f"`features` must be a list of features; got {features!r}")
    needed = plan(tuple(find(each) for each in features))
    given = _check_measured(measured, [item.name for item in needed.computations])
    own: dict[str, float] = {}
    steps: dict[str, float] = {}
    for item in needed.computations:
        costs = steps if isinstance(item, Step) else own
        costs[item.name] = (
            given[item.name] if item.name in given else _seconds(item, n_nodes, n_edges)
        )
    return CostModel(own, {name: needed.lineage[name][:-1] for name in own}, steps)


def _check_measured(measured: Mapping[str, float] | None, names: list[str]) -> Mapping[str, float]:
    """Return the measured seconds if each belongs to one of the computations."""
    if measured is None:
        return {}
    if not isinstance(measured, Mapping):
        raise UsageError(f"`measured` must be a mapping from names to seconds; got {measured!r}")
    for name in measured:
        if name not in names:
            raise unknown("feature or shared step in `measured`", str(name), names)
    return measured


def _seconds(item: Computation, n_nodes: int, n_edges: int) -> float:
    """Return the reference cost of one computation without its inputs."""
    own, steps = _curves()
    known = steps if isinstance(item, Step) else own
    if item.name in known and is_ours(item.function):
        return known[item.name].seconds(n_nodes, n_edges)
    return max(curve.seconds(n_nodes, n_edges) for curve in own.values())


@functools.cache
def _curves() -> tuple[dict[str, Curve], dict[str, Curve]]:
    """Return the curves of built-in features without their inputs, and those of shared steps, by name."""
    record = json.loads((files("netchoice.features") / "reference_costs.json").read_text("utf-8"))
    own, steps = (
        {name: Curve(*numbers) for name, numbers in record[kind].items()}
        for kind in ("own", "steps")
    )
    return own, steps
