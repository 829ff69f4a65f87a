"""Figures of predictions: probabilities of models, and their reliability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from netchoice.figures.axes import (
    GREY,
    SMALL,
    WIDTH,
    check_columns,
    check_names,
    halo,
    legend_above,
    new_axes,
    short,
    text_at_right,
)
from netchoice.figures.style import BLUE, SeriesStyle, model_styles
from netchoice.inference.verdict import rounded


def probabilities(
    models: Mapping[str, float], intervals: Mapping[str, Sequence[float]] | None = None,
    *, styles: Mapping[str, SeriesStyle] | None = None, ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw the probability of each model as a bar, the most probable first.

    Parameters
    ----------
    models : mapping from model to probability
    intervals : mapping from model to lower and upper end, optional
        Drawn as a line across the end of the bar.
    styles : mapping from model to style, by default :func:`model_styles` of these models
    ax : Axes, optional

    Examples
    --------
    >>> ax = probabilities({"dmc": 0.04, "dmr": 0.96}, {"dmc": (0.01, 0.1), "dmr": (0.9, 0.99)})
    >>> [label.get_text() for label in ax.get_yticklabels()], [t.get_text() for t in ax.texts]
    (['dmr', 'dmc'], ['0.96', '0.04'])
    """
    check_names("model", None, models)
    names = sorted(models, key=lambda name: -models[name])
    styles = styles or model_styles(names)
    ax = new_axes(ax, WIDTH, 1.0 + 0.38 * len(names))
    lengths, colours = [models[name] for name in names], [styles[name].colour for name in names]
    ax.barh(range(len(names)), lengths, height=0.62, color=colours, alpha=0.75)
    for y, name in enumerate(names):
        low, high = (intervals or {}).get(name, (models[name],) * 2)
        if high > low:
            ax.plot(
                [low, high], [y, y], color="black", linewidth=1.4, marker="|", markersize=7,
                path_effects=halo(3), gid="interval",
            )  # fmt: skip
        text_at_right(ax, y, rounded(models[name]), 6, fontsize=SMALL + 1)
    ax.set_yticks(range(len(names)), map(short, names))
    ax.set(ylim=(len(names) - 0.4, -0.6), xlim=(0, 1), xlabel="probability of the model")
    ax.grid(axis="x", alpha=0.3)
    ax.set_axisbelow(True)
    return ax


def reliability(table: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Draw a reliability diagram: observed frequency against predicted probability.

    On the diagonal, predictions with probability 0.8 are correct in 80 % of cases. The area of a
    point grows with the number of predictions. The line through a point spans two standard errors
    on either side.

    Parameters
    ----------
    table : DataFrame
        One row for each bin: ``predicted`` (mean predicted probability), ``observed`` (observed
        frequency) and ``n`` (number of predictions).
    ax : Axes, optional

    Examples
    --------
    >>> table = pd.DataFrame({"predicted": [0.1, 0.9], "observed": [0.12, 0.88], "n": [50, 70]})
    >>> reliability(table).get_ylabel()
    'observed frequency'
    """
    check_columns(table, ("predicted", "observed", "n"), "reliability table")
    rows = table[table["n"] > 0]
    predicted, observed, n = rows[["predicted", "observed", "n"]].to_numpy(dtype=np.float64).T
    # The error of the prediction: that of the observed frequency is 0 where it is 0 or 1.
    error = 2 * np.sqrt(predicted * (1 - predicted) / n)
    low, high = (observed - error).clip(0, 1), (observed + error).clip(0, 1)
    ax = new_axes(ax, 0.62 * WIDTH, 0.62 * WIDTH)
    ax.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1, label="perfectly calibrated")
    ax.vlines(predicted, low, high, color=BLUE, linewidth=1.2, gid="error")
    area = 15 + 120 * n / n.max(initial=1)
    ax.scatter(
        predicted, observed, s=area, color=BLUE, zorder=3, gid="reliability",
        label="held-out simulations",
    )  # fmt: skip
    ax.set(xlim=(-0.04, 1.04), ylim=(-0.04, 1.04), aspect="equal")
    ax.set(xlabel="predicted probability", ylabel="observed frequency")
    ax.grid(alpha=0.3)
    for handle in legend_above(ax).legend_handles[1:]:
        handle.set(sizes=[36])
    return ax
