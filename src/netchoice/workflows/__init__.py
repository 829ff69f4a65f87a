"""Whole tasks: choose a model, rank and evaluate features, select them on pilots.

Each function does one task from start to finish. The commands call these functions.
"""

from netchoice.workflows.choice import Choice, Evidence
from netchoice.workflows.choose import choose_model
from netchoice.workflows.chooser import Chooser
from netchoice.workflows.cohort_summary import summarise_cohort
from netchoice.workflows.evaluate import FeatureEvaluation, evaluate_features
from netchoice.workflows.feature_selection import FeatureSelection
from netchoice.workflows.pilots import PilotSelection, select_on_pilots
from netchoice.workflows.rank import FeatureRanking, rank_features, selectors_for
from netchoice.workflows.simulation_plan import SimulationPlan, TimeLimit
from netchoice.workflows.tables import CostSource, find_costs, load_table

__all__ = [
    "Choice",
    "Chooser",
    "CostSource",
    "Evidence",
    "FeatureEvaluation",
    "FeatureRanking",
    "FeatureSelection",
    "PilotSelection",
    "SimulationPlan",
    "TimeLimit",
    "choose_model",
    "evaluate_features",
    "find_costs",
    "load_table",
    "rank_features",
    "select_on_pilots",
    "selectors_for",
    "summarise_cohort",
]


def __dir__() -> list[str]:
    return sorted(__all__)
