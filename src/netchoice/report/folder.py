"""The records of evaluations and cohorts in their folders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from netchoice.storage.kept_files import read_json


def read_record(folder: Path, name: str) -> dict[str, Any]:
    """Return what the JSON file of an evaluation or a cohort holds, after a check."""
    advice = "run the same netchoice command again with the same folder to renew it"
    return read_json(folder / name, advice=advice)
