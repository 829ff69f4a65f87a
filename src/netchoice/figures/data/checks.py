"""Checks of the tables and names that figures take."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import pandas as pd

from netchoice.errors import UsageError
from netchoice.validation import unknown


def check_columns(frame: pd.DataFrame, columns: Sequence[str], what: str) -> pd.DataFrame:
    """Return the frame if it has rows and these columns."""
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise UsageError(
            f"the {what} lacks {', '.join(map(repr, missing))}; expected the columns "
            f"{', '.join(columns)}; found {', '.join(map(str, frame.columns)) or 'none'}"
        )
    if not len(frame):
        raise UsageError(f"the {what} has no rows; expected at least one")
    return frame


def check_names(
    kind: str, names: Iterable[str] | None, known: Collection[str], default: str = "at least one"
) -> list[str]:
    """Return the names as a list if all are known, or all known names for None."""
    chosen = list(known) if names is None else list(names)
    for name in chosen:
        if name not in known:
            raise unknown(kind, name, known)
    if not chosen:
        raise UsageError(f"no {kind}s to draw; expected {default}")
    return chosen
