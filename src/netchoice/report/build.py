"""Building the report of a result folder."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from netchoice.errors import NetchoiceError
from netchoice.figures.data.feature_sets import FeatureSets
from netchoice.figures.interactive.feature_sets import explorer_data
from netchoice.report import sections_choice, sections_feature_sets
from netchoice.report.elements import Sections, details, flatten, table
from netchoice.report.folder import ResultFolder, naming_damage, read_folder
from netchoice.report.headline import choice_headline, evaluation_headline
from netchoice.report.markup import join
from netchoice.report.page import page

REPORT = "report.html"
_VERSIONS = ("versions", "python")


def write_report(folder: str | PathLike[str], path: str | PathLike[str] | None = None) -> Path:
    """Write the report of a result folder and return its path.

    The report is one HTML file that needs no other files and no network connection. You can open it
    from disk or send it by mail.

    Parameters
    ----------
    folder : path
        Folder that ``netchoice choose``, :func:`netchoice.choose_model` (with ``path``) or
        ``netchoice evaluate`` wrote.
    path : path, optional
        Path of the report; by default ``report.html`` in the folder.

    Returns
    -------
    Path

    Examples
    --------
    >>> import netchoice, numpy as np, tempfile
    >>> from netchoice.report import write_report
    >>> network = netchoice.get_model("ba2").grow(20, rng=np.random.default_rng(1))
    >>> folder = tempfile.mkdtemp()
    >>> choice = netchoice.choose_model(
    ...     network, "ba", samples=100, features=["degree_mean"], time_limit=1, engine="serial",
    ...     path=folder,
    ... )
    >>> write_report(folder).name
    'report.html'
    """
    folder = Path(folder)
    with naming_damage(folder):
        results = read_folder(folder)
        text = _choice_page(results) if results.is_choice else _evaluation_page(results)
    path = folder / REPORT if path is None else Path(path)
    try:
        # A file name may contain bytes that are not text.
        path.write_bytes(text.encode("utf-8", errors="replace"))
    except OSError as error:
        raise NetchoiceError(f"cannot write {path}: {error.strerror}") from error
    return path


def _choice_page(folder: ResultFolder) -> str:
    sections, record, sets = Sections(), folder.record, folder.feature_sets
    sections_choice.add_models(sections, record)
    sections_choice.add_parameters(sections, record, folder.evidence["posterior"])
    sections_choice.add_embedding(sections, folder)
    sections_choice.add_features(sections, folder)
    if sets is not None:
        methods = ", ".join(record["settings"]["method"])
        _add_feature_sets(
            sections, sets, f"The set was chosen from {methods}. {_cost_note(record)}"
        )
    sections_feature_sets.add_costs(sections, folder.costs, list(record["features"]), folder.unit)
    sections_choice.add_reliability(sections, folder)
    sections_choice.add_network(sections, folder)
    settings = {key: v for key, v in record["settings"].items() if key not in _VERSIONS}
    _add_settings(
        sections,
        {
            "Arguments": settings,
            "Versions": _versions(record["settings"]),
            "Features of the test of fit": {"features": record["fit"]["features"]},
            "Selection and cost": {"selection": record["selection"], "cost": record["cost"]},
        },
    )
    name = Path(str(folder.reading.path)).name if folder.reading else ""
    return page(choice_headline(record, name or "this network"), sections, _data(sets))


def _evaluation_page(folder: ResultFolder) -> str:
    sections, record, sets = Sections(), folder.record, folder.feature_sets
    _add_feature_sets(sections, sets)
    chosen = record["recommended"]["features"]
    sections_feature_sets.add_costs(sections, folder.costs, chosen, folder.unit)
    arguments = {key: record[key] for key in ("train", "test", "costs")}
    _add_settings(
        sections,
        {
            "Arguments": arguments | record["settings"],
            "Versions": _versions(record),
            "The recommended set": record["recommended"],
        },
    )
    headline = evaluation_headline(record, folder.costs, folder.unit)
    return page(headline, sections, _data(sets))


def _cost_note(record: dict[str, Any]) -> str:
    """Return why the cost of a set may differ from the cost on the first screen."""
    source = ", extrapolated from smaller networks" if record["cost"]["extrapolated"] else ""
    return (
        "The costs here were measured on the simulations from which the features were selected"
        f"{source}. The cost at the top was measured on the simulations from which the model was "
        "inferred, so the two can differ."
    )


def _versions(record: dict[str, Any]) -> dict[str, Any]:
    from plotly.offline import get_plotlyjs_version

    script = {"plotly.js (figures)": get_plotlyjs_version()}
    return {**record["versions"], "python": record["python"], **script}


def _add_feature_sets(sections: Sections, sets: FeatureSets | None, note: str = "") -> None:
    if sets is None:
        return
    sections_feature_sets.add_explorer(sections, sets, note)
    sections_feature_sets.add_heatmap(sections, sets)
    sections_feature_sets.add_rankings(sections, sets)


def _add_settings(sections: Sections, groups: dict[str, Any]) -> None:
    """Add every argument, seed and version."""
    tables = [
        details(title, table(title, ("name", "value"), flatten(record)))
        for title, record in groups.items()
        if record
    ]
    explanation = "With these you can repeat the run."
    sections.add("settings", "Settings, seed and versions", explanation, join(tables))


def _data(sets: FeatureSets | None) -> dict[str, Any]:
    return {"grid": None if sets is None else explorer_data(sets)}
