"""The report of a cohort: one HTML file about many networks."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd
from plotly.offline import get_plotlyjs_version

from netchoice.figures.data.cohort import Simulations
from netchoice.figures.static.cohort_figures import draw_cohort
from netchoice.report import sections_cohort, sections_networks
from netchoice.report.elements import Sections, add_settings, model_name
from netchoice.report.headline import Card, Headline, sentence
from netchoice.report.page import html_page, write_page
from netchoice.stores import place
from netchoice.units import duration
from netchoice.workflows.answer_rows import CohortFrame
from netchoice.workflows.cohort_summary import mean_count

WITHOUT_SCRIPT = (
    "The figures, and sorting and filtering the networks, need JavaScript; all tables do not."
)


def write_cohort_report(
    folder: str | PathLike[str],
    record: Mapping[str, Any],
    answers: pd.DataFrame,
    features: pd.DataFrame | None = None,
    simulations: Simulations | None = None,
    *,
    paths: Mapping[str, str] | None = None,
) -> Path:
    """Write the report of a cohort and its figures to a folder; return the path of the report.

    ``report.html`` needs no other files and no network connection; ``figures`` has the figures as PNG
    files.

    Parameters
    ----------
    folder : path, created if it does not exist
    record : mapping, what :func:`netchoice.workflows.summarise_cohort` returned for these answers
    answers : DataFrame, one row for each network
    features : DataFrame, optional
        ``id`` and the features of each network, for the figures of the networks among the simulations.
    simulations : mapping, optional
        By the text of the chooser: features X and models y of its simulations, for the same figures.
    paths : mapping, optional
        By the text of the chooser: the path to pass to ``--with``. By default the text itself.

    Examples
    --------
    >>> import tempfile
    >>> from netchoice.workflows import summarise_cohort
    >>> answers = pd.DataFrame({"id": list("ab"), "model": "dmc", "verdict": "one-fits",
    ...     "probability_dmc": 1.0, "lower_dmc": 0.9, "upper_dmc": 1.0, "fit_p_dmc": 0.5})
    >>> write_cohort_report(tempfile.mkdtemp(), summarise_cohort(answers), answers).name
    'report.html'
    """
    folder = place(folder)
    folder.mkdir(parents=True, exist_ok=True)
    draw_cohort(answers, folder / "figures", features, simulations)
    text = cohort_page(record, answers, features, simulations, paths=paths)
    return write_page(text, folder / "report.html", overwrite=True)


def cohort_page(
    record: Mapping[str, Any],
    answers: pd.DataFrame,
    features: pd.DataFrame | None = None,
    simulations: Simulations | None = None,
    *,
    paths: Mapping[str, str] | None = None,
) -> str:
    """Return the text of the HTML file; the parameters are those of :func:`write_cohort_report`."""
    sections, cohort = Sections(), CohortFrame.of(answers)
    if len(cohort.answered):
        sections_cohort.add_verdicts(sections, record, cohort)
        sections_cohort.add_models(sections, record, cohort)
        sections_cohort.add_embeddings(sections, cohort, features, simulations)
        sections_cohort.add_parameters(sections, record, cohort)
        sections_cohort.add_misfits(sections, record)
    sections_networks.add_networks(sections, record, cohort, paths or {})
    sections_cohort.add_errors(sections, record)
    versions = {"plotly.js (figures)": get_plotlyjs_version()}
    choosers = {name or "not named": f"{n} networks" for name, n in record["choosers"].items()}
    tested = {"alpha": record["alpha"], "false discovery rate": record["none_fits"]["rate"],
              "smallest possible p-value": record["none_fits"]["floor"]}  # fmt: skip
    groups = {"Arguments": record["settings"], "Choosers": choosers, "Tests": tested}
    add_settings(sections, groups | {"Versions of the report": versions})
    return html_page(cohort_headline(record), sections, WITHOUT_SCRIPT, scripts=("cohort.js",))


def cohort_headline(record: Mapping[str, Any]) -> Headline:
    """Return the first screen for a cohort: four cards and notes."""
    n = record["networks"]
    title = f"Which models made these {n} networks?" if n > 1 else "Which model made this network?"
    cards = [_fit_card(record), _model_card(record), _misfit_card(record), _answered_card(record)]
    notes = [sentence(note) for note in record["notes"]]
    return Headline(title, sentence(str(record["headline"])), cards, notes)


def _fit_card(record: Mapping[str, Any]) -> Card:
    one, several = (record["verdicts"]["all"][kind] for kind in ("one-fits", "several-fit"))
    question = "How often is one model clearly the most probable?"
    if not one["of"]:
        return Card(question, "–", ["No network was answered."], True)
    low, high = one["interval"]
    details = [f"{one['share']:.0%} of the networks (95% interval {low:.0%} to {high:.0%})."]
    details += [f"Several models fit {several['n']} more."] if several["n"] else []
    return Card(question, f"{one['n']} of {one['of']}", details)


def _model_card(record: Mapping[str, Any]) -> Card:
    totals = {model: sum(counts.values()) for model, counts in record["named"]["all"].items()}
    ranked = sorted(totals, key=lambda model: -totals[model])
    if not any(totals.values()):
        return Card(
            "Which model is named most often?", "none", ["No model fits any network."], True
        )
    listed = ", ".join(f"{model} {totals[model]}" for model in ranked[:4])
    rest = f", {len(ranked) - 4} other models" if len(ranked) > 4 else ""
    details = [f"Networks by the model that fits and is the most probable: {listed}{rest}."]
    return Card("Which model is named most often?", model_name(ranked[0]), details)


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
