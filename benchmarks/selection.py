"""Speed of rankings: JMI against bcselector, and a path of penalties against one fit.

One thread, CPU time, one run. bcselector takes discrete columns only, so both get the same table with
ten classes per column, both use the plug-in estimate, and the rankings are compared. bcselector holds
out a fifth of the rows, and ours gets the same four fifths. The path has the 26 penalties of the paper.
The weighted forests, which grow another forest for every penalty, are not part of the ratios.

Wanted: the rankings agree, JMI is faster than bcselector, and a path takes at most 1.5 times as long as one
fit.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
import report
from mixed_table import mixed_table

from netchoice.selection import METHODS, get_selector, rank_path

PENALTIES = [
    0, 0.0125, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.1, 1.6, 2.3, 3.2, 4.5, 6.4, 8, 9, 10, 11, 12, 12.8,
    25.6, 51.2, 102.4, 204.8,
]  # fmt: skip


def seconds(function) -> tuple[float, object]:
    """Return the CPU seconds of a call, and its result."""
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def against_bcselector(X, y, costs) -> dict[str, float | str]:
    """Compare JMI with bcselector on ten classes per column; return the ratio, and whether they agree."""
    from bcselector.variable_selection import DiffVariableSelector

    binned = X.rank(pct=True, method="max").mul(9.999).astype(int).to_numpy()
    codes = np.unique(y, return_inverse=True)[1]
    peer = DiffVariableSelector()
    theirs, _ = seconds(
        lambda: peer.fit(binned, codes, [1.0] * X.shape[1], lamb=0, j_criterion_func="jmi")
    )
    jmi = get_selector("jmi", estimator="plugin")
    jmi.fit(peer.X_train[:50], peer.y_train[:50])  # compile before timing
    ours, _ = seconds(lambda: jmi.fit(peer.X_train, peer.y_train))
    same = list(jmi.ranking_) == peer.variables_selected_order
    print(
        f"JMI ranking: bcselector {theirs:.1f} s, ours {ours:.3f} s, {theirs / ours:.0f}x; same order: {same}"
    )
    calibrated, _ = seconds(lambda: get_selector("jmi", costs=costs).fit(X, y))
    print(f"JMI, calibrated estimate on the columns as they are: {calibrated:.2f} s")
    return {"bcselector": theirs / ours, "same order": "yes" if same else "no"}


def paths(X, y, costs) -> dict[str, float]:
    """Return the time of a path of penalties, divided by that of one fit, for each method."""
    ratios = {}
    print(f"{'method':<16}{'one fit':>10}{'26 penalties':>14}{'ratio':>8}")
    for method in METHODS:
        selector = get_selector(method, costs=costs)
        small = rank_path(selector, X[:200], y[:200], PENALTIES[:2])  # compile before timing
        assert len(small) == 2 * X.shape[1]
        one, _ = seconds(lambda s=selector: s.set_params(penalty=1).fit(X, y))
        if selector.statistics_depend_on_penalty:
            some, _ = seconds(lambda s=selector: rank_path(s, X, y, PENALTIES[::5]))
            note = f"{one:>9.3f}s{some:>13.3f}s{some / one:>8.2f}  6 penalties, each another forest"
        else:
            path, _ = seconds(lambda s=selector: rank_path(s, X, y, PENALTIES))
            note = f"{one:>9.3f}s{path:>13.3f}s{path / one:>8.2f}"
            ratios[f"path {method}"] = path / one
        print(f"{method:<16}{note}", flush=True)
    longest = max(ratio for name, ratio in ratios.items() if name != "path random")
    return ratios | {"longest path": longest}


def main() -> None:
    """Run both comparisons, and write the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    report.add_json(parser)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    X, y, costs = mixed_table()
    print(f"{len(X)} rows, {X.shape[1]} columns")
    report.write(options, against_bcselector(X, y, costs) | paths(X, y, costs))


if __name__ == "__main__":
    main()
