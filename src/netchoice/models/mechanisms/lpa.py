"""Linear preferential attachment with initial attractiveness."""

from netchoice.models.growing import (
    OWNER,
    draw,
    draw_integer,
    link_picked,
    n_edges,
    pick,
    stamp,
)
from netchoice.models.mechanism import mechanism
from netchoice.models.shared_parameters import ATTRACTIVENESS, MEAN_LINKS


@mechanism(
    "attachment",
    "Dorogovtsev, Mendes & Samukhin, Phys. Rev. Lett. 85:4633 (2000), "
    "doi:10.1103/PhysRevLett.85.4633",
    mean_links=MEAN_LINKS,
    attractiveness=ATTRACTIVENESS,
)
def lpa(net, new, mean_links, attractiveness):
    """Linear preferential attachment with initial attractiveness.

    A new node links to distinct nodes with probability proportional to degree + attractiveness. Because of
    the constant, nodes without links can be chosen. Without it this is the model of Barabási and Albert.

    Priors: an attractiveness of 0.2 is close to pure preferential attachment, one of 5 nearly uniform choice
    in sparse networks.
    """
    n_links = min(new, draw_integer(net, mean_links))
    n_picked = 0
    while n_picked < n_links:
        at = draw(net) * (2 * n_edges(net) + attractiveness * new)
        if at < 2 * n_edges(net):
            node = net.halves[int(at), OWNER]
        else:
            node = min(int((at - 2 * n_edges(net)) / attractiveness), new - 1)
        if stamp(net, node, new):
            pick(net, n_picked, node)
            n_picked += 1
    link_picked(net, new, n_picked)
