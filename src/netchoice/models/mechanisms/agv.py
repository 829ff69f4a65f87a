"""Aging nodes: new nodes link to active nodes, which retire."""

import numpy as np

from netchoice.models.growing import degree, draw, draw_integer, link
from netchoice.models.mechanism import mechanism
from netchoice.models.shared_parameters import ATTRACTIVENESS, MEAN_LINKS


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
