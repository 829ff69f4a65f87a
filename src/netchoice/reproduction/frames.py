"""Frames that are kept once they are made, so that interrupted work goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netchoice.errors import NetchoiceError

if TYPE_CHECKING:
    import pandas as pd


def kept_frame(path: Path, make: Callable[[], pd.DataFrame]) -> pd.DataFrame:
    """The frame in this file, made now if there is none. Tuples of names become words and back."""
    import pandas as pd

    if path.exists():
        frame = pd.read_parquet(path)
        if "features" in frame:
            frame["features"] = [tuple(names.split()) for names in frame["features"]]
        return frame
    frame = make()
    plain = frame
    if "features" in frame:
        plain = frame.assign(features=[" ".join(names) for names in frame["features"]])
    _replace(path, lambda part: plain.to_parquet(part, index=False))
    return frame


def kept_record(path: Path, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The JSON object in this file, made now if there is none."""
    if not path.exists():
        record = make()
        text = json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False)
        _replace(path, lambda part: part.write_text(text + "\n"))
    try:
        found: dict[str, Any] = json.loads(path.read_text())
    except ValueError as error:
        raise NetchoiceError(
            f"{path} cannot be read: {error}; remove it, and it is made again"
        ) from error
    return found


def _replace(path: Path, write: Callable[[Path], Any]) -> None:
    """A file is there whole or not at all."""
    unfinished = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(unfinished)
        unfinished.replace(path)
    except OSError as error:
        raise NetchoiceError(f"cannot write to {path.parent}: {error.strerror}") from error
