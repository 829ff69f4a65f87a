"""Intermediate results that are kept in files, so that an interrupted run resumes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netchoice.storage.kept_files import (
    KeptFileError,
    Run,
    UnreadableFileError,
    read_json,
    read_parquet,
    write_json,
    write_parquet,
)
from netchoice.storage.shards import disk_errors

if TYPE_CHECKING:
    import pandas as pd

_AGAIN = "it is computed again"


def kept_frame(path: Path, run: Run, compute: Callable[[], pd.DataFrame]) -> pd.DataFrame:
    """Return the frame kept in a Parquet file; compute and keep it if there is none.

    A damaged file, or one of another run, is computed again, with a warning. Tuples of
    names in the column ``features`` are kept as text with spaces.
    """
    import pyarrow as pa

    found = _kept(path, lambda: read_parquet(path, run, advice=_AGAIN))
    if found is not None:
        frame: pd.DataFrame = found.to_pandas()
        if "features" in frame:
            frame["features"] = [tuple(names.split()) for names in frame["features"]]
        return frame
    frame = compute()
    plain = frame
    if "features" in frame:
        plain = frame.assign(features=[" ".join(names) for names in frame["features"]])
    table = pa.Table.from_pandas(plain, preserve_index=False)
    with disk_errors(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_parquet(path, [table], table.schema, run)
    return frame


def kept_record(path: Path, run: Run, compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return the object kept in a JSON file; compute and keep it if there is none, as for a frame."""
    found = _kept(path, lambda: read_json(path, run, advice=_AGAIN))
    if found is not None:
        return dict(found)
    with disk_errors(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, compute(), run)
    return read_json(path, run, advice=_AGAIN)


def _kept(path: Path, read: Callable[[], Any]) -> Any:
    """Return what a file holds, or None if it is missing, damaged, or of another run."""
    if not path.exists():
        return None
    try:
        return read()
    except UnreadableFileError:
        raise
    except KeptFileError as error:
        warnings.warn(str(error), stacklevel=4)
        return None
