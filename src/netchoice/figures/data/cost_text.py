"""Costs of features with their shared steps, and costs as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from netchoice.costs import CostModel
from netchoice.figures.data.checks import check_names


def cost_text(cost: float, unit: str = "s") -> str:
    """Return a cost with its unit; seconds below 1 are shown as ms, µs or ns.

    >>> cost_text(0.00025), cost_text(0.01), cost_text(120.0), cost_text(12.5, "euro")
    ('250 µs', '10 ms', '120 s', '12.5 euro')
    """
    if unit != "s":
        return f"{cost:.4g} {unit}".rstrip()
    if cost == 0 or cost >= 0.9995:
        return f"{cost:.4g} s"
    for name, size in (("ms", 1e-3), ("µs", 1e-6)):
        if cost >= 0.9995 * size:
            return f"{cost / size:.3g} {name}"
    return f"{cost / 1e-9:.3g} ns"


def cost_title(unit: str, charge: str | None = None) -> str:
    """Return the title of a cost axis; costs in seconds are per network.

    >>> cost_title("s", "shared"), cost_title("euro")
    ('cost per network, shared steps paid once', 'cost (euro)')
    """
    title = "cost per network" if unit == "s" else "cost"
    if charge is not None:
        title += f", {CHARGES[charge]}"
    return title if unit in ("s", "") else f"{title} ({unit})"


#: How a set of features is charged, as text.
CHARGES = {"shared": "shared steps paid once", "alone": "each feature paid alone"}


class SharedStep(NamedTuple):
    """A shared step, its cost, and how many of the listed features use it."""

    name: str
    cost: float
    n_users: int

    @property
    def users(self) -> str:
        """The number of users as text, or nothing if there is one."""
        return f", shared by {self.n_users}" if self.n_users > 1 else ""


class FeatureCost(NamedTuple):
    """Cost of one feature alone, its own part, and its shared steps, the most expensive first."""

    feature: str
    alone: float
    own: float
    steps: list[SharedStep]


def list_costs(costs: CostModel, features: Iterable[str] | None = None) -> list[FeatureCost]:
    """Return the cost of each feature, the most expensive first; by default of all features.

    >>> lab = CostModel({"glucose": 2.0, "x-ray": 40.0}, {"glucose": ["sample"]}, {"sample": 10.0})
    >>> [(row.feature, row.alone, row.own) for row in list_costs(lab)]
    [('x-ray', 40.0, 40.0), ('glucose', 12.0, 2.0)]
    """
    names = dict.fromkeys(check_names("feature", features, costs.features))
    step_costs = costs.own | costs.steps
    users = Counter(step for name in names for step in costs.uses.get(name, ()))
    rows = []
    for name in sorted(names, key=costs.cost, reverse=True):
        used = sorted(costs.uses.get(name, ()), key=step_costs.__getitem__, reverse=True)
        steps = [SharedStep(step, step_costs[step], users[step]) for step in used]
        rows.append(FeatureCost(name, costs.cost(name), costs.own[name], steps))
    return rows
