"""Extreme eigenvalues: Krylov bases with full reorthogonalisation, and their Ritz pairs.

A basis holds orthonormal vectors as columns: for each node, the entries of all vectors in rows of sixteen
lanes. Sixteen inner products are then computed side by side, and unused lanes hold zeros. The projected
matrix is small, dense and solved here rather than by LAPACK, whose last bits depend on the machine's BLAS.
"""

import numpy as np

from netchoice._kernels.compiler import helper
from netchoice._kernels.lanes import LANES, fill, inner_product, load, store, sum_of, zero_rows

EPSILON = 2.220446049250313e-16
#: Instead of a pivot that is 0.
SMALLEST = 1e-300
# A second sweep of Gram–Schmidt is needed only if the first sweep removed a large part.
REORTHOGONALISE_BELOW = 0.5
# A remainder this small, relative to the orthogonalised vector, is rounding error.
EXHAUSTED = 1e-13


@helper
def _tridiagonal_part(matrix, size):
    diagonal, off_diagonal = np.empty(size), np.zeros(size)
    for i in range(size):
        diagonal[i] = matrix[i, i]
        if i + 1 < size:
            off_diagonal[i] = matrix[i, i + 1]
    return diagonal, off_diagonal


@helper
def _tridiagonalise(symmetric, size):
    """Reduce the leading block of a symmetric matrix to tridiagonal form (Householder).

    Returns diagonal, off-diagonal (entry i couples i and i + 1) and the rows of the orthogonal
    matrix Q for which block = Qᵀ · tridiagonal · Q.
    """
    matrix = np.empty((size, size))
    rows = np.empty((size, size))
    for i in range(size):
        for j in range(size):
            matrix[i, j] = symmetric[i, j]
            rows[i, j] = 1.0 if i == j else 0.0
    reflector = np.empty(size)
    image = np.empty(size)
    for k in range(size - 2):
        tail = 0.0
        for i in range(k + 2, size):
            tail += matrix[i, k] ** 2
        if tail == 0.0:
            continue
        first = matrix[k + 1, k]
        length = np.sqrt(first * first + tail)
        reflector[k + 1] = first + length if first > 0 else first - length
        for i in range(k + 2, size):
            reflector[i] = matrix[i, k]
        factor = 2.0 / (tail + reflector[k + 1] ** 2)
        overlap = 0.0
        for i in range(k, size):
            total = 0.0
            for j in range(k + 1, size):
                total += matrix[i, j] * reflector[j]
            image[i] = factor * total
            if i > k:
                overlap += image[i] * reflector[i]
        half = 0.5 * factor * overlap
        for i in range(k + 1, size):
            image[i] -= half * reflector[i]
        for i in range(k + 1, size):
            for j in range(k + 1, size):
                matrix[i, j] -= reflector[i] * image[j] + image[i] * reflector[j]
        matrix[k + 1, k] = matrix[k, k + 1] = -length if first > 0 else length
        for j in range(size):
            total = 0.0
            for i in range(k + 1, size):
                total += reflector[i] * rows[i, j]
            total *= factor
            for i in range(k + 1, size):
                rows[i, j] -= total * reflector[i]
    diagonal, off_diagonal = _tridiagonal_part(matrix, size)
    return diagonal, off_diagonal, rows


@helper
def _diagonalise(diagonal, off_diagonal, rows):
    """Diagonalise a tridiagonal matrix by implicitly shifted QL, rotating the rows with it, in place."""
    size = len(diagonal)
    for low in range(size):
        for _ in range(60):
            high = low
            while high + 1 < size:
                scale = abs(diagonal[high]) + abs(diagonal[high + 1])
                if abs(off_diagonal[high]) <= 0.5 * EPSILON * scale:
                    break
                high += 1
            if high == low:
                break
            slope = (diagonal[low + 1] - diagonal[low]) / (2.0 * off_diagonal[low])
            root = np.sqrt(slope * slope + 1.0)
            step = slope + (root if slope >= 0 else -root)
            bulge = diagonal[high] - diagonal[low] + off_diagonal[low] / step
            sine, cosine, shift = 1.0, 1.0, 0.0
            split = False
            for i in range(high - 1, low - 1, -1):
                far, near = sine * off_diagonal[i], cosine * off_diagonal[i]
                root = np.sqrt(far * far + bulge * bulge)
                off_diagonal[i + 1] = root
                if root == 0.0:
                    diagonal[i + 1] -= shift
                    off_diagonal[high] = 0.0
                    split = True
                    break
                sine, cosine = far / root, bulge / root
                bulge = diagonal[i + 1] - shift
                root = (diagonal[i] - bulge) * sine + 2.0 * cosine * near
                shift = sine * root
                diagonal[i + 1] = bulge + shift
                bulge = cosine * root - near
                for j in range(rows.shape[1]):
                    lower, upper = rows[i, j], rows[i + 1, j]
                    rows[i + 1, j] = sine * lower + cosine * upper
                    rows[i, j] = cosine * lower - sine * upper
            if not split:
                diagonal[low] -= shift
                off_diagonal[low] = bulge
                off_diagonal[high] = 0.0


@helper
def descending(keys):
    """Return the positions of the keys, largest key first."""
    order = np.empty(len(keys), np.int64)
    for i in range(len(keys)):
        place = i
        while place > 0 and keys[order[place - 1]] < keys[i]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = i
    return order


@helper
def symmetric_eigen(matrix, size):
    """Return unsorted eigenvalues and eigenvectors (rows) of the leading block of a matrix."""
    diagonal, off_diagonal, rows = _tridiagonalise(matrix, size)
    _diagonalise(diagonal, off_diagonal, rows)
    return diagonal, rows


@helper
def tridiagonal_eigen(matrix, size):
    """Return unsorted eigenvalues and eigenvectors (rows) of a tridiagonal leading block."""
    diagonal, off_diagonal = _tridiagonal_part(matrix, size)
    rows = np.zeros((size, size))
    for i in range(size):
        rows[i, i] = 1.0
    _diagonalise(diagonal, off_diagonal, rows)
    return diagonal, rows


@helper
def _largest_root(diagonal, off_diagonal):
    """Return the largest eigenvalue of a tridiagonal matrix, which is positive, by Newton's method.

    From above, the steps approach it without passing it. The characteristic polynomial is a product of
    pivots, and its logarithmic derivative the sum of slope / pivot.
    """
    size, value = len(diagonal), 0.0
    for i in range(size):
        before = off_diagonal[i - 1] if i else 0.0
        value = max(value, diagonal[i] + before + off_diagonal[i])
    for _ in range(1000):
        pivot, slope = max(value - diagonal[0], SMALLEST), 1.0
        total = slope / pivot
        for i in range(1, size):
            ratio = off_diagonal[i - 1] / pivot
            slope = 1.0 + ratio * ratio * slope
            pivot = max(value - diagonal[i] - off_diagonal[i - 1] * ratio, SMALLEST)
            total += slope / pivot
        if total * EPSILON * value >= 1.0:
            break
        value -= 1.0 / total
    return value


@helper
def _not_zero(pivot):
    return pivot if pivot != 0.0 else SMALLEST


@helper
def _is_alone(diagonal, off_diagonal, value):
    """Return whether one eigenvalue of a tridiagonal matrix at most is above a value."""
    n_above, pivot = 0, 1.0
    for i in range(len(diagonal)):
        before = off_diagonal[i - 1] if i else 0.0
        pivot = _not_zero(value - diagonal[i] - before * before / pivot)
        n_above += pivot < 0.0
    return n_above <= 1


@helper
def top_of_tridiagonal(matrix, size, vector):
    """Find the largest eigenvalue of a tridiagonal block; put its unit eigenvector into ``vector``.

    Returns the eigenvalue, and between half and all of the gap to the second one. The eigenvector follows
    from the pivots from both ends, which meet where its entry is largest. The entries of ``matrix`` next to
    the diagonal are positive.
    """
    diagonal, off_diagonal = _tridiagonal_part(matrix, size)
    value = _largest_root(diagonal, off_diagonal)
    gap = 2.0 * value
    while gap > EPSILON * value and not _is_alone(diagonal, off_diagonal, value - gap):
        gap *= 0.5
    down, up = np.empty(size), np.empty(size)
    for i in range(size):
        before = off_diagonal[i - 1] ** 2 / down[i - 1] if i else 0.0
        down[i] = _not_zero(value - diagonal[i] - before)
    meeting, least = 0, np.inf
    for i in range(size - 1, -1, -1):
        after = off_diagonal[i] ** 2 / up[i + 1] if i + 1 < size else 0.0
        up[i] = _not_zero(value - diagonal[i] - after)
        left = abs(down[i] - after)
        if left < least:
            meeting, least = i, left
    vector[meeting] = squares = 1.0
    for i in range(meeting - 1, -1, -1):
        vector[i] = vector[i + 1] * off_diagonal[i] / down[i]
        squares += vector[i] ** 2
    for i in range(meeting + 1, size):
        vector[i] = vector[i - 1] * off_diagonal[i - 1] / up[i]
        squares += vector[i] ** 2
    for i in range(size):
        vector[i] /= np.sqrt(squares)
    return value, gap


@helper
def multiply(indptr, indices, vector, product):
    """Put adjacency · vector into ``product``, with four sums per row that run in parallel."""
    for u in range(len(product)):
        h, end = indptr[u], indptr[u + 1]
        a = b = c = d = 0.0
        while h + 4 <= end:
            a += vector[indices[h]]
            b += vector[indices[h + 1]]
            c += vector[indices[h + 2]]
            d += vector[indices[h + 3]]
            h += 4
        while h < end:
            a += vector[indices[h]]
            h += 1
        product[u] = (a + b) + (c + d)


@helper
def _scale(vector, factor):
    for u in range(len(vector)):
        vector[u] *= factor


@helper
def new_basis(n_nodes, n_vectors):
    """Return a basis with room for so many vectors, of which the first is uneven and positive."""
    basis = zero_rows(n_nodes * ((n_vectors + LANES - 1) // LANES), LANES, np.float64)
    vector = np.empty(n_nodes)
    uneven_start(vector)
    columns = by_node(basis, n_nodes)
    for u in range(n_nodes):
        columns[u, 0] = vector[u]
    return basis


@helper
def by_node(basis, n_nodes):
    """Return a basis as an array with a row for each node and a column for each vector."""
    return basis.reshape((n_nodes, basis.size // n_nodes))


@helper
def _orthogonalise(basis, n_vectors, vector, components, totals):
    """Subtract from a vector its components along the first vectors of a basis.

    Adds the components to ``totals`` and returns the length of the remainder.
    """
    n_nodes = len(vector)
    width, n_parts = len(basis) // n_nodes, (n_vectors + LANES - 1) // LANES
    for part in range(n_parts):
        found = fill(0.0)
        for u in range(n_nodes):
            found = found + load(basis, u * width + part) * fill(vector[u])
        store(components, part, found)
        store(totals, part, load(totals, part) + found)
    for u in range(n_nodes):
        found = fill(0.0)
        for part in range(n_parts):
            found = found + load(basis, u * width + part) * load(components, part)
        vector[u] -= sum_of(found)
    return np.sqrt(inner_product(vector, vector))


@helper
def extend_basis(indptr, indices, basis, projected, built, wanted):
    """Extend a Krylov basis from ``built`` to ``wanted`` vectors; add the start of the next extension.

    The first ``built + 1`` vectors must be orthonormal; ``projected`` receives basisᵀ · A · basis. Returns
    the number of vectors built (fewer when the space is exhausted) and the length of the last remainder.
    """
    n_nodes = len(indptr) - 1
    columns, width = by_node(basis, n_nodes), len(basis) // n_nodes
    components = zero_rows(width, LANES, np.float64)
    totals = zero_rows(width, LANES, np.float64)
    newest, vector, remainder = np.empty(n_nodes), np.empty(n_nodes), 0.0
    for u in range(n_nodes):
        newest[u] = columns[u, built]
    for j in range(built, wanted):
        multiply(indptr, indices, newest, vector)
        length_before = np.sqrt(inner_product(vector, vector))
        for part in range(width):
            store(totals, part, fill(0.0))
        remainder = _orthogonalise(basis, j + 1, vector, components, totals)
        if remainder < REORTHOGONALISE_BELOW * length_before:
            remainder = _orthogonalise(basis, j + 1, vector, components, totals)
        for i in range(j + 1):
            projected[i, j] = projected[j, i] = totals[i // LANES, i % LANES]
        if remainder <= EXHAUSTED * max(1.0, length_before):
            return j + 1, 0.0
        for u in range(n_nodes):
            columns[u, j + 1] = newest[u] = vector[u] / remainder
        projected[j + 1, j] = projected[j, j + 1] = remainder
    return wanted, remainder


@helper
def combine(basis, weights, n_vectors, vector):
    """Put a combination of the first vectors of a basis, scaled to length 1, into ``vector``."""
    width = len(basis) // len(vector)
    factors = zero_rows(width, LANES, np.float64)
    for i in range(n_vectors):
        factors[i // LANES, i % LANES] = weights[i]
    for u in range(len(vector)):
        total = fill(0.0)
        for part in range(width):
            total = total + load(basis, u * width + part) * load(factors, part)
        vector[u] = sum_of(total)
    _scale(vector, 1.0 / np.sqrt(inner_product(vector, vector)))


@helper
def uneven_start(vector):
    """Fill in a positive unit vector without symmetry, which overlaps every eigenvector."""
    phase = 0.5
    for u in range(len(vector)):
        phase += 0.6180339887498949
        if phase >= 1.0:
            phase -= 1.0
        vector[u] = 1.0 + phase
    _scale(vector, 1.0 / np.sqrt(inner_product(vector, vector)))


@helper
def largest_eigenvalue_bound(indptr, indices, n_iterations):
    """Return a lower and an upper bound of the leading eigenvalue of a connected graph.

    Collatz–Wielandt: for a positive vector x the largest ratio (Ax)ᵤ/xᵤ is an upper bound. The
    vector is improved by powers of A + I, which converge on bipartite graphs as well; the Rayleigh
    quotient is the lower bound.
    """
    n_nodes = len(indptr) - 1
    vector = np.ones(n_nodes)
    product = np.empty(n_nodes)
    lower, upper = 0.0, np.inf
    for _ in range(n_iterations):
        multiply(indptr, indices, vector, product)
        largest_ratio, quadratic_form, squared_length = 0.0, 0.0, 0.0
        for u in range(n_nodes):
            largest_ratio = max(largest_ratio, product[u] / vector[u])
            quadratic_form += product[u] * vector[u]
            squared_length += vector[u] * vector[u]
        upper = min(upper, largest_ratio)
        lower = max(lower, quadratic_form / squared_length)
        shrink = 1.0 / (1.0 + upper)
        for u in range(n_nodes):
            vector[u] = (vector[u] + product[u]) * shrink
    return lower, upper
