"""Sets of small numbers as the bits of machine words.

NumPy's integer functions do not use the two machine instructions that make such sets fast, so
this module emits them directly. Words are always ``uint64``: mixed with signed integers they
would become floats.
"""

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from netchoice._kernels.compiler import helper

WORD = 64
NOTHING = np.uint64(0)
EVERYTHING = np.uint64(0xFFFFFFFFFFFFFFFF)
_ONE = np.uint64(1)


def _population_count(typing_context, word):
    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


def _trailing_zeros(typing_context, word):
    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.int64(types.uint64), generate


#: Number of bits that are set in a word.
size_of: Any = intrinsic(_population_count)
#: Position of the lowest bit that is set, in a word that is not 0.
lowest_of: Any = intrinsic(_trailing_zeros)


@helper
def only(bit):
    """Return the word in which only this bit is set, 0 ≤ bit < 64."""
    return _ONE << np.uint64(bit)


@helper
def without_lowest(word):
    """Return the word with its lowest set bit cleared."""
    return word & (word - _ONE)


@helper
def words_for(n_bits):
    """Return the number of words that hold this many bits."""
    return (n_bits + WORD - 1) // WORD
