"""Rankings: JMI next to bcselector on the same data, and a whole path of penalties next to one fit.

One thread, CPU time, one run. bcselector reads discrete columns only, so both get the same table in ten
classes per column, both estimate by relative frequencies, and the orders are compared; its selector
keeps a fifth of the rows aside, and ours gets the same four fifths. The path has the 26 penalties of the
paper; the bar for it leaves out the weighted forest, where every penalty is another forest.
"""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np
from mixed_table import mixed_table

from netchoice.selection import METHODS, get_selector, rank_path

PENALTIES = [
    0, 0.0125, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.1, 1.6, 2.3, 3.2, 4.5, 6.4, 8, 9, 10, 11, 12, 12.8,
    25.6, 51.2, 102.4, 204.8,
]  # fmt: skip
PATH_BAR = 1.5
FREE = ("weighted-mdi", "weighted-mda", "random")


def seconds(work) -> tuple[float, object]:
    """CPU seconds of a call, and what it returned."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def against_bcselector(X, y, costs) -> bool:
    """JMI on ten classes per column."""
    try:
        from bcselector.variable_selection import DiffVariableSelector
    except ImportError as error:
        print(f"bcselector is absent ({error}); make bench installs it")
        return False
    binned = X.rank(pct=True, method="max").mul(9.999).astype(int).to_numpy()
    codes = np.unique(y, return_inverse=True)[1]
    peer = DiffVariableSelector()
    theirs, _ = seconds(
        lambda: peer.fit(binned, codes, [1.0] * X.shape[1], lamb=0, j_criterion_func="jmi")
    )
    jmi = get_selector("jmi", estimator="plugin")
    jmi.fit(peer.X_train[:50], peer.y_train[:50])  # compiled before it is timed
    ours, _ = seconds(lambda: jmi.fit(peer.X_train, peer.y_train))
    same = list(jmi.ranking_) == peer.variables_selected_order
    print(
        f"JMI ranking: bcselector {theirs:.1f} s, ours {ours:.3f} s, {theirs / ours:.0f}x; same order: {same}"
    )
    calibrated, _ = seconds(lambda: get_selector("jmi", costs=costs).fit(X, y))
    print(f"JMI, calibrated estimate on the columns as they are: {calibrated:.2f} s")
    return ours < theirs and same


def paths(X, y, costs) -> bool:
    """A whole path against one fit."""
    held = True
    print(f"{'method':<16}{'one fit':>10}{'26 penalties':>14}{'ratio':>8}")
    for method in METHODS:
        selector = get_selector(method, costs=costs)
        small = rank_path(selector, X[:200], y[:200], PENALTIES[:2])  # compiled, loaded
        assert len(small) == 2 * X.shape[1]
        one, _ = seconds(lambda s=selector: s.set_params(penalty=1).fit(X, y))
        if selector.statistics_depend_on_penalty:
            some, _ = seconds(lambda s=selector: rank_path(s, X, y, PENALTIES[::5]))
            note = f"{one:>9.3f}s{some:>13.3f}s{some / one:>8.2f}  6 penalties, each another forest"
        else:
            whole, _ = seconds(lambda s=selector: rank_path(s, X, y, PENALTIES))
            note = f"{one:>9.3f}s{whole:>13.3f}s{whole / one:>8.2f}"
            held &= method in FREE or whole < PATH_BAR * one
        print(f"{method:<16}{note}", flush=True)
    print(f"bar: below {PATH_BAR}, for all but {', '.join(FREE)}: {'held' if held else 'MISSED'}")
    return held


def main() -> int:
    """Both tables."""
    warnings.simplefilter("ignore")
    X, y, costs = mixed_table()
    print(f"{len(X)} rows, {X.shape[1]} columns")
    return 0 if all([against_bcselector(X, y, costs), paths(X, y, costs)]) else 1


if __name__ == "__main__":
    sys.exit(main())
