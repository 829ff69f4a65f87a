"""The report of an answer or an evaluation, and whole tasks with their figures and their report."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from netchoice.choice.answer import Answer
from netchoice.choice.evaluate import RECOMMENDED, FeatureEvaluation, evaluate_features
from netchoice.choice.tables import Table
from netchoice.errors import UsageError
from netchoice.figures import draw_answer, draw_evaluation
from netchoice.report.answer_page import AnswerPage
from netchoice.report.evaluation_page import EvaluationPage
from netchoice.report.page import write_page
from netchoice.storage.run_folder import ANSWER, FIGURES, REPORT, listed_writes
from netchoice.stores import place


def write_report(
    result: Answer | FeatureEvaluation | str | PathLike[str],
    path: str | PathLike[str] | None = None,
    *,
    overwrite: bool = False,
) -> Path:
    """Write the report of an answer or an evaluation, and return its path.

    The report is one HTML file that needs no other files and no network connection. You can open it
    from disk or send it by mail.

    Parameters
    ----------
    result : Answer, FeatureEvaluation or path
        What :func:`netchoice.choose_model` or :func:`netchoice.evaluate_features` returned, or the folder
        that they, ``netchoice choose`` or ``netchoice evaluate`` wrote.
    path : path of the report, by default ``report.html``, in the folder if one is given
    overwrite : bool
        Whether to replace a file of this name. The report of the folder itself is always replaced.

    Examples
    --------
    >>> import netchoice, numpy as np, tempfile
    >>> network = netchoice.get_model("ba2").grow(20, rng=np.random.default_rng(1))
    >>> effort = netchoice.Effort.small()
    >>> answer = netchoice.choose_model(network, "ba", effort=effort, engine="serial")
    >>> write_report(answer, f"{tempfile.mkdtemp()}/report.html").name
    'report.html'
    """
    if isinstance(result, Answer):
        return write_page(AnswerPage(result).html(), place(path or REPORT), overwrite)
    if isinstance(result, FeatureEvaluation):
        return write_page(EvaluationPage(result).html(), place(path or REPORT), overwrite)
    folder = place(result)
    text = _folder_page(folder)
    if path is not None:
        return write_page(text, place(path), overwrite)
    with listed_writes(folder):
        return write_page(text, folder / REPORT, overwrite=True)


def _folder_page(folder: Path) -> str:
    if (folder / ANSWER).exists():
        return AnswerPage(Answer.load(folder)).html()
    if not (folder / RECOMMENDED).exists():
        raise UsageError(
            f"{folder} contains neither {ANSWER} nor {RECOMMENDED}; expected a folder that netchoice choose "
            "or evaluate wrote and finished"
        )
    return EvaluationPage(FeatureEvaluation.load(folder)).html()


def report_answer(answer: Answer, folder: str | PathLike[str]) -> None:
    """Write the figures of an answer to ``folder/figures``, and its report to ``folder/report.html``.

    Parameters
    ----------
    answer : Answer, as :func:`netchoice.choose_model` returned it
    folder : path, the folder of the answer

    Examples
    --------
    >>> import netchoice, numpy as np, pathlib, tempfile
    >>> network = netchoice.get_model("ba2").grow(20, rng=np.random.default_rng(1))
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> effort = netchoice.Effort.small()
    >>> answer = netchoice.choose_model(network, "ba", effort=effort, engine="serial", out=folder)
    >>> report_answer(answer, folder)
    >>> (folder / "report.html").exists(), (folder / "figures" / "probabilities.png").exists()
    (True, True)
    """
    path = place(folder)
    with listed_writes(path):
        draw_answer(answer, path / FIGURES)
        write_report(answer, path / REPORT, overwrite=True)


def report_evaluation(
    train: Table, test: Table | None = None, *, out: str | PathLike[str], **options: Any
) -> FeatureEvaluation:
    """Evaluate features, and write the evaluation, its figures and its report to ``out``.

    Parameters and result are those of :func:`netchoice.evaluate_features`.

    Examples
    --------
    >>> import netchoice, pathlib, tempfile
    >>> table = netchoice.simulate_table("ba", n_nodes=30, n_samples=80, seed=1, engine="serial",
    ...                                  features=["degree_mean", "transitivity", "noise_normal"])
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> result = report_evaluation(table, out=folder, methods=["jmi"], max_features=2, folds=4)
    >>> (folder / "report.html").exists(), (folder / "figures" / "pareto.png").exists()
    (True, True)
    """
    result = evaluate_features(train, test, out=out, **options)
    folder = place(out)
    with listed_writes(folder):
        draw_evaluation(result, folder / FIGURES)
        write_report(result, folder / REPORT, overwrite=True)
    return result
