"""Networks of the atlas, their answers, and which of them "none fits" holds for."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

import netchoice
from netchoice.inference.goodness_of_fit import ALPHA as LEVEL
from netchoice.inference.goodness_of_fit import RATE, adjusted_p_values
from netchoice.workflows.screening import ALPHA as SCREENING


@dataclass
class Entry:
    """A network of the atlas.

    ``source`` is the real network that a control was made from, ``truth`` the mechanism or rule that made it,
    and ``copy_of`` an earlier real network that is the same.
    """

    id: str
    kind: str
    domain: str
    graph: netchoice.Graph
    source: str = ""
    truth: str = ""
    copy_of: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def size(self) -> int:
        """Nodes and edges together."""
        return self.graph.n_nodes + self.graph.n_edges


@dataclass
class Result:
    """The answers of a run, and what was not answered.

    ``records`` holds an answer for each entry, with ``error`` if there is none; ``missing`` are networks
    that were not reached.
    """

    entries: list[Entry]
    records: dict[str, dict[str, Any]]
    errors: dict[str, str]
    missing: list[str]
    too_large: list[str]

    @cached_property
    def compared(self) -> list[Entry]:
        """Entries with an answer."""
        return [each for each in self.entries if "error" not in self.records[each.id]]

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """The p-value of every pair of network and model."""
        rows = [
            (entry.id, entry.kind, label, p)
            for entry in self.compared
            for label, p in p_values(self.records[entry.id]).items()
        ]
        return pd.DataFrame(rows, columns=["network", "kind", "model", "p"])

    @cached_property
    def none_p_values(self) -> pd.Series:
        """The p-value of "none fits" of each real network that is counted: the largest one of its models."""
        counted = self.pairs[self.pairs["network"].isin(self._counted)]
        return counted.groupby("network")["p"].max()

    @cached_property
    def threshold(self) -> float:
        """The largest p-value of "none fits" that is a discovery; 0 if there is none."""
        return threshold(self.none_p_values)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """A row for each network that was compared."""
        left = self.pairs[self.pairs["p"] > LEVEL].sort_values("p", ascending=False)
        fitting = left.groupby("network", sort=False)["model"].agg(list).to_dict()
        rows = [self._row(entry, fitting.get(entry.id, [])) for entry in self.compared]
        largest = self.pairs.groupby("network")["p"].max()
        frame = pd.DataFrame(rows)
        frame["largest_p"] = frame["network"].map(largest)
        return frame.assign(none=frame["largest_p"] <= self.threshold)

    def _row(self, entry: Entry, fitting: list[str]) -> dict[str, Any]:
        record = self.records[entry.id]
        families, probabilities = record["families"], record["probabilities"]
        family = max(families, key=families.get)
        model = record["model"]  # the nearest one if none fits
        return {
            "network": entry.id, "kind": entry.kind, "domain": entry.domain, "source": entry.source,
            "truth": entry.truth, "copy_of": entry.copy_of, "nodes": record["nodes"],
            "edges": record["edges"], "verdict": record["verdict"], "family": family,
            "family_probability": families[family],
            "most_probable": max(probabilities, key=probabilities.get), "model": model,
            "probability": probabilities.get(model, 0.0), "p": record["fit_p_values"].get(model),
            "fits": bool(fitting), "fitting": fitting,
            "power": record["power"], "discrepancies": record["discrepancies"],
            "parameters": record["parameters"], "notes": entry.notes, "cpu": record["cpu"],
            "resumed": record["resumed"],
            **record["costs"],
        }  # fmt: skip

    @property
    def real(self) -> pd.DataFrame:
        """The rows of the real networks."""
        return self.frame[self.frame["kind"] == "real"]

    @property
    def counted(self) -> pd.DataFrame:
        """The rows of the real networks, each once."""
        return self.real[self.real["network"].isin(self._counted)]

    @cached_property
    def _counted(self) -> set[str]:
        """One network of each group of copies: the first one, or another one if it has no answer."""
        real = [each for each in self.compared if each.kind == "real"]
        last_first = sorted(real, key=lambda each: not each.copy_of)
        return {*{each.copy_of or each.id: each.id for each in last_first}.values()}


def p_values(record: dict[str, Any]) -> dict[str, float]:
    """Return the p-value of every model: of the test of fit, or of the screening."""
    found = {**record["screening"], **record["fit_p_values"]}
    assert not any(map(np.isnan, found.values())), "a model has no p-value"
    return found


def bound(p: Any) -> Any:
    """Return the largest probability of a p-value of "none fits" that is at most p, if one model is true.

    The p-value can be too small because of the screening, with a probability that is added.
    """
    return np.minimum(p + np.minimum(p, SCREENING), 1.0)


def threshold(p: pd.Series) -> float:
    """Return the largest p-value of "none fits" that is a discovery; 0 if there is none.

    At most 5 % of the discoveries are false, on average. Only p-values of at most 0.01, the level of the
    test of fit, can be discoveries.
    """
    possible = np.where(p <= LEVEL, bound(p), 1.0)
    return float(max(p[adjusted_p_values(possible) <= RATE], default=0.0))
