"""The summary of a cohort: verdicts, models, parameters, their trends, and errors of many networks."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from netchoice.choice.answer_rows import NAMING, CohortFrame, ParameterOfModel
from netchoice.choice.choice_text import VERDICTS
from netchoice.inference import adjusted_p_values, fewest_rejections
from netchoice.inference.goodness_of_fit import ALPHA, RATE
from netchoice.inference.wilson_interval import wilson

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
            tests.append(_parameter_names(parameter) | test)
    q_values = adjusted_p_values([test["p_value"] for test in tests]).tolist()
    rows = [test | {"q_value": q} for test, q in zip(tests, q_values, strict=True)]
    return sorted(rows, key=lambda row: row["p_value"]), skipped


def _parameter_names(parameter: ParameterOfModel) -> dict[str, Any]:
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


MOST_LISTED = 500  # networks in a list of the record
MOST_EXAMPLES = 5
#: What the headline says about the networks with a verdict.
_IN_WORDS = {
    "one-fits": "one model fits {} and is clearly the most probable",
    "several-fit": "several models fit {}",
    "undetermined": "the models cannot be distinguished for {}",
    "none-fits": "none of these models fits {}",
}


def summarise_cohort(
    answers: pd.DataFrame,
    *,
    floor: float | None = None,
    alpha: float = ALPHA,
    settings: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the summary of a cohort as a record that JSON can hold.

    The record counts verdicts and named models, overall and by group, adjusts the p-values of "none of
    these models fits" for the false discovery rate, relates parameters to covariates, and lists errors
    and networks that no model fits.

    Parameters
    ----------
    answers : DataFrame
        One row for each network: ``id``, ``verdict``, ``model``, and for each model
        ``probability_MODEL``, ``lower_MODEL``, ``upper_MODEL`` and ``fit_p_MODEL``; optionally ``group``,
        ``chooser``, ``file``, ``notes``, ``seconds``, ``error``, ``MODEL_PARAMETER_median`` with ``_lower``
        and ``_upper``. All other columns are covariates.
    floor : float, optional
        The smallest possible p-value of a network, 1/(N + 1) for N simulations of a model. By default
        the smallest p-value of any model in the answers.
    alpha : float, a model fits a network if its p-value is above this level
    settings : mapping, optional, what the report lists as settings

    Examples
    --------
    >>> frame = pd.DataFrame({"id": ["a", "b"], "verdict": ["one-fits", "none-fits"],
    ...     "model": ["dmc", "dmc"], "probability_dmc": [0.99, 0.9], "lower_dmc": [0.9, 0.8],
    ...     "upper_dmc": [1.0, 1.0], "fit_p_dmc": [0.4, 0.001]})
    >>> record = summarise_cohort(frame)
    >>> record["headline"].partition("; ")[2]
    'none of these models fits 1 (50%)'
    >>> record["none_fits"]["q_values"]
    [0.4, 0.002]
    """
    cohort = CohortFrame.of(answers)
    trends, skipped = parameter_trends(cohort)
    record = {
        "networks": len(cohort.frame),
        "answered": len(cohort.answered),
        "groups": cohort.groups[:MOST_LISTED],
        "models": list(cohort.models),
        "choosers": _counts(cohort.answered["chooser"]),
        "verdicts": _verdicts(cohort),
        "named": _named(cohort),
        "none_fits": _none_fits(cohort, floor, alpha),
        "parameters": trends,
        "parameters_skipped": skipped,
        "errors": _errors(cohort.frame),
        "seconds": _seconds(cohort.frame["seconds"]),
        "alpha": alpha,
        "settings": dict(settings or {}),
    }
    return record | {"headline": _headline(record), "notes": list(_notes(record))}


def _counts(values: pd.Series) -> dict[str, int]:
    return {str(name): int(n) for name, n in values.value_counts().items()}


def _by_group(cohort: CohortFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the answered networks of each of the largest groups; a group may have none."""
    names = cohort.groups[:MOST_LISTED]
    groups = cohort.group[cohort.answered.index]
    groups = groups[groups.isin(names)]
    rows = dict(list(cohort.answered.loc[groups.index].groupby(groups)))
    for name in names:
        yield name, rows.get(name, cohort.answered.head(0))


def _verdicts(cohort: CohortFrame) -> dict[str, Any]:
    """Return the number of networks with each verdict and Wilson's interval of its share."""

    def shares(rows: pd.DataFrame) -> dict[str, Any]:
        found, n = rows["verdict"].value_counts(), len(rows)
        return {kind: _share(int(found.get(kind, 0)), n) for kind in VERDICTS}

    by_group = {name: shares(rows) for name, rows in _by_group(cohort)}
    return {"all": shares(cohort.answered), "by_group": by_group}


def _share(count: int, n: int) -> dict[str, Any]:
    if not n:
        return {"n": 0, "of": 0, "share": None, "interval": None}
    return {"n": count, "of": n, "share": count / n, "interval": list(wilson(count / n, n))}


def _named(cohort: CohortFrame) -> dict[str, Any]:
    """Return how often each model is named by each of the verdicts that name a model."""

    def counts(rows: pd.DataFrame) -> dict[str, dict[str, int]]:
        return {
            model: {
                kind: int(((rows["model"] == model) & (rows["verdict"] == kind)).sum())
                for kind in NAMING
            }
            for model in cohort.models
        }

    by_group = {name: counts(rows) for name, rows in _by_group(cohort)}
    return {"all": counts(cohort.answered), "by_group": by_group}


def _none_fits(cohort: CohortFrame, floor: float | None, alpha: float) -> dict[str, Any]:
    """Return the adjusted p-values of "none fits", and the networks with this verdict."""
    p = cohort.none_fits_p
    q = pd.Series(adjusted_p_values(p), index=p.index)
    n_tests = int(p.notna().sum())
    columns = [f"fit_p_{model}" for model in cohort.models]
    if floor is None:
        floor = float(cohort.answered[columns].min().min())
    is_known = n_tests > 0 and 0 < floor < 1
    fewest = fewest_rejections(n_tests, floor) if is_known else 1
    n_rejected = int((q <= RATE).sum())
    rows = cohort.frame[(cohort.frame["verdict"] == "none-fits") & (cohort.frame["error"] == "")]
    rows = rows.assign(none_fits_p=p[rows.index], none_fits_q=q[rows.index])
    rows = rows.sort_values(["none_fits_q", "none_fits_p"], kind="stable")
    return {
        "q_values": [None if math.isnan(value) else value for value in q.tolist()],
        "rate": RATE,
        "rejected": n_rejected,
        "verdicts": len(rows),
        "expected_by_chance": alpha * n_tests,
        "floor": floor if is_known else None,
        "fewest": fewest,
        "limit": _limit(n_tests, floor, fewest) if fewest > 1 and not n_rejected else None,
        "networks": [
            {
                "id": row["id"],
                "group": row["group"],
                "nearest": row["model"],
                "p_value": row["none_fits_p"],
                "q_value": row["none_fits_q"],
                "notes": split_notes(row["notes"]),
            }
            for row in rows.head(MOST_LISTED).to_dict("records")
        ],
    }


def _limit(n_tests: int, floor: float, fewest: int) -> str:
    return (
        f"no p-value can be below {floor:.2g}, so at a false discovery rate of {RATE:g} no network can be "
        f"rejected among {n_tests} unless at least {fewest} are rejected together; more simulations of "
        "each model lower this number"
    )


def split_notes(notes: str) -> list[str]:
    """Return the sentences of a text in which "; " separates them.

    >>> split_notes("too few nodes; too dense; ")
    ['too few nodes', 'too dense']
    """
    return [note.strip() for note in notes.split("; ") if note.strip()]


def mean_count(value: float) -> str:
    """Return the text of an expected number of networks.

    >>> mean_count(0.06), mean_count(967.79)
    ('0.06', '968')
    """
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


def _errors(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return errors with the same reason together, the most frequent reason first."""
    failed = frame[frame["error"] != ""]
    pairs = zip(failed["id"], failed["error"], strict=True)
    reasons = pd.Series(
        [reason(text.removeprefix(f"{own}: ")) for own, text in pairs], failed.index
    )
    rows = dict(list(failed[["id", "error"]].groupby(reasons)))
    ranked = sorted(rows, key=lambda name: -len(rows[name]))[:MOST_LISTED]
    return [
        {
            "reason": name,
            "n": len(rows[name]),
            "examples": rows[name].head(MOST_EXAMPLES).to_dict("records"),
        }
        for name in ranked
    ]


def reason(error: str) -> str:
    """Return an error message without its paths, quoted names and numbers.

    >>> reason("data/net-7.tsv: 3 nodes; expected at least 10 ('x y')")
    '…: … nodes; expected at least … (…)'
    """
    pattern = (
        r"'[^']*'|\"[^\"]*\"|[^\s:;,]*[/\\][^\s:;,]*|[^\s:;,]+\.[a-z]\w*|\d[\d.,e+-]*(?<![.,])"
    )
    return re.sub(pattern, "…", error)


def _seconds(seconds: pd.Series) -> dict[str, float] | None:
    known = seconds.dropna().to_numpy(dtype=np.float64)
    if not len(known):
        return None
    return {"total": float(known.sum()), "median": float(np.median(known))}


def _headline(record: Mapping[str, Any]) -> str:
    networks = "1 network" if record["answered"] == 1 else f"{record['answered']} networks"
    parts = [
        _IN_WORDS[kind].format(f"{found['n']} ({found['share']:.0%})")
        for kind, found in record["verdicts"]["all"].items()
        if found["n"]
    ]
    return f"of {networks}: {'; '.join(parts)}" if parts else "no network was answered"


def _notes(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a careful reader should know about the summary."""
    none_fits, failed = record["none_fits"], record["networks"] - record["answered"]
    if failed:
        yield f"{failed} of {record['networks']} networks were not answered; the section Errors says why"
    if none_fits["limit"]:
        yield none_fits["limit"]
    if record["answered"]:
        yield (
            f"a network that one of these models made gets the verdict none-fits with a probability of "
            f"at most {record['alpha']:g}; in a cohort of {record['answered']} this can be up to "
            f"{mean_count(none_fits['expected_by_chance'])} networks on average"
        )
    if len(record["choosers"]) > 1:
        yield (
            f"the networks were answered from {len(record['choosers'])} sets of simulations; a "
            "comparison of groups also compares these sets"
        )
    if record["parameters"]:
        yield (
            "the tests of parameters use the medians of the posteriors; the intervals of the parameters "
            "are not propagated, so uncertain estimates count as much as certain ones"
        )
