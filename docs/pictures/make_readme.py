"""Draw the figure at the top of the README, light and dark: a network, its costs, its model.

python docs/pictures/make_readme.py

It shows the results of the first two commands of the README: the network of `netchoice grow` and the
model of `netchoice choose`. Costs are measured, so the middle panel differs between machines.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import FuncFormatter, PercentFormatter

import netchoice
from netchoice.evaluation import pareto_front
from netchoice.figures.style import HIGHLIGHT, VERMILLION, model_styles
from netchoice.units import duration

HERE = Path(__file__).parent
NODES, SEED, TRUTH = 200, 1, {"p_delete": 0.5, "p_new": 0.4}
SAMPLES = 2000
GREY = "#8B949E"
THEMES = {
    "readme": ("#1F2328", "#FFFFFF"),
    "readme-dark": ("#E6EDF3", "#0D1117"),
}  # text, background


def draw_network(ax: Axes, network: netchoice.Graph, text_colour: str) -> None:
    """Draw the largest component of the network; the area of a point grows with its degree."""
    graph = network.to_networkx()
    graph = graph.subgraph(max(nx.connected_components(graph), key=len))
    positions = nx.kamada_kawai_layout(graph)
    for u, v in graph.edges:
        ax.plot(
            *zip(positions[u], positions[v], strict=True),
            color=text_colour,
            alpha=0.35,
            linewidth=0.8,
        )
    xy = np.array([positions[node] for node in graph])
    sizes = [6 + 9 * degree for _, degree in graph.degree]
    ax.scatter(*xy.T, s=sizes, color=HIGHLIGHT, edgecolor="black", linewidth=0.6, zorder=3)
    ax.set_aspect("equal")
    ax.set(xticks=[], yticks=[])
    ax.set_xlabel("its largest component", color=text_colour)
    ax.set_title(f"A network: {network.n_nodes} nodes, {network.n_edges} edges", color=text_colour)


def draw_costs(ax: Axes, choice: netchoice.Choice, text_colour: str, background: str) -> None:
    """Draw accuracy against cost for all sets of features, and mark the chosen set."""
    selection = choice.evidence.selection
    sets = selection.evaluation.drop_duplicates(["cost_shared", "accuracy"])
    front = pareto_front(sets)
    ax.scatter(sets["cost_shared"], sets["accuracy"], s=16, color=GREY, alpha=0.6, linewidth=0)
    ax.step(front["cost_shared"], front["accuracy"], where="post", color=text_colour, linewidth=1.4)
    ax.axvline(choice.cost["all_features"], color=VERMILLION, linewidth=1.6, linestyle=(0, (4, 2)))
    point = selection.point
    ax.scatter(
        point.cost, point.accuracy, s=260, marker="*", color=HIGHLIGHT, edgecolor="black", zorder=4
    )
    low = min(0.9, float(sets["accuracy"].min()))
    ax.set(xscale="log", ylim=(low - 0.005, 1.012))
    outline = [withStroke(linewidth=3, foreground=background)]
    ax.annotate(
        f"all {len(selection.table.features)} features: {duration(choice.cost['all_features'])}",
        (choice.cost["all_features"], 0.06), xycoords=("data", "axes fraction"),
        xytext=(-6, 0), textcoords="offset points", ha="right", color=VERMILLION, path_effects=outline,
    )  # fmt: skip
    ax.annotate(
        f"chosen: {len(selection.for_model)} for {duration(point.cost)}",
        (point.cost, point.accuracy), xytext=(-2, -26), textcoords="offset points", color=text_colour,
        path_effects=outline,
    )  # fmt: skip
    ax.xaxis.set_major_formatter(FuncFormatter(lambda seconds, _: duration(seconds)))
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))
    ax.set_xlabel("cost per network", color=text_colour)
    ax.set_ylabel("accuracy", color=text_colour)
    ax.set_title("Accuracy against cost of the features", color=text_colour)


def draw_embedding(ax: Axes, choice: netchoice.Choice, text_colour: str, background: str) -> None:
    """Draw simulations of both models as points in the plane, and the network as a star."""
    points = choice.evidence.embedding.points
    simulated = points[~points["observed"]]
    for name, style in model_styles(sorted(simulated["label"].unique())).items():
        own = simulated[simulated["label"] == name]
        shown = own.sample(600, random_state=0)
        ax.scatter(
            shown["x"], shown["y"], s=9, color=style.colour, marker=style.marker, alpha=0.65, linewidth=0
        )  # fmt: skip
        ax.text(
            own["x"].median(), own["y"].median(), str(name), color=text_colour, weight="bold", size=15,
            ha="center", path_effects=[withStroke(linewidth=4, foreground=background)],
        )  # fmt: skip
    star = points[points["observed"]]
    ax.scatter(
        star["x"], star["y"], s=300, marker="*", color=HIGHLIGHT, edgecolor="black", zorder=4
    )
    ax.set(xticks=[], yticks=[])
    fits = "it fits" if choice.fits else "none of these models fits"
    ax.set_title(
        f"{choice.model}: {choice.probabilities[choice.model]:.3f}, and {fits}", color=text_colour
    )
    ax.set_xlabel("similar networks are close together", color=text_colour)


def draw(
    network: netchoice.Graph,
    choice: netchoice.Choice,
    text_colour: str,
    background: str,
    tall: bool,
) -> Figure:
    """Draw the three panels side by side, or one below the other for narrow screens."""
    size = (4.6, 11.5) if tall else (13, 4.3)
    figure = Figure(figsize=size, dpi=140, facecolor=background, layout="constrained")
    figure.get_layout_engine().set(w_pad=0.15, wspace=0.04)  # type: ignore[call-arg, union-attr]
    axes: Any = figure.subplots(3, 1) if tall else figure.subplots(1, 3)
    draw_network(axes[0], network, text_colour)
    draw_costs(axes[1], choice, text_colour, background)
    draw_embedding(axes[2], choice, text_colour, background)
    for ax in axes:
        ax.set_facecolor(background)
        ax.tick_params(colors=text_colour, labelsize=11)
        ax.spines[["top", "right"]].set_visible(False)
        ax.spines[["left", "bottom"]].set_color(text_colour)
        ax.spines[["left", "bottom"]].set_visible(ax is axes[1])
        ax.title.set_size(14)
        ax.xaxis.label.set_size(12)
        ax.yaxis.label.set_size(12)
        for text in ax.texts:
            text.set_size(max(12, text.get_size()))
    return figure


def main() -> None:
    """Grow a network, choose its model, and draw the figure for both themes and both shapes."""
    network = netchoice.get_model("dmr").grow(NODES, TRUTH, np.random.default_rng(SEED))
    choice = netchoice.choose_model(network, "duplication", samples=SAMPLES)
    for name, (text_colour, background) in THEMES.items():
        for suffix in ("", "-tall"):
            drawn = draw(network, choice, text_colour, background, bool(suffix))
            drawn.savefig(HERE / f"{name}{suffix}.png")


if __name__ == "__main__":
    main()
