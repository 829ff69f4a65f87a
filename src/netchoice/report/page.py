"""One HTML file: style, script, data and words."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import Any

from netchoice.report.markup import Html, element, join, script_json, void
from netchoice.report.parts import Sheet, details, flat, table
from netchoice.report.words import Card, Told

WITHOUT_SCRIPT = (
    "The figures, the controls, and the tables of accuracies over λ and k and of rankings need "
    "JavaScript; all other tables do not."
)


def page(told: Told, sheet: Sheet, data: dict[str, Any]) -> str:
    """The whole file."""
    scripts = [_plotly(), _asset("report.js")]
    packed = script_json({"figures": sheet.figures, **data})
    head = element(
        "head",
        void("meta", charset="utf-8"),
        void("meta", http_equiv="Content-Security-Policy", content=_policy(scripts)),
        void("meta", name="viewport", content="width=device-width, initial-scale=1"),
        void("meta", name="color-scheme", content="light dark"),
        element("title", f"netchoice: {told.title}"),
        element("style", Html(_asset("report.css"))),
    )
    body = element(
        "body",
        element("a", "To the content", href="#answer", class_="skip"),
        _header(told),
        element("main", _answer(told), sheet.contents(), sheet.body()),
        element("noscript", element("p", WITHOUT_SCRIPT)),
        element("script", packed, type="application/json", id="data"),
        *(element("script", Html(script)) for script in scripts),
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def _header(told: Told) -> Html:
    return element("header", element("p", "netchoice", class_="brand"), element("h1", told.title))


def _answer(told: Told) -> Html:
    notes: Html | None = None
    if told.notes:
        items = [element("li", note) for note in told.notes]
        notes = element("div", element("h3", "To be kept in mind"), element("ul", *items))
    return element(
        "section",
        element("h2", "In short", class_="hidden"),
        element("p", told.headline, class_="headline"),
        element("div", *map(_card, told.cards), class_="cards"),
        notes or "",
        id="answer",
    )


def _card(card: Card) -> Html:
    return element(
        "div",
        element("p", card.question, class_="question"),
        element("p", card.answer, class_="reply"),
        element("p", card.rest, class_="rest"),
        class_="card warning" if card.warning else "card",
    )


def add_settings(sheet: Sheet, groups: dict[str, Any]) -> None:
    """Every parameter, seed and version."""
    shown = [
        details(title, table(title, ("name", "value"), flat(record)))
        for title, record in groups.items()
        if record
    ]
    sheet.add(
        "settings",
        "Settings, seed and versions",
        "With these the run can be repeated.",
        join(shown),
    )


def _policy(scripts: list[str]) -> str:
    """Nothing is fetched, and no script runs but these."""
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


def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    # The parser of a page turns other ends of line into this one before it takes the hash.
    return str(get_plotlyjs()).replace("\r\n", "\n").replace("\r", "\n")
