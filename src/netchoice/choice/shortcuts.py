"""Figures and reports of a result, for its methods ``plot`` and ``report``.

They belong to higher layers, which are loaded by name when a user calls such a method.
"""

from __future__ import annotations

from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

from netchoice.validation import unknown


def draw_one(drawings: str, result: Any, figure: str) -> Any:
    """Draw one of the figures that a function of ``netchoice.figures.drawings`` has for a result."""
    known = getattr(import_module("netchoice.figures.drawings"), drawings)(result)
    if figure not in known:
        raise unknown("figure", figure, known)
    return known[figure]()


def write_page(result: Any, path: str | PathLike[str], overwrite: bool) -> Path:
    """Write the report of a result; return its path."""
    written: Path = import_module("netchoice.report.build").write_report(
        result, path, overwrite=overwrite
    )
    return written
