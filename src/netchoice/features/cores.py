"""Cores and shells: numbers of nodes by core number."""

import numpy as np

from netchoice.features.registry import builtin, run_kernel, step

CORE_NUMBERS = (2, 3, 4, 5, 6)


@step(growth="n + m")
def core_counts(graph):
    """Number of nodes with each core number."""
    return np.bincount(run_kernel("core_numbers.core_numbers", graph)[0])


def _register_core(k):
    @builtin(
        discrete=True,
        name=f"core_{k}_size",
        label=f"nodes in the {k}-core",
        definition=f"Number of nodes with core number ≥ {k}",
    )
    def core_size(core_counts):
        return core_counts[k:].sum()


def _register_shell(k):
    @builtin(
        discrete=True,
        name=f"shell_{k}_size",
        label=f"nodes with core number {k}",
        definition=f"Number of nodes with core number {k}",
    )
    def shell_size(core_counts):
        return core_counts[k] if k < len(core_counts) else 0


for _k in CORE_NUMBERS:
    _register_core(_k)
for _k in CORE_NUMBERS:
    _register_shell(_k)
