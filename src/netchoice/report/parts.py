"""Pieces of the page: figures with their data, tables, controls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from netchoice.report.markup import Html, element, join, text, void


class Sheet:
    """Sections in their order, and the figures that the script will draw in them."""

    def __init__(self) -> None:
        self.sections: list[tuple[str, str, Html]] = []
        self.figures: dict[str, Any] = {}

    def add(self, name: str, title: str, how: str, *body: Any) -> None:
        """A section: its title, one sentence on how to read it, and what it shows."""
        self.sections.append(
            (name, title, join([element("p", how, class_="how"), *filter(None, body)]))
        )

    def draw(self, name: str, figure: Any, description: str, class_: str = "") -> Html:
        """Room for a figure; a list holds one for each method."""
        self.figures[name] = figure
        first = figure[0] if isinstance(figure, list) else figure
        plot = element(
            "div",
            id=f"figure-{name}",
            class_="plot",
            style=f"min-height:{first['layout']['height']}px",
        )
        return element("figure", plot, aria_label=description, class_=class_ or None)

    def contents(self) -> Html:
        """Links to the sections."""
        links = [
            element("li", element("a", title, href=f"#{name}")) for name, title, _ in self.sections
        ]
        return element("nav", element("ul", *links), aria_label="Sections of this page")

    def body(self) -> Html:
        """All sections."""
        return join(
            element(
                "section",
                element("h2", title, id=f"{name}-title"),
                body,
                id=name,
                aria_labelledby=f"{name}-title",
            )
            for name, title, body in self.sections
        )


def cell(value: Any) -> str:
    """A number with a few digits, or text.

    >>> cell(0.123456), cell(12), cell(39060.0), cell("a"), cell(None)
    ('0.1235', '12', '39060', 'a', '–')
    """
    if value is None:
        return "–"
    if isinstance(value, float):
        whole = value.is_integer() and abs(value) < 1e9
        return f"{value:.0f}" if whole else f"{value:.4g}"
    return str(value)


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> Html:
    """A table of numbers and names; the first column names the row."""
    lines = []
    for row in rows:
        first, *rest = row
        cells = [
            element("td", v if isinstance(v, Html) else cell(v), class_=_kind(v)) for v in rest
        ]
        lines.append(element("tr", element("th", cell(first), scope="row"), *cells))
    made = element(
        "table",
        element("thead", element("tr", *(element("th", name, scope="col") for name in head))),
        element("tbody", *lines),
        aria_label=caption,
    )
    # Reachable by keyboard, since what does not fit can be scrolled to.
    room = element("div", made, class_="scroll", tabindex=0, role="region", aria_label=caption)
    return join([element("p", caption, class_="caption"), room])


def _kind(value: Any) -> str | None:
    return "number" if isinstance(value, int | float) else None


def details(summary: str, *body: Any, name: str | None = None) -> Html:
    """Something to open."""
    return element("details", element("summary", summary), *body, id=name)


def slider(name: str, title: str, highest: int, lowest: int = 0) -> Html:
    """A range with its label and the value it stands at."""
    return element(
        "p",
        element("label", title, " = ", element("output", id=f"{name}-told", for_=name), for_=name),
        void("input", type="range", id=name, min=lowest, max=highest, step=1, value=lowest),
        class_="control",
    )


def select(name: str, title: str, options: Mapping[str, str], class_: str | None = None) -> Html:
    """A choice by name; values are escaped as all other text."""
    items = [element("option", told, value=value) for value, told in options.items()]
    return element(
        "p",
        element("label", title, for_=name),
        element("select", *items, id=name, class_=class_),
        class_="control",
    )


def flat(record: Any, path: str = "") -> list[tuple[str, str]]:
    """Names and values of a nested record.

    >>> flat({"a": {"b": 1}, "c": ["x", "y"], "d": [{"e": None}]})
    [('a b', '1'), ('c', 'x, y'), ('d 1 e', 'not given')]
    """
    if isinstance(record, dict) and record:
        return [
            row for key, value in record.items() for row in flat(value, f"{path} {key}".strip())
        ]
    if isinstance(record, list) and any(isinstance(item, dict | list) for item in record):
        numbered = {str(i): item for i, item in enumerate(record, 1)}
        return flat(numbered, path)
    if isinstance(record, list):
        return [(path, ", ".join(map(cell, record)) or "none")]
    return [(path, "not given" if record is None or record == {} else cell(record))]


def paragraph(*words: Any, class_: str | None = None) -> Html:
    """A paragraph of text."""
    return element("p", *map(text, words), class_=class_)
