"""Reproduction of the paper: its experiments, tables, figures, and a verdict on each claim."""

from netchoice.reproduction.scales import PARTS, SCALES
from netchoice.reproduction.workflow import CLAIMS, reproduce

__all__ = ["CLAIMS", "PARTS", "SCALES", "reproduce"]


def __dir__() -> list[str]:
    return sorted(__all__)
