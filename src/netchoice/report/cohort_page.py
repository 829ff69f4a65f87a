"""The report of a cohort: one HTML file about many networks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from netchoice.choice.cohort_frame import CohortFrame
from netchoice.choice.cohort_summary import listed, mean_count
from netchoice.figures import cohort_figures
from netchoice.figures.cohort_figures import (
    ALL,
    MOST_GROUPS,
    MOST_PANELS,
    VERDICT_STYLES,
    CohortEmbedding,
    Simulations,
    category_styles,
    cohort_embeddings,
    cohort_styles,
    draw_cohort,
    family_counts,
    family_styles,
    model_counts,
    parameter_panels,
    probability_height,
    sorted_probabilities,
    verdict_counts,
)
from netchoice.figures.style import SeriesStyle
from netchoice.inference.verdict import KINDS
from netchoice.markup import Html, element, join
from netchoice.report.cohort_networks import add_networks
from netchoice.report.page import (
    WIDE_SIZE,
    Card,
    Headline,
    Sections,
    add_settings,
    aside,
    details_table,
    html_page,
    model_name,
    panels,
    sentence,
    table,
    write_page,
)
from netchoice.stores import place
from netchoice.units import count, duration

MOST_ROWS = 200  # of a table
WITHOUT_SCRIPT = (
    "Larger figures, and sorting and filtering the networks, need JavaScript; all tables do not."
)


def write_cohort_report(
    folder: str | PathLike[str],
    record: Mapping[str, Any],
    answers: pd.DataFrame,
    features: pd.DataFrame | None = None,
    simulations: Simulations | None = None,
    *,
    options: Mapping[str, Sequence[str]] | None = None,
) -> Path:
    """Write the report of a cohort and its figures to a folder; return the path of the report.

    ``report.html`` needs no other files and no network connection; ``figures`` has the figures as PNG
    files.

    Parameters
    ----------
    folder : path, created if it does not exist
    record : mapping, what :func:`netchoice.choice.cohort_summary.summarise_cohort` returned for these answers
    answers : DataFrame, one row for each network
    features : DataFrame, optional
        ``id`` and the features of each network, for the figures of the networks among the simulations.
    simulations : mapping, optional
        By the text of the reference: features X and models y of its simulations, for the same figures.
    options : mapping, optional
        By the text of the reference: options of ``netchoice choose`` with which a network of the cohort gets
        an answer from the same simulations. Without these, the page does not state the command.

    Examples
    --------
    >>> import tempfile
    >>> from netchoice.choice.cohort_summary import summarise_cohort
    >>> answers = pd.DataFrame({"id": list("ab"), "model": "dmc", "verdict": "one-fits",
    ...     "probability_dmc": 1.0, "lower_dmc": 0.9, "upper_dmc": 1.0, "fit_p_dmc": 0.5})
    >>> write_cohort_report(tempfile.mkdtemp(), summarise_cohort(answers), answers).name
    'report.html'
    """
    folder = place(folder)
    folder.mkdir(parents=True, exist_ok=True)
    draw_cohort(answers, folder / "figures", features, simulations)
    text = cohort_page(record, answers, features, simulations, options=options)
    return write_page(text, folder / "report.html", overwrite=True)


def cohort_page(
    record: Mapping[str, Any],
    answers: pd.DataFrame,
    features: pd.DataFrame | None = None,
    simulations: Simulations | None = None,
    *,
    options: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """Return the text of the HTML file; the parameters are those of :func:`write_cohort_report`."""
    sections, cohort = Sections(), CohortFrame.of(answers)
    if len(cohort.answered):
        add_verdicts(sections, record, cohort)
        add_models(sections, record, cohort)
        add_embeddings(sections, record, cohort, features, simulations)
        add_parameters(sections, record, cohort)
        add_misfits(sections, record)
    add_networks(sections, record, cohort, options or {})
    add_errors(sections, record)
    used = {name or "not named": f"{n} networks" for name, n in record["references"].items()}
    tested = {"alpha": record["alpha"], "false discovery rate": record["none_fits"]["rate"],
              "smallest possible p-value": record["none_fits"]["floor"]}  # fmt: skip
    groups = {"Arguments": record["settings"], "Simulations": used, "Tests": tested}
    add_settings(sections, groups)
    return html_page(cohort_headline(record, cohort_styles(cohort)), sections, WITHOUT_SCRIPT)


def cohort_headline(
    record: Mapping[str, Any], styles: Mapping[str, SeriesStyle] | None = None
) -> Headline:
    """Return the first screen for a cohort: four cards and notes."""
    n = record["networks"]
    title = f"Which models made these {n} networks?" if n > 1 else "Which model made this network?"
    cards = [
        _fit_card(record),
        _model_card(record, styles or {}),
        _misfit_card(record),
        _answered_card(record),
    ]
    notes = [sentence(note) for note in record["notes"]]
    return Headline(title, sentence(str(record["headline"])), cards, notes)


def _fit_card(record: Mapping[str, Any]) -> Card:
    found = record["verdicts"]["all"]
    one, question = found["one-fits"], "For how many networks is one model named?"
    if not one["of"]:
        return Card(question, "–", ["No network was answered."], True)
    low, high = one["interval"]
    details = [
        f"One model fits and is by far the most probable: {one['share']:.0%} of the networks (95% interval "
        f"{low:.0%} to {high:.0%})."
    ]
    others = {
        "several models fit or may fit:": found["several-fit"]["n"],
        "no model fits for certain:": found["borderline"]["n"],
        "not decided:": found["open"]["n"],
    }
    details += [sentence(text) for text in [listed(others)] if text]
    return Card(question, f"{one['n']} of {one['of']}", details)


def _model_card(record: Mapping[str, Any], styles: Mapping[str, SeriesStyle]) -> Card:
    question = "Which model is named most often?"
    named = {model: counts["named"] for model, counts in record["named"]["all"].items()}
    families = {name: sum(own.values()) for name, own in record["families"]["all"].items()}
    known = f"Networks by family of mechanisms: {listed(families)}."
    details = [known] if any(families.values()) else []
    if not any(named.values()):
        return Card(question, "none", details or ["No model is named for any network."], True)
    first = max(named, key=lambda model: named[model])
    details = [f"Networks by named model: {listed(named)}.", *details]
    return Card(question, model_name(first, styles.get(first)), details)


def _misfit_card(record: Mapping[str, Any]) -> Card:
    none_fits = record["none_fits"]
    details = [
        f"{none_fits['rejected']} at a false discovery rate of {none_fits['rate']:g}.",
        f"Up to {mean_count(none_fits['expected_by_chance'])} are expected by chance.",
    ]
    answer = f"{none_fits['verdicts']} of {record['answered']}"
    return Card(
        "How many networks fit none of the models?", answer, details, none_fits["verdicts"] > 0
    )


def _answered_card(record: Mapping[str, Any]) -> Card:
    failed, seconds = record["networks"] - record["answered"], record["seconds"]
    details = [f"{failed} {'error' if failed == 1 else 'errors'}."] if failed else []
    if seconds:
        details.append(f"Median {duration(seconds['median'])} per network.")
        details.append(f"{duration(seconds['total'])} in total.")
    answer = f"{record['answered']} of {record['networks']}" if failed else "Yes"
    return Card("Was every network answered?", answer, details, failed > 0)


def add_verdicts(sections: Sections, record: Mapping[str, Any], answers: CohortFrame) -> None:
    """Add the share of each verdict, overall and by group, and what to expect by chance."""
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
    sections.add(
        "verdicts", "Verdicts",
        " ".join(f"{kind}: {text}." for kind, text in KINDS.items())
        + " Numbers in the bars are networks.",
        _bars(sections, "verdicts", verdict_counts(answers), VERDICT_STYLES),
        aside(
            f"Verdict none-fits: {count(none_fits['verdicts'], 'network')}. If one of these models made "
            f"every network, up to {by_chance} would have this verdict on average, because each model is "
            f"tested at alpha = {record['alpha']:g}. Rejected at a false discovery rate of "
            f"{none_fits['rate']:g}: {count(none_fits['rejected'], 'network')}; at most that share of these "
            "rejections is expected to be wrong."
        ),
        aside(sentence(none_fits["limit"])) if none_fits["limit"] else "",
        _limited("Show the numbers as a table", "Wilson's intervals, as if the networks were a random "
                 "sample", head, rows),
    )  # fmt: skip


def add_models(sections: Sections, record: Mapping[str, Any], answers: CohortFrame) -> None:
    """Add how often each model and family is named, by group, and the probabilities of all networks."""
    named, families = record["named"], record["families"]
    rows = [
        (group, model, counts["named"], counts["probable"])
        for group, models in {ALL: named["all"], **named["by_group"]}.items()
        for model, counts in models.items()
        if any(named["all"][model].values())
    ]
    family_rows = [
        (group, family, counts["one-fits"], counts["several-fit"])
        for group, found in {ALL: families["all"], **families["by_group"]}.items()
        for family, counts in found.items()
    ]
    head = ("group", "model", "named", "probable, several models fit")
    family_head = ("group", "family", "one model named", "several models fit")
    counted, by_family = model_counts(answers), family_counts(answers)
    styles = category_styles(list(counted), cohort_styles(answers))
    drawn = [_bars(sections, "named models", counted, styles)]
    if by_family is not None:
        drawn.append(_bars(sections, "families", by_family, family_styles(list(by_family))))
    drawn += _probabilities(sections, answers)
    sections.add(
        "models", "Models by group",
        "A model is named for a network if it fits and is by far the most probable. A family is named if a "
        "model fits and the models of this family have a probability of at least 0.95 together. Other "
        "networks are shown with their verdict.",
        panels(drawn, "pairs"),
        _limited("Show the models as a table", "Networks for which a model is named, or is in the smallest "
                 "set with a probability of 0.95", head, rows) if rows else "",
        _limited("Show the families as a table", "Networks for which a family is named", family_head,
                 family_rows) if family_rows else "",
    )  # fmt: skip


def _probabilities(sections: Sections, answers: CohortFrame) -> list[Html]:
    """Return the probabilities of all networks that a model may fit."""
    data = sorted_probabilities(answers)
    if not data.values.size:
        return []
    left_out = count(data.n_without, "network")
    without = f" Left out: {left_out} that no model fits." if data.n_without else ""
    return [element(
        "div",
        element("h3", "Probabilities of all networks"),
        sections.draw(
            "Stacked bars of the model probabilities of each network.",
            partial(cohort_figures.probability_rows, data), (WIDE_SIZE[0], probability_height(data)),
        ),
        aside(
            "Each row is a network. The probabilities assume that one of the models made the network."
            + without + _sample(len(data.ids), data.n_all)
        ),
    )]  # fmt: skip


def _bars(sections: Sections, what: str, counts: pd.DataFrame, styles: Mapping[str, Any]) -> Html:
    """Return a bar for each group, divided by category."""
    shares = ", ".join(f"{name} {n}" for name, n in counts.iloc[0].items() if n)
    return sections.draw(
        f"Bar chart of the {what} by group; {counts.index[0]}: {shares}.",
        partial(cohort_figures.group_bars, counts, styles), (WIDE_SIZE[0], 1.0 + 0.25 * len(counts)),
    )  # fmt: skip


def add_embeddings(
    sections: Sections, record: Mapping[str, Any], answers: CohortFrame, features: pd.DataFrame | None,
    simulations: Simulations | None,
) -> None:  # fmt: skip
    """Add the networks among the simulations, one figure for each shared reference."""
    found = [] if features is None else cohort_embeddings(answers, features, simulations or {})
    if not found:
        return
    blocks = []
    for data in found:
        drawn = sections.draw(
            f"Map of the networks among simulations of {data.reference}.",
            partial(cohort_figures.embedding_map, data), WIDE_SIZE,
        )  # fmt: skip
        title = element("h3", data.reference or "all networks")
        blocks.append(element("div", title, drawn, aside(_placed(data))))
    n_all = len(record["references"])
    rest = f" The figures show {len(found)} of {n_all} sets of simulations." * (n_all > len(found))
    sections.add(
        "embedding", "The networks among the simulations",
        "Grey points are simulated networks; similar networks are close to each other. Coloured points are "
        "the networks of the cohort, by verdict. A network that lies apart from all grey points is outside "
        "the simulated range. Point at a network to see its name." + rest,
        panels(blocks, "pairs"),
    )  # fmt: skip


def _placed(data: CohortEmbedding) -> str:
    embedding = data.embedding
    lacking = (
        f" Left out: {count(data.n_lacking, 'network')} without a feature."
        if data.n_lacking
        else ""
    )
    return (
        f"The distances in the plane have a correlation of {embedding.pearson:.2f} with the distances "
        f"between the networks in {len(embedding.features)} features (distance correlation "
        f"{embedding.distance_correlation:.2f}).{lacking}"
        + _sample(len(data.networks), data.n_all - data.n_lacking)
    )


def add_parameters(sections: Sections, record: Mapping[str, Any], answers: CohortFrame) -> None:
    """Add the parameters of models that fit, by group and against covariates."""
    found = parameter_panels(answers, record["parameters"])
    if not found:
        return
    drawn = [
        sections.draw(
            f"Estimates of {panel.model} {panel.parameter} by {panel.covariate}.",
            partial(cohort_figures.draw_panel, panel=panel),
        )
        for panel in found
    ]
    rows = [_trend(row) for row in record["parameters"]]
    head = ("parameter", "covariate", "test", "networks", "ρ, or medians", "p-value", "q-value")
    skipped = ", ".join(record["parameters_skipped"])
    limits = _shown(len(found), len(answers.groups))
    sections.add(
        "parameters", "Parameters",
        "Points are medians of posteriors, lines are their intervals. A network counts for its most probable "
        "model, if this model fits. By group, networks are sorted by their median.",
        panels(drawn),
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
        (
            one["id"],
            one["group"] or "–",
            one["p_value"],
            one["q_value"],
            "; ".join(one["notes"]) or "–",
        )
        for one in none_fits["networks"]
    ]
    head = ("network", "group", "p-value", "q-value", "how it differs")
    sections.add(
        "misfits", "Networks that none of these models fits",
        "The p-value is the largest of all models. The q-value is the p-value adjusted for the number of "
        "networks (false discovery rate). The last column compares the network with the model that is "
        "nearest to it, which does not fit either.",
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


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"


def _interval(ends: list[float] | None) -> str:
    return "–" if ends is None else f"{ends[0]:.1%} to {ends[1]:.1%}"
