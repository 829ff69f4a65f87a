"""Links that spread like a fire from one node to its neighbours."""

from netchoice._kernels.neighbour_draws import pick_any, pick_neighbours
from netchoice.models.growing import draw, link_picked, picked
from netchoice.models.mechanism import mechanism
from netchoice.models.model import Parameter
from netchoice.models.priors import uniform


@mechanism(
    "closure",
    "Leskovec, Kleinberg & Faloutsos, ACM Trans. Knowl. Discov. Data 1:2 (2007), "
    "doi:10.1145/1217299.1217301",
    p_burn=Parameter(
        uniform(0.05, 0.45),
        0.001,
        0.95,
        "probability that the fire takes one more neighbour of a burned node",
        adapts=True,
    ),
)
def forest_fire(net, new, p_burn):
    """Links that spread like a fire from one node to its neighbours

    The fire begins at a random earlier node. From each burned node it spreads to a geometric number
    of its neighbours that are not burned yet, with mean p_burn / (1 - p_burn), or to all of them if
    there are fewer. The new node is linked to all burned nodes. This is the undirected version: the
    fire spreads along all links of a node with the same probability. In the paper, links are directed,
    and the fire spreads with another probability against the direction of links. The function
    Forest_Fire of igraph draws a number for each direction, also for its undirected networks.

    Priors: p_burn is uniform on [0.05, 0.45], which gives 1.05 to 3.3 edges per node in networks of 1000
    nodes. Above 0.45 the number of edges per node increases fast with the size of the network.
    """
    n_picked = pick_any(net, new, 0)
    i = 0
    while i < n_picked:
        n_wanted = 0
        while n_wanted < new and draw(net) < p_burn:
            n_wanted += 1
        if n_wanted > 0:
            n_picked = pick_neighbours(net, picked(net, i), new, n_picked, n_wanted)
        i += 1
    link_picked(net, new, n_picked)
