"""Accuracy against cost: how few features are enough."""

from netchoice.evaluation.operating_point import (
    OperatingPoint,
    knee,
    operating_point,
    pareto_front,
    wilson,
)
from netchoice.evaluation.penalties import PAPER_PENALTIES, penalty_grid
from netchoice.evaluation.rankings import evaluate

__all__ = [
    "PAPER_PENALTIES",
    "OperatingPoint",
    "evaluate",
    "knee",
    "operating_point",
    "pareto_front",
    "penalty_grid",
    "wilson",
]
