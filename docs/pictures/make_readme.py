"""Draw the picture of the README, light and dark: a network, and where it is among simulations.

python docs/pictures/make_readme.py

The network is that of the README. The picture is legible at a width of 360 pixels.
"""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

import netchoice
from netchoice.figures.style import HIGHLIGHT, ON_DARK, model_styles

HERE = Path(__file__).parent
NODES, SEED, TRUTH = 200, 1, {"p_delete": 0.5, "p_new": 0.4}
FEATURES = ["degree_mean", "transitivity"]
SIMULATIONS = 800
THEMES = {
    "readme": ("#1F2328", "#FFFFFF"),
    "readme-dark": ("#E6EDF3", "#0D1117"),
}  # text, background


def draw_network(ax: Axes, network: netchoice.Graph, text: str) -> None:
    """Draw the largest component of the network; the area of a point grows with its degree."""
    graph = network.to_networkx()
    graph = graph.subgraph(max(nx.connected_components(graph), key=len))
    places = nx.kamada_kawai_layout(graph)
    for u, v in graph.edges:
        ax.plot(*zip(places[u], places[v], strict=True), color=text, alpha=0.45, linewidth=0.8)
    sizes = [5 + 6 * degree for _, degree in graph.degree]
    xy = np.array([places[node] for node in graph])
    ax.scatter(*xy.T, s=sizes, color=HIGHLIGHT, edgecolor="black", linewidth=0.6, zorder=3)
    ax.set_aspect("equal")
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)


def draw_simulations(ax: Axes, table: pd.DataFrame, text: str, background: str) -> None:
    """Draw simulations by model, and name the models."""
    for name, style in model_styles(("dmc", "dmr")).items():
        own = table[table["model"] == name]
        colour = ON_DARK[style.colour] if background != "#FFFFFF" else style.colour
        ax.scatter(
            *own[FEATURES].to_numpy().T, s=9, marker=style.marker, color=colour, alpha=0.7, lw=0
        )
        ax.text(
            *own[FEATURES].quantile([0.6, 0.75]).to_numpy().diagonal(), name, color=text, weight="bold",
            path_effects=[withStroke(linewidth=4, foreground=background)],
        )  # fmt: skip


def draw(network: netchoice.Graph, table: pd.DataFrame, text: str, background: str) -> Figure:
    """Return the picture in the colours of one theme."""
    figure = Figure(figsize=(6, 3), dpi=200, facecolor=background, layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[1, 1.15])
    draw_network(left, network, text)
    left.set_title("Which mechanism made it?", color=text, fontsize=12)
    draw_simulations(right, table, text, background)
    observed = netchoice.compute_features(network, FEATURES).values
    place = [observed[name] for name in FEATURES]
    right.plot(
        *place, marker="*", markersize=17, color=HIGHLIGHT, markeredgecolor="black", zorder=5
    )
    right.set_title("It resembles networks of dmr", color=text, fontsize=12)
    right.set_xscale("log")
    right.set_xticks([1, 3, 10, 30], ["1", "3", "10", "30"])
    right.minorticks_off()
    right.set_xlabel("mean degree", color=text, fontsize=12)
    right.set_ylabel("transitivity", color=text, fontsize=12)
    for ax in (left, right):
        ax.set_facecolor(background)
        ax.tick_params(colors=text, labelsize=11)
        ax.spines[["left", "bottom"]].set_color(text)
    right.spines[["top", "right"]].set_visible(False)
    return figure


def main() -> None:
    """Grow the network, simulate both models, and draw the picture for both themes."""
    network = netchoice.get_model("dmr").grow(NODES, TRUTH, np.random.default_rng(SEED))
    simulated = netchoice.simulate_table(
        "duplication", n_nodes=NODES, n_samples=SIMULATIONS, seed=SEED, features=FEATURES
    )
    table = simulated.X.assign(model=simulated.y)
    for name, colours in THEMES.items():
        draw(network, table, *colours).savefig(HERE / f"{name}.png")


if __name__ == "__main__":
    main()
