"""The HTML file: style, scripts, data and text."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import Any

from netchoice.report.elements import Sections
from netchoice.report.headline import Card, Headline
from netchoice.report.markup import Html, element, script_json

WITHOUT_SCRIPT = (
    "The figures, the controls, and the tables of accuracies over λ and k and of rankings need "
    "JavaScript; all other tables do not."
)


def page(headline: Headline, sections: Sections, data: dict[str, Any]) -> str:
    """Return the text of the HTML file."""
    scripts = [_plotly(), _asset("report.js")]
    packed = script_json({"figures": sections.figures, **data})
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(scripts)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"netchoice: {headline.title}"),
        element("style", Html(_asset("report.css"))),
    )
    brand = element("p", "netchoice", class_="brand")
    body = element(
        "body",
        element("a", "Skip to the content", href="#answer", class_="skip"),
        element("header", brand, element("h1", headline.title)),
        element("main", _first_screen(headline), sections.contents(), sections.html()),
        element("noscript", element("p", WITHOUT_SCRIPT)),
        element("script", packed, type="application/json", id="data"),
        *(element("script", Html(script)) for script in scripts),
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def _first_screen(headline: Headline) -> Html:
    notes: Html | None = None
    if headline.notes:
        items = [element("li", note) for note in headline.notes]
        notes = element("div", element("h3", "Notes"), element("ul", *items))
    return element(
        "section",
        element("h2", "Summary", class_="hidden"),
        element("p", headline.verdict, class_="headline"),
        element("div", *map(_card, headline.cards), class_="cards"),
        notes or "",
        id="answer",
    )


def _card(card: Card) -> Html:
    return element(
        "div",
        element("p", card.question, class_="question"),
        element("p", card.answer, class_="reply"),
        element("p", card.details, class_="rest"),
        class_="card warning" if card.warning else "card",
    )


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


def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    # A browser normalizes line ends before it computes the hash.
    return str(get_plotlyjs()).replace("\r\n", "\n").replace("\r", "\n")
