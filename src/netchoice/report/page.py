"""The HTML file of a report: text, style, scripts and data."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from plotly.offline import get_plotlyjs

from netchoice.atomic import write_output
from netchoice.errors import NetchoiceError
from netchoice.markup import Html, element, script_json
from netchoice.report.elements import Sections, details
from netchoice.report.headline import Card, Headline

MOST_NOTES = 3  # shown at once


def html_page(
    headline: Headline, sections: Sections, without_script: str, *,
    data: Mapping[str, Any] | None = None, scripts: tuple[str, ...] = (),
) -> str:  # fmt: skip
    """Return the text of the HTML file.

    Parameters
    ----------
    headline : Headline, the first screen
    sections : Sections, everything below it
    without_script : str, what the page lacks if the browser runs no JavaScript
    data : mapping, optional, what the scripts read in addition to the figures
    scripts : tuple of str, assets that run after ``report.js``
    """
    # A browser normalizes line ends before it computes the hash.
    plotly = str(get_plotlyjs()).replace("\r\n", "\n").replace("\r", "\n")
    texts = [plotly, *(_asset(name) for name in ("report.js", *scripts))]
    packed = script_json({"figures": sections.figures, **(data or {})})
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(texts)),
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
        element("noscript", element("p", without_script)),
        element("script", packed, type="application/json", id="data"),
        *(element("script", Html(script)) for script in texts),
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def _first_screen(headline: Headline) -> Html:
    title = element("h2", "The answer", id="answer-title", class_="hidden")
    verdict = element("p", headline.verdict, class_="headline")
    cards = element("div", *map(_card, headline.cards), class_="cards")
    if headline.picture:
        cards = element("div", cards, headline.picture, class_="with-picture")
    labelled = {"id": "answer", "tabindex": -1, "aria_labelledby": "answer-title"}
    return element("section", title, verdict, cards, _notes(headline.notes), **labelled)


def _notes(notes: Sequence[str]) -> Html:
    """Return the first notes, and the others for readers who ask for them."""
    if not notes:
        return Html("")
    lists = [
        element("ul", *(element("li", note) for note in some))
        for some in (notes[:MOST_NOTES], notes[MOST_NOTES:])
    ]
    rest = len(notes) - MOST_NOTES
    more = (
        details(f"Show {rest} more {'note' if rest == 1 else 'notes'}", lists[1])
        if rest > 0
        else ""
    )
    return element("div", element("h3", "Notes"), lists[0], more, class_="notes")


def _card(card: Card) -> Html:
    """Return a card; its question is a heading, so that a screen reader can move from card to card."""
    return element(
        "div", element("h3", card.question, class_="question"),
        element("p", card.answer, class_="reply"),
        *(element("p", text, class_="rest") for text in card.details),
        class_="card warning" if card.warning else "card",
    )  # fmt: skip


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


def write_page(text: str, path: Path, overwrite: bool) -> Path:
    """Write the text of a page to a file and return its path."""
    try:
        # A file name may contain bytes that are not text.
        write_output(path, text.encode("utf-8", errors="replace"), overwrite)
    except OSError as error:
        raise NetchoiceError(f"cannot write {path}: {error.strerror}") from error
    return path
