"""Mutual information of one pair of columns by nearest neighbours, in nats.

A column comes sorted. A pair of columns is two sorted columns and ``partner``: the place in the
second column of the row at each place of the first. The sums run over counts in ascending
order, so that exchanging the columns changes no bit.

Alexander Kraskov, Harald Stögbauer and Peter Grassberger, Estimating mutual information (2004),
doi:10.1103/PhysRevE.69.066138; Brian C. Ross, Mutual information between discrete and continuous
data sets (2014), doi:10.1371/journal.pone.0087357.
"""

import numpy as np
from numba import types

from netchoice._kernels.compiling import INT, INTS, helper, kernel

FLOATS = types.Array(types.float64, 1, "C")

#: Rows on either side whose spread tells which column is wider around a row.
_LOOK = 8
#: Where one column is so many times wider, neighbours are found along it alone.
_WIDER = 8.0
#: Rows in a cell of the grid: in the mean if the columns are independent; at most, for any.
_PER_CELL, _CROWDED = 2.0, 6.0


@helper
def _search_along(x, other, chosen, n_neighbors, radius):
    """Distance of the chosen points to their k-th neighbour, searched along x, which is sorted.

    The distance is the larger of both differences. From each point to the right and to the left,
    until the difference in x alone is too large.
    """
    n = len(x)
    nearest = np.empty(n_neighbors)
    last = n_neighbors - 1
    for i in range(n):
        if not chosen[i]:
            continue
        here, height = x[i], other[i]
        for slot in range(n_neighbors):
            nearest[slot] = np.inf
        bound = np.inf
        for side in range(2):
            step = 1 - 2 * side
            j = i + step
            while 0 <= j < n:
                along = abs(x[j] - here)
                if along >= bound:
                    break
                distance = max(along, abs(other[j] - height))
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
    """Places in the first column, cell by cell of a square grid of ranks; where each cell starts.

    Cells are numbered up the second column, block after block of the first. Also the block of
    each rank, since a division would take longer than to look it up, and how crowded the cells
    are: the mean, over rows, of the rows in their cell.
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
    together = 0
    for cell in range(n_blocks * n_blocks):
        together += fill[cell + 1] * fill[cell + 1]
        fill[cell + 1] += fill[cell]
    start = fill.copy()
    member = np.empty(n, np.int32)
    for i in range(n):
        cell = block_of[i] * n_blocks + block_of[partner[i]]
        member[fill[cell]] = i
        fill[cell] += 1
    return member, start, block_of, together / n


@helper
def _grid(partner):
    """Cells as above and their width, the less the more the rows crowd together."""
    width = int(np.sqrt(_PER_CELL * len(partner))) + 1
    narrowest = max(width // 8, 1)
    member, start, block_of, crowd = _cells(partner, width)
    while crowd > _CROWDED and width >= 2 * narrowest:
        width //= 2
        member, start, block_of, crowd = _cells(partner, width)
    return member, start, block_of, width


@helper
def _search_grid(x, y, partner, chosen, n_neighbors, radius):
    """The same by a grid of cells with equally many rows in each row and column of cells.

    In the three by three cells around a point; if the nearest row outside may be nearer than what
    was found, the side where it is moves out, by twice as much every time.
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
    for own in range(n):
        i = member[own]
        if not chosen[i]:
            continue
        here, height = x_of[own], y_of[own]
        block, level = block_of[i], block_of[partner[i]]
        left, right = max(block - 1, 0), min(block + 2, n_blocks)
        low, high = max(level - 1, 0), min(level + 2, n_blocks)
        step = 1
        while True:
            # The point itself is found as well, at distance 0.
            bound = np.inf
            if n_neighbors == 3:  # the usual case, without branches, which would be mispredicted
                first = second = third = np.inf
                for b in range(left, right):
                    for other in range(start[b * n_blocks + low], start[b * n_blocks + high]):
                        down = max(abs(x_of[other] - here), abs(y_of[other] - height))
                        up, first = max(first, down), min(first, down)
                        down, second = max(second, up), min(second, up)
                        up, third = max(third, down), min(third, down)
                        bound = min(bound, up)
            else:
                nearest[:] = np.inf
                for b in range(left, right):
                    for other in range(start[b * n_blocks + low], start[b * n_blocks + high]):
                        distance = max(abs(x_of[other] - here), abs(y_of[other] - height))
                        if distance < bound:
                            slot = n_neighbors
                            while slot > 0 and nearest[slot - 1] > distance:
                                nearest[slot] = nearest[slot - 1]
                                slot -= 1
                            nearest[slot] = distance
                            bound = nearest[n_neighbors]
            enough = True
            if left > 0 and here - x[left * width - 1] < bound:
                left, enough = max(left - step, 0), False
            if right < n_blocks and x[right * width] - here < bound:
                right, enough = min(right + step, n_blocks), False
            if low > 0 and height - y[low * width - 1] < bound:
                low, enough = max(low - step, 0), False
            if high < n_blocks and y[high * width] - height < bound:
                high, enough = min(high + step, n_blocks), False
            if enough:
                break
            step *= 2
        radius[i] = bound


@helper
def _spread(x, i):
    return x[min(i + _LOOK, len(x) - 1)] - x[max(i - _LOOK, 0)]


@helper
def _radii(x, y, partner, n_neighbors):
    """Distance of every point to its k-th neighbour, in the order of x."""
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
        along_x[i] = width > _WIDER * height
        along_y[j] = height > _WIDER * width
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
    """Tally, over all points, how many others lie nearer than the radius.

    Equally wide drawers of the range say where to look; inside a drawer by halving, and the last
    steps one by one, by the same difference that defined the radius.
    """
    n = len(x)
    scale = n / (x[n - 1] - x[0]) if x[n - 1] > x[0] else 0.0
    before = np.zeros(n + 2, np.int64)
    for i in range(n):
        before[int((x[i] - x[0]) * scale) + 1] += 1
    for drawer in range(n + 1):
        before[drawer + 1] += before[drawer]
    for i in range(n):
        here = x[i]
        reach = np.nextafter(radius[i], 0.0)
        edge = here + reach
        drawer = int(min((edge - x[0]) * scale, float(n)))
        right, length = before[drawer], before[drawer + 1] - before[drawer]
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
        drawer = int(max((edge - x[0]) * scale, 0.0))
        left, length = before[drawer], before[drawer + 1] - before[drawer]
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
    """Mean of ψ(count + 1) over the points; ``digamma[m]`` is ψ(m)."""
    total, points = 0.0, 0
    for count in range(len(tally)):
        if tally[count]:
            total += tally[count] * digamma[count + 1]
            points += tally[count]
    return total / points


@kernel(FLOATS, FLOATS, INTS, INT, FLOATS)
def of_values(x, y, partner, n_neighbors, digamma):
    """Kraskov's first estimate for two sorted columns of numbers."""
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
    """Places of the rows label by label, and where each label starts; labels seen once dropped."""
    n = len(label)
    size = np.zeros(n_labels, np.int64)
    for i in range(n):
        size[label[i]] += 1
    start = np.zeros(n_labels + 1, np.int64)
    for c in range(n_labels):
        start[c + 1] = start[c] + (size[c] if size[c] > 1 else 0)
    fill = start.copy()
    place = np.empty(start[n_labels], np.int64)
    kept = 0
    source = np.empty(start[n_labels], np.int64)
    for i in range(n):
        c = label[i]
        if size[c] > 1:
            place[fill[c]] = kept
            fill[c] += 1
            source[kept] = i
            kept += 1
    return place, start, source


@kernel(FLOATS, INTS, INT, INT, FLOATS)
def of_values_and_labels(x, label, n_labels, n_neighbors, digamma):
    """Ross's estimate for a sorted column of numbers and the labels of its rows."""
    place, start, source = _kept_by_label(label, n_labels)
    n = len(source)
    if n == 0:
        return 0.0
    values = x[source]
    radius = np.empty(n)
    from_labels = 0.0
    for c in range(n_labels):
        size = start[c + 1] - start[c]
        if size < 2:
            continue
        k = min(n_neighbors, size - 1)
        from_labels += size * (digamma[k] - digamma[size])
        own = place[start[c] : start[c + 1]]
        first = 0  # of the window of k + 1 values around i with the smallest reach
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
    return digamma[n] + from_labels / n - _mean_digamma(tally, digamma)
