"""How results show themselves in a notebook: a title, a table, and lines below it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from netchoice.markup import Html, element, join

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
