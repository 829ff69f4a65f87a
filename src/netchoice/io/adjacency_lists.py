"""Formats with one node per line, followed by its neighbours: adjacency lists and METIS."""

from __future__ import annotations

import numpy as np

from netchoice.edge_pairs import EdgePairs, number_nodes
from netchoice.errors import NetworkFormatError
from netchoice.io.text_tables import Table
from netchoice.network_objects import once_if_mirrored

_METIS = "expected 'nodes edges', optionally with a format such as 001, then one line for each node"


def is_adjacency_list(table: Table) -> bool:
    """Return whether lines have different lengths, and each name starts one line.

    networkx writes such files. Every node has a line, so a name of a neighbour starts a line too.
    """
    if len({len(row) for row in table.sample}) < 2 or len(table.lines) < 3:
        return False
    nodes = {row[0] for _, row in table.rows()}
    if len(nodes) < len(table.lines):
        return False
    return all(cell in nodes for row in table.sample for cell in row)


def parse_adjacency_list(table: Table) -> EdgePairs:
    """Parse an adjacency list: a node and its neighbours on each line."""
    declared: dict[str, None] = {}
    ends: list[str] = []
    for _, cells in table.rows():
        node, *neighbours = [cell for cell in cells if cell] or [""]
        declared.update(dict.fromkeys([node, *neighbours]))
        ends += [end for neighbour in neighbours for end in (node, neighbour)]
    declared.pop("", None)
    return once_if_mirrored(number_nodes(ends, declared))


def is_metis(text: str, table: Table) -> bool:
    """Return whether the first line says how many lines and neighbours follow, as in METIS files."""
    sizes = table.lines[0][1].split()
    if not 2 <= len(sizes) <= 3 or not all(map(_is_index, sizes)) or sizes[2:] not in ([], ["0"]):
        return False
    n_nodes, n_edges = int(sizes[0]), int(sizes[1])
    if len(table.lines) > n_nodes + 1:
        return False
    lines = _metis_lines(text)
    body = lines[1 : n_nodes + 1]
    if n_nodes < 2 or len(body) < n_nodes or any(line.strip() for line in lines[n_nodes + 1 :]):
        return False
    entries = [(str(i + 1), cell) for i, line in enumerate(body) for cell in line.split()]
    distinct = set(entries)
    return len(entries) == 2 * n_edges and all((v, u) in distinct for u, v in distinct)


def parse_metis(text: str, path: str) -> EdgePairs:
    """Parse METIS: sizes on the first line, then the neighbours of each node, counted from 1."""
    lines = _metis_lines(text)
    sizes = lines[0].split() if lines else []
    if not 2 <= len(sizes) <= 4 or not all(map(_is_index, sizes)):
        raise NetworkFormatError(f"{path}, line 1: not readable as METIS; {_METIS}")
    n_nodes, n_edges = int(sizes[0]), int(sizes[1])
    code = sizes[2].rjust(3, "0") if len(sizes) > 2 else "000"
    n_weights = (int(sizes[3]) if len(sizes) > 3 else 1) if code[1] == "1" else 0
    n_before, step = (code[0] == "1") + n_weights, 1 + (code[2] == "1")
    body = lines[1 : n_nodes + 1]
    if len(body) < n_nodes or any(line.strip() for line in lines[n_nodes + 1 :]):
        found = len(lines) - 1
        raise NetworkFormatError(
            f"{path}: not readable as METIS: {found} lines after the first, which says {n_nodes}; {_METIS}"
        )
    pairs: list[tuple[int, int]] = []
    for i, line in enumerate(body):
        cells = line.split()[n_before:]
        neighbours = cells[::step]
        if len(cells) % step or not all(map(_is_index, cells)):
            raise NetworkFormatError(f"{path}: node {i + 1} has {line[:40]!r}; expected integers")
        pairs += [(i, int(cell) - 1) for cell in neighbours]
    ends = np.array(pairs, np.int64).reshape(-1, 2)
    if len(ends) and not 0 <= ends.min() <= ends.max() < n_nodes:
        raise NetworkFormatError(f"{path}: a neighbour out of range; expected 1 to {n_nodes}")
    if len(ends) != 2 * n_edges:
        raise NetworkFormatError(
            f"{path}: {len(ends)} neighbours; expected {2 * n_edges}, twice the {n_edges} edges that the "
            "first line says; check that the file is complete"
        )
    edges = once_if_mirrored(EdgePairs(ends, n_nodes))
    return EdgePairs(edges.pairs, n_nodes, weighted=code != "000")


def _metis_lines(text: str) -> list[str]:
    """Return the lines without comments; an empty line is a node without neighbours."""
    lines = [line for line in text.split("\n") if not line.startswith("%")]
    start = next((i for i, line in enumerate(lines) if line.strip()), 0)
    return lines[start:]


def _is_index(cell: str) -> bool:
    return cell.isascii() and cell.isdigit() and len(cell) < 11
