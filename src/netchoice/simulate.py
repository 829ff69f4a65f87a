"""Simulation of reference tables: on any engine, resumable, the same rows every time."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import platform
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from functools import partial
from importlib.metadata import version
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.engines import get_engine
from netchoice.engines.engine import Engine
from netchoice.errors import UsageError
from netchoice.features import Feature
from netchoice.features.registry import FEATURES, Step, find, plan
from netchoice.machines import machine_id
from netchoice.models.builtin import get_space
from netchoice.models.space import ModelSpace
from netchoice.progress import listener, shows_progress
from netchoice.row_simulator import RowSimulator
from netchoice.rows import run_rows
from netchoice.storage.shards import FORMAT, TableFolder
from netchoice.storage.table import ReferenceTable
from netchoice.user_code import is_ours
from netchoice.validation import assignments, check_integer

if TYPE_CHECKING:
    import pandas as pd

    Features = Iterable[str | Feature] | None
    Progress = Callable[[int, int, int], None]

#: Priors by the name of the parameter, or texts such as "p_delete=uniform(0,1)".
Priors = Mapping[str, Any] | Iterable[str] | None


@shows_progress("simulating", one_stage=True)
def simulate_table(
    space: str | ModelSpace,
    *,
    n_nodes: int | tuple[int, int],
    n_samples: int,
    seed: int,
    features: Features = None,
    prior: Priors = None,
    engine: str | Executor = "processes",
    workers: int | None = None,
    out: str | PathLike[str] | None = None,
    stream: str = "train",
    isolated: str | None = None,
    row_timeout: float | None = None,
    deadline: float | None = None,
    on_progress: Progress | bool | None = None,
) -> ReferenceTable:
    """Simulate networks from a model space, compute their features, and return the table.

    Parameters
    ----------
    space : ModelSpace or str
    n_nodes : int or (int, int)
        Number of nodes of every network. From the smallest and the largest number of a range, each row
        draws its own, uniform in its logarithm.
    n_samples : int
        Number of rows of the table.
    seed : int
        Row i depends only on the seed, the stream and i: not on workers, engine, interruptions, or
        the number of rows or features.
    features : iterable, optional
        Features to compute; all, including the noise features, by default.
    prior : mapping or texts, optional
        Other priors: ``{"p_delete": "uniform(0, 1)"}``, or texts such as "dmc.p_delete=uniform(0,1)".
    engine : str or concurrent.futures.Executor
        ``"serial"``, ``"processes"``, ``"dask://HOST:PORT"``, or an executor.
    workers : int, optional
        Number of processes; one per core by default.
    out : path, optional
        Folder of the table; only missing rows are simulated. By default the table is in memory only.
    stream : str
        Tables with the same seed and different streams (train, test, pilot) share no randomness.
    isolated : "keep" or "drop", optional
        As in :meth:`Model.grow`. By default, that of a density-matched space, or else "keep".
    row_timeout : float, optional
        Time limit of a row in seconds; only for the engine ``"processes"``.
    deadline : float, optional
        A time on the clock ``time.monotonic``. From then on no further rows are simulated, and rows that
        take longer are given up: the table has the first rows, at least one, as if their number had been
        requested.
    on_progress : callable or bool, optional
        Called with the numbers of finished, requested and failed rows. True shows the progress, False
        shows nothing. By default it is shown in a terminal or a notebook.

    Returns
    -------
    ReferenceTable

    Examples
    --------
    >>> table = simulate_table("duplication", n_nodes=30, n_samples=8, seed=1, engine="serial",
    ...                        features=["transitivity", "n_triangles"])
    >>> table.X.shape, sorted(table.costs.steps)
    ((8, 2), ['degrees', 'triangles'])
    """
    n_samples, seed = check_integer("n_samples", n_samples), check_integer("seed", seed, 0)
    simulator = make_simulator(with_priors(space, prior), n_nodes, isolated, features, seed, stream)
    manifest = _manifest(simulator, n_samples, seed, stream)
    folder = None if out is None else TableFolder(out)
    run = partial(
        _run, simulator, manifest=manifest, engine=get_engine(engine, workers, row_timeout), folder=folder,
        on_progress=listener(on_progress),
    )  # fmt: skip
    frame = run(np.arange(n_samples), deadline=deadline)
    if not len(frame) or frame["row"].iloc[0]:
        frame = run(np.arange(1), engine=get_engine("serial"))
    if folder is not None:
        manifest = folder.manifest()
    # Rows after one that was given up would be a selection.
    n_rows = int((frame["row"].to_numpy() == np.arange(len(frame))).cumprod().sum())
    if n_rows < n_samples:
        frame, manifest["n_samples"] = frame.iloc[:n_rows], n_rows
        if folder is not None:
            folder.write_manifest(manifest)
    return ReferenceTable(frame, manifest)


def with_priors(space: str | ModelSpace, prior: Priors) -> ModelSpace:
    """Return a space with some priors replaced.

    >>> print(with_priors("duplication", ["p_delete=0.5"])["dmc"].parameters["p_delete"].prior)
    0.5
    """
    known = get_space(space)
    return known.with_priors(assignments(prior, "prior")) if prior else known


def simulate_rows(
    simulator: RowSimulator,
    rows: np.ndarray,
    *,
    seed: int,
    stream: str,
    engine: str | Executor = "processes",
    workers: int | None = None,
    path: str | PathLike[str] | None = None,
    deadline: float | None = None,
    on_progress: Progress | None = None,
) -> pd.DataFrame:
    """Simulate rows of a simulator by their numbers, and return those that are there, sorted.

    Parameters
    ----------
    simulator : RowSimulator
    rows : array of int, sorted
    seed, stream : what a table in a folder must have been made with
    engine, workers, on_progress
        As in :func:`simulate_table`.
    path : path, optional
        Folder of the rows. Rows that the folder holds are not simulated again. If it holds all of them, it
        is only read: other processes may read it at the same time.
    deadline : float, optional
        A time on the clock ``time.monotonic``. From then on no further rows are simulated.
    """
    manifest = _manifest(simulator, int(rows[-1]) + 1, seed, stream)
    folder = None if path is None else TableFolder(path)
    if folder is not None and folder.holds(manifest, rows):
        return folder.read(rows)
    made_on = get_engine(engine, workers)
    return _run(simulator, rows, manifest, made_on, folder, on_progress, deadline)


def _run(
    simulator: RowSimulator,
    rows: np.ndarray,
    manifest: dict[str, Any],
    engine: Engine,
    folder: TableFolder | None,
    on_progress: Progress | None,
    deadline: float | None = None,
) -> pd.DataFrame:
    """Simulate the rows that a folder lacks; return those that are there."""
    with contextlib.nullcontext() if folder is None else folder.open(manifest):
        run = run_rows(
            simulator, rows, engine=engine, folder=folder, deadline=deadline, may_fail=False,
            on_progress=on_progress,
        )  # fmt: skip
    if folder is None or not run.n_done:
        return run.as_arrow().to_pandas()
    return folder.read(rows)


def make_simulator(
    space: ModelSpace,
    n_nodes: int | tuple[int, int],
    isolated: str | None,
    features: Features,
    seed: int,
    stream: str,
) -> RowSimulator:
    """Return the simulator of the rows of a table; see :func:`simulate_table`."""
    selected = tuple(FEATURES.values() if features is None else map(find, features))
    if not selected:
        raise UsageError("`features` is empty; name at least one feature")
    isolated = isolated or getattr(space, "isolated", None) or "keep"
    sizes = _check_sizes(n_nodes)
    for model in space:
        for size in {*sizes}:
            model.check_size(size, isolated)
    digest = hashlib.blake2b(f"{seed}/{stream}".encode(), digest_size=16).digest()
    features = plan(selected).features
    known = sizes if len(sizes) == 2 else int(sizes[0])
    return RowSimulator(space, known, isolated, features, int.from_bytes(digest, "little"))


def _check_sizes(n_nodes: int | tuple[int, int]) -> tuple[int, ...]:
    """Return one number of nodes, or the two ends of a range."""
    if not isinstance(n_nodes, tuple):
        return (n_nodes,)
    low, high = (check_integer("n_nodes", end) for end in n_nodes)
    if low >= high:
        raise UsageError(
            f"a range from {low} to {high} nodes; expected the smaller number first, or one number"
        )
    return low, high


def _manifest(simulator: RowSimulator, n_samples: int, seed: int, stream: str) -> dict[str, Any]:
    needed_plan = plan(simulator.features)
    n_nodes = simulator.n_nodes if isinstance(simulator.n_nodes, int) else list(simulator.n_nodes)
    features = [node.name for node in needed_plan.computations if not isinstance(node, Step)]
    return {
        "format": FORMAT, "space": simulator.space.as_dict(), "n_nodes": n_nodes,
        "isolated": simulator.isolated, "seed": seed, "stream": stream,
        "features": [
            {"name": item.name, "version": item.version, "discrete": item.discrete}
            for item in simulator.features
        ],
        "uses": {name: [n for n in needed_plan.lineage[name] if n != name] for name in features},
        "n_samples": n_samples, "code": _code_digests(simulator),
        "packages": {name: version(name) for name in ("netchoice", "numpy", "numba", "scipy")},
        "machine": {
            "id": machine_id(), "system": platform.platform(), "python": platform.python_version(),
        },
    }  # fmt: skip


def _code_digests(simulator: RowSimulator) -> dict[str, str]:
    """Return digests of the source of users' functions; a changed digest causes a warning."""
    functions: dict[str, Any] = {f"model {model.name}": model.function for model in simulator.space}
    functions |= {f"feature {item.name}": item.function for item in simulator.features}
    digests = {}
    for name, function in functions.items():
        if not is_ours(function):
            try:
                source = inspect.getsource(function)
            except (OSError, TypeError):
                source = ""
            digests[name] = hashlib.blake2b(source.encode(), digest_size=8).hexdigest()
    return digests
