"""Duplication and divergence."""

from netchoice.models.growing import draw, first, following, link_picked, other_end, pick
from netchoice.models.mechanism import mechanism
from netchoice.models.shared_parameters import P_KEEP


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
