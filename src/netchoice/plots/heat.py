"""Accuracy over penalty and number of features, with what the features cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from netchoice.errors import UsageError
from netchoice.plots.canvas import (
    DPI,
    SMALL,
    WIDTH,
    Places,
    checked,
    halo,
    inches,
    one_of,
    paper,
    penalty_axis,
)

LEVELS = (0.0001, 0.001, 0.01, 0.1, 0.5)
SHARES = ("share_alone", "share_shared")
_COLUMNS = ("method", "penalty", "k", "accuracy", *SHARES, "n_noise")


class _Grid(NamedTuple):
    """One method's figures, a row for each k and a column for each penalty."""

    penalties: list[float]
    ks: list[int]
    accuracy: NDArray[np.float64]
    share: NDArray[np.float64]
    noise: NDArray[np.float64]


def heatmap(
    evaluation: pd.DataFrame,
    method: str,
    *,
    share: str = "share_alone",
    levels: Sequence[float] = LEVELS,
    vmin: float | None = None,
    vmax: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Accuracy of one method's rankings over the penalty λ and the number k of features.

    Lines join sets of the same cost, as a share of the cost of all features. A ring marks a set
    with noise features. A dashed line sets λ = 0 apart. Penalties stand side by side, whatever
    their distances. As Figures 1 and 2 of the paper.

    Parameters
    ----------
    evaluation : DataFrame
        One row for each method, penalty and k: method, penalty, k, accuracy, share_alone,
        share_shared (0 to 1) and n_noise. Cells without a row stay grey.
    method : str
        Which one to draw.
    share : "share_alone" or "share_shared"
        Cost of a set: a step paid for every feature that needs it, or once.
    levels : sequence of float
        Shares where lines are drawn.
    vmin, vmax : float, optional
        Ends of the colour scale. By default those of all methods in the table, so that pictures
        of several methods can be compared.
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import pandas as pd
    >>> cells = [("jmi", p, k, 1 - p / 4 / k, k / 4) for p in (0, 1, 2) for k in (1, 2, 3)]
    >>> table = pd.DataFrame(cells, columns=["method", "penalty", "k", "accuracy", "share_alone"])
    >>> table = table.assign(share_shared=table["share_alone"], n_noise=0)
    >>> ax = heatmap(table, "jmi")
    >>> ax.get_title(loc="left"), [label.get_text() for label in ax.get_xticklabels()]
    ('jmi', ['0', '1', '2'])
    """
    checked(evaluation, _COLUMNS, "evaluation")
    one_of("share", share, SHARES)
    one_of("method", method, list(dict.fromkeys(evaluation["method"])))
    norm = _norm(evaluation, vmin, vmax)
    ax = paper(ax)
    mesh = _draw(ax, _grid(evaluation, method, share), norm, levels)
    ax.set_title(method, loc="left")
    ax.legend(
        handles=_key(share),
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        ncols=2,
        frameon=False,
        fontsize=SMALL,
        borderaxespad=0.2,
    )
    ax.get_figure().colorbar(mesh, ax=ax, label="accuracy")  # type: ignore[union-attr]
    return ax


def heatmaps(
    evaluation: pd.DataFrame,
    *,
    methods: Iterable[str] | None = None,
    share: str = "share_alone",
    levels: Sequence[float] = LEVELS,
    vmin: float | None = None,
    vmax: float | None = None,
    columns: int | None = None,
) -> NDArray[Any]:
    """A :func:`heatmap` for each method, side by side on one colour scale.

    Parameters
    ----------
    evaluation : DataFrame
        As for :func:`heatmap`.
    methods : iterable of str, optional
        Which ones, in this order; by default all.
    share, levels
        As for :func:`heatmap`.
    vmin, vmax : float, optional
        Ends of the colour scale; by default those of the methods drawn.
    columns : int, optional
        Pictures in a row; by default 2 up to four methods and 3 beyond.

    Returns
    -------
    array of Axes
        One for each method, in their order.

    Examples
    --------
    >>> import pandas as pd
    >>> cells = [(m, p, k, 1 - p / 4 / k) for m in ("jmi", "mrmr") for p in (0, 1) for k in (1, 2)]
    >>> table = pd.DataFrame(cells, columns=["method", "penalty", "k", "accuracy"])
    >>> axes = heatmaps(table.assign(share_alone=0.1, share_shared=0.1, n_noise=0))
    >>> [ax.get_title(loc="left") for ax in axes]
    ['(a) jmi', '(b) mrmr']
    """
    checked(evaluation, _COLUMNS, "evaluation")
    one_of("share", share, SHARES)
    known = list(dict.fromkeys(evaluation["method"]))
    shown = [one_of("method", name, known) for name in (known if methods is None else methods)]
    if not shown:
        raise UsageError(f"no methods to draw; expected some of {', '.join(known)}")
    norm = _norm(evaluation[evaluation["method"].isin(shown)], vmin, vmax)
    across = min(len(shown), columns or (2 if len(shown) <= 4 else 3))
    down = -(-len(shown) // across)
    figure = Figure(figsize=(1.25 * WIDTH, 0.6 + 2.7 * down), dpi=DPI, layout="constrained")
    every = figure.subplots(down, across, squeeze=False, sharex=False, sharey=False)
    for ax, letter, method in zip(every.flat, "abcdefghijklmnopqrstuvwxyz", shown, strict=False):
        mesh = _draw(ax, _grid(evaluation, method, share), norm, levels)
        ax.set_title(f"({letter}) {method}", loc="left", fontsize=10)
    for blank in every.flat[len(shown) :]:
        blank.remove()
    axes = every.ravel()[: len(shown)]
    figure.colorbar(mesh, ax=list(axes), label="accuracy", aspect=30)
    figure.legend(
        handles=_key(share), loc="outside upper right", ncols=2, frameon=False, fontsize=SMALL + 1
    )
    return axes


def _grid(evaluation: pd.DataFrame, method: str, share: str) -> _Grid:
    rows = evaluation[evaluation["method"] == method]
    twice = rows.duplicated(["penalty", "k"])
    if twice.any():
        first = rows[twice].iloc[0]
        raise UsageError(
            f"the evaluation of {method!r} has two rows for penalty {first['penalty']:g} and "
            f"k = {first['k']}; expected one"
        )
    wide = rows.pivot(index="k", columns="penalty", values=["accuracy", share, "n_noise"])
    figures = [wide[name].to_numpy(dtype=np.float64) for name in ("accuracy", share, "n_noise")]
    penalties = sorted(float(penalty) for penalty in rows["penalty"].unique())
    return _Grid(penalties, sorted(int(k) for k in rows["k"].unique()), *figures)


def _norm(rows: pd.DataFrame, vmin: float | None, vmax: float | None) -> Normalize:
    low = float(rows["accuracy"].min()) if vmin is None else vmin
    high = float(rows["accuracy"].max()) if vmax is None else vmax
    # Where all are alike, most often all perfect, they are drawn as the best, not as the worst.
    return Normalize(low if low < high else high - 0.01, high)


def _draw(ax: Axes, grid: _Grid, norm: Normalize, levels: Sequence[float]) -> QuadMesh:
    x, y = np.arange(len(grid.penalties)), np.array(grid.ks, dtype=np.float64)
    mesh = ax.pcolormesh(
        _edges(x), _edges(y), grid.accuracy, norm=norm, cmap="cividis", edgecolors="face",
        linewidth=0.2,
    )  # fmt: skip
    ax.set_facecolor("0.8")
    ax.set_ylim(*_edges(y)[[0, -1]])
    penalty_axis(ax, grid.penalties)
    step = -(-len(y) // 8)
    ax.set_yticks(y[::step], [f"{k:.0f}" for k in y[::step]], fontsize=SMALL + 1)
    ax.set_ylabel("features k")
    _contours(ax, x, y, grid.share, levels)
    rows, columns = np.nonzero(np.nan_to_num(grid.noise) > 0)
    if len(rows):
        ax.scatter(
            x[columns], y[rows], s=7, marker="o", facecolor="white", edgecolor="black",
            linewidth=0.7, zorder=3, gid="noise",
        )  # fmt: skip
    return mesh


def _contours(
    ax: Axes,
    x: NDArray[Any],
    y: NDArray[Any],
    share: NDArray[np.float64],
    levels: Sequence[float],
) -> None:
    """Lines of equal share, each labelled once; they run to the outer borders of the cells."""
    positive = share[share > 0]
    low, high = positive.min(initial=np.inf), positive.max(initial=-np.inf)
    within = [level for level in sorted(levels) if low < level < high]
    if not within:
        return
    # Shares span orders of magnitude, so a line between two cells is placed by their logarithms.
    heights = np.pad(np.log10(np.maximum(share, low)), 1, mode="edge")
    lines = ax.contour(
        np.concatenate([[x[0] - 0.5], x, [x[-1] + 0.5]]),
        np.concatenate([_edges(y)[:1], y, _edges(y)[-1:]]),
        np.ma.masked_invalid(heights), levels=np.log10(within), colors="black", linewidths=1.0,
        linestyles="solid",
    )  # fmt: skip
    lines.set(path_effects=halo(2.4), gid="share")
    places = Places(x[0] - 0.4, x[-1] + 0.4)
    width, height = inches(ax)
    longest = [max(pieces, key=_length, default=None) for pieces in lines.allsegs]
    # Short lines first: they have the least choice.
    for level, line in sorted(zip(within, longest, strict=True), key=lambda pair: _length(pair[1])):
        if line is None:  # all of it between cells without a row
            continue
        spots = [_along(line, part) for part in (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9)]
        ax.text(
            *places.first_free(spots, 0.25 * len(x) / width, 0.18 * np.ptp(_edges(y)) / height),
            f"{100 * level:g} %", fontsize=SMALL, ha="center", va="center", zorder=4,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.9, "pad": 0.8},
        )  # fmt: skip


def _length(piece: NDArray[np.float64] | None) -> float:
    return 0.0 if piece is None else float(np.hypot(*np.diff(piece, axis=0).T).sum())


def _along(piece: NDArray[np.float64], part: float) -> tuple[float, float]:
    """The point where this part of a line is behind."""
    along = np.concatenate([[0.0], np.hypot(*np.diff(piece, axis=0).T).cumsum()])
    x, y = (np.interp(part * along[-1], along, values) for values in piece.T)
    return float(x), float(y)


def _key(share: str) -> list[Line2D]:
    reading = "each feature alone" if share == "share_alone" else "steps shared"
    line = Line2D([], [], color="black", linewidth=1.0, path_effects=halo(2.4))
    line.set_label(f"share of the full cost ({reading})")
    ring = Line2D([], [], linestyle="", marker="o", markersize=3.5, color="white")
    ring.set(markeredgecolor="black", markeredgewidth=0.8, label="noise among the features")
    return [line, ring]


def _edges(centres: NDArray[Any]) -> NDArray[np.float64]:
    """Borders halfway between centres."""
    if len(centres) == 1:
        return np.array([centres[0] - 0.5, centres[0] + 0.5])
    middle = (centres[1:] + centres[:-1]) / 2
    return np.concatenate([[2 * centres[0] - middle[0]], middle, [2 * centres[-1] - middle[-1]]])
