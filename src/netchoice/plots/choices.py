"""Pictures of an answer: how probable each model is, where the network stands, can it be trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D

from netchoice.errors import UsageError
from netchoice.plots.canvas import (
    COLOURS,
    GREY,
    SMALL,
    WIDTH,
    checked,
    halo,
    paper,
    signs,
)

Range = tuple[float, float]


def probabilities(
    models: Mapping[str, float],
    intervals: Mapping[str, Range] | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Probability of each model as a bar, the most probable first, with its uncertainty.

    Parameters
    ----------
    models : mapping
        Probability by model.
    intervals : mapping, optional
        Lowest and highest by model; drawn as a line over the bar.
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> ax = probabilities({"dmc": 0.04, "dmr": 0.96}, {"dmc": (0.01, 0.1), "dmr": (0.9, 0.99)})
    >>> [label.get_text() for label in ax.get_yticklabels()], [t.get_text() for t in ax.texts]
    (['dmr', 'dmc'], ['0.960', '0.040'])
    """
    if not models:
        raise UsageError("no models to draw; expected a probability for at least one")
    names = sorted(models, key=lambda name: -models[name])
    ax = paper(ax, WIDTH, 1.0 + 0.38 * len(names))
    rows = np.arange(len(names))
    heights = [models[name] for name in names]
    ax.barh(rows, heights, height=0.62, color=COLOURS[0], alpha=0.75, gid="probability")
    for row, name in enumerate(names):
        low, high = (intervals or {}).get(name, (models[name], models[name]))
        if high > low:
            ax.plot(
                [low, high], [row, row], color="black", linewidth=1.4, marker="|", markersize=7,
                path_effects=halo(3), gid="interval",
            )  # fmt: skip
        ax.annotate(
            f"{models[name]:.3f}", (1.0, row), xycoords=("axes fraction", "data"), xytext=(6, 0),
            textcoords="offset points", va="center", fontsize=SMALL + 1,
        )  # fmt: skip
    ax.set_yticks(rows, names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.set_xlim(0, 1)
    ax.set_xlabel("probability of the model")
    ax.grid(axis="x", alpha=0.3)
    ax.set_axisbelow(True)
    return ax


def cloud(embedding: Any, *, ax: Axes | None = None) -> Axes:
    """Simulated networks as points in the plane, by model, and the observed one as a star.

    Each model's name stands at the middle of its points, which differ in colour, in shade and in
    shape.

    Parameters
    ----------
    embedding : Embedding, or DataFrame
        What ``netchoice.embed`` gives, or its points: ``x``, ``y``, ``label``, ``observed``.
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import pandas as pd
    >>> ax = cloud(pd.DataFrame({
    ...     "x": [0, 1, 5, 6, 3], "y": [0, 1, 1, 0, 4], "observed": [False] * 4 + [True],
    ...     "label": ["dmc", "dmc", "dmr", "dmr", "observed"],
    ... }))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['dmc', 'dmr', 'observed network']
    """
    points = checked(
        getattr(embedding, "points", embedding), ("x", "y", "label", "observed"), "embedding"
    )
    flags = points["observed"].to_numpy(dtype=bool)
    simulated, observed = points[~flags], points[flags]
    models = sorted(simulated["label"].unique())
    ax = paper(ax, WIDTH, 0.75 * WIDTH)
    # Drawn in one go in a mixed order, so that no model hides another that lies with it.
    size = float(np.clip(9000 / max(len(simulated), 1), 5, 40))
    shuffled = simulated.sample(frac=1, random_state=0)
    for start in range(0, len(shuffled), max(1, len(shuffled) // 8)):
        _scatter(ax, shuffled.iloc[start : start + max(1, len(shuffled) // 8)], models, size)
    for name, own in simulated.groupby("label"):
        ax.text(
            own["x"].median(), own["y"].median(), str(name), ha="center", va="center", zorder=4,
            fontweight="bold", path_effects=halo(3),
        )  # fmt: skip
    handles = [
        Line2D([], [], linestyle="", marker=sign.marker, color=colour, label=name, markersize=6)
        for (name, sign), colour in zip(signs(models).items(), shades(models), strict=True)
    ]
    if len(observed):
        star: dict[str, Any] = {
            "marker": "*",
            "color": "white",
            "markeredgecolor": "black",
            "markersize": 17,
        }
        ax.plot(
            observed["x"], observed["y"], linestyle="", zorder=5, markeredgewidth=1.6,
            gid="observed", **star,
        )  # fmt: skip
        handles.append(Line2D([], [], linestyle="", label="observed network", **star))
        handles[-1].set_markersize(11)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set(xticks=[], yticks=[])
    ax.legend(
        handles=handles, loc="lower left", bbox_to_anchor=(0, 1), ncols=4, frameon=False,
        fontsize=SMALL + 1, borderaxespad=0.2,
    )  # fmt: skip
    if hasattr(embedding, "distance_correlation"):
        ax.set_xlabel(
            f"distances in the plane: correlation {embedding.pearson:.2f} with those of "
            f"{len(embedding.features)} features; distance correlation "
            f"{embedding.distance_correlation:.2f}",
            fontsize=SMALL + 1, color=GREY,
        )  # fmt: skip
    return ax


def shades(models: Sequence[str]) -> list[tuple[float, float, float]]:
    """Colours of the models; every second one dark and the others light, to differ in grey too."""
    found = []
    for i, sign in enumerate(signs(models).values()):
        red, green, blue = (
            0.45 * part if i % 2 else 0.75 * part + 0.25 for part in to_rgb(sign.colour)
        )
        found.append((red, green, blue))
    return found


def _scatter(ax: Axes, points: pd.DataFrame, models: Sequence[str], size: float) -> None:
    for (name, sign), colour in zip(signs(models).items(), shades(models), strict=True):
        own = points[points["label"] == name]
        ax.scatter(
            own["x"], own["y"], s=size, marker=sign.marker, color=colour, alpha=0.6, linewidth=0,
            gid=f"model {name}",
        )  # fmt: skip


def confusion(matrix: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Which model held-out simulations were made by (rows) and which was told (columns).

    Shades are shares of a row; the numbers are counts.

    Parameters
    ----------
    matrix : DataFrame
        Counts, with the true models as index and those told as columns.
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import pandas as pd
    >>> names = ["dmc", "dmr"]
    >>> ax = confusion(pd.DataFrame([[97, 3], [5, 95]], index=names, columns=names))
    >>> [text.get_text() for text in ax.texts]
    ['97', '3', '5', '95']
    """
    counts = matrix.to_numpy(dtype=np.float64)
    if not counts.size:
        raise UsageError(f"a matrix of shape {counts.shape}; expected at least one model")
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
    side = 1.7 + 0.62 * len(matrix)
    ax = paper(ax, side + 0.6, side)
    mesh = ax.imshow(shares, vmin=0, vmax=1, cmap="Blues")
    for (row, column), share in np.ndenumerate(shares):
        ax.text(
            column, row, f"{counts[row, column]:.0f}", ha="center", va="center", fontsize=SMALL + 1,
            color="white" if share > 0.6 else "black",
        )  # fmt: skip
    ax.set_xticks(
        range(matrix.shape[1]), [str(name) for name in matrix.columns], fontsize=SMALL + 1
    )
    ax.set_yticks(range(len(matrix)), [str(name) for name in matrix.index], fontsize=SMALL + 1)
    if matrix.shape[1] > 4:
        ax.tick_params(axis="x", rotation=45)
    ax.set(xlabel="predicted", ylabel="true")
    ax.get_figure().colorbar(mesh, ax=ax, label="share of the true model")  # type: ignore[union-attr]
    return ax


def reliability(table: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """How often what is told with some probability is so.

    On the diagonal, probabilities mean what they say. The area of a dot tells the number of
    statements; the line through it, where their share may be by chance (two standard errors).

    Parameters
    ----------
    table : DataFrame
        ``told`` (mean probability), ``true`` (share that was so) and ``n``, a row a bin.
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> import pandas as pd
    >>> ax = reliability(pd.DataFrame({"predicted": [0.1, 0.9], "observed": [0.12, 0.88], "n": [50, 70]}))
    >>> ax.get_xlabel()
    'probability told'
    """
    checked(table, ("predicted", "observed", "n"), "table of reliability")
    rows = table[table["n"] > 0]
    told, true, n = (
        rows[name].to_numpy(dtype=np.float64) for name in ("predicted", "observed", "n")
    )
    ax = paper(ax, 0.62 * WIDTH, 0.62 * WIDTH)
    ax.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1, label="as told")
    # Of what was told, not of what was found, which says nothing where none or all were so.
    error = 2 * np.sqrt(told * (1 - told) / np.maximum(n, 1))
    low, high = (true - error).clip(0, 1), (true + error).clip(0, 1)
    ax.vlines(told, low, high, color=COLOURS[0], linewidth=1.2, gid="error")
    ax.plot(told, true, color=COLOURS[0], linewidth=0.8, alpha=0.6)
    area = 15 + 120 * n / n.max() if len(n) else n
    ax.scatter(told, true, s=area, color=COLOURS[0], zorder=3, gid="reliability")
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), xlabel="probability told", ylabel="share so")
    ax.set_aspect("equal")
    ax.grid(alpha=0.3)
    ax.legend(loc="upper left", frameon=False, fontsize=SMALL + 1)
    return ax
