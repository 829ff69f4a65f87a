"""Sections, tables and controls of the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from netchoice.figures.style import model_colour
from netchoice.markup import Html, element, join


class Sections:
    """Sections of the page in their order, and the figures that the script draws in them."""

    def __init__(self) -> None:
        self.sections: list[tuple[str, str, Html]] = []
        self.figures: dict[str, Any] = {}

    def add(self, name: str, title: str, explanation: str, *body: Any, fold: str = "") -> None:
        """Add a section: its title, an explanation of how to read it, and its content.

        With ``fold``, a text such as "Show the figure", the content is hidden until the reader opens it.
        """
        intro, content = element("p", explanation, class_="explanation"), join(filter(None, body))
        content = details(fold, content, class_="fold") if fold else content
        self.sections.append((name, title, join([intro, content])))

    def draw(self, name: str, figure: Any, description: str, class_: str = "") -> Html:
        """Store a figure and return its element; a list holds one figure for each method."""
        self.figures[name] = figure
        first = figure[0] if isinstance(figure, list) else figure
        height = f"min-height:{first['layout']['height']}px"
        plot = element("div", id=f"figure-{name}", class_="plot", style=height)
        return element("figure", plot, role="group", aria_label=description, class_=class_ or None)

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

    >>> cell(0.123456), cell(12), cell(39060.0), cell("a"), cell(None)
    ('0.1235', '12', '39060', 'a', '–')
    """
    if value is None:
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
    """Return the class of a cell: numbers are aligned, and long texts need a wide column."""
    if isinstance(value, int | float):
        return "number"
    return "long" if isinstance(value, str) and len(value) > 30 else None


def model_name(name: str) -> Html:
    """Return the name of a model next to its colour in the figures."""
    colour = model_colour(name)
    chip = element("span", class_="chip", style=f"color:{colour}", data_colour=colour)
    return element("span", chip, name, class_="model")


def aside(text: str) -> Html:
    """Return a paragraph with a remark."""
    return element("p", text, class_="aside")


def details(summary: str, body: Html, name: str | None = None, class_: str | None = None) -> Html:
    """Return content that is hidden until the reader opens it."""
    return element("details", element("summary", summary), body, id=name, class_=class_)


def details_table(
    summary: str, caption: str, head: Sequence[str], rows: Iterable[Sequence[Any]]
) -> Html:
    """Return a table that is hidden until the reader opens it."""
    return details(summary, table(caption, head, rows))


def script_table(summary: str, name: str) -> Html:
    """Return a table that the script fills when the reader opens it."""
    return details(summary, element("div", id=f"{name}-table"), name=f"{name}-details")


def slider(name: str, title: str, highest: int, lowest: int = 0) -> Html:
    """Return a slider with its label and its value."""
    output = element("output", id=f"{name}-value", for_=name)
    label = element("label", title, " = ", output, for_=name)
    bar = element("input", type="range", id=name, min=lowest, max=highest, step=1, value=lowest)
    return element("p", label, bar, class_="control")


def select(name: str, title: str, options: Mapping[str, str], class_: str | None = None) -> Html:
    """Return a drop-down list with its label; ``options`` maps values to texts."""
    items = [element("option", text, value=value) for value, text in options.items()]
    label = element("label", title, for_=name)
    return element("p", label, element("select", *items, id=name, class_=class_), class_="control")


def flatten(record: Any, path: str = "") -> list[tuple[str, str]]:
    """Return the path and the text of each value in a nested record.

    >>> flatten({"a": {"b": 1}, "c": ["x", "y"], "d": [{"e": None}]})
    [('a b', '1'), ('c', 'x, y'), ('d 1 e', 'not given')]
    """
    if isinstance(record, list) and any(isinstance(item, dict | list) for item in record):
        record = {str(i): item for i, item in enumerate(record, 1)}
    if isinstance(record, dict) and record:
        return [
            row for key, value in record.items() for row in flatten(value, f"{path} {key}".strip())
        ]
    if isinstance(record, list):
        return [(path, ", ".join(map(cell, record)) or "none")]
    return [(path, "not given" if record is None or record == {} else cell(record))]


def add_settings(sections: Sections, groups: Mapping[str, Any]) -> None:
    """Add every argument, seed and version."""
    tables = [
        details_table(title, title, ("name", "value"), flatten(record))
        for title, record in groups.items()
        if record
    ]
    explanation = "With these you can repeat the run."
    sections.add("settings", "Settings, seed and versions", explanation, *tables)
