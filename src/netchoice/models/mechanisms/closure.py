"""Closure: new nodes link to nodes that are close to each other in the network."""

from __future__ import annotations

from netchoice._kernels.neighbour_draws import keep_random, pick_any, pick_neighbours
from netchoice.models.growing import (
    LINKED,
    by_degree,
    degree,
    draw,
    draw_integer,
    draw_unstamped,
    first,
    following,
    link_picked,
    n_edges,
    other_end,
    pick,
    picked,
    random_neighbour,
    stamp,
)
from netchoice.models.mechanism import MEAN_LINKS, mechanism, probability
from netchoice.models.model import Parameter
from netchoice.models.priors import integers, uniform


@mechanism(
    "closure",
    "Holme & Kim, Phys. Rev. E 65:026107 (2002), doi:10.1103/PhysRevE.65.026107",
    mean_links=MEAN_LINKS,
    p_triad=probability("probability that a further link of a new node closes a triangle", 0, 1),
)
def holme_kim(net, new, mean_links, p_triad):
    """Preferential attachment with triad formation

    The first link goes to a node chosen by its degree. Each further link goes, with probability
    p_triad, to a random neighbour of the node last chosen by degree. Otherwise, or if all neighbours
    of that node are linked already, the link goes to another node chosen by its degree. If every node
    with links is picked already, a random other node is linked. The paper has an integer number of
    links; here its mean is a parameter, so that the density can vary continuously.

    Priors: p_triad is uniform on [0, 1], from no triad formation to as much as possible.
    """
    n_links, n_picked, last = min(new, draw_integer(net, mean_links)), 0, -1
    while n_picked < n_links:
        if last >= 0 and draw(net) < p_triad:
            node, before = random_neighbour(net, last), n_picked
            if stamp(net, node, new):
                pick(net, n_picked, node)
                n_picked += 1
            else:  # one of the other neighbours, if any is left
                n_picked = pick_neighbours(net, last, new, n_picked, 1)
            if n_picked > before:
                continue
        if n_picked >= net.counts[LINKED]:
            n_picked = pick_any(net, new, n_picked)
            continue
        last = by_degree(net, n_edges(net))
        while not stamp(net, last, new):
            last = by_degree(net, n_edges(net))
        pick(net, n_picked, last)
        n_picked += 1
    link_picked(net, new, n_picked)


@mechanism(
    "closure",
    "Jackson & Rogers, Am. Econ. Rev. 97:890 (2007), doi:10.1257/aer.97.3.890",
    mean_links=MEAN_LINKS,
    share_random=Parameter(
        uniform(0.1, 1), 0.0, 1.0, "share of the links of a new node that go to random nodes"
    ),
)
def jackson_rogers(net, new, mean_links, share_random):
    """Random meetings and meetings through neighbours

    Of the links of a new node, a share share_random, at least one link, goes to random earlier nodes.
    The other links go to random neighbours of these nodes. All neighbours that are not linked yet have
    the same probability, also those of several nodes. If there are not enough of them, random earlier
    nodes are linked instead. This is the undirected version in which every meeting becomes a link.
    In the paper links are directed and a meeting becomes a link with a certain probability.

    Priors: share_random is uniform on [0.1, 1]. With at least one random link out of a few, smaller
    shares cannot be distinguished.
    """
    n_links = min(new, draw_integer(net, mean_links))
    n_random = min(n_links, max(1, draw_integer(net, share_random * n_links)))
    n_picked = 0
    while n_picked < n_random:
        n_picked = pick_any(net, new, n_picked)
    n_listed = n_picked
    for i in range(n_random):
        half = first(net, picked(net, i))
        while half >= 0:
            if stamp(net, other_end(net, half), new):
                pick(net, n_listed, other_end(net, half))
                n_listed += 1
            half = following(net, half)
    n_picked = min(n_links, n_listed)
    keep_random(net, n_random, n_listed, n_picked - n_random)
    while n_picked < n_links:  # all neighbours are picked, so that all stamped nodes are
        n_picked = pick_any(net, new, n_picked)
    link_picked(net, new, n_picked)


@mechanism(
    "closure",
    "Leskovec, Kleinberg & Faloutsos, ACM Trans. Knowl. Discov. Data 1:2 (2007), "
    "doi:10.1145/1217299.1217301",
    p_burn=Parameter(
        uniform(0.05, 0.45),
        0.001,
        0.95,
        "probability that the fire takes one more neighbour of a burned node",
        adapts=True,
    ),
)
def forest_fire(net, new, p_burn):
    """Links that spread like a fire from one node to its neighbours

    The fire begins at a random earlier node. From each burned node it spreads to a geometric number
    of its neighbours that are not burned yet, with mean p_burn / (1 - p_burn), or to all of them if
    there are fewer. The new node is linked to all burned nodes. This is the undirected version: the
    fire spreads along all links of a node with the same probability. In the paper, links are directed,
    and the fire spreads with another probability against the direction of links. The function
    Forest_Fire of igraph draws a number for each direction, also for its undirected networks.

    Priors: p_burn is uniform on [0.05, 0.45], which gives 1.05 to 3.3 edges per node in networks of 1000
    nodes. Above 0.45 the number of edges per node increases fast with the size of the network.
    """
    n_picked = pick_any(net, new, 0)
    i = 0
    while i < n_picked:
        n_wanted = 0
        while n_wanted < new and draw(net) < p_burn:
            n_wanted += 1
        if n_wanted > 0:
            n_picked = pick_neighbours(net, picked(net, i), new, n_picked, n_wanted)
        i += 1
    link_picked(net, new, n_picked)


#: A walk that arrives this many times in a row at a chosen node has too few nodes within reach.
_MOST_FAILURES = 20


@mechanism(
    "closure",
    "Saramäki & Kaski, Physica A 341:80 (2004), doi:10.1016/j.physa.2004.04.110",
    mean_links=MEAN_LINKS,
    n_steps=Parameter(integers(1, 5), 1.0, 100.0, "steps of the walk from one choice to the next"),
)
def saramaki_kaski(net, new, mean_links, n_steps):
    """Random walk of a fixed number of steps from one chosen node to the next

    A walk begins at a uniformly drawn earlier node. Each time after n_steps steps to random neighbours,
    the node where the walk is becomes a chosen one, until there are enough distinct chosen nodes. The
    new node links to them. A walk stays at a node without neighbours. If the walk arrives at a chosen
    node 20 times in a row, a random node that is not yet chosen becomes the next one, and the walk
    continues there. The paper has one connected network, where this is not needed.

    Priors: 1 step gives most triangles, and even numbers of steps give few. The longer the walk, the
    more the links are those of linear preferential attachment; with 2 links and 5 steps, the mean
    clustering is still ten times larger.
    """
    n_links = min(new, draw_integer(net, mean_links))
    node = int(draw(net) * new)
    n_picked = n_failures = 0
    while n_picked < n_links:
        if n_failures < _MOST_FAILURES:
            for _ in range(int(n_steps) if degree(net, node) > 0 else 0):
                node = random_neighbour(net, node)
        else:
            node = draw_unstamped(net, new)
        if stamp(net, node, new):
            pick(net, n_picked, node)
            n_picked += 1
            n_failures = 0
        else:
            n_failures += 1
    link_picked(net, new, n_picked)


@mechanism(
    "closure",
    "Vázquez, Phys. Rev. E 67:056104 (2003), doi:10.1103/PhysRevE.67.056104",
    p_follow=Parameter(
        uniform(0.1, 0.9), 0.001, 0.999, "probability that the walk continues", adapts=True
    ),
)
def vazquez_walk(net, new, p_follow):
    """Random walk of random length with links to all visited nodes

    The new node links to a uniformly drawn earlier node, where a walk begins. With probability p_follow
    the walk continues to a random neighbour of the node visited last, and the new node links to it too,
    if it is not yet linked. The walk ends at the first draw that fails, or at a node without neighbours.
    This is the random walk model of the paper, with links in both directions.

    Priors: a walk visits 1 / (1 - p_follow) nodes on average, between 1.1 and 10, some of them again.
    """
    node = int(draw(net) * new)
    stamp(net, node, new)
    pick(net, 0, node)
    n_picked = 1
    while degree(net, node) > 0 and draw(net) < p_follow:
        node = random_neighbour(net, node)
        if stamp(net, node, new):
            pick(net, n_picked, node)
            n_picked += 1
    link_picked(net, new, n_picked)


@mechanism(
    "closure",
    "Toivonen et al., Physica A 371:851 (2006), doi:10.1016/j.physa.2006.03.050",
    max_secondary=Parameter(
        uniform(0.5, 6),
        0.01,
        100.0,
        "mean of the largest number of neighbours of an initial contact that are linked",
        adapts=True,
    ),
    p_two=probability("probability that a new node has two initial contacts, not one", 0, 1),
)
def toivonen(net, new, max_secondary, p_two):
    """Social growth: initial contacts and some of their neighbours

    The new node is linked to one random earlier node, or to two with probability p_two: its initial
    contacts. For each of them, it is also linked to a number of its neighbours, which is uniform on
    0, 1, …, K, or to all of them if there are fewer. K is the integer below or above max_secondary.
    In the paper K is a given integer; here its mean varies, so that the density can vary continuously.

    Priors: max_secondary is uniform on [0.5, 6], which gives 1.9 to 5.6 edges per node in networks of 1000
    nodes with p_two = 0.5. p_two is uniform on [0, 1], from a single community to many links between
    communities.
    """
    n_picked = pick_any(net, new, 0)
    if draw(net) < p_two:
        n_picked = pick_any(net, new, n_picked)
    for i in range(n_picked):
        n_wanted = int(draw(net) * (draw_integer(net, max_secondary) + 1))
        n_picked = pick_neighbours(net, picked(net, i), new, n_picked, n_wanted)
    link_picked(net, new, n_picked)
