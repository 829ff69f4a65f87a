"""The section that shows how the observed network differs from the simulations of each model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from netchoice.figures.data.fit_panels import TEXTS, FitPanel, fit_panels, percent, range_text
from netchoice.figures.interactive.fit_panels import fit_panel
from netchoice.figures.style import model_colour
from netchoice.markup import Html, element, join
from netchoice.profiles import Envelope
from netchoice.report.elements import Sections, aside, details, details_table, model_name
from netchoice.report.folder import ResultFolder

MOST_SHOWN = 3  # panels of each model; the others are shown on request
MOST_MODELS, MOST_DRAWN = 3, 10  # models that are shown at once, and that have panels at all


def add_fit(sections: Sections, folder: ResultFolder) -> None:
    """Add panels and explanations of the fit of each model, if the folder holds them."""
    misfit, record = folder.evidence.get("misfit"), folder.record
    if not misfit:
        return
    names = sorted(misfit, key=lambda name: -record["probabilities"][name])
    envelopes = {name: _envelopes(misfit[name]) for name in names[:MOST_DRAWN]}
    panels = {name: fit_panels(envelopes[name]) if name in envelopes else [] for name in names}
    blocks = [_block(sections, i, name, misfit[name], panels[name]) for i, name in enumerate(names)]
    n, rest = MOST_MODELS, len(names) - MOST_MODELS
    others = details(
        f"Show {rest} less probable {'model' if rest == 1 else 'models'}", join(blocks[n:])
    )
    not_near = record["fit"].get("not_near", {})  # folders of earlier versions lack it
    others_from = f" ({', '.join(not_near)}: from the prior)" if not_near else ""
    source = (
        "From each model, networks were simulated with parameters from its posterior, given the observed "
        f"network{others_from}. The lists say what still differs"
        if record["fit"]["local"]
        else "From each model, networks were simulated with parameters from its prior. The lists say what "
        "differs"
    )
    has_panels = any(panels.values())
    where = "; the panels show where" if has_panels else ""
    sections.add(
        "fit", "How well does each model fit?" if record["fits"] else "Why does no model fit?",
        f"{source}{where}. The most probable model comes first.",
        _legend() if has_panels else "", *blocks[:n], others if rest > 0 else "",
        _table(envelopes) if has_panels else "",
    )  # fmt: skip


def _envelopes(entry: Mapping[str, Any]) -> dict[str, Envelope]:
    return {name: Envelope.from_dict(panel) for name, panel in entry["panels"].items()}


def _verdict(entry: Mapping[str, Any]) -> str:
    return f"{'fits' if entry['fits'] else 'does not fit'} (p = {entry['p_value']:.2g})"


def _legend() -> Html:
    """Return how to read a panel, for eyes and for screen readers."""
    keys = {
        "observed": "observed network",
        "outside": "observed value outside the 95% range",
        "wide": "range of 95% of the simulations",
        "middle": "range of 50%, in the colour of the model",
    }
    items = [element("li", element("span", class_=f"key {key}"), keys[key]) for key in keys]
    note = (
        "⚠ marks a panel in which the observed line is farther outside the 95% ranges than the lines of "
        "95 in 100 simulations. About one value in 20 is outside by chance. Heights are square roots of "
        "shares, so that small shares can be seen."
    )
    return element("div", element("ul", *items, class_="keys"), element("p", note, class_="aside"))


def _block(
    sections: Sections, i: int, name: str, entry: Mapping[str, Any], panels: Sequence[FitPanel]
) -> Html:
    """Return what is known about one model: what differs, the panels, and what to try."""
    drawn = [_figure(sections, f"fit-{i}-{j}", name, panel) for j, panel in enumerate(panels)]
    n = min(sum(panel.differs for panel in panels) or MOST_SHOWN, MOST_SHOWN)
    first, others = (element("div", *some, class_="small") for some in (drawn[:n], drawn[n:]))
    titles = ", ".join(panel.text.title.lower() for panel in panels[n:])
    if panels:
        shown = first
    elif entry["panels"]:
        shown = aside("The panels of this model are in the folder, among the figures.")
    else:
        shown = aside("No distributions were compared, to stay within the time limit.")
    return element(
        "article",
        element("h3", model_name(name), f" {_verdict(entry)}", class_=None if entry["fits"] else "differs"),
        _list("What differs", entry["discrepancies"]) or aside("No feature differs clearly."),
        shown,
        details(f"Show {titles}", others) if titles else "",
        _list("What to try", entry["advice"]),
        id=f"fit-model-{i}",
    )  # fmt: skip


def _list(title: str, texts: Sequence[str]) -> Html:
    if not texts:
        return Html("")
    items = element("ul", *(element("li", text) for text in texts))
    return element("div", element("h4", title), items)


def _figure(sections: Sections, key: str, model: str, panel: FitPanel) -> Html:
    plot = sections.draw(
        key,
        fit_panel(panel, model_colour(model)),
        f"{panel.text.title} of {model}: {panel.sentence}",
    )
    title = element("h4", panel.text.title, class_="differs" if panel.differs else None)
    return element(
        "div", title, element("p", panel.sentence, class_="aside"), plot, class_="fit-panel"
    )


def _table(models: Mapping[str, Mapping[str, Envelope]]) -> Html:
    """Return all observed values with the 95 % range of each model; models have the same bins."""
    models = {name: own for name, own in models.items() if own}
    first = next(iter(models.values()), {})
    rows = [
        (TEXTS[name].title, label, percent(first[name].observed[i]),
         *(range_text(*own[name].quantiles[[0, -1], i]) for own in models.values()))
        for name in first
        for i, label in enumerate(first[name].labels)
    ]  # fmt: skip
    head = ("panel", "value", "observed", *models)
    return details_table(
        "Show the numbers as a table", "Ranges of 95% of the simulations", head, rows
    )
