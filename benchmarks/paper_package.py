"""What the README sets beside the published package: CPU seconds of ours, one thread.

python benchmarks/paper_package.py [--rows 5000]

The package itself is not to be had from the registries, so there is no peer in this run.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import netchoice
from netchoice import information
from netchoice.selection import ForestReliefF, PenalizedForest, ReliefF


def cpu_seconds(work: Callable[[], object]) -> float:
    """Of this process."""
    start = time.process_time()
    work()
    return time.process_time() - start


def learn(table: netchoice.ReferenceTable) -> None:
    """Mutual information, ReliefF and forests; each is compiled before it is timed."""
    X, y = table.X, table.y
    discrete = [table.discrete[name] for name in table.features]
    few, labels = X.iloc[:200], y.iloc[:200]
    for estimator in ("published", "calibrated"):
        how = {"discrete": discrete, "estimator": estimator, "n_jobs": 1}
        information.redundancy(few, **how)
        information.conditional_redundancy(few, labels, **how)
        pairs = cpu_seconds(lambda how=how: information.redundancy(X, **how))
        within = cpu_seconds(lambda how=how: information.conditional_redundancy(X, y, **how))
        print(
            f"  mutual information, {estimator}: pairwise {pairs:.2f} s, in classes {within:.2f} s"
        )
    for selector in (ReliefF, ForestReliefF, PenalizedForest):
        selector().fit(few, labels)
        seconds = cpu_seconds(lambda selector=selector: selector(n_jobs=1).fit(X, y))
        print(f"  {selector.__name__}: {seconds:.2f} s")


def main() -> None:
    """Both model spaces, 1000 nodes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5000)
    rows = parser.parse_args().rows
    for space in ("ba", "duplication"):
        table = netchoice.simulate_table(space, n_nodes=1000, n_samples=rows, seed=1)
        print(f"{space}: {rows} networks of 1000 nodes")
        spent = table.frame.filter(regex="^(seconds_own|seconds_step|own_|step_)").sum(axis=1)
        for models, chosen in table.frame.groupby("label").groups.items():
            growth = table.frame.loc[chosen, "seconds_growth"].mean()
            print(f"  {models}: growth {growth:.5f} s, features {spent[chosen].mean():.4f} s")
        learn(table.drop_constant())


if __name__ == "__main__":
    main()
