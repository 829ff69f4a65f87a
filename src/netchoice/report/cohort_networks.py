"""The section with all networks: rows that the reader sorts, filters and opens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from netchoice.choice.cohort_frame import CANDIDATE, CohortFrame
from netchoice.choice.cohort_summary import IN_WORDS, listed
from netchoice.figures.axes import short
from netchoice.inference.verdict import rounded
from netchoice.markup import Html, element, join
from netchoice.report.page import Sections, aside, cell, items, table

MOST_NETWORKS = 1000
MOST_CHARACTERS = 6_000_000  # of all rows, so that the page stays small
_LONGEST = 500  # characters of one text
_COLUMNS = ("network", "group", "verdict", "probable models, or how it differs", "probability",
            "p-value", "q-value")  # fmt: skip
#: Verdicts in the order in which they need attention.
_NOTABLE = ("none-fits", "open", "borderline", "several-fit", "one-fits")


def add_networks(sections: Sections, record: Mapping[str, Any], answers: CohortFrame) -> None:
    """Add a row for each network, first those that no model fits; very many are limited to the first."""
    q_values = np.array(record["none_fits"]["q_values"], dtype=np.float64)
    frame = answers.frame.assign(none_fits_p=answers.none_fits_p, none_fits_q=q_values)
    frame = frame[frame["error"] == ""]
    place = {kind: i for i, kind in enumerate(_NOTABLE)}
    frame = frame.iloc[np.lexsort((frame["none_fits_q"], frame["verdict"].map(place)))]
    rows, size = [], 0
    for network in frame.head(MOST_NETWORKS).to_dict("records"):
        rows.append(_row(network, answers))
        size += len(rows[-1])
        if size > MOST_CHARACTERS:
            break
    rest = len(frame) - len(rows)
    left_out = (
        f"The list has {len(rows)} of {len(frame)} networks. {rest} are left out; the table of answers has "
        "all."
    )
    sorters = (
        element("button", name, type="button", disabled=True, class_="sort", data_column=i)
        for i, name in enumerate(_COLUMNS)
    )
    head = element("div", *sorters, class_="row head")
    body = element("div", *rows, id="network-list")
    region = element(
        "div", head, body, class_="scroll networks", tabindex=0, role="region", aria_label="Rows"
    )  # fmt: skip
    sections.add(
        "networks", "All networks",
        "First networks that no model fits, then undecided and borderline ones. Open a row for how the "
        "network differs, or for the models that fit it or may fit it, and their parameters. The probable "
        "models are the smallest set with a probability of at least 0.95; the probability is that of the "
        "first. The p-value is the largest of all models, the q-value is adjusted for all networks.",
        aside(left_out) if rest else "",
        _controls() if rows else "", region if rows else aside("No network was answered."),
    )  # fmt: skip


def _controls() -> Html:
    """Return the filter, which the script shows."""
    field = element(
        "input", type="search", id="network-text", autocomplete="off", spellcheck="false"
    )
    words = "Contains these words, such as a verdict, a group or a model"
    label = element("label", words, for_="network-text")
    status = element("p", id="network-status", class_="aside", role="status")
    shown = element("p", label, field, class_="control"), status
    return element("div", *shown, id="network-controls", hidden=True)


def _row(network: Mapping[str, Any], answers: CohortFrame) -> Html:
    """Return the row of one network and what it opens to."""
    probability = _number(network.get(f"probability_{network['model']}"))
    shown = "–" if probability is None else rounded(probability)
    notes = [note for note in network["notes"].split("; ") if note]
    first = notes[0].partition(": ")[2] if notes else ""
    cells = [
        element("span", short(network["id"], 80), class_="name"),
        element("span", short(network["group"], 40) or "–"),
        element("span", IN_WORDS[network["verdict"]], class_=f"verdict {network['verdict']}"),
        element("span", short(network["probable"] or network["model"] or first, 80) or "–"),
        element("span", shown, data_value=probability),
        *(
            element("span", "–" if value is None else f"{value:.2g}", data_value=value)
            for value in (_number(network["none_fits_p"]), _number(network["none_fits_q"]))
        ),
    ]
    return element(
        "details",
        element("summary", *cells, class_="row"),
        element(
            "div",
            element("p", short(network["headline"], _LONGEST)) if network["headline"] else "",
            items(short(note, _LONGEST) for note in notes) if notes else "",
            _models(network, answers),
            element("p", _facts(network, answers), class_="aside"),
            class_="opened",
        ),
        class_="network",
    )


def _models(network: Mapping[str, Any], answers: CohortFrame) -> Html | str:
    """Return a table of the candidates with their parameters, and a line on the other models."""
    rows, others = [], Counter[str]()
    for model in answers.models:
        state = network[f"state_{model}"]
        probability, low, high, p = (
            _number(network[f"{kind}_{model}"])
            for kind in ("probability", "lower", "upper", "fit_p")
        )
        if state not in CANDIDATE and (state or not probability):
            others[state or "not a candidate"] += 1
            continue
        ends = " to ".join(rounded(end) for end in (low, high) if end is not None)
        shown = None if probability is None else rounded(probability)
        estimates = ", ".join(_estimates(network, answers, model))
        rows.append((model, state or None, shown, ends or None, p, estimates or None))
    rows.sort(key=lambda row: -(_number(network[f"probability_{row[0]}"]) or 0.0))
    head = ("model", "fit", "probability", "interval", "p-value of the fit", "parameters")
    name = short(network["id"], 80)
    found = table(f"Models that fit {name} or may fit it", head, rows) if rows else ""
    rest = listed({f"{state}:": n for state, n in others.items()})
    return join([found, element("p", f"The other models: {rest}.") if rest else ""])


def _estimates(network: Mapping[str, Any], answers: CohortFrame, model: str) -> Iterator[str]:
    """Yield the median and the interval of each parameter of a model."""
    for each in answers.parameters:
        if each.model == model and _number(network[each.column("median")]) is not None:
            median, low, high = (network[each.column(end)] for end in ("median", "lower", "upper"))
            yield f"{each.name} {median:.3g} ({low:.3g} to {high:.3g})"


def _facts(network: Mapping[str, Any], answers: CohortFrame) -> str:
    """Return what is known about the network beside its answer."""
    names = {"file": "file", "n_nodes": "nodes", "n_edges": "edges", "isolated": "isolated nodes",
             "reference": "simulations", "seconds": "CPU seconds"}  # fmt: skip
    names |= {name: name for name in answers.covariates}
    values = {label: network[name] for name, label in names.items()}
    known = (
        f"{short(label, 60)}: {short(cell(value), _LONGEST)}"
        for label, value in values.items()
        if not (pd.isna(value) or value == "")
    )
    return "; ".join(known)


def _number(value: Any) -> float | None:
    return None if value is None or not np.isfinite(float(value)) else float(value)
