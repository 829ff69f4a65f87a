"""Figure of how a ranking changes with the cost penalty."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from numpy.typing import NDArray

from netchoice.figures.data.checks import check_columns, check_names
from netchoice.figures.data.feature_sets import ranking_positions
from netchoice.figures.static.axes import (
    SMALL,
    WIDTH,
    TextPlacer,
    halo,
    new_axes,
    penalty_axis,
    size_in_inches,
)  # fmt: skip
from netchoice.figures.style import series_styles
from netchoice.validation import check_integer


def ranking_paths(
    path: pd.DataFrame, method: str, *, top: int = 10, ax: Axes | None = None
) -> Axes:
    """Draw the positions of features over the penalty λ, for features that reach the top.

    A line that leaves at the bottom has fallen below position ``top``. A feature is named at the
    right end of its line; if the line has left by then, at the left end; otherwise where its
    position is best. A dashed line separates λ = 0.

    Parameters
    ----------
    path : DataFrame
        One row for each method, penalty and position (from 1): method, penalty, position, feature,
        as :func:`netchoice.selection.rank_path` returns it.
    method : str
        Method to draw.
    top : int
        Features that never reach this position are left out.
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
    check_columns(path, ("method", "penalty", "position", "feature"), "ranking path")
    check_names("method", [method], list(dict.fromkeys(path["method"])))
    check_integer("top", top)
    positions = ranking_positions(path, method)
    positions = positions[(positions <= top).any(axis=1)]
    rows = min(top, int(positions.max().max()))
    ax = new_axes(ax, WIDTH, 1.2 + 0.3 * rows)
    # In the order of the lines, so that the styles of neighbouring lines differ.
    order = positions.assign(best=positions.min(axis=1))
    order = order.sort_values(["best", *positions.columns], kind="stable").drop(columns="best")
    penalty_axis(ax, list(order.columns))
    styles = series_styles(str(feature) for feature in order.index)
    lines = dict(zip(styles, order.to_numpy(dtype=np.float64), strict=True))
    for feature, style in styles.items():
        ax.plot(
            range(len(order.columns)), lines[feature], color=style.colour, linestyle=style.line,
            linewidth=1.6, marker=style.marker, markersize=4.5, markeredgewidth=0, gid=feature,
            label=feature,
        )  # fmt: skip
    placer = TextPlacer(-0.4, len(order.columns) - 0.6)
    for feature in sorted(lines, key=len, reverse=True):  # long names fit in fewer places
        _name(ax, feature, lines[feature], rows, styles[feature].colour, placer)
    ax.set_ylim(rows + 0.6, 0.4)
    ax.set_yticks(range(1, rows + 1), [str(i) for i in range(1, rows + 1)])
    ax.set_ylabel("position", rotation=0, ha="right", va="bottom")
    ax.yaxis.set_label_coords(-0.01, 1.01)  # above the ticks, because names are at their left
    ax.set_title(method, loc="left")
    return ax


def _name(
    ax: Axes,
    feature: str,
    positions: NDArray[np.float64],
    rows: int,
    colour: str,
    placer: TextPlacer,
) -> None:
    if positions[-1] <= rows:
        at, shift, side = (1.0, positions[-1]), (4, 0), "left"
    elif positions[0] <= rows:
        at, shift, side = (0.0, positions[0]), (-24, 0), "right"
    else:
        at, shift, side = _best_spot(ax, feature, positions, rows, placer), (0, 7), "center"
    red, green, blue = (0.6 * part for part in to_rgb(colour))  # darker, for contrast
    ax.annotate(
        feature, at, xytext=shift, textcoords="offset points", ha=side, va="center", fontsize=SMALL,
        xycoords="data" if side == "center" else ("axes fraction", "data"), zorder=4,
        color=(red, green, blue), path_effects=halo(2.5), annotation_clip=False,
    )  # fmt: skip


def _best_spot(
    ax: Axes, feature: str, positions: NDArray[np.float64], rows: int, placer: TextPlacer
) -> tuple[float, float]:
    """Return the best position of a line where its name fits."""
    width = 0.8 * size_in_inches(ax)[0]  # the names at the sides take the rest
    half = 0.034 * len(feature) * len(positions) / width
    visible = sorted((position, x) for x, position in enumerate(positions) if position <= rows)
    spots = [(x + shift, y) for y, x in visible for shift in (0.0, -half, half)]
    return placer.first_free(spots, half, 0.5)
