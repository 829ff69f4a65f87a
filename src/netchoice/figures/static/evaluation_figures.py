"""Figures of an evaluation: accuracy against cost, rankings, and the costs of features."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.ticker import PercentFormatter
from numpy.typing import NDArray

from netchoice.costs import CostModel
from netchoice.errors import UsageError
from netchoice.evaluation import measure_of, pareto_front
from netchoice.figures.data.checks import check_columns, check_names
from netchoice.figures.data.cost_text import cost_text, cost_title, list_costs
from netchoice.figures.data.feature_sets import ranking_positions
from netchoice.figures.static import axes
from netchoice.figures.static.axes import GREY, SMALL, WIDTH, TextPlacer, halo, new_axes
from netchoice.figures.static.heatmaps import heatmaps
from netchoice.figures.style import BLUE, HIGHLIGHT, VERMILLION, method_styles, series_styles
from netchoice.validation import check_integer

if TYPE_CHECKING:
    from netchoice.workflows import FeatureEvaluation

COSTS = ("cost_shared", "cost_alone")


def pareto(
    evaluation: pd.DataFrame, *, cost: str = "cost_shared", point: Mapping[str, Any] | None = None,
    unit: str = "s", ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw accuracy against cost over all methods, penalties and numbers of features.

    Each faint marker is a set of features. The line is the Pareto front, the best accuracy for each
    cost, with standard errors.

    Parameters
    ----------
    evaluation : DataFrame
        One row for each method, penalty and k: method, cost_alone, cost_shared, accuracy and
        accuracy_se.
    cost : "cost_shared" or "cost_alone"
        Cost of a set: shared steps paid once, or for each feature that uses them.
    point : mapping or Series, optional
        The chosen set, with ``accuracy`` and its cost, under the name of the cost column or as
        ``cost``. It is marked in the figure.
    unit : str, unit of the costs; seconds are shown as µs, ms or s
    ax : Axes, optional

    Examples
    --------
    >>> table = pd.DataFrame({
    ...     "method": ["jmi", "jmi", "mrmr"], "cost_alone": [0.001, 0.1, 0.02],
    ...     "cost_shared": [0.001, 0.1, 0.02], "accuracy": [0.7, 0.99, 0.6], "accuracy_se": 0.01})
    >>> ax = pareto(table, point={"cost": 0.1, "accuracy": 0.99})
    >>> [text.get_text() for text in ax.texts]
    ['chosen: 99.0 % for 100 ms']
    """
    check_columns(evaluation, ("method", *COSTS, "accuracy", "accuracy_se"), "evaluation")
    check_names("cost", [cost], COSTS)
    ax = new_axes(ax)
    for method, style in method_styles(dict.fromkeys(evaluation["method"])).items():
        rows = evaluation[evaluation["method"] == method]
        sets = rows[[cost, "accuracy"]].drop_duplicates()  # many sets occur at several penalties
        ax.scatter(
            sets[cost], sets["accuracy"], s=22, marker=style.marker, facecolor="none",
            edgecolor=style.colour, linewidth=0.9, alpha=0.55, label=str(method), gid=str(method),
        )  # fmt: skip
    front = pareto_front(evaluation, cost=cost)
    ax.step(
        front[cost], front["accuracy"], where="post", color="black", linewidth=1.6,
        path_effects=halo(3), zorder=4, label="Pareto front", gid="front",
    )  # fmt: skip
    with_error = front[front["accuracy_se"] > 0]
    ax.errorbar(
        with_error[cost], with_error["accuracy"], yerr=with_error["accuracy_se"], fmt="none",
        ecolor="black", elinewidth=0.9, capsize=2, zorder=4,
    )  # fmt: skip
    title = cost_title(unit, cost.removeprefix("cost_"))
    axes.cost_axis(ax.xaxis, list(evaluation[cost]), unit, title)
    ax.margins(y=0.08)
    measure = measure_of(evaluation)
    _mark(ax, point, cost, unit, measure)
    if measure == "accuracy":
        ax.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
    ax.set_ylabel(measure)
    ax.grid(alpha=0.25)
    for handle in filter(None, ax.legend(**axes.BESIDE).legend_handles):
        handle.set_alpha(1.0)
    return ax


def _mark(ax: Axes, point: Mapping[str, Any] | None, cost: str, unit: str, measure: str) -> None:
    """Mark the chosen set."""
    if point is None:
        return
    x, accuracy = point.get(cost, point.get("cost")), point.get("accuracy")
    if x is None or accuracy is None:
        raise UsageError(
            f"the chosen point has {', '.join(map(str, point.keys())) or 'nothing'}; expected "
            f"'accuracy' and {cost!r} or 'cost'"
        )
    text = f"{100 * accuracy:.1f} %" if measure == "accuracy" else f"R² {accuracy:.3f}"
    ax.scatter(
        [x], [accuracy], s=190, marker="*", facecolor=HIGHLIGHT, edgecolor="black",
        linewidth=1.2, zorder=5, gid="chosen",
    )  # fmt: skip
    on_the_left = ax.transLimits.transform(ax.transScale.transform((x, accuracy)))[0] < 0.4
    ax.annotate(
        f"chosen: {text} for {cost_text(x, unit)}",
        (x, accuracy), xytext=(-3, 9), textcoords="offset points",
        ha="left" if on_the_left else "right", va="bottom", fontsize=SMALL + 1, zorder=6,
        path_effects=halo(2),
    )  # fmt: skip


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
    top : int
        Features that never reach this position are left out.
    ax : Axes, optional

    Examples
    --------
    >>> orders = {0: ["triangles", "degree", "noise"], 1: ["degree", "triangles", "noise"]}
    >>> path = pd.DataFrame(
    ...     [("jmi", p, i + 1, name) for p in orders for i, name in enumerate(orders[p])],
    ...     columns=["method", "penalty", "position", "feature"])
    >>> [text.get_text() for text in ranking_paths(path, "jmi", top=2).texts]
    ['triangles', 'degree']
    """
    check_columns(path, ("method", "penalty", "position", "feature"), "ranking path")
    check_names("method", [method], list(dict.fromkeys(path["method"])))
    check_integer("top", top)
    positions = ranking_positions(path, method)
    positions = positions[(positions <= top).any(axis=1)]
    last = int(positions.max().max())
    positions = positions.fillna(last + 1)  # rankings may have the first positions only
    rows = min(top, last)
    ax = new_axes(ax, WIDTH, 1.2 + 0.3 * rows)
    # In the order of the lines, so that the styles of neighbouring lines differ.
    order = positions.assign(best=positions.min(axis=1))
    order = order.sort_values(["best", *positions.columns], kind="stable").drop(columns="best")
    axes.penalty_axis(ax, list(order.columns))
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
    ax.set_yticks(range(1, rows + 1), map(str, range(1, rows + 1)))
    ax.set_ylabel("position", rotation=0, ha="right", va="bottom")
    ax.yaxis.set_label_coords(-0.01, 1.01)  # above the ticks, because names are at their left
    ax.set_title(method, loc="left")
    return ax


def _name(
    ax: Axes, feature: str, line: NDArray[np.float64], rows: int, colour: str, placer: TextPlacer
) -> None:
    if line[-1] <= rows:
        at, shift, side = (1.0, line[-1]), (4, 0), "left"
    elif line[0] <= rows:
        at, shift, side = (0.0, line[0]), (-24, 0), "right"
    else:
        at, shift, side = _best_spot(ax, feature, line, rows, placer), (0, 7), "center"
    red, green, blue = (0.6 * part for part in to_rgb(colour))  # darker, for contrast
    ax.annotate(
        feature, at, xytext=shift, textcoords="offset points", ha=side, va="center", fontsize=SMALL,
        xycoords="data" if side == "center" else ("axes fraction", "data"), zorder=4,
        color=(red, green, blue), path_effects=halo(2.5), annotation_clip=False,
    )  # fmt: skip


def _best_spot(
    ax: Axes, feature: str, line: NDArray[np.float64], rows: int, placer: TextPlacer
) -> tuple[float, float]:
    """Return the best position of a line where its name fits."""
    width = 0.8 * axes.size_in_inches(ax)[0]  # the names at the sides take the rest
    half = 0.034 * len(feature) * len(line) / width
    visible = sorted((position, x) for x, position in enumerate(line) if position <= rows)
    spots = [(x + shift, y) for y, x in visible for shift in (0.0, -half, half)]
    return placer.first_free(spots, half, 0.5)


def feature_costs(
    costs: CostModel, features: Iterable[str] | None = None, *, top: int | None = None,
    unit: str = "s", ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw the cost of each feature on a logarithmic axis, the most expensive first.

    A full point is the cost of the feature alone. A ring is what the feature costs once its shared
    steps are paid; the distance between the two is what other features can share. The text at the
    right names the most expensive shared step if it costs more than the feature's own part, and the
    number of features in the figure that use it.

    Parameters
    ----------
    costs : CostModel
    features : iterable of str, by default all
    top : int, number of most expensive features to draw, by default all
    unit : str, unit of the costs; seconds are shown as µs, ms or s
    ax : Axes, optional

    Examples
    --------
    >>> lab = CostModel(
    ...     own={"glucose": 2.0, "sodium": 3.0, "x-ray": 40.0},
    ...     uses={"glucose": ["blood sample"], "sodium": ["blood sample"]},
    ...     steps={"blood sample": 10.0})
    >>> [text.get_text() for text in feature_costs(lab, unit="euro").texts]
    ['blood sample 10 euro, shared by 2', 'blood sample 10 euro, shared by 2']
    """
    rows = list_costs(costs, features)
    if top is not None:
        rows = list_costs(costs, [row.feature for row in rows[: check_integer("top", top)]])
    ax = new_axes(ax, WIDTH, 1.1 + 0.19 * len(rows))
    sharing = [(y, row) for y, row in enumerate(rows) if row.steps]
    heights, own = [y for y, _ in sharing], [row.own for _, row in sharing]
    ax.hlines(heights, own, [row.alone for _, row in sharing], color=GREY, linewidth=1)
    ax.scatter(
        own, heights, s=26, marker="o", facecolor="white", edgecolor=VERMILLION, linewidth=1.3,
        zorder=3, label="shared steps already paid", gid="own",
    )  # fmt: skip
    alone = [row.alone for row in rows]
    ax.scatter(alone, range(len(rows)), s=26, color=BLUE, zorder=3, label="cost alone", gid="alone")
    for y, row in sharing:
        step = row.steps[0]
        if step.cost > row.own:
            text = f"{step.name} {cost_text(step.cost, unit)}{step.users}"
            axes.text_at_right(ax, y, text, 5, fontsize=SMALL, color=GREY)
    axes.cost_axis(ax.xaxis, [*alone, *(row.own for row in rows)], unit, cost_title(unit))
    ax.grid(axis="x", alpha=0.3)
    ax.set_yticks(range(len(rows)), [row.feature for row in rows], fontsize=SMALL)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.legend(ncols=2, reverse=True, **axes.ABOVE)
    return ax


def evaluation_drawings(result: FeatureEvaluation) -> dict[str, Callable[[], Any]]:
    """Return, by name, the functions that draw the figures of an evaluation.

    Examples
    --------
    >>> import netchoice
    >>> table = netchoice.simulate_table("ba", n_nodes=30, n_samples=80, seed=1, engine="serial",
    ...                                  features=["degree_mean", "transitivity", "noise_normal"])
    >>> result = netchoice.evaluate_features(table, methods=["jmi"], max_features=2, folds=4)
    >>> list(evaluation_drawings(result))
    ['heatmaps', 'costs', 'pareto', 'ranking-jmi']
    """
    point, evaluation, rankings = result.recommended, result.evaluation, result.rankings
    cost, unit = f"cost_{point.charge}", "s" if result.in_seconds else ""
    drawings: dict[str, Callable[[], Any]] = {
        "heatmaps": partial(heatmaps, evaluation),
        "costs": partial(feature_costs, result.costs, unit=unit),
    }
    if evaluation[cost].gt(0).any():
        chosen = {cost: point.cost, "accuracy": point.accuracy}
        drawings["pareto"] = partial(pareto, evaluation, cost=cost, point=chosen, unit=unit)
    if rankings["penalty"].nunique() > 1:
        for method in dict.fromkeys(rankings["method"]):
            drawings[f"ranking-{method}".replace(":", "-")] = partial(
                ranking_paths, rankings, method
            )
    return drawings


def draw_evaluation(
    result: FeatureEvaluation, folder: str | PathLike[str], *, format: str = "png"
) -> list[Path]:
    """Draw the figures of an evaluation and return the paths of the files.

    The figures show accuracy over penalty and number of features, the costs, accuracy against cost,
    and the ranking of each method along the penalties.

    Parameters
    ----------
    result : FeatureEvaluation, as :func:`netchoice.evaluate_features` returned it
    folder : path, created if it does not exist
    format : "png", "svg" or "pdf"

    Examples
    --------
    >>> import netchoice, tempfile
    >>> table = netchoice.simulate_table("ba", n_nodes=30, n_samples=80, seed=1, engine="serial",
    ...                                  features=["degree_mean", "transitivity", "noise_normal"])
    >>> result = netchoice.evaluate_features(table, methods=["jmi"], max_features=2, folds=4)
    >>> sorted(path.stem for path in draw_evaluation(result, tempfile.mkdtemp()))
    ['costs', 'heatmaps', 'pareto', 'ranking-jmi']
    """
    return axes.save_all(evaluation_drawings(result), folder, format)
