"""The answer: which model, how sure, does it fit, what did it cost."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = 1


@dataclass
class Choice:
    """Which model made a network.

    Attributes
    ----------
    model : str
        The most probable one.
    probabilities : dict
        By model, with sum 1; ``intervals`` holds their uncertainty.
    fits : bool
        Whether any model explains the network at all; ``fit_p_values`` by model.
    features : dict
        The features that the answer rests on, with their values on the network.
    parameters : dict
        Of the most probable model: median, interval, and whether the posterior leans on a bound.
    accuracy : float
        Share of held-out simulations that are given their true model; ``confusion`` says how.
    cost : dict
        Seconds per network of the selected features, of all, and of the battery that judges the fit.
    notes : list of str
        Whatever a careful reader should know.
    """

    network: dict[str, Any]
    space: dict[str, Any]
    model: str
    probabilities: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    fits: bool
    fit_p_values: dict[str, float]
    fit: dict[str, Any]
    features: dict[str, float]
    parameters: dict[str, dict[str, Any]]
    accuracy: float
    confusion: pd.DataFrame
    scores: dict[str, float]
    selection: dict[str, Any]
    cost: dict[str, Any]
    notes: list[str]
    settings: dict[str, Any]
    evidence: dict[str, Any] = field(default_factory=dict, repr=False)

    def as_dict(self) -> dict[str, Any]:
        """What ``choice.json`` holds; see the documentation of ``netchoice choose``."""
        confusion = {
            str(true): {str(told): int(n) for told, n in row.items()}
            for true, row in self.confusion.to_dict("index").items()
        }
        return {
            "schema": SCHEMA,
            "model": self.model,
            "probabilities": self.probabilities,
            "intervals": {name: list(ends) for name, ends in self.intervals.items()},
            "fits": self.fits,
            "fit_p_values": self.fit_p_values,
            "fit": self.fit,
            "features": self.features,
            "parameters": self.parameters,
            "accuracy": self.accuracy,
            "confusion": confusion,
            "scores": self.scores,
            "selection": self.selection,
            "cost": self.cost,
            "network": self.network,
            "space": self.space,
            "notes": self.notes,
            "settings": self.settings,
        }

    def to_json(self) -> str:
        """The same as text."""
        return json.dumps(self.as_dict(), indent=2, ensure_ascii=False, allow_nan=False)

    def summary(self) -> str:
        """The answer in a few lines."""
        return "\n".join(self._lines())

    def _lines(self) -> list[str]:
        lines = [f"most probable model: {self.model}"]
        for name, probability in sorted(self.probabilities.items(), key=lambda item: -item[1]):
            low, high = self.intervals[name]
            lines.append(
                f"  {name:<12} {chance(probability)} (between {chance(low)} and {chance(high)})"
                f"   fit p = {self.fit_p_values[name]:.3g}"
            )
        lines.append(self.fit["summary"])
        for name, told in self.parameters.items():
            low, high = told["interval"]
            lines.append(
                f"{self.model} {name}: {told['median']:.3g} ({told['coverage']:.0%} interval "
                f"{low:.3g} to {high:.3g})"
            )
        values = ", ".join(f"{name} = {value:.4g}" for name, value in self.features.items())
        lines.append(f"it rests on {len(self.features)} features: {values}")
        lines.append(
            f"held-out simulations given their true model: {self.accuracy:.1%} of "
            f"{int(self.confusion.to_numpy().sum())}"
        )
        lines.append(self.cost["summary"])
        lines.extend(f"note: {note}" for note in self.notes)
        return lines

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(name)}</td><td>{escape(chance(p))}</td>"
            f"<td>{' – '.join(escape(chance(end)) for end in self.intervals[name])}</td>"
            f"<td>{self.fit_p_values[name]:.3g}</td></tr>"
            for name, p in sorted(self.probabilities.items(), key=lambda item: -item[1])
        )
        rest = "".join(
            f"<li>{escape(line)}</li>" for line in self._lines()[len(self.intervals) + 1 :]
        )
        return (
            f"<p>Most probable model: <b>{escape(self.model)}</b></p><table><tr><th>model</th>"
            f"<th>probability</th><th>between</th><th>fit p</th></tr>{rows}</table><ul>{rest}</ul>"
        )


def chance(probability: float) -> str:
    """A probability with three decimals, and never 0 or 1.

    >>> chance(0.25), chance(0.99999), chance(0.0002)
    ('0.250', '>0.999', '<0.001')
    """
    if probability >= 0.9995:
        return ">0.999"
    return f"{probability:.3f}" if probability >= 0.0005 else "<0.001"
