"""Model probabilities from a multinomial regression on the nearest simulations."""

from __future__ import annotations

import numpy as np

from netchoice.inference.nearest import (
    Codes,
    Floats,
    Told,
    distances,
    effective_number,
    epanechnikov,
    local_steps,
    told_in_parts,
)
from netchoice.threads import threads

RIDGE = 0.3  # slopes are a priori N(0, 1/0.3), per local standard deviation of a feature
_STEPS, _CLOSE = 30, 1e-8
_QUERIES = 32  # regressions done together


class ByRegression:
    """Local multinomial logistic regression, read off at the network.

    Fagundes et al. 2007, doi:10.1073/pnas.0708280104, after Beaumont et al. 2002.

    The nearest simulations count by an Epanechnikov kernel, weights scaled to their effective
    number. One simulation, in equal parts of all models, is put at the network itself, and slopes
    are held by a small ridge: so there is an answer also where the models are separated, or only
    one is near.
    Intervals are normal in log-odds, from the curvature of the likelihood.
    """

    def __init__(
        self,
        X: Floats,
        y: Codes,
        n_models: int,
        *,
        n_neighbors: int,
        n_jobs: int | None = None,
    ) -> None:
        self._known, self._n, self._n_jobs = X, min(n_neighbors, len(X)), n_jobs
        self._is_of = np.eye(n_models)[y]

    def tell(self, asked: Floats, coverage: float) -> Told:
        """Probabilities of the models at these points (m, q)."""

        def tell_block(start: int) -> Told:
            few = asked[start : start + _QUERIES]
            (_, distance), *_ = distances(self._known, few)
            rows, weights = epanechnikov(distance, self._n)
            weights *= (effective_number(weights) / weights.sum(axis=1))[:, None]
            return self._tell_few(few, rows, weights, coverage)

        with threads(self._n_jobs) as run:
            return told_in_parts(run(tell_block, range(0, len(asked), _QUERIES)))

    def _tell_few(self, asked: Floats, rows: Codes, weights: Floats, coverage: float) -> Told:
        from scipy.special import expit, ndtri

        n_models = self._is_of.shape[1]
        steps = local_steps(self._known[rows] - asked[:, None, :], weights)
        designs = np.concatenate([np.ones((*rows.shape, 1)), steps], axis=2)
        is_of = self._is_of[rows]
        near = (is_of * weights[:, :, None]).sum(axis=1)
        origin = np.zeros((len(asked), n_models, designs.shape[2]))
        origin[:, :, 0] = 1
        pseudo = np.broadcast_to(np.eye(n_models), (len(asked), n_models, n_models))
        part = np.full((len(asked), n_models), 1 / n_models)
        coefficients, covariance, _ = fit_multinomial(
            np.concatenate([designs, origin], axis=1),
            np.concatenate([is_of, pseudo], axis=1),
            np.concatenate([weights, part], axis=1),
            RIDGE,
        )
        chances = softmax(coefficients[:, 0, :])
        fitted = (designs @ coefficients).argmax(axis=2)
        counted = weights > 0
        separated = ((fitted == is_of.argmax(axis=2)) | ~counted).all(axis=1)
        logit = np.log(chances) - np.log1p(-chances)
        reach = ndtri((1 + coverage) / 2) * _deviation_of_logits(chances, covariance)
        return Told(
            chances,
            expit(logit - reach),
            expit(logit + reach),
            {"weight_near": near, "separated": separated},
        )


def softmax(scores: Floats) -> Floats:
    """Along the last axis."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def _deviation_of_logits(chances: Floats, covariance: Floats) -> Floats:
    """Standard deviation of each log-odds (m, C), given the covariance of the scores (m, C, C)."""
    n_models = chances.shape[1]
    others = np.where(np.eye(n_models, dtype=bool), 0.0, chances[:, None, :])
    gradient = np.eye(n_models) - others / others.sum(axis=2, keepdims=True)
    variance = np.einsum("mci,mij,mcj->mc", gradient, covariance, gradient)
    return np.asarray(np.sqrt(variance.clip(min=0)))


def fit_multinomial(
    designs: Floats, is_of: Floats, weights: Floats, ridge: float
) -> tuple[Floats, Floats, Floats]:
    """Many weighted multinomial regressions at once, by Newton's method with halved steps.

    Every class has its own coefficients, and all slopes bear the ridge, so that no class is special.

    Parameters
    ----------
    designs : array (b, n, p)
        First column: ones.
    is_of : array (b, n, C)
        1 for the class of the row.
    weights : array (b, n)
    ridge : float

    Returns
    -------
    coefficients : array (b, p, C)
    covariance : array (b, C, C)
        Of the intercepts.
    losses : array (b,)
    """
    b, _, p = designs.shape
    n_classes = is_of.shape[2]
    penalty = np.full((p, n_classes), float(ridge))
    penalty[0] = 1e-6  # a shift of all intercepts changes nothing; this settles it
    weighted = designs * weights[:, :, None]

    def loss_of(coefficients: Floats) -> tuple[Floats, Floats]:
        scores = designs @ coefficients
        top = scores.max(axis=2, keepdims=True)
        logs = scores - top - np.log(np.exp(scores - top).sum(axis=2, keepdims=True))
        fit = -((logs * is_of).sum(axis=2) * weights).sum(axis=1)
        return fit + 0.5 * (penalty * coefficients**2).sum(axis=(1, 2)), np.exp(logs)

    coefficients = np.zeros((b, p, n_classes))
    loss, chances = loss_of(coefficients)
    for _ in range(_STEPS):
        slope = weighted.transpose(0, 2, 1) @ (chances - is_of) + penalty * coefficients
        curvature = _curvature(designs, weighted, chances, penalty)
        flat = slope.transpose(0, 2, 1).reshape(b, -1, 1)
        step = np.linalg.solve(curvature, flat).reshape(b, n_classes, p).transpose(0, 2, 1)
        length = np.ones((b, 1, 1))
        for _ in range(_STEPS):
            new_loss, new_chances = loss_of(coefficients - length * step)
            worse = new_loss > loss + 1e-10 * np.abs(loss)
            if not worse.any():
                break
            length[worse] /= 2
        coefficients = coefficients - length * step
        loss, chances = new_loss, new_chances
        if np.abs(step).max() < _CLOSE:
            break
    inverse = np.linalg.inv(_curvature(designs, weighted, chances, penalty))
    return coefficients, np.asarray(inverse[:, ::p, ::p], dtype=np.float64), loss


def _curvature(designs: Floats, weighted: Floats, chances: Floats, penalty: Floats) -> Floats:
    """Second derivatives (b, Cp, Cp), coefficients ordered by class."""
    b, _, p = designs.shape
    n_classes = chances.shape[2]
    blocks = np.empty((b, n_classes, p, n_classes, p))
    transposed = weighted.transpose(0, 2, 1)
    for i in range(n_classes):
        for j in range(i + 1):
            factor = chances[:, :, i] * ((i == j) - chances[:, :, j])
            block = transposed @ (designs * factor[:, :, None])
            blocks[:, i, :, j, :] = blocks[:, j, :, i, :] = block
    flat = blocks.reshape(b, n_classes * p, n_classes * p)
    flat[:, range(n_classes * p), range(n_classes * p)] += penalty.T.ravel()
    return flat
