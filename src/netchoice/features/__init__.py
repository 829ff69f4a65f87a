"""Network features, and the shared steps from which they are computed."""

from netchoice.features import catalogue  # noqa: F401  it registers the features
from netchoice.features.computation import (
    FeatureResult,
    comparable_features,
    compute_features,
    feature_names,
)
from netchoice.features.paper import PaperCosts, paper_costs
from netchoice.features.registry import FEATURES, Feature, feature

__all__ = [
    "FEATURES",
    "Feature",
    "FeatureResult",
    "PaperCosts",
    "comparable_features",
    "compute_features",
    "feature",
    "feature_names",
    "paper_costs",
]


def __dir__() -> list[str]:
    return sorted(__all__)
