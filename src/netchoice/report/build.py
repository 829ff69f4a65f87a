"""The report of a choice or an evaluation, from the files in its folder."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from netchoice.report import choice_sections, feature_sections
from netchoice.report.feature_sections import FeatureSets
from netchoice.report.folder import ResultFolder, naming_damage, read_folder
from netchoice.report.headline import choice_headline, evaluation_headline
from netchoice.report.page import Sections, add_settings, aside, html_page, write_page
from netchoice.storage.written_folder import listed_writes
from netchoice.stores import place
from netchoice.units import duration


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
    sections, record = Sections(), folder.record
    if not record["fits"]:
        choice_sections.add_fit(sections, folder)
    choice_sections.add_models(sections, record)
    choice_sections.add_screening(sections, record)
    if record["fits"]:
        choice_sections.add_fit(sections, folder)
    choice_sections.add_parameters(sections, folder)
    choice_sections.add_embedding(sections, folder)
    choice_sections.add_features(sections, folder)
    choice_sections.add_reliability(sections, folder)
    _add_feature_sets(sections, folder.feature_sets, _note(record), "Show the figure")
    chosen, remark = list(record["features"]), aside(_spent(record))
    feature_sections.add_costs(sections, folder.costs, chosen, folder.unit, remark)
    choice_sections.add_network(sections, folder)
    settings = record["settings"]
    groups = {
        "Arguments": {key: settings[key] for key in settings if key not in ("versions", "python")},
        "Versions": _versions(settings),
        "Features of the test of fit": {"features": record["fit"]["features"]},
        "Selection and cost": {"selection": record["selection"], "cost": record["cost"]},
    }
    add_settings(sections, groups)
    name = Path(str(folder.reading.path)).name if folder.reading else ""
    picture = None if folder.network is None else choice_sections.network_picture(folder.network)
    headline = choice_headline(record, name or "this network", folder.costs, picture)
    return html_page(headline, sections)


def _evaluation_page(folder: ResultFolder) -> str:
    sections, record = Sections(), folder.record
    _add_feature_sets(sections, folder.feature_sets)
    chosen = record["recommended"]["features"]
    feature_sections.add_costs(sections, folder.costs, chosen, folder.unit)
    arguments = {key: record[key] for key in ("train", "test", "costs")}
    groups = {"Arguments": arguments | record["settings"], "Versions": _versions(record)}
    add_settings(sections, groups | {"The recommended set": record["recommended"]})
    return html_page(evaluation_headline(record, folder.costs, folder.unit), sections)


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
    return {**record["versions"], "python": record["python"]}


def _add_feature_sets(
    sections: Sections, sets: FeatureSets | None, note: str = "", fold: str = ""
) -> None:
    if sets is not None:
        feature_sections.add_sets(sections, sets, note, fold)
        feature_sections.add_heat_maps(sections, sets)
        feature_sections.add_rankings(sections, sets)
