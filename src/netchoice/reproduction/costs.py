"""Under which costs a claim is looked at."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from netchoice.costs import CostModel
from netchoice.features.paper import paper_costs

#: What the paper's code computed once for several features. Later ones rest on earlier ones.
_TOGETHER: dict[str, tuple[str, ...]] = {
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
    """Costs, how a set is charged, and how mutual information is estimated."""

    costs: str  # "paper" or "ours"
    charge: str  # "alone" or "shared"
    estimator: str = "published"

    @property
    def name(self) -> str:
        """For files and tables."""
        estimator = "" if self.estimator == "published" else f"-{self.estimator}"
        return f"{self.costs}-{self.charge}{estimator}"

    @property
    def words(self) -> str:
        """For people."""
        whose = "the paper's costs" if self.costs == "paper" else "our costs"
        how = "each feature alone" if self.charge == "alone" else "steps shared"
        told = f"{whose}, {how}"
        return told if self.estimator == "published" else f"{told}, {self.estimator} estimate"


#: The first is the paper's own; the last is what netchoice does by default.
SETTINGS = (
    Setting("paper", "alone"),
    Setting("paper", "shared"),
    Setting("ours", "alone"),
    Setting("ours", "shared"),
    Setting("ours", "shared", "calibrated"),
)
AS_PUBLISHED = SETTINGS[0]


def paper_cost_model(family: str) -> CostModel:
    """The paper's costs with shared steps.

    The paper prints costs of features alone. A step is taken to cost what the cheapest of the
    features that rest on it costs, less the steps before it; so costs alone stay as printed.

    >>> costs = paper_cost_model("ba")
    >>> pair = ["betweenness_mean", "betweenness_max"]
    >>> round(costs.cost(pair[0]), 4), round(costs.cost_of_set(pair, "shared"), 4)
    (0.3246, 0.3246)
    """
    own = dict(paper_costs(family))
    uses: dict[str, list[str]] = {}
    steps = {}
    for step, features in _TOGETHER.items():
        steps[step] = min(own[name] for name in features)
        for name in features:
            own[name] = max(0.0, own[name] - steps[step])
            uses.setdefault(name, []).append(step)
    return CostModel(own, uses, steps)


def in_paper_seconds(costs: CostModel, family: str, features: Iterable[str]) -> CostModel:
    """The same costs, in a unit in which all features cost what they cost in the paper.

    So λ in 1/seconds weighs as much as it did there.

    >>> costs = CostModel({"degree_mean": 1e-6, "estrada_index": 3e-6})
    >>> round(in_paper_seconds(costs, "ba", costs.features).cost("degree_mean"), 5)
    0.06445
    """
    names = list(features)
    printed = paper_costs(family)
    return costs.times(sum(printed[name] for name in names) / costs.cost_of_set(names))
