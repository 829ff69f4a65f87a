"""Methods for the posterior of the parameters, which parameters.py compares."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import cross_val_predict
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from netchoice.inference.posterior import PosteriorEstimator, posterior_of
from netchoice.inference.scaling import Scaling, distances, epanechnikov


@dataclass
class Task:
    """One model: its simulations, the test networks, and the bounds of its parameters."""

    X: pd.DataFrame
    parameters: pd.DataFrame
    queries: pd.DataFrame
    truth: pd.DataFrame
    bounds: dict[str, tuple[float, float]]

    def only(self, features: list[str]) -> Task:
        """Return the task with these features only."""
        features = [name for name in features if name in self.X]
        return Task(
            self.X[features], self.parameters, self.queries[features], self.truth, self.bounds
        )


@dataclass
class Answer:
    """Posterior of one network: values (m, p), their weights (m, p), and 95 % intervals (p, 2)."""

    values: np.ndarray
    weights: np.ndarray
    intervals: np.ndarray | None = None


Method = Callable[[Task], Iterable[Answer]]


def adjustment(task: Task) -> Iterable[Answer]:
    """Yield the nearest simulations, adjusted by a local linear regression."""
    scaling = Scaling.fit(task.X, "rank")
    X, queries = scaling.transform(task.X), scaling.transform(task.queries)
    k = round(4 * np.sqrt(len(X)))
    _, distance = next(distances(X, queries))
    for query, rows, weights in zip(queries, *epanechnikov(distance, k), strict=True):
        drawn, root = task.parameters.to_numpy()[rows], np.sqrt(weights)[:, None]
        steps = np.column_stack([np.ones(k), X[rows] - query])
        slopes = np.linalg.lstsq(root * steps, root * drawn, rcond=1e-6)[0]
        adjusted = drawn - steps[:, 1:] @ slopes[1:]
        yield Answer(adjusted, np.tile(weights[:, None], drawn.shape[1]))


def ours(task: Task) -> Iterable[Answer]:
    """Yield the posterior of netchoice."""
    known = PosteriorEstimator.fit(task.X, task.parameters, bounds=task.bounds)
    for _, query in task.queries.iterrows():
        found = posterior_of(known, query)
        ends = np.array([found.intervals[name] for name in task.parameters])
        yield Answer(found.draws.to_numpy(), np.ones(found.draws.shape), ends)


def of_summaries(learn: Callable) -> Method:
    """Return the method that passes learnt summaries to the posterior as its only features."""

    def answers(task: Task) -> Iterable[Answer]:
        scaling = Scaling.fit(task.X, "rank")
        targets = stats.zscore(task.parameters.to_numpy())
        found = learn(scaling.transform(task.X), targets, scaling.transform(task.queries))
        own, new = (pd.DataFrame(summaries, columns=list(task.parameters)) for summaries in found)
        return ours(Task(own, task.parameters, new, task.truth, task.bounds))

    return answers


def learn_forest(X: np.ndarray, targets: np.ndarray, queries: np.ndarray):
    """Return out-of-bag predictions for the training rows, and predictions for the queries."""
    forests = [
        RandomForestRegressor(
            300, max_features=1 / 3, min_samples_leaf=3, oob_score=True, random_state=0
        ).fit(X, target)
        for target in targets.T
    ]
    own = np.column_stack([forest.oob_prediction_ for forest in forests])
    return own, np.column_stack([forest.predict(queries) for forest in forests])


def learn_net(X: np.ndarray, targets: np.ndarray, queries: np.ndarray):
    """Return predictions by 5 folds for the training rows, and predictions for the queries."""
    net = MLPRegressor(
        hidden_layer_sizes=(64,), alpha=0.1, early_stopping=True, max_iter=300, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a single parameter is a column, and not a vector
        own = cross_val_predict(net, X, targets, cv=5).reshape(targets.shape)
        return own, net.fit(X, targets).predict(queries).reshape(len(queries), -1)


def learn_products(X: np.ndarray, targets: np.ndarray, queries: np.ndarray):
    """Return predictions by ridge regression on the scores and all their products, by 5 folds."""
    ridge = make_pipeline(PolynomialFeatures(2), StandardScaler(), RidgeCV(np.logspace(-1, 5, 13)))
    own = cross_val_predict(ridge, X.clip(-4, 4), targets, cv=5).reshape(targets.shape)
    return own, ridge.fit(X.clip(-4, 4), targets).predict(queries.clip(-4, 4)).reshape(
        len(queries), -1
    )


def peer(task: Task) -> Iterable[Answer]:
    """Return the weighted training parameters of pyabcranger's regression forest."""
    import pyabcranger

    # pyabcranger does not copy the arrays: they must live as long as its table.
    X, drawn, queries = (
        np.array(frame, dtype=float, order="F") for frame in (task.X, task.parameters, task.queries)
    )
    names, n = list(task.parameters), len(X)
    table = pyabcranger.reftable(
        n, [n], [len(names)], names, list(task.X.columns), X, drawn, [1.0] * n
    )
    values, weights = [], []
    for name in names:
        options = f"--parameter {name} --chosenscen 1 --ntree 500 --noob 50 --threads 1 --seed 1"
        found = pyabcranger.estimparam_multi(table, queries, options, True, False).values_weights
        values.append([value for value, _ in found])
        weights.append([weight for _, weight in found])
    return [
        Answer(np.array(values).T, np.array(weights)[:, :, i].T) for i in range(len(task.queries))
    ]
