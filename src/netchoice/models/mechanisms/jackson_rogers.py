"""Random meetings and meetings through neighbours."""

from netchoice._kernels.neighbour_draws import keep_random, pick_any
from netchoice.models.growing import (
    draw_integer,
    first,
    following,
    link_picked,
    other_end,
    pick,
    picked,
    stamp,
)
from netchoice.models.mechanism import mechanism
from netchoice.models.model import Parameter
from netchoice.models.priors import uniform
from netchoice.models.shared_parameters import MEAN_LINKS


@mechanism(
    "closure",
    "Jackson & Rogers, Am. Econ. Rev. 97:890 (2007), doi:10.1257/aer.97.3.890",
    mean_links=MEAN_LINKS,
    share_random=Parameter(
        uniform(0.1, 1), 0.0, 1.0, "share of the links of a new node that go to random nodes"
    ),
)
def jackson_rogers(net, new, mean_links, share_random):
    """Random meetings and meetings through neighbours

    Of the links of a new node, a share share_random, at least one link, goes to random earlier nodes.
    The other links go to random neighbours of these nodes. All neighbours that are not linked yet have
    the same probability, also those of several nodes. If there are not enough of them, random earlier
    nodes are linked instead. This is the undirected version in which every meeting becomes a link.
    In the paper links are directed and a meeting becomes a link with a certain probability.

    Priors: share_random is uniform on [0.1, 1]. With at least one random link out of a few, smaller
    shares cannot be distinguished.
    """
    n_links = min(new, draw_integer(net, mean_links))
    n_random = min(n_links, max(1, draw_integer(net, share_random * n_links)))
    n_picked = 0
    while n_picked < n_random:
        n_picked = pick_any(net, new, n_picked)
    n_listed = n_picked
    for i in range(n_random):
        half = first(net, picked(net, i))
        while half >= 0:
            if stamp(net, other_end(net, half), new):
                pick(net, n_listed, other_end(net, half))
                n_listed += 1
            half = following(net, half)
    n_picked = min(n_links, n_listed)
    keep_random(net, n_random, n_listed, n_picked - n_random)
    while n_picked < n_links:  # all neighbours are picked, so that all stamped nodes are
        n_picked = pick_any(net, new, n_picked)
    link_picked(net, new, n_picked)
