"""The probability of each model, given the features of one observation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from scipy.special import expit, logit, ndtri

from netchoice.inference.classifiers import (
    DEFAULT_COVERAGE,
    Classifier,
    ForestClassifier,
    NeighboursClassifier,
    RegressionClassifier,
)
from netchoice.inference.ensemble import EnsembleClassifier
from netchoice.inference.scaling import DEFAULT_SCALING, Floats
from netchoice.inference.table_checks import check_observed, check_simulations, prior_factors
from netchoice.validation import check_choice

METHODS: dict[str, type[Classifier]] = {
    "neighbours": NeighboursClassifier,
    "forest": ForestClassifier,
    "regression": RegressionClassifier,
    "ensemble": EnsembleClassifier,
}
DEFAULT_METHOD = "regression"


@dataclass(frozen=True)
class ModelProbabilities:
    """Probabilities of the models; the result of :func:`model_probabilities`.

    Attributes
    ----------
    probabilities : dict, by model; they sum to 1, and none is exactly 0 or 1
    intervals : dict
        The interval (lower, upper) of each probability. It covers the uncertainty due to the finite
        number of simulations near the observation.
    coverage : float, coverage of the intervals
    model : str, the most probable model; the first one if several tie
    method, scaling : str, the settings used
    details : dict
        Further results, by method. ``neighbours``: ``n_neighbors`` and the ``votes``. ``forest``:
        ``n_trees``, the shares of the ``votes``, the ``local_error`` rate of the prediction, and
        ``rows_near``, the effective number of simulations behind it. ``regression``:
        ``n_neighbors``, the weight of each model among them (``near``), the models ``absent`` among
        them, and whether they are ``separated``, so that only the ridge and the pseudo-simulation
        keep the odds finite. ``ensemble``: the ``weights`` of the members, their
        ``temperatures``, the ``temperature`` of the mean, the number ``n_held_out`` of rows that
        these were fitted to, and the probabilities of each member.
    """

    probabilities: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    coverage: float
    model: str
    method: str
    scaling: str
    details: dict[str, Any] = field(default_factory=dict)


def make_classifier(method: str, **settings: Any) -> Classifier:
    """Return an unfitted classifier of the named method."""
    return METHODS[check_choice("method", method, METHODS)](**settings)


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
    coverage: float = DEFAULT_COVERAGE,
    seed: int = 0,
    n_jobs: int | None = None,
) -> ModelProbabilities:
    """Return the :class:`ModelProbabilities`, given simulations of all models and one observation.

    Parameters
    ----------
    X : DataFrame (n, q), features of the simulations
    y : Series (n,), the model of each simulation
    observed : mapping or Series, the same features of the observation
    method : "regression", "forest", "neighbours" or "ensemble"
        Multinomial logistic regression on the nearest simulations, evaluated at the observation
        (:class:`RegressionClassifier`); random-forest ABC (:class:`ForestClassifier`); votes of
        the nearest simulations, plus half a vote for each model (:class:`NeighboursClassifier`); or
        a weighted mean of these and of boosted trees (:class:`EnsembleClassifier`).
    weights : mapping, optional
        Prior weight of each model. By default the prior is the models' shares of the table.
    scaling : "rank", "robust" or "standard"; see :class:`~netchoice.inference.scaling.Scaling`
    n_neighbors : int, optional
        Number of nearest simulations. The default is √n/2 (at least 10) for ``neighbours`` and 8√n
        for ``regression``; the paper uses 10. No effect on ``forest`` and ``ensemble``.
    n_trees : int, number of trees of each of the two forests, also of those in the ensemble
    coverage : float, coverage of the intervals
    seed : int, seed of the forests
    n_jobs : int, optional, number of threads; the result does not depend on it

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> y = np.repeat(["low", "high"], 1000)
    >>> X = pd.DataFrame({"height": rng.normal(np.where(y == "low", -1, 1))})
    >>> result = model_probabilities(X, y, {"height": 0.5})
    >>> lower, upper = result.intervals["high"]
    >>> result.model, lower < 0.73 < upper  # the true probability is 1 / (1 + exp(−1)) = 0.73
    ('high', True)
    """
    return ProbabilityEstimator.fit(
        X, y, method=method, weights=weights, scaling=scaling, n_neighbors=n_neighbors,
        n_trees=n_trees, seed=seed, n_jobs=n_jobs,
    ).estimate(observed, coverage)  # fmt: skip


@dataclass(frozen=True)
class ProbabilityEstimator:
    """A classifier fitted to simulations of all models, for any number of observations.

    >>> estimator = ProbabilityEstimator.fit([[0.0], [1.0]] * 20, ["low", "high"] * 20)
    >>> estimator.estimate({"0": 0.9}).model
    'high'
    """

    names: list[str]
    models: list[str]
    classifier: Classifier
    factors: Floats

    @classmethod
    def fit(
        cls,
        X: Any,
        y: Any,
        *,
        method: str = DEFAULT_METHOD,
        weights: Mapping[str, float] | None = None,
        **settings: Any,
    ) -> Self:
        """Check the simulations and fit; :func:`model_probabilities` explains the arguments."""
        names, values, models, codes = check_simulations(X, y)
        factors = prior_factors(weights, models, codes)
        classifier = make_classifier(method, **settings).fit(values, np.array(models)[codes])
        return cls(names, models, classifier, factors)

    def estimate(
        self, observed: Mapping[str, float] | Any, coverage: float = DEFAULT_COVERAGE
    ) -> ModelProbabilities:
        """Return the probabilities of the models, given one observation."""
        query = check_observed(observed, self.names)
        found = self.classifier.predict(query[None], coverage).reweighted(self.factors)
        probabilities = found.probabilities[0]
        bounds = zip(found.lower[0].tolist(), found.upper[0].tolist(), strict=True)
        return ModelProbabilities(
            dict(zip(self.models, probabilities.tolist(), strict=True)),
            dict(zip(self.models, bounds, strict=True)),
            float(coverage),
            self.models[int(probabilities.argmax())],
            next(name for name, kind in METHODS.items() if kind is type(self.classifier)),
            self.classifier.scaling,
            self.classifier.describe(found),
        )


_SMALLEST = 1e-12  # the log-odds of smaller probabilities are not distinguished


def pool_feature_sets(
    selected: ModelProbabilities, others: Sequence[ModelProbabilities]
) -> ModelProbabilities:
    """Combine the probabilities of the selected set of features with those of sets as good as it.

    Inside the simulated range the sets agree, and the most precise estimate has the most weight. Outside
    the simulated range the sets disagree, and the answer of a single set is arbitrary. Let τ² be the
    variance of the log-odds between all sets. The selected set is one of them: its variance is s² + τ²,
    where s² is its sampling variance. The mean of the m other sets has the variance s̄² + τ²/m; their
    sampling variance s̄² does not decrease with m, because these sets share their simulations. The pooled
    log-odds weight both by their precision. The pooled interval has the variance τ² plus the weighted
    sampling variance.

    Parameters
    ----------
    selected : ModelProbabilities, of the selected set of features
    others : sequence of ModelProbabilities, of other sets; with fewer than two nothing changes

    Examples
    --------
    >>> def estimate(p, low, high):
    ...     return ModelProbabilities({"a": p, "b": 1 - p}, {"a": (low, high), "b": (1 - high, 1 - low)},
    ...                               0.95, "a", "regression", "rank")
    >>> agreed = pool_feature_sets(estimate(0.9, 0.8, 0.95), [estimate(0.9, 0.7, 0.97)] * 5)
    >>> round(agreed.probabilities["a"], 2)
    0.9
    >>> others = [estimate(p, p / 2, (1 + p) / 2) for p in (0.1, 0.5, 0.9)]
    >>> low, high = pool_feature_sets(estimate(0.9, 0.8, 0.95), others).intervals["a"]
    >>> low < 0.1 < 0.9 < high
    True
    """
    if len(others) < 2:
        return selected
    models, z = list(selected.probabilities), float(ndtri((1 + selected.coverage) / 2))
    centres, errors = (
        np.array(part)
        for part in zip(*(_log_odds(each, models, z) for each in (selected, *others)), strict=True)
    )
    between, sampling = centres.var(axis=0, ddof=1), errors[0] ** 2
    sampling_of_others = np.mean(errors[1:] ** 2, axis=0)
    precision = 1 / (sampling + between)
    precision_of_others = 1 / (sampling_of_others + between / len(others))
    share = precision / (precision + precision_of_others)
    variance = between + share * sampling + (1 - share) * sampling_of_others
    pooled = expit(share * centres[0] + (1 - share) * centres[1:].mean(axis=0))
    pooled /= pooled.sum()
    half_width = z * np.sqrt(variance)
    middle = logit(pooled.clip(_SMALLEST, 1 - _SMALLEST))
    bounds = zip(
        expit(middle - half_width).tolist(), expit(middle + half_width).tolist(), strict=True
    )
    return replace(
        selected,
        probabilities=dict(zip(models, pooled.tolist(), strict=True)),
        intervals=dict(zip(models, bounds, strict=True)),
        model=models[int(pooled.argmax())],
        details=selected.details | {"n_sets": 1 + len(others)},
    )


def _log_odds(
    estimate: ModelProbabilities, models: Sequence[str], z: float
) -> tuple[Floats, Floats]:
    """Return the log-odds of each model, and their standard errors from the intervals."""
    p = np.array([estimate.probabilities[model] for model in models])
    ends = np.array([estimate.intervals[model] for model in models])
    low, high = logit(ends.clip(_SMALLEST, 1 - _SMALLEST)).T
    return logit(p.clip(_SMALLEST, 1 - _SMALLEST)), np.maximum((high - low) / (2 * z), 1e-6)
