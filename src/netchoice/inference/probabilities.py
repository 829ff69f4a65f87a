"""How probable is each model, given the features of one network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from netchoice.inference.checked_inputs import (
    checked_coverage,
    checked_labels,
    checked_observed,
    checked_table,
    checked_weights,
)
from netchoice.inference.classifier import COVERAGE, DEFAULT_METHOD, METHODS, Method, reweighted
from netchoice.inference.reliability import HeldOut, held_out
from netchoice.inference.scaling import DEFAULT_SCALING

__all__ = [
    "DEFAULT_METHOD",
    "METHODS",
    "HeldOut",
    "ModelProbabilities",
    "held_out",
    "model_probabilities",
]


@dataclass(frozen=True)
class ModelProbabilities:
    """What :func:`model_probabilities` found.

    Attributes
    ----------
    probabilities : dict
        Of each model; they sum to 1, and none is 0 or 1.
    intervals : dict
        Of each model, between what bounds its probability lies, as far as the number of simulations
        near the network says.
    coverage : float
        Probability of those bounds.
    model : str
        The most probable one; the first of several.
    method, scaling : str
    details : dict
        By method. ``neighbours``: ``n_neighbors`` and the ``votes``. ``forest``: share of the
        ``votes``, ``local_error`` of the votes' pick, and ``rows_near``, of how many simulations
        that is worth. ``regression``: ``n_neighbors``, their weight ``near`` by model, the models
        ``absent`` among them, and whether the regression had the models ``separated`` there, so that
        only its ridge and the one simulation added keep the odds finite.
    """

    probabilities: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    coverage: float
    model: str
    method: str
    scaling: str
    details: dict[str, Any] = field(default_factory=dict)


def model_probabilities(
    X: Any,
    y: Any,
    observed: Mapping[str, float] | Any,
    *,
    method: str = DEFAULT_METHOD,
    weights: Mapping[str, float] | None = None,
    scaling: str = DEFAULT_SCALING,
    n_neighbors: int | None = None,
    n_trees: int = 500,
    coverage: float = COVERAGE,
    seed: int = 0,
    n_jobs: int | None = None,
) -> ModelProbabilities:
    """Probability of every model, given simulations of all and the features of one network.

    Parameters
    ----------
    X : DataFrame (n, q)
        Features of simulated networks.
    y : Series (n,)
        The model that made each.
    observed : mapping or Series
        The same features of the network.
    method : "regression", "forest" or "neighbours"
        Multinomial logistic regression on the nearest simulations, read off at the network
        (Fagundes et al. 2007, doi:10.1073/pnas.0708280104); random-forest ABC (Pudlo et al. 2016,
        doi:10.1093/bioinformatics/btv684); or votes of the nearest simulations with half a vote
        for each model beforehand, which is the paper's way made honest.
    weights : mapping, optional
        Prior weight of each model. By default the models' shares of the table are the prior.
    scaling : "rank", "robust" or "standard"
        How distances are measured: :class:`~netchoice.inference.scaling.Scaling`.
    n_neighbors : int, optional
        Simulations that count as near; √n/2 (at least 10) for ``neighbours``, 8√n for
        ``regression``. The paper's is 10. Of no effect on ``forest``.
    n_trees : int
        Of each of the two forests.
    coverage : float
        Of the bounds in ``intervals``.
    seed : int
        The forests' only.
    n_jobs : int, optional
        Threads; the result does not depend on it.

    Returns
    -------
    ModelProbabilities

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> y = np.repeat(["low", "high"], 1000)
    >>> X = pd.DataFrame({"height": rng.normal(np.where(y == "low", -1, 1))})
    >>> answer = model_probabilities(X, y, {"height": 0.5})
    >>> low, high = answer.intervals["high"]
    >>> answer.model, low < 0.73 < high  # in truth 1 / (1 + exp(−1)) = 0.73
    ('high', True)
    """
    names, numbers = checked_table(X)
    models, codes = checked_labels(y, len(numbers))
    asked = checked_observed(observed, names)
    factors = checked_weights(weights, models, codes)
    coverage = checked_coverage(coverage)
    how = Method(method, scaling, n_neighbors, n_trees, seed, n_jobs)
    told = reweighted(how.tell(numbers, codes, len(models), asked, coverage), factors)
    chances = told.probabilities[0]
    return ModelProbabilities(
        dict(zip(models, chances.tolist(), strict=True)),
        dict(
            zip(models, zip(told.low[0].tolist(), told.high[0].tolist(), strict=True), strict=True)
        ),
        coverage,
        models[int(chances.argmax())],
        method,
        scaling,
        how.details(told, models, len(numbers)),
    )
