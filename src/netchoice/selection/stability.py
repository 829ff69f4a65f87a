"""Stability of a selection: does another sample of the rows give the same columns?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing, check_consistent_length, check_random_state

from netchoice.errors import UsageError
from netchoice.targets import as_target, check_varies
from netchoice.validation import check_fraction, check_integer

if TYPE_CHECKING:
    import pandas as pd

#: Expected fraction of distinct rows in a bootstrap sample, 1 − 1/e.
SAMPLE_FRACTION = 0.632


@dataclass(frozen=True)
class Stability:
    """How often each column is selected, and how well the selections agree.

    Attributes
    ----------
    frequencies : Series
        For each column, the fraction of resamples in which it is selected, largest first.
    index : float
        1 if all resamples give the same columns, 0 on average for random selections.
    interval, coverage
        Confidence interval of the index, and its coverage.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from netchoice.selection import JMI
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> result = stability(JMI(n_features_to_select=3), X, y, n_resamples=10)
    >>> low, high = result.interval
    >>> bool(low <= result.index <= high), result.coverage, float(result.frequencies.iloc[0])
    (True, 0.95, 1.0)
    """

    frequencies: pd.Series
    index: float
    interval: tuple[float, float]
    coverage: float
    n_resamples: int

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"agreement {self.index:.2f} ({self.coverage:.0%} interval {low:.2f} to {high:.2f}) over "
            f"{self.n_resamples} samples; most often: "
            + ", ".join(f"{name} {share:.0%}" for name, share in self.frequencies[:5].items())
        )


def stability(
    selector: Any,
    X: Any,
    y: Any,
    n_resamples: Any = 50,
    *,
    replace: bool = False,
    coverage: float = 0.95,
    random_state: Any = 0,
) -> Stability:
    """Repeat the selection on resamples of the rows and measure how well the selections agree.

    The index and its interval are those of Nogueira, Sechidis and Brown 2018
    (jmlr.org/papers/v18/17-514): corrected for chance, for sets of any size.

    Parameters
    ----------
    selector : any scikit-learn selector
        Its ``n_features_to_select`` is the number of columns selected.
    X, y : table, and labels or numbers
    n_resamples : int
        Number of resamples, at least 2. The interval is rough for fewer than about twenty.
    replace : bool
        False: each resample has 63.2% of the rows (of each class), drawn without replacement, as many
        as the distinct rows of a bootstrap sample. True: bootstrap samples, whose repeated rows
        mislead methods that use neighbours.
    coverage : float
        Coverage of the confidence interval.
    random_state : int, RandomState or None


    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from netchoice.selection import JMI, stability
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> result = stability(JMI(n_features_to_select=3), X, y, n_resamples=10)
    >>> result.frequencies.index[0], result.index < 1
    ('flavanoids', True)
    """
    import pandas as pd
    from scipy.stats import norm

    n_resamples = check_integer("n_resamples", n_resamples, 2)
    check_consistent_length(X, y)
    check_fraction("coverage", coverage)
    rng = check_random_state(random_state)
    target = as_target(y, getattr(selector, "target", "auto"))
    check_varies(target)
    codes = target.strata
    if "target" in selector.get_params():  # a resample may have fewer distinct integers
        selector = clone(selector).set_params(target=target.kind)
    selected = []
    for _ in range(n_resamples):
        rows = _resample(codes, replace, rng)
        fitted = clone(selector).fit(_safe_indexing(X, rows), _safe_indexing(y, rows))
        selected.append(fitted.get_support())
    index, error = stability_index(np.array(selected))
    half_width = norm.ppf((1 + coverage) / 2) * error
    names = getattr(fitted, "feature_names_in_", [f"x{i}" for i in range(len(selected[0]))])
    frequencies = pd.Series(np.mean(selected, axis=0), index=list(names), name="selected")
    frequencies = frequencies.sort_values(ascending=False, kind="stable")
    interval = (index - half_width, min(1.0, index + half_width))
    return Stability(frequencies, index, interval, coverage, n_resamples)


def stability_index(selected: NDArray[np.bool_]) -> tuple[float, float]:
    """Return Nogueira's index of selections, one per row, and its standard error.

    >>> stability_index(np.array([[1, 0, 0], [1, 0, 0]]))
    (1.0, 0.0)
    """
    m, d = selected.shape
    z = selected.astype(float)
    sizes = z.sum(axis=1)
    mean_size = sizes.mean()
    by_chance = mean_size / d * (1 - mean_size / d)
    if by_chance == 0:
        raise UsageError(
            "the selector must select some but not all columns; got all columns or none, which "
            "always agree"
        )
    p = z.mean(axis=0)
    index = 1 - (m / (m - 1) * p * (1 - p)).mean() / by_chance
    contributions = (
        (z @ p) / d
        - sizes * mean_size / d**2
        + index / 2 * (2 * sizes * mean_size / d**2 - sizes / d - mean_size / d + 1)
    ) / by_chance
    variance = 4 / m**2 * ((contributions - contributions.mean()) ** 2).sum()
    return float(index), float(np.sqrt(variance))


def _resample(codes: NDArray[np.int64], replace: bool, rng: Any) -> NDArray[np.int64]:
    """Return the rows of a resample, in which all classes occur if possible."""
    if replace:
        rows = rng.randint(len(codes), size=len(codes))
        complete = len(np.unique(codes[rows])) >= min(2, len(np.unique(codes)))
        return np.sort(rows if complete else np.arange(len(codes)))
    drawn = [
        rng.permutation(members)[: max(1, round(SAMPLE_FRACTION * len(members)))]
        for members in (np.flatnonzero(codes == code) for code in np.unique(codes))
    ]
    return np.sort(np.concatenate(drawn))
