"""Formats of other programs: adjacency lists, SIF, GraphML, GEXF, JSON and Pajek.

networkx reads GraphML and GEXF. It is not used for Pajek, because it loses edges of lists and merges
vertices with the same label.
"""

from __future__ import annotations

import io
import json
import re
from typing import Any

import numpy as np

from netchoice.edge_pairs import EdgePairs, from_edge_list, from_matrix, number_nodes
from netchoice.errors import NetworkFormatError
from netchoice.io.text_tables import Table, content_lines
from netchoice.network_objects import from_neighbours, once_if_mirrored
from netchoice.units import count

_ENCODING = re.compile(r"<\?xml[^>]*encoding\s*=\s*[\"']([^\"']+)", re.IGNORECASE)
_FORBIDDEN = re.compile(r"<!\s*(DOCTYPE|ENTITY)", re.IGNORECASE)


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


def refuse_entities(text: str, path: str) -> None:
    """Reject XML with a DOCTYPE or entities, which can expand without limit or read other files."""
    forbidden = _FORBIDDEN.search(text)
    if forbidden:
        line = text.count("\n", 0, forbidden.start()) + 1
        raise NetworkFormatError(
            f"{path}, line {line}: contains <!{forbidden[1].upper()}; XML with a DOCTYPE or entities is "
            "not accepted: remove that declaration"
        )
    encoding = _ENCODING.match(text.lstrip())
    if encoding and encoding[1].lower() not in ("utf-8", "utf8", "us-ascii", "ascii"):
        raise NetworkFormatError(f"{path}: XML in {encoding[1]}; convert it to UTF-8 first")


def parse_graphml(text: str, path: str) -> EdgePairs:
    """Parse GraphML with networkx."""
    import networkx as nx

    refuse_entities(text, path)
    n_graphs = len(re.findall(r"<(?:\w+:)?graph[\s>/]", text))
    if n_graphs > 1:
        raise NetworkFormatError(
            f"{path}: {n_graphs} graphs in one file; expected one: remove the others"
        )
    return _from_networkx(nx.parse_graphml(text))


def parse_gexf(text: str, path: str) -> EdgePairs:
    """Parse GEXF with networkx."""
    import networkx as nx

    refuse_entities(text, path)
    return _from_networkx(nx.read_gexf(io.BytesIO(text.encode())))


def _from_networkx(graph: Any) -> EdgePairs:
    ends = [end for edge in graph.edges() for end in edge[:2]]
    weighted = any(set(data) - {"id"} for *_, data in graph.edges(data=True))
    return number_nodes(ends, graph, directed=graph.is_directed(), weighted=weighted)


def parse_json(text: str, path: str) -> EdgePairs:
    """Parse JSON: nodes and links, a list of pairs, or an object with the neighbours of each node."""
    thing: Any = json.loads(text)
    if isinstance(thing, dict) and isinstance(thing.get("elements"), dict):  # Cytoscape
        thing = {
            kind: [item["data"] for item in thing["elements"].get(kind, ())]
            for kind in ("nodes", "edges")
        }
    if not isinstance(thing, dict) or "nodes" not in thing:
        if not isinstance(thing, dict):
            return from_edge_list(thing, with_weights=True)
        # The names in an object are texts, so those in its lists must be.
        return from_neighbours({node: list(map(str, others)) for node, others in thing.items()})
    nodes: list[Any] = [
        node.get("id", node.get("name", i)) if isinstance(node, dict) else node
        for i, node in enumerate(thing["nodes"])
    ]
    flags = {"directed": bool(thing.get("directed"))}
    if "adjacency" in thing:  # networkx
        lists: dict[Any, list[Any]] = {node: [] for node in nodes}
        for node, others in zip(nodes, thing["adjacency"], strict=True):
            lists[node] += [other["id"] for other in others]
        if not flags["directed"]:
            return from_neighbours(lists)
        listed = [
            end for node, others in lists.items() for other in others for end in (node, other)
        ]
        return number_nodes(listed, nodes, **flags)
    links = thing.get("links", thing.get("edges"))
    if not isinstance(links, list):
        raise NetworkFormatError("no list 'links' or 'edges'; expected the edges of the nodes")
    ends: list[Any] = [end for link in links for end in (link["source"], link["target"])]
    if not set(ends) <= set(nodes) and all(
        type(end) is int and 0 <= end < len(nodes) for end in ends
    ):
        ends = [nodes[end] for end in ends]  # positions in the list of nodes
    weighted = any(set(link) - {"source", "target", "key", "id"} for link in links)
    return number_nodes(ends, nodes, weighted=weighted, **flags)


# SIF


def parse_sif(text: str, path: str) -> EdgePairs:
    """Parse Cytoscape's simple interaction format: source, relation, one or more targets."""
    lines = content_lines(text)
    if not lines:
        raise NetworkFormatError(f"{path}: no edges found; expected lines such as A pp B")
    tabs = any("\t" in line for _, line in lines)
    ends: list[str] = []
    declared: dict[str, None] = {}
    for number, line in lines:
        cells = [cell.strip() for cell in line.split("\t")] if tabs else line.split()
        if len(cells) == 2 or not all(cells):
            raise NetworkFormatError(
                f"{path}, line {number}: {count(len(cells), 'column')}, {line.strip()[:60]!r}; a SIF line "
                "has one name, or a source, a relation and one or more targets"
            )
        source, targets = cells[0], cells[2:]
        declared.update(dict.fromkeys([source, *targets]))
        ends += [end for target in targets for end in (source, target)]
    return number_nodes(ends, declared)


# Pajek

_VERTEX = re.compile(r'\s*(\d+)(?:\s+("[^"]*"|\S+))?')


def parse_pajek(text: str, path: str) -> EdgePairs:
    """Parse vertices, then edges, arcs, lists of either, or a matrix; vertices are numbered from 1."""
    n_nodes, section = -1, ""
    labels: dict[int, str] = {}
    ends: list[int] = []
    matrix: list[list[str]] = []
    directed = weighted = False
    for number, line in enumerate(text.split("\n"), 1):
        where, cells = f"{path}, line {number}", line.split()
        if not cells or cells[0].startswith("%"):
            continue
        if cells[0].startswith("*"):
            section = cells[0].lower().rstrip(":")
            directed |= section.startswith("*arcs")
            if section == "*vertices":
                n_nodes = _integers(cells[1:2], where, "*Vertices N")[0]
            elif n_nodes < 0 and section != "*network":
                break
        elif n_nodes < 0:
            break
        elif section == "*vertices":
            vertex = _VERTEX.match(line)
            if not vertex:
                raise NetworkFormatError(f'{where}: {line.strip()[:60]!r}; expected: number "name"')
            labels[int(vertex[1])] = (vertex[2] or vertex[1]).strip('"')
        elif section in ("*edges", "*arcs"):
            ends += _integers(cells[:2], where, "two numbers of vertices", 2)
            weighted |= len(cells) > 2 and cells[2] not in ("1", "1.0")
        elif section in ("*edgeslist", "*arcslist"):
            first, *others = _integers(cells, where, "numbers of vertices", len(cells))
            ends += [end for other in others for end in (first, other)]
        elif section == "*matrix":
            matrix.append(cells)
        else:
            raise NetworkFormatError(f"{where}: section {section} is not supported; remove it")
    if n_nodes < 0:
        raise NetworkFormatError(f"{path}: no line '*Vertices N'; not a Pajek network")
    if matrix:
        try:
            entries = from_matrix(np.array(matrix, dtype=float))
        except ValueError as error:
            raise NetworkFormatError(f"{path}: *Matrix is not square or not numeric") from error
        ends += (entries.pairs.ravel() + 1).tolist()
        directed, weighted = directed or entries.directed, weighted or entries.weighted
    return _number_vertices(ends, labels, n_nodes, path, directed=directed, weighted=weighted)


def _number_vertices(
    ends: list[int], labels: dict[int, str], n_nodes: int, path: str, **flags: Any
) -> EdgePairs:
    """Return edges with the labels of vertices, if there are different labels for all."""
    outside = [v for v in (*ends, *labels) if not 1 <= v <= n_nodes]
    if outside:
        raise NetworkFormatError(
            f"{path}: vertex {outside[0]}, but *Vertices says {n_nodes}; numbers start at 1"
        )
    if not labels or len(set(labels.values())) < len(labels) or len(labels) < n_nodes:
        return EdgePairs(np.array(ends, np.int64).reshape(-1, 2) - 1, n_nodes, None, **flags)
    declared = [labels[v] for v in sorted(labels)]
    return number_nodes([labels[v] for v in ends], declared, **flags)


def _integers(cells: list[str], where: str, expected: str, n: int = 1) -> list[int]:
    try:
        numbers = [int(cell) for cell in cells]
    except ValueError:
        numbers = []
    if len(numbers) != n or not all(0 <= number < 2**31 for number in numbers):
        raise NetworkFormatError(f"{where}: {' '.join(cells)[:60]!r}; expected {expected}")
    return numbers
