"""Select features on small networks, pilots, at the costs that they have on larger networks."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field, replace
from os import PathLike
from typing import TYPE_CHECKING, Any

from netchoice.atomic import write_text
from netchoice.costs import CostModel
from netchoice.engines.processes import keep_workers
from netchoice.errors import UsageError
from netchoice.evaluation import evaluate_rankings, wilson
from netchoice.features.registry import Feature
from netchoice.models.builtin import get_space
from netchoice.models.density_matched import MatchedSpace
from netchoice.models.space import ModelSpace
from netchoice.progress import listener, shows_progress
from netchoice.storage.table import ReferenceTable
from netchoice.stores import place
from netchoice.validation import check_choice, check_integer, check_non_negative
from netchoice.workflows.feature_selection import SCORES, SECOND_SCORES, FeatureSelection
from netchoice.workflows.preparation import ChoiceSettings, Preparation, make_preparation
from netchoice.workflows.run_folder import ROWS, RUN, RunFiles, run_folder
from netchoice.workflows.simulation_plan import SimulationPlan
from netchoice.workflows.table_maker import STAGES, Progress, TableMaker, features_by_name

if TYPE_CHECKING:
    import pandas as pd

#: The answer, and all files that a selection in a folder writes.
ANSWER = "pilot.json"
PILOT_FILES = RunFiles(RUN, "netchoice pilot", (
    ANSWER, SCORES, SECOND_SCORES, ROWS, "selection-costs.json", "tables/*/_manifest.json",
    "tables/*/rows-*.parquet",
))  # fmt: skip
#: A smaller network is hardly more than the seed graph that it grew from; smaller pilots, to extrapolate
#: costs, have a half and a quarter of the nodes.
MIN_PILOT_NODES = 28
#: Fewest networks of each model, on average: half of them rank the features, the others choose a set.
MIN_SAMPLES = 20
COVERAGE = 0.95


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
        Share of further pilot networks whose model is predicted from these features, with its 95 %
        interval. Other networks were used to select the features.
    cost, cost_of_all : float
        CPU seconds of the selected features, and of all features, for one network with ``n_nodes``;
        extrapolated, with each shared step paid once.
    costs : CostModel
        Extrapolated costs of all features.
    ranking : DataFrame
        The features in the order of the ranking that the set comes from, and the CPU seconds of each
        alone for a network with ``n_nodes`` (cost) and for a pilot (pilot_cost).
    stability : str or None
        How well a second selection, on other simulations, agrees.
    notes : tuple of str
        What a careful reader should know.
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
    costs: CostModel = field(repr=False)
    ranking: pd.DataFrame = field(repr=False)
    stability: str | None = None
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        plain = replace(self, costs=None, ranking=None)  # type: ignore[arg-type]
        frames = {"costs": self.costs.as_dict(), "ranking": self.ranking.to_dict("records")}
        return {**asdict(plain), **frames}


@shows_progress(STAGES)
@keep_workers()
def select_on_pilots(
    space: str | ModelSpace,
    *,
    n_nodes: int,
    pilot_nodes: int = 1000,
    samples: int = 2000,
    features: Iterable[str | Feature] | None = None,
    method: str | Iterable[str] = "jmi",
    penalty: float | None = None,
    budget: float | str | None = None,
    isolated: str = "keep",
    seed: int = 1,
    workers: int | None = None,
    engine: str | Executor = "processes",
    path: str | PathLike[str] | None = None,
    fresh: bool = False,
    on_progress: Progress | bool | None = None,
) -> PilotSelection:
    """Select features that distinguish models, on networks smaller than those to analyse.

    Features are ranked and selected as :func:`netchoice.choose_model` does for a large network. The cost
    of each feature is extrapolated to ``n_nodes`` from pilots of three sizes: ``pilot_nodes``, a half and
    a quarter of it.

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
        "2%" of the sum of all costs.
    isolated : "keep" or "drop"
    seed, workers, engine
        As in :func:`netchoice.simulate_table`.
    path : path, optional
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
    space = get_space(space)
    if isinstance(space, MatchedSpace):
        raise UsageError(
            f"{space.name} matches the density of one network, which has its own size; use a space "
            "that is not density-matched, or netchoice choose"
        )
    given = features_by_name(features)
    methods = (method,) if isinstance(method, str) else tuple(method)
    settings = ChoiceSettings(
        space=space.as_dict(), n_nodes=n_nodes, isolated=isolated, purpose="model",
        method=methods, penalty=penalty, budget=budget, seed=check_integer("seed", seed, 0),
        plan=_plan(space, n_nodes, pilot_nodes, samples),
    )  # fmt: skip
    check_choice("isolated", isolated, ("keep", "drop"))
    if penalty is not None:
        check_non_negative("penalty", penalty)
    folder = None if path is None else place(path)
    report = listener(on_progress)
    maker = TableMaker(space, seed, isolated, engine, workers, folder, report, given)
    preparation = replace(make_preparation(space, settings, maker), candidates=tuple(given))
    maker.warm_up()
    record = {**settings.as_dict(), "candidates": list(given)}
    with run_folder(folder, record, fresh, PILOT_FILES):
        found = _answer(preparation, preparation.select())
        if folder is not None:
            text = json.dumps(found.as_dict(), indent=1, ensure_ascii=False, allow_nan=False)
            write_text(folder / ANSWER, text + "\n")
    return found


def _plan(space: ModelSpace, n_nodes: int, pilot_nodes: int, samples: int) -> SimulationPlan:
    """Return a plan that always uses pilots of these sizes, and as many as given."""
    pilot_nodes = check_integer("pilot_nodes", pilot_nodes, MIN_PILOT_NODES)
    fewest = math.ceil(MIN_SAMPLES / min(space.weights) - 1e-6)
    samples = check_integer("samples", samples, fewest)
    if check_integer("n_nodes", n_nodes) < pilot_nodes:
        raise UsageError(
            f"pilots of {pilot_nodes} nodes for networks of {n_nodes}; expected pilots that are not "
            "larger than the networks"
        )
    plan = SimulationPlan()
    return replace(
        plan, max_direct_nodes=0, pilot_sizes=(pilot_nodes // 4, pilot_nodes // 2, pilot_nodes),
        pilot_cost_samples=min(plan.pilot_cost_samples, samples), selection_samples=samples,
        selection_models=len(space), min_fit_samples=1,
    )  # fmt: skip


def _answer(preparation: Preparation, selection: FeatureSelection) -> PilotSelection:
    """Return the selected features, their costs, and their accuracy on further pilots."""
    import pandas as pd

    settings, pilots = preparation.settings, selection.simulations
    point, rankings = selection.point, selection.rankings
    assert point is not None
    assert rankings is not None
    chosen = rankings[
        (rankings["method"] == point.method) & (rankings["penalty"] == point.penalty)
    ].sort_values("position")
    names = list(chosen["feature"])
    ranking = pd.DataFrame(
        {
            "feature": names,
            "cost": [selection.costs.cost(name) for name in names],
            "pilot_cost": [pilots.costs.cost(name) for name in names],
        }
    )
    pilot_nodes = selection.pilots[-1]
    tested = preparation.maker.table(
        "test", pilot_nodes, len(pilots), selection.features, stream="pilot test"
    )
    accuracy = _accuracy(tested.complete(), settings.seed)
    return PilotSelection(
        space=preparation.space.name,
        n_nodes=settings.largest,
        pilot_nodes=pilot_nodes,
        samples=len(pilots),
        features=selection.features,
        accuracy=accuracy,
        interval=wilson(accuracy, len(tested), COVERAGE),
        cost=selection.cost(selection.features),
        cost_of_all=selection.cost(pilots.features),
        costs=selection.costs.only(pilots.features),
        ranking=ranking,
        stability=selection.stability,
        notes=tuple(preparation.notes),
    )


def _accuracy(table: ReferenceTable, seed: int) -> float:
    """Return the cross-validated accuracy with all features of a table."""
    import pandas as pd

    k = len(table.features)
    all_features = pd.DataFrame(
        {"method": "", "penalty": 0.0, "position": range(1, k + 1), "feature": table.features}
    )
    folds = max(2, min(10, int(table.y.value_counts().min())))
    scores = evaluate_rankings(all_features, table, ks=[k], folds=folds, seed=seed)
    return float(scores["accuracy"].iloc[0])
