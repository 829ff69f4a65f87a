"""Random growing network."""

from netchoice.models.growing import are_linked, draw, draw_integer, link, n_edges
from netchoice.models.mechanism import mechanism
from netchoice.models.shared_parameters import MEAN_LINKS


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
