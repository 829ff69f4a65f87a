"""Compilation of kernels ahead of time, on all cores."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from netchoice.engines.engine import Lost
from netchoice.engines.processes import ProcessEngine
from netchoice.errors import NetchoiceError
from netchoice.progress import progress
from netchoice.user_code import is_ours

if TYPE_CHECKING:
    from netchoice.models.space import ModelSpace

#: Modules and packages whose kernels an answer uses, besides the modules of its models.
_USERS = (
    "netchoice.features", "netchoice.graph", "netchoice.alterations", "netchoice.profiles",
    "netchoice.models.mechanism",
)  # fmt: skip
#: Approximate seconds of compilation of the slowest kernels. The slowest are compiled first, so that no
#: process ends late; the progress counts seconds.
_SECONDS = {
    "spectrum.estrada_index": 17, "classification_trees.grow_classification_trees": 10,
    "betweenness.betweenness": 9, "local_regression.regress_locally": 8, "hyperbolic.link_in_disk": 7,
    "spectrum.leading_eigenvector": 7, "davidsen.introduce": 6,
    "growth_loop.grow_by_steps": 6, "local_efficiency.local_efficiency": 5, "kumpula.sweep": 5,
    "clique_search.clique_number": 5, "mutual_information.of_values": 4, "static.match_stubs": 4,
    "distance_histograms.distance_histograms": 3, "relief.forest_relieff": 3, "step.dmc": 2,
    "catalogue.summarise": 4, "linked_pairs.move_edges": 3, "csr.csr_from_edges": 3, "relief.relieff": 2,
}  # fmt: skip
_OTHER_SECONDS = 0.6


def warm_up(
    workers: int | None = None,
    on_ready: Callable[[str, bool, int, int], None] | None = None,
    names: Iterable[str] | None = None,
) -> dict[str, bool]:
    """Compile kernels, all by default; return for each, by name, whether it was not yet in the cache.

    There is one process per core by default. ``on_ready`` is called for each kernel with its name,
    whether it was compiled now, and the numbers of ready and of all kernels.
    """
    wanted = sorted(_compilers() if names is None else names, key=_seconds, reverse=True)
    compiled: dict[str, bool] = {}
    engine = ProcessEngine(min(workers or os.cpu_count() or 1, len(wanted)))
    for result in engine.run(_compile, [[(name,)] for name in wanted]):
        if isinstance(result, Lost):
            raise NetchoiceError(f"{result.item[0]} cannot be compiled: {result.reason}")
        [(name, compiled[name])] = result
        if on_ready is not None:
            on_ready(name, compiled[name], len(compiled), len(wanted))
    return dict(sorted(compiled.items()))


def warm_up_for(space: ModelSpace, workers: int | None = None) -> None:
    """Compile what an answer about these models needs, on all cores, if nothing was compiled before.

    One kernel that every answer uses tells whether this is so. Otherwise the first process that needs a
    kernel would compile it, while the others wait or do the same.
    """
    from netchoice._kernels.compiler import announce, is_cached

    import_module("netchoice._kernels.spectrum")  # registers its kernels
    if not is_cached("spectrum.estrada_index"):
        announce()
        missing = [name for name in _needed(space) if not is_cached(name)]
        names = [*missing, *_step_names(space)]
        total, done = sum(map(_seconds, names)), 0.0
        with progress("compiling", "%") as shown:

            def on_ready(name: str, *_numbers: object) -> None:
                nonlocal done
                done += _seconds(name)
                shown(round(100 * done / total), 100)

            warm_up(workers, on_ready, names)


def _needed(space: ModelSpace) -> list[str]:
    """Return the names of the kernels that an answer about these models needs, without steps.

    They are those that the source of a module names which an answer uses.
    """
    from netchoice._kernels.compiler import module_of

    users = {model.function.__module__ for model in space if is_ours(model.function)}
    for name in _USERS:
        module = import_module(name)
        parts = iter_modules(getattr(module, "__path__", ()), f"{name}.")
        users |= {name, *(part.name for part in parts)}
    source = "".join(inspect.getsource(import_module(name)) for name in users)
    named = set(re.findall(r"\b\w+\b", source))
    return [
        name
        for name in _compilers()
        if not name.startswith("step.")
        and (module_of(name) in users or name.partition(".")[2] in named)
    ]


def _step_names(space: ModelSpace) -> list[str]:
    """Return the names of the steps of growing models."""
    parts = [part for model in space for part in getattr(model.function, "parts", ())]
    return [f"step.{step.function.__name__}" for step, _ in parts if is_ours(step.function)]


def _compile(name: str) -> tuple[str, bool]:
    """Compile a kernel in a worker process; return whether it was not yet in the cache."""
    from netchoice._kernels.compiler import quiet

    quiet()
    return name, _compilers()[name]()


def _seconds(name: str) -> float:
    return _SECONDS.get(name, _OTHER_SECONDS)


def _compilers() -> dict[str, Callable[[], bool]]:
    """Return by name the functions that compile a kernel or the step of a mechanism."""
    from netchoice._kernels.compiler import compile_kernel, kernels
    from netchoice.features import summaries
    from netchoice.models.mechanism import GrowthStep
    from netchoice.models.mechanisms import all_models

    summaries.compiled()  # registers it; all_models registers kernels and steps
    all_models()
    compilers: dict[str, Callable[[], bool]] = {
        name: partial(compile_kernel, name) for name in kernels()
    }
    # Processes that compile do not know the mechanisms of a user.
    return compilers | {
        f"step.{name}": step.compile
        for (_, name), step in GrowthStep.known.items()
        if is_ours(step.function)
    }
