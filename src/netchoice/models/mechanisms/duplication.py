"""Duplication: new nodes copy the links of an earlier node."""

from __future__ import annotations

import numpy as np

from netchoice.models.growing import (
    attach,
    detach,
    draw,
    draw_integer,
    draw_unstamped,
    first,
    following,
    link,
    link_picked,
    other_end,
    pick,
    stamp,
    unstamped_neighbour,
)
from netchoice.models.mechanism import MEAN_LINKS, P_KEEP, mechanism, probability


@mechanism(
    "duplication",
    "Vázquez et al., ComPlexUs 1:38 (2003), doi:10.1159/000067642",
    p_delete=probability("probability that a copied pair of edges loses one of the two"),
    p_connect=probability("probability that the new node is linked to the node it was copied from"),
)
def dmc(net, new, p_delete, p_connect):
    """Duplication with mutation and complementation.

    The new node copies all links of a random node. For each copied pair of links, with probability
    p_delete one of the two, chosen at random, is lost. The copy is linked to its original with probability
    p_connect.

    Priors: the space ``duplication`` has those of the paper, from 0.25 to 0.75. The spaces ``mechanisms`` and
    ``all`` have wider ones, because networks with fewer edges than nodes need more deletion.
    """
    copied = int(draw(net) * new)
    before, half = -1, first(net, copied)
    while half >= 0:
        after = following(net, half)
        number = draw(net)
        if number < 0.5 * p_delete:  # the old edge goes and the new one stays: the edge moves
            detach(net, half, before)
            attach(net, half, new)
        else:
            if number >= p_delete:  # both edges stay
                link(net, new, other_end(net, half))
            before = half
        half = after
    if draw(net) < p_connect:
        link(net, copied, new)


@mechanism(
    "duplication",
    "Solé et al., Adv. Complex Syst. 5:43 (2002), doi:10.1142/S021952590200047X",
    p_delete=probability("probability that the new node loses a copied edge"),
    p_new=probability("expected number of links of the new node to random earlier nodes"),
)
def dmr(net, new, p_delete, p_new):
    """Duplication with random mutation.

    The new node copies all links of a random node and loses each with probability p_delete. It also links to
    each of the t earlier nodes with probability p_new / t.

    Priors: as for dmc.
    """
    n_picked = 0
    half = first(net, int(draw(net) * new))
    while half >= 0:
        if draw(net) >= p_delete:
            pick(net, n_picked, other_end(net, half))
            stamp(net, other_end(net, half), new)
            n_picked += 1
        half = following(net, half)
    if p_new > 0.0:
        # Independent draws for each of the nodes; geometric steps skip to the next success.
        log_miss = np.log1p(-p_new / new)
        at = -1.0
        while at < new:
            at += 1.0 + np.floor(np.log1p(-draw(net)) / log_miss)
            if at < new and stamp(net, int(at), new):
                pick(net, n_picked, int(at))
                n_picked += 1
    link_picked(net, new, n_picked)


@mechanism(
    "duplication",
    "Kumar et al., Proc. 41st Symp. on Foundations of Computer Science, 57 (2000), "
    "doi:10.1109/SFCS.2000.892065",
    mean_links=MEAN_LINKS,
    p_random=probability("probability that a link goes to a random node, not a copied one", 0, 1),
)
def copying(net, new, mean_links, p_random):
    """Copying of a given number of links from a prototype, with random exceptions

    The new node chooses an earlier node uniformly, its prototype. Each of its links goes with probability
    p_random to a random earlier node, and else to a random neighbour of the prototype; only nodes not yet
    chosen are drawn. A random earlier node is also drawn if all neighbours of the prototype are chosen.
    This is the linear growth copying model of the paper, whose links are directed: there the i-th link
    is copied from the i-th link that leaves the prototype. Here links have no direction.

    Priors: p_random covers its range, from links that are all copied to uniform attachment.
    """
    n_links = min(new, draw_integer(net, mean_links))
    prototype = int(draw(net) * new)
    for i in range(n_links):
        node = -1
        if draw(net) >= p_random:
            node = unstamped_neighbour(net, prototype, new, new)
        if node < 0:
            node = draw_unstamped(net, new)
        stamp(net, node, new)
        pick(net, i, node)
    link_picked(net, new, n_links)


@mechanism(
    "duplication",
    "Ispolatov, Krapivsky & Yuryev, Phys. Rev. E 71:061911 (2005), doi:10.1103/PhysRevE.71.061911",
    p_keep=P_KEEP,
)
def ispolatov(net, new, p_keep):
    """Duplication with divergence: the copy keeps some of the links, at least one

    An earlier node is drawn uniformly and copied. The copy keeps each of the links with probability
    p_keep; the original keeps all of its links. If the copy keeps none, the attempt is repeated with
    another random node, so new nodes are never isolated. This is the model of the paper.

    Priors: the paper finds values near 0.4 for protein networks. Below 0.5 the mean degree grows slowly
    or not at all, above it grows as a power of the number of nodes; at 0.7, 1000 nodes have 20 links each.
    """
    n_picked = 0
    while n_picked == 0:
        half = first(net, int(draw(net) * new))
        while half >= 0:
            if draw(net) < p_keep:
                pick(net, n_picked, other_end(net, half))
                n_picked += 1
            half = following(net, half)
    link_picked(net, new, n_picked)


@mechanism(
    "duplication",
    "Ispolatov, Krapivsky, Mazo & Yuryev, New J. Phys. 7:145 (2005), doi:10.1088/1367-2630/7/1/145",
    p_keep=P_KEEP,
    p_dimer=probability(
        "probability that the new node is linked to the node it was copied from", 0, 1
    ),
)
def heterodimer(net, new, p_keep, p_dimer):
    """Duplication with divergence and a possible link between copy and original

    An earlier node is drawn uniformly and copied. The copy keeps each of the links with probability
    p_keep, and is linked to the original with probability p_dimer; the original keeps all of its links.
    If the copy has no link at all, the attempt is repeated with another random node. This is the
    asymmetric variant of the paper, where only the copy loses links.

    Priors: p_keep as for the model ispolatov. p_dimer covers its range: 0 gives no triangles, and larger
    values give more triangles and cliques.
    """
    n_picked = 0
    while n_picked == 0:
        copied = int(draw(net) * new)
        half = first(net, copied)
        while half >= 0:
            if draw(net) < p_keep:
                pick(net, n_picked, other_end(net, half))
                n_picked += 1
            half = following(net, half)
        if draw(net) < p_dimer:
            pick(net, n_picked, copied)
            n_picked += 1
    link_picked(net, new, n_picked)
