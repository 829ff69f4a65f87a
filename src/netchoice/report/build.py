"""The HTML file of a report: text, style, scripts and data."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any

from plotly.offline import get_plotlyjs, get_plotlyjs_version

from netchoice.errors import NetchoiceError
from netchoice.figures.data.feature_sets import FeatureSets
from netchoice.figures.interactive.feature_sets import explorer_data
from netchoice.report import (
    sections_choice,
    sections_feature_sets,
    sections_fit,
    sections_parameters,
)
from netchoice.report.elements import Sections, details_table, flatten
from netchoice.report.folder import ResultFolder, naming_damage, read_folder
from netchoice.report.headline import Card, Headline, choice_headline, evaluation_headline
from netchoice.report.markup import Html, element, script_json

WITHOUT_SCRIPT = (
    "The figures, the controls, and the tables of accuracies over λ and k and of rankings need "
    "JavaScript; all other tables do not."
)


def write_report(folder: str | PathLike[str], path: str | PathLike[str] | None = None) -> Path:
    """Write the report of a result folder and return its path.

    The report is one HTML file that needs no other files and no network connection. You can open it
    from disk or send it by mail.

    Parameters
    ----------
    folder : path
        Folder that ``netchoice choose``, :func:`netchoice.choose_model` (with ``path``) or
        ``netchoice evaluate`` wrote.
    path : path of the report, by default ``report.html`` in the folder

    Examples
    --------
    >>> import netchoice, numpy as np, tempfile
    >>> network = netchoice.get_model("ba2").grow(20, rng=np.random.default_rng(1))
    >>> folder = tempfile.mkdtemp()
    >>> choice = netchoice.choose_model(network, "ba", samples=100, features=["degree_mean"],
    ...                                 time_limit=1, engine="serial", path=folder)
    >>> write_report(folder).name
    'report.html'
    """
    folder = Path(folder)
    with naming_damage(folder):
        results = read_folder(folder)
        text = _choice_page(results) if results.is_choice else _evaluation_page(results)
    path = folder / "report.html" if path is None else Path(path)
    try:
        # A file name may contain bytes that are not text.
        path.write_bytes(text.encode("utf-8", errors="replace"))
    except OSError as error:
        raise NetchoiceError(f"cannot write {path}: {error.strerror}") from error
    return path


def _choice_page(folder: ResultFolder) -> str:
    sections, record, sets = Sections(), folder.record, folder.feature_sets
    if not record["fits"]:
        sections_fit.add_fit(sections, folder)
    sections_choice.add_models(sections, record)
    if record["fits"]:
        sections_fit.add_fit(sections, folder)
    sections_parameters.add_parameters(sections, folder)
    sections_choice.add_embedding(sections, folder)
    sections_choice.add_features(sections, folder)
    _add_feature_sets(sections, sets, "" if sets is None else _note(record))
    sections_feature_sets.add_costs(sections, folder.costs, list(record["features"]), folder.unit)
    sections_choice.add_reliability(sections, folder)
    sections_choice.add_network(sections, folder)
    settings = record["settings"]
    groups = {
        "Arguments": {key: settings[key] for key in settings if key not in ("versions", "python")},
        "Versions": _versions(settings),
        "Features of the test of fit": {"features": record["fit"]["features"]},
        "Selection and cost": {"selection": record["selection"], "cost": record["cost"]},
    }
    _add_settings(sections, groups)
    name = Path(str(folder.reading.path)).name if folder.reading else ""
    return _page(choice_headline(record, name or "this network"), sections, sets)


def _evaluation_page(folder: ResultFolder) -> str:
    sections, record, sets = Sections(), folder.record, folder.feature_sets
    _add_feature_sets(sections, sets)
    chosen = record["recommended"]["features"]
    sections_feature_sets.add_costs(sections, folder.costs, chosen, folder.unit)
    arguments = {key: record[key] for key in ("train", "test", "costs")}
    groups = {"Arguments": arguments | record["settings"], "Versions": _versions(record)}
    _add_settings(sections, groups | {"The recommended set": record["recommended"]})
    return _page(evaluation_headline(record, folder.costs, folder.unit), sections, sets)


def _note(record: dict[str, Any]) -> str:
    """Return the methods, and why a cost may differ from that on the first screen."""
    source = ", extrapolated from smaller networks" if record["cost"]["extrapolated"] else ""
    return (
        f"The set was chosen from {', '.join(record['settings']['method'])}. The costs here were "
        f"measured on the simulations from which the features were selected{source}. The cost at the "
        "top was measured on the simulations from which the model was inferred, so the two can differ."
    )


def _versions(record: dict[str, Any]) -> dict[str, Any]:
    script = {"plotly.js (figures)": get_plotlyjs_version()}
    return {**record["versions"], "python": record["python"], **script}


def _add_feature_sets(sections: Sections, sets: FeatureSets | None, note: str = "") -> None:
    if sets is not None:
        sections_feature_sets.add_explorer(sections, sets, note)
        sections_feature_sets.add_heatmap(sections, sets)
        sections_feature_sets.add_rankings(sections, sets)


def _add_settings(sections: Sections, groups: dict[str, Any]) -> None:
    """Add every argument, seed and version."""
    tables = [
        details_table(title, title, ("name", "value"), flatten(record))
        for title, record in groups.items()
        if record
    ]
    explanation = "With these you can repeat the run."
    sections.add("settings", "Settings, seed and versions", explanation, *tables)


def _page(headline: Headline, sections: Sections, sets: FeatureSets | None) -> str:
    """Return the text of the HTML file."""
    # A browser normalizes line ends before it computes the hash.
    plotly = str(get_plotlyjs()).replace("\r\n", "\n").replace("\r", "\n")
    scripts = [plotly, _asset("report.js")]
    grid = None if sets is None else explorer_data(sets)
    packed = script_json({"figures": sections.figures, "grid": grid})
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(scripts)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"netchoice: {headline.title}"),
        element("style", Html(_asset("report.css"))),
    )
    body = element(
        "body",
        element("a", "Skip to the content", href="#answer", class_="skip"),
        element("header", element("p", "netchoice", class_="brand"), element("h1", headline.title)),
        element("main", _first_screen(headline), sections.contents(), sections.html()),
        element("noscript", element("p", WITHOUT_SCRIPT)),
        element("script", packed, type="application/json", id="data"),
        *(element("script", Html(script)) for script in scripts),
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def _first_screen(headline: Headline) -> Html:
    items = [element("li", note) for note in headline.notes]
    notes = element("div", element("h3", "Notes"), element("ul", *items)) if items else ""
    title = element("h2", "Summary", class_="hidden")
    verdict = element("p", headline.verdict, class_="headline")
    cards = element("div", *map(_card, headline.cards), class_="cards")
    return element("section", title, verdict, cards, notes, id="answer")


def _card(card: Card) -> Html:
    texts = {"question": card.question, "reply": card.answer, "rest": card.details}
    paragraphs = [element("p", text, class_=name) for name, text in texts.items()]
    return element("div", *paragraphs, class_="card warning" if card.warning else "card")


def _policy(scripts: list[str]) -> str:
    """Return a content policy that fetches nothing and runs only these scripts."""
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
        for script in scripts
    )
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _asset(name: str) -> str:
    return (files("netchoice.report") / "assets" / name).read_text(encoding="utf-8")
