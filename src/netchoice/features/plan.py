"""The plan of a computation: which steps and features are computed, in which order."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from netchoice.errors import UsageError
from netchoice.features.registry import FEATURES, GIVEN, STEPS, Computation, Feature
from netchoice.names import unknown


@dataclass(frozen=True)
class Plan:
    """The computations for some features, in an order in which inputs come first."""

    features: tuple[Feature, ...]
    computations: tuple[Computation, ...]
    lineage: dict[str, tuple[str, ...]]  # name of each: all that it depends on, then itself

    @functools.cached_property
    def is_random(self) -> bool:
        """Whether a computation draws random numbers."""
        return any("rng" in item.inputs for item in self.computations)


@functools.lru_cache(maxsize=1024)
def plan(features: tuple[Feature, ...]) -> Plan:
    """Return the plan to compute these features, with each shared step once."""
    wanted: dict[str, Feature] = {}
    for item in features:
        if wanted.setdefault(item.name, item) is not item:
            raise UsageError(f"two different features are called {item.name!r}; rename one")
        if item.name in STEPS or item.name in GIVEN:
            raise UsageError(
                f"a feature cannot be called {item.name!r}: that is the name of an input"
            )
    computations: dict[str, Computation] = {}
    lineage: dict[str, tuple[str, ...]] = {}
    path: list[str] = []

    def visit(item: Computation) -> None:
        if item.name in computations:
            return
        if item.name in path:
            cycle = " → ".join([*path[path.index(item.name) :], item.name])
            raise UsageError(f"features depend on each other in a cycle: {cycle}; remove one input")
        path.append(item.name)
        sources: dict[str, None] = {}
        for name in item.inputs:
            if name not in GIVEN:
                visit(_computation_of(name, wanted, item))
                sources.update(dict.fromkeys(lineage[name]))
        path.pop()
        computations[item.name] = item
        lineage[item.name] = (*sources, item.name)

    for item in wanted.values():
        visit(item)
    return Plan(tuple(wanted.values()), tuple(computations.values()), lineage)


def _computation_of(name: str, wanted: dict[str, Feature], user: Computation) -> Computation:
    """Return the step or feature with this name, also from the module of the function that uses it."""
    for source in (wanted, STEPS, FEATURES):
        if name in source:
            return source[name]
    in_module = getattr(user.function, "__globals__", {}).get(name)
    if isinstance(in_module, Feature):
        return in_module
    known = [*GIVEN, *STEPS, *FEATURES]
    raise UsageError(
        f"feature {user.name!r}: its parameters must be names of inputs; "
        f"{unknown('step or feature', name, known)}"
    )


def steps_of(item: Feature) -> tuple[str, ...]:
    """Return the names of all shared steps that a feature depends on, inputs first.

    >>> from netchoice.features import FEATURES, steps_of
    >>> steps_of(FEATURES["transitivity"])
    ('triangles', 'degrees')
    """
    return tuple(name for name in plan((item,)).lineage[item.name] if name in STEPS)
