"""Files that store intermediate results, so that an interrupted run resumes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netchoice.atomic import write_atomically
from netchoice.errors import NetchoiceError

if TYPE_CHECKING:
    import pandas as pd


def cached_frame(path: Path, compute: Callable[[], pd.DataFrame]) -> pd.DataFrame:
    """Return the frame stored in this Parquet file; compute and store it if there is none.

    Tuples of names in the column ``features`` are stored as text with spaces.
    """
    import pandas as pd

    if path.exists():
        frame = pd.read_parquet(path)
        if "features" in frame:
            frame["features"] = [tuple(names.split()) for names in frame["features"]]
        return frame
    frame = compute()
    plain = frame
    if "features" in frame:
        plain = frame.assign(features=[" ".join(names) for names in frame["features"]])
    _write(path, lambda part: plain.to_parquet(part, index=False))
    return frame


def cached_record(path: Path, compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return the object stored in this JSON file; compute and store it if there is none."""
    if not path.exists():
        text = json.dumps(compute(), indent=1, ensure_ascii=False, allow_nan=False)
        _write(path, lambda part: part.write_text(text + "\n"))
    try:
        record: dict[str, Any] = json.loads(path.read_text())
    except ValueError as error:
        raise NetchoiceError(
            f"{path} is not valid JSON: {error}; delete it, and it will be computed again"
        ) from error
    return record


def _write(path: Path, write: Callable[[Path], Any]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, write)
    except OSError as error:
        raise NetchoiceError(f"cannot write to {path.parent}: {error.strerror}") from error
