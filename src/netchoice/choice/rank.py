"""Rank the features of a table, and make the selectors that do so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from netchoice.choice.reference import Progress
from netchoice.choice.tables import (
    Costs,
    CostSource,
    Table,
    describe_target,
    equal_columns,
    find_costs,
    load_table,
    varying_features,
)
from netchoice.costs import CHARGES, CostModel
from netchoice.errors import UsageError
from netchoice.markup import summary_html
from netchoice.progress import listener, shows_progress
from netchoice.selection import METHODS, CostAwareSelector, get_selector
from netchoice.storage.records import to_record
from netchoice.storage.table import ReferenceTable
from netchoice.threads import count_threads
from netchoice.validation import check_choice, check_non_negative

if TYPE_CHECKING:
    import pandas as pd

#: Names of methods, or selectors by name.
Methods = Iterable[str] | Mapping[str, CostAwareSelector]
#: With fewer features, a ranking takes some seconds at most, and shows no progress.
MANY_FEATURES = 50


@dataclass(frozen=True)
class FeatureRanking:
    """All features of a table, best first; returned by :func:`rank_features`.

    Attributes
    ----------
    ranking : list of str
    steps : DataFrame
        One row for each feature in the order of the ranking: the terms of the criterion, the score,
        and, if there are costs, the cost of the feature and of all features so far.
    constant : list of str
        Features that were left out because they are constant.
    equal : dict
        Features with the same values as an earlier one, by name: the earlier one.
    rows : int
        Number of rows of the table.
    target : str
        What is predicted, for example "2 classes" or "numbers (age)".
    costs : str
        Where the costs come from.
    """

    ranking: list[str]
    steps: pd.DataFrame = field(repr=False)
    constant: list[str]
    equal: dict[str, str]
    rows: int
    target: str
    method: str
    penalty: float
    charge: str
    costs: str
    seed: int

    def as_dict(self) -> dict[str, Any]:
        """Return the fields for JSON; a score of minus infinity becomes None."""
        record: dict[str, Any] = to_record(self)
        steps = enumerate(record.pop("steps"), start=1)
        return {**record, "features": [{**step, "position": i} for i, step in steps]}

    def __repr__(self) -> str:
        first = ", ".join(self.ranking[:3]) + (", …" if len(self.ranking) > 3 else "")
        return f"<FeatureRanking by {self.method}: {first} ({len(self.ranking)} features)>"

    def _repr_html_(self) -> str:
        rows = [
            (position, *(f"{v:.4g}" if isinstance(v, float) else v for v in step))
            for position, step in enumerate(self.steps.itertuples(index=False), start=1)
        ]
        title = f"Features by {self.method}, penalty {self.penalty:g}"
        return summary_html(title, ("position", *self.steps.columns), rows)


@shows_progress(units=dict.fromkeys(("redundancy", "interaction"), "pairs"))
def rank_features(
    table: Table,
    method: str = "jmi",
    *,
    penalty: float = 0.0,
    costs: Costs | None = None,
    charge: str = "shared",
    label: str = "label",
    target: str = "auto",
    rows: int | None = None,
    seed: int = 1,
    workers: int | None = None,
    on_progress: Progress | bool | None = None,
) -> FeatureRanking:
    """Rank the features of a table by information minus penalty times cost.

    Parameters
    ----------
    table : ReferenceTable or path
        A table, its folder, or a CSV or Parquet file. Values may be missing, and text is a category.
    method : str
        One of :data:`netchoice.selection.METHODS`, or ``module:attribute`` for a selector of your own.
    penalty : float
        λ, for costs that are divided by their sum. It has no effect if there are no costs.
    costs : optional
        As in :func:`~netchoice.choice.tables.find_costs`.
    charge : "shared" or "alone"
        Shared: a set of features pays for a shared step once. Alone, as in the paper: each feature pays for
        all steps that it uses; so it is for the weighted forests.
    label : str
        The column to predict: the labels or numbers of a CSV file, or parameters of a simulated table;
        several columns of numbers are separated by commas.
    target : "auto", "classes" or "numbers"
        What that column of a CSV file holds. "auto": numbers, if there are several columns, fractions,
        or more than 20 distinct integers.
    rows : int, optional
        Use so many rows only, drawn at random with the seed; by default at most 5,000.
    seed : int
    workers : int, optional
        Threads; by default one per core.
    on_progress : callable or bool, optional
        Called with the name of the stage, and the pairs of features done, in total, and failed. True shows
        the progress, False shows nothing. By default it is shown in a terminal or a notebook.

    Returns
    -------
    FeatureRanking

    Examples
    --------
    >>> import netchoice
    >>> table = netchoice.simulate_table(
    ...     "ba", n_nodes=40, n_samples=80, seed=1, engine="serial",
    ...     features=["degree_mean", "transitivity", "noise_normal"])
    >>> netchoice.rank_features(table, penalty=1).ranking[0]
    'degree_mean'
    """
    check_non_negative("penalty", penalty)
    check_choice("charge", charge, CHARGES)
    selector = get_selector(method)
    loaded = load_table(table, label, target, costs=costs, rows=rows, seed=seed)
    varying = varying_features(loaded)
    source = find_costs(loaded, costs)
    selector.set_params(penalty=0.0 if source.model is None else penalty)
    ready = selectors_for(
        varying,
        {method: selector},
        costs=source.model,
        charge=charge,
        seed=seed,
        n_jobs=workers or count_threads(-1),
    )
    report = listener(on_progress)
    if report is not None and len(varying.features) >= MANY_FEATURES:
        object.__setattr__(ready[method], "_on_progress", partial(_report_pairs, report))
    X = varying.X
    fitted = ready[method].fit(X, varying.target)
    return FeatureRanking(
        ranking=list(fitted.ranking_names_),
        steps=_with_costs(fitted.steps_, source, fitted.charge),
        constant=[name for name in loaded.features if name not in set(varying.features)],
        equal=equal_columns(X),
        rows=len(varying),
        target=describe_target(varying),
        method=method,
        penalty=penalty,
        charge=fitted.charge,
        costs=source.name,
        seed=seed,
    )


def _report_pairs(report: Progress, stage: str, done: int, total: int) -> None:
    report(stage, done, total, 0)


def _with_costs(steps: pd.DataFrame, source: CostSource, charge: str) -> pd.DataFrame:
    """Return the steps with costs in their own unit instead of scaled ones."""
    steps = steps.drop(columns="cost")
    if source.model is None:
        return steps
    names = list(steps["feature"])
    marginal, total = source.model.marginal_cost, source.model.cost_of_set
    return steps.assign(
        cost=[marginal(name, names[:i], charge) for i, name in enumerate(names)],
        cumulative_cost=[total(names[: i + 1], charge) for i in range(len(names))],
    )


def selectors_for(
    table: ReferenceTable,
    methods: Methods,
    *,
    costs: CostModel | None,
    budget: float | str | None = None,
    charge: str | None = None,
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
    budget : float or str, optional
        As long as the rest of the budget pays for a feature, only such features are ranked.
    charge : "shared" or "alone", optional
        How a set of features is billed. A method that knows costs alone only keeps "alone".
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
        if budget is not None and costs is not None:
            parameters["budget"] = budget
        if charge is not None:
            parameters["charge"] = charge if chosen.supports_shared_costs else "alone"
        if "discrete_features" in chosen.get_params():
            parameters["discrete_features"] = [table.discrete[n] for n in table.features]
        selectors[name] = chosen.set_params(**parameters)
    return selectors
