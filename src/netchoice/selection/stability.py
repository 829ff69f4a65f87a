"""Would another sample have given the same selection?"""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing, check_consistent_length, check_random_state

from netchoice.errors import UsageError
from netchoice.selection.base import labels

if TYPE_CHECKING:
    import pandas as pd

#: Share of different rows in a bootstrap sample, 1 − 1/e.
SHARE = 0.632


@dataclass(frozen=True)
class Stability:
    """How often each column was selected, and how much the selections agree.

    Attributes
    ----------
    frequencies : Series
        By column, the share of samples in which it was selected, most often first.
    index : float
        1: always the same columns; 0: as if drawn at random.
    interval : tuple of float
        Confidence interval of the index at ``coverage``.
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
    """Select again on samples of the rows, and see how far the selections agree.

    Parameters
    ----------
    selector : any scikit-learn selector
        Its ``n_features_to_select`` says how many columns are selected.
    X, y : table and labels
    n_resamples : int
        Number of samples, at least 2; the interval is rough below twenty or so.
    replace : bool
        False: 63.2% of the rows of each class without replacement, as many different rows as a
        bootstrap sample has. True: the bootstrap itself; its repeated rows are their own nearest
        neighbours, which deceives every method that looks at neighbours.
    coverage : float
        Of the confidence interval.
    random_state : int, RandomState or None

    Returns
    -------
    Stability

    Notes
    -----
    The index and its interval are those of Nogueira, Sechidis and Brown 2018
    (jmlr.org/papers/v18/17-514): corrected for chance, for sets of any size.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from netchoice.selection import JMI, stability
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> found = stability(JMI(n_features_to_select=3), X, y, n_resamples=10)
    >>> found.frequencies.index[0], found.index < 1
    ('flavanoids', True)
    """
    import pandas as pd

    if not isinstance(n_resamples, numbers.Integral) or n_resamples < 2:
        raise UsageError(f"n_resamples={n_resamples!r}; expected at least 2 samples to compare")
    check_consistent_length(X, y)
    if not 0 < coverage < 1:
        raise UsageError(f"coverage={coverage!r}; expected a number between 0 and 1")
    rng = check_random_state(random_state)
    codes = labels(np.asarray(y))[1]
    selected = []
    for _ in range(n_resamples):
        rows = _sample(codes, replace, rng)
        fitted = clone(selector).fit(_safe_indexing(X, rows), _safe_indexing(y, rows))
        selected.append(fitted.get_support())
    index, error = agreement(np.array(selected))
    from scipy.stats import norm

    half = norm.ppf((1 + coverage) / 2) * error
    names = getattr(fitted, "feature_names_in_", [f"x{i}" for i in range(len(selected[0]))])
    frequencies = pd.Series(np.mean(selected, axis=0), index=list(names), name="selected")
    return Stability(
        frequencies.sort_values(ascending=False, kind="stable"),
        index,
        (index - half, min(1.0, index + half)),
        coverage,
        int(n_resamples),
    )


def agreement(selected: NDArray[np.bool_]) -> tuple[float, float]:
    """Nogueira's index for selections (one per row), and its standard error.

    >>> agreement(np.array([[1, 0, 0], [1, 0, 0]]))
    (1.0, 0.0)
    """
    m, d = selected.shape
    z = selected.astype(float)
    sizes = z.sum(axis=1)
    mean_size = sizes.mean()
    by_chance = mean_size / d * (1 - mean_size / d)
    if by_chance == 0:
        raise UsageError("all columns or none are selected, which always agrees; select some")
    p = z.mean(axis=0)
    index = 1 - (m / (m - 1) * p * (1 - p)).mean() / by_chance
    each = (
        (z @ p) / d
        - sizes * mean_size / d**2
        + index / 2 * (2 * sizes * mean_size / d**2 - sizes / d - mean_size / d + 1)
    ) / by_chance
    variance = 4 / m**2 * ((each - each.mean()) ** 2).sum()
    return float(index), float(np.sqrt(variance))


def _sample(codes: NDArray[np.int64], replace: bool, rng: Any) -> NDArray[np.int64]:
    if replace:
        rows = rng.randint(len(codes), size=len(codes))
        rows = rows if len(np.unique(codes[rows])) > 1 else np.arange(len(codes))
        return np.sort(rows)
    chosen = [
        rng.permutation(members)[: max(1, round(SHARE * len(members)))]
        for members in (np.flatnonzero(codes == code) for code in np.unique(codes))
    ]
    return np.sort(np.concatenate(chosen))
