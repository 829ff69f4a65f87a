"""Names of models, features and options: lookup, and errors that suggest similar names."""

from __future__ import annotations

import difflib
import importlib
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from netchoice.errors import UsageError
from netchoice.search_path import add_current_folder
from netchoice.user_output import prints_to_stderr


def unknown(kind: str, name: str, known: Iterable[str]) -> UsageError:
    """Return the error for an unknown name; it suggests similar names.

    >>> print(unknown("model", "dmrr", ["dmr", "ba1"]))
    unknown model 'dmrr'; did you mean 'dmr'? Known: dmr, ba1
    """
    known = list(known)
    close = difflib.get_close_matches(name, known, n=2)
    hint = f"did you mean {' or '.join(map(repr, close))}? " if close else ""
    return UsageError(f"unknown {kind} {name!r}; {hint}Known: {', '.join(known)}")


def load_attribute(spec: str) -> Any:
    """Return the object that ``module:attribute`` names; the current folder is searched last."""
    module_name, _, attribute = spec.partition(":")
    module_name = module_name.removesuffix(".py")
    if not module_name or not attribute:
        raise UsageError(f"{spec!r} is not of the form module:attribute, for example mine:my_model")
    add_current_folder()
    try:
        with prints_to_stderr():
            module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name not in (module_name, module_name.partition(".")[0]):
            message = f"module {module_name!r} needs {error.name!r}, which is not installed"
            raise UsageError(message) from error
        raise UsageError(
            f"no module {module_name!r} in the current folder or on the Python path (for {spec!r}); "
            f"put {module_name}.py in the current folder, or install the module"
        ) from error
    except Exception as error:  # a user's module may raise anything
        message = f"module {module_name!r} failed to import: {type(error).__name__}: {error}"
        raise UsageError(message) from error
    _refuse_hidden(module_name.partition(".")[0])
    try:
        return getattr(module, attribute)
    except AttributeError as error:
        public = [name for name in vars(module) if not name.startswith("_")]
        raise unknown(f"attribute of module {module_name}", attribute, public) from error


def _refuse_hidden(name: str) -> None:
    """Refuse a module if the current folder has another one of this name, which the user may mean."""
    imported = getattr(sys.modules[name], "__file__", None)
    for here in (Path(f"{name}.py"), Path(name, "__init__.py")):
        if here.exists() and (imported is None or not here.samefile(imported)):
            raise UsageError(
                f"{here} in the current folder has the name of another module "
                f"({imported or 'built into Python'}), which comes first; rename {here}"
            )


def is_ours(function: Any) -> bool:
    """Return whether a function belongs to netchoice and not to a user."""
    return (getattr(function, "__module__", "") or "").startswith("netchoice.")


def file_names(names: Iterable[str]) -> dict[str, str]:
    """Return a different file name, without suffix, for each name.

    >>> file_names(["dmc", "a/b", "a b"])
    {'dmc': 'dmc', 'a/b': 'a-b', 'a b': 'a-b-2'}
    """
    made: dict[str, str] = {}
    for name in names:
        plain = stem = re.sub(r"[^A-Za-z0-9_]+", "-", name)[:60]
        number = 1
        while stem.lower() in map(str.lower, made.values()):
            number += 1
            stem = f"{plain}-{number}"
        made[name] = stem
    return made
