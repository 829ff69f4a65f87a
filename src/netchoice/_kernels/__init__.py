"""Compiled loops: arrays in, arrays out, no Python objects, nothing of the package.

Each module is imported only when one of its kernels is needed, so that commands which compute
nothing never pay for loading the compiler.
"""

MODULES = ("components", "csr", "duplication", "random", "random_graphs", "sequential")
