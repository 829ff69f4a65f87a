"""Answers for the networks of a cohort: each as a row, from references that networks of a size share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from os import PathLike
from pathlib import Path
from typing import Any

from netchoice.choice.cohort_run import (
    MADE_BY,
    REFERENCES,
    CohortAnswers,
    NetworkRows,
    answer_all,
)
from netchoice.choice.reference import Progress
from netchoice.choice.references import (
    References,
    prepare,
    prepared_references,
    settings_of,
)
from netchoice.choice.settings import Effort, GivenFeature, Settings
from netchoice.choice.sizes import Size, in_order
from netchoice.engines.processes import keep_workers
from netchoice.io.collection import NetworkCollection, as_collection
from netchoice.models.space import ModelSpace
from netchoice.progress import listener, shows_progress
from netchoice.simulate import Priors
from netchoice.storage.run_folder import find_run
from netchoice.stores import place
from netchoice.warmup import warm_up_for

#: So many networks of one size, or range of sizes, share simulations of all models; with fewer, each has
#: its own, of the models that it could be from.
SHARED = 5
#: With more sizes than this, networks share simulations by ranges of sizes.
MOST_SIZES = 3


@shows_progress("{}", {"sizes": "networks", "answers": "networks"})
@keep_workers()
def choose_cohort(
    graphs: Any,
    space: str | ModelSpace | None = None,
    *,
    out: str | PathLike[str],
    match: bool | None = None,
    reference: str | PathLike[str] | References | None = None,
    features: str | Iterable[GivenFeature] | None = None,
    prior: Priors = None,
    isolated: str | None = None,
    effort: Effort | None = None,
    seed: int = 1,
    workers: int | None = None,
    engine: str | Executor = "processes",
    fresh: bool = False,
    on_progress: Progress | bool | None = None,
) -> CohortAnswers:
    """Answer for each network of a cohort, and write the answers to a folder.

    Networks of one size share simulations. If there are more than three sizes, networks whose sizes are
    in one range share them, unless they are density-matched. A network that shares its size with few
    others has simulations of its own.

    Parameters
    ----------
    graphs : iterable of networks, a mapping from ids to networks, or a collection
        :func:`netchoice.io.find_networks` finds the networks of files and folders.
    out : path
        Folder for the answers. To resume an interrupted run, call the function again.
    reference : path or References, optional
        Simulations that :func:`prepare` made. Networks of other sizes get a row that says so.
    space, match, features, prior, isolated, effort, seed, workers, engine, fresh, on_progress
        As in :func:`netchoice.choose_model`.

    Returns
    -------
    CohortAnswers

    Examples
    --------
    >>> import netchoice, numpy as np, tempfile
    >>> rng = np.random.default_rng(1)
    >>> networks = {name: netchoice.get_model(name).grow(30, rng=rng) for name in ("ba1", "ba3")}
    >>> answers = netchoice.choose_cohort(networks, "ba", out=tempfile.mkdtemp(), engine="serial",
    ...                                   effort=netchoice.Effort.small())
    >>> answers.frame()["model"].tolist()
    ['ba1', 'ba3']
    """
    folder, report = place(out), listener(on_progress)
    collection = as_collection(graphs)
    options: dict[str, Any] = {"workers": workers, "engine": engine, "on_progress": report}
    if reference is not None:
        known = prepared_references(
            reference, space, features, seed, match=match, prior=prior or None, isolated=isolated,
            effort=effort,
        )  # fmt: skip
        answers = NetworkRows(known, only_prepared=True)
    else:
        settings = settings_of(
            space,
            prior,
            match=match,
            features=features,
            isolated=isolated,
            effort=effort,
            seed=seed,
        )
        if engine == "processes":
            warm_up_for(settings.space, workers)
        find_run(folder, MADE_BY)  # a folder of somebody else is refused before the work
        answers = NetworkRows(_prepared(settings, collection, folder, fresh, options))
    return answer_all(
        collection, answers, folder=folder, engine=engine, workers=workers, fresh=fresh,
        on_progress=report,
    )  # fmt: skip


def _prepared(
    settings: Settings,
    collection: NetworkCollection,
    folder: Path,
    fresh: bool,
    options: dict[str, Any],
) -> References:
    """Return simulations of the sizes that several networks share."""
    found = sizes_of(settings, collection, options["on_progress"])
    sizes = shared_sizes([size for size in found if size is not None], settings)
    if not sizes:
        return References(settings)
    return prepare(
        settings.space, like=sizes, match=settings.match, features=settings.features,
        isolated=settings.isolated, effort=settings.effort, seed=settings.seed, fresh=fresh,
        out=folder / REFERENCES, **options,
    )  # fmt: skip


def sizes_of(
    settings: Settings, collection: NetworkCollection, on_progress: Progress | None = None
) -> list[Size | None]:
    """Return the size of each network of a collection; None if it cannot be read or compared."""
    references, sizes = References(settings), list[Size | None]()
    for number in range(len(collection)):
        try:
            graph, _ = collection[number].read()
            sizes.append(references.size_of(graph))
        except Exception:  # its row will say why
            sizes.append(None)
        if on_progress is not None:
            on_progress("sizes", number + 1, len(collection), sizes.count(None))
    return sizes


def shared_sizes(sizes: Sequence[Size], settings: Settings) -> list[Size]:
    """Return the sizes, or ranges of sizes, that enough networks have to share simulations.

    >>> sizes = [Size((n, n), "drop") for n in (50, 52, 55, 58, 60, 300)]
    >>> [size.nodes for size in shared_sizes(sizes, Settings.of("duplication"))]
    [(41, 60)]
    """
    if len({*sizes}) > MOST_SIZES and not settings.match:
        sizes = [size.range for size in sizes]
    return in_order(size for size, n in Counter(sizes).items() if n >= SHARED)
