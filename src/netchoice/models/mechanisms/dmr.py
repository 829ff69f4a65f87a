"""Duplication with random mutation."""

import numpy as np

from netchoice.models.growing import (
    draw,
    first,
    following,
    link_picked,
    other_end,
    pick,
    stamp,
)
from netchoice.models.mechanism import mechanism
from netchoice.models.shared_parameters import probability


@mechanism(
    "duplication",
    "Solé et al., Adv. Complex Syst. 5:43 (2002), doi:10.1142/S021952590200047X",
    p_delete=probability("probability that the new node loses a copied edge"),
    p_new=probability("expected number of links of the new node to random earlier nodes"),
)
def dmr(net, new, p_delete, p_new):
    """Duplication with random mutation.

    The new node copies all links of a random node and loses each with probability p_delete. It also links to
    each of the t earlier nodes with probability p_new / t.

    Priors: as for dmc.
    """
    n_picked = 0
    half = first(net, int(draw(net) * new))
    while half >= 0:
        if draw(net) >= p_delete:
            pick(net, n_picked, other_end(net, half))
            stamp(net, other_end(net, half), new)
            n_picked += 1
        half = following(net, half)
    if p_new > 0.0:
        # Independent draws for each of the nodes; geometric steps skip to the next success.
        log_miss = np.log1p(-p_new / new)
        at = -1.0
        while at < new:
            at += 1.0 + np.floor(np.log1p(-draw(net)) / log_miss)
            if at < new and stamp(net, int(at), new):
                pick(net, n_picked, int(at))
                n_picked += 1
    link_picked(net, new, n_picked)
