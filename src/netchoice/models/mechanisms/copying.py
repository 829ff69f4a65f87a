"""Links that are copied from one prototype."""

from netchoice.models.growing import (
    draw,
    draw_integer,
    draw_unstamped,
    link_picked,
    pick,
    stamp,
    unstamped_neighbour,
)
from netchoice.models.mechanism import mechanism
from netchoice.models.shared_parameters import MEAN_LINKS, probability


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
