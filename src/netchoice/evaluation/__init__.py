"""Accuracy against cost: how few features are enough."""

from netchoice.evaluation.choosing import (
    OperatingPoint,
    knee,
    operating_point,
    pareto_front,
    wilson,
)
from netchoice.evaluation.grid import evaluate
from netchoice.evaluation.penalties import PAPER_PENALTIES, penalty_grid

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
