"""The loop over the steps of a growing network, which calls one or two compiled steps by their address.

So any two mechanisms can be mixed without compiling the loop again. A step receives pointers instead of
arrays: passing arrays to a function that is not inlined updates their reference counts, which takes longer
than the step.
"""

import hashlib
from pathlib import Path
from types import FunctionType

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np.unsafe.ndarray import to_fixed_tuple

from netchoice._kernels.compiler import BOOL, FLOAT, FLOATS, INT, helper, kernel
from netchoice._kernels.csr import adjacency
from netchoice._kernels.growing import (
    DEGREE,
    EDGES,
    FIRST,
    LINKED,
    NODES,
    OWNER,
    ROOM_HALVES,
    ROOM_NODES,
    Growing,
    draw,
    link,
)
from netchoice._kernels.random_stream import SEED, start

DONE, TOO_MANY_NODES, TOO_MANY_EDGES, PASSED, MORE_ROOM = 0, 1, 2, 3, 4
#: A step adds at most as many edges as there are nodes, plus this number.
MORE_EDGES = 256
#: Numbers that a mechanism may keep between steps.
MEMORY = 256

STEP_TYPE = types.void(
    types.CPointer(types.int32),
    types.CPointer(types.int32),
    types.CPointer(types.float64),
    types.CPointer(types.int64),
    types.CPointer(types.uint64),
    types.CPointer(types.int32),
    types.CPointer(types.float64),
)


@helper
def growing(nodes, halves, traits, counts, stream, memory):
    """Return the growing network behind the pointers that a step receives."""
    sizes = numba.carray(counts, 5)
    return Growing(
        numba.carray(nodes, (sizes[ROOM_NODES], 4)),
        numba.carray(halves, (sizes[ROOM_HALVES], 2)),
        numba.carray(traits, sizes[ROOM_NODES]),
        sizes,
        numba.carray(stream, 4),
        numba.carray(memory, MEMORY),
    )


_SOURCES = [
    Path(__file__).with_name(f"{name}.py")
    for name in ("growing", "growth_loop", "neighbour_draws", "random_stream")
]
_VERSION = hashlib.blake2b(b"".join(map(Path.read_bytes, _SOURCES)), digest_size=4).hexdigest()


def _step_from_pointers(nodes, halves, traits, counts, stream, memory, values):
    net = growing(nodes, halves, traits, counts, stream, memory)
    arguments = to_fixed_tuple(numba.carray(values, n_values), n_values)  # noqa: F821
    step(net, net.counts[NODES], *arguments)  # noqa: F821


def compile_step(function, n_values):
    """Compile ``function(net, new, *values)``; return it and whether it came from the cache.

    The compiled function is cached next to the file that contains ``function``. It is compiled again when
    that file changes, and when this file or others that steps use do: a step must agree with the arrays of
    the loop.
    """
    code, source = _step_from_pointers.__code__, function.__code__
    code = code.replace(co_filename=source.co_filename, co_firstlineno=source.co_firstlineno)
    options = {"error_model": "numpy"}  # a division by 0 gives inf: a step cannot raise errors
    names = {**globals(), "step": numba.njit(**options)(function), "n_values": n_values}
    compiled = FunctionType(code, names, function.__name__)
    compiled.__qualname__ = f"{function.__qualname__}.{_VERSION}"
    try:
        step = numba.cfunc(STEP_TYPE, cache=True, **options)(compiled)
    except (
        RuntimeError
    ):  # there is no file to cache it next to, for example in an interactive session
        step = numba.cfunc(STEP_TYPE, **options)(compiled)
    return step, step.cache_hits > 0


@intrinsic
def _pointer(typing_context, array):
    """Return the address of the data of an array."""

    def generate(context, builder, signature, arguments):
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        return builder.bitcast(view.data, ir.IntType(8).as_pointer())

    return types.voidptr(array), generate


@intrinsic
def _call(typing_context, address, nodes, halves, traits, counts, stream, memory, values):
    """Call the compiled step at an address."""

    def generate(context, builder, signature, arguments):
        pointer = ir.IntType(8).as_pointer()
        function = ir.FunctionType(ir.VoidType(), [pointer] * 7)
        builder.call(builder.inttoptr(arguments[0], function.as_pointer()), arguments[1:])
        return context.get_dummy_value()

    return types.void(types.int64, *[types.voidptr] * 7), generate


@helper
def _longer(array, length, empty):
    """Copy the rows of an array into a longer one, whose other rows hold ``empty``."""
    longer = np.full((length, array.shape[1]), empty, array.dtype)
    longer[: len(array)] = array
    return longer


@helper
def _with_room(net):
    """Return the network with room for one more node and its edges."""
    t, most = net.counts[NODES], net.counts[EDGES] + net.counts[NODES] + MORE_EDGES
    nodes, halves, traits = net.nodes, net.halves, net.traits
    if t == len(nodes):
        nodes = _longer(nodes, 2 * t, 0)
        nodes[t:, FIRST] = -1
        traits = np.full(2 * t, -1.0)
        traits[:t] = net.traits
    if 2 * most > len(halves):
        halves = np.empty((4 * most, 2), np.int32)
        halves[: len(net.halves)] = net.halves
    net.counts[ROOM_NODES], net.counts[ROOM_HALVES] = len(nodes), len(halves)
    return Growing(nodes, halves, traits, net.counts, net.stream, net.memory)


@helper
def _star(n_leaves, n_nodes, seed):
    """Return the network at the beginning: node 0 with this number of neighbours."""
    nodes = np.zeros((max(n_nodes, n_leaves + 1), 4), np.int32)
    nodes[:, FIRST] = -1
    halves = np.empty((4 * n_nodes + 4 * MORE_EDGES, 2), np.int32)
    counts = np.array([n_leaves + 1, 0, 0, len(nodes), len(halves)])
    stream, memory = np.array(start(seed)), np.full(MEMORY, -1, np.int32)
    net = Growing(nodes, halves, np.full(len(nodes), -1.0), counts, stream, memory)
    for leaf in range(n_leaves):
        link(net, 0, leaf + 1)
    return net


@helper
def _steps(net, limits, drop, share, step, values, other, other_values, other_memory):
    """Grow until the network is complete, passes a limit or is out of room; return the status.

    The loop never replaces arrays: their reference counts would be updated in every step.
    """
    nodes, halves, traits = _pointer(net.nodes), _pointer(net.halves), _pointer(net.traits)
    counts, stream, memory = _pointer(net.counts), _pointer(net.stream), _pointer(net.memory)
    first_values, second_values = _pointer(values), _pointer(other_values)
    second_memory = _pointer(other_memory)
    n_nodes, max_nodes, max_edges = limits
    while True:
        t, edges = net.counts[NODES], net.counts[EDGES]
        counted = net.counts[LINKED] if drop else t
        if counted >= n_nodes:
            return DONE if counted == n_nodes else PASSED
        if t >= max_nodes:
            return TOO_MANY_NODES
        if edges > max_edges:
            return TOO_MANY_EDGES
        if t == len(net.nodes) or 2 * (edges + t + MORE_EDGES) > len(net.halves):
            return MORE_ROOM
        if share >= 1.0 or draw(net) < share:
            _call(step, nodes, halves, traits, counts, stream, memory, first_values)
        else:
            _call(other, nodes, halves, traits, counts, stream, second_memory, second_values)
        net.counts[NODES] = t + 1


@helper
def _leave_out_isolated(net, ends):
    """Number the non-isolated nodes in order, also in ``ends``; return how many there are."""
    n_kept, number = 0, np.empty(net.counts[NODES], np.int32)
    for u in range(len(number)):
        number[u] = n_kept
        n_kept += net.nodes[u, DEGREE] > 0
    for h in range(len(ends)):
        ends[h] = number[ends[h]]
    return n_kept


@kernel(INT, INT, INT, BOOL, INT, FLOAT, INT, FLOATS, INT, FLOATS, SEED)
def grow_by_steps(
    n_nodes, max_nodes, max_edges, drop, n_leaves, share, step, values, other, other_values, seed
):
    """Grow a network node by node from a star; a share of the steps is ``step``, the rest ``other``.

    With ``drop`` only non-isolated nodes count towards ``n_nodes``, and isolated ones are left out. One step
    can add two nodes and so pass ``n_nodes``; the caller then starts over. Returns ``status, number of nodes
    that were added, indptr, indices``.
    """
    net = _star(n_leaves, n_nodes, seed)
    limits, memory = (n_nodes, max_nodes, max_edges), net.memory.copy()
    while True:
        status = _steps(net, limits, drop, share, step, values, other, other_values, memory)
        if status != MORE_ROOM:
            break
        net = _with_room(net)
    ends, n_kept = net.halves[: 2 * net.counts[EDGES], OWNER].copy(), net.counts[NODES]
    if drop and net.counts[LINKED] < n_kept:
        n_kept = _leave_out_isolated(net, ends)
    indptr, indices = adjacency(ends, net.counts[EDGES], n_kept)
    return status, net.counts[NODES], indptr, indices
