"""Parameters of many networks against covariates: rank tests, adjusted for their number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from netchoice.inference import adjusted_p_values
from netchoice.workflows.cohort_frame import CohortFrame, ParameterOfModel

MIN_NETWORKS = 5  # with a parameter, and in each level of a text


def parameter_trends(cohort: CohortFrame) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the tests of parameters against covariates, and the parameters in too few networks.

    A numeric covariate is tested with Spearman's rank correlation, a text and the group with
    Kruskal and Wallis's test over the values that at least five networks have. The p-values are
    adjusted over all tests. Only networks for which the model is named count.
    """
    tests, skipped = [], []
    for parameter in cohort.parameters:
        medians = cohort.estimates(parameter)["median"]
        if len(medians) < MIN_NETWORKS:
            skipped.append(f"{parameter.model} {parameter.name}")
            continue
        for test in _tests(cohort, medians):
            tests.append(_named(parameter) | test)
    q_values = adjusted_p_values([test["p_value"] for test in tests]).tolist()
    rows = [test | {"q_value": q} for test, q in zip(tests, q_values, strict=True)]
    return sorted(rows, key=lambda row: row["p_value"]), skipped


def _named(parameter: ParameterOfModel) -> dict[str, Any]:
    return {"model": parameter.model, "parameter": parameter.name}


def _tests(cohort: CohortFrame, medians: pd.Series) -> Iterator[dict[str, Any]]:
    """Yield the test of each covariate for which one is possible."""
    names = [*(["group"] if cohort.groups else []), *cohort.covariates]
    for name in names:
        values = cohort.group if name == "group" else cohort.frame[name]
        known = values[medians.index].dropna()
        numeric = name != "group" and cohort.is_number(name)
        test = _spearman if numeric else _kruskal_wallis
        found = test(medians[known.index], known)
        if found is not None:
            yield {"covariate": name, **found}


def _spearman(medians: pd.Series, values: pd.Series) -> dict[str, Any] | None:
    from scipy.stats import spearmanr

    if len(values) < MIN_NETWORKS or values.nunique() < 2 or medians.nunique() < 2:
        return None
    rho, p_value = spearmanr(medians, values.astype(float))
    return {
        "test": "Spearman",
        "n": len(values),
        "rho": float(rho),
        "medians": None,
        "p_value": float(p_value),
    }


def _kruskal_wallis(medians: pd.Series, values: pd.Series) -> dict[str, Any] | None:
    from scipy.stats import kruskal

    by_text = medians.groupby(values.astype(str))
    samples = {str(text): own for text, own in by_text if text and len(own) >= MIN_NETWORKS}
    if len(samples) < 2 or pd.concat(list(samples.values())).nunique() < 2:
        return None
    return {
        "test": "Kruskal–Wallis",
        "n": sum(map(len, samples.values())),
        "rho": None,
        "medians": {level: float(own.median()) for level, own in samples.items()},
        "p_value": float(kruskal(*samples.values()).pvalue),
    }
