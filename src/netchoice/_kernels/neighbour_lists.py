"""Lists of links for networks whose links appear and disappear.

``nodes`` are records with ``first``, the place of the first link in ``links``, and ``degree``, the number
of links. ``links`` are records with ``node``, the other end, and ``back``, the place of the same link in
the list of the other end. Both may have more fields. A list is short, so that a search in it is faster than
a hash table. ``room`` is the number of places of each list. A list that is nearly full is moved to the end
of all lists, which is ``used``.
"""

import numpy as np

from netchoice._kernels.compiler import helper
from netchoice._kernels.csr import adjacency

#: Places of each list at the beginning.
ROOM = 8


@helper
def start_lists(nodes):
    """Place the lists of all nodes, which are empty; return the room of each and the used places."""
    for u in range(len(nodes)):
        nodes[u].first = ROOM * u
    return np.full(len(nodes), ROOM), ROOM * len(nodes)


@helper
def more_room(nodes, links, room, used, u):
    """Make room for two more links in the lists of a node and its neighbours.

    Returns ``links, used``.
    """
    for at in range(-1, np.int64(nodes[u].degree)):
        v = np.int64(u if at < 0 else links[nodes[u].first + at].node)
        if nodes[v].degree + 2 > room[v]:
            room[v] *= 2
            if used + room[v] > len(links):
                longer = np.empty(2 * used + room[v], links.dtype)
                longer[:used] = links[:used]
                links = longer
            first = np.int64(nodes[v].first)
            for place in range(nodes[v].degree):
                links[used + place] = links[first + place]
                links[links[first + place].back].back = used + place
            nodes[v].first = used
            used += room[v]
    return links, used


@helper
def adjacency_of(nodes, links):
    """Return the sorted adjacency of the network."""
    ends, n_edges = np.empty(nodes.degree.sum(), np.int32), 0
    for u in range(len(nodes)):
        for place in range(nodes[u].first, nodes[u].first + nodes[u].degree):
            if u < links[place].node:
                ends[2 * n_edges], ends[2 * n_edges + 1] = u, links[place].node
                n_edges += 1
    return adjacency(ends, n_edges, len(nodes))
