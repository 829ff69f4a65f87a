"""Compiled random forests for any table of numbers: of classification trees, or of regression trees."""

from netchoice.forests.forest import ClassificationForest, Forest, RegressionForest
from netchoice.forests.growth import grow_forest

__all__ = ["ClassificationForest", "Forest", "RegressionForest", "grow_forest"]


def __dir__() -> list[str]:
    return sorted(__all__)
