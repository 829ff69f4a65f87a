"""Heat maps of accuracy over penalty and number of features: the layout of Figures 1 and 2 of the paper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from string import ascii_lowercase
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.evaluation.recommendation import measure_of
from netchoice.figures.axes import (
    PLAIN,
    SMALL,
    WIDTH,
    check_columns,
    check_names,
    halo,
    new_panels,
)
from netchoice.figures.cost_figures import CHARGES
from netchoice.figures.feature_sets import penalty_axis

LEVELS = (0.0001, 0.001, 0.01, 0.1, 0.5)
SHARES = ("share_alone", "share_shared")
_COLUMNS = ("method", "penalty", "k", "accuracy", *SHARES, "n_noise")


class AccuracyGrid(NamedTuple):
    """One method's evaluation: a row for each k and a column for each penalty.

    Cells without an evaluation are NaN. ``noise_cells`` are row and column of each set that
    contains noise features.
    """

    penalties: list[float]
    ks: list[int]
    accuracy: NDArray[np.float64]
    cost: NDArray[np.float64]
    noise_cells: NDArray[np.int64]


def accuracy_grid(evaluation: pd.DataFrame, method: str, cost: str) -> AccuracyGrid:
    """Return one method's accuracies, costs (in this column) and sets with noise features."""
    rows = evaluation[evaluation["method"] == method]
    for row in rows[rows.duplicated(["penalty", "k"])].itertuples():
        raise UsageError(
            f"the evaluation of {method!r} has two rows for penalty {row.penalty:g} and "
            f"k = {row.k:g}; expected one"
        )
    columns = ["accuracy", cost, "n_noise"]
    wide = rows.pivot(index="k", columns="penalty", values=columns).astype(np.float64)
    accuracy, costs, n_noise = (wide[name].to_numpy() for name in columns)
    penalties = [float(penalty) for penalty in wide["accuracy"].columns]
    noise_cells = np.argwhere(np.nan_to_num(n_noise) > 0)
    return AccuracyGrid(penalties, [int(k) for k in wide.index], accuracy, costs, noise_cells)


def accuracy_limits(
    evaluation: pd.DataFrame, low: float | None = None, high: float | None = None
) -> tuple[float, float]:
    """Return the ends of the colour scale; if all accuracies are equal, they get the best colour."""
    low = float(evaluation["accuracy"].min()) if low is None else low
    high = float(evaluation["accuracy"].max()) if high is None else high
    return (low if low < high else high - 0.01), high


def heat_maps(
    evaluation: pd.DataFrame, *, methods: Iterable[str] | None = None, share: str = "share_alone",
    levels: Sequence[float] = LEVELS, vmin: float | None = None, vmax: float | None = None,
) -> NDArray[Any]:  # fmt: skip
    """Draw the accuracy of each method over the penalty λ and the number k of features.

    Contours join sets of equal cost, as a share of the cost of all features. A ring marks a set
    with noise features. A dashed line separates λ = 0. Penalties are at equal distances.

    Parameters
    ----------
    evaluation : DataFrame
        One row for each method, penalty and k: method, penalty, k, accuracy, share_alone,
        share_shared (0 to 1) and n_noise. Cells without a row stay grey.
    methods : iterable of str, to draw in this order; by default all
    share : "share_alone" or "share_shared"
        Cost of a set: shared steps paid for each feature that uses them, or once.
    levels : sequence of float, shares at which contours are drawn
    vmin, vmax : float, optional
        Ends of the colour scale; by default those of the methods drawn.

    Examples
    --------
    >>> cells = [(m, p, k, 1 - p / 4 / k) for m in ("jmi", "mrmr") for p in (0, 1) for k in (1, 2)]
    >>> table = pd.DataFrame(cells, columns=["method", "penalty", "k", "accuracy"])
    >>> axes = heat_maps(table.assign(share_alone=0.1, share_shared=0.1, n_noise=0))
    >>> [ax.get_title(loc="left") for ax in axes]
    ['(a) jmi', '(b) mrmr']
    """
    shown = _check(evaluation, share, methods)
    limits = accuracy_limits(evaluation[evaluation["method"].isin(shown)], vmin, vmax)
    across = 2 if len(shown) <= 4 else 3
    panels, figure = new_panels(len(shown), across, 1.25 * WIDTH, 0.6, 2.7)
    for ax, letter, method in zip(panels, ascii_lowercase, shown, strict=False):
        mesh = _draw(ax, accuracy_grid(evaluation, method, share), limits, levels)
        ax.set_title(f"({letter}) {method}", loc="left", fontsize=10)
    figure.colorbar(mesh, ax=list(panels), label=measure_of(evaluation), aspect=30)
    figure.legend(handles=_legend_handles(share), loc="outside upper right", ncols=2, **PLAIN)
    return panels


def _check(evaluation: pd.DataFrame, share: str, methods: Iterable[str] | None) -> list[str]:
    check_columns(evaluation, _COLUMNS, "evaluation")
    check_names("share", [share], SHARES)
    return check_names("method", methods, list(dict.fromkeys(evaluation["method"])))


def _draw(
    ax: Axes, grid: AccuracyGrid, limits: tuple[float, float], levels: Sequence[float]
) -> QuadMesh:
    x, y = np.arange(len(grid.penalties)), np.array(grid.ks, dtype=np.float64)
    mesh = ax.pcolormesh(
        _edges(x), _edges(y), grid.accuracy, vmin=limits[0], vmax=limits[1], cmap="cividis",
        edgecolors="face", linewidth=0.2,
    )  # fmt: skip
    ax.set_facecolor("0.8")
    ax.set_ylim(*_edges(y)[[0, -1]])
    penalty_axis(ax, grid.penalties)
    step = -(-len(y) // 8)
    ax.set_yticks(y[::step], [f"{k:.0f}" for k in y[::step]], fontsize=SMALL + 1)
    ax.set_ylabel("number of features k")
    _draw_contours(ax, x, y, grid.cost, levels)
    rows, columns = grid.noise_cells.T
    if len(rows):
        ax.scatter(
            x[columns], y[rows], s=7, marker="o", facecolor="white", edgecolor="black",
            linewidth=0.7, zorder=3, gid="noise",
        )  # fmt: skip
    return mesh


def _draw_contours(
    ax: Axes, x: NDArray[Any], y: NDArray[Any], share: NDArray[np.float64], levels: Sequence[float]
) -> None:
    """Draw lines of equal share to the outer borders of the cells, each with one label."""
    positive = share[share > 0]
    low, high = positive.min(initial=np.inf), positive.max(initial=-np.inf)
    within = [level for level in sorted(levels) if low < level < high]
    if not within:
        return
    # Shares span orders of magnitude, so lines between two cells are interpolated in logarithms.
    heights = np.pad(np.log10(np.maximum(share, low)), 1, mode="edge")
    lines = ax.contour(
        *(np.r_[_edges(ticks)[0], ticks, _edges(ticks)[-1]] for ticks in (x, y)),
        np.ma.masked_invalid(heights), levels=np.log10(within), colors="black", linewidths=1.0,
        linestyles="solid",
    )  # fmt: skip
    lines.set(path_effects=halo(2.4), gid="share")
    for i, (level, pieces) in enumerate(zip(within, lines.allsegs, strict=True)):
        if not pieces:  # the line lies between cells without a row
            continue
        # Labels of neighbouring lines stand side by side, at increasing fractions of their lines.
        longest = max(pieces, key=len)
        place = (i + 1) / (len(within) + 1) * (len(longest) - 1)
        x_text, y_text = (np.interp(place, range(len(longest)), v) for v in longest.T)
        ax.text(
            float(x_text), float(y_text), f"{100 * level:g} %", fontsize=SMALL, ha="center",
            va="center", zorder=4, path_effects=halo(3),
        )  # fmt: skip


def _legend_handles(share: str) -> list[Line2D]:
    line = Line2D([], [], color="black", linewidth=1.0, path_effects=halo(2.4))
    line.set_label(f"share of the cost of all features ({CHARGES[share.removeprefix('share_')]})")
    ring = Line2D([], [], linestyle="", marker="o", markersize=3.5, color="white")
    ring.set(markeredgecolor="black", markeredgewidth=0.8, label="with noise features")
    return [line, ring]


def _edges(centres: NDArray[Any]) -> NDArray[np.float64]:
    """Return the borders halfway between centres."""
    if len(centres) == 1:
        return np.array([centres[0] - 0.5, centres[0] + 0.5])
    middle = (centres[1:] + centres[:-1]) / 2
    return np.concatenate([[2 * centres[0] - middle[0]], middle, [2 * centres[-1] - middle[-1]]])
