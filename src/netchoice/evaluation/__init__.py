"""Accuracy against cost: how few features are enough."""

from netchoice.evaluation.operating_points import (
    OperatingPoint,
    accuracy_interval,
    format_accuracy,
    measure_of,
    near_optimal,
    operating_point,
    pareto_front,
)
from netchoice.evaluation.rankings import evaluate_rankings
from netchoice.inference.wilson_interval import wilson
from netchoice.selection.path import PAPER_PENALTIES, penalty_grid

__all__ = [
    "PAPER_PENALTIES", "OperatingPoint", "accuracy_interval", "evaluate_rankings", "format_accuracy",
    "measure_of", "near_optimal", "operating_point", "pareto_front",
    "penalty_grid", "wilson",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)
