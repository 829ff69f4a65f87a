"""Trace of the exponential of an adjacency matrix, without an n × n matrix.

Two methods, both deterministic and of controlled accuracy:

- Trees: the trace is a contour integral of e^z · tr (z − A)⁻¹, and the trace of the resolvent of a
  tree takes one sweep from the leaves to the root.
- Everything else: tr exp(A) = Σ cₖ tr Tₖ, a Chebyshev series over an interval that holds the
  spectrum. The traces are sums over unit vectors, sixteen at a time so that they share each pass
  over the graph, and products of vectors of order h give the traces up to order 2h. Eigenvectors
  at the ends of the spectrum can be projected out, which narrows the interval.
"""

import numpy as np

from netchoice._kernels.compiler import helper
from netchoice._kernels.krylov import multiply
from netchoice._kernels.lanes import (
    LANES,
    chebyshev_sweep,
    fill_combinations,
    inner_product,
    zero_rows,
)

POLES = 14
PROBE_ORDER = 12


@helper
def bessel_coefficients(radius, order):
    """Return the Chebyshev coefficients 0 … order of exp(radius · x), divided by exp(radius).

    They follow from the downward recurrence of the modified Bessel functions, normalised by their
    known sum.
    """
    start = order + 20 + int(2.0 * radius)
    coefficients = np.zeros(order + 1)
    coefficients[0] = 1.0
    if radius < 1e-300:
        return coefficients
    following, current, total = 0.0, 1e-280, 0.0
    for k in range(start, -1, -1):
        if k <= order:
            coefficients[k] = 2.0 * current if k else current
        total += 2.0 * current if k else current
        following, current = current, following + 2.0 * k / radius * current
        if current > 1e200:
            current *= 1e-280
            following *= 1e-280
            total *= 1e-280
            for i in range(k, order + 1):
                coefficients[i] *= 1e-280
    for k in range(order + 1):
        coefficients[k] /= total
    return coefficients


@helper
def half_order(radius, accuracy):
    """Return the smallest h such that the series to order 2h errs by at most accuracy · exp(radius)."""
    most = 20 + int(2.0 * radius)
    coefficients = bessel_coefficients(radius, most)
    tail = 0.0
    k = most
    while k > 0 and tail + coefficients[k] <= accuracy:
        tail += coefficients[k]
        k -= 1
    return max(1, (k + 1) // 2)


@helper
def _negative_rows(columns, first, count, weights):
    for i in range(columns.shape[1]):
        for lane in range(LANES):
            weights[i, lane] = -columns[first + lane, i] if lane < count else 0.0


@helper
def _first_two_orders(indptr, indices, first, shift, radius, ends, images, weights, zeroth, linear):
    """Compute T₀ and T₁ of sixteen unit vectors from node ``first`` on, without the span of ``ends``.

    ``images`` are T₁ · ends, so that only the neighbours of the sixteen nodes are visited.
    """
    count = min(LANES, len(indptr) - 1 - first)
    _negative_rows(ends, first, count, weights)
    fill_combinations(ends, weights, zeroth)
    fill_combinations(images, weights, linear)
    for lane in range(count):
        u = first + lane
        zeroth[u, lane] += 1.0
        linear[u, lane] -= shift / radius
        for h in range(indptr[u], indptr[u + 1]):
            linear[indices[h], lane] += 1.0 / radius


@helper
def _higher_orders(indptr, indices, even, odd, shift, radius, sums):
    """Add (yₖ, yₖ) and (yₖ, yₖ₋₁), k ≥ 2, to row k of ``sums``, from y₀ = even and y₁ = odd."""
    for k in range(2, len(sums)):
        if k % 2 == 0:
            chebyshev_sweep(indptr, indices, even, odd, shift, 2.0 / radius, 1.0, sums[k])
        else:
            chebyshev_sweep(indptr, indices, odd, even, shift, 2.0 / radius, 1.0, sums[k])


@helper
def _images(indptr, indices, ends, shift, radius):
    """Compute (A − shift) / radius · ends, column by column, and the traces of A and A² on ``ends``.

    Returns ``images, tr endsᵀ·A·ends, tr endsᵀ·A²·ends``.
    """
    images = np.empty(ends.shape)
    column, product = np.empty(len(ends)), np.empty(len(ends))
    linear = quadratic = 0.0
    for i in range(ends.shape[1]):
        for u in range(len(ends)):
            column[u] = ends[u, i]
        multiply(indptr, indices, column, product)
        linear += inner_product(column, product)
        quadratic += inner_product(product, product)
        for u in range(len(ends)):
            images[u, i] = (product[u] - shift * column[u]) / radius
    return images, linear, quadratic


@helper
def trace_of_exponential(indptr, indices, low, high, ends, h):
    """Return the trace of exp(A) on the complement of the orthonormal columns ``ends``, to order 2h.

    Returns NaN if the rest of the spectrum is not within [low, high]. All |Tₖ| ≤ 1 there, so a sum
    of squares above the dimension shows an eigenvalue outside that was not projected out.
    """
    n_nodes, n_ends = ends.shape
    shift, radius = 0.5 * (low + high), 0.5 * (high - low)
    images, linear, quadratic = _images(indptr, indices, ends, shift, radius)
    sums = np.zeros((h + 1, 2, LANES))
    even, odd = zero_rows(n_nodes, LANES, np.float64), zero_rows(n_nodes, LANES, np.float64)
    weights = np.empty((n_ends, LANES))
    for first in range(0, n_nodes, LANES):
        _first_two_orders(indptr, indices, first, shift, radius, ends, images, weights, even, odd)
        _higher_orders(indptr, indices, even, odd, shift, radius, sums)
    squares, products = _lane_totals(sums)
    # The traces of order 0, 1 and 2 follow from the counts of nodes and edges.
    rest = n_nodes - n_ends
    squares[0] = rest
    products[1] = (-linear - shift * rest) / radius
    squares[1] = (len(indices) - quadratic + 2.0 * shift * linear + shift**2 * rest) / radius**2
    for k in range(h + 1):
        if squares[k] > rest * (1.0 + 1e-8) + 1e-8:
            return np.nan
    half = np.exp(
        0.5 * high
    )  # two factors, because exp(high) may overflow where the product does not
    return _series(squares, products, radius) * half * half


@helper
def _lane_totals(sums):
    squares, products = np.zeros(len(sums)), np.zeros(len(sums))
    for k in range(len(sums)):
        for lane in range(LANES):
            squares[k] += sums[k, 0, lane]
            products[k] += sums[k, 1, lane]
    return squares, products


@helper
def is_within(indptr, indices, low, high, ends):
    """Return True if no eigenvalue other than those of ``ends`` is clearly outside [low, high].

    The test uses sixteen vectors of random signs, which overlap every eigenvector: an eigenvalue
    outside by some per cent makes them grow.
    """
    n_nodes, n_ends = ends.shape
    shift, radius = 0.5 * (low + high), 0.5 * (high - low)
    even, odd = zero_rows(n_nodes, LANES, np.float64), zero_rows(n_nodes, LANES, np.float64)
    state = np.uint64(0x9E3779B97F4A7C15)
    for u in range(n_nodes):
        for lane in range(LANES):
            state ^= state << np.uint64(13)
            state ^= state >> np.uint64(7)
            state ^= state << np.uint64(17)
            even[u, lane] = 1.0 if state >> np.uint64(63) else -1.0
    weights = np.zeros((n_ends, LANES))
    for u in range(n_nodes):
        for i in range(n_ends):
            for lane in range(LANES):
                weights[i, lane] -= ends[u, i] * even[u, lane]
    fill_combinations(ends, weights, odd)
    for u in range(n_nodes):
        for lane in range(LANES):
            even[u, lane] += odd[u, lane]
            odd[u, lane] = 0.0
    sums = np.zeros((PROBE_ORDER + 1, 2, LANES))
    chebyshev_sweep(indptr, indices, odd, even, shift, 1.0 / radius, 0.0, sums[1])
    _higher_orders(indptr, indices, even, odd, shift, radius, sums)
    squares, _ = _lane_totals(sums)
    largest = 0.0
    for k in range(PROBE_ORDER + 1):
        largest = max(largest, squares[k])
    return largest <= LANES * n_nodes


@helper
def _series(squares, products, radius):
    """Return Σ coefficient · trace, with T₂ₖ = 2Tₖ² − 1 and T₂ₖ₋₁ = 2TₖTₖ₋₁ − x."""
    h = len(squares) - 1
    coefficients = bessel_coefficients(radius, 2 * h)
    total = coefficients[0] * squares[0]
    for k in range(1, h + 1):
        total += coefficients[2 * k] * (2.0 * squares[k] - squares[0])
        total += coefficients[2 * k - 1] * (2.0 * products[k] - products[1])
    return total


@helper
def _breadth_first_tree(indptr, indices):
    """Return the nodes of a tree in breadth-first order from node 0, and their parents (root: −1)."""
    n_nodes = len(indptr) - 1
    order = np.empty(n_nodes, np.int32)
    parent = np.full(n_nodes, -1, np.int32)
    order[0] = 0
    tail = 1
    for head in range(n_nodes):
        u = order[head]
        for h in range(indptr[u], indptr[u + 1]):
            v = indices[h]
            if v != parent[u]:
                parent[v] = u
                order[tail] = v
                tail += 1
    return order, parent


@helper
def _contour(real, imaginary, weight_real, weight_imaginary):
    """Fill in nodes and weights of the hyperbolic contour of Weideman and Trefethen (2007).

    The imaginary part of Σ weight / (node − x) is e^x for all x ≤ 0, to 3e-14 with 14 nodes; with
    more nodes rounding errors dominate. doi:10.1090/S0025-5718-07-01945-X.
    """
    step = 1.081792140 / POLES
    size = 4.492075287 * POLES
    sine, cosine = np.sin(1.172104229), np.cos(1.172104229)
    for k in range(POLES):
        at = (k + 0.5) * step
        real[k] = size * (1.0 - sine * np.cosh(at))
        imaginary[k] = size * cosine * np.sinh(at)
        length = np.exp(real[k]) * step / np.pi
        turn_real, turn_imaginary = np.cos(imaginary[k]), np.sin(imaginary[k])
        slope_real = -size * sine * np.sinh(at)
        slope_imaginary = size * cosine * np.cosh(at)
        weight_real[k] = length * (turn_real * slope_real - turn_imaginary * slope_imaginary)
        weight_imaginary[k] = length * (turn_real * slope_imaginary + turn_imaginary * slope_real)


@helper
def _tree_is_below(order, parent, value, pivots):
    """Return True if all eigenvalues of the tree are below ``value`` (positive pivots of value − A)."""
    for u in range(len(order)):
        pivots[u] = value
    for i in range(len(order) - 1, -1, -1):
        u = order[i]
        pivot = pivots[u]
        if pivot <= 0.0:
            return False
        if i:
            pivots[parent[u]] -= 1.0 / pivot
    return True


@helper
def _eliminate(order, parent, real, imaginary, pivots, slopes, traces):
    """Add the trace of (z − A)⁻¹ − z⁻¹ at all poles z to ``traces``, in one sweep to the root.

    Pivots of z − A and their derivatives by z (slopes) are stored as real parts, then imaginary
    parts. The trace is the derivative of the logarithm of the determinant, Σ slope / pivot. Most
    eigenvalues of a tree are 0; subtracting their part node by node avoids cancellation.
    """
    for i in range(len(order) - 1, -1, -1):
        u = order[i]
        up = parent[u] if i else u
        link = 1.0 if i else 0.0
        for k in range(POLES):
            size = 1.0 / (real[k] * real[k] + imaginary[k] * imaginary[k])
            free_a, free_b = real[k] * size, -imaginary[k] * size
            a, b = pivots[u, k], pivots[u, POLES + k]
            size = 1.0 / (a * a + b * b)
            a, b = a * size, -b * size
            p = slopes[u, k] * a - slopes[u, POLES + k] * b
            q = slopes[u, k] * b + slopes[u, POLES + k] * a
            traces[k] += p - free_a
            traces[POLES + k] += q - free_b
            pivots[up, k] -= link * a
            pivots[up, POLES + k] -= link * b
            slopes[up, k] += link * (p * a - q * b)
            slopes[up, POLES + k] += link * (p * b + q * a)


@helper
def _shift_above_spectrum(order, parent, upper):
    """Return a number at most 0.1 above the spectrum; an excess x loses a factor e^x of accuracy."""
    pivots = np.empty(len(order))
    lower = 0.0
    while upper - lower > 0.1:
        middle = 0.5 * (lower + upper)
        if _tree_is_below(order, parent, middle, pivots):
            upper = middle
        else:
            lower = middle
    return upper


@helper
def tree_trace_of_exponential(indptr, indices, upper):
    """Return the trace of exp(A) of a tree whose eigenvalues are below ``upper``."""
    n_nodes = len(indptr) - 1
    order, parent = _breadth_first_tree(indptr, indices)
    shift = _shift_above_spectrum(order, parent, upper)
    real, imaginary = np.empty(POLES), np.empty(POLES)
    weight_real, weight_imaginary = np.empty(POLES), np.empty(POLES)
    _contour(real, imaginary, weight_real, weight_imaginary)
    pivots, slopes = np.empty((n_nodes, 2 * POLES)), np.empty((n_nodes, 2 * POLES))
    for k in range(POLES):
        real[k] += shift
    for u in range(n_nodes):
        for k in range(POLES):
            pivots[u, k], pivots[u, POLES + k] = real[k], imaginary[k]
            slopes[u, k], slopes[u, POLES + k] = 1.0, 0.0
    traces = np.zeros(2 * POLES)
    _eliminate(order, parent, real, imaginary, pivots, slopes, traces)
    total = 0.0
    for k in range(POLES):
        total += weight_real[k] * traces[POLES + k] + weight_imaginary[k] * traces[k]
    half = np.exp(0.5 * shift)
    return n_nodes + total * half * half
