"""How a ranking changes as costs weigh more."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.plots.canvas import (
    SMALL,
    WIDTH,
    Places,
    Sign,
    checked,
    darker,
    halo,
    inches,
    one_of,
    paper,
    penalty_axis,
    signs,
)


def ranking_paths(
    path: pd.DataFrame,
    method: str,
    *,
    top: int = 10,
    ax: Axes | None = None,
) -> Axes:
    """Positions of features over the penalty λ, for those that are ever among the first.

    A line that leaves at the bottom has fallen behind position ``top``. A feature is named where it
    ends, at the right; one that has fallen behind by then, at the left where it begins, or else
    where it stands best. A dashed line sets λ = 0 apart.

    Parameters
    ----------
    path : DataFrame
        One row for each method, penalty and position (from 1): method, penalty, position, feature,
        as :func:`netchoice.selection.rank_path` gives it.
    method : str
        Which one to draw.
    top : int
        Features that never come this far are left out.
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import pandas as pd
    >>> orders = {0: ["triangles", "degree", "noise"], 1: ["degree", "triangles", "noise"]}
    >>> path = pd.DataFrame(
    ...     [("jmi", p, i + 1, name) for p in orders for i, name in enumerate(orders[p])],
    ...     columns=["method", "penalty", "position", "feature"],
    ... )
    >>> ax = ranking_paths(path, "jmi", top=2)
    >>> [text.get_text() for text in ax.texts]
    ['triangles', 'degree']
    """
    checked(path, ("method", "penalty", "position", "feature"), "ranking path")
    one_of("method", method, list(dict.fromkeys(path["method"])))
    if top < 1:
        raise UsageError(f"top={top}; expected at least 1")
    wide = _positions(path, method)
    wide = wide[(wide <= top).any(axis=1)]
    rows = min(top, int(wide.max().max()))
    ax = paper(ax, WIDTH, 1.2 + 0.3 * rows)
    # Features that meet are told apart best if signs are dealt in the order of the lines.
    wide = wide.assign(best=wide.min(axis=1)).sort_values(["best", *wide.columns], kind="stable")
    order = wide.drop(columns="best")
    penalty_axis(ax, list(order.columns))
    named = signs(str(feature) for feature in order.index)
    lines = dict(zip(named, order.to_numpy(dtype=np.float64), strict=True))
    for feature, positions in lines.items():
        _line(ax, feature, positions, named[feature])
    places = Places(-0.4, len(order.columns) - 0.6)
    for feature in sorted(lines, key=len, reverse=True):  # long names have the least choice
        _name(ax, feature, lines[feature], rows, named[feature].colour, places)
    ax.set_ylim(rows + 0.6, 0.4)
    ax.set_yticks(range(1, rows + 1), [str(i) for i in range(1, rows + 1)])
    ax.set_ylabel("position", rotation=0, ha="right", va="bottom")
    ax.yaxis.set_label_coords(-0.01, 1.01)  # above the numbers: names stand at their left
    ax.set_title(method, loc="left")
    return ax


def _positions(path: pd.DataFrame, method: str) -> pd.DataFrame:
    """A row for each feature, a column for each penalty."""
    rows = path[path["method"] == method]
    twice = rows.duplicated(["penalty", "feature"])
    if twice.any():
        first = rows[twice].iloc[0]
        raise UsageError(
            f"the ranking path of {method!r} has {first['feature']!r} twice at penalty "
            f"{first['penalty']:g}; expected it once"
        )
    return rows.pivot(index="feature", columns="penalty", values="position").sort_index(axis=1)


def _line(ax: Axes, feature: str, positions: NDArray[np.float64], sign: Sign) -> None:
    ax.plot(
        range(len(positions)), positions, color=sign.colour, linestyle=sign.line, linewidth=1.6,
        marker=sign.marker, markersize=4.5, markeredgewidth=0, gid=feature, label=feature,
    )  # fmt: skip


def _name(
    ax: Axes,
    feature: str,
    positions: NDArray[np.float64],
    rows: int,
    colour: str,
    places: Places,
) -> None:
    if positions[-1] <= rows:
        at, shift, side = (1.0, positions[-1]), (4, 0), "left"
    elif positions[0] <= rows:
        at, shift, side = (0.0, positions[0]), (-24, 0), "right"
    else:
        at, shift, side = _room(ax, feature, positions, rows, places), (0, 7), "center"
    ax.annotate(
        feature, at, xytext=shift, textcoords="offset points", ha=side, va="center", fontsize=SMALL,
        xycoords="data" if side == "center" else ("axes fraction", "data"), zorder=4,
        color=darker(colour), path_effects=halo(2.5), annotation_clip=False,
    )  # fmt: skip


def _room(
    ax: Axes, feature: str, positions: NDArray[np.float64], rows: int, places: Places
) -> tuple[float, float]:
    """Where a line stands best among the places with room for its name."""
    room = 0.8 * inches(ax)[0]  # the names at the sides take the rest
    half = 0.034 * len(feature) * len(positions) / room
    among = sorted((position, x) for x, position in enumerate(positions) if position <= rows)
    spots = [(x + shift, y) for y, x in among for shift in (0.0, -half, half)]
    return places.first_free(spots, half, 0.5)
