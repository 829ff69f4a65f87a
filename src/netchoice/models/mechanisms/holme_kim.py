"""Preferential attachment with triad formation."""

from netchoice._kernels.neighbour_draws import pick_any, pick_neighbours
from netchoice.models.growing import (
    LINKED,
    by_degree,
    draw,
    draw_integer,
    link_picked,
    n_edges,
    pick,
    random_neighbour,
    stamp,
)
from netchoice.models.mechanism import mechanism
from netchoice.models.shared_parameters import MEAN_LINKS, probability


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
