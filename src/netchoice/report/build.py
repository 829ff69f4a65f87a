"""The report of a choice or an evaluation, from the files in its folder."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from plotly.offline import get_plotlyjs_version

from netchoice.figures.data.feature_sets import FeatureSets
from netchoice.figures.interactive.feature_sets import explorer_data
from netchoice.markup import Html
from netchoice.report import (
    sections_choice,
    sections_feature_sets,
    sections_fit,
    sections_models,
    sections_parameters,
)
from netchoice.report.elements import Sections, add_settings, aside
from netchoice.report.folder import ResultFolder, naming_damage, read_folder
from netchoice.report.headline import Headline, choice_headline
from netchoice.report.headline_evaluation import evaluation_headline
from netchoice.report.network_drawing import draw_network
from netchoice.report.page import html_page, write_page
from netchoice.storage.written_folder import listed_writes
from netchoice.stores import place
from netchoice.units import duration

WITHOUT_SCRIPT = (
    "The figures, the controls, and the tables of accuracies over λ and k and of rankings need "
    "JavaScript; all other tables do not."
)


def write_report(
    folder: str | PathLike[str], path: str | PathLike[str] | None = None, *, overwrite: bool = False
) -> Path:
    """Write the report of a result folder and return its path.

    The report is one HTML file that needs no other files and no network connection. You can open it
    from disk or send it by mail.

    Parameters
    ----------
    folder : path
        Folder that ``netchoice choose``, :func:`netchoice.choose_model` (with ``path``) or
        ``netchoice evaluate`` wrote.
    path : path of the report, by default ``report.html`` in the folder
    overwrite : bool
        Whether to replace a file of this name. The report of the folder itself is always replaced.

    Examples
    --------
    >>> import netchoice, numpy as np, tempfile
    >>> network = netchoice.get_model("ba2").grow(20, rng=np.random.default_rng(1))
    >>> folder = tempfile.mkdtemp()
    >>> choice = netchoice.choose_model(network, "ba", samples=100, features=["degree_mean"],
    ...                                 plan=netchoice.workflows.SimulationPlan.small(),
    ...                                 engine="serial", path=folder)
    >>> write_report(folder).name
    'report.html'
    """
    folder = place(folder)
    with naming_damage(folder):
        results = read_folder(folder)
        text = _choice_page(results) if results.is_choice else _evaluation_page(results)
    if path is not None:
        return write_page(text, place(path), overwrite)
    with listed_writes(folder):
        return write_page(text, folder / "report.html", overwrite=True)


def _choice_page(folder: ResultFolder) -> str:
    sections, record, sets = Sections(), folder.record, folder.feature_sets
    if not record["fits"]:
        sections_fit.add_fit(sections, folder)
    sections_models.add_models(sections, record)
    sections_models.add_screening(sections, record)
    if record["fits"]:
        sections_fit.add_fit(sections, folder)
    sections_parameters.add_parameters(sections, folder)
    sections_choice.add_embedding(sections, folder)
    sections_choice.add_features(sections, folder)
    sections_choice.add_reliability(sections, folder)
    _add_feature_sets(sections, sets, _note(record), "Show the figure and the controls")
    chosen, remark = list(record["features"]), aside(_spent(record))
    sections_feature_sets.add_costs(sections, folder.costs, chosen, folder.unit, remark)
    sections_choice.add_network(sections, folder)
    settings = record["settings"]
    groups = {
        "Arguments": {key: settings[key] for key in settings if key not in ("versions", "python")},
        "Versions": _versions(settings),
        "Features of the test of fit": {"features": record["fit"]["features"]},
        "Selection and cost": {"selection": record["selection"], "cost": record["cost"]},
    }
    add_settings(sections, groups)
    name = Path(str(folder.reading.path)).name if folder.reading else ""
    picture = Html("") if folder.network is None else draw_network(folder.network)
    headline = choice_headline(record, name or "this network", folder.costs, picture)
    return _page(headline, sections, sets)


def _evaluation_page(folder: ResultFolder) -> str:
    sections, record, sets = Sections(), folder.record, folder.feature_sets
    _add_feature_sets(sections, sets)
    chosen = record["recommended"]["features"]
    sections_feature_sets.add_costs(sections, folder.costs, chosen, folder.unit)
    arguments = {key: record[key] for key in ("train", "test", "costs")}
    groups = {"Arguments": arguments | record["settings"], "Versions": _versions(record)}
    add_settings(sections, groups | {"The recommended set": record["recommended"]})
    return _page(evaluation_headline(record, folder.costs, folder.unit), sections, sets)


def _note(record: dict[str, Any]) -> str:
    """Return the methods, where costs were measured, and how the chosen set differs from that at the top."""
    source = ", extrapolated from smaller networks" if record["cost"]["extrapolated"] else ""
    added = sorted(set(record["features"]) - set(record["selection"]["for_model"]))
    more = f" For the parameters, {', '.join(added)} were added to this set." if added else ""
    return (
        f"The set was chosen from {', '.join(record['settings']['method'])}.{more} All costs of this page "
        f"were measured on the simulations from which the features were selected{source}."
    )


def _spent(record: dict[str, Any]) -> str:
    """Return what the run took."""
    cost = record["cost"]
    return (
        f"The test of fit used {cost['fit_simulations']} simulations with all its features. The last run "
        f"took {duration(cost['seconds'])} in total."
    )


def _versions(record: dict[str, Any]) -> dict[str, Any]:
    script = {"plotly.js (figures)": get_plotlyjs_version()}
    return {**record["versions"], "python": record["python"], **script}


def _add_feature_sets(
    sections: Sections, sets: FeatureSets | None, note: str = "", fold: str = ""
) -> None:
    if sets is not None:
        sections_feature_sets.add_explorer(sections, sets, note, fold)
        sections_feature_sets.add_heatmap(sections, sets)
        sections_feature_sets.add_rankings(sections, sets)


def _page(headline: Headline, sections: Sections, sets: FeatureSets | None) -> str:
    grid = None if sets is None else explorer_data(sets)
    return html_page(headline, sections, WITHOUT_SCRIPT, data={"grid": grid})
