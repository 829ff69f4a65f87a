"""Methods for the posterior of the parameters, which parameters.py compares."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats
from scipy.spatial.distance import cdist
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import cross_val_predict
from sklearn.neural_network import MLPRegressor

from netchoice.inference import posterior
from netchoice.inference.neighbour_weights import distances, epanechnikov
from netchoice.inference.posterior import N_DRAWS, _interval
from netchoice.inference.scaling import Scaling
from netchoice.inference.summary_likelihood import PriorScale, SummaryLikelihood, draw_posterior

MAX_CENTRES = 2000  # rows of a kernel regression


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


def ours(task: Task, **settings: int) -> Iterable[Answer]:
    """Yield the posterior of netchoice."""
    for _, query in task.queries.iterrows():
        found = posterior(task.X, task.parameters, query, bounds=task.bounds, **settings)
        ends = np.array([found.intervals[name] for name in task.parameters])
        yield Answer(found.draws.to_numpy(), np.ones(found.draws.shape), ends)


def half_accepted(task: Task) -> Iterable[Answer]:
    """Yield the posterior of netchoice from the nearest half of the simulations."""
    return ours(task, n_accept=len(task.X) // 2)


def of_summaries(learn: Callable) -> Method:
    """Return the method that passes learnt summaries to the posterior as its only features."""

    def answers(task: Task) -> Iterable[Answer]:
        scaling = Scaling.fit(task.X, "rank")
        targets = stats.zscore(task.parameters.to_numpy())
        found = learn(scaling.transform(task.X), targets, scaling.transform(task.queries))
        own, new = (pd.DataFrame(summaries, columns=list(task.parameters)) for summaries in found)
        return ours(Task(own, task.parameters, new, task.truth, task.bounds))

    return answers


def kernel_likelihood(task: Task) -> Iterable[Answer]:
    """Yield the posterior whose likelihood is that of the summaries of a kernel regression."""
    scaling, limits = Scaling.fit(task.X, "rank"), list(task.bounds.values())
    drawn = task.parameters.to_numpy()
    prior = PriorScale.fit(drawn, limits)
    units = prior.to_unit(drawn)
    own, new = learn_kernel(scaling.transform(task.X), units, scaling.transform(task.queries))
    unit = np.std(own - units, axis=0)
    for observed in new:
        nearest = np.argsort(np.linalg.norm((own - observed) / unit, axis=1))
        near = nearest[: round(4 * np.sqrt(len(own)))]
        error = np.sqrt(np.mean((own - units)[near] ** 2, axis=0))
        likelihood = SummaryLikelihood.of_summaries(observed, own, units, error)
        found = draw_posterior(N_DRAWS, units, likelihood, prior, np.random.default_rng(0))
        draws = prior.from_unit(found)
        ends = [
            _interval(column, 0.95, limit) for column, limit in zip(draws.T, limits, strict=True)
        ]
        yield Answer(draws, np.ones(draws.shape), np.array(ends))


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
    """Return predictions by ridge regression on the scores and all their products."""
    return kernel_ridge(lambda a, b: (1 + a @ b.T / a.shape[1]) ** 2, X, targets, queries)


def learn_kernel(X: np.ndarray, targets: np.ndarray, queries: np.ndarray):
    """Return predictions by ridge regression with a Gaussian kernel and a linear one."""

    def kernel(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        q = a.shape[1]
        # Far from all rows only the linear part remains; without it, predictions would be the mean.
        return np.exp(-0.3 / q * cdist(a, b, "sqeuclidean")) + a @ b.T / q

    return kernel_ridge(kernel, X, targets, queries)


def kernel_ridge(kernel: Callable, X: np.ndarray, targets: np.ndarray, queries: np.ndarray):
    """Return leave-one-out predictions for the training rows, and predictions for the queries.

    The regression uses at most 2000 rows. Its penalty minimises the leave-one-out error.
    """
    X, queries = X.clip(-4, 4), queries.clip(-4, 4)
    centres, mean = X[:MAX_CENTRES], targets.mean(axis=0)
    values, vectors = np.linalg.eigh(kernel(centres, centres))
    projected = vectors.T @ (targets[:MAX_CENTRES] - mean)
    own, new = kernel(X, centres), kernel(queries, centres)
    predicted_own, predicted_new = np.empty(targets.shape), np.empty((len(queries), len(mean)))
    for j, column in enumerate(projected.T):
        fits = []
        for penalty in 10.0 ** np.arange(-4, 2.5, 0.5):
            shrunk = 1 / (values.clip(0) + penalty)
            weights = vectors @ (shrunk * column)
            residuals = weights / (vectors**2 @ shrunk)
            fits.append((residuals @ residuals, weights, residuals))
        _, weights, residuals = min(fits, key=lambda fit: fit[0])
        predicted_own[:, j], predicted_new[:, j] = own @ weights, new @ weights
        predicted_own[:MAX_CENTRES, j] = (targets[:MAX_CENTRES] - mean)[:, j] - residuals
    return predicted_own + mean, predicted_new + mean


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
