"""Whole tasks with their figures and their report: what the commands run."""

from __future__ import annotations

from os import PathLike
from typing import Any

from netchoice.choice.answer import Answer
from netchoice.choice.evaluate import FeatureEvaluation, evaluate_features
from netchoice.choice.tables import Table
from netchoice.figures import draw_answer, draw_evaluation
from netchoice.report.build import write_report
from netchoice.storage.run_folder import FIGURES, REPORT, listed_writes
from netchoice.stores import place


def report_answer(
    answer: Answer, folder: str | PathLike[str], *, figures: str = "png", report: bool = True
) -> None:
    """Write the figures of an answer to ``folder/figures``, and its report to ``folder/report.html``.

    Parameters
    ----------
    answer : Answer, as :func:`netchoice.choose_model` returned it
    folder : path, the folder of the answer
    figures : format of the figures: "png", "svg" or "pdf"
    report : bool, whether to write the report

    Examples
    --------
    >>> import netchoice, numpy as np, pathlib, tempfile
    >>> network = netchoice.get_model("ba2").grow(20, rng=np.random.default_rng(1))
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> effort = netchoice.Effort.small()
    >>> answer = netchoice.choose_model(network, "ba", effort=effort, engine="serial", path=folder)
    >>> report_answer(answer, folder)
    >>> (folder / "report.html").exists(), (folder / "figures" / "probabilities.png").exists()
    (True, True)
    """
    path = place(folder)
    with listed_writes(path):
        draw_answer(answer, path / FIGURES, format=figures)
        if report:
            write_report(answer, path / REPORT, overwrite=True)


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
    folder = place(path)
    with listed_writes(folder):
        draw_evaluation(result, folder, format=figures)
        if report:
            write_report(result, folder / REPORT, overwrite=True)
    return result
