"""The mechanisms that come with the package; each file holds a family or a part of one."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from netchoice.models.model import Model


@cache
def all_models() -> dict[str, Model]:
    """Return every model of the files in this folder, by name, in the order of the names."""
    modules = [import_module(f"{__name__}.{each.name}") for each in pkgutil.iter_modules(__path__)]
    found = [thing for module in modules for thing in vars(module).values()]
    models = {thing.name: thing for thing in found if isinstance(thing, Model)}
    return dict(sorted(models.items()))
