"""From a network to an answer."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor
from os import PathLike
from pathlib import Path
from typing import Any

from netchoice.errors import UsageError
from netchoice.evaluation.operating_point import as_budget
from netchoice.features.registry import Feature, find
from netchoice.graph import Graph
from netchoice.inference.classifier import Method
from netchoice.models.builtin import get_space
from netchoice.models.space import ModelSpace
from netchoice.workflows.answer import Study
from netchoice.workflows.choice import Choice
from netchoice.workflows.choice_folder import keep
from netchoice.workflows.table_maker import Progress, Simulator

#: With fewer nodes no mechanism has left a trace that could be told.
SMALLEST = 8


def choose_model(
    graph: Any,
    space: str | ModelSpace = "duplication",
    *,
    samples: int | None = None,
    features: Iterable[str | Feature] | None = None,
    method: str | Iterable[str] = "jmi",
    compare: Iterable[str] = (),
    penalty: float | None = None,
    budget: float | str | None = None,
    time_limit: float | None = None,
    inference: str | None = None,
    isolated: str | None = None,
    seed: int = 1,
    workers: int | None = None,
    engine: str | Executor = "processes",
    path: str | PathLike[str] | None = None,
    fresh: bool = False,
    on_progress: Progress | None = None,
) -> Choice:
    """Which model of a space made this network, and does any of them fit?

    Parameters
    ----------
    graph : Graph, or anything that :meth:`Graph.of` accepts
    space : ModelSpace or str
    samples : int, optional
        Simulations that the answer rests on; 20,000 by default, fewer where they would take too long.
    features : iterable of str or Feature, optional
        Features to use; by default they are selected.
    method : str or iterable of str
        Selection methods, see :data:`netchoice.selection.METHODS`.
    compare : iterable of str
        Further methods whose rankings are scored and kept, for a look at them; the set is not chosen
        from theirs.
    penalty : float, optional
        λ; by default a whole range is tried and the cheapest set that loses nothing is taken.
    budget : float or str, optional
        Cost of the selected features per network: seconds, "5ms", or "2%" of all costs.
    time_limit : float, optional
        Seconds for the run; simulations are cut down to fit in.
    inference : "neighbours", "forest" or "regression", optional
        How probabilities are estimated.
    isolated : "keep" or "drop", optional
        Drop: isolated nodes are left out of the network, and simulations grown until the others are as
        many. By default that, where the network has none.
    seed, workers, engine
        As in :func:`netchoice.simulate_table`.
    path : path, optional
        Folder for tables, figures and ``choice.json``; if it holds the same run, that one goes on.
    fresh : bool
        Delete what a former run left there.
    on_progress : callable, optional
        Called with the name of a stage, rows done, rows wanted, and rows failed.

    Returns
    -------
    Choice

    Examples
    --------
    >>> import netchoice, numpy as np
    >>> network = netchoice.get_model("ba2").grow(20, rng=np.random.default_rng(1))
    >>> choice = netchoice.choose_model(
    ...     network, "ba", samples=100, features=["degree_mean"], time_limit=1, engine="serial"
    ... )
    >>> choice.model
    'ba2'
    """
    chosen = get_space(space)
    if len(chosen) < 2:
        raise UsageError(
            f"the space {chosen.name} holds one model only, so there is nothing to choose; give at "
            "least two (netchoice.inference.goodness_of_fit judges a single one)"
        )
    network, kept = _network(graph, isolated)
    methods = [method] if isinstance(method, str) else list(method)
    if inference is not None:
        Method(inference)  # wrong ones are told before the work
    if budget is not None:
        as_budget(budget)
    simulator = Simulator(
        chosen, kept, seed, workers, engine, None if path is None else Path(path), on_progress
    )
    wanted = None
    if features is not None:
        simulator.own_features = {find(each).name: each for each in features}
        wanted = list(simulator.own_features)
    study = Study(network, simulator, time_limit, [name for name in compare if name not in methods])
    settings = {
        "space": chosen.as_dict(),
        "network": network.fingerprint,
        "isolated": kept,
        "samples": samples,
        "features": wanted,
        "method": methods,
        "penalty": penalty,
        "budget": budget,
        "inference": inference,
        "seed": seed,
    }
    simulator.open_folder(settings, fresh)
    selection = study.select(settings)
    table = study.simulate_inference(selection, samples)
    choice = study.answer(selection, table, settings)
    if simulator.folder is not None:
        keep(choice, network, simulator.folder)
    return choice


def _network(graph: Any, isolated: str | None) -> tuple[Graph, str]:
    """The network as it is compared, and whether simulations keep isolated nodes."""
    network = Graph.of(graph)
    kept = isolated or ("keep" if network.n_isolated else "drop")
    if kept not in ("keep", "drop"):
        raise UsageError(f"isolated={isolated!r}; expected 'keep' or 'drop'")
    if not network.n_edges:
        raise UsageError(
            f"the network has {network.n_nodes} nodes and no edges; there is nothing to compare"
        )
    if kept == "drop":
        network = network.without_isolated()
    if network.n_nodes < SMALLEST:
        raise UsageError(
            f"the network has {network.n_nodes} nodes{' with edges' if kept == 'drop' else ''}; "
            f"with fewer than {SMALLEST} no mechanism leaves a trace that could be told"
        )
    return network, kept
