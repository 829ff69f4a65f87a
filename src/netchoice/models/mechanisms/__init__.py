"""The mechanisms that come with the package; each file holds one model or one group of models."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from netchoice.models.model import Model


@cache
def all_models() -> dict[str, Model]:
    """Return every model of the files in this folder, by name."""
    modules = [import_module(f"{__name__}.{each.name}") for each in pkgutil.iter_modules(__path__)]
    found = [thing for module in modules for thing in vars(module).values()]
    return {thing.name: thing for thing in found if isinstance(thing, Model)}
