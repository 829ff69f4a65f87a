"""Whole tasks with their figures and their report: what the commands run."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from netchoice.figures import draw_choice, draw_evaluation
from netchoice.models.space import ModelSpace
from netchoice.report.build import write_report
from netchoice.selection import PAPER_METHODS, WEIGHTED_METHODS
from netchoice.workflows import Choice, FeatureEvaluation, choose_model, evaluate_features
from netchoice.workflows.tables import Table

#: Methods that the report of a choice compares. Weighted forests grow again for every penalty, which
#: takes too long here.
COMPARED_METHODS = tuple(name for name in PAPER_METHODS if name not in WEIGHTED_METHODS)


def report_choice(
    graph: Any, space: str | ModelSpace = "duplication", *, path: str | PathLike[str],
    report: bool = True, **options: Any,
) -> Choice:  # fmt: skip
    """Choose a model, and write the answer, its figures and its report to the folder ``path``.

    Parameters and result are those of :func:`netchoice.choose_model`. If ``report`` is False, the
    report and the comparison of selection methods that it shows are left out.

    Examples
    --------
    >>> import netchoice, numpy as np, pathlib, tempfile
    >>> network = netchoice.get_model("ba2").grow(20, rng=np.random.default_rng(1))
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> choice = report_choice(network, "ba", path=folder, samples=100, features=["degree_mean"],
    ...                        time_limit=1, engine="serial")
    >>> (folder / "report.html").exists(), (folder / "figures" / "probabilities.png").exists()
    (True, True)
    """
    if report and options.get("time_limit") is None:
        options.setdefault("compare", COMPARED_METHODS)
    choice = choose_model(graph, space, path=path, **options)
    draw_choice(choice, Path(path) / "figures")
    if report:
        write_report(path)
    return choice


def report_evaluation(
    train: Table, test: Table | None = None, *, path: str | PathLike[str], report: bool = True,
    **options: Any,
) -> FeatureEvaluation:  # fmt: skip
    """Evaluate features, and write the evaluation, its figures and its report to ``path``.

    Parameters and result are those of :func:`netchoice.evaluate_features`. If ``report`` is False,
    the report is left out.

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
    draw_evaluation(result, path)
    if report:
        write_report(path)
    return result
