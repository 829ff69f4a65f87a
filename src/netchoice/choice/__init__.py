"""Whole tasks: choose a model for one network or a cohort, rank, evaluate and select features.

Each function does one task from start to finish. The commands call these functions.
"""

from netchoice.choice.answer import Answer, ModelAnswer
from netchoice.choice.choose import choose_model
from netchoice.choice.cohort import choose_cohort
from netchoice.choice.evaluate import FeatureEvaluation, evaluate_features
from netchoice.choice.pilots import PilotSelection, select_on_pilots
from netchoice.choice.rank import FeatureRanking, rank_features
from netchoice.choice.references import References, prepare
from netchoice.choice.settings import Effort

__all__ = [
    "Answer", "Effort", "FeatureEvaluation", "FeatureRanking", "ModelAnswer", "PilotSelection",
    "References", "choose_cohort", "choose_model", "evaluate_features", "prepare", "rank_features",
    "select_on_pilots",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)
