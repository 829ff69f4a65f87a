"""Compiled loops: arrays in, arrays out, no Python objects, nothing of the package.

Each module is imported only when one of its kernels is needed, so that commands which compute
nothing never pay for loading the compiler.
"""

#: Where kernels are; the other modules hold helpers only.
MODULES = (
    "betweenness",
    "cliques",
    "components",
    "connectivity",
    "contingency",
    "cores",
    "csr",
    "distances",
    "dominating",
    "duplication",
    "forest",
    "local_efficiency",
    "mutual_information",
    "neighbours",
    "random",
    "random_graphs",
    "relief",
    "sequential",
    "spectrum",
    "squares",
    "triangles",
)
