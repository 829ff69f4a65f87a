"""Data as text: dataclasses as JSON and back, by their type hints, and tables as CSV for people."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from netchoice.costs import CostModel

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")


def to_record(value: Any) -> Any:
    """Return a dataclass, or what it holds, as objects that JSON can hold.

    Dataclasses and costs become objects, tuples and arrays lists, tables lists of rows, and numbers of
    NumPy plain numbers. NaN and infinity become None. Fields whose metadata has ``"kept": False`` are left
    out.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Point:
    ...     x: float
    ...     names: tuple[str, ...] = ()
    >>> to_record({"a": Point(np.float64(1.5), ("b",))})
    {'a': {'x': 1.5, 'names': ['b']}}
    """
    if is_dataclass(value) and not isinstance(value, type):
        kept = (each.name for each in fields(value) if each.metadata.get("kept", True))
        return {name: to_record(getattr(value, name)) for name in kept}
    if isinstance(value, CostModel):
        value = value.as_dict()
    if hasattr(value, "columns"):
        value = value.to_dict("records")
    if isinstance(value, Mapping):
        return {str(key): to_record(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [to_record(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def from_record(kind: type[T], record: Any) -> T:
    """Return the value of a type, such as a dataclass, that :func:`to_record` made this record of.

    None in the place of a number is NaN. A record that lacks a field, has an unknown one, or holds a
    value of another type raises ``ValueError``, ``KeyError`` or ``TypeError``.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Point:
    ...     x: float
    ...     names: tuple[str, ...] = ()
    >>> from_record(Point, {"x": 1, "names": ["b"]})
    Point(x=1.0, names=('b',))
    """
    made: T = _read(kind, record)
    return made


def _read(kind: Any, record: Any) -> Any:
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any:
        return record
    if origin in (Union, UnionType):
        return _read_union(arguments, record)
    if is_dataclass(kind):
        return _read_dataclass(kind, record)
    if origin is tuple:
        _check(record, list, kind)
        if arguments[1:] == (...,):
            return tuple(_read(arguments[0], item) for item in record)
        return tuple(_read(each, item) for each, item in zip(arguments, record, strict=True))
    if origin is list:
        _check(record, list, kind)
        return [_read(arguments[0], item) for item in record]
    if origin is Sequence:
        _check(record, list, kind)
        return tuple(_read(arguments[0], item) for item in record)
    if origin is np.ndarray:
        return np.array(record, dtype=np.float64)
    if origin is dict:
        _check(record, dict, kind)
        return {key: _read(arguments[1], item) for key, item in record.items()}
    if kind is float:
        return _read_number(record)
    _check(record, kind, kind)
    return record


def _read_union(kinds: tuple[Any, ...], record: Any) -> Any:
    if record is None and NoneType in kinds:
        return None
    others = [each for each in kinds if each is not NoneType]
    if len(others) == 1:
        return _read(others[0], record)
    if not isinstance(record, tuple(get_origin(each) or each for each in others)):
        raise TypeError(f"{record!r:.60} is none of {', '.join(map(str, kinds))}")
    return record


def _read_dataclass(kind: Any, record: Any) -> Any:
    _check(record, dict, kind)
    hints = get_type_hints(kind)
    kept = [each.name for each in fields(kind) if each.metadata.get("kept", True)]
    for name in record:
        if name not in kept:
            raise ValueError(f"{name!r} is not a part of {kind.__name__}")
    return kind(**{name: _read(hints[name], record[name]) for name in kept})


def _read_number(record: Any) -> float:
    if record is None:
        return math.nan
    if isinstance(record, bool) or not isinstance(record, int | float):
        raise TypeError(f"{record!r:.60} is not a number")
    return float(record)


def _check(record: Any, kind: type, wanted: Any) -> None:
    is_wrong = not isinstance(record, kind) or (kind is int and isinstance(record, bool))
    if is_wrong:
        name = getattr(wanted, "__name__", str(wanted))
        raise TypeError(f"{record!r:.60} is a {type(record).__name__}, expected {name}")


def plain(value: Any) -> Any:
    """Return settings as JSON keeps them; other objects become their texts.

    >>> plain({"sizes": (1, 2), "range": range(3)})
    {'sizes': [1, 2], 'range': 'range(0, 3)'}
    """
    return json.loads(json.dumps(value, default=str))


#: Digits of numbers that only figures show.
DIGITS = 6


def rounded(record: Any) -> Any:
    """Return a record whose numbers have six significant digits.

    >>> rounded({"x": [0.123456789, 3, None]})
    {'x': [0.123457, 3, None]}
    """
    if isinstance(record, dict):
        return {key: rounded(value) for key, value in record.items()}
    if isinstance(record, list):
        return [rounded(value) for value in record]
    return float(f"{record:.{DIGITS}g}") if isinstance(record, float) else record


# CSV

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
