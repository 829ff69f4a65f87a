"""Hyperbolic network: near places in a hyperbolic disk are linked."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq

from netchoice._kernels.compiler import FLOAT, FLOATS, INT, helper, kernel
from netchoice._kernels.csr import adjacency
from netchoice._kernels.growth_loop import DONE
from netchoice._kernels.random_stream import SEED, start, uniform
from netchoice.graph import Graph
from netchoice.models.mechanism import graph_of, seed_from
from netchoice.models.model import MAX_GROWTH, Model, Parameter, growth_limit, next_total
from netchoice.models.observation import TOLERANCE, Observation
from netchoice.models.priors import uniform as uniform_prior
from netchoice.models.shared_parameters import MEAN_LINKS, too_dense

_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(32)
_SMALLEST, _LARGEST = 1e-3, 80.0  # radii of the disk
_MAX_TRIES = 1000


@kernel(FLOAT, FLOAT, FLOAT, FLOATS, FLOATS)
def share_linked(radius, alpha, temperature, points, weights):
    """Return the probability that two random places are linked, by Gauss-Legendre quadrature.

    A pair is linked if its distance is below the radius plus a random number with a logistic
    distribution of scale 2 · temperature. For each such threshold, the largest angle between linked
    places at given radii has a closed form.
    """
    n = len(points)
    r = 0.5 * radius * (points + 1.0)
    density = 0.5 * radius * weights * alpha * np.sinh(alpha * r) / (np.cosh(alpha * radius) - 1.0)
    sinh, logits = np.sinh(r), np.arange(-12.0, 32.0)
    if temperature == 0.0:
        logits = np.zeros(1)
    thresholds = np.cosh(np.maximum(radius + 2.0 * temperature * logits, 0.0))
    p_thresholds = 1.0 / np.cosh(0.5 * logits) ** 2
    p_thresholds /= p_thresholds.sum()
    total = 0.0
    for i in range(n):
        for j in range(i + 1):
            nearest, mean_angle = np.cosh(r[i] - r[j]), 0.0
            for k in range(len(thresholds)):
                square = 0.5 * (thresholds[k] - nearest) / (sinh[i] * sinh[j])
                if square >= 1.0:
                    mean_angle += p_thresholds[k] * np.pi
                elif square > 0.0:
                    mean_angle += p_thresholds[k] * 2.0 * np.arcsin(np.sqrt(square))
            total += (1 + (j < i)) * density[i] * density[j] * mean_angle / np.pi
    return total


@helper
def _places(n_nodes, radius, alpha, a, b, c, d):
    """Draw places; return exp(r), sinh(r) / √2, and the cosine and sine of the angle, for each node."""
    places = np.empty((4, n_nodes))
    for u in range(n_nodes):
        draw, a, b, c, d = uniform(a, b, c, d)
        r = np.arccosh(1.0 + (np.cosh(alpha * radius) - 1.0) * draw) / alpha
        draw, a, b, c, d = uniform(a, b, c, d)
        places[0, u], places[1, u] = np.exp(r), np.sqrt(0.5) * np.sinh(r)
        places[2, u], places[3, u] = np.cos(2.0 * np.pi * draw), np.sin(2.0 * np.pi * draw)
    return places, a, b, c, d


@kernel(INT, FLOAT, FLOAT, FLOAT, SEED)
def link_in_disk(n_nodes, radius, alpha, temperature, seed):
    """Link pairs of random places with probability 1 / (1 + exp((distance - radius) / (2 · temperature))).

    All pairs are visited. The hyperbolic cosine of the distance needs a few multiplications. A number
    of at least 1/16 cannot link a pair beyond a certain distance, so that logarithms are rarely needed.
    """
    a, b, c, d = start(seed)
    places, a, b, c, d = _places(n_nodes, radius, alpha, a, b, c, d)
    exponential, scaled, x, y = places[0], places[1], places[2], places[3]
    inverse = 1.0 / exponential
    near, far = np.cosh(radius), np.cosh(radius + 2.0 * temperature * np.log(15.0))
    ends = np.empty(16 * n_nodes, np.int32)
    n_edges = 0
    for u in range(1, n_nodes):
        if 2 * (n_edges + u) > len(ends):
            longer = np.empty(2 * (len(ends) + 2 * u), np.int32)
            longer[: len(ends)] = ends
            ends = longer
        for v in range(u):
            cosh = 0.5 * (exponential[u] * inverse[v] + exponential[v] * inverse[u])
            cosh += scaled[u] * scaled[v] * ((x[u] - x[v]) ** 2 + (y[u] - y[v]) ** 2)
            linked = cosh < near
            if temperature > 0.0:
                draw, a, b, c, d = uniform(a, b, c, d)
                linked = cosh < far or draw < 0.0625
                if linked:
                    excess = np.log(cosh + np.sqrt(max(cosh * cosh - 1.0, 0.0))) - radius
                    linked = draw * (1.0 + np.exp(excess / (2.0 * temperature))) < 1.0
            if linked:
                ends[2 * n_edges] = v
                ends[2 * n_edges + 1] = u
                n_edges += 1
    indptr, indices = adjacency(ends, n_edges, n_nodes)
    return DONE, n_nodes, indptr, indices


def grow_hyperbolic(
    n_nodes: int,
    rng: np.random.Generator,
    mean_links: float,
    exponent: float,
    temperature: float,
    isolated: str = "keep",
) -> Graph:
    """Link nodes at random places in a hyperbolic disk, the nearer the more likely.

    The density of places at radius r is proportional to sinh(alpha r), with alpha = (exponent - 1) / 2.
    A pair at distance x is linked with probability 1 / (1 + exp((x - R) / (2 temperature))), and with
    temperature 0 if x < R. R is the radius of the disk. The degrees follow a power law with this exponent.
    R is the one with which the expected number of edges is mean_links · n, by numerical integration,
    because the closed form of the paper holds for large networks and exponents well above 2 only. To drop
    isolated nodes, nodes are placed one after the other until n of them have links; R is that of the total
    number of nodes, within 2%. The time is proportional to the number of pairs of nodes.

    Priors: exponent is uniform on [2.1, 3.5], the range of most observed power laws. temperature is
    uniform on [0, 0.9], from a sharp threshold to almost no clustering, which vanishes at 1.
    """
    alpha, temperature = 0.5 * (exponent - 1.0), float(temperature)
    total, n_places = n_nodes, n_nodes
    for _ in range(_MAX_TRIES):
        radius = radius_for(2 * mean_links / (total - 1), alpha, temperature)
        if radius is None:
            raise too_dense("hyperbolic", mean_links, total, (total - 1) / 2)
        if isolated == "drop":
            n_places = math.ceil((1 + TOLERANCE) * total) + 1
        graph = graph_of(link_in_disk(n_places, radius, alpha, temperature, seed_from(rng)))
        if isolated == "keep":
            return graph
        edges, times = graph.edges(), np.arange(n_places) + 1
        seen = Observation(edges, times[edges].max(axis=1), times, total)
        linked = seen.with_linked(n_nodes)
        if linked is not None:
            return linked
        total = next_total(total, n_nodes, seen.n_linked)
        if total > MAX_GROWTH * n_nodes + 1000:
            break
    raise growth_limit("hyperbolic", n_nodes, total)


def radius_for(share: float, alpha: float, temperature: float) -> float | None:
    """Return the radius of the disk in which this share of pairs is linked, or None if there is none."""

    def excess(radius: float) -> float:
        linked = share_linked(radius, alpha, temperature, _POINTS, _WEIGHTS)
        return math.log(max(linked, 1e-300) / share)

    if excess(_SMALLEST) <= 0:
        return None
    return float(brentq(excess, _SMALLEST, _LARGEST, xtol=1e-4))


HYPERBOLIC = Model(
    "hyperbolic",
    grow_hyperbolic,
    {
        "mean_links": MEAN_LINKS,
        "exponent": Parameter(
            uniform_prior(2.1, 3.5), 2.01, 20.0, "exponent of the power law of degrees"
        ),
        "temperature": Parameter(
            uniform_prior(0, 0.9), 0.0, 0.99, "randomness of links; 0 is a sharp threshold"
        ),
    },
    description="hyperbolic network: near places in a hyperbolic disk are linked",
    reference="Krioukov et al., Phys. Rev. E 82:036106 (2010), doi:10.1103/PhysRevE.82.036106",
    min_nodes=3,
    family="spatial",
)
