"""The features that an answer will rest on: selected on simulations, at their cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from netchoice.cost_growth import CostGrowth
from netchoice.costs import CostModel
from netchoice.errors import UsageError
from netchoice.evaluation import OperatingPoint, evaluate, operating_point, penalty_grid
from netchoice.features import min_powers
from netchoice.selection import WeightedForest, get_selector, rank_path
from netchoice.storage.table import ReferenceTable

if TYPE_CHECKING:
    import pandas as pd

#: Larger networks are too expensive to compute everything on; the selection is made on pilots.
LARGEST = 1500
PILOTS = (250, 500, 1000)
#: Rows of the smaller pilots, which are there for their costs only.
COST_ROWS = 200
#: Of the interval within which a cheaper set is as good as the best: strict, features being cheap.
COVERAGE = 0.8
#: A set of more features is hard to read, and never needed more in any trial.
MOST_FEATURES = 15


@dataclass
class Selection:
    """What was selected, and what it rests on.

    Attributes
    ----------
    features : list of str
    costs : CostModel
        Costs at the size of the observed network; extrapolated, if the selection was made on pilots.
    table : ReferenceTable
        The simulations that it was made on; at the observed size unless ``pilots`` says otherwise.
    point : OperatingPoint or None
        None where the caller named the features.
    """

    features: list[str]
    costs: CostModel
    table: ReferenceTable
    pilots: tuple[int, ...] = ()
    point: OperatingPoint | None = None
    rankings: pd.DataFrame | None = None
    evaluation: pd.DataFrame | None = None
    notes: list[str] = field(default_factory=list)

    def cost(self, features: Sequence[str]) -> float:
        """Seconds per network, shared steps paid once."""
        return self.costs.cost_of_set(features, "shared")


def select(
    simulate: Callable[..., ReferenceTable],
    n_nodes: int,
    offered: Sequence[str],
    *,
    pilots: bool,
    samples: int,
    features: Sequence[str] | None,
    methods: Sequence[str],
    penalty: float | None,
    budget: float | str | None,
    seed: int,
    threads: int,
    compared: Sequence[str] = (),
    scores: Any = None,
) -> Selection:
    """Simulate, rank on one half, and choose the set on the other.

    Parameters
    ----------
    simulate : callable
        ``simulate(name, n_nodes, n_samples, features)`` gives a table.
    n_nodes : int
        Of the observed network.
    offered : sequence of str
        Features to choose from.
    pilots : bool
        Whether to select on smaller networks.
    compared : sequence of str
        Further methods that are ranked and scored, but not chosen from.
    """
    if not pilots:
        table = simulate("selection", n_nodes, samples, offered)
        found = Selection(list(features or ()), table.costs, table)
    else:
        *smaller, largest = PILOTS
        tables = [simulate(f"pilot-{n}", n, COST_ROWS, offered) for n in smaller]
        table = simulate(f"pilot-{largest}", largest, samples, offered)
        growth = CostGrowth.fit([*tables, table], powers=min_powers())
        costs = growth.predict(n_nodes)
        note = (
            f"features were selected on networks with {largest} nodes, at costs extrapolated to "
            f"{n_nodes} nodes"
        )
        found = Selection(list(features or ()), costs, table, PILOTS, notes=[note])
    if features is not None:
        return found
    return _choose(found, methods, compared, penalty, budget, seed, threads, scores)


def _choose(
    found: Selection,
    methods: Sequence[str],
    compared: Sequence[str],
    penalty: float | None,
    budget: float | str | None,
    seed: int,
    threads: int,
    scores: Any,
) -> Selection:
    train, test = found.table.split(seed=seed)
    train = train.drop_constant()
    if not train.features:
        raise UsageError(
            "all features are constant over the simulations, so nothing can tell the models apart; "
            "the network is too small, or the space holds one kind of network only"
        )
    costs = found.costs.only(train.features)
    selectors = [
        get_selector(name, costs=costs, random_state=seed, n_jobs=threads)
        for name in dict.fromkeys([*methods, *compared])
    ]
    for selector in selectors:
        if "discrete_features" in selector.get_params():
            selector.set_params(discrete_features=[train.discrete[n] for n in train.features])
        if not isinstance(selector, WeightedForest):  # which knows costs alone only
            selector.set_params(charge="shared")
    penalties = penalty_grid(costs, train.features) if penalty is None else [penalty]
    found.rankings = rank_path(selectors, train.X, train.y, penalties)
    found.evaluation = evaluate(
        found.rankings,
        test,
        ks=range(1, min(MOST_FEATURES, len(train.features)) + 1),
        folds=_folds(test),
        costs=found.costs,
        seed=seed,
        n_jobs=threads,
        path=scores,
    )
    # Chosen on all rows: how good the answer is will be seen on simulations of their own.
    asked = found.evaluation[found.evaluation["method"].isin(methods)]
    everywhere = asked.assign(accuracy_choosing=asked["accuracy"], n_choosing=len(test))
    found.point = operating_point(everywhere, budget=budget, coverage=COVERAGE)
    found.features = list(found.point.features)
    return found


def _folds(table: ReferenceTable) -> int:
    """Ten, or as many as the rarest model has rows."""
    return max(2, min(10, int(table.y.value_counts().min())))
