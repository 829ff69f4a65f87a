"""Planted partition: groups with more links inside than between."""

from __future__ import annotations

import numpy as np

from netchoice._kernels.compiler import INT, kernel
from netchoice._kernels.csr import adjacency
from netchoice._kernels.growth_loop import DONE
from netchoice._kernels.linked_pairs import add, new_set, pair_key, random_pair
from netchoice._kernels.random_stream import SEED, start, uniform
from netchoice.graph import Graph
from netchoice.models.mechanism import graph_of, seed_from
from netchoice.models.model import Model, Parameter
from netchoice.models.priors import integers
from netchoice.models.shared_parameters import MEAN_LINKS, probability, too_dense


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
