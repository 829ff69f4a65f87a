"""Duplication and divergence with links between copy and original."""

from netchoice.models.growing import draw, first, following, link_picked, other_end, pick
from netchoice.models.mechanism import mechanism
from netchoice.models.shared_parameters import P_KEEP, probability


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
