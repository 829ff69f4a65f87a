"""What is measured on a network."""

from netchoice.features import (  # noqa: I001  the order of the features in tables
    components,
    distances,
    connectivity,
    degrees,
    centrality,
    clustering,
    cores,
    cliques,
    dominating,
    noise,
    foreign,
)
from netchoice.features.compute import FeatureResult, compute_features, feature_names
from netchoice.features.paper import PaperCosts, paper_costs
from netchoice.features.registry import (
    FEATURES,
    STEPS,
    Feature,
    Step,
    feature,
    min_powers,
    steps_of,
)

__all__ = [
    "FEATURES",
    "STEPS",
    "Feature",
    "FeatureResult",
    "PaperCosts",
    "Step",
    "centrality",
    "cliques",
    "clustering",
    "components",
    "compute_features",
    "connectivity",
    "cores",
    "degrees",
    "distances",
    "dominating",
    "feature",
    "feature_names",
    "foreign",
    "min_powers",
    "noise",
    "paper_costs",
    "steps_of",
]
