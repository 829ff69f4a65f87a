"""Conformal p-values: which models could have made an observation, whatever the others could do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from netchoice.errors import UsageError
from netchoice.forests import Forest, grow_forest
from netchoice.inference.scaling import Floats, Scaling
from netchoice.inference.table_checks import check_labels, check_table

N_TREES = 500


@dataclass(frozen=True)
class ConformalTest:
    """A p-value for each model, from a forest and from simulations that did not train it.

    The score of a row under a model is the number of trees that vote for the model. Scores with as many
    votes are ordered by the distance of the row to the training rows of the model: the mean of the
    absolute features, scaled by these rows. The p-value of a model is the share of its calibrating
    simulations, with the observation among them, whose score is not above that of the observation. The
    score depends on the training rows only, so that the observation and the calibrating simulations are
    treated alike: if the model made the observation, P(p ≤ α) ≤ α, whatever the quality of the score.

    Attributes
    ----------
    models : list of str
    calibrating : dict
        By model: the scores of its calibrating simulations, in increasing order.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> y = np.tile(["low", "high"], 400)
    >>> X = rng.normal(np.where(y == "low", 0, 9))[:, None]
    >>> test = ConformalTest.fit(X, y, n_training=100)
    >>> test.p_values([[0.0]]).round(3)[0].tolist()  # of high, then of low
    [0.003, 0.95]
    """

    models: list[str]
    calibrating: dict[str, Floats] = field(repr=False)
    _forest: Forest = field(repr=False)
    _scalings: dict[str, Scaling] = field(repr=False)

    @classmethod
    def fit(
        cls, X: Any, y: Any, *, n_training: int, n_trees: int = N_TREES, seed: int = 0,
        n_jobs: int | None = None,
    ) -> Self:  # fmt: skip
        """Train a forest on the first rows of each model, and score the other rows.

        Parameters
        ----------
        X : DataFrame (n, q), features of the simulations
        y : array (n,), the model of each simulation
        n_training : int
            Rows of each model that train; all others calibrate. The order of the rows must not depend
            on their features.
        n_trees, seed, n_jobs
            As in :func:`netchoice.forests.grow_forest`; the result does not depend on ``n_jobs``.
        """
        values = check_table(X)[1]
        labels = check_labels(y, len(values))
        models = np.unique(labels).tolist()
        rows = {model: np.flatnonzero(labels == model) for model in models}
        few = [f"{len(own)} of {model}" for model, own in rows.items() if len(own) <= n_training]
        if few:
            raise UsageError(
                f"too few simulations: {', '.join(few)}; expected more than {n_training} of every model, "
                "because so many train the forest"
            )
        training = np.sort(np.concatenate([own[:n_training] for own in rows.values()]))
        forest = grow_forest(
            values[training], labels[training], target="classes", n_trees=n_trees, seed=seed,
            n_jobs=n_jobs,
        )  # fmt: skip
        scalings = {
            model: Scaling.fit(values[own[:n_training]], "robust") for model, own in rows.items()
        }
        calibrating: dict[str, Floats] = {}
        made = cls(models, calibrating, forest, scalings)
        for k, (model, own) in enumerate(rows.items()):
            calibrating[model] = np.sort(made.scores(values[own[n_training:]])[:, k])
        return made

    def scores(self, X: Any) -> Floats:
        """Return the score (m, C) of each row under each model; the larger, the more typical."""
        values = check_table(X)[1]
        votes = (self._forest.predict_proba(values) * self._forest.n_trees).round()
        distances = [
            np.abs(self._scalings[model].transform(values)).mean(axis=1) for model in self.models
        ]
        return np.asarray(votes + 1 / (1 + np.stack(distances, axis=1)))

    def p_values(self, X: Any) -> Floats:
        """Return the p-value (m, C) of each model for each row."""
        scores = self.scores(X)
        counts = [
            np.searchsorted(self.calibrating[model], scores[:, k], side="right")
            for k, model in enumerate(self.models)
        ]
        sizes = np.array([len(self.calibrating[model]) for model in self.models])
        return np.asarray((1 + np.stack(counts, axis=1)) / (1 + sizes))
