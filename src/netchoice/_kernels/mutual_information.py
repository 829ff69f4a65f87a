"""Mutual information of one pair of columns by nearest neighbours, in nats.

Columns are sorted. A pair of columns is two sorted columns and ``partner``: for each position in the
first column, the position of the same row in the second. The sums run over counts in ascending
order, so that exchanging the columns gives the same bits.

Alexander Kraskov, Harald Stögbauer and Peter Grassberger, Estimating mutual information (2004),
doi:10.1103/PhysRevE.69.066138; Brian C. Ross, Mutual information between discrete and continuous
data sets (2014), doi:10.1371/journal.pone.0087357.
"""

import numpy as np
from numba import types

from netchoice._kernels.compiler import INT, INTS, helper, kernel

FLOATS = types.Array(types.float64, 1, "C")

#: Number of rows on either side whose spread decides which column is wider around a row.
_SPREAD_ROWS = 8
#: Where one column is this many times wider, neighbours are searched along it alone.
_WIDER_FACTOR = 8.0
#: Rows per cell of the grid: the mean for independent columns, and the largest allowed mean.
_ROWS_PER_CELL, _MAX_ROWS_PER_CELL = 2.0, 6.0


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
