"""Acquire features of one network, one by one, until the model is clear."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from netchoice.errors import UsageError
from netchoice.features.computation import NetworkFeatures
from netchoice.features.registry import FEATURES
from netchoice.notebook import summary_html
from netchoice.selection import AcquiringClassifier, Acquisition
from netchoice.storage.table import ReferenceTable
from netchoice.targets import Classes
from netchoice.units import duration
from netchoice.workflows.cost_source import Costs, find_costs
from netchoice.workflows.prepared import comparable_network
from netchoice.workflows.sizes import Size
from netchoice.workflows.tables import Table, load_table, varying_features


@dataclass(frozen=True)
class NetworkAcquisition:
    """The features that were computed of one network, in order; returned by :func:`acquire_features`.

    Attributes
    ----------
    acquisition : Acquisition
        Each feature with its value, its expected information and cost, and the probabilities after it.
    measured : tuple of float
        The CPU seconds that each feature took on this network, with the shared steps that were not yet
        computed.
    failures : dict
        Why features or shared steps failed, by name.
    in_seconds : bool
        Whether the costs are times.

    Examples
    --------
    >>> import netchoice, numpy as np
    >>> table = netchoice.simulate_table("ba", n_nodes=40, n_samples=300, seed=1, engine="serial",
    ...     features=["degree_mean", "transitivity", "degree_max"])
    >>> network = netchoice.get_model("ba1").grow(40, rng=np.random.default_rng(5))
    >>> found = netchoice.acquire_features(network, table)
    >>> found.acquisition.predicted, found.in_seconds, found.failures
    ('ba1', True, {})
    """

    acquisition: Acquisition
    measured: tuple[float, ...]
    failures: dict[str, str] = field(default_factory=dict)
    in_seconds: bool = True

    @property
    def model(self) -> str:
        """The most probable model."""
        return str(self.acquisition.predicted)

    @property
    def probabilities(self) -> dict[str, float]:
        """The probability of each model after the last feature."""
        return self.acquisition.probabilities

    def as_dict(self) -> dict[str, Any]:
        """Return the prediction and all steps for JSON."""
        record = self.acquisition.as_dict()
        for step, seconds in zip(record["steps"], self.measured, strict=True):
            step["measured_seconds"] = seconds
        return {**record, "measured_seconds": sum(self.measured), "failures": self.failures}

    def rows(self) -> list[tuple[str, ...]]:
        """Return one row of text for each step: feature, value, costs and most probable models."""
        as_cost = duration if self.in_seconds else "{:.4g}".format
        return [
            (
                step.name, f"{step.value:.6g}", f"{step.information:.3f}", as_cost(step.cost),
                duration(seconds), _most_probable(step.probabilities),
            )
            for step, seconds in zip(self.acquisition.steps, self.measured, strict=True)
        ]  # fmt: skip

    def __repr__(self) -> str:
        computed = ", ".join(self.acquisition.columns) or "none"
        share = self.probabilities[self.model]
        return f"<NetworkAcquisition: {self.model} {share:.1%}, features: {computed}>"

    def _repr_html_(self) -> str:
        return summary_html(repr(self).strip("<>"), HEAD, self.rows())


#: The names of the columns of :meth:`NetworkAcquisition.rows`.
HEAD = ("feature", "value", "information", "cost", "measured", "probabilities")


def acquire_features(
    graph: Any,
    table: Table,
    *,
    budget: float | str | None = None,
    confidence: float = 0.95,
    costs: Costs | None = None,
    charge: str = "shared",
) -> NetworkAcquisition:
    """Compute features of one network, one by one, until they show which model made it.

    Each step computes the feature with the most expected information on the model per cost, given the
    values so far. Shared steps are computed once. :class:`~netchoice.selection.AcquiringClassifier`
    describes the method, and when it stops.

    Parameters
    ----------
    graph : Graph, or anything that :meth:`Graph.of` accepts
    table : ReferenceTable or path
        Simulated networks with as many nodes as the network.
    budget : float or str, optional
        Largest expected cost of all features: a cost, a time such as "5ms", or a share of the cost of all
        features such as "2%".
    confidence : float
        Probability with which the most probable model must remain the same if all features were computed.
    costs : optional
        As in :func:`~netchoice.workflows.find_costs`; by default those measured for the table.
    charge : "shared" or "alone"
        Whether the cost of a feature includes shared steps that were computed before.

    Returns
    -------
    NetworkAcquisition

    Examples
    --------
    >>> import netchoice, numpy as np
    >>> table = netchoice.simulate_table("ba", n_nodes=40, n_samples=300, seed=1, engine="serial",
    ...     features=["degree_mean", "transitivity", "degree_max"])
    >>> network = netchoice.get_model("ba1").grow(40, rng=np.random.default_rng(5))
    >>> found = netchoice.acquire_features(network, table)
    >>> len(found.measured) == len(found.acquisition.steps) <= 3
    True
    """
    loaded = varying_features(_deterministic(load_table(table)))
    if not isinstance(loaded.target, Classes):
        raise UsageError("the table predicts numbers; expected a table with a model for each row")
    network = _comparable(graph, loaded)
    source = find_costs(loaded, costs)
    model = source.for_features(loaded.features)
    classifier = AcquiringClassifier(
        costs=model,
        budget=budget,
        confidence=confidence,
        charge=charge,
    )
    computed, measured = NetworkFeatures(network), []

    def value_of(name: str) -> float:
        value, seconds = computed.compute(name)
        measured.append(seconds)
        return value

    found = classifier.fit(loaded.X, loaded.y.to_numpy()).acquire(value_of)
    return NetworkAcquisition(found, tuple(measured), computed.failures, source.in_seconds)


def _deterministic(table: ReferenceTable) -> ReferenceTable:
    """Return the table with the features that can be computed by name and depend on the network alone."""
    names = [n for n in table.features if n in FEATURES and FEATURES[n].is_comparable]
    if not names:
        raise UsageError(
            f"the table has the features {', '.join(table.features[:5])}, …; expected features that "
            "netchoice can compute (netchoice features lists them)"
        )
    return table.with_features(names)


def _comparable(graph: Any, table: ReferenceTable) -> Any:
    """Return the network, treated as those of the table; refuse one of another size."""
    n_nodes, isolated = table.manifest["n_nodes"], table.manifest["isolated"]
    if n_nodes is None:
        raise UsageError(
            "the table was not simulated by netchoice; expected a folder made by netchoice simulate"
        )
    network, isolated = comparable_network(graph, isolated)
    simulated = Size(n_nodes if isinstance(n_nodes, int) else tuple(n_nodes), isolated)
    if not simulated.covers(Size(network.n_nodes, isolated)):
        ends = " to ".join(map(str, dict.fromkeys(simulated.ends)))
        raise UsageError(
            f"the network has {network.n_nodes} nodes, and those of the table have {ends}; simulate a table "
            f"with {network.n_nodes} nodes"
        )
    return network


def _most_probable(probabilities: dict[Any, float], n: int = 3) -> str:
    """Return the names and probabilities of the most probable models."""
    ordered = sorted(probabilities.items(), key=lambda item: -item[1])[:n]
    return ", ".join(f"{name} {share:.1%}" for name, share in ordered)
