"""Approaches to networks of other sizes: which simulations they are compared with, and how.

``benchmarks/sizes.py`` describes and compares them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from fit import MAX_PRIOR

import netchoice
from netchoice import Model, ModelSpace
from netchoice.inference import RegressionClassifier, fit_p_values
from netchoice.inference.posterior import PosteriorEstimator, posterior_of

SECOND_SIZE = 1.2  # the second size of the power laws, as a multiple of the first
LOG_N = "log_n_nodes"
SIZE_FREE = [
    "degree_mean", "degree_median", "degree_q25", "degree_q75", "degree_entropy", "transitivity",
    "clustering_mean", "square_clustering_mean", "square_clustering_median", "square_clustering_std",
    "lcc_local_efficiency",
]  # fmt: skip


@dataclass
class Simulations:
    """Features, models and parameters of simulations, of one size or of several."""

    X: pd.DataFrame
    y: pd.Series
    parameters: pd.DataFrame

    @classmethod
    def joined(cls, tables: list[netchoice.ReferenceTable], log_n: bool = False) -> Simulations:
        """Join tables, with the logarithm of the number of nodes as a feature if wanted."""
        X = [
            table.X.assign(**{LOG_N: np.log(table.manifest["n_nodes"])}) if log_n else table.X
            for table in tables
        ]
        joined = (X, [table.y for table in tables], [table.parameters for table in tables])
        return cls(*(pd.concat(part, ignore_index=True) for part in joined))

    def rows(self, rows: np.ndarray) -> Simulations:
        """Return the simulations with these row numbers."""
        parts = (self.X, self.y, self.parameters)
        return Simulations(*(part.iloc[rows].reset_index(drop=True) for part in parts))

    def of(self, model: str) -> Simulations:
        """Return the simulations of one model."""
        return self.rows(np.flatnonzero(self.y == model))

    def posterior_estimator(self, model: Model) -> PosteriorEstimator:
        """Return the fitted estimator of the parameters of a model."""
        own, names = self.of(model.name), list(model.parameters)
        priors = {name: spec.prior for name, spec in model.parameters.items()}
        bounds = {name: (float(prior.low), float(prior.high)) for name, prior in priors.items()}
        return PosteriorEstimator.fit(own.X, own.parameters[names], bounds=bounds)


@dataclass
class Networks:
    """Features of test networks, with the models and parameters that made them."""

    X: pd.DataFrame
    labels: np.ndarray
    parameters: list[dict[str, float]]


def exponents(small: Simulations, large: Simulations) -> pd.Series:
    """Return the slope of the logarithm of each median against the logarithm of the size."""
    medians = small.X.median(), large.X.median()
    positive = (medians[0] > 0) & (medians[1] > 0)
    ratio = (medians[1] / medians[0]).where(positive, 1.0)
    return np.log(ratio) / np.log(SECOND_SIZE)


@dataclass
class Approach:
    """Simulations that serve for networks of other sizes, and what is done to their features."""

    name: str
    space: ModelSpace
    simulations: Simulations
    n: int
    five: list[str]
    second: Simulations | None = None  # simulations of the second size, for the power laws

    @cached_property
    def estimators(self) -> dict[str, PosteriorEstimator]:
        """The estimators of the parameters, by model."""
        return {model.name: self.simulations.posterior_estimator(model) for model in self.space}

    @cached_property
    def powers(self) -> dict[str, pd.Series]:
        """The exponents of the features, by model, and of all models together (key "")."""
        if self.second is None:
            return {}
        found = {"": exponents(self.simulations, self.second)}
        for model in self.space.labels:
            found[model] = exponents(self.simulations.of(model), self.second.of(model))
        return found

    def queries(self, X: pd.DataFrame, size: int, model: str = "") -> pd.DataFrame:
        """Return the features of networks of another size, as they are compared."""
        if self.second is not None:
            X = X * (self.n / size) ** self.powers[model]
        return X.assign(**{LOG_N: np.log(size)}) if LOG_N in self.simulations.X else X

    def probabilities(
        self, names: list[str], networks: Networks, size: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return whether each model is predicted, and its log score."""
        names = [*names, LOG_N] if LOG_N in self.simulations.X else names
        classifier = RegressionClassifier(n_jobs=1)
        classifier.fit(self.simulations.X[names], self.simulations.y)
        found = classifier.predict_proba(self.queries(networks.X, size)[names])
        true = np.searchsorted(classifier.classes_, networks.labels)
        return found.argmax(axis=1) == true, -np.log(found[np.arange(len(true)), true])

    def scores(self, networks: Networks, size: int, with_fit: bool) -> pd.DataFrame:
        """Return the scores of each network."""
        frame = pd.DataFrame({"model": networks.labels})
        frame["correct"], frame["log score"] = self.probabilities(self.five, networks, size)
        free = self.probabilities(SIZE_FREE, networks, size)
        frame["correct, size-free"], frame["log score, size-free"] = free
        for label in self.space.labels:
            rows = frame.index[frame["model"] == label]
            X = self.queries(networks.X.loc[rows], size, label)
            if with_fit:
                sample = self.simulations.of(label).X.to_numpy(dtype=float)[:MAX_PRIOR]
                frame.loc[rows, "p"] = fit_p_values(sample, X[self.simulations.X.columns], n_jobs=1)
            for row in rows:
                found = posterior_of(self.estimators[label], dict(X.loc[row]))
                for j, (name, (low, high)) in enumerate(found.intervals.items()):
                    true = networks.parameters[row][name]
                    frame.loc[row, f"error {j}"] = found.draws[name].mean() - true
                    frame.loc[row, f"covered {j}"] = float(low <= true <= high)
        return frame if with_fit else frame.assign(p=np.nan)
