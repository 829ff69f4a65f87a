"""The observed network: what is compared, and the features that are worth their cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from netchoice.choice.settings import Clock, Settings
from netchoice.choice.sizes import Size
from netchoice.errors import UsageError
from netchoice.features import FEATURES, Feature, comparable_features, compute_features
from netchoice.features.catalogue import SIZE_FEATURE
from netchoice.features.computation import LATE
from netchoice.features.reference_costs import reference_costs
from netchoice.features.registry import STEPS, find, steps_of
from netchoice.graph import Graph
from netchoice.validation import check_choice

#: A smaller network shows no trace of the mechanism that made it.
MIN_NODES = 8
#: CPU seconds that the features of a simulated network may take on the machine of the reference costs, and
#: how many times the cost of the cheap features.
FEATURE_SECONDS, TIMES_CHEAP = 5e-3, 2.0


def comparable_network(graph: Any, isolated: str | None) -> tuple[Graph, str]:
    """Return the network to compare, and whether simulations keep or drop their isolated nodes.

    Parameters
    ----------
    graph : Graph, or anything that :meth:`Graph.of` accepts
    isolated : "keep", "drop" or None
        None: drop them if the network has none.
    """
    network = Graph.of(graph)
    if isolated is None:
        isolated = "keep" if network.n_isolated else "drop"
    check_choice("isolated", isolated, ("keep", "drop"))
    if not network.n_edges:
        raise UsageError(
            f"the network has {network.n_nodes} nodes and no edges; there is nothing to compare"
        )
    if isolated == "drop":
        network = network.without_isolated()
    if network.n_nodes < MIN_NODES:
        kind = "nodes with edges" if isolated == "drop" else "nodes"
        raise UsageError(
            f"the network has {network.n_nodes} {kind}; expected at least {MIN_NODES}: a smaller "
            "network shows no trace of the mechanism that made it"
        )
    return network, isolated


@cache
def cheap_features() -> tuple[str, ...]:
    """Return the features that are cheap at any size: at most m^1.5 steps for m edges.

    >>> {"transitivity", "degree_max"} <= {*cheap_features()}, "betweenness_max" in cheap_features()
    (True, False)
    """
    return tuple(name for name in comparable_features() if _is_cheap(FEATURES[name]))


def _is_cheap(feature: Feature) -> bool:
    return feature.is_cheap and all(STEPS[step].is_cheap for step in steps_of(feature))


def affordable_features(size: Size) -> tuple[str, ...]:
    """Return the features that are worth their cost on thousands of networks of this size.

    Features are added by their reference cost, shared steps paid once, while all of them take at most 5 ms
    of CPU time, or twice as long as the features that are cheap at any size. So the features do not depend
    on the machine.

    >>> small = affordable_features(Size((60, 60), "drop"))
    >>> large = affordable_features(Size((90_000, 90_000), "drop"))
    >>> len(small) > len(large), "betweenness_max" in small, "betweenness_max" in large
    (True, True, False)
    """
    names = comparable_features()
    costs = reference_costs(names, *size.typical())
    cheap = cheap_features()
    limit = max(FEATURE_SECONDS, TIMES_CHEAP * costs.cost_of_set(cheap, "shared"))
    chosen = list(cheap)
    for name in sorted(names, key=costs.cost):
        if name not in chosen and costs.cost_of_set([*chosen, name], "shared") <= limit:
            chosen.append(name)
    return tuple(name for name in names if name in chosen)


def with_size(names: Sequence[str], size: Size) -> tuple[str, ...]:
    """Return the features, with the number of nodes if simulations have different sizes."""
    low, high = size.nodes
    return tuple(names) if low == high else tuple(dict.fromkeys([*names, find(SIZE_FEATURE).name]))


def as_given(names: Sequence[str], settings: Settings) -> list[str | Feature]:
    """Return features in the form in which the user gave them, so that worker processes can import them."""
    given = zip(settings.names or (), settings.features or (), strict=True)
    known: dict[str, str | Feature] = {"n_nodes": SIZE_FEATURE, **dict(given)}
    return [known.get(name, name) for name in names]


@dataclass(frozen=True)
class Observed:
    """A network and its features.

    Attributes
    ----------
    graph : Graph, without isolated nodes if they are dropped
    size : Size, of this network alone
    values : dict, features with a value
    failures : dict, by feature: why it has no value
    late : tuple of str, features that were not computed, to stay within the time limit
    seconds : dict, CPU seconds of each feature alone
    """

    graph: Graph
    size: Size
    values: dict[str, float]
    failures: dict[str, str]
    late: tuple[str, ...]
    seconds: dict[str, float]


def observe(
    graph: Any, settings: Settings, names: Sequence[str] | None = None, clock: Clock | None = None
) -> Observed:
    """Return the features of a network, the cheap ones first; others as far as the time limit allows.

    Parameters
    ----------
    graph : Graph, or anything that :meth:`Graph.of` accepts
    settings : Settings
    names : sequence of str, optional
        Features to compute; by default those that simulations of this size can have.
    clock : Clock, optional
    """
    network, isolated = comparable_network(graph, settings.isolated)
    edges = network.n_edges if settings.match else None
    size = Size((network.n_nodes, network.n_nodes), isolated, edges)
    if names is None:
        names = settings.names or affordable_features(size)
    names = sorted(dict.fromkeys(names), key=lambda name: name not in cheap_features())
    deadline = None if clock is None else clock.at(Clock.OBSERVED)
    result = compute_features(network, as_given(names, settings), deadline=deadline)
    late = tuple(name for name in names if _is_late(name, result))
    for name in settings.names or ():
        if name in late:
            raise UsageError(
                f"feature {name!r} of the network was not computed within the time limit; leave it out of "
                "the features, or give a longer limit"
            )
        if name in result.failures:
            raise UsageError(
                f"feature {name!r} has no value on this network ({result.failures[name]}); leave it out of "
                "the features"
            )
    failures = {name: result.failures[name] for name in names if name in result.failures}
    values = {name: float(result.values[name]) for name in names if name not in failures}
    if not values:
        raise UsageError("no feature has a value on this network; name other features")
    return Observed(network, size, values, failures, late, result.seconds)


def _is_late(name: str, result: Any) -> bool:
    """Return whether a feature was not computed because of the time limit."""
    parts = result.plan.lineage[name]
    return any(result.failures.get(key) == LATE for part in parts for key in (part, f"step {part}"))
