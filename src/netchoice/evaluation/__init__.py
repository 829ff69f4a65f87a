"""Accuracy against cost: how few features are enough."""

from netchoice.evaluation.rankings import evaluate_rankings
from netchoice.evaluation.recommendation import (
    RecommendedSet,
    pareto_front,
    recommended_set,
)
from netchoice.selection.path import PAPER_PENALTIES, penalty_grid

__all__ = [
    "PAPER_PENALTIES", "RecommendedSet", "evaluate_rankings", "pareto_front", "penalty_grid",
    "recommended_set",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)
