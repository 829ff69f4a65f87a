"""Initial contacts and their neighbours."""

from netchoice._kernels.neighbour_draws import pick_any, pick_neighbours
from netchoice.models.growing import draw, draw_integer, link_picked, picked
from netchoice.models.mechanism import mechanism
from netchoice.models.model import Parameter
from netchoice.models.priors import uniform
from netchoice.models.shared_parameters import probability


@mechanism(
    "closure",
    "Toivonen et al., Physica A 371:851 (2006), doi:10.1016/j.physa.2006.03.050",
    max_secondary=Parameter(
        uniform(0.5, 6),
        0.01,
        100.0,
        "mean of the largest number of neighbours of an initial contact that are linked",
        adapts=True,
    ),
    p_two=probability("probability that a new node has two initial contacts, not one", 0, 1),
)
def toivonen(net, new, max_secondary, p_two):
    """Social growth: initial contacts and some of their neighbours

    The new node is linked to one random earlier node, or to two with probability p_two: its initial
    contacts. For each of them, it is also linked to a number of its neighbours, which is uniform on
    0, 1, …, K, or to all of them if there are fewer. K is the integer below or above max_secondary.
    In the paper K is a given integer; here its mean varies, so that the density can vary continuously.

    Priors: max_secondary is uniform on [0.5, 6], which gives 1.9 to 5.6 edges per node in networks of 1000
    nodes with p_two = 0.5. p_two is uniform on [0, 1], from a single community to many links between
    communities.
    """
    n_picked = pick_any(net, new, 0)
    if draw(net) < p_two:
        n_picked = pick_any(net, new, n_picked)
    for i in range(n_picked):
        n_wanted = int(draw(net) * (draw_integer(net, max_secondary) + 1))
        n_picked = pick_neighbours(net, picked(net, i), new, n_picked, n_wanted)
    link_picked(net, new, n_picked)
