"""Multinomial logistic regression by Newton's method.

Every column of the design is held in blocks of sixteen rows, so that all sums over rows are lane by
lane. Nothing is left to BLAS: the bits of a result do not depend on the number of threads.
"""

import numpy as np

from netchoice._kernels.compiler import helper
from netchoice._kernels.lanes import N_FLOATS, fill, load, store, zero_rows

MAX_STEPS, MAX_HALVINGS, TOLERANCE = 30, 30, 1e-8
ALLOWED_RISE = 1e-10  # of the loss in a step, relative to it: rounding errors
INTERCEPT_PENALTY = 1e-6  # keeps the intercept of a class without rows finite
SMALLEST_PIVOT = 1e-14  # relative to the diagonal; a smaller one is a rounding error


@helper
def _in_blocks(X, codes, weights, n_classes):
    """Return the design with a column of ones, the weights and the one-hot classes, in blocks.

    Column k of a matrix has the blocks k · n_blocks and following. The last block is filled with rows
    of weight 0.
    """
    n, q = X.shape
    n_blocks = (n + N_FLOATS - 1) // N_FLOATS
    design = zero_rows((q + 1) * n_blocks, N_FLOATS, np.float64)
    weight = zero_rows(n_blocks, N_FLOATS, np.float64)
    one_hot = zero_rows(n_classes * n_blocks, N_FLOATS, np.float64)
    for row in range(n):
        block, lane = row // N_FLOATS, row % N_FLOATS
        weight[block, lane] = weights[row]
        one_hot[codes[row] * n_blocks + block, lane] = 1.0
        design[block, lane] = 1.0
        for k in range(q):
            design[(k + 1) * n_blocks + block, lane] = X[row, k]
    return design, weight, one_hot


@helper
def _fill_scores(design, coefficients, scores):
    """Put the scores of all classes into blocks; those of the last class are 0."""
    n_free, p = coefficients.shape
    n_blocks = len(design) // p
    for c in range(n_free):
        for block in range(n_blocks):
            total = fill(coefficients[c, 0])
            for a in range(1, p):
                total = total + fill(coefficients[c, a]) * load(design, a * n_blocks + block)
            store(scores, c * n_blocks + block, total)
    for block in range(n_blocks):
        store(scores, n_free * n_blocks + block, fill(0.0))


@helper
def _to_probabilities(scores, one_hot, weight):
    """Replace scores by probabilities; return the weighted sum of −log p of the rows' classes."""
    n_blocks = len(weight)
    n_classes = len(scores) // n_blocks
    misfit = 0.0
    for block in range(n_blocks):
        for lane in range(N_FLOATS):
            top, own = 0.0, 0.0
            for c in range(n_classes):
                score = scores[c * n_blocks + block, lane]
                top = max(top, score)
                own += one_hot[c * n_blocks + block, lane] * score
            total = 0.0
            for c in range(n_classes):
                part = np.exp(scores[c * n_blocks + block, lane] - top)
                scores[c * n_blocks + block, lane] = part
                total += part
            for c in range(n_classes):
                scores[c * n_blocks + block, lane] /= total
            misfit += weight[block, lane] * (top + np.log(total) - own)
    return misfit


@helper
def _penalty_of(coefficients, ridge):
    """Return half the sum of squares, times the ridge, of coefficients that are centred over classes."""
    n_free, p = coefficients.shape
    penalty = 0.0
    for a in range(p):
        total, squares = 0.0, 0.0
        for c in range(n_free):
            total += coefficients[c, a]
            squares += coefficients[c, a] ** 2
        penalty += 0.5 * ridge[a] * (squares - total * total / (n_free + 1))
    return penalty


@helper
def _fill_products(design, factor, n_columns, lanes, sums):
    """Put the sum of factor · column over all rows into ``sums``, for each of the first columns."""
    n_blocks = len(factor)
    for a in range(0, n_columns, 2):  # two independent sums at a time keep the processor busy
        b = min(a + 1, n_columns - 1)
        first, second = fill(0.0), fill(0.0)
        for block in range(n_blocks):
            first = first + load(factor, block) * load(design, a * n_blocks + block)
            second = second + load(factor, block) * load(design, b * n_blocks + block)
        store(lanes, a, first)
        store(lanes, b, second)
    for a in range(n_columns):
        sums[a] = 0.0
        for lane in range(N_FLOATS):
            sums[a] += lanes[a, lane]


@helper
def _fill_derivatives(
    design, weight, one_hot, probabilities, coefficients, ridge, slope, curvature
):
    """Put the first and second derivatives of the loss into ``slope`` and ``curvature``."""
    n_free, p = coefficients.shape
    n_blocks = len(weight)
    factor = zero_rows(n_blocks, N_FLOATS, np.float64)
    times = zero_rows(n_blocks, N_FLOATS, np.float64)
    lanes, sums = zero_rows(p, N_FLOATS, np.float64), np.empty(p)
    minus = fill(-1.0)
    for i in range(n_free):
        for block in range(n_blocks):
            own = load(one_hot, i * n_blocks + block)
            residual = load(probabilities, i * n_blocks + block) + minus * own
            store(factor, block, load(weight, block) * residual)
        _fill_products(design, factor, p, lanes, sums)
        for a in range(p):
            total = sums[a]
            for j in range(n_free):
                total += ridge[a] * ((i == j) - 1 / (n_free + 1)) * coefficients[j, a]
            slope[i * p + a] = total
        for j in range(i, n_free):
            same = fill(1.0 if i == j else 0.0)
            for block in range(n_blocks):
                other = same + minus * load(probabilities, j * n_blocks + block)
                own = load(weight, block) * load(probabilities, i * n_blocks + block)
                store(factor, block, own * other)
            for a in range(p):
                for block in range(n_blocks):
                    store(times, block, load(factor, block) * load(design, a * n_blocks + block))
                _fill_products(design, times, a + 1, lanes, sums)
                for b in range(a + 1):
                    total = sums[b]
                    if a == b:
                        total += ridge[a] * ((i == j) - 1 / (n_free + 1))
                    curvature[i * p + a, j * p + b] = total
                    curvature[i * p + b, j * p + a] = total


@helper
def _move(coefficients, step, length, moved):
    """Put the coefficients minus length · step into ``moved``; return the largest change."""
    n_free, p = coefficients.shape
    largest = 0.0
    for c in range(n_free):
        for a in range(p):
            change = length * step[c * p + a]
            moved[c, a] = coefficients[c, a] - change
            largest = max(largest, abs(change))
    return largest


@helper
def _factorise(matrix):
    """Replace the upper triangle of a positive definite matrix by that of U, for which UᵀU = matrix.

    The rows of the matrix are filled up to a multiple of sixteen columns.
    """
    size, n_blocks = len(matrix), matrix.shape[1] // N_FLOATS
    rows = matrix.reshape(size * n_blocks, N_FLOATS)
    smallest = np.empty(size)
    for k in range(size):
        smallest[k] = SMALLEST_PIVOT * matrix[k, k]
    for k in range(size):
        root = np.sqrt(max(matrix[k, k], smallest[k]))
        for j in range(k, size):
            matrix[k, j] /= root
        matrix[k, k] = root
        for i in range(k + 1, size):
            factor = fill(-matrix[k, i])
            for block in range(i // N_FLOATS, n_blocks):
                product = factor * load(rows, k * n_blocks + block)
                store(rows, i * n_blocks + block, load(rows, i * n_blocks + block) + product)


@helper
def _solve_transposed(upper, vector):
    """Replace a vector by the solution x of Uᵀx = vector."""
    size = len(vector)
    for k in range(size):
        vector[k] /= upper[k, k]
        for i in range(k + 1, size):
            vector[i] -= upper[k, i] * vector[k]


@helper
def _solve(upper, vector):
    """Replace a vector by the solution x of UᵀU x = vector."""
    _solve_transposed(upper, vector)
    size = len(vector)
    for k in range(size - 1, -1, -1):
        total = vector[k]
        for i in range(k + 1, size):
            total -= upper[k, i] * vector[i]
        vector[k] = total / upper[k, k]


@helper
def _covariance_of_intercepts(upper, n_classes):
    """Return the block of the inverse of UᵀU that belongs to the intercepts, 0 for the last class."""
    size, n_free = len(upper), n_classes - 1
    solutions = np.zeros((n_free, size))
    covariance = np.zeros((n_classes, n_classes))
    for i in range(n_free):
        solutions[i, i * (size // n_free)] = 1.0
        _solve_transposed(upper, solutions[i])
        for j in range(i + 1):
            total = 0.0
            for k in range(size):
                total += solutions[i, k] * solutions[j, k]
            covariance[i, j] = covariance[j, i] = total
    return covariance


@helper
def fit_multinomial(X, codes, weights, n_classes, ridge):
    """Fit a weighted multinomial regression by Newton's method with step halving.

    X (n, q) has no column of ones; ``codes`` (n,) holds the classes. All slopes have the same ridge
    penalty. It applies to slopes that are centred over the classes, so the probabilities do not depend
    on which class is the last. Return the coefficients (q + 1, C), intercepts first, and the covariance
    (C, C) of the intercepts, both relative to the last class.
    """
    p, n_free = X.shape[1] + 1, n_classes - 1
    design, weight, one_hot = _in_blocks(X, codes, weights, n_classes)
    ridges = np.full(p, ridge)
    ridges[0] = INTERCEPT_PENALTY
    coefficients, tried = np.zeros((n_free, p)), np.zeros((n_free, p))
    probabilities = zero_rows(n_classes * len(weight), N_FLOATS, np.float64)
    size = n_free * p
    step, curvature = np.empty(size), np.zeros((size, size + -size % N_FLOATS))
    _fill_scores(design, coefficients, probabilities)
    loss = _to_probabilities(probabilities, one_hot, weight)
    for _ in range(MAX_STEPS):
        _fill_derivatives(
            design, weight, one_hot, probabilities, coefficients, ridges, step, curvature
        )
        _factorise(curvature)
        _solve(curvature, step)
        if _move(coefficients, step, 1.0, tried) < TOLERANCE:
            coefficients = tried
            break
        length, new_loss = 1.0, np.inf
        for _ in range(MAX_HALVINGS):
            _move(coefficients, step, length, tried)
            _fill_scores(design, tried, probabilities)
            new_loss = _to_probabilities(probabilities, one_hot, weight)
            new_loss += _penalty_of(tried, ridges)
            if new_loss <= loss + ALLOWED_RISE * abs(loss):
                break
            length /= 2
        coefficients, tried, loss = tried, coefficients, new_loss
    found = np.zeros((p, n_classes))
    for c in range(n_free):
        for a in range(p):
            found[a, c] = coefficients[c, a]
    return found, _covariance_of_intercepts(curvature, n_classes)
