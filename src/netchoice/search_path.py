"""Where modules are imported from: never first from the current folder, which may hold files of others.

This module is imported before all others, and imports only what Python has loaded when it starts.
"""

import os
import sys


def with_current_folder_last(folders: list[str]) -> list[str]:
    """Return the folders to import from in a worker process: the current one, if it is among them, last.

    Python puts an empty name first for notebooks and for code that was typed.
    """
    kept = [folder for folder in folders if folder]
    return kept if len(kept) == len(folders) else [*kept, os.getcwd()]


def add_current_folder() -> None:
    """Import also from the current folder, after all others: the user has named a module in it."""
    if not {"", os.getcwd()} & {*sys.path}:
        sys.path.append(os.getcwd())


def _leave_out_current_folder() -> None:
    """Do not import from the current folder because of ``python -m netchoice``, which puts it first."""
    runs_module = sys.argv[:1] == ["-m"] and not sys.flags.safe_path
    if runs_module and not __file__.startswith(os.path.join(sys.path[0], "netchoice", "")):
        del sys.path[0]


_leave_out_current_folder()
