"""The result of computing features: values and CPU times."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from netchoice.features.plan import Plan

#: The step that converts another library's object to a Graph; every feature is charged for it.
CONVERSION = "conversion"


@dataclass
class FeatureResult:
    """Values and CPU times of features on one network.

    Attributes
    ----------
    values : dict
        Value of each feature: an int if the feature is discrete, NaN if it failed.
    own_seconds, step_seconds : dict
        CPU seconds of each feature without its inputs, and of each shared step.
    failures : dict
        The reason why a feature or step has no value, by name.
    """

    plan: Plan = field(repr=False)
    values: dict[str, float] = field(default_factory=dict)
    own_seconds: dict[str, float] = field(default_factory=dict)
    step_seconds: dict[str, float] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    @property
    def seconds(self) -> dict[str, float]:
        """CPU seconds to compute each feature alone: its own time and that of all its inputs."""
        spent = self.own_seconds | self.step_seconds
        conversion = self.step_seconds.get(CONVERSION, 0.0)
        lineage = self.plan.lineage
        return {
            name: conversion + sum(spent[part] for part in lineage[name]) for name in self.values
        }

    @property
    def total_seconds(self) -> float:
        """CPU seconds to compute all features together, with each shared step once."""
        return sum(self.step_seconds.values()) + sum(self.own_seconds.values())

    def as_dict(self) -> dict[str, Any]:
        """Return values (None if failed), seconds and failures as a dictionary for JSON."""
        values = {name: None if name in self.failures else v for name, v in self.values.items()}
        return {
            "values": values,
            "seconds": self.seconds,
            "own_seconds": self.own_seconds,
            "step_seconds": self.step_seconds,
            "failures": self.failures,
        }
