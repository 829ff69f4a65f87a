"""What the columns of a table cost, alone and given those already taken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.costs import CHARGES, SCALES, CostError, CostModel

Floats = NDArray[np.float64]


class ColumnCosts:
    """Costs of columns, scaled and charged as the selector was told.

    Parameters
    ----------
    costs : array, mapping or Series by name, CostModel, or None
        None: everything is free.
    names : sequence of str
        The columns.
    columns : sequence, optional
        What the table itself calls them; None if it has no names. Costs by name need that.
    scale : "share" or "raw"
        Share: divided by the sum of the costs alone.
    charge : "alone" or "shared"

    Examples
    --------
    >>> from netchoice import CostModel
    >>> lab = CostModel({"a": 2, "b": 3}, {"a": ["sample"], "b": ["sample"]}, {"sample": 5})
    >>> names = ["a", "b"]
    >>> costs = ColumnCosts(lab, names, columns=names, scale="raw", charge="shared")
    >>> costs.alone, costs.one_more([0]), costs.of_set([0, 1])
    (array([7., 8.]), array([0., 3.]), 10.0)
    """

    def __init__(
        self,
        costs: Any,
        names: Sequence[str],
        *,
        columns: Sequence[Any] | None = None,
        scale: str = "share",
        charge: str = "alone",
    ) -> None:
        for what, value, allowed in (("cost_scale", scale, SCALES), ("charge", charge, CHARGES)):
            if value not in allowed:
                raise CostError(f"{what}={value!r}; expected {' or '.join(map(repr, allowed))}")
        self.charge = charge
        keys, model = _by_key(costs, list(names), columns)
        model = model.only(keys).scaled(keys, scale)
        self.alone: Floats = np.array([model.cost(key) for key in keys])
        # In the order of cost, so that equal costs add up to equal sums, whatever they are for.
        by_cost = sorted((model.own | model.steps).items(), key=lambda item: item[1])
        items = {name: i for i, (name, _) in enumerate(by_cost)}
        self._cost_of_item = np.array([cost for _, cost in by_cost])
        self._needs = np.zeros((len(keys), len(items)), dtype=bool)
        for i, key in enumerate(keys):
            self._needs[i, [items[item] for item in (key, *model.uses.get(key, ()))]] = True

    def one_more(self, taken: Sequence[int]) -> Floats:
        """Cost of every column where some are taken already."""
        if self.charge == "alone":
            return self.alone
        unpaid = ~self._needs[list(taken)].any(axis=0)
        owed = np.where(self._needs & unpaid, self._cost_of_item, 0.0)
        return np.asarray(owed.cumsum(axis=1)[:, -1])  # one after the other, unlike sum

    def of_set(self, columns: Sequence[int]) -> float:
        """Cost of some columns together."""
        if self.charge == "alone":
            return float(self.alone[list(columns)].sum())
        return float(self._cost_of_item[self._needs[list(columns)].any(axis=0)].sum())


def logarithms(costs: Floats) -> Floats:
    """Log C for weights C^(−λ); a cost of 0 is taken at the smallest positive one.

    >>> logarithms(np.array([0.0, 1.0, np.e]))
    array([0., 0., 1.])
    """
    positive = costs[costs > 0]
    smallest = positive.min() if len(positive) else 1.0
    return np.asarray(np.log(np.maximum(costs, smallest)))


def _by_key(
    costs: Any, names: list[str], columns: Sequence[Any] | None
) -> tuple[list[str], CostModel]:
    """The key of every column in a cost model, and the model."""
    if costs is None:
        return _numbered(np.zeros(len(names)))
    if isinstance(costs, CostModel):
        if columns is None:
            raise CostError(
                "a CostModel has costs by name, but the table has no column names; "
                "give a pandas DataFrame, or costs as an array in the order of the columns"
            )
        return [str(name) for name in columns], _complete(costs, [str(name) for name in columns])
    if not hasattr(costs, "items"):
        values = np.asarray(costs, dtype=object).ravel()
        if len(values) != len(names):
            raise CostError(f"{len(values)} costs for {len(names)} columns; give one for each")
        return _numbered(values)
    if not getattr(getattr(costs, "index", None), "is_unique", True):
        raise CostError("the costs name a column twice; give one for each")
    by_name = dict(costs.items())
    if columns is None:
        if set(by_name) != set(range(len(names))):
            raise CostError(
                "costs by name, but the table has no column names; give a pandas DataFrame, or "
                "costs in the order of the columns"
            )
        columns = range(len(names))
    keys = [str(name) for name in columns]
    return keys, _complete(CostModel.of(by_name), keys)


def _complete(model: CostModel, names: list[str]) -> CostModel:
    missing = [name for name in names if name not in model.own]
    if missing:
        known = ", ".join(list(model.own)[:8])
        raise CostError(
            f"no cost for column {missing[0]!r} ({len(missing)} of {len(names)} have none); "
            f"there are costs for {known}; give one for every column"
        )
    return model


def _numbered(values: Any) -> tuple[list[str], CostModel]:
    keys = [f"column {i}" for i in range(len(values))]
    return keys, CostModel(dict(zip(keys, values, strict=True)))
