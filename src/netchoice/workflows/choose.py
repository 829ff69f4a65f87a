"""Choose the model that made a network."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from netchoice.errors import UsageError
from netchoice.features.registry import Feature
from netchoice.io import ReadingReport
from netchoice.models.builtin import get_space
from netchoice.models.space import ModelSpace
from netchoice.threads import count_threads
from netchoice.workflows.answer import answer
from netchoice.workflows.choice import Choice
from netchoice.workflows.observed import ObservedFeatures, comparable_network
from netchoice.workflows.run import ChoiceSettings, Run
from netchoice.workflows.run_folder import ROWS, open_run_folder
from netchoice.workflows.simulation_plan import SimulationPlan, Stopwatch
from netchoice.workflows.table_maker import Progress, TableMaker, features_by_name


def choose_model(
    graph: Any,
    space: str | ModelSpace = "duplication",
    *,
    samples: int | None = None,
    features: Iterable[str | Feature] | None = None,
    purpose: str = "both",
    method: str | Iterable[str] = "jmi",
    compare: Iterable[str] = (),
    penalty: float | None = None,
    budget: float | str | None = None,
    time_limit: float | None = None,
    inference: str | None = None,
    isolated: str | None = None,
    local: bool = True,
    seed: int = 1,
    workers: int | None = None,
    engine: str | Executor = "processes",
    path: str | PathLike[str] | None = None,
    fresh: bool = False,
    reading: ReadingReport | None = None,
    plan: SimulationPlan | None = None,
    on_progress: Progress | None = None,
) -> Choice:
    """Choose the model of a space that made a network, test whether any model fits, and say why not.

    Parameters
    ----------
    graph : Graph, or anything that :meth:`Graph.of` accepts
        The observed network.
    space : ModelSpace or str
        The models to compare.
    samples : int, optional
        Simulations that the answer is based on. By default 20,000, or fewer if they would take too
        long.
    features : iterable of str or Feature, optional
        Features to use. By default they are selected.
    purpose : "both", "model" or "parameters"
        What features are selected for: to distinguish the models, to predict their parameters, or both.
    method : str or iterable of str
        Methods that select the features; see :data:`netchoice.selection.METHODS`.
    compare : iterable of str
        Further methods to rank and evaluate for the report. They do not affect the answer.
    penalty : float, optional
        λ. By default many values are tried, and the cheapest set that loses no accuracy is used.
    budget : float or str, optional
        The largest cost of the selected features per network: seconds, "5ms", or "2%" of the sum of
        all costs.
    time_limit : float, optional
        Seconds for the simulations. Their number is reduced to stay within the limit.
    inference : "regression", "forest" or "neighbours", optional
        How probabilities are estimated.
    isolated : "keep" or "drop", optional
        "drop" removes isolated nodes from the network, and from simulations, which are grown until
        they have as many other nodes as the network. By default "drop" if the network has none.
    local : bool
        Simulate each model with parameters from its posterior, and judge the fit on these networks.
        Otherwise the fit is judged on simulations from the priors: faster, but less exact.
    seed, workers, engine
        As in :func:`netchoice.simulate_table`.
    path : path, optional
        Folder for the answer, its tables and ``choice.json``. A run that was interrupted there is
        resumed.
    fresh : bool
        Delete an earlier run in that folder.
    reading : ReadingReport, optional
        How the network was read from a file; written to the folder.
    plan : SimulationPlan, optional
        How many networks each stage simulates.
    on_progress : callable, optional
        Called with the name of the stage, and the rows done, in total, and failed.

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
    space = get_space(space)
    if len(space) < 2:
        raise UsageError(
            f"the space {space.name} holds one model only, so there is nothing to choose; give at "
            "least two (netchoice.inference.goodness_of_fit tests the fit of a single model)"
        )
    network, isolated = comparable_network(graph, isolated)
    plan = plan or SimulationPlan()
    plan = plan if local else replace(plan, local_samples=0)
    methods = (method,) if isinstance(method, str) else tuple(method)
    given_features = features_by_name(features)
    settings = ChoiceSettings(
        space=space.as_dict(),
        network=network.fingerprint,
        isolated=isolated,
        samples=samples,
        features=None if features is None else tuple(given_features),
        purpose=purpose,
        method=methods,
        penalty=penalty,
        budget=budget,
        inference=inference,
        time_limit=time_limit,
        seed=seed,
        plan=plan,
    )
    compared = tuple(name for name in compare if name not in methods)
    settings.check(compared)
    folder = None if path is None else Path(path)
    rows_file = None if folder is None else folder / ROWS
    stopwatch = Stopwatch(time_limit, workers or count_threads(-1), rows_file)
    if folder is not None:
        open_run_folder(folder, settings.as_dict(), fresh)
    maker = TableMaker(space, seed, isolated, engine, workers, folder, on_progress, given_features)
    observed = ObservedFeatures(network, maker)
    run = Run(network, space, settings, maker, observed, stopwatch, compared)

    selection = run.select()
    table = run.simulate_for_inference(selection)
    fit_table = run.simulate_for_fit(selection)
    posteriors = run.posteriors(selection, table, fit_table)
    near = run.simulate_locally(fit_table, posteriors)
    choice = answer(run, selection, table, fit_table, near, posteriors, reading)
    if folder is not None:
        choice.save(folder)
    return choice
