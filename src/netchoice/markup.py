"""HTML elements, escaped so that names from users are never read as markup."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

VOID_ELEMENTS = ("input", "meta")  # elements without content and end tag


class Html(str):
    """Text that is markup already, so it is not escaped again."""

    __slots__ = ()


def element(name: str, /, *children: Any, **attributes: Any) -> Html:
    """Return an HTML element; children and values of attributes are escaped unless they are Html.

    An attribute that is True has no value; one that is None or False is left out. Underscores in
    its name become hyphens; an underscore at the end is dropped (``class_``).

    >>> element("td", '<"b">', element("b", "&"), class_="name", hidden=True)
    '<td class="name" hidden>&lt;&quot;b&quot;&gt;<b>&amp;</b></td>'
    >>> element("input", type="range", min=0)
    '<input type="range" min="0">'
    """
    attribute_text = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{text(value)}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    end = "" if name in VOID_ELEMENTS else f"</{name}>"
    return Html(f"<{name}{attribute_text}>{join(children)}{end}")


def text(value: Any) -> Html:
    """Return a value escaped for HTML, unless it is markup already."""
    return value if isinstance(value, Html) else Html(escape(str(value), quote=True))


def join(parts: Iterable[Any]) -> Html:
    """Return the parts as one piece of markup, escaped where needed."""
    return Html("".join(text(part) for part in parts))


# Notebooks

#: Longer tables are cut, because a notebook shows them completely.
MAX_ROWS = 40


def in_notebook() -> bool:
    """Return whether this process runs the code of a notebook, and not a terminal or a script."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and type(shell).__name__ != "TerminalInteractiveShell"


def summary_html(
    title: str, head: Sequence[str], rows: Iterable[Sequence[Any]], lines: Iterable[str] = ()
) -> Html:
    """Return a title, a table and further lines as HTML; names from users are escaped.

    >>> summary_html("Models", ["model"], [("a<b",)])
    '<p><b>Models</b></p><table><tr><th>model</th></tr><tr><td>a&lt;b</td></tr></table>'
    """
    rows = list(rows)
    shown = [element("tr", *(element("td", value) for value in row)) for row in rows[:MAX_ROWS]]
    header = element("tr", *(element("th", name) for name in head))
    lines = list(lines)
    if len(rows) > MAX_ROWS:
        lines.insert(0, f"{len(rows) - MAX_ROWS} further rows are not shown")
    items = [element("li", line) for line in lines]
    parts: list[Any] = [element("p", element("b", title))]
    parts += [element("table", header, *shown)] if rows else []
    parts += [element("ul", *items)] if items else []
    return join(parts)
