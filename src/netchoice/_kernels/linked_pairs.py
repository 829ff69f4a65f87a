"""Sets of linked pairs of nodes, and random pairs; a set is a hash table with open addressing."""

import numpy as np

from netchoice._kernels.compiler import helper
from netchoice._kernels.random_stream import uniform

_EMPTY, _REMOVED = -1, -2


@helper
def new_set(n_expected):
    """Return an empty set with room for this many pairs."""
    size = 16
    while size < 2 * n_expected:
        size *= 2
    return np.full(size, _EMPTY, np.int64)


@helper
def pair_key(u, v):
    """Return the key of a pair of nodes in either order."""
    return (np.int64(min(u, v)) << 32) | np.int64(max(u, v))


@helper
def slot_of(table, key):
    """Return the slot that holds the key, or the free slot where it belongs."""
    mask = len(table) - 1
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    slot = np.int64(mixed >> np.uint64(33)) & mask
    while table[slot] != _EMPTY and table[slot] != key:
        slot = (slot + 1) & mask
    return slot


@helper
def add(table, key):
    """Add a key to the set; return False if it was there already."""
    slot = slot_of(table, key)
    if table[slot] == key:
        return False
    table[slot] = key
    return True


@helper
def remove(table, key):
    """Remove a key from the set; its slot is not used again."""
    table[slot_of(table, key)] = _REMOVED


@helper
def larger_set(table):
    """Return the same set with twice the room, without the slots of removed keys."""
    larger = np.full(2 * len(table), _EMPTY, np.int64)
    for key in table:
        if key >= 0:
            larger[slot_of(larger, key)] = key
    return larger


@helper
def random_pair(n_nodes, a, b, c, d):
    """Draw two different nodes; also return the state of the random stream after the draws."""
    draw, a, b, c, d = uniform(a, b, c, d)
    u = int(draw * n_nodes)
    draw, a, b, c, d = uniform(a, b, c, d)
    v = int(draw * (n_nodes - 1))
    return u, v + 1 if v >= u else v, a, b, c, d
