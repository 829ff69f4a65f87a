"""The observed network as an SVG drawing."""

from __future__ import annotations

import numpy as np

from netchoice.figures.data.network_layout import (
    MOST_EDGES,
    MOST_NODES,
    Floats,
    is_drawable,
    network_layout,
)
from netchoice.graph import Graph
from netchoice.markup import Html, element

_SIZE, _MARGIN = 1000, 30  # of the drawing, in units of its coordinates
_WIDTHS = 6  # different sizes of points


def draw_network(graph: Graph) -> Html:
    """Return a drawing of the network, or a sentence if the network is too large.

    The area of a point grows with the degree of the node.
    """
    counts = f"{graph.n_nodes} nodes and {graph.n_edges} edges"
    if not is_drawable(graph):
        limits = f"{MOST_NODES} nodes or {MOST_EDGES} edges"
        sentence = f"The network has {counts}. It is not drawn, because it has more than {limits}."
        return element("p", sentence, class_="aside")
    places = _MARGIN + (_SIZE - 2 * _MARGIN) * network_layout(graph)
    paths = [element("path", d=_lines(places, graph), class_="edges"), *_points(places, graph)]
    drawing = element(
        "svg", *paths, viewBox=f"0 0 {_SIZE} {_SIZE}", role="img",
        aria_label=f"Drawing of the observed network, with {counts}",
    )  # fmt: skip
    caption = f"The observed network: {counts}. Larger points have more edges."
    return element("figure", drawing, element("figcaption", caption), class_="network")


def _lines(places: Floats, graph: Graph) -> str:
    """Return the path of all edges; a grid of 1000 points is fine enough and keeps the file small."""
    ends = np.rint(places).astype(int)[graph.edges()]
    return "".join(f"M{x} {y}L{u} {v}" for (x, y), (u, v) in ends.tolist())


def _points(places: Floats, graph: Graph) -> list[Html]:
    """Return a path of points for each of a few sizes, the small ones first.

    A line of length 0 with round ends is a point, and many of them make a short path.
    """
    unit = min(26.0, 250 / np.sqrt(graph.n_nodes))  # the smallest diameter
    widths = unit * np.minimum(np.sqrt(np.maximum(graph.degrees, 1)), 4)
    sizes = np.linspace(widths.min(), widths.max(), _WIDTHS)
    nearest = np.abs(widths[:, None] - sizes).argmin(axis=1)
    paths = []
    for i in np.unique(nearest):
        own = np.rint(places[nearest == i]).astype(int).tolist()
        line = "".join(f"M{x} {y}h0" for x, y in own)
        outline, inside = f"{sizes[i]:.1f}", f"{0.72 * sizes[i]:.1f}"
        paths.append(element("path", d=line, class_="outline", stroke_width=outline))
        paths.append(element("path", d=line, class_="inside", stroke_width=inside))
    return paths
