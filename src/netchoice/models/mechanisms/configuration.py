"""Configuration model: random links, given degrees that follow a power law."""

from __future__ import annotations

import numpy as np

from netchoice._kernels.compiler import FLOAT, INT, INTS, kernel
from netchoice._kernels.csr import csr_from_edges
from netchoice._kernels.growth_loop import DONE
from netchoice._kernels.random_stream import SEED, random_integer, start, uniform
from netchoice.graph import Graph
from netchoice.models.mechanism import graph_of, seed_from
from netchoice.models.model import Model, Parameter
from netchoice.models.priors import uniform as uniform_prior
from netchoice.models.shared_parameters import MEAN_LINKS, too_dense


@kernel(INT, FLOAT, FLOAT, FLOAT, SEED)
def power_law_degrees(n_nodes, exponent, least, most, seed):
    """Draw degrees: numbers with density x^-exponent from least to most, rounded with the same mean."""
    degrees = np.empty(n_nodes, np.int32)
    share_above = (least / most) ** (exponent - 1.0)
    a, b, c, d = start(seed)
    for u in range(n_nodes):
        draw, a, b, c, d = uniform(a, b, c, d)
        above = 1.0 - draw * (1.0 - share_above)  # share of the power law above x
        x = least * above ** (-1.0 / (exponent - 1.0))
        number, a, b, c, d = random_integer(x, a, b, c, d)
        degrees[u] = min(number, int(most))
    return degrees


@kernel(INTS, SEED)
def match_stubs(degrees, seed):
    """Match the ends of edges at random; leave out loops, repeated edges and one end if they are odd."""
    n_stubs = 0
    for degree in degrees:
        n_stubs += degree
    stubs = np.empty(n_stubs, np.int32)
    at = 0
    for u in range(len(degrees)):
        for _ in range(degrees[u]):
            stubs[at] = u
            at += 1
    a, b, c, d = start(seed)
    sources, targets = np.empty(n_stubs // 2, np.int32), np.empty(n_stubs // 2, np.int32)
    for i in range(2 * (n_stubs // 2)):
        draw, a, b, c, d = uniform(a, b, c, d)
        j = i + int(draw * (n_stubs - i))
        stubs[i], stubs[j] = stubs[j], stubs[i]
        if i % 2:
            sources[i // 2], targets[i // 2] = stubs[i - 1], stubs[i]
    indptr, indices, _, _ = csr_from_edges(sources, targets, len(degrees))
    return DONE, len(degrees), indptr, indices


def least_degree(mean: float, exponent: float, most: float) -> float:
    """Return the lower bound of a power law with this mean, exponent and upper bound, by bisection."""
    low, high = 0.0, mean
    for _ in range(60):
        least = 0.5 * (low + high)
        ratio = least / most
        factor = (1 - ratio ** (exponent - 2)) / (1 - ratio ** (exponent - 1))
        below = least * (exponent - 1) / (exponent - 2) * factor < mean
        low, high = (least, high) if below else (low, least)
    return high


def grow_configuration(
    n_nodes: int, rng: np.random.Generator, mean_links: float, exponent: float
) -> Graph:
    """Match ends of edges at random; the degrees follow a power law with mean 2 · mean_links.

    Degrees are drawn from a continuous power law between a lower bound and n - 1, and rounded up or down
    at random with the same mean. The lower bound sets the mean. Loops and repeated edges are erased: this
    is the erased configuration model. It takes linear time for all degrees, while drawing again until
    the network is simple does not end for heavy tails. Erasing removes links between nodes of large
    degree, so networks have fewer edges than mean_links · n if the exponent is below 3.

    Priors: exponent is uniform on [2.05, 4]. Below 2 the mean degree diverges, and above 4 networks of
    1000 nodes cannot be distinguished from those with an exponential tail.
    """
    mean, most = 2.0 * mean_links, n_nodes - 1.0
    if mean >= most:
        raise too_dense("configuration", mean_links, n_nodes, most / 2)
    least = least_degree(mean, float(exponent), most)
    degrees = power_law_degrees(n_nodes, float(exponent), least, most, seed_from(rng))
    return graph_of(match_stubs(degrees, seed_from(rng)))


CONFIGURATION = Model(
    "configuration",
    grow_configuration,
    {
        "mean_links": MEAN_LINKS,
        "exponent": Parameter(
            uniform_prior(2.05, 4), 2.01, 20.0, "exponent of the power law of degrees"
        ),
    },
    description="configuration model: random links, given degrees that follow a power law",
    reference="Newman, Strogatz & Watts, Phys. Rev. E 64:026118 (2001), doi:10.1103/PhysRevE.64.026118",
    min_nodes=2,
    family="static",
)
