"""Compiled functions that make parts of kernels visible to tests."""

import numba
import numpy as np

from netchoice._kernels.classification_trees import ZERO
from netchoice._kernels.random_stream import start, uniform
from netchoice._kernels.tree_splits import draw_more, new_draws


@numba.njit
def uniforms(seed, n):
    """Return the first numbers of a random stream."""
    a, b, c, d = start(seed)
    out = np.empty(n)
    for i in range(n):
        out[i], a, b, c, d = uniform(a, b, c, d)
    return out


@numba.njit
def draw_columns(order, log_weights, n_candidates, n_nodes, seed):
    """Return, for each of ``n_nodes`` nodes of a tree, all columns in the order of their draw."""
    out = np.empty((n_nodes, len(order)), np.int32)
    draws, state = new_draws(order, log_weights, n_candidates), np.empty(4, np.uint64)
    state[0], state[1], state[2], state[3] = start(seed)
    for k in range(len(order)):
        draws.drawn_at[k] = -1
    for node in range(n_nodes):
        n_ready = ZERO
        while n_ready < len(order):
            n_ready = draw_more(draws, node, n_ready, state)
        for k in range(len(order)):
            out[node, k] = draws.drawn[k]
    return out
