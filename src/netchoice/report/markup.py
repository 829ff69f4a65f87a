"""Text that came from elsewhere stays text: in HTML, in embedded JSON, in labels of figures."""

from __future__ import annotations

import json
from html import escape
from typing import Any

LONGEST_LABEL = 40


class Html(str):
    """Markup that was built here, and is not escaped again."""

    __slots__ = ()


def element(name: str, /, *children: Any, **attributes: Any) -> Html:
    """An HTML element; children and values of attributes are escaped unless they are Html.

    An attribute with the value True stands without one; with None or False it is left out.
    Underlines in its name become hyphens, and one at the end is dropped (``class_``).

    >>> element("td", "<b>", element("b", "&"), class_="name", hidden=True)
    '<td class="name" hidden>&lt;b&gt;<b>&amp;</b></td>'
    """
    told = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{text(value)}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    inside = "".join(text(child) for child in children)
    return Html(f"<{name}{told}>{inside}</{name}>")


def void(name: str, /, **attributes: Any) -> Html:
    """An element that holds nothing, such as an input.

    >>> void("input", type="range", min=0)
    '<input type="range" min="0">'
    """
    return Html(element(name, **attributes).removesuffix(f"</{name}>"))


def text(value: Any) -> Html:
    """Escaped for HTML, unless it is markup already.

    >>> text('<a href="x">')
    '&lt;a href=&quot;x&quot;&gt;'
    """
    return value if isinstance(value, Html) else Html(escape(str(value), quote=True))


def join(parts: Any, between: str = "") -> Html:
    """Pieces of markup, one after the other."""
    return Html(text(between).join(text(part) for part in parts))


def label(value: Any, longest: int | None = LONGEST_LABEL) -> str:
    """For a figure: Plotly takes some tags and entities in texts for markup.

    >>> label("<b>bold</b> & co"), label("x" * 50, 5)
    ('&lt;b&gt;bold&lt;/b&gt; &amp; co', 'xxxx…')
    """
    name = " ".join(str(value).split())
    if longest is not None and len(name) > longest:
        name = f"{name[: longest - 1]}…"
    return escape(name, quote=False)


def script_json(data: Any) -> Html:
    r"""JSON that no parser of HTML can take for the end of its element.

    >>> script_json({"name": "</script><!--"})
    '{"name":"\\u003c/script\\u003e\\u003c!--"}'
    """
    packed = json.dumps(data, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    for sign in "<>&":
        packed = packed.replace(sign, f"\\u{ord(sign):04x}")
    return Html(packed)
