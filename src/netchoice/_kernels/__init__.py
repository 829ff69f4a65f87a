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
    "cores",
    "csr",
    "distances",
    "dominating",
    "duplication",
    "local_efficiency",
    "random",
    "random_graphs",
    "sequential",
    "spectrum",
    "squares",
    "triangles",
)
