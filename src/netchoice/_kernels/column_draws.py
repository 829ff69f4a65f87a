"""The columns that a node of a tree tries: draws without replacement, with or without weights."""

from collections import namedtuple

import numpy as np

from netchoice._kernels.compiler import helper
from netchoice._kernels.random_stream import uniform

_SMALLEST_DRAW = 2.0**-53

#: The state of drawing columns. ``order`` lists columns by decreasing weight; ``log_weights`` (empty if
#: all are equal) and ``time_scale`` have the same order; ``drawn`` lists the columns drawn for a node;
#: ``drawn_at`` is the node for which a column was drawn last; the other fields are working memory.
Draws = namedtuple("Draws", "order log_weights time_scale drawn drawn_at arrival winners")


@helper
def new_draws(order, log_weights, n_candidates):
    time_scale = np.empty(len(log_weights))
    for i in range(len(log_weights)):
        time_scale[i] = np.exp(log_weights[n_candidates - 1] - log_weights[i])
    drawn_at = np.empty(len(order), np.int64)
    arrival, winners = np.empty(n_candidates), np.empty(n_candidates, np.int64)
    return Draws(order, log_weights, time_scale, order.copy(), drawn_at, arrival, winners)


@helper
def _continue_shuffle(drawn, n_drawn, wanted, state):
    """Draw uniformly without replacement: the next entries of a random shuffle."""
    a, b, c, d = state[0], state[1], state[2], state[3]
    for i in range(n_drawn, n_drawn + wanted):
        draw, a, b, c, d = uniform(a, b, c, d)
        j = i + int(draw * (len(drawn) - i))
        drawn[i], drawn[j] = drawn[j], drawn[i]
    state[0], state[1], state[2], state[3] = a, b, c, d


@helper
def _draw_weighted(draws, node, n_drawn, wanted, state):
    """Draw with weights, without replacement: the columns with the smallest exponential times.

    Times are in units of the ``wanted``-th heaviest column not yet drawn, so that the winners'
    times are finite for all weights. A later round of the same node draws new times for the other
    columns, which gives the same distribution because exponential times are memoryless.
    """
    log_weights, drawn_at, arrival, winners = (
        draws.log_weights, draws.drawn_at, draws.arrival, draws.winners
    )  # fmt: skip
    log_unit, n_waiting, place = 0.0, 0, 0
    while n_drawn > 0 and n_waiting < wanted:
        n_waiting += drawn_at[place] != node
        log_unit = log_weights[place]
        place += 1
    a, b, c, d = state[0], state[1], state[2], state[3]
    n_winners, latest = 0, np.inf
    for i in range(len(log_weights)):
        if n_drawn > 0 and drawn_at[i] == node:
            continue
        scale = draws.time_scale[i] if n_drawn == 0 else np.exp(log_unit - log_weights[i])
        if scale * _SMALLEST_DRAW > latest:
            break  # neither this column nor the following ones, which have larger scales, can win
        draw, a, b, c, d = uniform(a, b, c, d)
        if scale * draw >= latest:
            continue  # −log(1 − draw) ≥ draw, so the time is too late; the logarithm is not needed
        time = -np.log(1.0 - draw) * scale
        if time >= latest:
            continue
        n_winners = min(n_winners + 1, wanted)
        place = n_winners - 1
        while place > 0 and arrival[place - 1] > time:
            arrival[place] = arrival[place - 1]
            winners[place] = winners[place - 1]
            place -= 1
        arrival[place] = time
        winners[place] = i
        if n_winners == wanted:
            latest = arrival[wanted - 1]
    for j in range(wanted):
        drawn_at[winners[j]] = node
        draws.drawn[n_drawn + j] = draws.order[winners[j]]
    state[0], state[1], state[2], state[3] = a, b, c, d


@helper
def draw_more(draws, node, n_drawn, state):
    """Draw further columns for the node; return how many have been drawn."""
    wanted = min(len(draws.winners), len(draws.order) - n_drawn)
    if len(draws.log_weights) > 0:
        _draw_weighted(draws, node, n_drawn, wanted, state)
    else:
        _continue_shuffle(draws.drawn, n_drawn, wanted, state)
    return n_drawn + wanted
