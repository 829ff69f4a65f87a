"""CSV files for people: foreign texts cannot run as formulas in a spreadsheet."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

_BEGINS_FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")
_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?", re.ASCII)
_NEEDS_QUOTES = re.compile(r'[",\r\n]|^\s|\s$')


def csv_cell(value: str | float | bool | None) -> str:
    """Return the text of a value in a CSV file; a missing value is empty.

    Numbers have all their digits. A spreadsheet would run a text that begins with ``=``, ``+``, ``-``
    or ``@`` as a formula, so an apostrophe is written before it, unless the text is a number. An
    apostrophe is also written before a text that begins with one: to get the text back, remove one
    apostrophe at the beginning.

    >>> [csv_cell(value) for value in (0.1, None, True, "a,b", "-1.5", "=A1")]
    ['0.1', '', 'True', '"a,b"', '-1.5', "'=A1"]
    """
    if value is None or value != value:
        return ""
    if not isinstance(value, str):
        return repr(value)
    if value[:1] in _BEGINS_FORMULA and not _NUMBER.fullmatch(value):
        value = f"'{value}"
    return '"' + value.replace('"', '""') + '"' if _NEEDS_QUOTES.search(value) else value


def to_csv(frame: pd.DataFrame) -> str:
    """Return a table as the text of a CSV file, with a header and without the index.

    >>> import pandas as pd
    >>> print(to_csv(pd.DataFrame({"id": ["=A1"], "p": [0.5]})), end="")
    id,p
    '=A1,0.5
    """
    lines = [",".join(csv_cell(str(name)) for name in frame.columns)]
    columns = (frame[name].astype(object).tolist() for name in frame.columns)
    lines += [",".join(map(csv_cell, cells)) for cells in zip(*columns, strict=True)]
    return "\n".join(lines) + "\n"
