"""Checks of the inputs: the simulated table, its labels, the observed features, the prior weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.inference.scaling import Codes, Floats

Labels = NDArray[np.str_]

MIN_SIMULATIONS = 10  # of each model, to estimate its probability


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


def check_simulations(X: Any, y: Any) -> tuple[list[str], Floats, list[str], Codes]:
    """Return feature names, values (n, q), the models (at least two), and each row's model (n,)."""
    names, values = check_table(X)
    labels = check_labels(y, len(values))
    models, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    if len(models) < 2:
        raise UsageError(
            f"the table has simulations of {models[0]} only; expected at least two models "
            "(goodness_of_fit tests a single one)"
        )
    n_of = dict(zip(models, counts, strict=True))
    few = ", ".join(f"{n} of {model}" for model, n in n_of.items() if n < MIN_SIMULATIONS)
    if few:
        raise UsageError(
            f"too few simulations: {few}; expected at least {MIN_SIMULATIONS} of every model; simulate more"
        )
    return names, values, models.tolist(), codes.astype(np.int64)


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


def prior_factors(weights: Mapping[str, float] | None, models: list[str], codes: Codes) -> Floats:
    """Return the factor (C,) of each model's odds: its prior weight over its share of the rows."""
    if weights is None:
        return np.ones(len(models))
    if sorted(weights) != sorted(models):
        raise UsageError(
            f"prior weights for {', '.join(sorted(weights))}, simulations of {', '.join(models)}; "
            "expected the same models"
        )
    values = np.array([float(weights[model]) for model in models])
    if not (np.isfinite(values) & (values > 0)).all():
        raise UsageError(f"prior weights {dict(weights)}; expected positive numbers")
    shares = np.bincount(codes, minlength=len(models)) / len(codes)
    return np.asarray(values / values.sum() / shares)
