"""Nonlinear preferential attachment."""

from netchoice.models.growing import (
    by_degree_or_one,
    degree,
    draw,
    draw_integer,
    link_picked,
    pick,
    stamp,
)
from netchoice.models.mechanism import mechanism
from netchoice.models.model import Parameter
from netchoice.models.priors import uniform
from netchoice.models.shared_parameters import MEAN_LINKS


@mechanism(
    "attachment",
    "Krapivsky, Redner & Leyvraz, Phys. Rev. Lett. 85:4629 (2000), doi:10.1103/PhysRevLett.85.4629",
    mean_links=MEAN_LINKS,
    alpha=Parameter(uniform(0, 1.5), 0.0, 2.0, "exponent of the degree in the weight of a node"),
)
def nonlinear(net, new, mean_links, alpha):
    """Nonlinear preferential attachment: the weight of a node is a power of its degree

    The new node links to distinct earlier nodes. Each of them is drawn among the nodes not yet chosen,
    with a weight of max(degree, 1) ** alpha. The paper adds one link per node to the in-degree plus one,
    which is the degree; here the number of links varies, and nodes without links have weight 1.

    Priors: alpha = 0 is attachment without preference and alpha = 1 is linear. Above 1 a single node
    collects a share of all links that grows with the network, and at 1.5 nearly all of them.
    """
    # Nodes are proposed with weight max(degree, 1) and accepted with max(degree, 1) ** (alpha - 1),
    # divided by an upper bound. No degree is above new - 1.
    bound = max(1.0, (new - 1.0) ** (alpha - 1.0))
    n_links = min(new, draw_integer(net, mean_links))
    n_picked = 0
    while n_picked < n_links:
        node = by_degree_or_one(net, new)
        accepted = draw(net) * bound < max(degree(net, node), 1.0) ** (alpha - 1.0)
        if accepted and stamp(net, node, new):
            pick(net, n_picked, node)
            n_picked += 1
    link_picked(net, new, n_picked)
