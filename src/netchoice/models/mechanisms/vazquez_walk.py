"""Links to all nodes that a random walk visits."""

from netchoice.models.growing import (
    degree,
    draw,
    link_picked,
    pick,
    random_neighbour,
    stamp,
)
from netchoice.models.mechanism import mechanism
from netchoice.models.model import Parameter
from netchoice.models.priors import uniform


@mechanism(
    "closure",
    "Vázquez, Phys. Rev. E 67:056104 (2003), doi:10.1103/PhysRevE.67.056104",
    p_follow=Parameter(
        uniform(0.1, 0.9), 0.001, 0.999, "probability that the walk continues", adapts=True
    ),
)
def vazquez_walk(net, new, p_follow):
    """Random walk of random length with links to all visited nodes

    The new node links to a uniformly drawn earlier node, where a walk begins. With probability p_follow
    the walk continues to a random neighbour of the node visited last, and the new node links to it too,
    if it is not yet linked. The walk ends at the first draw that fails, or at a node without neighbours.
    This is the random walk model of the paper, with links in both directions.

    Priors: a walk visits 1 / (1 - p_follow) nodes on average, between 1.1 and 10, some of them again.
    """
    node = int(draw(net) * new)
    stamp(net, node, new)
    pick(net, 0, node)
    n_picked = 1
    while degree(net, node) > 0 and draw(net) < p_follow:
        node = random_neighbour(net, node)
        if stamp(net, node, new):
            pick(net, n_picked, node)
            n_picked += 1
    link_picked(net, new, n_picked)
