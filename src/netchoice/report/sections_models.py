"""Sections about all models: what they are, their probabilities and fit, families, screening."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from netchoice.figures.interactive import models
from netchoice.markup import Html, element
from netchoice.models.space import FAMILIES
from netchoice.report.elements import Sections, model_name, table
from netchoice.report.model_texts import model_text
from netchoice.workflows.choice_text import format_probability


def add_models(sections: Sections, record: Mapping[str, Any]) -> None:
    """Add the probability and the fit of each model and family."""
    n_drawn = min(models.MOST_BARS, len(record["intervals"]))
    rest = len(record["intervals"]) - n_drawn
    shown = f" The figure shows the {n_drawn} most probable models, the table all." if rest else ""
    sections.add(
        "models", "Probability and fit of each model",
        "A bar is the probability that a model made the network, given that one of the models did. The "
        "line across its end is the interval of that probability. A model fits if the p-value of its fit "
        f"is above {record['fit']['alpha']:g}.{shown}",
        sections.draw("models", models.probabilities(record), "Bar chart of the probabilities"),
        _models_table(record), _families_table(record),
    )  # fmt: skip


def _models_table(record: Mapping[str, Any]) -> Html:
    """Return a row for each compared model, the most probable first."""
    alpha, p_values = record["fit"]["alpha"], record["fit_p_values"]
    rows = [
        (model_name(name), format_probability(record["probabilities"][name]),
         " to ".join(map(format_probability, record["intervals"][name])), f"{p_values[name]:.3g}",
         "yes" if p_values[name] > alpha else "no", _description(name))
        for name in sorted(record["intervals"], key=lambda name: -record["probabilities"][name])
    ]  # fmt: skip
    head = ("model", "probability", "interval", "p-value of the fit", "fits", "what it is")
    return table("Compared models, the most probable first", head, rows)


def _description(name: str) -> Html | None:
    known = model_text(name)
    if not known.sentence:
        return None
    # The references of a mixture are those of its two models.
    shown = f" {known.reference}." if known.reference and "+" not in name else ""
    return element("span", known.sentence, element("span", shown, class_="reference"))


def _families_table(record: Mapping[str, Any]) -> Html | str:
    """Return the probability of each family, if there are several."""
    specs: list[dict[str, Any]] = (record.get("space") or {}).get("models", [])
    rows = []
    for family, probability in record["families"].items():
        names = [spec["name"] for spec in specs if spec["family"] == family]
        compared = ", ".join(names) or "none, all were discarded by screening"
        rows.append((family, format_probability(probability), FAMILIES.get(family), compared))
    head = ("family", "probability", "what the models share", "models compared")
    return table("Families of models, the most probable first", head, rows) if rows else ""


def add_screening(sections: Sections, record: Mapping[str, Any]) -> None:
    """Add the p-values of a large space's models, of which some were discarded first."""
    screening = record["screening"]
    if screening is None:
        return
    p_values, kept = screening["p_values"], screening["kept"]
    rows: list[tuple[Any, ...]] = [
        (model_name(name), f"{p_values[name]:.2g}", screening["simulations"][name],
         "compared" if name in kept else "discarded, probability 0", _description(name))
        for name in sorted(p_values, key=lambda name: -p_values[name])
    ]  # fmt: skip
    rows += [
        (model_name(name), None, 0, "never has this density", _description(name))
        for name in screening["unmatched"]
    ]
    sections.add(
        "screening", "Models that were discarded first",
        f"{len(rows)} models were screened with {len(screening['features'])} cheap features; {len(kept)} "
        "were compared. A p-value is the share of simulations of a model that are at most as typical of "
        f"it as the network. A model with a p-value of at most {screening['alpha']:g} was discarded; at "
        "least three models are always compared.",
        table("Screened models, the most typical first",
              ("model", "p-value", "simulations", "result", "what it is"), rows),
        fold=f"Show all {len(rows)} screened models",
    )  # fmt: skip
