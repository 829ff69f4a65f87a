"""Draw the pictures of the reference page on mechanisms.

python docs/pictures/make_mechanisms.py

Each picture has one row for each mechanism of a family: the largest component of a network of 80 nodes, and
the degree distribution of five networks of 1000 nodes. All have about two edges per node.
"""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import netchoice
from netchoice.figures.style import model_colour
from netchoice.models.density_matched import MatchedSpace
from netchoice.models.model import Model
from netchoice.models.space import by_family

HERE = Path(__file__).parent
SMALL, LARGE, REPEATS, EDGES_PER_NODE = 80, 1000, 5, 2
GREY = "0.6"


def grown(model: Model, n_nodes: int, n_networks: int) -> list[netchoice.Graph]:
    """Grow networks with about two edges per node and no isolated nodes."""
    space = netchoice.ModelSpace(model.name, [model])
    matched = MatchedSpace(space, n_nodes, EDGES_PER_NODE * n_nodes, 0.3, "drop")[model.name]
    rng = np.random.default_rng(1)
    return [matched.grow(n_nodes, matched.sample(rng), rng) for _ in range(n_networks)]


def draw_network(axes: Axes, graph: netchoice.Graph, colour: str) -> None:
    """Draw the largest component of a network; the area of a node grows with its degree."""
    whole = graph.to_networkx()
    drawn = whole.subgraph(max(nx.connected_components(whole), key=len))
    places = nx.spring_layout(drawn, seed=1, iterations=200, method="force")
    sizes = [6 + 3 * degree for _, degree in drawn.degree()]
    nx.draw_networkx_edges(drawn, places, ax=axes, width=0.5, edge_color=GREY)
    nx.draw_networkx_nodes(drawn, places, ax=axes, node_size=sizes, node_color=colour, linewidths=0)
    axes.set_axis_off()


def draw_degrees(axes: Axes, graphs: list[netchoice.Graph], colour: str, last: bool) -> None:
    """Draw the share of nodes with at least a given degree, on logarithmic axes."""
    for graph in graphs:
        degrees = np.sort(np.diff(graph.indptr))[::-1]
        share = np.arange(1, len(degrees) + 1) / len(degrees)
        axes.plot(degrees, share, color=colour, linewidth=0.8, alpha=0.7)
    axes.set(xscale="log", yscale="log", xlim=(0.9, 2000), ylim=(2e-4, 1.3))
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=7)
    axes.set_ylabel("share of nodes\nwith this degree or more", fontsize=7)
    if last:
        axes.set_xlabel("degree", fontsize=7)


def draw_family(family: str, models: list[Model]) -> None:
    """Write the picture of one family."""
    figure = Figure(figsize=(6.4, 1.75 * len(models)), dpi=110, layout="constrained")
    rows = figure.subplots(len(models), 2, squeeze=False, width_ratios=[1.2, 1])
    for (left, right), model in zip(rows, models, strict=True):
        colour = model_colour(model.name)
        draw_network(left, grown(model, SMALL, 1)[0], colour)
        left.set_title(model.name, fontsize=9, loc="left", fontweight="bold")
        draw_degrees(right, grown(model, LARGE, REPEATS), colour, model is models[-1])
    figure.savefig(HERE / f"mechanisms-{family}.png")


if __name__ == "__main__":
    for family, models in by_family(netchoice.get_space("all")).items():
        draw_family(family, models)
