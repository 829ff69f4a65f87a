"""Answers for the networks of a cohort: which sizes they have, and what answers for each."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netchoice.errors import NetchoiceError
from netchoice.graph import Graph
from netchoice.io import ReadingReport
from netchoice.models.space import ModelSpace
from netchoice.stores import place
from netchoice.workflows.answer_files import CHOOSER, COHORT_FILES
from netchoice.workflows.cohort_run import CohortAnswers, Collection, Source, answer_all
from netchoice.workflows.preparation import ChoiceSettings, make_preparation
from netchoice.workflows.run_folder import CHOICE_FILES, delete_run, find_run
from netchoice.workflows.simulation_plan import SimulationPlan
from netchoice.workflows.sizes import Size, find_size, in_order
from netchoice.workflows.table_maker import Progress, TableMaker

if TYPE_CHECKING:
    from netchoice.workflows.chooser import Chooser

#: A chooser with more sizes is read size by size, and the networks are ordered by size.
MAX_SIZES_IN_MEMORY = 4
#: Share of the cost of all features that the selected ones have, for an estimate of the time.
_SELECTED_SHARE = 0.1
#: Seconds for the selection of features, and for each model: parameters, power, profiles and figures.
_OTHER_SECONDS, _OTHER_SECONDS_EACH = 12.0, 4.0


@dataclass(frozen=True)
class GraphSource:
    """A network that is in memory."""

    id: str
    graph: Any
    group: str | None = None
    file: str | None = None
    covariates: Mapping[str, Any] = field(default_factory=dict)

    def read(self) -> tuple[Graph, ReadingReport | None]:
        """Return the network."""
        return Graph.of(self.graph), None


@dataclass(frozen=True)
class SourceList:
    """Networks of a cohort in a list; see :class:`netchoice.workflows.cohort_run.Collection`."""

    sources: Sequence[Source]
    fingerprint: str
    covariates: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.sources)

    def __getitem__(self, number: int) -> Source:
        return self.sources[number]


def as_collection(graphs: Any) -> Collection:
    """Return networks as a collection: networks by id, a sequence of networks, or a collection."""
    if hasattr(graphs, "fingerprint") and hasattr(graphs, "covariates"):
        return graphs  # type: ignore[no-any-return]
    if isinstance(graphs, Mapping):
        named = {str(name): graph for name, graph in graphs.items()}
    else:
        named = {str(i): graph for i, graph in enumerate(graphs)}
    digest = hashlib.blake2b(digest_size=16)
    sources: list[Source] = []
    for name, graph in named.items():
        try:
            graph = Graph.of(graph)
            digest.update(f"{name} {graph.fingerprint}".encode())
        except NetchoiceError:  # its row will say why
            digest.update(name.encode())
        sources.append(GraphSource(name, graph))
    return SourceList(sources, digest.hexdigest())


def sizes_of(
    chooser: Chooser, collection: Collection, on_progress: Progress | None = None
) -> list[Size | None]:
    """Return the size of each network of a collection; None if it cannot be read or compared."""
    sizes: list[Size | None] = []
    for number in range(len(collection)):
        try:
            graph, _ = collection[number].read()
            sizes.append(chooser.size_of(graph))
        except Exception:  # its row will say why
            sizes.append(None)
        if on_progress is not None:
            on_progress("sizes", number + 1, len(collection), sizes.count(None))
    return sizes


def needed_sizes(sizes: Iterable[Size | None]) -> dict[Size, int]:
    """Return how many networks have each size, the most frequent size first."""
    return dict(Counter(size for size in sizes if size is not None).most_common())


def estimated_seconds(space: ModelSpace, plan: SimulationPlan, size: Size, workers: int) -> float:
    """Return about how many seconds it takes to prepare a size, from a few simulations."""
    settings = ChoiceSettings(
        space=space.as_dict(), n_nodes=size.n_nodes, isolated=size.isolated, plan=plan
    )
    maker = TableMaker(space, 0, size.isolated, "serial")
    preparation = make_preparation(space, settings, maker)
    costs, n_models = preparation.probed_costs(), len(space)
    n_selection = math.ceil(plan.selection_samples * max(1, n_models / plan.selection_models))
    n_local = n_models * plan.local_samples
    larger = size.ends[1] / plan.pilot_sizes[-1] if preparation.uses_pilots else 1.0
    selected = larger * costs.growth + _SELECTED_SHARE * costs.cheap
    simulations = (
        n_selection * (costs.growth + costs.cheap)
        + plan.complete_each * n_models * costs.expensive
        + n_local * (larger * costs.growth + costs.cheap)
        + plan.samples * selected
    )
    return simulations / workers + _OTHER_SECONDS + n_models * _OTHER_SECONDS_EACH


def open_own_chooser(chooser: Chooser, folder: Path, fresh: bool) -> Path:
    """Open the chooser in the folder of a cohort that no other chooser was named for; return its folder.

    With ``fresh``, the simulations of an earlier run are deleted. Other files are kept.
    """
    find_run(folder, COHORT_FILES)  # a folder of somebody else is refused before the work
    path = folder / CHOOSER
    if fresh and path.is_dir():
        for part in sorted(path.iterdir()):
            if part.is_dir() and Size.of_folder(part.name) is not None:
                delete_run(part, CHOICE_FILES)
        delete_run(path, CHOICE_FILES)
    chooser.open(path)
    return path


def by_size(collection: Collection, sizes: Sequence[Size | None]) -> Collection:
    """Return the networks ordered by size, so that each size is read from disk once."""
    known = in_order({size for size in sizes if size is not None})
    place: dict[Size | None, int] = {size: i for i, size in enumerate(known)}
    order = sorted(range(len(collection)), key=lambda i: (place.get(sizes[i], len(place)), i))
    sources = [collection[i] for i in order]
    return SourceList(sources, f"by size {collection.fingerprint}", collection.covariates)


def choose_cohort(
    chooser: Chooser,
    graphs: Any,
    *,
    path: str | PathLike[str],
    sizes: Sequence[Size | None] | None = None,
    workers: int | None = None,
    engine: str | Executor = "processes",
    fresh: bool = False,
    on_progress: Progress | None = None,
) -> CohortAnswers:
    """Answer for each network of a cohort, and write the answers to a folder.

    Parameters are those of :meth:`Chooser.choose_many`. ``sizes`` holds the size of each network, if it
    is known.
    """
    collection = as_collection(graphs)
    prepared = chooser.sizes_
    if len(prepared) > MAX_SIZES_IN_MEMORY:
        sizes = sizes_of(chooser, collection, on_progress) if sizes is None else sizes
        found = {size: find_size(size, prepared) for size in needed_sizes(sizes)}
        prepared = in_order({size for size in found.values() if size is not None})
    if len(prepared) > MAX_SIZES_IN_MEMORY and sizes is not None:
        collection = by_size(collection, sizes)
    return answer_all(
        collection,
        chooser.answerer(prepared),
        folder=place(path),
        engine=engine,
        workers=workers,
        fresh=fresh,
        on_progress=on_progress,
        settings={},
    )
