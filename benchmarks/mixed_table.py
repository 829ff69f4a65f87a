"""The table that the selection benchmarks share: 5000 rows, 47 columns of mixed types."""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import netchoice  # noqa: E402


def mixed_table(n_samples: int = 5000, n_nodes: int = 200):
    """Return features of duplication networks, their labels and their costs.

    The 47 columns are counts, means, heavy-tailed columns and noise: the last 47 of the features
    that are not constant.
    """
    table = netchoice.simulate_table("duplication", n_nodes=n_nodes, n_samples=n_samples, seed=1)
    table = table.drop_constant()
    names = table.features[-47:]
    return table.X[names], table.y, table.costs.only(names)
