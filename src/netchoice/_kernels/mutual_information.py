"""Mutual information of one pair of columns, in nats.

By counts: of two discrete columns, and its expected value under independence. The expectation is over
tables with the same margins: Nguyen Xuan Vinh, Julien Epps and James Bailey, Information theoretic measures
for clusterings comparison (2010), https://jmlr.org/papers/v11/vinh10a.html.

By nearest neighbours: of two columns of numbers, or of numbers and labels. Columns are sorted. A pair of
columns is two sorted columns and ``partner``: for each position in the first column, the position of the
same row in the second. Alexander Kraskov, Harald Stögbauer and Peter Grassberger, Estimating mutual
information (2004), doi:10.1103/PhysRevE.69.066138; Brian C. Ross, Mutual information between discrete and
continuous data sets (2014), doi:10.1371/journal.pone.0087357.

Sums run over counts in ascending order, so that exchanging the columns gives the same bits.
"""

import numpy as np
from numba import types

from netchoice._kernels.compiler import INT, INTS, helper, kernel

FLOATS = types.Array(types.float64, 1, "C")
LONGS = types.Array(types.int64, 1, "C")

#: All cells are counted in a dense table if there are at most this many per row of data.
_DENSE = 8

#: Number of rows on either side whose spread decides which column is wider around a row.
_SPREAD_ROWS = 8
#: Where one column is this many times wider, neighbours are searched along it alone.
_WIDER_FACTOR = 8.0
#: Rows per cell of the grid: the mean for independent columns, and the largest allowed mean.
_ROWS_PER_CELL, _MAX_ROWS_PER_CELL = 2.0, 6.0


# By counts


@helper
def _tally_of_cells(a, b, n_a, n_b):
    """Count the cells of the table that hold 0, 1, 2, … rows; empty cells may be left out."""
    n = len(a)
    tally = np.zeros(n + 1, np.int64)
    if n_a * n_b <= _DENSE * n:
        cells = np.zeros(n_a * n_b, np.int32)
        for i in range(n):
            cells[a[i] * n_b + b[i]] += 1
        for count in cells:
            tally[count] += 1
        return tally
    keys = np.empty(n, np.int64)
    for i in range(n):
        keys[i] = a[i] * np.int64(n_b) + b[i]
    keys.sort()
    run = 1
    for i in range(1, n):
        if keys[i] == keys[i - 1]:
            run += 1
        else:
            tally[run] += 1
            run = 1
    tally[run] += 1
    return tally


@kernel(INTS, INTS, INT, INT, FLOATS)
def joint_count_logs(a, b, n_a, n_b, log):
    """Return the sum over the cells of count · log(count); ``log[c]`` is the logarithm of c."""
    tally = _tally_of_cells(a, b, n_a, n_b)
    total = 0.0
    for count in range(2, len(tally)):
        if tally[count]:
            total += tally[count] * (count * log[count])
    return total


@helper
def _expected_cell(a, b, n, log):
    """Return the expectation of x · log(n x / (a b)) for the count x of a cell with margins a and b.

    The hypergeometric weights are computed relative to the most likely count, in both directions
    until they are negligible, and normalised at the end.
    """
    constant = log[n] - (log[a] + log[b])
    mode = ((a + 1) * (b + 1)) // (n + 2)
    weight, weights, total = 1.0, 0.0, 0.0
    x = mode
    while weight > 1e-19:
        weights += weight
        if x > 0:
            total += weight * x * (log[x] + constant)
        weight *= float((a - x) * (b - x)) / ((x + 1) * (n - a - b + x + 1))
        x += 1
    weight, x = 1.0, mode
    while x > 0:
        weight *= float(x * (n - a - b + x)) / ((a - x + 1) * (b - x + 1))
        x -= 1
        if weight <= 1e-19:
            break
        weights += weight
        if x > 0:
            total += weight * x * (log[x] + constant)
    return total / weights


@kernel(LONGS, LONGS, LONGS, LONGS, INT, FLOATS)
def expected_information(counts_a, times_a, counts_b, times_b, n, log):
    """Return the expected mutual information of independent columns with these margins.

    ``times_a[i]`` values of the first column have ``counts_a[i]`` rows each, and so for the second column.
    """
    total = 0.0
    for i in range(len(counts_a)):
        for j in range(len(counts_b)):
            times = float(times_a[i] * times_b[j])
            total += times * _expected_cell(counts_a[i], counts_b[j], n, log)
    return total / n


# By nearest neighbours


@helper
def _search_along(x, other, chosen, n_neighbors, radius):
    """Compute the distance of the chosen points to their k-th neighbour, searching along sorted x.

    The distance is the larger of both differences. The search goes from each point to the right
    and to the left until the difference in x alone is too large.
    """
    n = len(x)
    nearest = np.empty(n_neighbors)
    last = n_neighbors - 1
    for i in range(n):
        if not chosen[i]:
            continue
        x_here, y_here = x[i], other[i]
        for slot in range(n_neighbors):
            nearest[slot] = np.inf
        bound = np.inf
        for side in range(2):
            step = 1 - 2 * side
            j = i + step
            while 0 <= j < n:
                x_distance = abs(x[j] - x_here)
                if x_distance >= bound:
                    break
                distance = max(x_distance, abs(other[j] - y_here))
                if distance < bound:
                    slot = last
                    while slot > 0 and nearest[slot - 1] > distance:
                        nearest[slot] = nearest[slot - 1]
                        slot -= 1
                    nearest[slot] = distance
                    bound = nearest[last]
                j += step
        radius[i] = bound


@helper
def _cells(partner, width):
    """Sort the positions in the first column by cell of a square grid of ranks.

    Cells are numbered along the second column, block by block of the first. Returns the sorted
    positions, where each cell starts, the block of each rank (a look-up is faster than a division),
    and the mean, over rows, of the number of rows in their cell.
    """
    n = len(partner)
    block_of = np.empty(n, np.int32)
    block, end = 0, width
    for i in range(n):
        if i == end:
            block += 1
            end += width
        block_of[i] = block
    n_blocks = block + 1
    fill = np.zeros(n_blocks * n_blocks + 1, np.int32)
    for i in range(n):
        fill[block_of[i] * n_blocks + block_of[partner[i]] + 1] += 1
    sum_of_squares = 0
    for cell in range(n_blocks * n_blocks):
        sum_of_squares += fill[cell + 1] * fill[cell + 1]
        fill[cell + 1] += fill[cell]
    start = fill.copy()
    member = np.empty(n, np.int32)
    for i in range(n):
        cell = block_of[i] * n_blocks + block_of[partner[i]]
        member[fill[cell]] = i
        fill[cell] += 1
    return member, start, block_of, sum_of_squares / n


@helper
def _grid(partner):
    """Return the cells and their width, which is smaller if rows are concentrated in few cells."""
    width = int(np.sqrt(_ROWS_PER_CELL * len(partner))) + 1
    narrowest = max(width // 8, 1)
    member, start, block_of, rows_per_cell = _cells(partner, width)
    while rows_per_cell > _MAX_ROWS_PER_CELL and width >= 2 * narrowest:
        width //= 2
        member, start, block_of, rows_per_cell = _cells(partner, width)
    return member, start, block_of, width


@helper
def _search_grid(x, y, partner, chosen, n_neighbors, radius):
    """Compute the distance to the k-th neighbour with a grid of cells of equally many rows.

    The search starts in the three by three cells around a point. If a row outside
    may be nearer than the neighbours found, that side moves out, by twice as much each time.
    """
    member, start, block_of, width = _grid(partner)
    n = len(x)
    n_blocks = block_of[n - 1] + 1
    x_of = np.empty(n)
    y_of = np.empty(n)
    for slot in range(n):
        x_of[slot] = x[member[slot]]
        y_of[slot] = y[partner[member[slot]]]
    nearest = np.empty(n_neighbors + 1)
    for slot_here in range(n):
        i = member[slot_here]
        if not chosen[i]:
            continue
        x_here, y_here = x_of[slot_here], y_of[slot_here]
        x_block, y_block = block_of[i], block_of[partner[i]]
        left, right = max(x_block - 1, 0), min(x_block + 2, n_blocks)
        low, high = max(y_block - 1, 0), min(y_block + 2, n_blocks)
        step = 1
        while True:
            # The point itself is included, at distance 0.
            bound = np.inf
            if n_neighbors == 3:  # the default; this loop has no branches to mispredict
                first = second = third = np.inf
                for b in range(left, right):
                    for other in range(start[b * n_blocks + low], start[b * n_blocks + high]):
                        larger = max(abs(x_of[other] - x_here), abs(y_of[other] - y_here))
                        larger, first = max(first, larger), min(first, larger)
                        larger, second = max(second, larger), min(second, larger)
                        larger, third = max(third, larger), min(third, larger)
                        bound = min(bound, larger)
            else:
                nearest[:] = np.inf
                for b in range(left, right):
                    for other in range(start[b * n_blocks + low], start[b * n_blocks + high]):
                        distance = max(abs(x_of[other] - x_here), abs(y_of[other] - y_here))
                        if distance < bound:
                            slot = n_neighbors
                            while slot > 0 and nearest[slot - 1] > distance:
                                nearest[slot] = nearest[slot - 1]
                                slot -= 1
                            nearest[slot] = distance
                            bound = nearest[n_neighbors]
            complete = True
            if left > 0 and x_here - x[left * width - 1] < bound:
                left, complete = max(left - step, 0), False
            if right < n_blocks and x[right * width] - x_here < bound:
                right, complete = min(right + step, n_blocks), False
            if low > 0 and y_here - y[low * width - 1] < bound:
                low, complete = max(low - step, 0), False
            if high < n_blocks and y[high * width] - y_here < bound:
                high, complete = min(high + step, n_blocks), False
            if complete:
                break
            step *= 2
        radius[i] = bound


@helper
def _spread(x, i):
    return x[min(i + _SPREAD_ROWS, len(x) - 1)] - x[max(i - _SPREAD_ROWS, 0)]


@helper
def _radii(x, y, partner, n_neighbors):
    """Return the distance of every point to its k-th neighbour, in the order of x."""
    n = len(x)
    along_x = np.zeros(n, np.bool_)
    along_y = np.zeros(n, np.bool_)
    neither = np.zeros(n, np.bool_)
    y_at_x = np.empty(n)
    x_at_y = np.empty(n)
    for i in range(n):
        j = partner[i]
        y_at_x[i] = y[j]
        x_at_y[j] = x[i]
        width, height = _spread(x, i), _spread(y, j)
        along_x[i] = width > _WIDER_FACTOR * height
        along_y[j] = height > _WIDER_FACTOR * width
        neither[i] = not (along_x[i] or along_y[j])
    radius = np.empty(n)
    _search_along(x, y_at_x, along_x, n_neighbors, radius)
    _search_grid(x, y, partner, neither, n_neighbors, radius)
    radius_at_y = np.empty(n)
    _search_along(y, x_at_y, along_y, n_neighbors, radius_at_y)
    for i in range(n):
        if along_y[partner[i]]:
            radius[i] = radius_at_y[partner[i]]
    return radius


@helper
def _count_within(x, radius, tally):
    """Count the other points nearer than each point's radius; add 1 to ``tally[count]`` per point.

    The range is divided into equally wide intervals. The search inside an interval is a bisection. The
    last steps go one by one and use the same difference that defined the radius.
    """
    n = len(x)
    scale = n / (x[n - 1] - x[0]) if x[n - 1] > x[0] else 0.0
    before = np.zeros(n + 2, np.int64)
    for i in range(n):
        before[int((x[i] - x[0]) * scale) + 1] += 1
    for interval in range(n + 1):
        before[interval + 1] += before[interval]
    for i in range(n):
        here = x[i]
        reach = np.nextafter(radius[i], 0.0)
        edge = here + reach
        interval = int(min((edge - x[0]) * scale, float(n)))
        right, length = before[interval], before[interval + 1] - before[interval]
        while length > 4:
            half = length >> 1
            if x[right + half] <= edge:
                right += half
            length -= half
        while right < n and x[right] - here <= reach:
            right += 1
        while x[right - 1] - here > reach:
            right -= 1
        edge = here - reach
        interval = int(max((edge - x[0]) * scale, 0.0))
        left, length = before[interval], before[interval + 1] - before[interval]
        while length > 4:
            half = length >> 1
            if x[left + half] < edge:
                left += half
            length -= half
        while left > 0 and here - x[left - 1] <= reach:
            left -= 1
        while here - x[left] > reach:
            left += 1
        tally[right - left - 1] += 1


@helper
def _mean_digamma(tally, digamma):
    """Return the mean of ψ(count + 1) over the points; ``digamma[m]`` is ψ(m)."""
    total, n_points = 0.0, 0
    for count in range(len(tally)):
        if tally[count]:
            total += tally[count] * digamma[count + 1]
            n_points += tally[count]
    return total / n_points


@kernel(FLOATS, FLOATS, INTS, INT, FLOATS)
def of_values(x, y, partner, n_neighbors, digamma):
    """Return Kraskov's first estimate for two sorted columns of numbers."""
    n = len(x)
    radius = _radii(x, y, partner, n_neighbors)
    tally_x = np.zeros(n, np.int64)
    _count_within(x, radius, tally_x)
    radius_at_y = np.empty(n)
    for i in range(n):
        radius_at_y[partner[i]] = radius[i]
    tally_y = np.zeros(n, np.int64)
    _count_within(y, radius_at_y, tally_y)
    means = _mean_digamma(tally_x, digamma) + _mean_digamma(tally_y, digamma)
    return digamma[n] + digamma[n_neighbors] - means


@helper
def _kept_by_label(label, n_labels):
    """Return the rows by label, without labels that occur once, the start of each label, and positions."""
    n = len(label)
    size = np.zeros(n_labels, np.int64)
    for i in range(n):
        size[label[i]] += 1
    start = np.zeros(n_labels + 1, np.int64)
    for c in range(n_labels):
        start[c + 1] = start[c] + (size[c] if size[c] > 1 else 0)
    fill = start.copy()
    kept_rows = np.empty(start[n_labels], np.int64)  # by label; kept rows are numbered from 0
    n_kept = 0
    position = np.empty(start[n_labels], np.int64)  # of each kept row in the column
    for i in range(n):
        c = label[i]
        if size[c] > 1:
            kept_rows[fill[c]] = n_kept
            fill[c] += 1
            position[n_kept] = i
            n_kept += 1
    return kept_rows, start, position


@kernel(FLOATS, INTS, INT, INT, FLOATS)
def of_values_and_labels(x, label, n_labels, n_neighbors, digamma):
    """Return Ross's estimate for a sorted column of numbers and the labels of its rows."""
    kept_rows, start, position = _kept_by_label(label, n_labels)
    n = len(position)
    if n == 0:
        return 0.0
    values = x[position]
    radius = np.empty(n)
    label_terms = 0.0
    for c in range(n_labels):
        size = start[c + 1] - start[c]
        if size < 2:
            continue
        k = min(n_neighbors, size - 1)
        label_terms += size * (digamma[k] - digamma[size])
        own = kept_rows[start[c] : start[c + 1]]
        first = 0  # start of the window of k + 1 values around i with the smallest radius
        for i in range(size):
            here = values[own[i]]
            first = max(first, i - k)
            while (
                first < i
                and first + k + 1 < size
                and values[own[first + k + 1]] - here < here - values[own[first]]
            ):
                first += 1
            radius[own[i]] = max(here - values[own[first]], values[own[first + k]] - here)
    tally = np.zeros(n, np.int64)
    _count_within(values, radius, tally)
    return digamma[n] + label_terms / n - _mean_digamma(tally, digamma)
