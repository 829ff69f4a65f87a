"""Checks of arguments, and of names; every message says what was expected, and what was found."""

from __future__ import annotations

import difflib
import math
import numbers
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from netchoice.errors import UsageError, one_line


def check_integer(name: str, value: Any, minimum: int = 1, maximum: int | None = None) -> int:
    """Return ``value`` as an int if it is an integer, or a float such as 3.0, within the bounds.

    >>> check_integer("folds", 0)
    Traceback (most recent call last):
    netchoice.errors.UsageError: `folds` must be an integer of at least 1; got 0
    """
    bounds = f"of at least {minimum}" if maximum is None else f"from {minimum} to {maximum}"
    integral = _is_real(value) and math.isfinite(value) and value == int(value)
    if integral and minimum <= value and (maximum is None or value <= maximum):
        return int(value)
    raise UsageError(f"`{name}` must be an integer {bounds}; got {_shown(value)}")


def check_fraction(name: str, value: Any) -> float:
    """Return ``value`` as a float if it lies strictly between 0 and 1."""
    if _is_real(value) and 0 < value < 1:
        return float(value)
    raise UsageError(f"`{name}` must be a number between 0 and 1; got {_shown(value)}")


def check_positive(name: str, value: Any) -> float:
    """Return ``value`` as a float if it is finite and above 0."""
    if _is_real(value) and 0 < value < math.inf:
        return float(value)
    raise UsageError(f"`{name}` must be a positive number; got {_shown(value)}")


def check_non_negative(name: str, value: Any) -> float:
    """Return ``value`` as a float if it is finite and at least 0."""
    if _is_real(value) and 0 <= value < math.inf:
        return float(value)
    raise UsageError(f"`{name}` must be a non-negative number; got {_shown(value)}")


def _shown(value: Any) -> str:
    """Return a wrong value as text of limited length; Python refuses to print integers of many digits."""
    try:
        return one_line(repr(value), 100)
    except ValueError:
        return "a number of very many digits"


def check_choice(name: str, value: Any, allowed: Collection[str]) -> str:
    """Return ``value`` if it is one of the allowed strings."""
    if isinstance(value, str) and value in allowed:
        return value
    *others, last = map(repr, allowed)
    expected = f"{', '.join(others)} or {last}" if others else last
    raise UsageError(f"`{name}` must be {expected}; got {_shown(value)}")


def check_generator(name: str, value: Any) -> None:
    """Raise an error unless ``value`` is a NumPy random generator."""
    if not hasattr(value, "bit_generator"):
        expected = "a generator such as numpy.random.default_rng(1)"
        raise UsageError(f"`{name}` must be {expected}; got {_shown(value)}")


def _is_real(value: Any) -> bool:
    """Return whether a value is a number that a float can hold, at least approximately."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


# Names


def unknown(kind: str, name: str, known: Iterable[str]) -> UsageError:
    """Return the error for an unknown name; it suggests similar names.

    >>> print(unknown("model", "dmrr", ["dmr", "ba1"]))
    unknown model 'dmrr'; did you mean 'dmr'? Known: dmr, ba1
    """
    known = list(known)
    close = difflib.get_close_matches(name, known, n=2)
    hint = f"did you mean {' or '.join(map(repr, close))}? " if close else ""
    return UsageError(f"unknown {kind} {name!r}; {hint}Known: {', '.join(known)}")


def assignments(given: Mapping[str, Any] | Iterable[str] | None, name: str) -> dict[str, Any]:
    """Return a mapping, or texts of the form name=value, as a dictionary.

    >>> assignments(["p_delete=0.5"], "prior"), assignments({"p_delete": 0.5}, "prior")
    ({'p_delete': '0.5'}, {'p_delete': 0.5})
    """
    if isinstance(given, Mapping):
        return dict(given)
    pairs = {}
    for text in [given] if isinstance(given, str) else given or ():
        key, equals, value = text.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise UsageError(f"{text!r} is not of the form name=value (in `{name}`)")
        pairs[key.strip()] = value.strip()
    return pairs


def file_names(names: Iterable[str]) -> dict[str, str]:
    """Return a different file name, without suffix, for each name.

    >>> file_names(["dmc", "a/b", "a b"])
    {'dmc': 'dmc', 'a/b': 'a-b', 'a b': 'a-b-2'}
    """
    made: dict[str, str] = {}
    for name in names:
        plain = stem = re.sub(r"[^A-Za-z0-9_]+", "-", name)[:60]
        number = 1
        while stem.lower() in map(str.lower, made.values()):
            number += 1
            stem = f"{plain}-{number}"
        made[name] = stem
    return made
