"""The parts of a page, and the HTML file with text, style and script."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes

from netchoice.atomic import write_output
from netchoice.errors import NetchoiceError
from netchoice.figures.axes import Panel
from netchoice.figures.embeddings import embedding, embedding_keys
from netchoice.figures.style import SeriesStyle, page_colour, page_colours
from netchoice.figures.svg import draw_key, draw_svg
from netchoice.inference.mds import Embedding
from netchoice.markup import Html, element, join

#: Width and height of figures in inches: several in a row, and alone.
SMALL_SIZE, WIDE_SIZE = (3.4, 2.1), (4.2, 3.2)


class Sections:
    """Sections of the page in their order, with their figures."""

    def __init__(self) -> None:
        self.sections: list[tuple[str, str, Html]] = []
        self.n_figures = 0

    def add(self, name: str, title: str, explanation: str, *body: Any, fold: str = "") -> None:
        """Add a section: its title, an explanation of how to read it, and its content.

        With ``fold``, a text such as "Show the figure", the content is hidden until the reader opens it.
        """
        intro, content = element("p", explanation, class_="explanation"), join(filter(None, body))
        content = details(fold, content, class_="fold") if fold else content
        self.sections.append((name, title, join([intro, content])))

    def draw(
        self, label: str, draw: Callable[[Axes], Any], size: tuple[float, float] = SMALL_SIZE,
        *, scale: float = 1.7,
    ) -> Html:  # fmt: skip
        """Return a figure of this size in inches; the label says in words what it shows.

        Small text has 8 points in the figure, and at most ``scale`` times as many pixels in the page.
        """
        self.n_figures += 1
        drawn = draw_svg(draw, size, label, f"f{self.n_figures}")
        return element(
            "figure", drawn, class_="plot", style=f"max-width:{72 * scale * size[0]:.0f}px"
        )

    def map(self, label: str, found: Embedding, styles: Mapping[str, SeriesStyle]) -> Html:
        """Return networks in the plane, the legend, and how well the plane shows their distances."""
        width, height = np.ptp(found.points[["x", "y"]].to_numpy(dtype=float), axis=0)
        size = WIDE_SIZE[0], WIDE_SIZE[0] * float(np.clip(height / width, 0.4, 0.7))
        drawn = self.draw(
            label, lambda ax: embedding(found, texts=False, styles=styles, ax=ax), size, scale=2.4
        )
        text = (
            f"The distances in the plane have a correlation of {found.pearson:.2f} with the distances "
            f"between the networks in {len(found.features)} features (distance correlation "
            f"{found.distance_correlation:.2f})."
        )
        return join([self.keys(embedding_keys(found.points, styles)), drawn, aside(text)])

    def keys(self, artists: Iterable[Artist]) -> Html:
        """Return what the parts of several figures mean: each artist with its label."""
        drawn = []
        for artist in artists:
            self.n_figures += 1
            drawn.append(join([draw_key(artist, f"f{self.n_figures}"), artist.get_label()]))
        return items(drawn, "keys")

    def panels(self, found: Sequence[Panel], shown: int) -> Html:
        """Return the first panels side by side, and the others for readers who ask for them."""
        drawn = [
            element(
                "div",
                aside(each.text) if each.text else "",
                self.draw(each.label, each.draw),
                class_="fit-panel",
            )
            for each in found
        ]
        more = ", ".join(each.title for each in found[shown:])
        rest = details(f"Show {more}", panels(drawn[shown:])) if more else ""
        return join([panels(drawn[:shown]) if shown else "", rest])

    def contents(self) -> Html:
        """Return links to the sections."""
        links = [element("a", title, href=f"#{name}") for name, title, _ in self.sections]
        items = [element("li", link) for link in links]
        return element("nav", element("ul", *items), aria_label="Sections of this page")

    def html(self) -> Html:
        """Return all sections."""
        return join(
            element("section", element("h2", title, id=f"{name}-title"), body, id=name,
                    aria_labelledby=f"{name}-title")
            for name, title, body in self.sections
        )  # fmt: skip


def cell(value: Any) -> str:
    """Return the text of a table cell; a float has four significant digits, markup stays as it is.

    >>> cell(0.123456), cell(12), cell(39060.0), cell("a"), cell(None), cell(float("nan"))
    ('0.1235', '12', '39060', 'a', '–', '–')
    """
    if value is None or value != value:
        return "–"
    if isinstance(value, Html):
        return value
    if isinstance(value, float):
        is_integer = value.is_integer() and abs(value) < 1e9
        return f"{value:.0f}" if is_integer else f"{value:.4g}"
    return str(value)


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> Html:
    """Return a table of numbers and names; the first column names the row."""
    body_rows = []
    for first, *rest in rows:
        cells = [element("td", cell(value), class_=_kind(value)) for value in rest]
        body_rows.append(element("tr", element("th", cell(first), scope="row"), *cells))
    head_row = element("tr", *(element("th", name, scope="col") for name in head))
    head_and_body = element("thead", head_row), element("tbody", *body_rows)
    content = element("table", element("caption", caption), *head_and_body)
    # The region is focusable, so that a wide table can be scrolled by keyboard.
    return element("div", content, class_="scroll", tabindex=0, role="region", aria_label=caption)


def _kind(value: Any) -> str | None:
    """Return the class of a cell: numbers are aligned, short texts have a line, long ones a wide column."""
    if isinstance(value, int | float):
        return "number"
    if not isinstance(value, str):
        return None
    return "long" if len(value) > 30 else "short"


def model_name(name: str, style: SeriesStyle) -> Html:
    """Return the name of a model next to its colour in the figures."""
    chip = element("span", class_="chip", style=f"color:{page_colour(style.colour)}")
    return element("span", chip, name, class_="model")


def with_options(text: str) -> Html:
    """Return a text in which the options of commands do not break across lines.

    >>> with_options("pass --isolated to keep <them>")
    'pass <span class="option">--isolated</span> to keep &lt;them&gt;'
    """
    parts = re.split(r"(--[a-z][\w-]*)", text)
    return join(
        element("span", part, class_="option") if i % 2 else part for i, part in enumerate(parts)
    )


def aside(text: str) -> Html:
    """Return a paragraph with a remark."""
    return element("p", text, class_="aside")


def items(texts: Iterable[str], class_: str | None = None) -> Html:
    """Return a list of texts."""
    return element("ul", *(element("li", text) for text in texts), class_=class_)


def details(summary: str, body: Html, class_: str | None = None) -> Html:
    """Return content that is hidden until the reader opens it."""
    return element("details", element("summary", summary), body, class_=class_)


def panels(figures: Iterable[Html]) -> Html:
    """Return figures side by side where there is room."""
    return element("div", *figures, class_="small")


def sentence(text: str) -> str:
    """Return a text as a sentence: with a capital letter and a full stop.

    >>> sentence("all nodes were kept")
    'All nodes were kept.'
    """
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}."


def settings(groups: Mapping[str, Any]) -> Html:
    """Return each group of arguments, seeds and versions as JSON, folded."""
    return join(
        details(
            title, element("pre", json.dumps(record, indent=2, ensure_ascii=False, default=str))
        )
        for title, record in groups.items()
        if record
    )


def html_page(
    sections: Sections, title: str, verdict: str, notes: Sequence[str], *,
    facts: Sequence[str] = (), picture: Html | None = None, without_script: str = "",
) -> str:  # fmt: skip
    """Return the text of the HTML file.

    Parameters
    ----------
    sections : Sections, everything below the first screen
    title, verdict, notes : what the first screen says
    facts : what stands below the title, in the colour of what differs
    picture : what stands next to the notes
    without_script : str, what the page lacks if the browser runs no JavaScript
    """
    script = _asset("report.js")
    below = element("p", verdict, class_="headline") if verdict else "", _notes(notes)
    content: Html = join(below)
    if picture:
        content = element("div", element("div", *below), picture, class_="with-picture")
    hidden = element("h2", "The answer", id="answer-title", class_="hidden")
    labelled = {"id": "answer", "tabindex": -1, "aria_labelledby": "answer-title"}
    answer = element("section", hidden, content, **labelled)
    top = element("h1", title), items(facts, "facts") if facts else ""
    body = element(
        "body",
        element("a", "Skip to the content", href="#answer", class_="skip"),
        element("header", element("p", "netchoice", class_="brand"), *top),
        element("main", answer, sections.contents(), sections.html()),
        element("noscript", element("p", without_script)) if without_script else "",
        element("script", Html(script)),
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(script)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"netchoice: {title}"),
        element("style", Html(page_colours() + _asset("report.css"))),
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def _notes(notes: Sequence[str]) -> Html:
    """Return the notes, if there are any."""
    if not notes:
        return Html("")
    return element("div", element("h3", "Notes"), items(notes), class_="notes")


def _policy(script: str) -> str:
    """Return a content policy that fetches nothing and runs only this script."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
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
