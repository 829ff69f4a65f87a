"""Static networks: links are drawn at random, given few properties of the network."""

from __future__ import annotations

import numpy as np

from netchoice._kernels.compiler import FLOAT, INT, INTS, kernel
from netchoice._kernels.csr import adjacency, csr_from_edges
from netchoice._kernels.growth_loop import DONE
from netchoice._kernels.linked_pairs import add, new_set, pair_key, random_pair
from netchoice._kernels.random_stream import SEED, random_integer, start, uniform
from netchoice.graph import Graph
from netchoice.models.growing import are_linked, draw, draw_integer, link, n_edges
from netchoice.models.mechanism import (
    MEAN_LINKS,
    graph_of,
    mechanism,
    probability,
    seed_from,
    too_dense,
)
from netchoice.models.model import Model, Parameter
from netchoice.models.priors import integers
from netchoice.models.priors import uniform as uniform_prior


@kernel(INT, INT, SEED)
def place_edges(n_nodes, n_edges, seed):
    """Grow an Erdős–Rényi graph with ``n_edges`` edges; all sets of pairs are equally likely."""
    linked_pairs = new_set(n_edges)
    ends = np.empty(2 * n_edges, np.int32)
    a, b, c, d = start(seed)
    e = 0
    while e < n_edges:
        u, v, a, b, c, d = random_pair(n_nodes, a, b, c, d)
        if add(linked_pairs, pair_key(u, v)):
            ends[2 * e] = u
            ends[2 * e + 1] = v
            e += 1
    indptr, indices = adjacency(ends, n_edges, n_nodes)
    return DONE, n_nodes, indptr, indices


def grow_rds(n_nodes: int, rng: np.random.Generator, mean_links: float) -> Graph:
    """Place edges at random.

    There are round(mean_links · n) edges, and all sets of pairs are equally likely.
    """
    n_edges, n_pairs = round(mean_links * n_nodes), n_nodes * (n_nodes - 1) // 2
    if n_edges > n_pairs:
        raise too_dense("rds", mean_links, n_nodes, n_pairs / n_nodes)
    return graph_of(place_edges(n_nodes, n_edges, seed_from(rng)))


RDS = Model(
    "rds",
    grow_rds,
    {"mean_links": MEAN_LINKS},
    description="random static network",
    reference="Erdős & Rényi, Publ. Math. Debrecen 6:290 (1959), doi:10.5486/PMD.1959.6.3-4.12",
    min_nodes=2,
    family="static",
)


@mechanism(
    "static",
    "Callaway et al., Phys. Rev. E 64:041902 (2001), doi:10.1103/PhysRevE.64.041902",
    mean_links=MEAN_LINKS,
)
def rdg(net, new, mean_links):
    """Random growing network.

    With each new node, links are added between pairs of nodes that are chosen uniformly among all pairs
    without a link.
    """
    n_nodes = new + 1
    n_links = min(draw_integer(net, mean_links), n_nodes * new // 2 - n_edges(net))
    while n_links > 0:
        u = int(draw(net) * n_nodes)
        v = int(draw(net) * (n_nodes - 1))
        v += v >= u
        if not are_linked(net, u, v):
            link(net, u, v)
            n_links -= 1


@kernel(INT, INT, INT, INT, SEED)
def place_in_groups(n_nodes, n_groups, n_inside, n_between, seed):
    """Place edges inside and between groups; all sets of pairs with these numbers are equally likely.

    Node u belongs to the group u modulo n_groups, so the sizes of groups differ by at most one.
    """
    n_edges = n_inside + n_between
    linked_pairs = new_set(n_edges)
    ends = np.empty(2 * n_edges, np.int32)
    largest = (n_nodes + n_groups - 1) // n_groups
    a, b, c, d = start(seed)
    e = 0
    while e < n_edges:
        if e < n_inside:
            draw, a, b, c, d = uniform(a, b, c, d)
            u = int(draw * n_nodes)
            draw, a, b, c, d = uniform(a, b, c, d)
            # With the size of the largest group for all groups, all pairs are equally likely.
            v = u % n_groups + n_groups * int(draw * largest)
            fits = v < n_nodes and v != u
        else:
            u, v, a, b, c, d = random_pair(n_nodes, a, b, c, d)
            fits = u % n_groups != v % n_groups
        if fits and add(linked_pairs, pair_key(u, v)):
            ends[2 * e] = u
            ends[2 * e + 1] = v
            e += 1
    indptr, indices = adjacency(ends, n_edges, n_nodes)
    return DONE, n_nodes, indptr, indices


def pairs_inside(n_nodes: int, n_groups: int) -> int:
    """Return the number of pairs of nodes in the same group."""
    size, n_larger = divmod(n_nodes, n_groups)
    return (n_groups * size * (size - 1)) // 2 + n_larger * size


def grow_planted_partition(
    n_nodes: int, rng: np.random.Generator, mean_links: float, n_groups: float, p_inside: float
) -> Graph:
    """Place round(mean_links · n) edges; each is inside a group with probability p_inside.

    There are n_groups groups, whose sizes differ by at most one. All pairs inside groups have the same
    probability, and so have all pairs between groups. Edges that do not fit inside groups are placed
    between them, and the other way round. Condon and Karp link pairs independently; with a given number
    of edges, as here, the density does not vary between networks with the same parameters.

    Priors: n_groups is uniform on 2 to 20, from two groups to more than can be found in a sparse network
    of 1000 nodes. p_inside is uniform on [0.5, 1]: with more than two groups, every value in this range
    makes links inside groups more likely than without groups.
    """
    n_edges, n_pairs, n_groups = (
        round(mean_links * n_nodes),
        n_nodes * (n_nodes - 1) // 2,
        round(n_groups),
    )
    if n_edges > n_pairs:
        raise too_dense("planted-partition", mean_links, n_nodes, n_pairs / n_nodes)
    n_pairs_inside = pairs_inside(n_nodes, n_groups)
    most = min(n_edges, n_pairs_inside)
    least = max(0, n_edges - (n_pairs - n_pairs_inside))
    n_inside = min(most, max(least, int(rng.binomial(n_edges, p_inside))))
    numbers = (n_groups, n_inside, n_edges - n_inside)
    return graph_of(place_in_groups(n_nodes, *numbers, seed_from(rng)))


PLANTED_PARTITION = Model(
    "planted-partition",
    grow_planted_partition,
    {
        "mean_links": MEAN_LINKS,
        "n_groups": Parameter(integers(2, 20), 1, 1e6, "number of groups of equal size"),
        "p_inside": probability("probability that an edge is inside a group", 0.5, 1),
    },
    description="planted partition: groups with more links inside than between",
    reference="Condon & Karp, Random Struct. Algorithms 18:116 (2001)",
    min_nodes=2,
    family="static",
)


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
