"""Checks of what the inference is given: a simulated table and the features of one network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import UsageError

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

MIN_SIMULATIONS = 10  # of a model, to say anything of it


def checked_table(X: Any) -> tuple[list[str], Floats]:
    """Names of the features, and numbers (n, q), none missing."""
    import pandas as pd

    X = pd.DataFrame(X)
    names = [str(name) for name in X.columns]
    if X.shape[1] == 0 or len(set(names)) < len(names):
        raise UsageError(f"features {names}; expected at least one, each with a name of its own")
    numbers = X.to_numpy(dtype=np.float64)
    missing = [name for name, bad in zip(names, np.isnan(numbers).any(axis=0), strict=True) if bad]
    if missing:
        raise UsageError(
            f"missing values (NaN) in the simulated {', '.join(missing)}; "
            "leave out the feature, or the rows where it is missing"
        )
    return names, numbers


def checked_labels(y: Any, n: int) -> tuple[list[str], Codes]:
    """Names of the models, and the position of each row's; enough rows of at least two."""
    labels = np.asarray(y).astype(str)
    if labels.shape != (n,):
        raise UsageError(f"labels of shape {labels.shape}; expected one for each of the {n} rows")
    models, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    if len(models) < 2:
        raise UsageError(
            f"simulations of {', '.join(models) or 'no model'} only; expected at least two models "
            "to choose from (whether a single model fits is another question, and needs no choice)"
        )
    if counts.min() < MIN_SIMULATIONS:
        few = ", ".join(
            f"{count} of {model}"
            for model, count in zip(models, counts, strict=True)
            if count < MIN_SIMULATIONS
        )
        raise UsageError(
            f"too few simulations: {few}; expected at least {MIN_SIMULATIONS} of every model; "
            "simulate more"
        )
    return models.tolist(), codes.astype(np.int64)


def checked_observed(observed: Mapping[str, Any] | Any, names: list[str]) -> Floats:
    """The observed values (1, q) of these features, in their order."""
    absent = [name for name in names if name not in observed]
    if absent:
        raise UsageError(
            f"the observed network has no value for {', '.join(absent)}; compute these features, "
            "or leave them out of the simulated table"
        )
    values = np.array([[float(observed[name]) for name in names]])
    missing = [name for name, value in zip(names, values[0], strict=True) if np.isnan(value)]
    if missing:
        raise UsageError(
            f"{', '.join(missing)} of the observed network is missing (NaN); "
            "leave out the feature, and choose without it"
        )
    return values


def checked_weights(weights: Mapping[str, float] | None, models: list[str], codes: Codes) -> Floats:
    """By what to multiply each model's probability (C,): its prior weight over its share of rows."""
    shares = np.bincount(codes, minlength=len(models)) / len(codes)
    if weights is None:
        return np.ones(len(models))
    if sorted(weights) != sorted(models):
        raise UsageError(
            f"prior weights for {', '.join(sorted(weights))}, simulations of {', '.join(models)}; "
            "expected the same models"
        )
    values = np.array([float(weights[model]) for model in models])
    if not (np.isfinite(values) & (values > 0)).all():
        raise UsageError(f"prior weights {dict(weights)}; expected numbers above 0")
    return np.asarray(values / values.sum() / shares)


def checked_coverage(coverage: float) -> float:
    """Between 0 and 1."""
    if not 0 < coverage < 1:
        raise UsageError(
            f"coverage={coverage!r}; expected a probability between 0 and 1, such as 0.95"
        )
    return float(coverage)


def checked_count(what: str, value: Any, largest: int) -> int:
    """An integer from 1."""
    if isinstance(value, bool) or value != int(value) or not 1 <= value <= largest:
        raise UsageError(f"{what}={value!r}; expected an integer from 1 to {largest}")
    return int(value)
