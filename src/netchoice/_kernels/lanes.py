"""Short vectors (rows of lanes) that the processor handles as one number, and loops over sixteen of them.

``FLOATS`` and ``WORDS`` are types for the compiler: a row is held in the widest registers of the
machine, and the usual operators work lane by lane. Loops over short rows would give the same
result, but compilers do not reliably turn them into single instructions.

The loops over sixteen vectors side by side are most of the cost of the spectral features. The order of all
sums is fixed, so results are bit-identical.
"""

from __future__ import annotations

import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

from netchoice._kernels.compiler import helper

N_WORDS = 8
N_FLOATS = 16
LANE_BITS = np.uint16  # one bit for each of N_FLOATS lanes
CACHE_LINE = 64

_INT32 = ir.IntType(32)
_INT64 = ir.IntType(64)


class Lanes(types.Type):
    """The type of a row: a fixed number of lanes, each with a number of one type."""

    def __init__(self, dtype, number):
        self.dtype = dtype
        self.number = number
        super().__init__(name=f"Lanes({dtype}, {number})")

    def vector(self, element):
        """Return the vector type with the same number of lanes and another element type."""
        return ir.VectorType(element, self.number)


FLOATS = Lanes(types.float64, N_FLOATS)
WORDS = Lanes(types.uint64, N_WORDS)
_LANES_OF_DTYPE = {lanes.dtype: lanes for lanes in (FLOATS, WORDS)}
_LLVM_TYPE = {FLOATS: FLOATS.vector(ir.DoubleType()), WORDS: WORDS.vector(_INT64)}


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, lanes):
        super().__init__(manager, lanes, _LLVM_TYPE[lanes])


def _define_operator(operation, lanes, instruction):
    """Define an operator for two rows of lanes."""

    @infer_global(operation)
    class Signature(AbstractTemplate):
        def generic(self, args, kwargs):
            return signature(lanes, lanes, lanes) if args == (lanes, lanes) else None

    # Allow a product and a sum to become one instruction.
    flags = {"flags": ("contract",)} if lanes.dtype == types.float64 else {}

    @lower_builtin(operation, lanes, lanes)
    def lower(context, builder, sig, args):
        return getattr(builder, instruction)(*args, **flags)


_define_operator(operator.add, FLOATS, "fadd")
_define_operator(operator.mul, FLOATS, "fmul")
_define_operator(operator.truediv, FLOATS, "fdiv")
_define_operator(operator.or_, WORDS, "or_")
_define_operator(operator.xor, WORDS, "xor")


def _row_pointer(context, builder, array_type, array, row):
    """Return a pointer to the start of a row of a two-dimensional contiguous array."""
    view = context.make_array(array_type)(context, builder, value=array)
    if context.enable_boundscheck:
        shape = cgutils.unpack_tuple(builder, view.shape, 2)
        cgutils.do_boundscheck(context, builder, row, shape[0], 0)
    lanes = _LANES_OF_DTYPE[array_type.dtype]
    start = builder.gep(view.data, [builder.mul(row, ir.Constant(_INT64, lanes.number))])
    return builder.bitcast(start, _LLVM_TYPE[lanes].as_pointer())


def _call(builder, name, result, argument):
    """Call an LLVM intrinsic function."""
    function_type = ir.FunctionType(result, [argument.type])
    function = cgutils.get_or_insert_function(builder.module, function_type, name)
    return builder.call(function, [argument])


@intrinsic
def load(typing_context, rows, row):
    """Read one row of an array made by ``zero_rows``."""

    def generate(context, builder, sig, args):
        pointer = _row_pointer(context, builder, sig.args[0], *args)
        return builder.load(pointer, align=8)

    return _LANES_OF_DTYPE[rows.dtype](rows, types.int64), generate


@intrinsic
def store(typing_context, rows, row, lanes):
    """Write one row of an array made by ``zero_rows``."""

    def generate(context, builder, sig, args):
        pointer = _row_pointer(context, builder, sig.args[0], *args[:2])
        builder.store(args[2], pointer, align=8)
        return context.get_dummy_value()

    return types.void(rows, types.int64, lanes), generate


@intrinsic
def fill(typing_context, number):
    """Return a row with the same number in all lanes."""
    lanes = _LANES_OF_DTYPE[number]

    def generate(context, builder, sig, args):
        vector = _LLVM_TYPE[lanes]
        undefined = ir.Constant(vector, ir.Undefined)
        single = builder.insert_element(undefined, args[0], ir.Constant(_INT32, 0))
        first = ir.Constant(lanes.vector(_INT32), [0] * lanes.number)
        return builder.shuffle_vector(single, undefined, first)

    return lanes(number), generate


@intrinsic
def keep(typing_context, lanes, bits):
    """Set the lanes whose bit is not set to zero."""

    def generate(context, builder, sig, args):
        narrow = builder.trunc(args[1], ir.IntType(lanes.number))
        mask = builder.bitcast(narrow, lanes.vector(ir.IntType(1)))
        return builder.select(mask, args[0], ir.Constant(args[0].type, None))

    return lanes(lanes, types.int64), generate


@intrinsic
def nonzero(typing_context, lanes):
    """Return one bit per lane, set where the number is not zero."""
    is_float = lanes == FLOATS

    def generate(context, builder, sig, args):
        zero = ir.Constant(args[0].type, None)
        compare = builder.fcmp_unordered if is_float else builder.icmp_unsigned
        bits = builder.bitcast(compare("!=", args[0], zero), ir.IntType(lanes.number))
        return builder.zext(bits, _INT64)

    return types.int64(lanes), generate


@intrinsic
def sum_of(typing_context, lanes):
    """Return the sum of all lanes, in a fixed order: halves are added to each other."""

    def generate(context, builder, sig, args):
        row, n = args[0], lanes.number
        while n > 1:
            n //= 2
            undefined = ir.Constant(row.type, ir.Undefined)
            halves = [
                builder.shuffle_vector(
                    row, undefined, ir.Constant(ir.VectorType(_INT32, n), [*range(at, at + n)])
                )
                for at in (0, n)
            ]
            row = builder.fadd(*halves)
        return builder.extract_element(row, ir.Constant(_INT32, 0))

    return types.float64(lanes), generate


@intrinsic
def count_all_bits(typing_context, lanes):
    """Count the bits that are set in all lanes together."""

    def generate(context, builder, sig, args):
        words = args[0].type
        counts = _call(builder, f"llvm.ctpop.v{N_WORDS}i64", words, args[0])
        return _call(builder, f"llvm.vector.reduce.add.v{N_WORDS}i64", _INT64, counts)

    return types.int64(WORDS), generate


@helper
def zero_rows(n_rows, n_lanes, dtype):
    """Return zeros of shape (n_rows, n_lanes), with rows aligned to cache lines."""
    flat = np.zeros(n_rows * n_lanes + CACHE_LINE // 8, dtype)
    first = (-flat.ctypes.data % CACHE_LINE) // 8
    return flat[first : first + n_rows * n_lanes].reshape(n_rows, n_lanes)


LANES = N_FLOATS


@helper
def chebyshev_sweep(indptr, indices, older, newer, shift, scale, keep, sums):
    """Replace older by scale · (A − shift) · newer − keep · older.

    Adds the lanes' inner products (result, result) to ``sums[0]``, (result, newer) to ``sums[1]``.
    """
    minus_shift, times, minus_keep = fill(-shift), fill(scale), fill(-keep)
    squares, products = load(sums, 0), load(sums, 1)
    for u in range(len(indptr) - 1):
        own = load(newer, u)
        total = minus_shift * own
        for h in range(indptr[u], indptr[u + 1]):
            total = total + load(newer, indices[h])
        result = times * total + minus_keep * load(older, u)
        store(older, u, result)
        squares = squares + result * result
        products = products + result * own
    store(sums, 0, squares)
    store(sums, 1, products)


@helper
def fill_combinations(columns, weights, block):
    """Put Σᵢ columns[u, i] · weights[i] into block[u], each a row of sixteen."""
    for u in range(columns.shape[0]):
        total = fill(0.0)
        for i in range(columns.shape[1]):
            total = total + fill(columns[u, i]) * load(weights, i)
        store(block, u, total)


@helper
def inner_product(a, b):
    """Return the inner product of two arrays of equal length, in sixteen interleaved sums."""
    n_rows = len(a) // LANES
    a_rows = a[: n_rows * LANES].reshape((n_rows, LANES))
    b_rows = b[: n_rows * LANES].reshape((n_rows, LANES))
    sums = np.empty((1, LANES))
    total = fill(0.0)
    for i in range(n_rows):
        total = total + load(a_rows, i) * load(b_rows, i)
    store(sums, 0, total)
    result = 0.0
    for lane in range(LANES):
        result += sums[0, lane]
    for i in range(n_rows * LANES, len(a)):
        result += a[i] * b[i]
    return result
