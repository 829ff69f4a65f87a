"""Leading eigenvector and Estrada index of the adjacency matrix, component by component."""

import numpy as np

from netchoice._kernels.compiler import CONST_INTS, INT, INTS, helper, kernel
from netchoice._kernels.csr import counting_sort
from netchoice._kernels.exponential_trace import (
    half_order,
    is_within,
    trace_of_exponential,
    tree_trace_of_exponential,
)
from netchoice._kernels.krylov import (
    by_node,
    combine,
    descending,
    extend_basis,
    largest_eigenvalue_bound,
    new_basis,
    symmetric_eigen,
    top_of_tridiagonal,
    tridiagonal_eigen,
)
from netchoice._kernels.lanes import LANES

# Bound on the relative error of the Estrada index; it is usually a hundred times smaller.
TRACE_ACCURACY = 1e-10
EIGENVECTOR_ACCURACY = 1e-12
SAME_EIGENVALUE = 1e-9

# The basis for the leading pair: its size, and how many vectors a restart keeps.
BASIS_SIZE = 64
BASIS_KEPT = 16
STEPS_BETWEEN_CHECKS = 8
MAX_RESTARTS = 400

# The basis for the ends of the spectrum: the smallest component for which it is used, its largest
# size, and its largest share of the time of the series that it shortens.
SMALL_COMPONENT = 48
MAX_BASIS = 96
SHARE_FOR_ENDS = 0.18
# A series of at least this order detects an eigenvalue outside its interval by itself.
SELF_CHECKING_ORDER = 8


@helper
def _arrange(indptr, indices, label, n_components):
    """Sort the nodes by component, then by degree, and renumber the adjacency within components.

    Consecutive rows of equal length make the loops over them predictable and therefore faster.

    Returns ``nodes, start, new_indptr, new_indices``: component c consists of
    ``nodes[start[c]:start[c + 1]]``, and ``new_indices`` count from its first node.
    """
    n_nodes = len(label)
    degree = np.empty(n_nodes, np.int32)
    in_order = np.empty(n_nodes, np.int32)
    for u in range(n_nodes):
        degree[u] = indptr[u + 1] - indptr[u]
        in_order[u] = u
    by_degree, _ = counting_sort(degree, n_nodes, in_order)
    nodes, start = counting_sort(label, n_components, by_degree)
    within = np.empty(n_nodes, np.int32)
    for i in range(n_nodes):
        within[nodes[i]] = i - start[label[nodes[i]]]
    new_indptr = np.zeros(n_nodes + 1, np.int32)
    new_indices = np.empty(len(indices), np.uint32)  # unsigned indices need no sign check
    at = 0
    for i in range(n_nodes):
        u = nodes[i]
        for h in range(indptr[u], indptr[u + 1]):
            new_indices[at] = within[indices[h]]
            at += 1
        new_indptr[i + 1] = at
    return nodes, start, new_indptr, new_indices


@helper
def _one_component(c, start, indptr, indices):
    """Return the adjacency of component c."""
    first, n_nodes = start[c], start[c + 1] - start[c]
    own = np.empty(n_nodes + 1, np.int32)
    for i in range(n_nodes + 1):
        own[i] = indptr[first + i] - indptr[first]
    return own, indices[indptr[first] : indptr[first + n_nodes]]


@helper
def _leading_pair(indptr, indices):
    """Return leading eigenvalue and non-negative unit eigenvector of a connected graph with an edge.

    A Krylov basis is restarted from its best vectors when it is full. Keeping the pairs next to the
    leading one widens the gap that determines convergence, so that long paths converge as well.
    """
    n_nodes = len(indptr) - 1
    size = min(n_nodes, BASIS_SIZE)
    basis = new_basis(n_nodes, size + 1)
    projected, weights = np.zeros((size + 1, size + 1)), np.empty(size)
    built, remainder, value, done = 0, 0.0, 0.0, False
    while not done and built < size:
        wanted = min(size, built + STEPS_BETWEEN_CHECKS)
        built, remainder = extend_basis(indptr, indices, basis, projected, built, wanted)
        value, gap = top_of_tridiagonal(projected, built, weights)
        done = built < wanted or _converged(value, gap, remainder * weights[built - 1])
    if not done:
        value, built = _restarted(indptr, indices, basis, projected, built, weights)
    vector = np.empty(n_nodes)
    combine(basis, weights, built, vector)
    for u in range(n_nodes):
        vector[u] = abs(vector[u])
    return value, vector


@helper
def _converged(value, gap, residual):
    """Return True if the vector's error (residual / gap) is small or the residual is rounding error."""
    return residual <= max(EIGENVECTOR_ACCURACY * gap, 1e-16 * value)


@helper
def _restarted(indptr, indices, basis, projected, built, weights):
    """Restart a full basis until its leading pair converges.

    Returns the leading eigenvalue and the size of the basis, and fills in the weights of its vectors.
    """
    size, value = built, 0.0
    values, rows = symmetric_eigen(projected, built)
    for _ in range(MAX_RESTARTS):
        order = descending(values)
        _restart(basis, rows, order, built, len(indptr) - 1)
        for i in range(len(projected)):
            for j in range(len(projected)):
                projected[i, j] = values[order[i]] if i == j and i < BASIS_KEPT else 0.0
        built, remainder = extend_basis(indptr, indices, basis, projected, BASIS_KEPT, size)
        values, rows = symmetric_eigen(projected, built)
        order = descending(values)
        value = values[order[0]]
        for i in range(built):
            weights[i] = rows[order[0], i]
        residual = remainder * abs(weights[built - 1])
        if built < size or _converged(value, value - values[order[1]], residual):
            break
    return value, built


@helper
def _restart(basis, rows, order, built, n_nodes):
    """Reduce a full basis to its best Ritz vectors and the next start vector."""
    best, columns = np.empty((BASIS_KEPT + 1, n_nodes)), by_node(basis, n_nodes)
    for i in range(BASIS_KEPT):
        combine(basis, rows[order[i]], built, best[i])
    for u in range(n_nodes):
        best[BASIS_KEPT, u] = columns[u, built]
    for u in range(n_nodes):
        for i in range(columns.shape[1]):
            columns[u, i] = best[i, u] if i <= BASIS_KEPT else 0.0


@kernel(CONST_INTS, CONST_INTS, INTS, INT)
def leading_eigenvector(indptr, indices, label, n_components):
    """Return the leading eigenvalue and its non-negative unit eigenvector.

    The vector is zero outside one component. If several components share the leading eigenvalue,
    it is the component with the smallest node id. ``label`` and ``n_components`` are the result of
    ``component_labels``.
    """
    n_nodes = len(label)
    vector = np.zeros(n_nodes)
    if n_nodes == 0:
        return 0.0, vector
    if len(indices) == 0:
        vector[0] = 1.0
        return 0.0, vector
    nodes, start, own_indptr, own_indices = _arrange(indptr, indices, label, n_components)
    upper = np.zeros(n_components)
    enough = 0.0
    for c in range(n_components):
        if start[c + 1] - start[c] > 1:
            small_indptr, small_indices = _one_component(c, start, own_indptr, own_indices)
            low, upper[c] = largest_eigenvalue_bound(small_indptr, small_indices, 3)
            enough = max(enough, low)
    enough -= 2 * SAME_EIGENVALUE * max(1.0, enough)
    largest, chosen, best = -1.0, 0, vector
    for c in range(n_components):
        if upper[c] >= enough:
            small_indptr, small_indices = _one_component(c, start, own_indptr, own_indices)
            value, found = _leading_pair(small_indptr, small_indices)
            if value > largest + SAME_EIGENVALUE * max(1.0, largest):
                largest, chosen, best = value, c, found
    for i in range(start[chosen], start[chosen + 1]):
        vector[nodes[i]] = best[i - start[chosen]]
    return largest, vector


@helper
def _rest_of_spectrum(values, residuals, n_ends):
    """Return an interval that contains the spectrum without the first ``n_ends`` pairs.

    The interval is never narrow relative to the leading value: the rounding error of a projected
    pair grows with every order of the series, and faster the farther its value lies outside.
    """
    low, high = np.inf, -np.inf
    for i in range(n_ends, len(values)):
        low = min(low, values[i] - residuals[i])
        high = max(high, values[i] + residuals[i])
    centre = 0.5 * (low + high)
    radius = max(0.51 * (high - low) + 1e-3 * max(1.0, abs(values[0])), abs(values[0]) / 8.0)
    return centre - radius, centre + radius


@helper
def _most(number, linear, quadratic, high, log_total):
    """Bound Σ exp(λ) / exp(log_total) over ``number`` values λ ≤ high with given Σ λ and Σ λ².

    (exp(x) − 1 − x) / x² grows with x, so exp(λ) ≤ 1 + λ + λ² (exp(high) − 1 − high) / high².
    """
    if high <= 1.0:
        return number * np.exp(1.0 - log_total)
    low_orders = (number + max(linear, 0.0)) * np.exp(-log_total)
    return low_orders + max(quadratic, 0.0) / high**2 * np.exp(min(high - log_total, 700.0))


@helper
def _plan(values, residuals, n_nodes, n_entries):
    """Choose how many extreme pairs to project out so that pairs and series together take least time.

    A pair is accurate enough if the error of its Ritz value, residual², is below the accuracy.
    Returns ``cost, n_ends, low, high, h``: nanoseconds (measured on one machine; only the ratios
    matter), and input for ``trace_of_exponential``. Cost 0 means that the rest is negligible.
    """
    log_total = max(np.log(n_nodes), values[0], -values[0])
    best = (np.inf, 0, 0.0, 0.0, 1)
    linear, quadratic = 0.0, float(n_entries)  # Σ λ and Σ λ² of what is left
    for n_ends in range(len(values)):
        low, high = _rest_of_spectrum(values, residuals, n_ends)
        if _most(n_nodes - n_ends, linear, quadratic, high, log_total) <= TRACE_ACCURACY:
            return 0.0, n_ends, low, high, 1
        accuracy = TRACE_ACCURACY * np.exp(min(log_total - high, 700.0)) / n_nodes
        h = half_order(0.5 * (high - low), accuracy)
        ends, sweep = (5.0 + 0.8 * n_ends) * n_nodes, 0.75 * n_entries + 2.9 * n_nodes
        cost = (ends + (h - 1) * sweep) * n_nodes / LANES
        if cost < best[0]:
            best = (cost, n_ends, low, high, h)
        error = residuals[n_ends] ** 2 * np.exp(abs(values[n_ends]) - log_total)
        if error > 0.01 * TRACE_ACCURACY:
            break
        linear -= values[n_ends]
        quadratic -= values[n_ends] ** 2
    return best


@helper
def _by_size(values, rows, remainder):
    """Sort Ritz values by decreasing absolute value; return values, residuals and the order."""
    n_values = len(values)
    order = descending(np.abs(values))
    ordered, residuals = np.empty(n_values), np.empty(n_values)
    for i in range(n_values):
        ordered[i] = values[order[i]]
        residuals[i] = remainder * abs(rows[order[i], n_values - 1])
    return ordered, residuals, order


@helper
def _split_off_ends(indptr, indices):
    """Compute extreme eigenpairs of a connected graph, and a plan for the rest of the spectrum.

    The Krylov basis grows as long as it is cheap relative to the series that it shortens.
    Returns ``vectors, sum of exp(value), leading, cost, low, high, h``, as in ``_plan``.
    """
    n_nodes, n_entries = len(indptr) - 1, len(indices)
    basis = new_basis(n_nodes, MAX_BASIS + 1)
    projected = np.zeros((MAX_BASIS + 1, MAX_BASIS + 1))
    built, growing = 0, True
    while growing:
        wanted = min(built + (8 if built else 24), MAX_BASIS, n_nodes)
        built, remainder = extend_basis(indptr, indices, basis, projected, built, wanted)
        ritz_values, rows = tridiagonal_eigen(projected, built)
        values, residuals, order = _by_size(ritz_values, rows, remainder)
        cost, n_ends, low, high, h = _plan(values, residuals, n_nodes, n_entries)
        spent = built * n_entries + 0.4 * built * built * n_nodes
        growing = remainder > 0.0 and built < MAX_BASIS and spent < SHARE_FOR_ENDS * cost
    ends = np.empty((n_nodes, n_ends))
    vector = np.empty(n_nodes)
    total = 0.0
    for i in range(n_ends):
        combine(basis, rows[order[i]], built, vector)
        for u in range(n_nodes):
            ends[u, i] = vector[u]
        total += np.exp(values[i])
    return ends, total, abs(values[0]), cost, low, high, h


@helper
def _estrada_of_component(indptr, indices):
    """Return the Estrada index of a connected graph with an edge."""
    n_nodes = len(indptr) - 1
    if n_nodes == 2:
        return 2.0 * np.cosh(1.0)
    is_tree = len(indices) == 2 * (n_nodes - 1)
    if is_tree or n_nodes < SMALL_COMPONENT:
        _, leading = largest_eigenvalue_bound(indptr, indices, 8)
        if is_tree:
            return tree_trace_of_exponential(indptr, indices, leading)
        ends, total, cost = np.empty((n_nodes, 0)), 0.0, np.inf
        low, high, h = -leading, leading, half_order(leading, TRACE_ACCURACY / n_nodes)
        h = max(h, SELF_CHECKING_ORDER)
    else:
        ends, total, leading, cost, low, high, h = _split_off_ends(indptr, indices)
    if total == np.inf:
        return total
    rest, radius = np.nan, 1.001 * leading
    if h >= SELF_CHECKING_ORDER or is_within(indptr, indices, low, high, ends):
        if cost == 0.0:
            return total
        rest = trace_of_exponential(indptr, indices, low, high, ends, h)
    while np.isnan(rest):  # the basis missed a repeated eigenvalue: use the leading one only
        h = half_order(radius, TRACE_ACCURACY / n_nodes)
        rest = trace_of_exponential(indptr, indices, -radius, radius, ends, h)
        radius *= 1.05
    return total + rest


@kernel(CONST_INTS, CONST_INTS, INTS, INT)
def estrada_index(indptr, indices, label, n_components):
    """Return the sum of exp(eigenvalue) over the adjacency spectrum, to a relative error of 1e-10.

    ``label`` and ``n_components`` are the result of ``component_labels``.
    """
    _, start, own_indptr, own_indices = _arrange(indptr, indices, label, n_components)
    total = 0.0
    for c in range(n_components):
        if start[c + 1] - start[c] == 1:
            total += 1.0
        else:
            small_indptr, small_indices = _one_component(c, start, own_indptr, own_indices)
            total += _estrada_of_component(small_indptr, small_indices)
    return total
