"""Attachment: new nodes prefer nodes with certain properties, such as a large degree."""

from __future__ import annotations

import numpy as np

from netchoice.models.growing import (
    OWNER,
    by_degree,
    by_degree_or_one,
    degree,
    draw,
    draw_integer,
    draw_unstamped,
    link,
    link_picked,
    n_edges,
    pick,
    stamp,
    unstamped_neighbour,
)
from netchoice.models.mechanism import (
    ATTRACTIVENESS,
    MEAN_LINKS,
    Growth,
    GrowthStep,
    mechanism,
    probability,
)
from netchoice.models.model import Model, Parameter
from netchoice.models.priors import constant, uniform


def ba(net, new, m):
    """Link the new node to m distinct nodes chosen by their degree."""
    before, n_links = n_edges(net), 0
    while n_links < m:
        node = by_degree(net, before)
        if stamp(net, node, new):
            link(net, new, node)
            n_links += 1


_BA_STEP = GrowthStep(ba)


def _ba(m: int) -> Model:
    return Model(
        f"ba{m}",
        Growth(f"ba{m}", ((_BA_STEP, ("m",)),), n_leaves=m),
        {"m": Parameter(constant(m), m, m, "number of links of each new node")},
        description=f"preferential attachment, {m} link{'s' if m > 1 else ''} per new node",
        reference="Barabási & Albert, Science 286:509 (1999), doi:10.1126/science.286.5439.509",
        min_nodes=m + 1,
        family="attachment",
    )


BA1, BA2, BA3, BA4 = map(_ba, (1, 2, 3, 4))


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


@mechanism(
    "attachment",
    "Klemm & Eguíluz, Phys. Rev. E 65:036123 (2002), doi:10.1103/PhysRevE.65.036123",
    mean_links=MEAN_LINKS,
    attractiveness=ATTRACTIVENESS,
)
def agv(net, new, mean_links, attractiveness):
    """Aging vertices: new nodes link to active nodes, which retire over time.

    This is the deactivation model. A new node links to active nodes, chosen uniformly, and becomes active
    itself. If there are more than ⌈mean_links⌉ active nodes, one of them (possibly the new one) retires with
    probability ∝ 1 / (degree + attractiveness).

    Priors: the attractiveness as for lpa.
    """
    most = max(1, int(np.ceil(mean_links)))
    # The memory holds the number of active nodes, the next node to activate, and the active nodes.
    n_active, waiting, active = net.memory[0], net.memory[1], net.memory[2:]
    if n_active < 0:
        n_active, waiting = min(2, most), 2
        active[0], active[1] = 1, 0
    while waiting < new:
        active[n_active] = waiting
        n_active += 1
        waiting += 1
        if n_active > most:
            total = 0.0
            for i in range(n_active):
                total += 1.0 / (degree(net, active[i]) + attractiveness)
            at = draw(net) * total
            retired = 0
            while retired < n_active - 1:
                at -= 1.0 / (degree(net, active[retired]) + attractiveness)
                if at < 0.0:
                    break
                retired += 1
            n_active -= 1
            active[retired] = active[n_active]
    net.memory[0], net.memory[1] = n_active, waiting
    for i in range(min(n_active, draw_integer(net, mean_links))):  # a partial shuffle
        j = i + int(draw(net) * (n_active - i))
        active[i], active[j] = active[j], active[i]
        link(net, new, active[i])


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
