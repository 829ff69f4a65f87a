"""CPU seconds of netchoice that the README compares with the published package; one thread.

python benchmarks/paper_package.py [--rows 5000]

The published package is not in the package registries, so this benchmark does not run it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import netchoice
from netchoice import information
from netchoice.selection import ForestReliefF, PenalizedForest, ReliefF


def cpu_seconds(function: Callable[[], object]) -> float:
    """Return the CPU seconds of one call in this process."""
    start = time.process_time()
    function()
    return time.process_time() - start


def time_selectors(table: netchoice.ReferenceTable) -> None:
    """Time mutual information, ReliefF and forests, each after its compilation."""
    X, y = table.X, table.y
    discrete = [table.discrete[name] for name in table.features]
    few, labels = X.iloc[:200], y.iloc[:200]
    for estimator in ("published", "calibrated"):
        options = {"discrete": discrete, "estimator": estimator, "n_jobs": 1}
        information.redundancy(few, **options)
        information.conditional_redundancy(few, labels, **options)
        pairs = cpu_seconds(lambda options=options: information.redundancy(X, **options))
        within = cpu_seconds(
            lambda options=options: information.conditional_redundancy(X, y, **options)
        )
        print(
            f"  mutual information, {estimator}: pairwise {pairs:.2f} s, in classes {within:.2f} s"
        )
    for selector in (ReliefF, ForestReliefF, PenalizedForest):
        selector().fit(few, labels)
        seconds = cpu_seconds(lambda selector=selector: selector(n_jobs=1).fit(X, y))
        print(f"  {selector.__name__}: {seconds:.2f} s")


def main() -> None:
    """Time growth, features and selection for both model spaces."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5000)
    rows = parser.parse_args().rows
    for space in ("ba", "duplication"):
        table = netchoice.simulate_table(space, n_nodes=1000, n_samples=rows, seed=1)
        print(f"{space}: {rows} networks of 1000 nodes")
        spent = table.frame.filter(regex="^(seconds_own|seconds_step|own_|step_)").sum(axis=1)
        for model, rows_of_model in table.frame.groupby("label").groups.items():
            growth = table.frame.loc[rows_of_model, "seconds_growth"].mean()
            features = spent[rows_of_model].mean()
            print(f"  {model}: growth {growth:.5f} s, features {features:.4f} s")
        time_selectors(table.drop_constant())


if __name__ == "__main__":
    main()
