"""Selectors that are ready to rank the features of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from netchoice.costs import CostModel
from netchoice.errors import UsageError
from netchoice.selection import METHODS, CostAwareSelector, get_selector
from netchoice.storage.table import ReferenceTable

#: Names of methods, or selectors by name.
Methods = Iterable[str] | Mapping[str, CostAwareSelector]


def selectors_for(
    table: ReferenceTable,
    methods: Methods,
    *,
    costs: CostModel | None,
    charge: str | None = None,
    cost_scale: str | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
) -> dict[str, CostAwareSelector]:
    """Return an unfitted selector for each method, by name.

    Parameters
    ----------
    table : ReferenceTable
        The features to rank. The selectors learn which of them are discrete.
    methods : iterable of str, or mapping
        Names of methods, or selectors by name. Selectors are cloned.
    costs : CostModel or None
        Costs of the features; those of other features are left out. None: all are free.
    charge : "alone" or "shared", optional
        How a set of features is billed. A method that knows costs alone only keeps "alone".
    cost_scale : "share" or "raw", optional
    seed : int
    n_jobs : int, optional
        Threads.

    Examples
    --------
    >>> import pandas as pd
    >>> from netchoice import CostModel, ReferenceTable
    >>> table = ReferenceTable.from_frame(pd.DataFrame({"label": ["a", "b"], "x": [1, 2]}))
    >>> selectors_for(table, ["jmi"], costs=CostModel({"x": 1.0}))["jmi"].discrete_features
    [True]
    """
    from sklearn.base import clone

    given = methods if isinstance(methods, Mapping) else dict.fromkeys(methods)
    if not given:
        raise UsageError(f"no methods; expected some of {', '.join(METHODS)}")
    costs = None if costs is None else costs.only(table.features)
    selectors = {}
    for name, selector in given.items():
        chosen = get_selector(name) if selector is None else clone(selector)
        parameters: dict[str, Any] = {"costs": costs, "random_state": seed, "n_jobs": n_jobs}
        if cost_scale is not None:
            parameters["cost_scale"] = cost_scale
        if charge is not None:
            parameters["charge"] = charge if chosen.supports_shared_costs else "alone"
        if "discrete_features" in chosen.get_params():
            parameters["discrete_features"] = [table.discrete[n] for n in table.features]
        selectors[name] = chosen.set_params(**parameters)
    return selectors
