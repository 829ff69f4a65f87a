"""Mutual information of columns and classes in few rows, for all columns at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc
from scipy.stats import rankdata

from netchoice.selection.greedy import Floats

MAX_BINS = 8
ALPHA = 0.05  # of the test whether a column is informative


def binned_information(X: Floats, codes: NDArray[np.int64], n_classes: int) -> Floats:
    """Estimate the mutual information (q,) of the columns of X (n, q) and the class codes (n,), in nats.

    The values of a column are divided into ∛n bins (2 to 8) of equal size; equal values share a bin. The
    first-order expectation of the estimate for independent columns, (bins − 1)(classes − 1) / 2n, is
    subtracted. The result is 0 unless a G-test, adjusted for the number of columns (Bonferroni), rejects
    independence at the level 0.05.

    >>> import numpy as np
    >>> codes = np.arange(1000) % 2
    >>> X = np.column_stack([codes, np.arange(1000) // 2])
    >>> binned_information(X, codes, 2).round(3)  # log 2 = 0.693
    array([0.693, 0.   ])
    """
    n, q = X.shape
    n_bins = min(max(round(n ** (1 / 3)), 2), MAX_BINS)
    bins = ((rankdata(X, axis=0) - 0.5) * n_bins / n).astype(np.int64)
    one_hot = np.eye(n_classes)[codes]
    joint = np.stack([one_hot.T @ (bins == b) for b in range(n_bins)]) / n  # bins, classes, columns
    of_bins, of_classes = joint.sum(axis=1), one_hot.mean(axis=0)
    plugin = _entropy(of_bins) + _entropy(of_classes) - _entropy(joint.reshape(-1, q))
    n_free = ((of_bins > 0).sum(axis=0) - 1) * (np.count_nonzero(of_classes) - 1)
    is_significant = chdtrc(np.maximum(n_free, 1), 2 * n * plugin.clip(min=0)) * q <= ALPHA
    return np.where(is_significant & (n_free > 0), (plugin - n_free / (2 * n)).clip(min=0), 0.0)


def _entropy(shares: Floats) -> Any:
    """Return the entropy along the first axis, in nats."""
    return -np.sum(shares * np.log(np.where(shares > 0, shares, 1.0)), axis=0)
