"""Preferential attachment to fit nodes."""

from netchoice.models.growing import (
    by_degree_or_one,
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
    "Bianconi & Barabási, Europhys. Lett. 54:436 (2001), doi:10.1209/epl/i2001-00260-6",
    mean_links=MEAN_LINKS,
    spread=Parameter(uniform(0, 1), 0.0, 1.0, "width of the interval of fitness, which ends at 1"),
)
def fitness(net, new, mean_links, spread):
    """Preferential attachment by degree times fitness, which differs between nodes

    The fitness of a node is uniform between 1 - spread and 1. The new node links to distinct earlier
    nodes. Each of them is drawn among the nodes not yet chosen, with a weight of fitness times
    max(degree, 1). The paper solves the case of spread = 1; a smaller spread leads to linear
    preferential attachment at 0. The paper has no nodes without links; here they count as one with one.

    Priors: the spread covers its range, from equal nodes to the distribution in the paper.
    """
    n_links = min(new, draw_integer(net, mean_links))
    n_picked = 0
    while n_picked < n_links:
        node = by_degree_or_one(net, new)
        if net.traits[node] < 0.0:
            net.traits[node] = draw(net)
        accepted = draw(net) < 1.0 - spread * net.traits[node]
        if accepted and stamp(net, node, new):
            pick(net, n_picked, node)
            n_picked += 1
    link_picked(net, new, n_picked)
