"""Heat maps of accuracy over penalty and number of features, with contours of equal cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from string import ascii_lowercase
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from netchoice.evaluation import measure_of
from netchoice.figures.data.checks import check_columns, check_names
from netchoice.figures.data.cost_text import CHARGES
from netchoice.figures.data.feature_sets import AccuracyGrid, accuracy_grid, accuracy_limits
from netchoice.figures.static import axes
from netchoice.figures.static.axes import PLAIN, SMALL, TextPlacer, halo

LEVELS = (0.0001, 0.001, 0.01, 0.1, 0.5)
SHARES = ("share_alone", "share_shared")
_COLUMNS = ("method", "penalty", "k", "accuracy", *SHARES, "n_noise")


def heatmap(
    evaluation: pd.DataFrame, method: str, *, share: str = "share_alone",
    levels: Sequence[float] = LEVELS, vmin: float | None = None, vmax: float | None = None,
    ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw the accuracy of one method over the penalty λ and the number k of features.

    Contours join sets of equal cost, as a share of the cost of all features. A ring marks a set
    with noise features. A dashed line separates λ = 0. Penalties are at equal distances. The
    layout is that of Figures 1 and 2 of the paper.

    Parameters
    ----------
    evaluation : DataFrame
        One row for each method, penalty and k: method, penalty, k, accuracy, share_alone,
        share_shared (0 to 1) and n_noise. Cells without a row stay grey.
    method : str
    share : "share_alone" or "share_shared"
        Cost of a set: shared steps paid for each feature that uses them, or once.
    levels : sequence of float, shares at which contours are drawn
    vmin, vmax : float, optional
        Ends of the colour scale. By default those of all methods in the table, so that the
        figures of several methods can be compared.
    ax : Axes, optional

    Examples
    --------
    >>> cells = [("jmi", p, k, 1 - p / 4 / k, k / 4) for p in (0, 1, 2) for k in (1, 2, 3)]
    >>> table = pd.DataFrame(cells, columns=["method", "penalty", "k", "accuracy", "share_alone"])
    >>> table = table.assign(share_shared=table["share_alone"], n_noise=0)
    >>> ax = heatmap(table, "jmi")
    >>> ax.get_title(loc="left"), [label.get_text() for label in ax.get_xticklabels()]
    ('jmi', ['0', '1', '2'])
    """
    _check(evaluation, share, [method])
    limits = accuracy_limits(evaluation, vmin, vmax)
    ax = axes.new_axes(ax)
    mesh = _draw(ax, accuracy_grid(evaluation, method, share), limits, levels)
    ax.set_title(method, loc="left")
    above = axes.ABOVE | {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "fontsize": SMALL}
    ax.legend(handles=_legend_handles(share), ncols=2, **above)
    ax.get_figure().colorbar(mesh, ax=ax, label=measure_of(evaluation))  # type: ignore[union-attr]
    return ax


def heatmaps(
    evaluation: pd.DataFrame, *, methods: Iterable[str] | None = None, share: str = "share_alone",
    levels: Sequence[float] = LEVELS, vmin: float | None = None, vmax: float | None = None,
    columns: int | None = None,
) -> NDArray[Any]:  # fmt: skip
    """Draw a :func:`heatmap` for each method, side by side on one colour scale.

    Parameters
    ----------
    evaluation, share, levels, vmin, vmax
        As for :func:`heatmap`; the colour scale is by default that of the methods drawn.
    methods : iterable of str, to draw in this order; by default all
    columns : int, heat maps in a row; by default 2 for up to four methods, else 3

    Examples
    --------
    >>> cells = [(m, p, k, 1 - p / 4 / k) for m in ("jmi", "mrmr") for p in (0, 1) for k in (1, 2)]
    >>> table = pd.DataFrame(cells, columns=["method", "penalty", "k", "accuracy"])
    >>> axes = heatmaps(table.assign(share_alone=0.1, share_shared=0.1, n_noise=0))
    >>> [ax.get_title(loc="left") for ax in axes]
    ['(a) jmi', '(b) mrmr']
    """
    shown = _check(evaluation, share, methods)
    limits = accuracy_limits(evaluation[evaluation["method"].isin(shown)], vmin, vmax)
    across = columns or (2 if len(shown) <= 4 else 3)
    panels, figure = axes.new_panels(len(shown), across, 1.25 * axes.WIDTH, 0.6, 2.7)
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
    axes.penalty_axis(ax, grid.penalties)
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
    placer = TextPlacer(x[0] - 0.4, x[-1] + 0.4)
    width, height = axes.size_in_inches(ax)
    pieces_by_level = zip(within, lines.allsegs, strict=True)
    # A level has no piece if its line lies between cells without a row.
    longest = [(level, max(pieces, key=_length)) for level, pieces in pieces_by_level if pieces]
    # Short lines first, because they offer the fewest spots.
    for level, line in sorted(longest, key=lambda pair: _length(pair[1])):
        spots = [_point(line, part) for part in (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9)]
        ax.text(
            *placer.first_free(spots, 0.25 * len(x) / width, 0.18 * np.ptp(_edges(y)) / height),
            f"{100 * level:g} %", fontsize=SMALL, ha="center", va="center", zorder=4,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.9, "pad": 0.8},
        )  # fmt: skip


def _length(line: NDArray[np.float64]) -> float:
    return float(np.hypot(*np.diff(line, axis=0).T).sum())


def _point(line: NDArray[np.float64], fraction: float) -> tuple[float, float]:
    """Return the point at this fraction of the length of a line."""
    lengths = np.r_[0.0, np.hypot(*np.diff(line, axis=0).T).cumsum()]
    x, y = (np.interp(fraction * lengths[-1], lengths, values) for values in line.T)
    return float(x), float(y)


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
