"""Random numbers inside kernels: the SFC64 generator, its state in four local variables.

A NumPy generator works inside compiled loops too, but costs 10 µs to hand over and three times as
much per draw, which is most of the time of growing a network. The stream is bit for bit that of
``numpy.random.SFC64`` in the same state; its start comes from the caller's generator.
"""

import numpy as np
from numba import types

from netchoice._kernels.compiling import INT, helper, kernel

#: Three words from the caller's generator.
SEED = types.Array(types.uint64, 1, "C")


@helper
def uniform(a, b, c, d):
    """A number in [0, 1), and the state after it."""
    out = a + b + d
    d += np.uint64(1)
    a = b ^ (b >> np.uint64(11))
    b = c + (c << np.uint64(3))
    c = ((c << np.uint64(24)) | (c >> np.uint64(40))) + out
    return (out >> np.uint64(11)) * (1.0 / 9007199254740992.0), a, b, c, d


@helper
def start(seed):
    """The state after the rounds that mix the seed, as many as NumPy takes."""
    a, b, c, d = seed[0], seed[1], seed[2], np.uint64(1)
    for _ in range(12):
        _, a, b, c, d = uniform(a, b, c, d)
    return a, b, c, d


@helper
def whole(mean, a, b, c, d):
    """A random integer with this mean (the floor, or one more), and the state after it."""
    draw, a, b, c, d = uniform(a, b, c, d)
    base = int(mean)
    return base + (1 if draw < mean - base else 0), a, b, c, d


@kernel(SEED, INT)
def uniforms(seed, n):
    """The first numbers of a stream, for tests."""
    a, b, c, d = start(seed)
    out = np.empty(n)
    for i in range(n):
        out[i], a, b, c, d = uniform(a, b, c, d)
    return out
