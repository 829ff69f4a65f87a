"""The user's cache: costs that were measured on this machine."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from netchoice._kernels.temporary_folder import temporary_folder
from netchoice.costs import CostError, CostModel
from netchoice.storage.kept_files import KeptFileError, UnreadableFileError, read_json, write_json

CACHE_VARIABLE = "NETCHOICE_CACHE"


def cache_root() -> Path:
    """Return the folder of the cache: ``$NETCHOICE_CACHE``, or netchoice in the user's cache folder.

    If the user's cache folder cannot be written, the cache is among the temporary files.
    """
    given = os.environ.get(CACHE_VARIABLE)
    if given:
        return Path(given)
    path = user_cache_path("netchoice", appauthor=False)
    existing = next(each for each in (path, *path.parents) if each.exists())
    if existing.is_dir() and os.access(existing, os.W_OK):
        return path
    folder = temporary_folder()
    return path if folder is None else folder / "cache"


def digest_of(record: Mapping[str, Any]) -> str:
    """Return a short text that differs between different records."""
    text = json.dumps(record, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def kept_costs(measured: CostModel, key: Mapping[str, Any], folder: Path | None) -> CostModel:
    """Return the costs that were measured first under this key; keep the measured ones if there are none.

    Costs vary between runs, and the features that are selected vary with them. With the same costs, the
    same command gives the same answer. The costs are kept in the folder of the run, if there is one, and
    in the cache; a cache that cannot be written is left alone.
    """
    name = digest_of(key)
    paths = [cache_root() / "costs" / f"{name}.json"]
    if folder is not None:
        paths.insert(0, folder / "selection-costs.json")
    kept = [_read(path, name) for path in paths]
    found = next((costs for costs in kept if _covers(costs, measured)), measured)
    assert found is not None
    for path, costs in zip(paths, kept, strict=True):
        if not _covers(costs, measured):
            with contextlib.suppress(OSError):
                path.parent.mkdir(parents=True, exist_ok=True)
                write_json(path, found.as_dict(), name)
    return found


def _read(path: Path, fingerprint: str) -> CostModel | None:
    """Return costs that were kept for the same models, size, features and machine; None without them."""
    try:
        if path.exists():
            record = read_json(path, fingerprint, advice="the costs are measured again")
            return CostModel(**record)
    except (OSError, UnreadableFileError, TypeError, CostError):
        pass
    except KeptFileError as error:
        warnings.warn(str(error), stacklevel=3)
    return None


def _covers(costs: CostModel | None, measured: CostModel) -> bool:
    """Return whether costs are those of the same features and steps."""
    return costs is not None and costs.uses == measured.uses
