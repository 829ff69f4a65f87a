"""Settings of the experiments: their sizes, the costs of features, and the methods of selection."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from netchoice.costs import CostModel
from netchoice.evaluation import PAPER_PENALTIES
from netchoice.features.paper import paper_costs
from netchoice.selection import PAPER_METHODS, CostAwareSelector, get_selector
from netchoice.selection.methods import WEIGHTED_METHODS
from reproduction.records import code_facts

#: Parts of the reproduction, and the model spaces of the paper.
PARTS = ("ba", "duplication", "pilot", "yeast", "three-core")
FAMILIES = ("ba", "duplication")
SEED = 2026
#: Settings that may differ between runs into the same folder.
_WITHOUT_EFFECT_ON_DATA = ("tables", "draws_every_setting", "judged")


def table_seed(number: int) -> int:
    """Return the seed of everything that belongs to a table; the first table has number 1.

    The run that the criteria were changed after had the seed ``SEED``, which no table has.
    """
    return SEED + 100 * number


@dataclass(frozen=True)
class Scale:
    """Numbers of tables, networks, nodes and penalties of a reproduction."""

    name: str
    rows: int  # networks per table
    nodes: int  # nodes per network, also of the target of the pilots
    penalties: tuple[float, ...]  # of the heat maps
    ks: tuple[int, ...]  # numbers of features of the heat maps
    fine_ratio: float  # of neighbouring penalties in the study of the transition
    forest_runs: int  # runs of the forest methods on the same table with different seeds
    pilot_sizes: tuple[int, ...]
    pilot_rows: int
    tables: int  # independent pairs of tables for ranking and testing
    yeast_rows: int  # simulations for each yeast network
    svm_penalties: tuple[float, ...]
    svm_ks: tuple[int, ...]
    folds: int = 10
    draws_every_setting: bool = True  # whether to draw the heat maps of all cost settings
    judged: bool = True  # whether the networks are enough to judge the claims

    def as_dict(self) -> dict[str, Any]:
        """Return all settings for JSON, with the seed."""
        record = {**asdict(self), "seed": SEED}
        return {key: list(v) if isinstance(v, tuple) else v for key, v in record.items()}

    @property
    def facts(self) -> dict[str, Any]:
        """What kept results depend on: the settings, the seed and the version of the code."""
        settings = {k: v for k, v in self.as_dict().items() if k not in _WITHOUT_EFFECT_ON_DATA}
        return {**settings, **code_facts()}


#: From 0 to the largest penalty of the paper, so that the fall of accuracy is covered.
_SVM_PENALTIES = (0.0, 1.0, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8)
SCALES = {
    "tiny": Scale(
        "tiny", rows=80, nodes=40, penalties=(0.0, 0.1, 1.0, 12.8, 204.8), ks=(1, 2, 3, 5, 8),
        fine_ratio=4.0, forest_runs=2, pilot_sizes=(20, 40), pilot_rows=60, tables=2,
        yeast_rows=40, svm_penalties=(0.0,), svm_ks=(1, 2), folds=5, draws_every_setting=False,
        judged=False,
    ),
    "small": Scale(
        "small", rows=600, nodes=300, penalties=PAPER_PENALTIES, ks=tuple(range(1, 16)),
        fine_ratio=2**0.5, forest_runs=3, pilot_sizes=(50, 100, 200, 300), pilot_rows=300,
        tables=5, yeast_rows=600, svm_penalties=_SVM_PENALTIES, svm_ks=(1, 2, 5, 10),
    ),
    "paper": Scale(
        "paper", rows=5000, nodes=1000, penalties=PAPER_PENALTIES, ks=tuple(range(1, 16)),
        fine_ratio=2**0.25, forest_runs=5, pilot_sizes=tuple(range(100, 1001, 100)),
        pilot_rows=5000, tables=5, yeast_rows=5000, svm_penalties=_SVM_PENALTIES,
        svm_ks=(1, 2, 5, 10),
    ),
}  # fmt: skip

#: Steps that the paper's code computed once for several features. Later steps use earlier ones.
_SHARED_STEPS: dict[str, tuple[str, ...]] = {
    "largest component": (
        "lcc_nodes", "lcc_edges", "lcc_degree_connectivity", "lcc_diameter", "lcc_mean_distance",
        "lcc_local_efficiency",
    ),
    "distances in the largest component": ("lcc_diameter", "lcc_mean_distance"),
    "distances": ("global_efficiency", *(f"n_pairs_distance_{k}" for k in range(3, 7))),
    "degrees": (
        "degree_entropy", "degree_max", "degree_mean", "degree_median", "degree_std", "degree_q25",
        "degree_q75",
    ),
    "betweenness": ("betweenness_mean", "betweenness_max", "central_point_dominance"),
    "triangles": ("transitivity", "n_triangles", "clustering_mean"),
    "squares": ("square_clustering_mean", "square_clustering_median", "square_clustering_std"),
    "cores": tuple(f"{what}_{k}_size" for what in ("core", "shell") for k in range(2, 7)),
    "cliques": ("n_4_cliques", "n_5_cliques", "max_clique_size"),
}  # fmt: skip


class Setting(NamedTuple):
    """A list of costs, the charge for a set, and the estimator of mutual information."""

    costs: str  # "paper" or "ours"
    charge: str  # "alone" or "shared"
    estimator: str = "published"

    @property
    def name(self) -> str:
        """Name in file names and tables."""
        estimator = "" if self.estimator == "published" else f"-{self.estimator}"
        return f"{self.costs}-{self.charge}{estimator}"

    @property
    def label(self) -> str:
        """Description in figures and verdicts."""
        costs = {"paper": "the paper's costs", "ours": "our costs"}[self.costs]
        charges = {"alone": "each feature charged alone", "shared": "shared steps charged once"}
        estimator = "" if self.estimator == "published" else f", {self.estimator} estimator"
        return f"{costs}, {charges[self.charge]}{estimator}"


AS_PUBLISHED = Setting("paper", "alone")
#: The default of netchoice.
DEFAULT = Setting("ours", "shared", "calibrated")
_OTHERS = (Setting("paper", "shared"), Setting("ours", "alone"), Setting("ours", "shared"))
#: Settings that differ in costs only.
COST_SETTINGS = (AS_PUBLISHED, *_OTHERS)
SETTINGS = (*COST_SETTINGS, DEFAULT)


def paper_cost_model(family: str) -> CostModel:
    """Return the paper's costs as a cost model with shared steps.

    A shared step gets the cost of the cheapest feature that uses it, less the cost of earlier
    steps, so the cost of each feature alone stays as printed.

    >>> costs = paper_cost_model("ba")
    >>> pair = ["betweenness_mean", "betweenness_max"]
    >>> round(costs.cost(pair[0]), 4), round(costs.cost_of_set(pair, "shared"), 4)
    (0.3246, 0.3246)
    """
    own = dict(paper_costs(family))
    uses: dict[str, list[str]] = {}
    steps = {}
    for step, features in _SHARED_STEPS.items():
        steps[step] = min(own[name] for name in features)
        for name in features:
            own[name] = max(0.0, own[name] - steps[step])
            uses.setdefault(name, []).append(step)
    return CostModel(own, uses, steps)


def in_paper_seconds(costs: CostModel, family: str, features: Iterable[str]) -> CostModel:
    """Return costs whose sum is the paper's, so that λ in 1/seconds has the same weight there.

    >>> costs = CostModel({"degree_mean": 1e-6, "estrada_index": 3e-6})
    >>> round(in_paper_seconds(costs, "ba", costs.features).cost("degree_mean"), 5)
    0.06445
    """
    names = list(features)
    printed = paper_costs(family)
    return costs.times(sum(printed[name] for name in names) / costs.cost_of_set(names))


#: Methods in the main text's figures, and in those of the appendix.
MAIN_METHODS = ("jmi", "mrmr", "relieff", "penalized-mda")
APPENDIX_METHODS = ("jmim", "forest-relieff", "weighted-mda", "penalized-mdi")
_SHOWN = (*MAIN_METHODS, *APPENDIX_METHODS)
#: All nine methods, in the order of the figures; the last one is not shown.
METHODS = (*_SHOWN, *(name for name in PAPER_METHODS if name not in _SHOWN))

INFORMATION_METHODS = ("mrmr", "jmi", "jmim")
RELIEF_METHODS = ("relieff", "forest-relieff")
PENALIZED_METHODS = ("penalized-mdi", "penalized-mda")
FOREST_METHODS = (*PENALIZED_METHODS, *WEIGHTED_METHODS)


def paper_selectors(methods: Iterable[str], setting: Setting) -> dict[str, CostAwareSelector]:
    """Return the selectors by name, with λ per second as in the paper's code.

    >>> paper_selectors(["jmi", "weighted-mda"], DEFAULT)["jmi"]
    JMI(cost_scale='raw')
    """
    selectors = {}
    for method in methods:
        selector = get_selector(method, cost_scale="raw")
        if selector.supports_shared_costs:
            selector.set_params(charge=setting.charge)
        if "estimator" in selector.get_params():
            selector.set_params(estimator=setting.estimator)
        selectors[method] = selector
    return selectors
