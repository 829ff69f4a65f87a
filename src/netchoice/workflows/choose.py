"""Choose the model that made a network."""

from __future__ import annotations

import time
from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import replace
from os import PathLike
from typing import Any

from netchoice.engines.processes import keep_workers
from netchoice.errors import UsageError
from netchoice.features import FeatureResult, comparable_features, compute_features
from netchoice.features.computation import LATE
from netchoice.features.registry import Feature
from netchoice.graph import Graph
from netchoice.io import ReadingReport
from netchoice.models.builtin import get_space
from netchoice.models.edge_bound import bounded_space
from netchoice.models.space import ModelSpace
from netchoice.progress import listener, shows_progress
from netchoice.stores import place
from netchoice.workflows.answer import answer
from netchoice.workflows.choice import Choice
from netchoice.workflows.comparison import Comparison
from netchoice.workflows.preparation import ChoiceSettings, Preparation, make_preparation, plan_of
from netchoice.workflows.prepared import Prepared, comparable_network
from netchoice.workflows.prepared_folder import save_tables, write_prepared
from netchoice.workflows.run_folder import run_folder
from netchoice.workflows.screening import Screening, cheap_features, is_screened, screen
from netchoice.workflows.simulation_plan import OBSERVED_SHARE, SimulationPlan, Stopwatch, TimeLimit
from netchoice.workflows.table_maker import STAGES, Progress, TableMaker, features_by_name

#: A large network under a time limit is compared with networks of at most so many times its edges.
MAX_EDGES_RATIO = 4


@shows_progress(STAGES)
@keep_workers()
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
    time_limit: float | TimeLimit | None = None,
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
    on_progress: Progress | bool | None = None,
) -> Choice:
    """Choose the model of a space that made a network, test whether any model fits, and say why not.

    Parameters
    ----------
    graph : Graph, or anything that :meth:`Graph.of` accepts
        The observed network.
    space : ModelSpace or str
        The models to compare. If there are more than 8, they are screened first with cheap features:
        models that could not have made the network are discarded.
    samples : int, optional
        Simulations that the answer is based on. By default as many as the probabilities need to be
        precise, 4000 to 20,000, or fewer if they would take too long.
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
        Seconds for the whole call. To stay within the limit, fewer networks are simulated, expensive
        features and some checks are left out, and notes say so. A limit that is too short is refused
        before the work, with the smallest limit that would do. A :class:`~netchoice.workflows.TimeLimit`
        also says when the clock started.
    inference : "regression", "forest", "neighbours" or "ensemble", optional
        How probabilities are estimated.
    isolated : "keep" or "drop", optional
        "drop" removes isolated nodes from the network, and from simulations, which are grown until
        they have as many other nodes as the network. By default "drop" if the network has none.
    local : bool
        Before the most probable model is rejected, simulate it with parameters from its posterior, and
        compare the network with these simulations too. Otherwise all results come from simulations from
        the priors: faster, but a network at a corner of the prior is rejected too often.
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
    on_progress : callable or bool, optional
        Called with the name of the stage, and the rows done, in total, and failed. True shows the
        progress, False shows nothing. By default it is shown in a terminal or a notebook.

    Returns
    -------
    Choice

    Examples
    --------
    >>> import netchoice, numpy as np
    >>> network = netchoice.get_model("ba2").grow(20, rng=np.random.default_rng(1))
    >>> choice = netchoice.choose_model(
    ...     network, "ba", samples=100, features=["degree_mean"], engine="serial",
    ...     plan=netchoice.workflows.SimulationPlan.small(),
    ... )
    >>> choice.model
    'ba2'
    """
    limit = TimeLimit.of(time_limit)
    space = get_space(space)
    network, isolated = comparable_network(graph, isolated)
    given = features_by_name(features)
    settings = ChoiceSettings(
        space=space.as_dict(),
        n_nodes=network.n_nodes,
        isolated=isolated,
        samples=samples,
        features=None if features is None else tuple(given),
        purpose=purpose,
        method=(method,) if isinstance(method, str) else tuple(method),
        penalty=penalty,
        budget=budget,
        inference=inference,
        time_limit=None if limit is None else limit.seconds,
        seed=seed,
        plan=plan_of(plan, local),
    )
    folder = None if path is None else place(path)
    report = listener(on_progress)
    maker = TableMaker(space, seed, isolated, engine, workers, folder, report, given)
    preparation = make_preparation(space, settings, maker, compare, limit)
    preparation.check_time_limit()
    maker.warm_up()
    if preparation.is_shared:
        preparation = _with_bounded_edges(preparation, network)
    known = None
    if not preparation.uses_pilots:  # otherwise features of the network may cost too much
        preparation, known = _without_failures(preparation, network)
    record = {**preparation.settings.as_dict(), "network": network.fingerprint}
    with run_folder(folder, record, fresh):
        if known is not None:
            preparation = _without_late(preparation, known)
        screening = None
        if is_screened(space, preparation.plan):
            screening = screen(preparation, network)
            preparation = preparation.with_space(preparation.space.only(screening.kept))

        def is_precise(prepared: Prepared) -> bool:
            error = Comparison.of(prepared, network, known=known).standard_error
            return error <= preparation.plan.precision

        return choose_prepared(
            Prepared.simulate(preparation, is_precise), network, preparation.stopwatch, known=known,
            reading=reading, screening=screening,
        )  # fmt: skip


def choose_prepared(
    prepared: Prepared,
    graph: Any,
    stopwatch: Stopwatch,
    *,
    known: FeatureResult | None = None,
    reading: ReadingReport | None = None,
    screening: Screening | None = None,
) -> Choice:
    """Return the answer for one network, and write it to the folder that the tables are made in."""
    found = Comparison.of(prepared, graph, stopwatch, known)
    choice = answer(found, reading, stopwatch.elapsed, screening)
    folder = prepared.maker.folder
    if folder is not None:
        save_tables(prepared, folder)
        choice.save(folder)
        write_prepared(prepared, folder)
    return choice


def _without_failures(
    preparation: Preparation, network: Graph
) -> tuple[Preparation, FeatureResult]:
    """Do not offer features without a value on the network; refuse those that the user named."""
    settings, given = preparation.settings, preparation.settings.features or ()
    names = list(dict.fromkeys([*comparable_features(), *given]))
    names.sort(key=lambda name: name not in cheap_features())  # the others may be late
    watch = preparation.stopwatch
    deadline = None
    if watch.limit is not None:
        deadline = time.monotonic() + OBSERVED_SHARE * max(0.0, watch.left)
    known = compute_features(network, preparation.maker.as_given(names), deadline=deadline)
    failures = {name: why for name, why in known.failures.items() if why != LATE}
    for name in given:
        if name in failures:
            raise UsageError(
                f"feature {name!r} has no value on this network ({failures[name]}); leave it out of the "
                "features"
            )
    failed = tuple(name for name in names if name in failures and not _is_late(name, known))
    return replace(preparation, settings=replace(settings, without=failed)), known


def _with_bounded_edges(preparation: Preparation, network: Graph) -> Preparation:
    """Simulate a large network without networks of far more edges: one alone may take the whole time."""
    most = MAX_EDGES_RATIO * network.n_edges
    preparation.notes.append(
        f"networks with more than {most} edges, {MAX_EDGES_RATIO} times those of the network, were not "
        "simulated, to stay within the time limit"
    )
    return preparation.with_space(bounded_space(preparation.space, most))


def _is_late(name: str, known: FeatureResult) -> bool:
    """Return whether a feature of the network was not computed because of the time limit."""
    inputs = known.plan.lineage[name]
    return any(known.failures.get(key) == LATE for part in inputs for key in (part, f"step {part}"))


def _without_late(preparation: Preparation, known: FeatureResult) -> Preparation:
    """Do not offer features of the network that the time limit did not allow; decided once in a run."""
    watch, settings = preparation.stopwatch, preparation.settings
    if watch.limit is None:
        return preparation
    late = watch.decided("late", lambda: [name for name in known.values if _is_late(name, known)])
    for name in settings.features or ():
        if name in late:
            raise UsageError(
                f"feature {name!r} of the network was not computed within the time limit; leave it out of "
                "the features, or give a longer limit"
            )
    if late:
        watch.notes.append(
            f"features of the network were not computed, to stay within the time limit: {', '.join(late)}"
        )
    without = (*settings.without, *late)
    return replace(preparation, settings=replace(settings, without=without))
