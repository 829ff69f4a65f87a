"""The user's cache: choosers, and costs that were measured on this machine."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from netchoice._kernels.temporary_folder import temporary_folder
from netchoice.atomic import write_text
from netchoice.costs import CostError, CostModel

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


def cost_files() -> list[Path]:
    """Return the files of measured costs in the cache."""
    return sorted((cache_root() / "costs").glob("*.json"))


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
    found = next((costs for costs in map(_read, paths) if _covers(costs, measured)), measured)
    assert found is not None
    for path in paths:
        if not _covers(_read(path), measured):
            with contextlib.suppress(OSError):
                path.parent.mkdir(parents=True, exist_ok=True)
                write_text(path, json.dumps(found.as_dict()))
    return found


def _read(path: Path) -> CostModel | None:
    try:
        return CostModel(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, CostError):
        return None


def _covers(costs: CostModel | None, measured: CostModel) -> bool:
    """Return whether costs are those of the same features and steps."""
    return costs is not None and costs.uses == measured.uses
