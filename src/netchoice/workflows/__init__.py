"""Whole tasks: choose a model, evaluate features, study pilots.

Each function runs one task from start to finish. The command line calls these functions.
"""

from netchoice.workflows.choice import Choice
from netchoice.workflows.choose import choose_model
from netchoice.workflows.pilot import PilotStudy, pilot
from netchoice.workflows.pilot_size import Recommendation, recommend_pilot_size

__all__ = [
    "Choice",
    "PilotStudy",
    "Recommendation",
    "choose_model",
    "pilot",
    "recommend_pilot_size",
]
