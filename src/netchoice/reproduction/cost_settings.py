"""Costs, charges and estimators under which the claims are judged."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from netchoice.costs import CostModel
from netchoice.features.paper import paper_costs

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
