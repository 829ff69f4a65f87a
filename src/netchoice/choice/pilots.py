"""Select features on small networks, pilots, at the costs that they have on larger networks."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netchoice.atomic import write_text
from netchoice.choice.observe import as_given
from netchoice.choice.rank import selectors_for
from netchoice.choice.reference import Progress
from netchoice.choice.references import settings_of
from netchoice.choice.settings import GivenFeature, Settings
from netchoice.choice.sizes import Size
from netchoice.costs import CostModel
from netchoice.engines.processes import keep_workers
from netchoice.errors import UsageError
from netchoice.evaluation import RecommendedSet, evaluate_rankings, penalty_grid, recommended_set
from netchoice.features import comparable_features
from netchoice.features.reference_costs import reference_costs
from netchoice.features.registry import FEATURES
from netchoice.models.space import ModelSpace
from netchoice.progress import listener, shows_progress
from netchoice.selection import rank_path
from netchoice.simulate import Priors, simulate_table
from netchoice.storage.records import to_record
from netchoice.storage.run_folder import SCORES, TABLES, run_folder
from netchoice.storage.table import ReferenceTable
from netchoice.stores import place
from netchoice.threads import count_threads
from netchoice.validation import check_integer

if TYPE_CHECKING:
    import pandas as pd

#: The selection in a folder, and the pilots.
PILOT, PILOTS = "pilot.json", f"{TABLES}/pilots"
#: A smaller network is hardly more than the seed graph that it grew from.
MIN_PILOT_NODES = 28
#: Nodes of pilots, unless the networks to analyse are smaller.
PILOT_NODES = 1000
#: Fewest networks of each model, on average: half of them rank the features, the others choose a set.
MIN_SAMPLES = 20
#: Pilots of each model that features are selected on inside a choice.
SAMPLES_EACH = 200
#: The most features in a selected set.
MAX_FEATURES = 15
DEFAULT_METHOD = "jmi"


@dataclass(frozen=True)
class PilotSelection:
    """Features that were selected on pilots; returned by :func:`select_on_pilots`.

    Attributes
    ----------
    space : str
    n_nodes, pilot_nodes, samples : int
        Nodes of the networks to analyse and of the pilots, and the number of pilots.
    features : tuple of str
        The selected features.
    accuracy, interval : float, pair of float
        Share of pilots whose model is predicted from selected features, with its 95 % interval. Each pilot
        is predicted with the set that the other pilots select.
    cost, cost_of_all : float
        CPU seconds of the selected features, and of all features, for one network with ``n_nodes``, with
        each shared step paid once.
    costs : CostModel
        Costs of all features for a network with ``n_nodes``; ``cost_source`` says which.
    ranking : DataFrame
        The features in the order of the ranking that the set comes from, and the CPU seconds of each
        alone for a network with ``n_nodes`` (cost) and for a pilot (pilot_cost).
    """

    space: str
    n_nodes: int
    pilot_nodes: int
    samples: int
    features: tuple[str, ...]
    accuracy: float
    interval: tuple[float, float]
    cost: float
    cost_of_all: float
    cost_source: str
    costs: CostModel = field(repr=False)
    ranking: pd.DataFrame = field(repr=False)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        record: dict[str, Any] = to_record(self)
        return record


@shows_progress("simulating ({})")
@keep_workers()
def select_on_pilots(
    space: str | ModelSpace,
    *,
    n_nodes: int,
    pilot_nodes: int = PILOT_NODES,
    samples: int = 2000,
    features: Iterable[GivenFeature] | None = None,
    method: str | Iterable[str] = DEFAULT_METHOD,
    penalty: float | None = None,
    budget: float | str | None = None,
    costs: str = "reference",
    prior: Priors = None,
    isolated: str = "keep",
    seed: int = 1,
    workers: int | None = None,
    engine: str | Executor = "processes",
    out: str | PathLike[str] | None = None,
    fresh: bool = False,
    on_progress: Progress | bool | None = None,
) -> PilotSelection:
    """Select features that distinguish models, on networks smaller than those to analyse.

    Parameters
    ----------
    space : ModelSpace or str
        The models to distinguish: the name of a space, ``module:attribute``, or your own.
    n_nodes : int
        Number of nodes of the networks that you want to analyse.
    pilot_nodes : int
        Number of nodes of the networks that features are selected on.
    samples : int
        Number of these networks, at least 20 for each model.
    features : iterable of str or Feature, optional
        Features to select from, also your own. By default all built-in ones whose values on observed and
        simulated networks can be compared.
    method : str or iterable of str
        How features are ranked: names of :data:`netchoice.selection.METHODS`, or ``module:attribute``.
    penalty : float, optional
        λ. By default many values are tried, and the cheapest set that loses no accuracy is selected.
    budget : float or str, optional
        The largest cost of the selected features for a network with ``n_nodes``: seconds, "5ms", or
        "2%" of the cost of all.
    costs : "reference" or "measured"
        "reference": the reference costs for ``n_nodes``, the same on every machine. "measured": the costs
        measured on the pilots, multiplied by how much the reference costs grow up to ``n_nodes``.
    isolated : "keep" or "drop"
    prior, seed, workers, engine
        As in :func:`netchoice.simulate_table`.
    out : path, optional
        Folder for the simulations and ``pilot.json``. A run that was interrupted there is resumed.
    fresh : bool
        Delete an earlier run in that folder.
    on_progress : callable or bool, optional
        As in :func:`netchoice.choose_model`.

    Returns
    -------
    PilotSelection

    Examples
    --------
    >>> import netchoice
    >>> found = netchoice.select_on_pilots(
    ...     "ba", n_nodes=5000, pilot_nodes=40, samples=80, engine="serial",
    ...     features=["degree_mean", "transitivity", "betweenness_max"])
    >>> found.features, found.accuracy
    (('degree_mean',), 1.0)
    """
    settings = settings_of(
        space, prior, match=False, isolated=isolated, features=features, method=method, penalty=penalty,
        budget=budget, costs=costs, seed=seed,
    )  # fmt: skip
    if settings.match:
        raise UsageError(
            "the space matches the density of one network, which pilots of another size do not have; pass "
            "the space that it was made from"
        )
    pilot_nodes = check_integer("pilot_nodes", pilot_nodes, MIN_PILOT_NODES)
    samples = check_integer(
        "samples", samples, math.ceil(MIN_SAMPLES / min(settings.space.weights) - 1e-6)
    )
    if check_integer("n_nodes", n_nodes) < pilot_nodes:
        raise UsageError(
            f"pilots of {pilot_nodes} nodes for networks of {n_nodes}; expected pilots that are not "
            "larger than the networks"
        )
    folder = None if out is None else place(out)
    record = {
        **settings.as_dict(), "n_nodes": n_nodes, "pilot_nodes": pilot_nodes, "samples": samples
    }  # fmt: skip
    options: dict[str, Any] = {
        "engine": engine, "workers": workers, "on_progress": listener(on_progress)
    }  # fmt: skip
    with run_folder(folder, record, fresh, "netchoice pilot", (PILOT,)):
        found = _select(
            settings, settings.space, Size((n_nodes, n_nodes), isolated), pilot_nodes, samples, folder,
            **options,
        )  # fmt: skip
        if folder is not None:
            text = json.dumps(found.as_dict(), indent=1, ensure_ascii=False, allow_nan=False)
            write_text(folder / PILOT, text + "\n")
    return found


def selected_features(
    settings: Settings,
    size: Size,
    *,
    folder: Path | None = None,
    deadline: float | None = None,
    **options: Any,
) -> tuple[str, ...] | None:
    """Return the features that a budget, a penalty or methods select for a size; None if none is given.

    At the ``deadline``, a time on the clock ``time.monotonic``, pilots that are not finished are refused.
    """
    if not settings.selects:
        return None
    space = size.matched(settings.space)
    return _select(
        settings, space, size, min(PILOT_NODES, size.nodes[1]), SAMPLES_EACH * len(space),
        None if folder is None else folder / "selection", deadline=deadline, **options,
    ).features  # fmt: skip


def _select(
    settings: Settings,
    space: ModelSpace,
    size: Size,
    pilot_nodes: int,
    samples: int,
    folder: Path | None,
    *,
    engine: str | Executor,
    workers: int | None,
    on_progress: Progress | None,
    deadline: float | None = None,
) -> PilotSelection:
    """Simulate pilots, rank the features on one half, and choose a set on the other."""
    names = list(settings.names or comparable_features())
    table = simulate_table(
        space, n_nodes=pilot_nodes, n_samples=samples, seed=settings.seed, stream="choose pilots",
        features=as_given(names, settings), isolated=size.isolated, engine=engine, workers=workers,
        deadline=deadline, on_progress=on_progress and partial(on_progress, "pilots"),
        out=None if folder is None else folder / PILOTS,
    )  # fmt: skip
    if len(table) < samples:
        raise UsageError(
            f"the time limit ended after {len(table)} of {samples} pilots, on which features are "
            "selected; give a longer limit, or leave out --budget, --penalty and --method"
        )
    table = table.without_partial()
    costs = _costs(settings, table, size, pilot_nodes)
    point, rankings = _choose_set(settings, table, costs, workers, folder)
    return PilotSelection(
        space=space.name,
        n_nodes=size.nodes[1],
        pilot_nodes=pilot_nodes,
        samples=len(table),
        features=point.features,
        accuracy=point.accuracy,
        interval=point.interval,
        cost=point.cost,
        cost_of_all=costs.cost_of_set(table.features, "shared"),
        cost_source=settings.costs,
        costs=costs,
        ranking=_ranking(rankings, point, costs, table.costs),
    )


def _costs(settings: Settings, table: ReferenceTable, size: Size, pilot_nodes: int) -> CostModel:
    """Return the costs of the features for a network of a size, from a table of pilots."""
    features = as_given(table.features, settings)
    density = float(table.X["degree_mean"].mean()) / 2 if "degree_mean" in table.features else None
    n_nodes, n_edges = size.typical()
    if size.edges is None and density is not None:
        n_edges = round(density * n_nodes)
    at_pilots = reference_costs(features, pilot_nodes, round(n_edges * pilot_nodes / n_nodes))
    wanted = reference_costs(features, n_nodes, n_edges)
    measured = table.costs
    own = {name: name for name in table.features if name in FEATURES}

    def scaled(
        known: dict[str, float], to: dict[str, float], at: dict[str, float]
    ) -> dict[str, float]:
        return {
            name: cost * to[name] / at[name] if at.get(name) else cost
            for name, cost in known.items()
        }

    if settings.costs == "measured":
        return CostModel(
            scaled(measured.own, wanted.own, at_pilots.own), measured.uses,
            scaled(measured.steps, wanted.steps, at_pilots.steps),
        )  # fmt: skip
    mine = {name: cost for name, cost in measured.own.items() if name not in own}
    return reference_costs(features, n_nodes, n_edges, mine) if mine else wanted


def _choose_set(
    settings: Settings,
    table: ReferenceTable,
    costs: CostModel,
    workers: int | None,
    folder: Path | None,
) -> tuple[RecommendedSet, pd.DataFrame]:
    """Rank the features on one half of a table, and choose a set on the other."""
    first, test = table.split(seed=settings.seed)
    train = first.drop_constant()
    if not train.features:
        raise UsageError(
            "all features are constant over the simulations, so no feature can distinguish the "
            "models; the network is too small, or all models of the space make the same networks"
        )
    offered = costs.only(train.features)
    common: dict[str, Any] = {"seed": settings.seed, "n_jobs": workers or count_threads(-1)}
    methods = settings.method or (DEFAULT_METHOD,)
    selectors = selectors_for(train, methods, costs=offered, charge="shared", **common)
    penalties = (
        penalty_grid(offered, train.features) if settings.penalty is None else [settings.penalty]
    )
    most = min(MAX_FEATURES, len(train.features))
    rankings = rank_path(selectors, train.X, train.target, penalties, n_positions=most)
    evaluation = evaluate_rankings(
        rankings, test, ks=range(1, most + 1), costs=offered, features=train.features,
        folds=max(2, min(10, int(test.y.value_counts().min()))),
        path=None if folder is None else folder / SCORES, **common,
    )  # fmt: skip
    return recommended_set(evaluation, budget=settings.budget), rankings


def _ranking(
    rankings: pd.DataFrame, point: RecommendedSet, costs: CostModel, pilot_costs: CostModel
) -> pd.DataFrame:
    import pandas as pd

    is_chosen = (rankings["method"] == point.method) & (rankings["penalty"] == point.penalty)
    names = list(rankings[is_chosen].sort_values("position")["feature"])
    return pd.DataFrame(
        {
            "feature": names,
            "cost": [costs.cost(name) for name in names],
            "pilot_cost": [pilot_costs.cost(name) for name in names],
        }
    )
