"""Extreme eigenvalues: Krylov bases with full reorthogonalisation, and their Ritz pairs.

A basis is an array of rows, one orthonormal vector each, so that every loop over nodes is
contiguous. The projected matrix is small, dense and solved here rather than by LAPACK, whose last
bits depend on the machine's BLAS.
"""

import numpy as np

from netchoice._kernels.compiler import helper
from netchoice._kernels.lanes import inner_product

EPSILON = 2.220446049250313e-16
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
            root = np.hypot(slope, 1.0)
            step = slope + (root if slope >= 0 else -root)
            bulge = diagonal[high] - diagonal[low] + off_diagonal[low] / step
            sine, cosine, shift = 1.0, 1.0, 0.0
            split = False
            for i in range(high - 1, low - 1, -1):
                far, near = sine * off_diagonal[i], cosine * off_diagonal[i]
                root = np.hypot(far, bulge)
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
def top_of_tridiagonal(matrix, size):
    """Return the two largest eigenvalues of a tridiagonal block, and |last entry| of the first eigenvector.

    This is cheap enough for a check of convergence every few steps.
    """
    diagonal, off_diagonal = _tridiagonal_part(matrix, size)
    last_entries = np.zeros((size, 1))
    last_entries[size - 1, 0] = 1.0
    _diagonalise(diagonal, off_diagonal, last_entries)
    best = 0
    for i in range(size):
        if diagonal[i] > diagonal[best]:
            best = i
    second = -np.inf
    for i in range(size):
        if i != best:
            second = max(second, diagonal[i])
    return diagonal[best], second, abs(last_entries[best, 0])


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
def _add_multiple(target, factor, vector):
    for u in range(len(target)):
        target[u] += factor * vector[u]


@helper
def _scale(vector, factor):
    for u in range(len(vector)):
        vector[u] *= factor


@helper
def _orthogonalise(basis, n_rows, vector, coefficients):
    """Subtract from a vector its components along the first rows of a basis.

    Adds the components to ``coefficients`` and returns the length of the remainder.
    """
    for i in range(n_rows):
        row = basis[i]
        overlap = inner_product(row, vector)
        coefficients[i] += overlap
        _add_multiple(vector, -overlap, row)
    return np.sqrt(inner_product(vector, vector))


@helper
def extend_basis(indptr, indices, basis, projected, built, wanted):
    """Extend a Krylov basis from ``built`` to ``wanted`` vectors; add the start of the next extension.

    ``basis[:built + 1]`` must be orthonormal; ``projected`` receives basisᵀ · A · basis. Returns
    the number of vectors built (fewer when the space is exhausted) and the length of the last remainder.
    """
    coefficients = np.empty(wanted)
    remainder = 0.0
    for j in range(built, wanted):
        vector = basis[j + 1]
        multiply(indptr, indices, basis[j], vector)
        length_before = np.sqrt(inner_product(vector, vector))
        for i in range(j + 1):
            coefficients[i] = 0.0
        remainder = _orthogonalise(basis, j + 1, vector, coefficients)
        if remainder < REORTHOGONALISE_BELOW * length_before:
            remainder = _orthogonalise(basis, j + 1, vector, coefficients)
        for i in range(j + 1):
            projected[i, j] = projected[j, i] = coefficients[i]
        if remainder <= EXHAUSTED * max(1.0, length_before):
            return j + 1, 0.0
        _scale(vector, 1.0 / remainder)
        projected[j + 1, j] = projected[j, j + 1] = remainder
    return wanted, remainder


@helper
def combine(basis, weights, n_rows, vector):
    """Put a combination of the first rows of a basis, scaled to length 1, into ``vector``."""
    for u in range(len(vector)):
        vector[u] = 0.0
    for i in range(n_rows):
        _add_multiple(vector, weights[i], basis[i])
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
