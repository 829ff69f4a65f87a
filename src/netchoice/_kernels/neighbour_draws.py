"""Draws of nodes that the step of a growing mechanism has not picked yet.

A step stamps each node that it picks with the number of the new node, and lists it in the column of
picked nodes. The places after the picked nodes are free for lists of candidates.
"""

from netchoice._kernels.compiler import helper
from netchoice._kernels.growing import (
    PICKED,
    STAMP,
    draw,
    draw_unstamped,
    first,
    following,
    other_end,
    pick,
    stamp,
)


@helper
def pick_any(net, new, n_picked):
    """Pick one of the earlier nodes that are not picked yet, at least one, with equal probability."""
    node = draw_unstamped(net, new)
    stamp(net, node, new)
    pick(net, n_picked, node)
    return n_picked + 1


@helper
def keep_random(net, begin, end, n_wanted):
    """Move ``n_wanted`` random nodes of the places from ``begin`` to ``end`` to the front of them."""
    for i in range(begin, begin + n_wanted):
        j = i + int(draw(net) * (end - i))
        net.nodes[i, PICKED], net.nodes[j, PICKED] = net.nodes[j, PICKED], net.nodes[i, PICKED]


@helper
def pick_neighbours(net, node, new, n_picked, n_wanted):
    """Pick random neighbours of a node that are not picked yet; fewer if there are not enough.

    Returns the number of picked nodes afterwards.
    """
    end, half = n_picked, first(net, node)
    while half >= 0:
        if net.nodes[other_end(net, half), STAMP] != new:
            pick(net, end, other_end(net, half))
            end += 1
        half = following(net, half)
    n_wanted = min(n_wanted, end - n_picked)
    keep_random(net, n_picked, end, n_wanted)
    for i in range(n_picked, n_picked + n_wanted):
        stamp(net, net.nodes[i, PICKED], new)
    return n_picked + n_wanted
