"""A cohort with its summary, its figures and its report: what the command runs for many networks."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from netchoice.atomic import write_text
from netchoice.choice.cohort import choose_cohort
from netchoice.choice.cohort_frame import CohortFrame
from netchoice.choice.cohort_run import SUMMARY, CohortAnswers
from netchoice.choice.cohort_summary import summarise_cohort
from netchoice.choice.reference import Reference
from netchoice.figures.axes import save_all
from netchoice.figures.cohort_figures import (
    CohortFigures,
)
from netchoice.models.space import ModelSpace
from netchoice.report.cohort_page import CohortPage
from netchoice.report.page import write_page
from netchoice.storage.kept_files import fingerprint_of, write_json
from netchoice.storage.records import plain, to_csv
from netchoice.storage.run_folder import FIGURES, REPORT, TABLES, listed_writes
from netchoice.stores import place


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
    >>> record["answered"], record["outcomes"]["all"]
    (2, {'ba1': 1, 'ba2': 1})
    >>> (folder / "report.html").exists(), (folder / "tables" / "none-fits.csv").exists()
    (True, True)
    """
    folder = place(out)
    answers = choose_cohort(graphs, space, out=folder, **options)
    frame = answers.frame()
    given = answers.references.folder if options.get("reference") is not None else None
    settings = {
        **answers.references.settings.as_dict(),
        "reference": given,
        "networks": [*networks],
    }
    record = summarise_cohort(frame, settings=plain(settings))
    cohort, q_values = CohortFrame.of(frame), record["none_fits"]["q_values"]
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
    simulations = None
    if shared is not None:
        features = features[(cohort.frame["reference"] == shared).to_numpy()]
        simulations = _simulations(references[sizes[shared]], features)
    figures = CohortFigures.of(cohort, features, simulations)
    save_all(figures.drawings(), folder / FIGURES, "png")
    text = CohortPage(record, cohort, figures).html()
    write_page(text, folder / REPORT, overwrite=True)


def _simulations(reference: Reference, features: pd.DataFrame) -> tuple[pd.DataFrame, pd.Index]:
    """Return the features and the models of simulations."""
    known = dict.fromkeys(features.columns[features.notna().any()], 0.0)
    X = pd.concat({model: reference.rows_of(model, known) for model in reference.models})
    return X, X.index.get_level_values(0)
