"""The report of an answer, an evaluation or a cohort, and whole tasks with their figures and their report."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from netchoice.atomic import write_text
from netchoice.choice.answer import Answer
from netchoice.choice.cohort import SUMMARY, CohortAnswers, choose_cohort
from netchoice.choice.cohort_frame import CohortFrame
from netchoice.choice.cohort_summary import summarise_cohort
from netchoice.choice.evaluate import RECOMMENDED, FeatureEvaluation, evaluate_features
from netchoice.choice.reference import Reference
from netchoice.choice.tables import Table
from netchoice.errors import UsageError
from netchoice.figures import draw_answer, draw_evaluation
from netchoice.figures.axes import save_all
from netchoice.figures.cohort_figures import cohort_drawings, cohort_map
from netchoice.models.space import ModelSpace
from netchoice.report.answer_page import AnswerPage
from netchoice.report.cohort_page import CohortPage
from netchoice.report.evaluation_page import EvaluationPage
from netchoice.report.page import write_page
from netchoice.storage.kept_files import fingerprint_of, write_json
from netchoice.storage.records import plain, to_csv
from netchoice.storage.run_folder import ANSWER, FIGURES, REPORT, TABLES, listed_writes
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
    if (folder / ANSWER).exists():
        text = AnswerPage(Answer.load(folder)).html()
    elif (folder / RECOMMENDED).exists():
        text = EvaluationPage(FeatureEvaluation.load(folder)).html()
    else:
        raise UsageError(
            f"{folder} contains neither {ANSWER} nor {RECOMMENDED}; expected a folder that netchoice choose "
            "or evaluate wrote and finished"
        )
    if path is not None:
        return write_page(text, place(path), overwrite)
    with listed_writes(folder):
        return write_page(text, folder / REPORT, overwrite=True)


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


def report_cohort(
    graphs: Any, space: str | ModelSpace | None = None, *, out: str | PathLike[str],
    networks: Sequence[str] = (), **options: Any,
) -> tuple[CohortAnswers, dict[str, Any]]:  # fmt: skip
    """Answer for each network of a cohort, and write the answers, their summary and the report.

    Parameters are those of :func:`netchoice.choose_cohort`; ``networks`` is what names the networks in a
    command.

    Returns
    -------
    CohortAnswers, and the record that ``summary.json`` holds; its ``answered`` is 0 if no network has an
    answer

    Examples
    --------
    >>> import netchoice, numpy as np, pathlib, tempfile
    >>> rng = np.random.default_rng(1)
    >>> networks = {name: netchoice.get_model(name).grow(20, rng=rng) for name in ("ba1", "ba2")}
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> answers, record = report_cohort(networks, "ba", out=folder, features=["degree_mean"],
    ...                                 effort=netchoice.choice.Effort.small(), engine="serial")
    >>> record["answered"], record["named"]
    (2, {'one-fits': {'ba1': 1, 'ba2': 1}})
    >>> (folder / "report.html").exists(), (folder / "tables" / "none-fits.csv").exists()
    (True, True)
    """
    folder = place(out)
    answers = choose_cohort(graphs, space, out=folder, **options)
    given = answers.references.folder if options.get("reference") is not None else None
    settings = {
        **answers.references.settings.as_dict(),
        "reference": given,
        "networks": [*networks],
    }
    cohort = CohortFrame.of(answers.frame(), answers.references.parameters)
    record = summarise_cohort(cohort, plain(settings))
    q_values = record["none_fits"]["q_values"]
    none_fits = pd.DataFrame({
        "id": cohort.frame["id"], "none_fits_p": cohort.none_fits_p,
        "none_fits_q": pd.Series(q_values, dtype=float),
    })  # fmt: skip
    with listed_writes(folder):
        write_json(folder / SUMMARY, record, fingerprint_of(record["settings"]))
        write_text(folder / TABLES / "none-fits.csv", to_csv(none_fits))
        _write_report(folder, record, cohort, answers)
    return answers, record


def _write_report(
    folder: Path, record: dict[str, Any], cohort: CohortFrame, answers: CohortAnswers
) -> None:
    """Write the figures and the report; the map has the simulations that most networks share."""
    references, features = answers.references, answers.features()
    settings = references.settings
    sizes = {f"{settings.space.name}, {size}": size for size in references}
    shared = next((name for name in record["references"] if name in sizes), None)
    found = None
    if shared is not None:
        features = features[(cohort.frame["reference"] == shared).to_numpy()]
        found = cohort_map(cohort, features, *_simulations(references[sizes[shared]], features))
    save_all(cohort_drawings(cohort, record["parameters"], found), folder / FIGURES, "png")
    text = CohortPage(record, cohort, found).html()
    write_page(text, folder / REPORT, overwrite=True)


def _simulations(reference: Reference, features: pd.DataFrame) -> tuple[pd.DataFrame, pd.Index]:
    """Return the features and the models of simulations."""
    known = dict.fromkeys(features.columns[features.notna().any()], 0.0)
    X = pd.concat({model: reference.rows_of(model, known) for model in reference.models})
    return X, X.index.get_level_values(0)
