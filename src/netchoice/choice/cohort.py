"""Answers for the networks of a cohort: each as a row, from references that networks of a size share."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

from netchoice.choice.answer import Answer
from netchoice.choice.assess import settle
from netchoice.choice.cohort_run import (
    MADE_BY,
    REFERENCES,
    CohortAnswers,
    Collection,
    Source,
    answer_all,
)
from netchoice.choice.conclude import Known, conclude, tested_with_all
from netchoice.choice.observe import observe
from netchoice.choice.reference import CALIBRATION, Progress, Reference
from netchoice.choice.references import (
    References,
    prepare,
    prepared_references,
    settings_of,
)
from netchoice.choice.settings import Clock, Effort, GivenFeature, Settings
from netchoice.choice.sizes import Size, find_size, in_order
from netchoice.engines.processes import keep_workers
from netchoice.errors import NetchoiceError
from netchoice.features import comparable_features
from netchoice.graph import Graph
from netchoice.inference.verdict import ENOUGH
from netchoice.io import ReadingReport
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
#: Main differences that the notes of a network state.
N_REASONS = 2
_PARTS_IN_MEMORY = 4


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
    """Networks of a cohort in a list; see :class:`netchoice.choice.cohort_run.Collection`."""

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
            content = f"{name} {graph.fingerprint}"
        except NetchoiceError:  # its row will say why
            content = name
        digest.update(content.encode("utf-8", "surrogatepass"))
        sources.append(GraphSource(name, graph))
    return SourceList(sources, digest.hexdigest())


@shows_progress("{}", {"sizes": "networks", "answers": "networks"})
@keep_workers()
def choose_cohort(
    graphs: Any,
    space: str | ModelSpace | None = None,
    *,
    out: str | PathLike[str],
    match: bool | None = None,
    reference: str | PathLike[str] | References | None = None,
    features: Iterable[GivenFeature] | None = None,
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
        answerer = CohortAnswerer(known.settings, known, only_prepared=True)
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
        answerer = _prepared(settings, collection, folder, fresh, options)
    answers = answer_all(
        collection, answerer, folder=folder, engine=engine, workers=workers, fresh=fresh,
        on_progress=report,
    )  # fmt: skip
    return replace(answers, references=answerer.references)


def _prepared(
    settings: Settings, collection: Collection, folder: Path, fresh: bool, options: dict[str, Any]
) -> CohortAnswerer:
    """Prepare the sizes that several networks share, and return what answers for all networks."""
    found = sizes_of(settings, collection, options["on_progress"])
    sizes = shared_sizes([size for size in found if size is not None], settings)
    if not sizes:
        return CohortAnswerer(settings, References(settings))
    made = prepare(
        settings.space, like=sizes, match=settings.match, features=settings.features,
        isolated=settings.isolated, effort=settings.effort, seed=settings.seed, fresh=fresh,
        out=folder / REFERENCES, **options,
    )  # fmt: skip
    return CohortAnswerer(settings, made)


def sizes_of(
    settings: Settings, collection: Collection, on_progress: Progress | None = None
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


@dataclass(frozen=True)
class CohortAnswerer:
    """Answers for single networks, in any process; engines pickle it.

    ``references`` holds the simulations that networks share. A network of another size has simulations of
    its own, or none if ``only_prepared``.
    """

    settings: Settings
    references: References
    only_prepared: bool = False

    @property
    def space(self) -> ModelSpace:
        """The models that are compared."""
        return self.settings.space

    @property
    def columns(self) -> dict[str, str]:
        """Names and kinds of the columns of an answer, in order."""
        columns = {"verdict": "text", "model": "text", "probable": "text", "family": "text"}
        labels = self.space.labels
        for model in labels:
            columns |= {f"{kind}_{model}": "number" for kind in ("probability", "lower", "upper")}
        columns |= {f"fit_p_{model}": "number" for model in labels}
        columns |= {f"state_{model}": "text" for model in labels}
        parameters = [(model.name, name) for model in self.space for name in model.parameters]
        for model, name in parameters:
            columns |= {f"{model}_{name}_{end}": "number" for end in ("median", "lower", "upper")}
        return columns | {
            "headline": "text", "n_nodes": "number", "n_edges": "number", "isolated": "text",
            "reference": "text", "notes": "text",
        }  # fmt: skip

    @cached_property
    def feature_names(self) -> list[str]:
        """Names of all features that an answer may have."""
        return list(self.settings.names or [*comparable_features(), "n_nodes"])

    @cached_property
    def fingerprint(self) -> str:
        """A text that differs if answers can differ."""
        sizes = ",".join(size.folder for size in self.references)
        return f"{self.references.fingerprint} {self.only_prepared} {sizes}"

    def warm_up(self) -> None:
        """Read simulations and load compiled code, so that neither is timed."""
        for size in list(self.references)[:_PARTS_IN_MEMORY]:
            self.references[size].simulator(CALIBRATION).warm_up()

    def answer(self, graph: Graph) -> tuple[dict[str, Any], dict[str, float]]:
        """Return the row of a network, and its features."""
        wanted = self.references.size_of(graph)
        size = find_size(wanted, self.references)
        if size is None and self.only_prepared:
            self.references.find(wanted)  # raises the error that says what is prepared
        if size is not None:
            reference = self.references[size]
            observed = observe(graph, self.settings, reference.features)
        else:
            observed = observe(graph, self.settings)
            reference = Reference(self.settings, observed.size, engine="serial", workers=1)
        clock = Clock(None)
        known = Known(reference, observed, settle(reference.with_options(), observed, clock))
        row = answer_row(conclude(known, clock))
        # The false discovery rate needs the p-value of every model, also of one that was rejected early.
        for model in reference.models:
            if (
                row[f"fit_p_{model}"] is None
                and (found := tested_with_all(known, model)) is not None
            ):
                row[f"fit_p_{model}"] = found.p_value
        row["reference"] = f"{self.space.name}, {size or 'its own simulations'}"
        return row, observed.values


def answer_row(answer: Answer) -> dict[str, Any]:
    """Return the answer for one network as a row of ``answers.csv``."""
    verdict = answer.verdict
    family = next(iter(verdict.families.items()), ("", 0.0))
    row: dict[str, Any] = {
        "verdict": verdict.kind,
        "model": verdict.candidates[0] if verdict.candidates else "",
        "probable": ", ".join(verdict.probable),
        "family": family[0] if family[1] >= ENOUGH else "",
        "headline": verdict.sentence,
        "n_nodes": answer.graph.n_nodes,
        "n_edges": answer.graph.n_edges,
        "isolated": answer.network["isolated"],
        "notes": "; ".join(
            f"compared with {each.name}: {one.sentence}"
            for each in answer.models
            if not answer.candidates
            for one in each.discrepancies[:N_REASONS]
        ),
    }
    for each in answer.models:
        row[f"state_{each.name}"] = each.state
        row[f"fit_p_{each.name}"] = each.p_value
        # A rejected model has the probability 0; a candidate may have none.
        without = None if each.is_candidate else 0.0
        row[f"probability_{each.name}"] = without if each.probability is None else each.probability
        row[f"lower_{each.name}"], row[f"upper_{each.name}"] = each.interval or (without, without)
        for name, one in each.parameters.items():
            row[f"{each.name}_{name}_median"] = one.median
            row[f"{each.name}_{name}_lower"], row[f"{each.name}_{name}_upper"] = one.interval
    return row
