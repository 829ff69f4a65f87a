"""Choose the model that made a network."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor
from os import PathLike
from pathlib import Path
from typing import Any

from netchoice.choice.answer import Answer, run_of
from netchoice.choice.assess import settle
from netchoice.choice.conclude import Known, conclude
from netchoice.choice.explain import explain
from netchoice.choice.observe import observe
from netchoice.choice.pilots import selected_features
from netchoice.choice.reference import Progress, Reference
from netchoice.choice.references import References, references_of
from netchoice.choice.settings import DEFAULT_SEED, Clock, Effort, GivenFeature
from netchoice.engines.processes import keep_workers, start_workers
from netchoice.errors import UsageError
from netchoice.io import ReadingReport
from netchoice.models.space import ModelSpace
from netchoice.progress import listener, shows_progress
from netchoice.simulate import Priors
from netchoice.storage.run_folder import ANSWER, KEPT, run_folder
from netchoice.stores import place
from netchoice.threads import count_threads
from netchoice.warmup import warm_up_for

#: The simulations of an answer, a folder for each stream.
SIMULATIONS = f"{KEPT}/simulations"

#: What the bar of a stage says.
STAGES = "simulating ({})"


@shows_progress(STAGES)
@keep_workers()
def choose_model(
    graph: Any,
    space: str | ModelSpace | None = None,
    *,
    match: bool | None = None,
    reference: str | PathLike[str] | References | None = None,
    features: str | Iterable[GivenFeature] | None = None,
    budget: float | str | None = None,
    method: str | Iterable[str] = (),
    penalty: float | None = None,
    costs: str = "reference",
    prior: Priors = None,
    time_limit: float | str | Clock | None = None,
    isolated: str | None = None,
    effort: Effort | None = None,
    seed: int = DEFAULT_SEED,
    workers: int | None = None,
    engine: str | Executor = "processes",
    out: str | PathLike[str] | None = None,
    fresh: bool = False,
    reading: ReadingReport | None = None,
    on_progress: Progress | bool | None = None,
) -> Answer:
    """Choose the model of a space that made a network, test which models fit, and say why others do not.

    Networks are simulated in rounds, until each model is accepted or rejected and the probabilities are
    precise. The first rounds compute cheap features only, and reject models that are clearly wrong.

    Parameters
    ----------
    graph : Graph, or anything that :meth:`Graph.of` accepts
        The observed network.
    space : ModelSpace or str, optional
        The models to compare; by default all mechanisms, density-matched.
    match : bool, optional
        Simulate networks with about as many edges as the network. By default only without a ``space``.
    reference : path or References, optional
        Simulations that :func:`prepare` made, instead of new ones. They have decided the other options,
        which are refused here. A space or features of your own are needed to read a folder.
    features : iterable of str or Feature, optional
        Features to use. By default all that are worth their cost on thousands of networks of this size.
    budget : float or str, optional
        Select the features that best distinguish the models at a cost per network of at most this:
        seconds, "5ms", or "2%" of the cost of all.
    method : str or iterable of str
        Select features with these methods; see :data:`netchoice.selection.METHODS`.
    penalty : float, optional
        Select features with this λ.
    costs : "reference" or "measured"
        The costs by which features are selected: those of the reference table, which are the same on
        every machine, or those that are measured now.
    prior : mapping or texts, optional
        Other priors: ``{"p_delete": "uniform(0, 1)"}``, or texts such as "dmc.p_delete=uniform(0,1)".
    time_limit : float or str, optional
        Time for the whole call: seconds, or "5min". Simulations end in time; what is not decided by then
        is said to be open.
    isolated : "keep" or "drop", optional
        "drop" removes isolated nodes from the network, and from simulations, which are grown until they
        have as many other nodes as the network. By default "drop" if the network has none.
    effort : Effort, optional
        How many networks are simulated, and how precise the answer is to be.
    seed, workers, engine
        As in :func:`netchoice.simulate_table`.
    out : path, optional
        Folder for the answer. A run that was interrupted there is resumed.
    fresh : bool
        Delete an earlier run in that folder.
    reading : ReadingReport, optional
        How the network was read from a file.
    on_progress : callable or bool, optional
        Called with the name of the stage, and the rows done, in total, and failed. True shows the
        progress, False shows nothing. By default it is shown in a terminal or a notebook.

    Returns
    -------
    Answer

    Examples
    --------
    >>> import netchoice, numpy as np
    >>> network = netchoice.get_model("ba2").grow(30, rng=np.random.default_rng(1))
    >>> effort = netchoice.Effort.small()
    >>> netchoice.choose_model(network, "ba", effort=effort, engine="serial").verdict.model
    'ba2'
    """
    clock, folder = Clock.of(time_limit), None if out is None else place(out)
    options: dict[str, Any] = {
        "engine": engine, "workers": workers, "on_progress": listener(on_progress),
        "folder": None if folder is None else folder / SIMULATIONS,
    }  # fmt: skip
    references = references_of(
        reference, space, features, prior, seed, match=match, isolated=isolated, method=method,
        penalty=penalty, budget=budget, costs=costs, effort=effort,
    )  # fmt: skip
    settings, prepared, made_with = references.settings, None, {}
    if reference is None:
        if engine == "processes":
            warm_up_for(settings.space, workers)
            start_workers(count_threads(-1 if workers is None else workers))
        observed = observe(graph, settings, clock=clock)
    else:
        prepared, observed = references.observe(graph, clock)
        made_with = {"reference": references.fingerprint}
    record = {
        **settings.as_dict(), "time_limit": clock.seconds, "network": observed.graph.fingerprint,
        **made_with,
    }  # fmt: skip
    with run_folder(folder, record, fresh):
        kept = _kept_answer(folder, record)
        if kept is not None:
            return kept
        if prepared is not None:
            simulations = prepared.with_options(**options)
        else:
            chosen = selected_features(
                settings, observed.size, deadline=clock.at(Clock.SELECTED), **options
            )
            if chosen is not None:
                observed = observe(graph, settings, chosen, clock)
            simulations = Reference(
                settings, observed.size, features=chosen, deadline=clock.at(Clock.SIMULATED), **options
            )  # fmt: skip
        known = Known(simulations, observed, settle(simulations, observed, clock))
        answer = explain(conclude(known, clock, reading), known, clock)
        if folder is not None:
            answer.save(folder)
        return answer


def _kept_answer(folder: Path | None, record: dict[str, Any]) -> Answer | None:
    """Return the answer of the run with this record if it ended; a run that did not is resumed."""
    if folder is None or not (folder / ANSWER).exists():
        return None
    answer = Answer.load(folder)
    if run_of(answer.settings) != run_of(record):
        raise UsageError(
            f"{folder / ANSWER} belongs to another run; start over with --fresh (in Python fresh=True)"
        )
    return answer
