"""The report of an answer or an evaluation: one HTML file."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from netchoice.choice.answer import Answer
from netchoice.errors import UsageError
from netchoice.report.answer_page import AnswerPage
from netchoice.report.evaluation_page import EvaluationPage, EvaluationResult
from netchoice.report.folder import EVALUATION, naming_damage, read_evaluation
from netchoice.report.page import write_page
from netchoice.storage.run_folder import ANSWER, REPORT, listed_writes
from netchoice.stores import place

if TYPE_CHECKING:
    from netchoice.choice.evaluate import FeatureEvaluation


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
    if not isinstance(result, str | PathLike):
        return write_page(_page(result), place(path or REPORT), overwrite)
    folder = place(result)
    text = _folder_page(folder)
    if path is not None:
        return write_page(text, place(path), overwrite)
    with listed_writes(folder):
        return write_page(text, folder / REPORT, overwrite=True)


def _page(result: Answer | FeatureEvaluation) -> str:
    if isinstance(result, Answer):
        return AnswerPage(result).html()
    return EvaluationPage(EvaluationResult.of(result)).html()


def _folder_page(folder: Path) -> str:
    if (folder / ANSWER).exists():
        return AnswerPage(Answer.load(folder)).html()
    if not (folder / EVALUATION).exists():
        raise UsageError(
            f"{folder} contains neither {ANSWER} nor {EVALUATION}; expected a folder that netchoice choose "
            "or evaluate wrote and finished"
        )
    with naming_damage(folder):
        return EvaluationPage(read_evaluation(folder)).html()
