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
#: Rings of the disk, and the largest probability of a link between distant places.
N_BANDS, FAR_SHARE = 16, 0.0625


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
    """Draw places; return exp(r), sinh(r) / √2, the cosine and sine of the angle, radius and angle."""
    places = np.empty((6, n_nodes))
    for u in range(n_nodes):
        draw, a, b, c, d = uniform(a, b, c, d)
        r = np.arccosh(1.0 + (np.cosh(alpha * radius) - 1.0) * draw) / alpha
        draw, a, b, c, d = uniform(a, b, c, d)
        angle = 2.0 * np.pi * draw
        places[0, u], places[1, u] = np.exp(r), np.sqrt(0.5) * np.sinh(r)
        places[2, u], places[3, u] = np.cos(angle), np.sin(angle)
        places[4, u], places[5, u] = r, angle
    return places, a, b, c, d


@helper
def _cosh_distance(places, u, v):
    """Return the hyperbolic cosine of the distance between two places."""
    cosh = 0.5 * (places[0, u] / places[0, v] + places[0, v] / places[0, u])
    x, y = places[2, u] - places[2, v], places[3, u] - places[3, v]
    return cosh + places[1, u] * places[1, v] * (x * x + y * y)


@helper
def _is_linked(draw, cosh, radius, temperature):
    """Return whether a draw links a pair at this distance."""
    excess = np.log(cosh + np.sqrt(max(cosh * cosh - 1.0, 0.0))) - radius
    return draw * (1.0 + np.exp(excess / (2.0 * temperature))) < 1.0


@helper
def _with_edge(ends, n_edges, u, v):
    """Append an edge, to a longer array if there is no room."""
    if 2 * n_edges + 2 > len(ends):
        longer = np.empty(2 * len(ends), np.int32)
        longer[: len(ends)] = ends
        ends = longer
    ends[2 * n_edges], ends[2 * n_edges + 1] = u, v
    return ends, n_edges + 1


@helper
def _largest_angle(r, s, far):
    """Return the largest angle between a place at radius r and a linked one at radius s or beyond.

    ``far`` is the hyperbolic cosine of the largest distance. Where s is below r, the bound is not sharp.
    """
    sinh = np.sinh(r) * np.sinh(s)
    room = far - np.cosh(max(s - r, 0.0))
    if room >= 2.0 * sinh:
        return np.pi
    return 2.0 * np.arcsin(np.sqrt(max(room, 0.0) / (2.0 * sinh)))


@helper
def _in_bands(places, radius):
    """Return the nodes in order of band and angle, the first of each band, and the sorted keys.

    A band is a ring of the disk. The key of a node is 10 times its band plus its angle.
    """
    n_nodes = places.shape[1]
    keys = np.empty(n_nodes)
    for u in range(n_nodes):
        band = min(int(places[4, u] / radius * N_BANDS), N_BANDS - 1)
        keys[u] = 10.0 * band + places[5, u]
    order = np.argsort(keys)
    keys = keys[order]
    return order, np.searchsorted(keys, 10.0 * np.arange(N_BANDS + 1)), keys


@helper
def _link_near(places, radius, temperature, far, ends, a, b, c, d):
    """Visit the pairs whose distance has a hyperbolic cosine below ``far``, and link some of them.

    Only nodes in a window of angles are compared, for each band from that of the node on.
    """
    order, firsts, keys = _in_bands(places, radius)
    n_edges = 0
    for i in range(len(order)):
        u = order[i]
        own = int(keys[i] / 10.0)
        for band in range(own, N_BANDS):
            angle = _largest_angle(places[4, u], band * radius / N_BANDS, far)
            for turn in range(-1, 2):  # windows across angle 0 continue at the other end
                middle = 10.0 * band + places[5, u] + 2.0 * np.pi * turn
                if angle >= np.pi and turn != 0:
                    continue
                low = max(middle - angle, 10.0 * band) if angle < np.pi else 10.0 * band
                high = middle + angle if angle < np.pi else 10.0 * band + 7.0
                start_at = max(np.searchsorted(keys, low), firsts[band])
                if band == own:
                    start_at = max(start_at, i + 1)
                for j in range(start_at, firsts[band + 1]):
                    if keys[j] > high:
                        break
                    v = order[j]
                    cosh = _cosh_distance(places, u, v)
                    if cosh >= far:
                        continue
                    linked = True
                    if temperature > 0.0:
                        draw, a, b, c, d = uniform(a, b, c, d)
                        linked = _is_linked(draw, cosh, radius, temperature)
                    if linked:
                        ends, n_edges = _with_edge(ends, n_edges, u, v)
    return ends, n_edges, a, b, c, d


@helper
def _link_far(places, radius, temperature, far, ends, n_edges, a, b, c, d):
    """Visit each other pair with probability 1/16, and link some of them.

    At these distances the probability of a link is below 1/16. The number of pairs to the next visited
    one has a geometric distribution.
    """
    n_nodes = places.shape[1]
    u, v = 1, -1
    while True:
        draw, a, b, c, d = uniform(a, b, c, d)
        v += 1 + int(np.log(1.0 - draw) / np.log(1.0 - FAR_SHARE))
        while v >= u:
            v -= u
            u += 1
        if u >= n_nodes:
            return ends, n_edges
        cosh = _cosh_distance(places, u, v)
        if cosh >= far:
            draw, a, b, c, d = uniform(a, b, c, d)
            if _is_linked(FAR_SHARE * draw, cosh, radius, temperature):
                ends, n_edges = _with_edge(ends, n_edges, v, u)


@kernel(INT, FLOAT, FLOAT, FLOAT, SEED)
def link_in_disk(n_nodes, radius, alpha, temperature, seed):
    """Link pairs of random places with probability 1 / (1 + exp((distance - radius) / (2 · temperature)))."""
    a, b, c, d = start(seed)
    places, a, b, c, d = _places(n_nodes, radius, alpha, a, b, c, d)
    far = np.cosh(radius + 2.0 * temperature * np.log(1.0 / FAR_SHARE - 1.0))
    ends = np.empty(16 * n_nodes, np.int32)
    ends, n_edges, a, b, c, d = _link_near(places, radius, temperature, far, ends, a, b, c, d)
    if temperature > 0.0:
        ends, n_edges = _link_far(places, radius, temperature, far, ends, n_edges, a, b, c, d)
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
    number of nodes, within 2%. Near pairs are found by their angles, and others are visited with
    probability 1/16.

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
