"""What all trees share: the array of their nodes, and the walk of a row to its leaf."""

import numpy as np
from numba import types

from netchoice._kernels.bits import words_for
from netchoice._kernels.compiler import helper, kernel
from netchoice._kernels.random_stream import uniform

CODES = types.Array(types.uint16, 2, "C")
FLOATS = types.Array(types.float64, 1, "C")
SEEDS = types.Array(types.uint64, 2, "C")
NODES = types.Array(types.int32, 2, "C")
OFFSETS = types.Array(types.int64, 1, "C")

#: Columns of the array of nodes: the column that the node splits (or LEAF), the last code that goes
#: left, the left child (the right one follows it; for a leaf, its number among the leaves), and the
#: majority class (0 in a regression tree).
SPLIT, CUT, CHILD, LABEL = 0, 1, 2, 3
LEAF = -1

ZERO = np.int64(0)  # the literal 0 has another type, and helpers would be compiled twice


@helper
def words_by_column(codes):
    """Return the number of words of bits that hold the codes of each column."""
    n_words = np.empty(len(codes), np.int64)
    for k in range(len(codes)):
        column = codes[k]
        last = 0
        for i in range(len(column)):
            last = max(last, np.int64(column[i]))
        n_words[k] = words_for(last + 1)
    return n_words


@helper
def leaf_of(codes, row, nodes):
    """Return the node in which a row ends."""
    node = 0
    while nodes[node, SPLIT] != LEAF:
        node = nodes[node, CHILD] + np.int64(codes[nodes[node, SPLIT], row] > nodes[node, CUT])
    return node


@helper
def shuffle_rows(oob, n_oob, nodes, n_nodes, shuffled, state):
    """Shuffle the out-of-bag rows once for every column that the tree splits."""
    used = np.zeros(len(shuffled), np.bool_)
    for node in range(n_nodes):
        if nodes[node, SPLIT] != LEAF:
            used[nodes[node, SPLIT]] = True
    a, b, c, d = state[0], state[1], state[2], state[3]
    for k in range(len(used)):
        order = shuffled[k]
        for i in range(n_oob if used[k] else 0):
            draw, a, b, c, d = uniform(a, b, c, d)
            j = int(draw * (i + 1))
            order[i] = order[j]
            order[j] = oob[i]
    state[0], state[1], state[2], state[3] = a, b, c, d


@helper
def number_leaves(nodes, n_nodes):
    """Number the leaves of a tree from 0."""
    n_leaves = 0
    for node in range(n_nodes):
        if nodes[node, SPLIT] == LEAF:
            nodes[node, CHILD] = n_leaves
            n_leaves += 1


@helper
def with_capacity(nodes, n_used, length):
    """Return the array, or a copy of its used rows in a longer one."""
    if len(nodes) >= length:
        return nodes
    larger = np.empty((2 * length, nodes.shape[1]), nodes.dtype)
    for i in range(n_used):
        for j in range(nodes.shape[1]):
            larger[i, j] = nodes[i, j]
    return larger


@kernel(CODES, OFFSETS, NODES)
def leaves_of_rows(codes, begins, nodes):
    """Return the node of each tree in which each row ends, numbered within the tree."""
    n, n_trees = codes.shape[1], len(begins) - 1
    leaves = np.empty((n, n_trees), np.int32)
    for t in range(n_trees):
        tree = nodes[begins[t] :]
        for row in range(n):
            leaves[row, t] = leaf_of(codes, row, tree)
    return leaves
