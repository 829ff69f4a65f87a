"""The summary of a cohort: verdicts, models, parameters, their trends, and errors of many networks."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from netchoice.choice.cohort_frame import NAMING, OWN, CohortFrame
from netchoice.choice.text import wrapped
from netchoice.inference.false_discovery import RATE, adjusted_p_values, fewest_rejections
from netchoice.inference.sequential_test import ALPHA
from netchoice.inference.verdict import KINDS
from netchoice.inference.wilson_interval import wilson
from netchoice.units import count

MIN_NETWORKS = 5  # with a parameter, and in each level of a text


def parameter_trends(cohort: CohortFrame) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the tests of parameters against covariates, and the parameters in too few networks.

    A numeric covariate is tested with Spearman's rank correlation, a text and the group with
    Kruskal and Wallis's test over the values that at least five networks have. The p-values are
    adjusted over all tests. A network counts for its most probable model, if this model fits.
    """
    tests, skipped = [], []
    for parameter in cohort.parameters:
        medians = cohort.estimates(parameter)["median"]
        if len(medians) < MIN_NETWORKS:
            skipped.append(f"{parameter.model} {parameter.name}")
            continue
        for test in _tests(cohort, medians):
            tests.append({"model": parameter.model, "parameter": parameter.name, **test})
    q_values = adjusted_p_values([test["p_value"] for test in tests]).tolist()
    rows = [test | {"q_value": q} for test, q in zip(tests, q_values, strict=True)]
    return sorted(rows, key=lambda row: row["p_value"]), skipped


def _tests(cohort: CohortFrame, medians: pd.Series) -> Iterator[dict[str, Any]]:
    """Yield the test of each covariate for which one is possible."""
    names = [*(["group"] if cohort.groups else []), *cohort.covariates]
    for name in names:
        values = cohort.group if name == "group" else cohort.frame[name]
        known = values[medians.index].dropna()
        numeric = name != "group" and pd.api.types.is_numeric_dtype(known)
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


#: What outcomes say about networks that several models fit: their family, or that there are several.
FAMILY, SEVERAL = "family ", "several families"
MOST_LISTED = 500  # networks in a list of the record
MOST_EXAMPLES = 5
MOST_NAMES = 4  # of models or families in the headline
#: What a verdict is called.
IN_WORDS = {
    "one-fits": "one model fits", "several-fit": "several models fit", "borderline": "borderline",
    "none-fits": "none fits", "open": "not decided",
}  # fmt: skip


def summarise_cohort(
    cohort: CohortFrame, settings: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the summary of a cohort as a record that JSON can hold.

    The record counts verdicts and :func:`outcomes`, overall and by group. It adjusts the p-values of "none
    of these models fits" for the false discovery rate, relates parameters to covariates, and lists errors.
    ``settings`` is what the report lists as settings.
    """
    trends, skipped = parameter_trends(cohort)
    record = {
        "networks": len(cohort.frame),
        "answered": len(cohort.answered),
        "groups": cohort.groups[:MOST_LISTED],
        "models": list(cohort.models),
        "references": _counts(cohort.answered["reference"]),
        "verdicts": _verdicts(cohort),
        "named": _named(cohort),
        "probable": _probable(cohort),
        "none_fits": _none_fits(cohort),
        "parameters": trends,
        "parameters_skipped": skipped,
        "errors": _errors(cohort.frame),
        "seconds": _seconds(cohort.frame["seconds"]),
        "alpha": ALPHA,
        "settings": dict(settings or {}),
    }
    texts = {"headline": _headline(record), "notes": list(_notes(record)), "next": _next(record)}
    return record | texts


def _counts(values: pd.Series) -> dict[str, int]:
    """Return the number of networks with each value, the most frequent first."""
    return {str(name): int(n) for name, n in values.value_counts().items()}


def _verdicts(cohort: CohortFrame) -> dict[str, Any]:
    """Return the number of networks with each verdict, and Wilson's interval of its share."""
    found = cohort.answered["verdict"]
    counts = pd.crosstab(cohort.group[found.index], found).reindex(
        columns=list(KINDS), fill_value=0
    )
    groups = counts.reindex(cohort.groups[:MOST_LISTED], fill_value=0)
    by_group = {str(name): _shares(row) for name, row in groups.iterrows()}
    return {"all": _shares(counts.sum()), "by_group": by_group}


def _shares(counts: pd.Series) -> dict[str, Any]:
    """Return each number, its share, and the interval of the share; of no networks there is none."""
    of = int(counts.sum())
    return {
        str(kind): {
            "n": int(n), "of": of, "share": n / of if of else None,
            "interval": list(wilson(n / of, of)) if of else None,
        }
        for kind, n in counts.items()
    }  # fmt: skip


def outcomes(cohort: CohortFrame) -> pd.Series:
    """Return the outcome of each answered network: the named model, the family, or the verdict.

    If several models fit, the outcome is their family, such as "family duplication", or "several families".
    """
    rows = cohort.answered
    family = (FAMILY + rows["family"]).where(rows["family"] != "", SEVERAL)
    named = rows["model"].where(rows["verdict"] == NAMING, rows["verdict"])
    return named.where(rows["verdict"] != "several-fit", family)


def _probable(cohort: CohortFrame) -> dict[str, int]:
    """Return the number of networks of which each model is in the smallest set with 95% probability."""
    sets = cohort.answered["probable"].str.split(", ").explode()
    return _counts(sets[sets != ""].dropna())


def _named(cohort: CohortFrame) -> dict[str, dict[str, int]]:
    """Return by verdict the number of networks of each model or family that it names, or may name."""
    rows, names = cohort.answered, outcomes(cohort)
    names = names.where(rows["verdict"] != "borderline", rows["model"])
    return {
        kind: _counts(names[rows["verdict"] == kind])
        for kind in ("one-fits", "several-fit", "borderline")
        if (rows["verdict"] == kind).any()
    }


def _none_fits(cohort: CohortFrame) -> dict[str, Any]:
    """Return the adjusted p-values of "none of these models fits", and what to expect by chance."""
    p = cohort.none_fits_p
    q = pd.Series(adjusted_p_values(p), index=p.index)
    n_tests = int(p.notna().sum())
    columns = [f"fit_p_{model}" for model in cohort.models]
    floor = float(cohort.answered[columns].min().min())
    is_known = n_tests > 0 and 0 < floor < 1
    fewest = fewest_rejections(n_tests, floor) if is_known else 1
    n_rejected = int((q <= RATE).sum())
    return {
        "q_values": [None if math.isnan(each) else each for each in q],
        "rate": RATE,
        "rejected": n_rejected,
        "verdicts": int((cohort.answered["verdict"] == "none-fits").sum()),
        "expected_by_chance": ALPHA * n_tests,
        "floor": floor if is_known else None,
        "fewest": fewest,
        "limit": _limit(n_tests, floor, fewest) if fewest > 1 and not n_rejected else None,
    }


def _limit(n_tests: int, floor: float, fewest: int) -> str:
    return (
        f"the smallest p-value is {floor:.2g}, so at a false discovery rate of {RATE:g} no network can be "
        f"rejected among {n_tests} unless at least {fewest} are rejected together; more simulations of "
        "each model lower this number"
    )


def _errors(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return errors with the same reason together, the most frequent reason first."""
    failed = frame.loc[frame["error"] != "", ["id", "error"]].to_dict("records")
    found: dict[str, list[Any]] = {}
    for each in failed:
        found.setdefault(reason(each["error"].removeprefix(f"{each['id']}: ")), []).append(each)
    ranked = sorted(found, key=lambda name: (-len(found[name]), name))
    return [
        {"reason": name, "n": len(found[name]), "examples": found[name][:MOST_EXAMPLES]}
        for name in ranked[:MOST_LISTED]
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
    if not seconds.notna().any():
        return None
    return {"total": float(seconds.sum()), "median": float(seconds.median())}


def _headline(record: Mapping[str, Any]) -> str:
    counts = {kind: each["n"] for kind, each in record["verdicts"]["all"].items()}
    parts = [f"{IN_WORDS[kind]} {n}" for kind, n in counts.items() if n]
    networks = count(record["answered"], "network")
    return f"verdicts of {networks}: {', '.join(parts)}" if parts else "no network was answered"


def cohort_lines(record: Mapping[str, Any]) -> list[str]:
    """Return the summary of a cohort in lines of at most 100 characters."""
    verdicts, colon, _ = record["headline"].partition(":")
    lines = [verdicts + colon]
    for kind, each in record["verdicts"]["all"].items():
        if each["n"]:
            share = f"{each['n']} ({each['share']:.0%})"
            names = listed(record["named"].get(kind, {}))
            lines.append(f"  {IN_WORDS[kind]:<20} {share:>11}  {names}".rstrip())
    lines += [*record["notes"], f"next: {record['next']}"]
    return [part for line in lines for part in wrapped(line)]


def listed(counts: Mapping[str, int], most: int = MOST_NAMES) -> str:
    """Return names with their numbers, the most frequent first; names without a network are left out.

    >>> listed({"dmc": 2, "dmr": 4, "lpa": 0}), listed({"a": 3, "b": 2, "c": 1}, 2)
    ('dmr 4, dmc 2', 'a 3, 2 others 3')
    """
    ranked = sorted((name for name in counts if counts[name]), key=lambda name: -counts[name])
    shown = ranked if len(ranked) <= most else ranked[: most - 1]
    texts = [f"{name} {counts[name]}" for name in shown]
    rest = ranked[len(shown) :]
    texts += [f"{len(rest)} others {sum(counts[name] for name in rest)}"] if rest else []
    return ", ".join(texts)


def _notes(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a careful reader should know about the summary."""
    failed = record["networks"] - record["answered"]
    if failed:
        first = record["errors"][0]["examples"][0]
        yield (
            f"not answered: {failed} of {count(record['networks'], 'network')}, for example "
            f"{first['id']}: {first['error']}"
        )
    if record["answered"] > 1:
        yield from _about_p_values(record)
    n_sets = sum(n if text.endswith(OWN) else 1 for text, n in record["references"].items())
    if n_sets > 1:
        yield (
            f"{n_sets} sets of simulations answered; a comparison of groups also compares these sets"
        )
    if record["parameters"]:
        yield (
            "the tests of parameters use medians; uncertain estimates count as much as certain ones"
        )


def _about_p_values(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield when p-values decide, and when the false discovery rate does."""
    none_fits = record["none_fits"]
    expected = none_fits["expected_by_chance"]
    by_chance = f"{expected:.2g}" if expected < 10 else f"{expected:.0f}"
    yield (
        f"each verdict goes by the p-values of its network; by chance, none fits up to {by_chance} of "
        f"{record['answered']}"
    )
    yield (
        f"for the cohort, the false discovery rate decides: none fits {none_fits['rejected']} "
        f"(q of at most {none_fits['rate']:g}, tables/none-fits.csv)"
    )
    if none_fits["limit"]:
        yield none_fits["limit"]


def _next(record: Mapping[str, Any]) -> str:
    """Return the one thing to do next."""
    found = {kind: each["n"] for kind, each in record["verdicts"]["all"].items()}
    if not record["answered"]:
        return "do what the message says, or leave these networks out"
    if found["none-fits"]:
        return "see in the report how the networks that no model fits differ"
    if found["several-fit"] or found["borderline"]:
        return "larger networks of the same kind decide more; report what is undecided as such"
    return "see the parameters of each network in tables/answers.csv, and by group in the report"
