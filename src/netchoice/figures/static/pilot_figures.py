"""All figures of a pilot study, as files in a folder."""

from __future__ import annotations

import math
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netchoice.figures.static.axes import save
from netchoice.figures.static.cost_curves import cost_growth
from netchoice.figures.static.pilot_accuracy import pilot_accuracy

if TYPE_CHECKING:
    from netchoice.cost_growth import CostGrowth
    from netchoice.workflows import PilotStudy

MAX_CURVES = 5
#: A feature is shown only if its cost is below this share of the cost of those already shown:
#: features that mostly consist of the same shared step have nearly equal costs.
DISTINCT_COST = 0.9


def draw_pilot_study(study: PilotStudy, folder: str | PathLike[str]) -> list[Path]:
    """Draw the figures of a pilot study and return the paths of the PNG files.

    The figures show the accuracy at the target size for each penalty and, with several sizes, how
    costs grow with the number of nodes.

    Parameters
    ----------
    study : PilotStudy
        As :func:`netchoice.workflows.pilot` returned it.
    folder : path
        Created if it does not exist.

    Returns
    -------
    list of Path

    Examples
    --------
    >>> import tempfile
    >>> from netchoice.workflows import pilot
    >>> study = pilot("ba", sizes=[20, 40], target=40, samples=40, methods=["jmi"], penalties=[0],
    ...               ks=[1, 2], features=["degree_mean", "transitivity"], engine="serial")
    >>> [path.stem for path in draw_pilot_study(study, tempfile.mkdtemp())]
    ['accuracy-0', 'growth']
    """
    drawn: dict[str, Any] = {
        f"accuracy-{penalty:g}": pilot_accuracy(study.accuracy, penalty=penalty)
        for penalty in study.settings.penalties
    }
    if study.cost_growth is not None:
        names = ["all", *_most_expensive(study)][:MAX_CURVES]
        frame = study.costs[study.costs["name"].isin(names)]
        drawn["growth"] = cost_growth(frame, _fits(study.cost_growth, names))
    return [save(figure, Path(folder) / f"{name}.png") for name, figure in drawn.items()]


def _most_expensive(study: PilotStudy) -> list[str]:
    """Return features in order of decreasing cost at the target, with clearly different costs."""
    costs = study.costs
    largest = costs[(costs["n"] == costs["n"].max()) & (costs["kind"] == "feature")]
    names: list[str] = []
    lowest = math.inf
    for row in largest.sort_values("seconds", ascending=False).itertuples():
        if row.seconds < DISTINCT_COST * lowest:
            lowest = row.seconds
            names.append(row.name)
    return names


def _fits(growth: CostGrowth, names: list[str]) -> list[dict[str, Any]]:
    """Return two curves for each name: a power of n, and a power with a fixed overhead."""
    fits: list[dict[str, Any]] = []
    for curve in growth.curves.values():
        if curve.kind not in ("feature", "total") or curve.name not in names:
            continue
        rows = growth.measured
        rows = rows[(rows["kind"] == curve.kind) & (rows["name"] == curve.name)]
        power = curve.exponent
        factor = float((rows["seconds"] / rows["n"] ** power).median())
        straight = {"name": curve.name, "exponent": power}
        if not math.isnan(curve.low):
            straight |= {"low": curve.low, "high": curve.high}
        fits.append({**straight, "curve": lambda n, b=factor, c=power: b * n**c})
        fits.append({"name": curve.name, "curve": curve, "label": f"a + b·$n^{{{curve.c:.2f}}}$"})
    return fits
