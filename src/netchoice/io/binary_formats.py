"""Binary formats of other programs: graph-tool's format, graph6 and sparse6."""

from __future__ import annotations

import struct

import numpy as np

from netchoice.edge_pairs import EdgePairs
from netchoice.errors import NetworkFormatError
from netchoice.network_objects import from_networkx

GRAPH_TOOL = b"\xe2\x9b\xbe gt"
#: A line of sparse6 may declare this many nodes, or this many per byte.
FEW_NODES, MAX_NODES_PER_BYTE = 10_000, 100


def parse_graph_tool(content: bytes, path: str) -> EdgePairs:
    """Parse graph-tool's binary format: the out-neighbours of each node; properties are not read."""

    def read(offset: int, kind: str, n: int = 1) -> tuple[list[int], int]:
        layout = struct.Struct(f"{order}{n}{kind}")
        if offset + layout.size > len(content):
            raise NetworkFormatError(
                f"{path}: not readable as graph-tool's format: the file ends early; copy it again"
            )
        return list(layout.unpack_from(content, offset)), offset + layout.size

    if not content.startswith(GRAPH_TOOL) or len(content) < 8 or content[6] != 1 or content[7] > 1:
        raise NetworkFormatError(
            f"{path}: not readable as graph-tool's format: expected its mark and version 1; save it again"
        )
    order = ">" if content[7] else "<"
    (length,), offset = read(8, "Q")
    (directed,), offset = read(offset + length, "B")
    (n_nodes,), offset = read(offset, "Q")
    if 8 * n_nodes > len(content):  # each node has the number of its neighbours, 8 bytes
        raise NetworkFormatError(
            f"{path}: not readable as graph-tool's format: {n_nodes} nodes in {len(content)} bytes"
        )
    kind = next(
        kind for kind, bits in zip("BHIQ", (8, 16, 32, 64), strict=True) if n_nodes < 1 << bits
    )
    pairs: list[tuple[int, int]] = []
    for node in range(n_nodes):
        (degree,), offset = read(offset, "Q")
        if degree > len(content):
            raise NetworkFormatError(
                f"{path}: not readable as graph-tool's format: node {node} has {degree} neighbours"
            )
        neighbours, offset = read(offset, kind, degree)
        pairs += [(node, other) for other in neighbours]
    ends = np.array(pairs, np.uint64).reshape(-1, 2)
    if len(ends) and ends.max() >= n_nodes:
        raise NetworkFormatError(f"{path}: a neighbour out of range; expected 0 to {n_nodes - 1}")
    return EdgePairs(ends.astype(np.int64), n_nodes, directed=bool(directed))


def parse_graph6(content: bytes, path: str) -> EdgePairs:
    """Parse one graph in graph6 or sparse6 with networkx."""
    import networkx as nx

    lines = content.split()
    if len(lines) != 1:
        raise NetworkFormatError(
            f"{path}: {len(lines)} lines; expected one graph in graph6 or sparse6; keep one line"
        )
    line = lines[0].removeprefix(b">>graph6<<").removeprefix(b">>sparse6<<")
    is_sparse = line.startswith(b":")
    if not all(63 <= byte <= 126 for byte in line[is_sparse:]):
        raise NetworkFormatError(
            f"{path}: not readable as graph6: other characters than ? to ~; copy the file again"
        )
    n_nodes, limit = _graph6_size(line[is_sparse:]), max(FEW_NODES, MAX_NODES_PER_BYTE * len(line))
    if n_nodes > limit:
        raise NetworkFormatError(f"{path}: {n_nodes} nodes in graph6; expected at most {limit}")
    parse = nx.from_sparse6_bytes if is_sparse else nx.from_graph6_bytes
    return from_networkx(parse(line))


def _graph6_size(line: bytes) -> int:
    """Return the declared number of nodes: 6 bits, or 18 or 36 bits after one or two ~."""
    start, length = 0, 1
    if line.startswith(b"~~"):
        start, length = 2, 6
    elif line.startswith(b"~"):
        start, length = 1, 3
    size = 0
    for byte in line[start : start + length]:
        size = size << 6 | byte - 63
    return size
