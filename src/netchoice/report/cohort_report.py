"""A cohort with its summary, its figures and its report: what the command runs for many networks."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from netchoice.atomic import write_text
from netchoice.choice.cohort import choose_cohort
from netchoice.choice.cohort_frame import OWN, CohortFrame
from netchoice.choice.cohort_run import SUMMARY, CohortAnswers
from netchoice.choice.cohort_summary import summarise_cohort
from netchoice.choice.reference import Reference
from netchoice.choice.settings import Settings
from netchoice.errors import NetchoiceError
from netchoice.features import FEATURES
from netchoice.figures.axes import save_all
from netchoice.figures.cohort_figures import (
    MOST_EMBEDDINGS,
    MOST_POINTS,
    CohortFigures,
    thin,
)
from netchoice.models.builtin import get_space
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
    """Write the figures and the report; networks that share simulations are shown among these."""
    references, features = answers.references, answers.features()
    settings = references.settings
    sizes = {f"{settings.space.name}, {size}": size for size in references}
    shown = [name for name in record["references"] if name in sizes][:MOST_EMBEDDINGS]
    simulations, options = {}, {}
    for name in shown:
        own = features[(cohort.frame["reference"] == name).to_numpy()]
        simulations[name] = _simulations(references[sizes[name]], own)
    if references.folder is not None:
        options = {name: ["--reference", str(references.folder)] for name in sizes}
    own_options = _options(settings)
    if own_options is not None:
        options[f"{settings.space.name}, {OWN}"] = own_options
    figures = CohortFigures.of(cohort, features, simulations)
    save_all(figures.drawings(), folder / FIGURES, "png")
    text = CohortPage(record, cohort, figures, options).html()
    write_page(text, folder / REPORT, overwrite=True)


def _simulations(reference: Reference, features: pd.DataFrame) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the features and the models of simulations, as many of each model."""
    known = dict.fromkeys(features.columns[features.notna().any()], 0.0)
    most = MOST_POINTS // 2 // len(reference.models)
    tables = {}
    for model in reference.models:
        rows = reference.rows_of(model, known)
        tables[model] = rows.iloc[thin(np.arange(len(rows)), most)]
    y = np.repeat(list(tables), list(map(len, tables.values())))
    return pd.concat(list(tables.values()), ignore_index=True), y


def _options(settings: Settings) -> list[str] | None:
    """Return the options of ``netchoice choose`` for a network with simulations of its own.

    None if no options name these models and features.
    """
    name, features = settings.space.name, settings.names or ()
    try:
        is_known = get_space(name).as_dict() == settings.space.as_dict()
    except NetchoiceError:
        is_known = False
    if not is_known or not all(each in FEATURES for each in features):
        return None
    options = ["--space", name, *(["--match"] if settings.match else [])]
    options += ["--isolated", settings.isolated] if settings.isolated else []
    options += ["--features", ",".join(features)] if features else []
    return options + (["--seed", str(settings.seed)] if settings.seed != 1 else [])
