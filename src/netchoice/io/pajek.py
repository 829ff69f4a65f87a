"""The Pajek format.

networkx is not used here, because it loses edges of lists and merges vertices with the same label.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from netchoice.edge_pairs import EdgePairs, from_matrix, number_nodes
from netchoice.errors import NetworkFormatError

_VERTEX = re.compile(r'\s*(\d+)(?:\s+("[^"]*"|\S+))?')


@dataclass
class _Content:
    """The content of a Pajek file; vertices are numbered from 1."""

    n_nodes: int | None = None
    labels: dict[int, str] = field(default_factory=dict)
    ends: list[int] = field(default_factory=list)
    matrix: list[list[str]] = field(default_factory=list)
    directed: bool = False
    weighted: bool = False


def parse_pajek(text: str, path: str) -> EdgePairs:
    """Parse vertices, then edges, arcs, lists of either, or a matrix."""
    content, section = _Content(), ""
    for number, line in enumerate(text.split("\n"), 1):
        where, cells = f"{path}, line {number}", line.split()
        if not cells or cells[0].startswith("%"):
            continue
        if cells[0].startswith("*"):
            section = cells[0].lower().rstrip(":")
            content.directed |= section.startswith("*arcs")
            if section == "*vertices":
                content.n_nodes = _integers(cells[1:2], where, "*Vertices N")[0]
            elif content.n_nodes is None and section != "*network":
                break
        elif content.n_nodes is None:
            break
        else:
            _add_line(content, section, line, cells, where)
    if content.n_nodes is None:
        raise NetworkFormatError(f"{path}: no line '*Vertices N'; not a Pajek network")
    return _edge_pairs(content, content.n_nodes, path)


def _add_line(content: _Content, section: str, line: str, cells: list[str], where: str) -> None:
    if section == "*vertices":
        vertex = _VERTEX.match(line)
        if not vertex:
            raise NetworkFormatError(f'{where}: {line.strip()[:60]!r}; expected: number "name"')
        content.labels[int(vertex[1])] = (vertex[2] or vertex[1]).strip('"')
    elif section in ("*edges", "*arcs"):
        content.ends += _integers(cells[:2], where, "two numbers of vertices", 2)
        content.weighted |= len(cells) > 2 and cells[2] not in ("1", "1.0")
    elif section in ("*edgeslist", "*arcslist"):
        first, *others = _integers(cells, where, "numbers of vertices", len(cells))
        content.ends += [end for other in others for end in (first, other)]
    elif section == "*matrix":
        content.matrix.append(cells)
    else:
        raise NetworkFormatError(f"{where}: section {section} is not supported; remove it")


def _edge_pairs(content: _Content, n_nodes: int, path: str) -> EdgePairs:
    labels, ends = content.labels, content.ends
    directed, weighted = content.directed, content.weighted
    if content.matrix:
        try:
            entries = from_matrix(np.array(content.matrix, dtype=float))
        except ValueError as error:
            raise NetworkFormatError(f"{path}: *Matrix is not square or not numeric") from error
        ends += (entries.pairs.ravel() + 1).tolist()
        directed, weighted = directed or entries.directed, weighted or entries.weighted
    outside = [v for v in (*ends, *labels) if not 1 <= v <= n_nodes]
    if outside:
        raise NetworkFormatError(
            f"{path}: vertex {outside[0]}, but *Vertices says {n_nodes}; numbers start at 1"
        )
    if not labels or len(set(labels.values())) < len(labels) or len(labels) < n_nodes:
        pairs = np.array(ends, np.int64).reshape(-1, 2) - 1
        return EdgePairs(pairs, n_nodes, None, directed, weighted)
    declared = [labels[v] for v in sorted(labels)]
    return number_nodes([labels[v] for v in ends], declared, directed, weighted)


def _integers(cells: list[str], where: str, expected: str, n: int = 1) -> list[int]:
    try:
        numbers = [int(cell) for cell in cells]
    except ValueError:
        numbers = []
    if len(numbers) != n or not all(0 <= number < 2**31 for number in numbers):
        raise NetworkFormatError(f"{where}: {' '.join(cells)[:60]!r}; expected {expected}")
    return numbers
