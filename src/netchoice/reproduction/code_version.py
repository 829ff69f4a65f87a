"""The version of the code that computed a result: its source files and the installed packages."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from netchoice.storage.kept_files import checksum
from netchoice.workflows.run_folder import versions

#: Files that only show or judge results. Any other file of netchoice may change them.
_WITHOUT_EFFECT = (
    "cli/*", "figures/*", "report/*", "reproduction/claim*", "reproduction/findings_*",
    "reproduction/paper_figures*", "reproduction/paper_tables*", "reproduction/transition*",
    "reproduction/verdict*",
)  # fmt: skip


@cache
def code_version() -> str:
    """Return a short digest of the source files that results depend on."""
    root = Path(__file__).parents[1]
    shown = {path for pattern in _WITHOUT_EFFECT for path in root.glob(pattern)}
    parts = []
    for path in sorted(root.rglob("*.py")):
        if shown.isdisjoint((path, *path.parents)):
            parts.append(f"{path.relative_to(root).as_posix()} {checksum(path.read_bytes())}")
    return checksum("\n".join(parts))[:12]


def code_facts() -> dict[str, Any]:
    """Return the version of the code, and those of Python and of the packages that it uses."""
    return {"code": code_version(), **versions()}
