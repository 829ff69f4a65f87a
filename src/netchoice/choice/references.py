"""References by size in a folder: simulations that are made once, and answer for many networks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from os import PathLike
from pathlib import Path
from typing import Any, Self

from netchoice.choice.observe import Observed, comparable_network, observe
from netchoice.choice.reference import (
    CALIBRATION,
    INFERENCE,
    SCREENED,
    SCREENED_CALIBRATION,
    STREAMS,
    Progress,
    Reference,
)
from netchoice.choice.settings import (
    DEFAULT_SEED,
    DEFAULT_SPACE,
    Clock,
    Effort,
    GivenFeature,
    Settings,
)
from netchoice.choice.sizes import Size, find_size, in_order
from netchoice.engines.processes import keep_workers
from netchoice.errors import UsageError
from netchoice.features.registry import FEATURES, find
from netchoice.models.builtin import get_space, rebuilt_space
from netchoice.models.space import ModelSpace
from netchoice.progress import listener, shows_progress
from netchoice.simulate import Priors, with_priors
from netchoice.storage.kept_files import DamagedFileError, fingerprint_of, read_json, write_json
from netchoice.storage.run_folder import disk_errors, find_run, run_folder
from netchoice.stores import place

#: What says that a size is complete, and what makes a folder of references.
PREPARED, MADE_BY = "prepared.json", "netchoice prepare"


class References(Mapping[Size, Reference]):
    """Simulations for several sizes of networks, which were prepared once.

    Attributes
    ----------
    settings : Settings, of all sizes
    folder : Path or None, where they are kept; None if they are in memory
    """

    def __init__(self, settings: Settings, folder: Path | None = None) -> None:
        self.settings, self.folder = settings, folder
        self._known: dict[Size, Reference | None] = {}

    def __iter__(self) -> Iterator[Size]:
        return iter(in_order(self._known))

    def __len__(self) -> int:
        return len(self._known)

    def __getitem__(self, size: Size) -> Reference:
        found = self._known[size]
        if found is None:
            found = self._known[size] = self._read(size)
        return found

    def __repr__(self) -> str:
        sizes = "; ".join(map(str, self)) or "no size is prepared"
        return f"<References: {', '.join(self.settings.space.labels)}; {sizes}>"

    @property
    def fingerprint(self) -> str:
        """What answers depend on: the settings of the simulations."""
        return fingerprint_of(self.settings.as_dict())

    @property
    def parameters(self) -> dict[str, tuple[str, ...]]:
        """Names of the parameters of each model."""
        return {model.name: tuple(model.parameters) for model in self.settings.space}

    def size_of(self, graph: Any) -> Size:
        """Return the size that the simulations for a network must have."""
        network, isolated = comparable_network(graph, self.settings.isolated)
        edges = network.n_edges if self.settings.match else None
        return Size((network.n_nodes, network.n_nodes), isolated, edges)

    def find(self, wanted: Size) -> tuple[Size, Reference]:
        """Return the size, or the range of sizes, that covers a size, and its simulations."""
        size = find_size(wanted, self)
        if size is None:
            prepared = "; ".join(map(str, self)) or "none"
            low, high = wanted.range.nodes
            raise UsageError(
                f"no simulations are prepared for a network with {wanted}; prepared are: {prepared}; "
                + (
                    f"prepare this size or a range of sizes, for example --nodes {low}..{high}"
                    if wanted.edges is None
                    else "leave out --reference (in Python reference=), and it gets its own"
                )
            )
        return size, self[size]

    def observe(self, graph: Any, clock: Clock | None = None) -> tuple[Reference, Observed]:
        """Return the simulations for a network, and the network with the features that these have."""
        _, reference = self.find(self.size_of(graph))
        return reference, observe(graph, self.settings, reference.features, clock)

    # Preparation

    def add(self, sizes: Iterable[Size], **options: Any) -> None:
        """Simulate all models at these sizes, unless this was done before; with options of `Reference`."""
        for size in dict.fromkeys(sizes):
            if size in self._known:
                continue
            reference = Reference(
                self.settings, size, folder=None if self.folder is None else self.folder / size.folder,
                **options,
            )  # fmt: skip
            _simulate_all(reference)
            if self.folder is not None:
                record = {
                    "features": list(reference.features),
                    "unmatched": list(reference.unmatched),
                }
                with disk_errors(self.folder):
                    write_json(self.folder / size.folder / PREPARED, record, self._part(size))
            self._known[size] = reference.for_worker()

    def _part(self, size: Size) -> str:
        """Return what the files of a size belong to: these settings, this size, and these simulations."""
        streams = [stream.name for stream in STREAMS]
        record = {"settings": self.settings.as_dict(), "size": size.folder, "streams": streams}
        return fingerprint_of(record)

    def _record(self, size: Size) -> dict[str, Any]:
        """Return what is kept about the simulations of a size; what another run made is refused."""
        assert self.folder is not None
        path = self.folder / size.folder / PREPARED
        return read_json(path, self._part(size), advice="prepare it again in another folder")

    def _read(self, size: Size) -> Reference:
        """Read the simulations of a size; a folder of another run is refused."""
        assert self.folder is not None
        folder, record = self.folder / size.folder, self._record(size)
        reference = Reference(
            self.settings, size, features=record["features"], folder=folder, engine="serial"
        )
        if list(reference.unmatched) != record["unmatched"]:
            raise DamagedFileError(f"{folder} was prepared for other models; prepare it again")
        _simulate_all(reference)
        return reference.for_worker()

    @classmethod
    def load(
        cls,
        path: str | PathLike[str],
        space: ModelSpace | None = None,
        features: str | Iterable[GivenFeature] | None = None,
    ) -> Self:
        """Return the references in a folder that :func:`prepare` wrote; nothing in it is executed.

        ``space`` is needed if its models are not built in, and ``features`` if the given ones are not.
        """
        folder = place(path)
        if not folder.is_dir():
            raise UsageError(f"{folder} is not a folder; expected one that netchoice prepare wrote")
        record = find_run(folder, MADE_BY)
        if record is None:
            raise UsageError(f"{folder} holds no simulations; make some with netchoice prepare")
        made = cls(_settings(record, space, features), folder)
        for path_of_size in sorted(folder.iterdir()):
            size = Size.of_folder(path_of_size.name)
            if size is not None and (path_of_size / PREPARED).is_file():
                made._record(size)
                made._known[size] = None
        if not made._known:
            raise UsageError(
                f"the simulations in {folder} are not finished; run the same netchoice prepare again"
            )
        return made


def _simulate_all(reference: Reference) -> None:
    """Add all rows that an answer may use; rows that are kept in the folder are only read."""
    effort, models = reference.effort, reference.models
    reference.simulate(SCREENED, models, effort.screened)
    reference.simulate(SCREENED_CALIBRATION, models, effort.n_screening)
    reference.simulate_training(models)
    reference.simulate(CALIBRATION, models, effort.most)
    reference.simulate(INFERENCE, models, effort.inferred)


def _settings(
    record: Mapping[str, Any], space: ModelSpace | None, features: Iterable[GivenFeature] | None
) -> Settings:
    """Return the settings of a record; functions of models and features are not kept."""
    given = None if features is None else {find(each).name: each for each in features}
    names = record["features"]
    if given is not None and {*given} != {*(names or ())}:
        raise UsageError(
            f"features {', '.join(given)} are given, and the simulations were made with "
            f"{', '.join(names or ['features of their own choice'])}; pass the same features"
        )
    for name in names or ():
        if name not in FEATURES and given is None:
            raise UsageError(
                f"the feature {name} is not built in; pass the features that were given (--features, in "
                "Python features=…)"
            )
    return Settings(
        space=rebuilt_space(record["space"], space),
        match=record["match"],
        isolated=record["isolated"],
        features=None if names is None else tuple((given or {}).get(name, name) for name in names),
        method=tuple(record["method"]),
        penalty=record["penalty"],
        budget=record["budget"],
        costs=record["costs"],
        seed=record["seed"],
        effort=Effort(**record["effort"]),
    )


def settings_of(
    space: str | ModelSpace | None, prior: Priors, *, match: bool | None, **options: Any
) -> Settings:
    """Return the settings of a task, with some priors of its models replaced."""
    if prior:
        match = space is None if match is None else match
        space = with_priors(DEFAULT_SPACE if space is None else space, prior)
    return Settings.of(space, match=match, **options)


def references_of(
    given: str | PathLike[str] | References | None,
    space: str | ModelSpace | None,
    features: str | Iterable[GivenFeature] | None,
    prior: Priors,
    seed: int,
    **options: Any,
) -> References:
    """Return the references that a user gave, or empty ones with these settings.

    Given references have decided the options, which are refused. A space and features may be needed to read
    a folder.
    """
    if given is None:
        return References(settings_of(space, prior, features=features, seed=seed, **options))
    options |= {"prior": prior or None}
    if isinstance(given, References):
        options |= {"space": space, "features": features}
        made = given
    else:
        known = None if space is None else get_space(space)
        made = References.load(given, known, features)
    usual = {"costs": "reference"}
    decided = [n for n, value in options.items() if value not in (None, (), usual.get(n))]
    if seed not in (DEFAULT_SEED, made.settings.seed):
        decided.append("seed")
    for name in decided:
        raise UsageError(
            f"`{name}` is given, but the simulations were made before; leave it out, or leave out "
            "`reference`"
        )
    return made


@shows_progress("simulating ({})")
@keep_workers()
def prepare(
    space: str | ModelSpace | None = None,
    n_nodes: int | str | Sequence[int | str] | None = None,
    *,
    like: Iterable[Any] = (),
    match: bool | None = None,
    features: str | Iterable[GivenFeature] | None = None,
    prior: Priors = None,
    isolated: str | None = None,
    effort: Effort | None = None,
    seed: int = 1,
    workers: int | None = None,
    engine: str | Executor = "processes",
    out: str | PathLike[str] | None = None,
    fresh: bool = False,
    on_progress: Progress | bool | None = None,
) -> References:
    """Simulate the models of a space once, to answer for many networks of the same size.

    Parameters
    ----------
    space : ModelSpace or str, optional
        The models to compare; by default all mechanisms, density-matched.
    n_nodes : int, str, or a sequence of these, optional
        Numbers of nodes to prepare. A text such as ``"240..375"`` is a range of sizes, for which one set
        of simulations serves.
    like : iterable of networks, or of :class:`~netchoice.choice.sizes.Size`, optional
        Prepare their sizes, density-matched unless ``match`` is False.
    isolated : "keep", "drop" or None
        None prepares both, because networks with and without isolated nodes are compared with different
        simulations.
    out : path, optional
        Folder to keep the simulations in. An interrupted preparation is resumed.
    match, features, prior, effort, seed, workers, engine, fresh, on_progress
        As in :func:`netchoice.choose_model`.

    Examples
    --------
    >>> import netchoice
    >>> references = netchoice.prepare("ba", 20, effort=netchoice.Effort.small(), engine="serial")
    >>> references
    <References: ba1, ba2, ba3, ba4; 20 nodes, isolated nodes dropped; 20 nodes, isolated nodes kept>
    """
    sizes = list(like)
    settings = settings_of(
        space, prior, match=True if match is None and sizes else match, features=features,
        isolated=isolated, effort=effort, seed=seed,
    )  # fmt: skip
    numbers: list[Any] = []
    if n_nodes is not None:
        is_one = isinstance(n_nodes, int | str)
        numbers = [n_nodes] if is_one else list(n_nodes)  # type: ignore[arg-type]
    if numbers and settings.match:
        raise UsageError(
            "density-matched simulations depend on networks; pass networks (--like NETWORK), or a space "
            "that is not matched"
        )
    both = ("keep", "drop") if isolated is None else (isolated,)
    size_of = References(settings).size_of
    sizes = [each if isinstance(each, Size) else size_of(each) for each in sizes]
    sizes += [Size.of_text(number, each) for number in numbers for each in both]
    if not sizes:
        raise UsageError(
            "no number of nodes is given; pass n_nodes (--nodes 300), or networks (--like NETWORK)"
        )
    folder = None if out is None else place(out)
    return prepare_sizes(
        settings, sizes, folder, fresh, workers=workers, engine=engine, on_progress=listener(on_progress)
    )  # fmt: skip


def prepare_sizes(
    settings: Settings, sizes: Sequence[Size], folder: Path | None, fresh: bool, **options: Any
) -> References:
    """Return simulations of all models at some sizes, with options of :class:`Reference`."""
    made = References(settings, folder)
    with run_folder(folder, settings.as_dict(), fresh, MADE_BY, ()):
        made.add(sizes, **options)
    return made if folder is None else References.load(folder, settings.space, settings.features)
