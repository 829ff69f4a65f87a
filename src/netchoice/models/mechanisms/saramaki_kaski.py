"""Links to nodes that a random walk visits."""

from netchoice.models.growing import (
    degree,
    draw,
    draw_integer,
    draw_unstamped,
    link_picked,
    pick,
    random_neighbour,
    stamp,
)
from netchoice.models.mechanism import mechanism
from netchoice.models.model import Parameter
from netchoice.models.priors import integers
from netchoice.models.shared_parameters import MEAN_LINKS

#: A walk that arrives this many times in a row at a chosen node has too few nodes within reach.
_MOST_FAILURES = 20


@mechanism(
    "closure",
    "Saramäki & Kaski, Physica A 341:80 (2004), doi:10.1016/j.physa.2004.04.110",
    mean_links=MEAN_LINKS,
    n_steps=Parameter(integers(1, 5), 1.0, 100.0, "steps of the walk from one choice to the next"),
)
def saramaki_kaski(net, new, mean_links, n_steps):
    """Random walk of a fixed number of steps from one chosen node to the next

    A walk begins at a uniformly drawn earlier node. Each time after n_steps steps to random neighbours,
    the node where the walk is becomes a chosen one, until there are enough distinct chosen nodes. The
    new node links to them. A walk stays at a node without neighbours. If the walk arrives at a chosen
    node 20 times in a row, a random node that is not yet chosen becomes the next one, and the walk
    continues there. The paper has one connected network, where this is not needed.

    Priors: 1 step gives most triangles, and even numbers of steps give few. The longer the walk, the
    more the links are those of linear preferential attachment; with 2 links and 5 steps, the mean
    clustering is still ten times larger.
    """
    n_links = min(new, draw_integer(net, mean_links))
    node = int(draw(net) * new)
    n_picked = n_failures = 0
    while n_picked < n_links:
        if n_failures < _MOST_FAILURES:
            for _ in range(int(n_steps) if degree(net, node) > 0 else 0):
                node = random_neighbour(net, node)
        else:
            node = draw_unstamped(net, new)
        if stamp(net, node, new):
            pick(net, n_picked, node)
            n_picked += 1
            n_failures = 0
        else:
            n_failures += 1
    link_picked(net, new, n_picked)
