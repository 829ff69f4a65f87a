"""Model probabilities from gradient-boosted trees."""

from __future__ import annotations

from typing import Any

from netchoice.inference.classifier import Classifier, Prediction
from netchoice.inference.scaling import Codes, Floats
from netchoice.threads import one_openmp_thread

N_ITERATIONS, LEARNING_RATE, MAX_LEAVES, RIDGE = 100, 0.1, 8, 5.0


class BoostingClassifier(Classifier):
    """Boosted trees of scikit-learn, with histograms; a member of the ensemble.

    One hundred steps, each with a tree of up to 8 leaves for every model. The trees give no intervals:
    both bounds equal the probability. Settings used: ``scaling``, ``seed``.

    >>> import numpy as np
    >>> X = np.random.default_rng(1).normal(size=(400, 2))
    >>> classifier = BoostingClassifier().fit(X, X[:, 0] > 0)
    >>> classifier.predict_proba([[3.0, 0.0]]).argmax()
    np.int64(1)
    """

    def _fit(self, X: Floats, codes: Codes) -> dict[str, Any]:
        from sklearn.ensemble import HistGradientBoostingClassifier

        self._trees = HistGradientBoostingClassifier(
            max_iter=N_ITERATIONS, learning_rate=LEARNING_RATE, max_leaf_nodes=MAX_LEAVES,
            l2_regularization=RIDGE, early_stopping=False, random_state=self.seed,
        )  # fmt: skip
        with one_openmp_thread():
            self._trees.fit(X, codes)
        return {"n_iterations": N_ITERATIONS}

    def _predict(self, X: Floats, coverage: float) -> Prediction:
        with one_openmp_thread():
            probabilities = self._trees.predict_proba(X)
        return Prediction(probabilities, probabilities, probabilities, {})
