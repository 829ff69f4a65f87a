"""Durations and counts as text."""

from __future__ import annotations

import math
import re

from netchoice.errors import UsageError

UNITS = {"µs": 1e-6, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}


def duration(seconds: float) -> str:
    """Return seconds as text, in a unit that keeps the number short.

    >>> duration(0.0042), duration(90)
    ('4.2 ms', '1.5 min')
    """
    for unit in ("h", "min", "s", "ms"):
        if seconds >= UNITS[unit]:
            return f"{seconds / UNITS[unit]:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def count(number: int, noun: str) -> str:
    """Return a number and a noun, in the plural unless the number is 1.

    >>> count(1, "edge"), count(2, "edge")
    ('1 edge', '2 edges')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def in_seconds(source: str) -> bool:
    """Return whether costs from this source, such as "paper:ba", are in seconds."""
    return source.partition(":")[0] in ("measured", "paper")


def seconds_of(text: float | str, name: str) -> float:
    """Return the seconds in a text such as "5ms" or "2 min"; a plain number is in seconds.

    >>> seconds_of("5ms", "--time-limit"), seconds_of(0.01, "budget")
    (0.005, 0.01)
    """
    match = re.fullmatch(r"([0-9.eE+-]+)\s*(µs|us|ms|s|min|h)?", str(text).strip())
    try:
        seconds = float(match.group(1)) * UNITS[match.group(2) or "s"] if match else math.nan
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise UsageError(f"`{name}` must be a time such as 5ms, 90s or 2min; got {text!r}")
    return seconds


def parse_budget(budget: float | str) -> tuple[float, bool]:
    """Return a budget as a number, and whether the number is a share.

    >>> parse_budget("5ms"), parse_budget("2%"), parse_budget(0.01)
    ((0.005, False), (0.02, True), (0.01, False))
    """
    text = str(budget).strip()
    try:
        if not text.endswith("%"):
            return seconds_of(text, "budget"), False
        share = float(text[:-1]) / 100
    except (UsageError, ValueError):
        share = math.nan
    if not 0 < share < math.inf:
        raise UsageError(
            f"`budget` must be a cost such as 20, a time such as 5ms, or a share such as 2%; got {budget!r}"
        )
    return share, True
