"""Checks of the inputs: the simulated table, its labels, the observed features."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.inference.scaling import Floats

Labels = NDArray[np.str_]


def check_table(X: Any, *, allow_missing: bool = False) -> tuple[list[str], Floats]:
    """Return the feature names and the values (n, q) of a table."""
    X = pd.DataFrame(X)
    names = [str(name) for name in X.columns]
    if X.shape[1] == 0 or len(set(names)) < len(names):
        raise UsageError(
            f"the table has the features {names}; expected at least one, with distinct names"
        )
    values = X.to_numpy(dtype=np.float64)
    missing = np.array(names)[np.isnan(values).any(axis=0)]
    if len(missing) and not allow_missing:
        raise UsageError(
            f"missing values (NaN) in the simulated {', '.join(missing)}; drop these columns, or the "
            "rows with missing values"
        )
    return names, values


def check_labels(y: Any, n: int) -> Labels:
    """Return the labels of the ``n`` simulations as strings (n,)."""
    labels = np.asarray(y).astype(str)
    if labels.shape != (n,) or n == 0:
        raise UsageError(
            f"{n} simulations and labels of shape {labels.shape}; expected at least one simulation "
            "and one label for each"
        )
    return labels


def check_present(observed: Any, names: list[str]) -> list[str]:
    """Return the names if the observation, or the frame of observations, has them all."""
    absent = [name for name in names if name not in observed]
    if absent:
        raise UsageError(
            f"the observation has no value for {', '.join(absent)}; compute these features, or drop "
            "them from the simulated table"
        )
    return names


def check_observed(observed: Any, names: list[str], *, allow_missing: bool = False) -> Floats:
    """Return the observed values (q,) of the named features, in their order."""
    values = np.array([float(observed[name]) for name in check_present(observed, names)])
    missing = np.array(names)[np.isnan(values)]
    if len(missing) and not allow_missing:
        raise UsageError(
            f"the observed {', '.join(missing)} is missing (NaN); drop this feature from the table"
        )
    return values
