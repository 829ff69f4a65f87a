"""Whole tasks with their figures and their report: what the commands run."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import pandas as pd

from netchoice.atomic import write_text
from netchoice.figures import draw_choice, draw_evaluation
from netchoice.models.space import ModelSpace
from netchoice.report.build import write_report
from netchoice.report.cohort_page import write_cohort_report
from netchoice.selection import PAPER_METHODS, WEIGHTED_METHODS
from netchoice.storage.written_folder import listed_writes
from netchoice.stores import place
from netchoice.workflows import (
    Choice,
    Chooser,
    FeatureEvaluation,
    choose_model,
    evaluate_features,
    summarise_cohort,
)
from netchoice.workflows.choose_cohort import choose_cohort
from netchoice.workflows.cohort_run import CohortAnswers
from netchoice.workflows.simulation_plan import FIGURES, REPORT, TimeLimit
from netchoice.workflows.tables import Table

#: Methods that the report of a choice compares. Weighted forests grow again for every penalty, which
#: takes too long here.
COMPARED_METHODS = tuple(name for name in PAPER_METHODS if name not in WEIGHTED_METHODS)

#: Sizes that the report of a cohort shows the networks among the simulations of.
MAX_EMBEDDINGS = 6


def report_choice(
    graph: Any, space: str | ModelSpace = "duplication", *, path: str | PathLike[str],
    chooser: Chooser | None = None, report: bool = True, figures: str = "png",
    on_answer: Callable[[Choice], None] | None = None, **options: Any,
) -> Choice:  # fmt: skip
    """Choose a model, and write the answer, its figures and its report to the folder ``path``.

    Parameters and result are those of :func:`netchoice.choose_model`; with a ``chooser``, those of
    :meth:`netchoice.Chooser.choose`. If ``report`` is False, the report and the comparison of selection
    methods that it shows are left out. ``figures`` is the format of the figures: "png", "svg" or "pdf".
    ``on_answer`` is called with the answer before figures and report are made.

    Examples
    --------
    >>> import netchoice, numpy as np, pathlib, tempfile
    >>> network = netchoice.get_model("ba2").grow(20, rng=np.random.default_rng(1))
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> choice = report_choice(network, "ba", path=folder, samples=100, features=["degree_mean"],
    ...                        plan=netchoice.workflows.SimulationPlan.small(), engine="serial")
    >>> (folder / "report.html").exists(), (folder / "figures" / "probabilities.png").exists()
    (True, True)
    """
    if chooser is not None:
        choice = chooser.choose(graph, path=path, **options)
    else:
        limit = TimeLimit.of(options.get("time_limit"))
        if limit is not None:
            options["time_limit"] = replace(limit, after=FIGURES + (REPORT if report else 0.0))
        elif report:
            options.setdefault("compare", COMPARED_METHODS)
        choice = choose_model(graph, space, path=path, **options)
    if on_answer is not None:
        on_answer(choice)
    with listed_writes(place(path)):
        draw_choice(choice, place(path) / "figures", format=figures)
    if report:
        write_report(path)
    return choice


def report_cohort(
    chooser: Chooser, graphs: Any, *, path: str | PathLike[str], given: str = "",
    networks: Sequence[str] = (), report: bool = True, **options: Any,
) -> tuple[CohortAnswers, dict[str, Any]]:  # fmt: skip
    """Answer for each network of a cohort, and write the answers, their summary and the report.

    Parameters are those of :meth:`netchoice.Chooser.choose_many`. ``given`` is what a user passes to
    ``--with`` to use the chooser, and ``networks`` what names the networks in a command. Return the
    answers, and the record that ``summary.json`` holds.

    Examples
    --------
    >>> import netchoice, numpy as np, pathlib, tempfile
    >>> rng = np.random.default_rng(1)
    >>> networks = {name: netchoice.get_model(name).grow(20, rng=rng) for name in ("ba1", "ba2")}
    >>> plan = netchoice.workflows.SimulationPlan.small()
    >>> chooser = netchoice.Chooser("ba", samples=200, features=["degree_mean"], plan=plan)
    >>> chooser = chooser.fit(networks.values(), engine="serial")
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> answers, record = report_cohort(chooser, networks, path=folder, engine="serial")
    >>> record["headline"], answers.frame()["model"].tolist()
    ('of 2 networks: one model fits 2 (100%) and is clearly the most probable', ['ba1', 'ba2'])
    >>> (folder / "report.html").exists(), (folder / "none-fits.csv").exists()
    (True, True)
    """
    answers = choose_cohort(chooser, graphs, path=path, **options)
    frame, folder = answers.frame(), place(path)
    texts = {f"{chooser.space.name}, {size}": size for size in chooser.sizes_}
    used = frame["chooser"].value_counts().index
    settings = json.loads(json.dumps({**chooser.record(), "networks": [*networks]}, default=str))
    record = summarise_cohort(frame, settings=settings)
    q_values = pd.Series(record["none_fits"]["q_values"], index=frame.index, dtype=float)
    summary = json.dumps(record, ensure_ascii=False, indent=2) + "\n"
    none_fits = pd.DataFrame({"id": frame["id"], "none_fits_q": q_values}).to_csv(index=False)
    with listed_writes(folder):
        write_text(folder / "summary.json", summary)
        write_text(folder / "none-fits.csv", none_fits)
        if report:
            tables = {text: chooser.simulations(texts[text]) for text in used[:MAX_EMBEDDINGS]}
            simulations = {text: (table.X, table.y) for text, table in tables.items()}
            paths = dict.fromkeys(texts, given)
            write_cohort_report(folder, record, frame, answers.features(), simulations, paths=paths)
    return answers, record


def report_evaluation(
    train: Table, test: Table | None = None, *, path: str | PathLike[str], report: bool = True,
    figures: str = "png", **options: Any,
) -> FeatureEvaluation:  # fmt: skip
    """Evaluate features, and write the evaluation, its figures and its report to ``path``.

    Parameters and result are those of :func:`netchoice.evaluate_features`. If ``report`` is False,
    the report is left out. ``figures`` is the format of the figures: "png", "svg" or "pdf".

    Examples
    --------
    >>> import netchoice, pathlib, tempfile
    >>> table = netchoice.simulate_table("ba", n_nodes=30, n_samples=80, seed=1, engine="serial",
    ...                                  features=["degree_mean", "transitivity", "noise_normal"])
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> result = report_evaluation(table, path=folder, methods=["jmi"], max_features=2, folds=4)
    >>> (folder / "report.html").exists(), (folder / "heatmaps.png").exists()
    (True, True)
    """
    result = evaluate_features(train, test, path=path, **options)
    draw_evaluation(result, path, format=figures)
    if report:
        write_report(path)
    return result
