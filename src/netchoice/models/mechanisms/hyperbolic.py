"""Hyperbolic network: near places in a hyperbolic disk are linked."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from netchoice._kernels.compiler import FLOAT, FLOATS, INT, helper, kernel
from netchoice._kernels.csr import adjacency
from netchoice._kernels.growth_loop import DONE
from netchoice._kernels.random_stream import SEED, start, uniform
from netchoice.graph import Graph
from netchoice.models.mechanism import MEAN_LINKS, graph_of, seed_from, too_dense
from netchoice.models.model import MAX_GROWTH, Model, Parameter, growth_limit, next_total
from netchoice.models.priors import uniform as uniform_prior
from netchoice.models.thinned import TOLERANCE, Observation

#: Points and weights of a quadrature over radii, and logits of one over thresholds.
FINE = (*np.polynomial.legendre.leggauss(32), np.arange(-12.0, 32.0))
COARSE = (*np.polynomial.legendre.leggauss(12), np.arange(-12.0, 32.0, 2.0))
_SMALLEST, _LARGEST = 1e-3, 80.0  # radii of the disk
_MAX_TRIES = 1000
N_BANDS = 16  # rings of the disk


@helper
def _mean_angle(nearest, sinh, thresholds, p_thresholds):
    """Return the mean over thresholds of the largest angle between linked places at two radii.

    ``nearest`` is the hyperbolic cosine of the smallest distance, and ``sinh`` the product of the
    hyperbolic sines of the radii. For small angles, a series replaces the arcsine.
    """
    angle, p_larger, scale = 0.0, 1.0, 0.5 / sinh
    for k in range(len(thresholds)):
        square = (thresholds[k] - nearest) * scale
        if square >= 1.0:
            return angle + p_larger * np.pi
        if square > 0.01:
            angle += p_thresholds[k] * 2.0 * np.arcsin(np.sqrt(square))
        elif square > 0.0:
            series = 2.0 + square * (1.0 / 3.0 + square * (3.0 / 20.0))
            angle += p_thresholds[k] * np.sqrt(square) * series
        p_larger -= p_thresholds[k]
    return angle


@kernel(FLOAT, FLOAT, FLOAT, FLOATS, FLOATS, FLOATS)
def share_linked(radius, alpha, temperature, points, weights, logits):
    """Return the probability that two random places are linked, by Gauss-Legendre quadrature.

    A pair is linked if its distance is below the radius plus a random number with a logistic
    distribution of scale 2 · temperature. For each such threshold, the largest angle between linked
    places at given radii has a closed form.
    """
    r = 0.5 * radius * (points + 1.0)
    density = 0.5 * radius * weights * alpha * np.exp(alpha * (r - radius))
    density *= -np.expm1(-2.0 * alpha * r) / np.expm1(-alpha * radius) ** 2
    if temperature == 0.0:
        logits = np.zeros(1)
    thresholds = np.cosh(np.maximum(radius + 2.0 * temperature * logits, 0.0))
    p_thresholds = 1.0 / np.cosh(0.5 * logits) ** 2
    p_thresholds /= p_thresholds.sum()
    exp, sinh, total = np.exp(r), np.sinh(r), 0.0
    for i in range(len(r)):
        for j in range(i + 1):
            nearest = 0.5 * (exp[i] / exp[j] + exp[j] / exp[i])
            angle = _mean_angle(nearest, sinh[i] * sinh[j], thresholds, p_thresholds)
            total += (1 + (j < i)) * density[i] * density[j] * angle / np.pi
    return total


@kernel(FLOAT, FLOAT, FLOAT, FLOAT, FLOAT, FLOATS, FLOATS, FLOATS)
def find_radius(share, alpha, temperature, radius, slope, points, weights, logits):
    """Return the radius with this share of linked pairs, or 0 if there is none, and the slope there.

    The slope is that of the logarithm of the share, which is almost linear in the radius. Secants start
    with the given radius and slope. A step out of the interval that contains the result is replaced by a
    bisection.
    """
    low, high, last, last_excess = 0.0, _LARGEST, 0.0, 0.0
    while True:
        linked = share_linked(radius, alpha, temperature, points, weights, logits)
        excess = np.log(max(linked, 1e-300) / share)
        if excess > 0.0:
            low = radius
        else:
            high = radius
        if high <= _SMALLEST:
            return 0.0, slope
        if last > 0.0 and (excess - last_excess) * (radius - last) < 0.0:
            slope = (excess - last_excess) / (radius - last)
        last, last_excess = radius, excess
        radius -= excess / slope
        if not low < radius < high:
            radius = max(0.5 * (low + high), _SMALLEST)
        if abs(radius - last) < 3e-4 * min(radius, 1.0):
            return radius, slope


@helper
def _places(n_nodes, radius, alpha, a, b, c, d):
    """Draw places; return exp(r), sinh(r) / √2, cosine and sine of the angle, r, the angle and exp(-r)."""
    places, largest = np.empty((7, n_nodes)), np.cosh(alpha * radius) - 1.0
    for u in range(n_nodes):
        draw, a, b, c, d = uniform(a, b, c, d)
        r = np.arccosh(1.0 + largest * draw) / alpha
        draw, a, b, c, d = uniform(a, b, c, d)
        angle = 2.0 * np.pi * draw
        places[0, u], places[1, u] = np.exp(r), np.sqrt(0.5) * np.sinh(r)
        places[2, u], places[3, u] = np.cos(angle), np.sin(angle)
        places[4, u], places[5, u], places[6, u] = r, angle, np.exp(-r)
    return places, a, b, c, d


@helper
def _cosh_distance(places, u, v):
    """Return the hyperbolic cosine of the distance between two places."""
    cosh = 0.5 * (places[0, u] * places[6, v] + places[0, v] * places[6, u])
    x, y = places[2, u] - places[2, v], places[3, u] - places[3, v]
    return cosh + places[1, u] * places[1, v] * (x * x + y * y)


@helper
def _is_linked(draw, cosh, exp_radius, temperature):
    """Return whether a draw links a pair at this distance.

    ``exp_radius`` is the exponential of the radius. As temperatures are below 1, the square root is a bound
    of the power.
    """
    ratio = (cosh + np.sqrt(max(cosh * cosh - 1.0, 0.0))) / exp_radius
    if ratio > 1.0 and draw * (1.0 + np.sqrt(ratio)) >= 1.0:
        return False
    return draw * (1.0 + ratio ** (0.5 / temperature)) < 1.0


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
def _largest_angle(r, sinh_r, s, sinh_s, far):
    """Return the largest angle between a place at radius r and a linked one at radius s or beyond.

    ``far`` is the hyperbolic cosine of the largest distance. Where s is below r, the bound is not sharp.
    """
    room = far - (np.cosh(s - r) if s > r else 1.0)
    sinh = sinh_r * sinh_s
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
def _window(i, band, angle, firsts, keys):
    """Return the first node of a band in a window of angles around a node, its lowest key, and its width.

    In its own band, the window of a node has only larger angles, so that each pair is in one window.
    """
    own = int(keys[i] / 10.0)
    if band == own:
        return i + 1, keys[i], angle
    low = keys[i] - 10.0 * own - angle
    low += 10.0 * band + (2.0 * np.pi if low < 0.0 else 0.0)
    first = firsts[band]
    return first + np.searchsorted(keys[first : firsts[band + 1]], low), low, 2.0 * angle


@helper
def _link_near(places, radius, temperature, far, ends, a, b, c, d):
    """Visit the pairs whose distance has a hyperbolic cosine below ``far``, and link some of them.

    Only nodes in a window of angles are compared, for each band from that of the node on.
    """
    order, firsts, keys = _in_bands(places, radius)
    n_edges, exp_radius = 0, np.exp(radius)
    bands = radius / N_BANDS * np.arange(N_BANDS)
    sinh = np.sinh(bands)
    for i in range(len(order)):
        u, own = order[i], int(keys[i] / 10.0)
        r, sinh_r = places[4, u], np.sqrt(2.0) * places[1, u]
        for band in range(own, N_BANDS):
            angle = _largest_angle(r, sinh_r, bands[band], sinh[band], far)
            j, low, width = _window(i, band, angle, firsts, keys)
            for _ in range(firsts[band + 1] - firsts[band] - (band == own)):
                if j == firsts[band + 1]:  # the window continues at angle 0
                    j = firsts[band]
                offset = keys[j] - low
                if offset + (2.0 * np.pi if offset < 0.0 else 0.0) > width:
                    break
                v, j = order[j], j + 1
                cosh = _cosh_distance(places, u, v)
                if cosh >= far:
                    continue
                linked = True
                if temperature > 0.0:
                    draw, a, b, c, d = uniform(a, b, c, d)
                    linked = _is_linked(draw, cosh, exp_radius, temperature)
                if linked:
                    ends, n_edges = _with_edge(ends, n_edges, u, v)
    return ends, n_edges, a, b, c, d


@helper
def _link_far(places, radius, temperature, far, share, ends, n_edges, a, b, c, d):
    """Visit each other pair with probability ``share``, and link some of them.

    At these distances the probability of a link is at most ``share``. The number of pairs to the next
    visited one has a geometric distribution.
    """
    n_nodes, scale, exp_radius = places.shape[1], 1.0 / np.log1p(-share), np.exp(radius)
    u, v = 1, -1
    while True:
        draw, a, b, c, d = uniform(a, b, c, d)
        v += 1 + int(np.log(1.0 - draw) * scale)
        while v >= u and u < n_nodes:
            v -= u
            u += 1
        if u >= n_nodes:
            return ends, n_edges
        cosh = _cosh_distance(places, u, v)
        if cosh >= far:
            draw, a, b, c, d = uniform(a, b, c, d)
            if _is_linked(share * draw, cosh, exp_radius, temperature):
                ends, n_edges = _with_edge(ends, n_edges, v, u)


@helper
def _far_distance(radius, temperature, share):
    """Return the hyperbolic cosine of the distance at which the probability of a link is ``share``."""
    return np.cosh(radius + 2.0 * temperature * np.log(1.0 / share - 1.0))


@kernel(INT, FLOAT, FLOAT, FLOAT, FLOAT, SEED)
def link_in_disk(n_nodes, radius, alpha, temperature, far_share, seed):
    """Link pairs of random places with probability 1 / (1 + exp((distance - radius) / (2 · temperature))).

    Pairs whose probability is below ``far_share`` are visited at random. The links do not depend on it.
    """
    a, b, c, d = start(seed)
    places, a, b, c, d = _places(n_nodes, radius, alpha, a, b, c, d)
    far = _far_distance(radius, temperature, far_share)
    ends = np.empty(16 * n_nodes, np.int32)
    ends, n_edges, a, b, c, d = _link_near(places, radius, temperature, far, ends, a, b, c, d)
    if temperature > 0.0:
        ends, n_edges = _link_far(
            places, radius, temperature, far, far_share, ends, n_edges, a, b, c, d
        )
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
    number of nodes, within 2%. Near pairs are found by their angles, and others are visited at random.

    Priors: exponent is uniform on [2.1, 3.5], the range of most observed power laws. temperature is
    uniform on [0, 0.9], from a sharp threshold to almost no clustering, which vanishes at 1.
    """
    alpha, temperature = 0.5 * (exponent - 1.0), float(temperature)
    total, n_places, known = n_nodes, n_nodes, None
    for _ in range(_MAX_TRIES):
        radius, known = radius_for(2 * mean_links / (total - 1), alpha, temperature, known)
        if radius is None:
            # The largest share is half of the pairs, or a little more at a low temperature.
            raise too_dense("hyperbolic", mean_links, total, (total - 1) / 4, "about ")
        if isolated == "drop":
            n_places = math.ceil((1 + TOLERANCE) * total) + 1
        far_share = far_share_for(n_places, mean_links, temperature)
        graph = graph_of(
            link_in_disk(n_places, radius, alpha, temperature, far_share, seed_from(rng))
        )
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


class Disk(NamedTuple):
    """A share of linked pairs, the radius with it, and the slope of the logarithm of the share there."""

    share: float
    radius: float
    slope: float


def radius_for(
    share: float, alpha: float, temperature: float, known: Disk | None = None
) -> tuple[float | None, Disk]:
    """Return the radius of the disk in which this share of pairs is linked, or None if there is none.

    The search with a fine quadrature starts at a prediction from a ``known`` disk, which saves most of the
    time. Without one, it starts at the radius by a coarse quadrature. The second result is the disk found.
    """
    if known is None or known.radius == 0.0:
        radius, slope = min(max(-2 * math.log(share), 1.0), 0.5 * _LARGEST), -0.5
        radius, slope = find_radius(share, alpha, temperature, radius, slope, *COARSE)
    else:
        slope = known.slope
        radius = known.radius + math.log(share / known.share) / slope
    start_at = min(max(radius, _SMALLEST), _LARGEST)
    radius, slope = find_radius(share, alpha, temperature, start_at, slope, *FINE)
    return float(radius) or None, Disk(share, float(radius), float(slope))


def far_share_for(n_nodes: int, mean_links: float, temperature: float) -> float:
    """Return the largest probability of a link of far pairs, such that few pairs are visited in all.

    This share of all pairs is visited at random. The number of near pairs is about that of edges times
    the share to the power of -temperature.
    """
    share = (temperature * mean_links / n_nodes) ** (1 / (1 + temperature))
    return float(min(max(share, 1e-6), 0.25))


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
