"""Figures of networks in the plane: simulated networks as points, and one network with its edges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from numpy.typing import NDArray

from netchoice.figures.axes import (
    GREY,
    SMALL,
    WIDTH,
    add_tooltips,
    check_columns,
    halo,
    legend_above,
    new_axes,
    short,
    size_in_inches,
)
from netchoice.figures.style import HIGHLIGHT, SeriesStyle, model_styles
from netchoice.graph import Graph
from netchoice.inference.mds import OBSERVED

#: Larger networks are not drawn: the drawing would be a blot, and the file large.
MOST_NODES, MOST_EDGES = 3000, 15_000
_STEPS, _SAMPLE = 150, 150  # moves of all nodes; nodes that repel all others in one move
_GRAVITY = 0.4  # keeps components together
_WIDTHS = 6  # different sizes of nodes
_BATCHES = 8

Floats = NDArray[np.float64]


def embedding(
    embedded: Any, *, texts: bool = True, styles: Mapping[str, SeriesStyle] | None = None,
    ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw simulated networks as points in the plane, by model, and observed ones as larger markers.

    Parameters
    ----------
    embedded : Embedding, or DataFrame
        What :func:`netchoice.inference.embed` returns, or its points: ``x``, ``y``, ``label`` and
        ``observed``; and ``tooltip`` if a page shows a text at each observed network.
    texts : bool, whether to name the models, in a legend and at the median of their points
    styles : mapping from label to style
        By default :func:`model_styles` of the models in their order; an observed network is a star.
    ax : Axes, optional

    Examples
    --------
    >>> ax = embedding(pd.DataFrame({
    ...     "x": [0, 1, 5, 6, 3], "y": [0, 1, 1, 0, 4], "observed": [False] * 4 + [True],
    ...     "label": ["dmc", "dmc", "dmr", "dmr", "observed"]}))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['dmc', 'dmr', 'observed network']
    """
    columns = ("x", "y", "label", "observed")
    points = check_columns(getattr(embedded, "points", embedded), columns, "embedding")
    is_observed = points["observed"].to_numpy(dtype=bool)
    simulated, observed = points[~is_observed], points[is_observed]
    ax = new_axes(ax, WIDTH, 0.75 * WIDTH)
    models = sorted(simulated["label"].unique())
    known = model_styles(models) if styles is None else styles
    _draw_simulated(ax, simulated, {model: known[model] for model in models})
    scale = np.sqrt(size_in_inches(ax)[0] / WIDTH)
    for label, own in observed.groupby("label", sort=False):
        (markers,) = ax.plot(
            own["x"], own["y"], linestyle="", zorder=5, gid=label, **_observed(label, known, scale)
        )
        if "tooltip" in own:
            add_tooltips(markers, own["tooltip"])
    make_plane(ax)
    if not texts:
        return ax
    for name, own in simulated.groupby("label"):
        ax.text(
            own["x"].median(), own["y"].median(), short(name), ha="center", va="center", zorder=4,
            fontweight="bold", path_effects=halo(3),
        )  # fmt: skip
    legend_above(ax, handles=embedding_keys(points, known))
    if hasattr(embedded, "distance_correlation"):
        ax.set_xlabel(
            f"distances in the plane and between {len(embedded.features)} features: correlation "
            f"{embedded.pearson:.2f}, distance correlation {embedded.distance_correlation:.2f}",
            fontsize=SMALL + 1, color=GREY,
        )  # fmt: skip
    return ax


def embedding_keys(points: pd.DataFrame, styles: Mapping[str, SeriesStyle]) -> list[Artist]:
    """Return what stands in the legend of an embedding: each model, and each kind of observed network."""
    keys: list[Artist] = []
    for is_observed, own in points.groupby("observed"):
        for name in dict.fromkeys(own["label"]):
            style: dict[str, Any] = _observed(name, styles, 0.7) if is_observed else {
                "marker": styles[name].marker, "color": styles[name].colour
            }  # fmt: skip
            label = "observed network" if name == OBSERVED else short(name)
            keys.append(Line2D([], [], linestyle="", label=label, **style))
    return keys


def _observed(label: str, styles: Mapping[str, SeriesStyle], scale: float) -> dict[str, Any]:
    """Return how an observed network is drawn: in the style of its label, or as a star."""
    style = styles.get(label, SeriesStyle(HIGHLIGHT, "*", "-"))
    return {
        "marker": style.marker, "color": style.colour, "markeredgecolor": "black",
        "markersize": (15 if style.marker == "*" else 8) * scale, "markeredgewidth": 1.4 * scale,
    }  # fmt: skip


def _draw_simulated(ax: Axes, simulated: pd.DataFrame, styles: Mapping[str, SeriesStyle]) -> None:
    """Draw the points in mixed batches, so that no model hides another."""
    area = float(np.clip(9000 / max(len(simulated), 1), 5, 40)) * size_in_inches(ax)[0] / WIDTH
    shuffled = simulated.sample(frac=1, random_state=0)
    for places in np.array_split(np.arange(len(shuffled)), _BATCHES):
        batch = shuffled.iloc[places]
        for name, style in styles.items():
            own = batch[batch["label"] == name]
            ax.scatter(
                own["x"], own["y"], s=area, marker=style.marker, color=style.colour, alpha=0.6,
                linewidth=0, gid=f"model {name}",
            )  # fmt: skip


def make_plane(ax: Axes, adjustable: Literal["datalim", "box"] = "datalim") -> None:
    """Make the units of both axes equal, and hide the axes: only distances have a meaning."""
    ax.set_aspect("equal", adjustable=adjustable)
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)


def network(graph: Graph, *, ax: Axes | None = None) -> Axes:
    """Draw a network; the area of a point grows with the degree of the node.

    The places of nodes are computed as by :func:`network_layout`, so the same network is drawn alike.

    >>> ax = network(Graph.from_edges([(0, 1), (1, 2), (2, 3)]))
    >>> len(ax.patches)  # all edges
    1
    """
    ax = new_axes(ax, 0.75 * WIDTH, 0.75 * WIDTH)
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
    make_plane(ax, "box")
    places, unit = network_layout(graph), 0.09 * size_in_inches(ax)[0]  # in points
    ends = places[graph.edges()].reshape(-1, 2)
    codes = np.tile([Path.MOVETO, Path.LINETO], graph.n_edges)
    lines = PathPatch(
        Path(ends, codes), fill=False, edgecolor=GREY, linewidth=1.6 * unit, alpha=0.5
    )
    lines.get_path().should_simplify = False
    ax.add_patch(lines)
    widths = np.minimum(np.sqrt(np.maximum(graph.degrees, 1)), 4)
    widths = min(26.0, 250 / np.sqrt(graph.n_nodes)) * unit * widths
    sizes = np.linspace(widths.min(), widths.max(), _WIDTHS)
    nearest = np.abs(widths[:, None] - sizes).argmin(axis=1)
    for i in np.unique(nearest):  # the small ones first
        ax.plot(
            *places[nearest == i].T, "o", markersize=0.86 * sizes[i], color=HIGHLIGHT,
            markeredgecolor="black", markeredgewidth=0.14 * sizes[i], gid="nodes",
        )  # fmt: skip
    return ax


def is_drawable(graph: Graph) -> bool:
    """Return whether a network is small enough to be drawn."""
    return 0 < graph.n_nodes <= MOST_NODES and graph.n_edges <= MOST_EDGES


def network_layout(graph: Graph) -> Floats:
    """Return a place in the unit square for each node, the same for the same network.

    Edges attract and nodes repel each other (Fruchterman & Reingold, 1991, doi:10.1002/spe.4380211102),
    and all nodes are attracted by the centre. In a large network, a random sample of the nodes repels
    the others in each step.

    >>> places = network_layout(Graph.from_edges([(0, 1), (1, 2), (2, 3)]))
    >>> places.shape, bool((0 <= places).all() and (places <= 1).all())
    ((4, 2), True)
    """
    rng, n = np.random.default_rng(0), graph.n_nodes
    places = rng.normal(size=(n, 2))
    for step in range(_STEPS):
        forces = _forces(places, graph, rng)
        lengths = np.maximum(np.hypot(*forces.T), 1e-9)[:, None]
        longest = 0.1 * np.sqrt(n) * (1 - step / _STEPS) + 0.01
        places = places + forces / lengths * np.minimum(lengths, longest)
    low, span = places.min(axis=0), np.ptp(places, axis=0)
    centred: Floats = (places - low - span / 2) / max(float(span.max()), 1e-9)
    return centred + 0.5


def _forces(places: Floats, graph: Graph, rng: np.random.Generator) -> Floats:
    """Return the force on each node; a single edge is at rest at length 1."""
    n = len(places)
    others = np.arange(n) if n <= _SAMPLE else rng.choice(n, _SAMPLE, replace=False)
    near = places[others]
    norms = (places**2).sum(axis=1)
    squared = norms[:, None] + norms[others] - 2 * places @ near.T
    weights = n / len(others) / np.maximum(squared, 0.01)
    forces: Floats = places * weights.sum(axis=1)[:, None] - weights @ near
    first, second = graph.edges().T
    along = places[second] - places[first]
    pulls = along * np.hypot(*along.T)[:, None]
    for axis in (0, 1):
        forces[:, axis] += np.bincount(first, pulls[:, axis], n)
        forces[:, axis] -= np.bincount(second, pulls[:, axis], n)
    forces -= _GRAVITY * np.sqrt(n) * places
    return forces
