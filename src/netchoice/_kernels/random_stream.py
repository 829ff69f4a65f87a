"""Random numbers inside kernels: the SFC64 generator, with its state in four local variables.

NumPy generators work inside compiled loops too, but take 10 µs to pass to a kernel and three times
as long per draw, which would be most of the time of growing a network. The stream equals that of
``numpy.random.SFC64`` in the same state, bit for bit. The caller's generator provides the seed.
"""

import numpy as np
from numba import types

from netchoice._kernels.compiler import helper

#: Three words from the caller's generator.
SEED = types.Array(types.uint64, 1, "C")


@helper
def uniform(a, b, c, d):
    """Draw a number in [0, 1); also return the state after the draw."""
    out = a + b + d
    d += np.uint64(1)
    a = b ^ (b >> np.uint64(11))
    b = c + (c << np.uint64(3))
    c = ((c << np.uint64(24)) | (c >> np.uint64(40))) + out
    return (out >> np.uint64(11)) * (1.0 / 9007199254740992.0), a, b, c, d


@helper
def start(seed):
    """Return the state of a new stream, after the 12 rounds with which NumPy mixes the seed."""
    a, b, c, d = seed[0], seed[1], seed[2], np.uint64(1)
    for _ in range(12):
        _, a, b, c, d = uniform(a, b, c, d)
    return a, b, c, d


@helper
def random_integer(mean, a, b, c, d):
    """Draw the integer below or above ``mean``, with this mean; also return the state afterwards."""
    draw, a, b, c, d = uniform(a, b, c, d)
    base = int(mean)
    return base + (1 if draw < mean - base else 0), a, b, c, d
