"""Pilots: features selected on small networks, for large ones."""

from netchoice.pilot.making import LEAST_SIZE, declared_powers
from netchoice.pilot.recommending import Recommendation, recommend_pilot_size
from netchoice.pilot.study import PilotStudy, pilot

__all__ = [
    "LEAST_SIZE",
    "PilotStudy",
    "Recommendation",
    "declared_powers",
    "pilot",
    "recommend_pilot_size",
]
