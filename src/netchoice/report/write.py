"""From a folder to its report."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from netchoice.errors import NetchoiceError
from netchoice.report import sections_choice, sections_grid, words
from netchoice.report.folder import Held, read_folder, told_where
from netchoice.report.grid import Grid
from netchoice.report.page import add_settings, page
from netchoice.report.parts import Sheet

REPORT = "report.html"
_VERSIONS = ("versions", "python")


def write_report(folder: str | PathLike[str], path: str | PathLike[str] | None = None) -> Path:
    """Write one HTML file about what a folder holds: an answer, or an evaluation.

    The file needs nothing else: it can be opened from disk or sent by mail, and fetches nothing.

    Parameters
    ----------
    folder : path
        As ``netchoice choose``, :func:`netchoice.choose_model` (with ``path``) or ``netchoice
        evaluate`` left it.
    path : path, optional
        Of the file; by default ``report.html`` in the folder.

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
    with told_where(folder):
        held = read_folder(folder)
        text = _of_choice(held) if held.is_choice else _of_evaluation(held)
    path = folder / REPORT if path is None else Path(path)
    try:
        # A name of a file may hold bytes that are no text.
        path.write_bytes(text.encode("utf-8", errors="replace"))
    except OSError as error:
        raise NetchoiceError(f"cannot write {path}: {error.strerror}") from error
    return path


def _of_choice(held: Held) -> str:
    sheet, record = Sheet(), held.record
    sections_choice.add_models(sheet, record)
    sections_choice.add_parameters(sheet, record, held.evidence["posterior"])
    sections_choice.add_cloud(sheet, held)
    sections_choice.add_features(sheet, held)
    grid = _grid(held)
    if grid is not None:
        asked = record["settings"]["method"]
        more = f"The set was chosen from {', '.join(asked)}. {_timed(record)}"
        _add_grid(sheet, grid, more)
    sections_grid.add_costs(sheet, held.costs, list(record["features"]), held.unit)
    sections_choice.add_reliability(sheet, held)
    sections_choice.add_reading(sheet, held)
    settings = {key: v for key, v in record["settings"].items() if key not in _VERSIONS}
    add_settings(
        sheet,
        {
            "What was asked for": settings,
            "Versions": _versions(record["settings"]),
            "Features on which the fit was judged": {"features": record["fit"]["features"]},
            "Selection and cost": {"selection": record["selection"], "cost": record["cost"]},
        },
    )
    name = Path(str(held.reading.path)).name if held.reading else ""
    return page(words.of_choice(record, name or "this network"), sheet, _data(grid))


def _of_evaluation(held: Held) -> str:
    sheet, record = Sheet(), held.record
    grid = _grid(held)
    if grid is not None:
        _add_grid(sheet, grid)
    sections_grid.add_costs(sheet, held.costs, record["recommended"]["features"], held.unit)
    asked = {key: record[key] for key in ("train", "test", "costs")}
    add_settings(
        sheet,
        {
            "What was asked for": asked | record["settings"],
            "Versions": _versions(record),
            "The recommended set": record["recommended"],
        },
    )
    return page(words.of_evaluation(record, held.costs, held.unit), sheet, _data(grid))


def _timed(record: dict[str, Any]) -> str:
    """Why a set may have another cost here than on top."""
    smaller = ", extrapolated from smaller networks" if record["cost"]["extrapolated"] else ""
    return (
        "Costs here were timed on the simulations that the features were selected on"
        f"{smaller}; that on top was timed on those that the answer rests on, so the two may differ."
    )


def _versions(record: dict[str, Any]) -> dict[str, Any]:
    from plotly.offline import get_plotlyjs_version

    drawn = {"plotly.js (figures)": get_plotlyjs_version()}
    return {**record["versions"], "python": record["python"], **drawn}


def _grid(held: Held) -> Grid | None:
    if held.rankings is None or held.evaluation is None or held.chosen is None:
        return None
    return Grid(held.rankings, held.evaluation, held.costs, held.chosen, held.unit)


def _add_grid(sheet: Sheet, grid: Grid, more: str = "") -> None:
    sections_grid.add_explorer(sheet, grid, more)
    sections_grid.add_heat(sheet, grid)
    sections_grid.add_ranking(sheet, grid)


def _data(grid: Grid | None) -> dict[str, Any]:
    return {"grid": None if grid is None else grid.packed()}
