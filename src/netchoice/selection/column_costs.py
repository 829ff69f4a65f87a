"""Costs of the columns of a table, alone and given the columns that are already selected."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.costs import CHARGES, SCALES, CostError, CostModel
from netchoice.errors import UsageError
from netchoice.selection.greedy import Floats
from netchoice.units import parse_budget
from netchoice.validation import check_choice


class ColumnCosts:
    """Costs of columns, scaled and charged as ``cost_scale`` and ``charge`` of :class:`MRMR` say.

    ``labels`` are the column labels of the caller's DataFrame, None for an array; costs by name
    need them.

    >>> from netchoice import CostModel
    >>> lab = CostModel({"a": 2, "b": 3}, {"a": ["sample"], "b": ["sample"]}, {"sample": 5})
    >>> names = ["a", "b"]
    >>> costs = ColumnCosts(lab, names, labels=names, scale="raw", charge="shared")
    >>> costs.alone, costs.marginal_costs([0]), costs.cost_of_set([0, 1])
    (array([7., 8.]), array([0., 3.]), 10.0)
    """

    def __init__(
        self,
        costs: Any,
        names: Sequence[str],
        *,
        labels: Sequence[Any] | None = None,
        scale: str = "share",
        charge: str = "shared",
    ) -> None:
        check_choice("cost_scale", scale, SCALES)
        self._charge = check_choice("charge", charge, CHARGES)
        keys, given = _cost_model(costs, list(names), labels)
        given = given.only(keys)
        total_alone = math.fsum(given.alone(keys).values())
        self._unit = (total_alone or 1.0) if scale == "share" else 1.0
        self._bill = given.cost_of_set(keys, self._charge)
        model = given.scaled(keys) if scale == "share" else given
        self.alone: Floats = np.array([model.cost(key) for key in keys])
        # Items are sorted by cost: equal costs then add up to equal sums in whatever order.
        items = sorted((model.own | model.steps).items(), key=lambda item: item[1])
        position = {name: i for i, (name, _) in enumerate(items)}
        self._item_costs = np.array([cost for _, cost in items])
        self._uses = np.zeros((len(keys), len(items)), dtype=bool)
        for i, key in enumerate(keys):
            self._uses[i, [position[item] for item in (key, *model.uses.get(key, ()))]] = True

    def marginal_costs(self, selected: Sequence[int]) -> Floats:
        """Return the additional cost of every column, given the selected columns."""
        if self._charge == "alone":
            return self.alone
        unpaid = ~self._uses[list(selected)].any(axis=0)
        item_costs = np.where(self._uses & unpaid, self._item_costs, 0.0)
        return np.asarray(item_costs.cumsum(axis=1)[:, -1])  # adds from left to right, unlike sum

    def affordable(
        self, budget: float | str | None
    ) -> Callable[[Sequence[int]], NDArray[np.bool_]] | None:
        """Return a function: which columns a budget pays for, after the selected ones; or None."""
        if budget is None:
            return None
        limit = self.limit(budget)
        return lambda selected: np.asarray(
            self.cost_of_set(selected) + self.marginal_costs(selected) <= limit
        )

    def limit(self, budget: float | str) -> float:
        """Return a budget, in the unit of the costs or a share of the bill for all columns, in scaled costs.

        Raise an error unless it pays for at least one column.
        """
        number, relative = parse_budget(budget)
        cost = number * self._bill if relative else number
        limit = cost / self._unit * (1 + 1e-12)  # costs that add up to the budget are within it
        cheapest = self.marginal_costs([]).min()
        if limit < cheapest:
            least = f"{cheapest * self._unit:.6g}, the cost of the cheapest column"
            raise UsageError(f"`budget` must be at least {least}; got {budget}")
        return float(limit)

    def cost_of_set(self, columns: Sequence[int]) -> float:
        """Return the cost of a set of columns."""
        if self._charge == "alone":
            return float(self.alone[list(columns)].sum())
        return float(self._item_costs[self._uses[list(columns)].any(axis=0)].sum())


def check_budget(budget: Any, costs: Any, column_costs: ColumnCosts) -> None:
    """Raise an error unless columns have costs, and a budget pays for at least one of them."""
    if budget is None:
        return
    if costs is None:
        raise UsageError("`budget` needs `costs`; got None. Pass the cost of each column")
    column_costs.limit(budget)


def log_costs(costs: Floats) -> Floats:
    """Return log C, for weights C^(−λ). A cost of 0 counts as the smallest positive cost.

    >>> log_costs(np.array([0.0, 1.0, np.e]))
    array([0., 0., 1.])
    """
    return np.asarray(np.log(np.maximum(costs, smallest_positive(costs))))


def smallest_positive(costs: Floats) -> float:
    """Return the smallest positive cost; 1 if all columns are free."""
    return float(costs[costs > 0].min()) if costs.any() else 1.0


def _cost_model(
    costs: Any, names: list[str], labels: Sequence[Any] | None
) -> tuple[list[str], CostModel]:
    """Return the key of every column in a cost model, and the model."""
    if costs is None:
        costs = np.zeros(len(names))
    in_order = hasattr(costs, "__len__") and not isinstance(costs, str)
    if in_order and not isinstance(costs, CostModel) and not hasattr(costs, "items"):
        values = np.asarray(costs, dtype=object).ravel()
        if len(values) != len(names):
            raise CostError(
                f"`costs` must have one cost for each of {len(names)} columns; got {len(values)}"
            )
        keys = [f"column {i}" for i in range(len(values))]
        return keys, CostModel(dict(zip(keys, values, strict=True)))
    if not getattr(getattr(costs, "index", None), "is_unique", True):
        raise CostError("`costs` must name each column once; got a repeated name")
    model = CostModel.of(costs)
    if labels is None:
        if set(model.own) != {str(i) for i in range(len(names))} or isinstance(costs, CostModel):
            raise CostError(
                "`costs` by name need a table with column names; got an array. Pass a pandas DataFrame. In a "
                'pipeline, call set_output(transform="pandas") on the steps before this one; or pass costs '
                "in the order of the columns"
            )
        labels = range(len(names))
    keys = [str(label) for label in labels]
    _check_names(keys, model)
    return keys, CostModel.for_columns(costs, keys)


def _check_names(keys: Sequence[str], model: CostModel) -> None:
    """Raise an error unless every column has a cost."""
    missing = [key for key in keys if key not in model.own]
    if missing:
        hint = ""
        if set(model.own) == {str(i) for i in range(len(keys))}:
            hint = ". A Series is matched by its index: pass costs.to_numpy() for costs in order"
        raise CostError(
            f"`costs` must have a cost for every column; got none for {missing[0]!r} "
            f"({len(missing)} of {len(keys)} columns have none), but costs for "
            + ", ".join(list(model.own)[:8])
            + hint
        )
