"""A chooser: simulations that are made once, and answers for many networks."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from netchoice.engines.processes import keep_workers
from netchoice.errors import UsageError
from netchoice.features.registry import Feature
from netchoice.inference.scaling import Floats
from netchoice.io import ReadingReport
from netchoice.models.builtin import get_space, rebuilt_space
from netchoice.models.density_matched import MatchedSpace
from netchoice.models.space import ModelSpace
from netchoice.progress import listener, shows_progress
from netchoice.storage.kept_files import fingerprint_of
from netchoice.storage.table import ReferenceTable
from netchoice.storage.written_folder import listed_writes
from netchoice.stores import place
from netchoice.validation import check_choice, check_integer
from netchoice.workflows.answer_rows import CohortAnswerer, PartsOnDisk
from netchoice.workflows.choice import Choice
from netchoice.workflows.choose import choose_prepared
from netchoice.workflows.choose_cohort import MAX_SIZES_IN_MEMORY, as_collection, choose_cohort
from netchoice.workflows.cohort_run import clean_text
from netchoice.workflows.comparison import Comparison
from netchoice.workflows.misfit import power_sentence
from netchoice.workflows.preparation import ChoiceSettings, make_preparation, plan_of
from netchoice.workflows.prepared import Prepared, comparable_network
from netchoice.workflows.prepared_folder import (
    fingerprint,
    given_features,
    is_prepared,
    read_prepared,
    read_record,
    save_tables,
    write_prepared,
)
from netchoice.workflows.run_folder import (
    CHOICE_FILES,
    PART_OF,
    find_run,
    locked_run_folder,
    open_run_folder,
    run_folder,
)
from netchoice.workflows.simulation_plan import SimulationPlan, Stopwatch
from netchoice.workflows.sizes import Size, find_size, in_order
from netchoice.workflows.table_maker import (
    STAGES,
    GivenFeature,
    Progress,
    TableMaker,
    features_by_name,
)

if TYPE_CHECKING:
    import pandas as pd

ISOLATED = ("keep", "drop")


class Chooser:
    """Choose models for many networks, from simulations that are made once for each size.

    The answer for a network is the one that :func:`netchoice.choose_model` gives with the same settings:
    that function prepares the same simulations for one network. Selected features depend on costs, which
    are measured once on a machine for each size and kept in the cache. Spaces with many models are not
    screened, because the networks are not known yet: all models are compared.

    Parameters
    ----------
    space : ModelSpace or str
        The models to compare.
    n_nodes : int, str, or a sequence of these, optional
        Numbers of nodes to prepare. A text such as ``"240..375"`` is a range of sizes, for which one set
        of simulations serves. Not needed if :meth:`fit` gets networks.
    isolated : "keep", "drop" or None
        As in :func:`netchoice.choose_model`. None prepares both, because networks with and without
        isolated nodes are compared with different simulations.
    match : bool
        Use density-matched simulations; :meth:`fit` then needs networks.
    samples, features, purpose, method, penalty, budget, time_limit, inference, local, seed, plan
        As in :func:`netchoice.choose_model`. A time limit is for each size.

    Attributes
    ----------
    classes_ : array of str, the models, in the order of the columns of :meth:`predict_proba`
    sizes_ : list of Size, the prepared sizes

    Examples
    --------
    >>> import netchoice, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> networks = [netchoice.get_model(name).grow(30, rng=rng) for name in ("ba1", "ba2", "ba3")]
    >>> plan = netchoice.workflows.SimulationPlan.small()
    >>> chooser = Chooser("ba", samples=200, features=["degree_mean"], plan=plan)
    >>> chooser.fit(networks, engine="serial").predict_proba(networks).argmax(axis=1)
    array([0, 1, 2])
    """

    def __init__(
        self,
        space: str | ModelSpace = "duplication",
        *,
        n_nodes: int | str | Sequence[int | str] | None = None,
        isolated: str | None = None,
        match: bool = False,
        samples: int | None = None,
        features: Iterable[str | Feature] | None = None,
        purpose: str = "both",
        method: str | Iterable[str] = "jmi",
        penalty: float | None = None,
        budget: float | str | None = None,
        time_limit: float | None = None,
        inference: str | None = None,
        local: bool = True,
        seed: int = 1,
        plan: SimulationPlan | None = None,
    ) -> None:
        self.space = get_space(space)
        self.n_nodes = n_nodes
        self.isolated = isolated
        self.match = match
        self._given = features_by_name(features)
        if isolated is not None:
            check_choice("isolated", isolated, ISOLATED)
        self._settings = ChoiceSettings(
            space=self.space.as_dict(),
            n_nodes=0,
            isolated="",
            samples=samples,
            features=None if features is None else tuple(self._given),
            purpose=purpose,
            method=(method,) if isinstance(method, str) else tuple(method),
            penalty=penalty,
            budget=budget,
            inference=inference,
            time_limit=time_limit,
            seed=seed,
            plan=plan_of(plan, local),
        )
        self._settings.check()
        self._prepared: dict[Size, Prepared] = {}
        self._folder: Path | None = None

    # What is prepared

    @property
    def classes_(self) -> np.ndarray:
        """The models, in the order of the columns of :meth:`predict_proba`."""
        return np.array(self.space.labels)

    @property
    def sizes_(self) -> list[Size]:
        """The prepared sizes."""
        found = {*self._prepared}
        if self._folder is not None:
            found.update(_sizes_in(self._folder))
        return in_order(found)

    @property
    def seed(self) -> int:
        """The seed of the simulations."""
        return self._settings.seed

    @property
    def plan(self) -> SimulationPlan:
        """How many networks each stage simulates."""
        return self._settings.plan

    def __repr__(self) -> str:
        sizes = "; ".join(map(str, self.sizes_)) or "no size is prepared"
        return f"<Chooser {self.space.name}: {', '.join(self.space.labels)}; {sizes}>"

    def size_of(self, graph: Any) -> Size:
        """Return the size that the simulations for a network must have."""
        network, isolated = comparable_network(graph, self.isolated)
        return Size(network.n_nodes, isolated, network.n_edges if self.match else None)

    @shows_progress(STAGES)
    @keep_workers()
    def fit(
        self,
        graphs: Iterable[Any] = (),
        *,
        path: str | PathLike[str] | None = None,
        workers: int | None = None,
        engine: str | Executor = "processes",
        on_progress: Progress | bool | None = None,
    ) -> Self:
        """Simulate, select features, fit the inference, and measure its quality, for every size.

        Parameters
        ----------
        graphs : iterable of networks, or of :class:`Size`
            Prepare their sizes, besides ``n_nodes``.
        path : path, optional
            Folder to keep the simulations in. Sizes that are prepared there are not prepared again, and
            an interrupted preparation is resumed.
        workers, engine, on_progress
            As in :func:`netchoice.choose_model`.
        """
        wanted = dict.fromkeys([*self._given_sizes(), *map(self._as_size, graphs)])
        if not wanted and not self.sizes_:
            raise UsageError("no number of nodes is given; pass n_nodes, or networks to fit")
        with self._writing(path):
            for size in wanted:
                if size not in self.sizes_:
                    self._prepare(size, workers, engine, listener(on_progress))
        return self

    def open(self, path: str | PathLike[str]) -> None:
        """Use a folder for the simulations, and those that are prepared there already."""
        with self._writing(path):
            pass

    @contextlib.contextmanager
    def _writing(self, path: str | PathLike[str] | None) -> Iterator[None]:
        """Be the only process that writes to the folder of the simulations, if there is one."""
        folder = self._folder if path is None else place(path)
        if folder is None:
            yield
            return
        with locked_run_folder(folder, self.record(), False):
            if folder != self._folder:
                self._folder = folder
                for size in self._prepared:
                    self._write(size)
            yield

    def _part(self, size: Size) -> str:
        """Return what the folder of a size must be a part of: this chooser, and this size."""
        return fingerprint_of({**self.record(), "size": size.folder})

    @property
    def path(self) -> Path | None:
        """The folder of the simulations; None if they are in memory."""
        return self._folder

    def describe(self, size: Size) -> dict[str, Any]:
        """Return what is known about a prepared size: features, accuracy, power; ``lines`` says it."""
        prepared = self._get(size)
        selection, tested = prepared.selection, prepared.held_out
        powers = {model: prepared.power(model) for model in self.space.labels}
        lines = [
            f"{size}: {len(prepared.table)} simulations for inference, {len(prepared.fit_table)} for the fit",
            f"  features: {', '.join(selection.features)}",
            f"  held-out accuracy: {tested.accuracy:.1%} of {len(tested.truth)} simulations",
            *(f"  {model}: {power_sentence(found)}" for model, found in powers.items()),
        ]
        return {
            "size": size._asdict(),
            "features": list(selection.features),
            "accuracy": float(tested.accuracy),
            "quality": {name: known.summary() for name, known in prepared.known_quality.items()},
            "power": {model: [asdict(each) for each in found] for model, found in powers.items()},
            "notes": list(prepared.notes),
            "lines": lines,
        }

    def _as_size(self, graph: Any) -> Size:
        return graph if isinstance(graph, Size) else self.size_of(graph)

    def _given_sizes(self) -> Iterator[Size]:
        given = self.n_nodes if self.n_nodes is not None else ()
        numbers: list[Any] = [given]
        if isinstance(given, Iterable) and not isinstance(given, str):
            numbers = list(given)
        if numbers and self.match:
            raise UsageError("density-matched simulations depend on networks; pass them to fit")
        for number in numbers:
            for isolated in ISOLATED if self.isolated is None else (self.isolated,):
                yield Size(_checked(number), isolated)

    def record(self) -> dict[str, Any]:
        """Return the settings of all sizes, for JSON."""
        record = self._settings.as_dict()
        return record | {"isolated": self.isolated, "match": self.match}

    def _prepare(
        self, size: Size, workers: int | None, engine: str | Executor, on_progress: Progress | None
    ) -> None:
        space = self.space
        if size.n_edges is not None:
            space = MatchedSpace(space, size.ends[0], size.n_edges, 0.1, size.isolated)
        settings = replace(
            self._settings, space=space.as_dict(), n_nodes=size.n_nodes, isolated=size.isolated
        )
        folder = None if self._folder is None else self._folder / size.folder
        maker = TableMaker(
            space, settings.seed, size.isolated, engine, workers, folder, on_progress, self._given
        )
        preparation = make_preparation(space, settings, maker)
        preparation.check_time_limit()
        maker.warm_up()
        with run_folder(folder, settings.as_dict() | {PART_OF: self._part(size)}, False):
            self._add(size, Prepared.simulate(preparation))

    def _add(self, size: Size, prepared: Prepared) -> None:
        """Measure the quality of a preparation, and keep it."""
        prepared.assess()
        self._prepared[size] = prepared
        if self._folder is not None:
            self._write(size)

    def _write(self, size: Size) -> None:
        """Write a preparation to the folder; keep one that is there already."""
        assert self._folder is not None
        prepared, folder = self._prepared[size], self._folder / size.folder
        if not is_prepared(folder):
            settings = prepared.settings.as_dict() | {PART_OF: self._part(size)}
            open_run_folder(folder, settings, False)
            with listed_writes(folder):
                save_tables(prepared, folder)
                write_prepared(prepared, folder)
        elif read_record(folder, self._part(size))["fingerprint"] != fingerprint(prepared):
            raise UsageError(
                f"{folder} holds other simulations with the same settings; give another folder"
            )

    @classmethod
    def from_table(
        cls, table: ReferenceTable, space: str | ModelSpace | None = None, **options: Any
    ) -> Self:
        """Return a chooser that uses a table that :func:`netchoice.simulate_table` made.

        The table serves for the selection of features, for inference and for the test of fit. ``space``
        is needed if its models are not built in. ``options`` are those of the class.
        """
        manifest = table.manifest
        for name in {"isolated", "match", "n_nodes", "samples", "seed"} & {*options}:
            raise UsageError(f"{name} is given, but the table has decided it; leave it out")
        if "n_nodes" not in manifest or "seed" not in manifest:
            raise UsageError(
                "this table was not simulated by netchoice simulate in one run; expected a table of "
                "networks with a known number of nodes, seed and model space"
            )
        known = rebuilt_space(manifest["space"], None if space is None else get_space(space))
        isolated, seed = manifest["isolated"], manifest["seed"]
        match = isinstance(known, MatchedSpace)
        made = cls(_unmatched(known), isolated=isolated, match=match, seed=seed, **options)
        settings = replace(
            made._settings, space=known.as_dict(), n_nodes=manifest["n_nodes"], isolated=isolated
        )
        maker = TableMaker(known, seed, isolated, given_features=made._given)
        preparation = replace(make_preparation(known, settings, maker), given_table=table)
        prepared = Prepared.simulate(preparation)
        made._add(_size_of(prepared), prepared)
        return made

    # On disk

    def save(self, path: str | PathLike[str]) -> None:
        """Write everything that :meth:`load` needs to a folder: tables (Parquet), JSON and CSV files."""
        for size in self.sizes_:
            self._get(size)
        self.open(path)

    @classmethod
    def load(
        cls,
        path: str | PathLike[str],
        space: str | ModelSpace | None = None,
        features: Iterable[str | Feature] | None = None,
    ) -> Self:
        """Read a chooser from a folder; nothing in it is executed.

        ``space`` is needed if its models are not built in, and ``features`` if the given features are
        not. The folder of a single answer (:func:`netchoice.choose_model`) is a chooser for the size of
        that network.
        """
        folder = place(path)
        if not folder.is_dir():
            raise UsageError(f"{folder} is not a folder; expected one that netchoice prepare wrote")
        record = find_run(folder, CHOICE_FILES)
        known = None if space is None else get_space(space)
        given = None if features is None else features_by_name(features)
        if is_prepared(folder):
            prepared = read_prepared(folder, known, given)
            made = cls._of_settings(prepared.settings, known, given)
            made.isolated = prepared.settings.isolated
            made.match = isinstance(prepared.space, MatchedSpace)
            made._prepared[_size_of(prepared)] = prepared
            return made
        if record is None or "match" not in record:
            raise UsageError(f"{folder} holds no chooser; make one with netchoice prepare")
        isolated, match = record.pop("isolated"), record.pop("match")
        settings = ChoiceSettings.from_dict({**record, "isolated": ""})
        made = cls._of_settings(settings, known, given)
        made.isolated, made.match, made._folder = isolated, match, folder
        if not made.sizes_:
            raise UsageError(
                f"the chooser in {folder} is not finished; run the same netchoice prepare again"
            )
        return made

    @classmethod
    def _of_settings(
        cls,
        settings: ChoiceSettings,
        space: ModelSpace | None,
        features: dict[str, GivenFeature] | None,
    ) -> Self:
        made = cls(_unmatched(rebuilt_space(settings.space, space)))
        made._settings = replace(settings, space=made.space.as_dict(), n_nodes=0, isolated="")
        made._given = given_features(settings, features)
        return made

    def _get(self, size: Size) -> Prepared:
        if size not in self._prepared and size in self.sizes_:
            assert self._folder is not None
            folder = self._folder / size.folder
            self._prepared[size] = read_prepared(folder, self.space, self._given, self._part(size))
        if size not in self._prepared:
            prepared = "; ".join(map(str, self.sizes_)) or "none"
            raise UsageError(
                f"no simulations are prepared for a network with {size}; prepared are: {prepared}; "
                "prepare this size too"
            )
        return self._prepared[size]

    def prepared_for(self, graph: Any) -> Prepared:
        """Return the simulations for a network: of its own size, or of a range of sizes."""
        wanted, prepared = self.size_of(graph), self.sizes_
        if self.match and len(prepared) == 1:  # the number of edges may differ a little
            return self._get(prepared[0])
        return self._get(find_size(wanted, prepared) or wanted)

    # Answers

    @shows_progress(STAGES)
    @keep_workers()
    def choose(
        self,
        graph: Any,
        *,
        path: str | PathLike[str] | None = None,
        fresh: bool = False,
        reading: ReadingReport | None = None,
        workers: int | None = None,
        engine: str | Executor = "processes",
        on_progress: Progress | bool | None = None,
    ) -> Choice:
        """Return the whole answer for one network; see :func:`netchoice.choose_model`."""
        prepared = self.prepared_for(graph)
        folder = None if path is None else place(path)
        report = listener(on_progress)
        maker = replace(
            prepared.maker, engine=engine, workers=workers, folder=folder, on_progress=report
        )
        found = Comparison.of(prepared, graph)
        record = {**prepared.settings.as_dict(), "network": found.network.fingerprint}
        stopwatch, prepared = Stopwatch(None, workers or 1), replace(prepared, maker=maker)
        with run_folder(folder, record, fresh):
            return choose_prepared(prepared, graph, stopwatch, reading=reading)

    def predict_proba(self, graphs: Iterable[Any]) -> Floats:
        """Return the probabilities (m, C) of the models for networks."""
        rows = []
        for graph in graphs:
            known = Comparison.of(self.prepared_for(graph), graph).probabilities.probabilities
            rows.append([known[model] for model in self.space.labels])
        return np.array(rows).reshape(-1, len(self.space))

    @shows_progress(units={"sizes": "networks", "answers": "networks"})
    @keep_workers()
    def choose_many(
        self,
        graphs: Iterable[Any],
        *,
        path: str | PathLike[str] | None = None,
        workers: int | None = None,
        engine: str | Executor = "processes",
        fresh: bool = False,
        on_progress: Progress | bool | None = None,
    ) -> pd.DataFrame:
        """Return the answers for many networks, one row for each.

        Parameters
        ----------
        graphs : iterable of networks, a mapping from ids to networks, or a collection
            :func:`netchoice.io.find_networks` finds the networks of files and folders.
        path : path, optional
            Folder for the answers. To resume an interrupted run, call the method again.
        workers, engine, fresh, on_progress
            As in :func:`netchoice.choose_model`.

        Returns
        -------
        DataFrame
            The columns of ``answers.csv``, in the order of the networks; see the guide on cohorts.
        """
        options: dict[str, Any] = {
            "workers": workers, "engine": engine, "fresh": fresh, "on_progress": on_progress
        }  # fmt: skip
        collection = as_collection(graphs)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "cohort" if path is None else path
            frame = choose_cohort(self, collection, path=path, **options).frame()
        ids = [clean_text(collection[i].id) for i in range(len(collection))]
        return frame.set_index("id").loc[ids].reset_index()  # the files may be ordered by size

    def simulations(self, size: Size) -> ReferenceTable:
        """Return the simulations of a size with all features, to show networks among them."""
        return self._get(size).fit_table

    def answerer(self, sizes: Sequence[Size]) -> CohortAnswerer:
        """Return the object that answers for networks of these sizes in worker processes."""
        if len(sizes) > MAX_SIZES_IN_MEMORY and self._folder is not None:
            parts: Mapping[Size, Prepared] = PartsOnDisk(
                self._folder, {size: self._part(size) for size in sizes}, self.space, self._given
            )
        else:
            parts = {size: self._get(size).for_worker() for size in sizes}
        return CohortAnswerer(self.space, parts, self.isolated, self.match)


def _checked(number: int | str) -> int | tuple[int, int]:
    """Return a number of nodes, or the two ends of a range."""
    if not isinstance(number, str):
        return check_integer("n_nodes", number)
    ends = number.split("..")
    if not all(end.strip().isdecimal() for end in ends) or len(ends) > 2:
        raise UsageError(
            f"{number!r} nodes; expected a number such as 300, or a range such as 240..375"
        )
    if len(ends) == 1:
        return check_integer("n_nodes", int(number))
    return int(ends[0]), int(ends[1])


def _size_of(prepared: Prepared) -> Size:
    space, settings = prepared.space, prepared.settings
    n_edges = space.n_edges if isinstance(space, MatchedSpace) else None
    return Size(settings.n_nodes, settings.isolated, n_edges)


def _sizes_in(folder: Path) -> Iterator[Size]:
    """Yield the sizes that are prepared completely in a folder."""
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        size = Size.of_folder(path.name)
        if size is not None and is_prepared(path):
            yield size


def _unmatched(space: ModelSpace) -> ModelSpace:
    return space.base if isinstance(space, MatchedSpace) else space
