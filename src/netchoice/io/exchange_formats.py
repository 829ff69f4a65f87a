"""Formats of other programs, each in a few lines: adjacency lists, GraphML, GEXF and JSON."""

from __future__ import annotations

import io
import json
import re
from typing import Any

from netchoice.edge_pairs import EdgePairs, from_edge_list, number_nodes
from netchoice.errors import NetworkFormatError
from netchoice.io.text_tables import Table
from netchoice.network_objects import from_neighbours, once_if_mirrored

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
        entries = zip(nodes, thing["adjacency"], strict=True)
        listed = [
            end for node, others in entries for other in others for end in (node, other["id"])
        ]
        if not flags["directed"]:
            return from_neighbours(_lists(nodes, listed))
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


def _lists(nodes: list[Any], ends: list[Any]) -> dict[Any, list[Any]]:
    lists: dict[Any, list[Any]] = {node: [] for node in nodes}
    for node, other in zip(ends[::2], ends[1::2], strict=True):
        lists[node].append(other)
    return lists
