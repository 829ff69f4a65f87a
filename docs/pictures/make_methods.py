"""Draw the pictures of the page on the nine methods, computed by the methods themselves.

python docs/pictures/make_methods.py

The data are an invented table with five columns: `signal` predicts the class with an error; `copy` is
nearly the same column; `helper` is uninformative alone, but it measures the error in `signal`; `weak`
has a little information of its own; `noise` has none.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from netchoice.forests import grow_forest
from netchoice.selection import (
    JMI,
    JMIM,
    MRMR,
    CostAwareSelector,
    ForestReliefF,
    PenalizedForest,
    ReliefF,
    WeightedForest,
)

#: Pictures of one row show a row near this value of `signal`, between the classes.
MIDDLE = 0.8
HERE = Path(__file__).parent
BLUE, ORANGE, GREEN, PURPLE, GREY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "0.55"
COSTS = {"signal": 5.0, "copy": 1.0, "helper": 2.0, "weak": 1.0, "noise": 0.5}
NAMES = list(COSTS)
ROWS = 600
LABELS = {
    "relevance": "relevance, I(k;y)",
    "partner": "relevance of the partner, I(j;y)",
    "interaction": "redundancy within classes, I(j;k|y)",
    "redundancy": "redundancy, I(j;k), subtracted",
}
COLOURS = {"relevance": BLUE, "partner": GREEN, "interaction": PURPLE, "redundancy": ORANGE}
HATCHES = {"relevance": "", "partner": "..", "interaction": "\\\\", "redundancy": "//"}


def tiny_table() -> tuple[pd.DataFrame, pd.Series]:
    """Return a table with five columns and two classes."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, ROWS)
    error = rng.normal(size=ROWS)
    signal = 1.6 * y + error
    X = pd.DataFrame(
        {
            "signal": signal,
            "copy": signal + 0.5 * rng.normal(size=ROWS),
            "helper": error + 0.3 * rng.normal(size=ROWS),
            "weak": 0.8 * y + rng.normal(size=ROWS),
            "noise": rng.normal(size=ROWS),
        }
    )
    return X, pd.Series(np.where(y, "b", "a"))


def panels(n: int, height: float = 2.7) -> tuple[Figure, Any]:
    """Return a figure with n axes side by side."""
    figure = Figure(figsize=(7.6, height), dpi=130, layout="constrained")
    axes: Any = figure.subplots(1, n, squeeze=False)[0]
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
    return figure, axes


def bars(ax: Axes, values: Any, title: str, colour: str = BLUE, names: list[str] = NAMES) -> None:
    """Draw one bar for each column, the first at the top; the longest has an outline."""
    values = np.asarray(values)
    edges = ["black" if value == values.max() else "none" for value in values]
    ax.barh(names, values, color=colour, edgecolor=edges, linewidth=1.8)
    ax.axvline(0, color="black", linewidth=0.8)
    ax.invert_yaxis()
    ax.set_title(title, fontsize=10)


def draw_idea(X: pd.DataFrame, y: pd.Series) -> Figure:
    """Draw information minus λ times cost, for three λ."""
    figure, axes = panels(3, 3.0)
    fitted = JMI(costs=COSTS).fit(X, y)
    for ax, penalty in zip(axes, (0, 0.5, 2), strict=True):
        penalties = penalty * fitted.costs_
        ax.barh(NAMES, fitted.relevance_, color=BLUE, label="information, I(k;y)")
        ax.barh(NAMES, -penalties, color=ORANGE, hatch="//", edgecolor="white",
                label="λ × share of all costs (subtracted)")  # fmt: skip
        mark(ax, fitted.relevance_ - penalties, np.arange(len(NAMES)))
        ax.set_xlim(-1.15, 0.62)
        ax.set_title(f"λ = {penalty}", fontsize=10)
    for ax in axes[1:]:
        ax.set_yticklabels([])
    add_legend(figure, axes[0])
    return figure


def mark(ax: Axes, total: Any, rows: Any) -> None:
    """Mark the score of each candidate, and the selected column."""
    ax.plot(total, rows, "k|", markersize=20, markeredgewidth=2.5, label="sum: the score")
    ax.annotate("selected", (total.max(), rows[total.argmax()]), xytext=(7, 0),
                textcoords="offset points", va="center", weight="bold",
                path_effects=[withStroke(linewidth=3, foreground="white")])  # fmt: skip
    ax.axvline(0, color="black", linewidth=0.8)
    ax.invert_yaxis()


def add_legend(figure: Figure, ax: Axes, columns: int = 3, **options: Any) -> None:
    """Draw the legend of these axes below all panels."""
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=columns,
        fontsize=8.5,
        columnspacing=1.2,
        handlelength=1.5,
        markerscale=0.5,
        frameon=False,
        **options,
    )


def draw_sequential(selector: CostAwareSelector, X: pd.DataFrame, y: pd.Series) -> Figure:
    """Draw every term of the criterion in the first step, and in the second given the first."""
    figure, axes = panels(2, 3.1)
    statistics = selector._compute_statistics(selector._check_data(X, y), [selector])
    first = int(selector._information(statistics, []).information.argmax())
    for ax, selected in zip(axes, ([], [first]), strict=True):
        terms = selector._information(statistics, selected)
        rows = np.delete(np.arange(len(NAMES)), selected)
        left = np.zeros(len(NAMES))
        ax.barh(NAMES, left)  # all names, also of the selected column
        for name in ("relevance", "partner", "interaction"):
            values = getattr(terms, name)
            if values is not None and values.any():
                ax.barh(rows, values[rows], left=left[rows], color=COLOURS[name],
                        hatch=HATCHES[name], edgecolor="white", label=LABELS[name])  # fmt: skip
                left = left + values
        if terms.redundancy is not None and terms.redundancy.any():
            ax.barh(rows, -terms.redundancy[rows], color=COLOURS["redundancy"], hatch="//",
                    edgecolor="white", label=LABELS["redundancy"])  # fmt: skip
        mark(ax, terms.information[rows], rows)
        ax.margins(x=0.2)
        title = f"given {NAMES[selected[0]]}" if selected else "no column selected"
        ax.set_title(title, fontsize=10)
    axes[1].get_yticklabels()[first].set_color(GREY)
    add_legend(figure, axes[1])
    return figure


def plane(ax: Axes, X: pd.DataFrame, y: pd.Series, ours: int, near: list[int], title: str) -> None:
    """Draw rows as points, with lines from one row to its neighbours."""
    for label, marker, colour in (("a", "o", BLUE), ("b", "s", ORANGE)):
        own = X[y == label]
        ax.scatter(own["signal"], own["noise"], s=28, marker=marker, color=colour, alpha=0.7,
                   linewidth=0, label=f"class {label}")  # fmt: skip
    here = X.iloc[ours]
    for other in near:
        there = X.iloc[other]
        hit = y.iloc[other] == y.iloc[ours]
        ax.plot([here["signal"], there["signal"]], [here["noise"], there["noise"]], color="black",
                linewidth=1.5, linestyle="-" if hit else (0, (2, 1)))  # fmt: skip
    ax.plot(here["signal"], here["noise"], "k*", markersize=14)
    ax.set(xlabel="signal", ylabel="noise")
    ax.legend(fontsize=8, frameon=False, loc="upper left")
    ax.set_title(title, fontsize=10)


def nearest(distance: Any, y: pd.Series, ours: int, n: int) -> list[int]:
    """Return the n nearest rows of each class, without the row itself."""
    order = [int(row) for row in np.argsort(distance, kind="stable") if row != ours]
    return [row for label in "ab" for row in [r for r in order if y.iloc[r] == label][:n]]


def draw_relieff(X: pd.DataFrame, y: pd.Series) -> Figure:
    """Draw the nearest hits and misses of one row, and the weights from all rows."""
    figure, axes = panels(2, 3.2)
    few, labels = X[["signal", "noise"]].iloc[:50], y.iloc[:50]
    spans = few.max() - few.min()
    ours = int(((few["signal"] - MIDDLE).abs() + few["noise"].abs()).to_numpy().argmin())
    distance = ((few - few.iloc[ours]) / spans).abs().sum(axis=1).to_numpy()
    plane(axes[0], few, labels, ours, nearest(distance, labels, ours, 3),
          "one row, its nearest hits (—) and misses (--)")  # fmt: skip
    bars(axes[1], ReliefF().fit(X, y).relevance_, "weight: misses minus hits, all rows")
    return figure


def draw_forest_relieff(X: pd.DataFrame, y: pd.Series) -> Figure:
    """Draw the similarity of rows by shared leaves, and the weights."""
    figure, axes = panels(2, 3.2)
    leaves = grow_forest(X.to_numpy(), (y == "b").to_numpy().astype(int), n_trees=500,
                         min_leaf=60, seed=1).leaves  # fmt: skip
    ours = int(((X["signal"] - MIDDLE).abs() + X["noise"].abs()).to_numpy().argmin())
    similarity = (leaves == leaves[ours]).mean(axis=1)
    shown = axes[0].scatter(
        X["signal"], X["noise"], c=similarity, s=16, cmap="viridis_r", vmin=0, vmax=1
    )
    axes[0].plot(X["signal"].iloc[ours], X["noise"].iloc[ours], "*", color="red", markersize=14)
    axes[0].set(xlabel="signal", ylabel="noise")
    axes[0].set_title("fraction of trees with both rows in one leaf", fontsize=10)
    figure.colorbar(shown, ax=axes[0])
    bars(axes[1], ForestReliefF().fit(X, y).relevance_, "weight, neighbours by leaves")
    return figure


def draw_penalized(X: pd.DataFrame, y: pd.Series) -> Figure:
    """Draw the importances of one forest, without and with the penalty."""
    figure, axes = panels(4)
    for ax, importance in zip(axes[::2], ("mdi", "mda"), strict=True):
        fitted = PenalizedForest(importance=importance, costs=COSTS).fit(X, y)
        bars(ax, fitted.relevance_, f"{importance}, from 0 to 1")
        after = axes[list(axes).index(ax) + 1]
        bars(after, fitted.relevance_ - 2 * fitted.costs_, f"{importance} − λC, λ = 2", ORANGE)
    for ax in axes[1:]:
        ax.set_yticklabels([])
    return figure


def draw_weighted(X: pd.DataFrame, y: pd.Series) -> Figure:
    """Draw the probability that a node draws each column, and the importances."""
    figure, axes = panels(3, 3.1)
    penalties = [0, 0.25, 0.5, 1, 1.5, 2, 3, 4]
    costs = np.array(list(COSTS.values()))
    probabilities = np.array([costs**-penalty / (costs**-penalty).sum() for penalty in penalties])
    importances = {
        kind: np.array(
            [
                WeightedForest(importance=kind, costs=COSTS, penalty=penalty, n_trees=200)
                .fit(X, y)
                .relevance_
                for penalty in penalties
            ]
        )
        for kind in ("mdi", "mda")
    }
    styles = zip(
        NAMES, (BLUE, GREEN, PURPLE, ORANGE, GREY), ("-", "--", "-.", ":", "-"), strict=True
    )
    for k, (name, colour, line) in enumerate(styles):
        text = f"{name} ({COSTS[name]:g})"
        for ax, values in zip(
            axes, (probabilities, importances["mdi"], importances["mda"]), strict=True
        ):
            ax.plot(penalties, values[:, k], line, color=colour, linewidth=2, label=text)
    titles = ("probability of a draw at a node", "importance, mdi", "importance, mda")
    for ax, title in zip(axes, titles, strict=True):
        ax.set_title(title, fontsize=10)
        ax.set_xlabel("λ")
    add_legend(figure, axes[0], 5, title="column (cost)", title_fontsize=8)
    return figure


def main() -> None:
    """Draw all pictures of the page."""
    X, y = tiny_table()
    pictures = {
        "idea": draw_idea(X, y),
        "mrmr": draw_sequential(MRMR(), X, y),
        "jmi": draw_sequential(JMI(), X, y),
        "jmim": draw_sequential(JMIM(), X, y),
        "relieff": draw_relieff(X, y),
        "forest-relieff": draw_forest_relieff(X, y),
        "penalized": draw_penalized(X, y),
        "weighted": draw_weighted(X, y),
    }
    for name, figure in pictures.items():
        figure.savefig(HERE / f"method-{name}.png")


if __name__ == "__main__":
    main()
