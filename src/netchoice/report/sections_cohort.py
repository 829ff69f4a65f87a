"""Sections of the report of a cohort: verdicts, models, embedding, parameters, misfits, errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from netchoice.figures.data.cohort import (
    ALL,
    MOST_GROUPS,
    MOST_PANELS,
    VERDICT_STYLES,
    CohortEmbedding,
    Simulations,
    category_styles,
    cohort_embeddings,
    model_counts,
    parameter_panels,
    sorted_probabilities,
    verdict_counts,
)
from netchoice.figures.interactive import cohort as figures
from netchoice.markup import Html, element, join
from netchoice.report.elements import Sections, aside, details_table, table
from netchoice.workflows.answer_rows import CohortFrame
from netchoice.workflows.cohort_summary import mean_count

MOST_ROWS = 200  # of a table


def add_verdicts(sections: Sections, record: Mapping[str, Any], answers: CohortFrame) -> None:
    """Add the share of each verdict, overall and by group, and what chance alone explains."""
    verdicts, none_fits = record["verdicts"], record["none_fits"]
    by_chance = mean_count(none_fits["expected_by_chance"])
    rows = [
        (
            group,
            kind,
            found["n"],
            found["of"],
            _percent(found["share"]),
            _interval(found["interval"]),
        )
        for group, kinds in {ALL: verdicts["all"], **verdicts["by_group"]}.items()
        for kind, found in kinds.items()
    ]
    head = ("group", "verdict", "networks", "of", "share", "95% interval")
    drawn = figures.group_bars(verdict_counts(answers), VERDICT_STYLES)
    sections.add(
        "verdicts", "Verdicts",
        "one-fits: one model fits and is clearly the most probable. several-fit: several models fit. "
        "undetermined: the models cannot be distinguished. none-fits: none of these models fits. Numbers "
        "in the bars are networks.",
        sections.draw("verdicts", drawn, "Bar chart of the verdicts by group"),
        aside(
            f"{none_fits['verdicts']} networks have the verdict none-fits. If one of these models made "
            f"every network, up to {by_chance} would have it on average, because "
            f"each network is tested at alpha = {record['alpha']:g}. {none_fits['rejected']} networks are "
            f"rejected at a false discovery rate of {none_fits['rate']:g}: at most that share of these "
            "rejections is expected to be wrong."
        ),
        aside(_sentence(none_fits["limit"])) if none_fits["limit"] else "",
        _limited("Show the numbers as a table", "Wilson's intervals, as if the networks were a random "
                 "sample", head, rows),
    )  # fmt: skip


def add_models(sections: Sections, record: Mapping[str, Any], answers: CohortFrame) -> None:
    """Add how often each model is named, by group, and the probabilities of all networks."""
    named = record["named"]
    rows = [
        (group, model, counts["one-fits"], counts["several-fit"])
        for group, models in {ALL: named["all"], **named["by_group"]}.items()
        for model, counts in models.items()
    ]
    head = ("group", "model", "named, one-fits", "named, several-fit")
    data = sorted_probabilities(answers)
    counted = model_counts(answers)
    bars = figures.group_bars(counted, category_styles(list(counted)))
    probabilities: Html | str = ""
    if data.values.size:
        probabilities = join([
            element("h3", "Probabilities of all networks"),
            sections.draw("probabilities", figures.probabilities(data),
                          "Stacked columns of the model probabilities of each network"),
            aside(
                "Each column is a network. The probabilities assume that one of the models made the "
                "network; for a network with the verdict none-fits they are no evidence."
                + _sample(len(data.ids), data.n_all)
            ),
        ])  # fmt: skip
    sections.add(
        "models", "Models by group",
        "A model is named for a network if it fits and is the most probable. Networks for which no model "
        "is named are shown with their verdict.",
        sections.draw("named", bars, "Bar chart of the named models by group"),
        probabilities,
        _limited("Show the numbers as a table", "Networks for which a model is named", head, rows),
    )  # fmt: skip


def add_embeddings(
    sections: Sections, answers: CohortFrame, features: pd.DataFrame | None,
    simulations: Simulations | None,
) -> None:  # fmt: skip
    """Add the networks among the simulations, one figure for each chooser."""
    found = [] if features is None else cohort_embeddings(answers, features, simulations or {})
    if not found:
        return
    blocks = []
    for i, data in enumerate(found):
        drawn = sections.draw(
            f"embedding-{i}",
            figures.embedding(data),
            f"Scatter plot of the networks: {data.chooser}",
        )
        blocks += [element("h3", data.chooser or "all networks"), drawn, aside(_placed(data))]
    n_choosers = answers.answered["chooser"].nunique()
    rest = (
        f" The figures show {len(found)} of {n_choosers} choosers."
        if n_choosers > len(found)
        else ""
    )
    sections.add(
        "embedding", "The networks among the simulations",
        "Grey points are simulated networks; similar networks are close to each other. Coloured points are "
        "the networks of the cohort, by verdict. A network that lies apart from all grey points is outside "
        "the simulated range. Hover over a point for its name; click a name in the legend to hide its "
        "points." + rest,
        *blocks,
    )  # fmt: skip


def _placed(data: CohortEmbedding) -> str:
    embedding = data.embedding
    lacking = (
        f" {data.n_lacking} networks lack a feature and are left out." if data.n_lacking else ""
    )
    return (
        f"The distances in the plane have a correlation of {embedding.pearson:.2f} with the distances "
        f"between the networks in {len(embedding.features)} features (distance correlation "
        f"{embedding.distance_correlation:.2f}).{lacking}"
        + _sample(len(data.networks), data.n_all - data.n_lacking)
    )


def add_parameters(sections: Sections, record: Mapping[str, Any], answers: CohortFrame) -> None:
    """Add the parameters of the named models, by group and against covariates."""
    panels = parameter_panels(answers, record["parameters"])
    if not panels:
        return
    drawn = [
        sections.draw(
            f"parameter-{i}", figures.parameter(panel),
            f"{panel.model} {panel.parameter} by {panel.covariate}",
        )
        for i, panel in enumerate(panels)
    ]  # fmt: skip
    rows = [_trend(row) for row in record["parameters"]]
    head = ("parameter", "covariate", "test", "networks", "ρ, or medians", "p-value", "q-value")
    skipped = ", ".join(record["parameters_skipped"])
    limits = _shown(len(panels), len(answers.groups))
    sections.add(
        "parameters", "Parameters",
        "Points are medians of posteriors, lines are their intervals. A network counts for the model that is "
        "named for it. By group, networks are sorted by their median.",
        element("div", *drawn, class_="small"),
        aside(limits) if limits else "",
        _limited("Show the tests of parameters against covariates",
                 "Spearman's rank correlation for numbers, Kruskal–Wallis for texts; q-values are adjusted "
                 "over all tests", head, rows) if rows else "",
        aside(
            "The tests use the medians. The intervals of the parameters are not propagated. The q-value "
            "is the p-value adjusted for the false discovery rate."
        ) if rows else "",
        aside(f"Estimates in fewer than five networks, not shown: {skipped}.") if skipped else "",
    )  # fmt: skip


def _shown(n_panels: int, n_groups: int) -> str:
    """Return which panels and groups are shown, if some are not."""
    texts = []
    if n_panels == MOST_PANELS:
        texts.append(
            f"At most {MOST_PANELS} panels are shown: first by group, then smallest p-values."
        )
    if n_groups > MOST_GROUPS:
        texts.append(f"By group, the panels show the {MOST_GROUPS} largest of {n_groups} groups.")
    return " ".join(texts)


def _trend(row: Mapping[str, Any]) -> tuple[Any, ...]:
    if row["rho"] is not None:
        effect = f"ρ = {row['rho']:.2f}".replace("-", "−")
    else:
        shown = list(row["medians"].items())[:6]
        effect = ", ".join(f"{name} {value:.3g}" for name, value in shown)
        effect += ", …" if len(row["medians"]) > 6 else ""
    return (
        f"{row['model']} {row['parameter']}", row["covariate"], row["test"], row["n"], effect,
        float(f"{row['p_value']:.3g}"), float(f"{row['q_value']:.3g}"),
    )  # fmt: skip


def add_misfits(sections: Sections, record: Mapping[str, Any]) -> None:
    """Add the networks that no model fits, and why."""
    none_fits = record["none_fits"]
    if not none_fits["verdicts"]:
        return
    rows = [
        (one["id"], one["group"] or "–", one["nearest"], one["p_value"], one["q_value"],
         "; ".join(one["notes"]) or "–")
        for one in none_fits["networks"]
    ]  # fmt: skip
    head = ("network", "group", "nearest model", "p-value", "q-value", "notes")
    sections.add(
        "misfits", "Networks that none of these models fits",
        "The p-value is the largest of all models. The q-value is the p-value adjusted for the number of "
        "networks (false discovery rate). The nearest model is not evidence for this model.",
        _table_of("Smallest q-value first", head, rows, none_fits["verdicts"]),
    )  # fmt: skip


def add_errors(sections: Sections, record: Mapping[str, Any]) -> None:
    """Add the errors, grouped by reason."""
    errors = record["errors"]
    if not errors:
        return
    rows = [
        (one["reason"], one["n"], "; ".join(each["id"] for each in one["examples"]),
         one["examples"][0]["error"])
        for one in errors
    ]  # fmt: skip
    head = ("reason", "networks", "for example", "message of the first")
    sections.add(
        "errors", "Errors",
        "These networks have no answer. Paths, names and numbers in a reason are replaced by “…”, so that "
        "errors with the same reason count together.",
        _table_of("Most frequent reason first", head, rows, len(rows)),
    )  # fmt: skip


def _table_of(caption: str, head: tuple[str, ...], rows: list[Any], n_all: int) -> Html:
    """Return a table of the first rows, and how many are left out."""
    shown = rows[:MOST_ROWS]
    rest = n_all - len(shown)
    return join(
        [table(caption, head, shown), aside(f"{rest} more are left out here.") if rest else ""]
    )


def _limited(summary: str, caption: str, head: tuple[str, ...], rows: list[Any]) -> Html:
    """Return a hidden table of the first rows, with the number of those left out."""
    rest = max(0, len(rows) - MOST_ROWS)
    caption += f"; {rest} more rows are left out" if rest else ""
    return details_table(summary, caption, head, rows[:MOST_ROWS])


def _sample(shown: int, n_all: int) -> str:
    return (
        f" The figure shows an even sample of {shown} of {n_all} networks." if shown < n_all else ""
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"


def _interval(ends: list[float] | None) -> str:
    return "–" if ends is None else f"{ends[0]:.1%} to {ends[1]:.1%}"
