"""Links that are redirected to an older neighbour."""

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
    "attachment",
    "Krapivsky & Redner, Phys. Rev. E 63:066123 (2001), doi:10.1103/PhysRevE.63.066123",
    mean_links=MEAN_LINKS,
    p_redirect=probability("probability that a link goes to an older neighbour instead", 0, 1),
)
def redirection(net, new, mean_links, p_redirect):
    """Uniform attachment with links redirected to an older neighbour

    For each link, an earlier node that is not yet chosen is drawn uniformly. With probability
    p_redirect the link goes instead to a random one of its older neighbours that are not yet chosen; if
    there is none, to the node itself. The paper adds one link per node, so that each node has one older
    neighbour, its ancestor; here the number of links varies.

    Priors: p_redirect covers its range. With one link per node, the exponent of the degree distribution
    is 1 + 1 / p_redirect: 0 gives an exponential tail, 0.5 linear preferential attachment, 1 a star.
    """
    n_links = min(new, draw_integer(net, mean_links))
    for i in range(n_links):
        node = draw_unstamped(net, new)
        if draw(net) < p_redirect:
            older = unstamped_neighbour(net, node, node, new)
            node = older if older >= 0 else node
        stamp(net, node, new)
        pick(net, i, node)
    link_picked(net, new, n_links)
