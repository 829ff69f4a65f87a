"""The manifest of a table: what its rows were made from, and which rows may be combined."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from netchoice.errors import NetchoiceError

#: Version of the layout on disk. Since format 3, each file holds a checksum of all its bytes.
FORMAT = 3
#: Rows are combined only if these fields agree.
MUST_AGREE = ("format", "space", "n_nodes", "isolated", "features")
#: A table is resumed only if these fields agree.
MUST_AGREE_TO_RESUME = (*MUST_AGREE, "seed", "stream")
#: What the networks of a simulated table, though not their features, are determined by.
NETWORKS = ("space", "n_nodes", "isolated", "seed", "stream")
#: Combining rows causes a warning if these fields differ.
SHOULD_AGREE = ("packages", "code")


class TableError(NetchoiceError):
    """A table cannot be read or written, or cannot be combined with another table."""


def fingerprint(
    manifest: Mapping[str, Any], fields: Sequence[str] = (*MUST_AGREE_TO_RESUME, "origin")
) -> str:
    """Return a digest of the fields that determine the rows of a table."""
    values = json.dumps([manifest.get(name) for name in fields], sort_keys=True)
    return hashlib.blake2b(values.encode(), digest_size=16).hexdigest()


def check_resumable(existing: Mapping[str, Any], requested: Mapping[str, Any], path: Any) -> None:
    """Refuse to resume a table that was not simulated row by row, or was simulated differently."""
    if "origin" in existing:
        raise TableError(
            f"the table in {path} was made by {existing['origin']['made_by']}; only simulated tables "
            "can be resumed: use another folder"
        )
    tables = f"the table in {path} and the requested one"
    check_compatible(existing, requested, tables, MUST_AGREE_TO_RESUME)


def check_compatible(
    manifest: Mapping[str, Any], other: Mapping[str, Any], tables: str, must_agree: Sequence[str]
) -> None:
    """Refuse to combine rows that were made differently, and name the first difference."""
    for name in must_agree:
        if manifest.get(name) != other.get(name):
            first, second = _differing(name, manifest.get(name), other.get(name))
            raise TableError(
                f"{tables} differ in {name}: {first} and {second}; their rows cannot be combined: use "
                "another folder"
            )
    for name in SHOULD_AGREE:
        if manifest.get(name) != other.get(name):
            warnings.warn(f"{tables} differ in {name}; rows are combined anyway", stacklevel=3)


def _differing(name: str, one: Any, other: Any) -> tuple[str, str]:
    """Return two values of a field as texts; of features, those that the other table lacks."""
    if name != "features" or not isinstance(one, list) or not isinstance(other, list):
        return _shorten(one), _shorten(other)
    names = [[feature["name"] for feature in features] for features in (one, other)]
    if {*names[0]} == {*names[1]}:  # versions differ, or the order
        return _shorten(one), _shorten(other)
    lacking = [[n for n in mine if n not in {*others}] for mine, others in (names, names[::-1])]
    first, second = (", ".join(each) or "no other feature" for each in lacking)
    return first, second


def _shorten(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return text if len(text) < 120 else f"{text[:117]}…"
