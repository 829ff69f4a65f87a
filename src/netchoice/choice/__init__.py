"""Whole tasks: choose a model for one network or a cohort, rank, evaluate and select features.

Each function does one task from start to finish. The commands call these functions.
"""

from netchoice.choice.answer import Answer, ModelAnswer
from netchoice.choice.choose import choose_model
from netchoice.choice.cohort import choose_cohort
from netchoice.choice.cohort_summary import summarise_cohort
from netchoice.choice.evaluate import FeatureEvaluation, evaluate_features
from netchoice.choice.pilots import PilotSelection, select_on_pilots
from netchoice.choice.rank import FeatureRanking, rank_features, selectors_for
from netchoice.choice.references import References, prepare
from netchoice.choice.settings import Clock, Effort
from netchoice.choice.sizes import Size
from netchoice.choice.tables import CostSource, find_costs, load_table

__all__ = [
    "Answer", "Clock", "CostSource", "Effort", "FeatureEvaluation", "FeatureRanking", "ModelAnswer",
    "PilotSelection", "References", "Size", "choose_cohort", "choose_model", "evaluate_features",
    "find_costs", "load_table", "prepare", "rank_features", "select_on_pilots", "selectors_for",
    "summarise_cohort",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)
