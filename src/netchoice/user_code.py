"""Code of users: the modules that they name, and where their functions print."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from netchoice.errors import UsageError, describe_error
from netchoice.search_path import add_current_folder
from netchoice.validation import unknown


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
    except (Exception, SystemExit) as error:  # a user's module may raise anything
        message = f"module {module_name!r} failed to import: {describe_error(error)}"
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


_lock = threading.Lock()
_state: dict[str, Any] = {"running": 0, "stdout": None}


@contextmanager
def prints_to_stderr() -> Iterator[None]:
    """Print to standard error while users' functions run, in one or several threads.

    ``contextlib.redirect_stdout`` does not serve: of two threads, the one that ends last would restore
    what the other had set.

    >>> with prints_to_stderr():
    ...     print("a line that is not part of the result")
    """
    with _lock:
        if _state["running"] == 0:
            _state["stdout"], sys.stdout = sys.stdout, sys.stderr
        _state["running"] += 1
    try:
        yield
    finally:
        with _lock:
            _state["running"] -= 1
            if _state["running"] == 0:
                sys.stdout = _state.pop("stdout")
