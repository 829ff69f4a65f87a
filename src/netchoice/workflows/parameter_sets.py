"""Sets of features that predict the parameters of models, and pairs of sets that are cheap together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pandas as pd

from netchoice.costs import CostModel
from netchoice.evaluation.operating_points import COST_RESOLUTION
from netchoice.storage.table import ReferenceTable
from netchoice.units import parse_budget

Set = tuple[str, ...]

#: Simulations of a model in which a parameter must vary, to select features for it.
MIN_SIMULATIONS = 30
#: The cheapest sets for either purpose that are combined.
N_COMBINED = 40


def parameter_quantiles(table: ReferenceTable) -> pd.DataFrame:
    """Return each parameter of each model as quantiles of its prior draws; NaN for other models.

    Quantiles make parameters with different priors comparable.

    >>> import netchoice
    >>> table = netchoice.simulate_table(
    ...     "duplication", n_nodes=20, n_samples=80, seed=1, features=["degree_mean"], engine="serial")
    >>> list(parameter_quantiles(table))
    ['dmc.p_connect', 'dmc.p_delete', 'dmr.p_delete', 'dmr.p_new']
    """
    columns = {}
    for model, drawn in table.parameters.groupby(table.y):
        for name, values in drawn.items():
            if values.notna().sum() >= MIN_SIMULATIONS and values.nunique() > 1:
                columns[f"{model}.{name}"] = values.rank() / (values.notna().sum() + 1)
    frame = pd.DataFrame(columns, index=range(len(table)))
    return frame[sorted(columns)]


def cheapest_pair(
    costs: CostModel, one: Sequence[Set], other: Sequence[Set], budget: float | str | None = None
) -> tuple[Set, Set] | None:
    """Return a set of either kind, so that both together are cheapest; None if none is within the budget.

    Shared steps are paid once. Costs that differ by less than a quarter count as equal; of such pairs,
    the one with the fewest features is chosen, and then the first in the order of names.

    >>> costs = CostModel({"a": 1.0, "b": 3.0, "c": 3.5})
    >>> cheapest_pair(costs, [("a",), ("b",)], [("b",), ("a", "c")])
    (('b',), ('b',))
    """
    pairs = {
        pair: costs.cost_of_set({*pair[0], *pair[1]}, "shared")
        for pair in product(one[:N_COMBINED], other[:N_COMBINED])
    }
    if budget is not None:
        limit, relative = parse_budget(budget)
        limit *= sum(costs.alone().values()) if relative else 1.0
        pairs = {pair: cost for pair, cost in pairs.items() if cost <= limit}
    if not pairs:
        return None
    nearly = [p for p, cost in pairs.items() if cost <= COST_RESOLUTION * min(pairs.values())]
    return min(nearly, key=lambda pair: (len({*pair[0], *pair[1]}), sorted({*pair[0], *pair[1]})))
