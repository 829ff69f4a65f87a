"""Connected components, and the largest connected component (LCC)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from netchoice.features.registry import builtin, run_kernel, step


@dataclass(frozen=True)
class Components:
    """The component of each node, numbered by smallest node id, and the sizes of components."""

    labels: Any
    sizes: Any


@step(growth="n + m")
def components(graph):
    """Connected component of each node."""
    labels, n_components = run_kernel("component_labels.component_labels", graph)
    return Components(labels, np.bincount(labels, minlength=n_components))


@step(growth="n")
def lcc(components):
    """Whether each node is in the largest connected component."""
    # Of equally large components, the LCC is the one with the smallest node id.
    return components.labels == (np.argmax(components.sizes) if len(components.sizes) else -1)


@builtin(discrete=True)
def n_components(components):
    """Number of connected components."""
    return len(components.sizes)


@builtin(discrete=True, label="nodes in the largest component")
def lcc_nodes(components):
    """Number of nodes of the largest connected component."""
    return components.sizes.max(initial=0)


@builtin(discrete=True, growth="n", label="edges in the largest component")
def lcc_edges(lcc, degrees):
    """Number of edges of the largest connected component."""
    return int(degrees[lcc].sum()) // 2
