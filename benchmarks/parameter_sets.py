"""Cheap sets of features for the parameters, which parameters.py compares."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from parameter_methods import Task
from scipy import stats
from scipy.spatial.distance import cdist

import netchoice
from netchoice.inference.scaling import Scaling

NAMES = netchoice.feature_names(noise=False)
N_TRAIN = 1500  # simulations of each model
MAX_COST_SHARE, MAX_FEATURES = 0.06, 12  # of a cheap set


@dataclass
class Scored:
    """Rank scores and parameters of the models of a space, to compare sets of features."""

    scores: list[pd.DataFrame]
    targets: list[np.ndarray]
    costs: netchoice.CostModel

    @classmethod
    def of(cls, tasks: Iterable[Task], costs: netchoice.CostModel, n: int = N_TRAIN) -> Scored:
        """Return the scores of the first n simulations of every model."""
        tasks = list(tasks)
        frames = [
            pd.DataFrame(
                Scaling.fit(t.X[:n], "rank").transform(t.X[:n]), columns=t.X.columns
            ).reindex(columns=NAMES, fill_value=0.0)  # constant for this model
            for t in tasks
        ]
        return cls(frames, [stats.zscore(t.parameters[:n].to_numpy()) for t in tasks], costs)

    def error(self, features: list[str], criterion: str) -> float:
        """Return the root mean square error in prior deviations: the geometric mean of all."""
        errors = []
        for frame, targets in zip(self.scores, self.targets, strict=True):
            residuals = CRITERIA[criterion](frame[features].to_numpy(), targets)
            errors += list((residuals**2).mean(axis=0))
        return float(np.exp(np.mean(np.log(errors)) / 2))

    def share(self, features: list[str]) -> float:
        """Return the cost of a set relative to all features, with shared steps paid once."""
        return self.costs.cost_of_set(features, "shared") / self.costs.cost_of_set(NAMES, "shared")


def left_out(design: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Return the leave-one-out residuals of a linear regression."""
    design = np.column_stack([np.ones(len(design)), design])
    inverse = np.linalg.inv(design.T @ design + 1e-3 * np.eye(design.shape[1]))
    leverage = np.einsum("ij,jk,ik->i", design, inverse, design)
    return (targets - design @ (inverse @ (design.T @ targets))) / (1 - leverage)[:, None]


def neighbours_left_out(scores: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Return the leave-one-out residuals of the mean of the 10 nearest rows."""
    distance = cdist(scores, scores)
    np.fill_diagonal(distance, np.inf)
    nearest = np.argpartition(distance, 10, axis=1)[:, :10]
    return targets - targets[nearest].mean(axis=1)


def with_products(scores: np.ndarray) -> np.ndarray:
    """Return the columns and all products of two columns."""
    first, second = np.triu_indices(scores.shape[1])
    return np.column_stack([scores, scores[:, first] * scores[:, second]])


CRITERIA: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "linear": left_out,
    "squares": lambda scores, targets: left_out(np.column_stack([scores, scores**2]), targets),
    "products": lambda scores, targets: left_out(with_products(scores), targets),
    "10 neighbours": neighbours_left_out,
}


def cheap_set(scored: Scored, criterion: str, limit: float = MAX_COST_SHARE) -> list[str]:
    """Return the better of two greedy sets: by the fall of the error, and by its fall per cost."""
    found = [grown_set(scored, criterion, limit, per_cost) for per_cost in (False, True)]
    return min(found, key=lambda features: scored.error(features, criterion))


def grown_set(scored: Scored, criterion: str, limit: float, per_cost: bool) -> list[str]:
    """Add features while one lowers the error by 0.5 % and the set stays within the limit."""
    chosen: list[str] = []
    error, share = 1.0, 0.0
    while len(chosen) < MAX_FEATURES:
        options = []
        for name in set(NAMES) - set(chosen):
            cost = scored.share([*chosen, name])
            if cost <= limit:
                gain = np.log(error / scored.error([*chosen, name], criterion))
                options.append((gain / (max(cost - share, 1e-6) if per_cost else 1), gain, name))
        options = [option for option in options if option[1] > 0.005]
        if not options:
            break
        chosen.append(max(options)[2])
        error, share = scored.error(chosen, criterion), scored.share(chosen)
    return chosen


def random_set(scored: Scored, rng: np.random.Generator) -> list[str]:
    """Return 3 to 10 features in random order, as many as the cost allows."""
    chosen: list[str] = []
    size = rng.integers(3, 11)
    for name in map(str, rng.permutation(NAMES)):
        if len(chosen) < size and scored.share([*chosen, name]) <= MAX_COST_SHARE:
            chosen.append(name)
    return chosen
