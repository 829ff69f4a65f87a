"""Text formats of other programs: JSON, DOT, DIMACS, LGL, and the models of EPANET."""

from __future__ import annotations

import json
import re
from typing import Any

from netchoice.edge_pairs import EdgePairs, from_edge_list, number_nodes
from netchoice.errors import NetworkFormatError
from netchoice.network_objects import from_neighbours

_DOT = re.compile(
    r'/\*.*?\*/|//[^\n]*|(?m:^\s*\#[^\n]*)|(?P<name>"(?:[^"\\]|\\.)*"|[\w.]+|-?\d[\d.]*)|(?P<edge>--|->)'
    r"|(?P<attributes>\[[^\[\]]*\])|(?P<other>[{}=;,:])|\s+|(?P<unknown>.)",
    re.DOTALL,
)
#: Sections of EPANET's files with links (a name, then the two nodes) and with nodes.
LINKS, NODES = ("[PIPES]", "[PUMPS]", "[VALVES]"), ("[JUNCTIONS]", "[RESERVOIRS]", "[TANKS]")


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


def parse_dot(text: str, path: str) -> EdgePairs:
    """Parse DOT (Graphviz) without subgraphs: nodes, and chains of nodes."""
    head, brace, body = text.partition("{")
    if not brace:
        raise NetworkFormatError(f"{path}: not readable as DOT: no {{; expected graph {{ a -- b }}")
    ends: list[str] = []
    declared: dict[str, None] = {}
    chain: list[str] = []
    linked = weighted = False
    for token in _DOT.finditer(body):
        name, other = token["name"], token["other"]
        if token["unknown"] or other == "{" or name == "subgraph":
            line = text.count("\n", 0, len(head) + 1 + token.start()) + 1
            raise NetworkFormatError(
                f"{path}, line {line}: not readable as DOT: {token[0][:20]!r}; subgraphs and HTML labels are "
                "not supported; convert the file, for example to GraphML"
            )
        if name is not None:
            chain = [*chain[-1:], name.strip('"')] if linked else [name.strip('"')]
            if linked:
                ends += chain
            declared |= dict.fromkeys(n for n in chain if n not in ("node", "edge", "graph"))
            linked = False
        elif token["edge"]:
            linked = True
        elif token["attributes"]:
            weighted |= len(chain) == 2
        elif other == "=":
            raise NetworkFormatError(
                f"{path}: not readable as DOT: an attribute outside of brackets; remove it"
            )
        elif other in (";", "}"):
            chain, linked = [], False
    return number_nodes(ends, declared, directed="digraph" in head, weighted=weighted)


def parse_dimacs(text: str, path: str) -> EdgePairs:
    """Parse DIMACS: a line ``p edge nodes edges``, then lines ``e`` or ``a`` with two nodes."""
    n_nodes, ends, weighted = None, [], False
    for number, line in enumerate(text.split("\n"), 1):
        cells = line.split()
        if not cells or cells[0] in ("c", "n"):
            continue
        numbers = [
            cell for cell in cells[1:] if cell.isascii() and cell.isdigit() and len(cell) < 11
        ]
        if cells[0] == "p" and len(numbers) >= 2:
            n_nodes = int(numbers[0])
        elif cells[0] in ("e", "a") and len(numbers) >= 2 and n_nodes is not None:
            if not all(1 <= int(end) <= n_nodes for end in numbers[:2]):
                raise NetworkFormatError(
                    f"{path}, line {number}: {line[:40]!r}; expected nodes from 1 to {n_nodes}"
                )
            ends += numbers[:2]
            weighted |= len(cells) > 3
        else:
            raise NetworkFormatError(
                f"{path}, line {number}: not readable as DIMACS: {line[:40]!r}; expected "
                "'p edge nodes edges', then 'e node node'"
            )
    return number_nodes(ends, weighted=weighted)


def parse_lgl(text: str, path: str) -> EdgePairs:
    """Parse LGL: ``# node``, then its neighbours, one on each line."""
    ends: list[str] = []
    declared: dict[str, None] = {}
    node, weighted = None, False
    for number, line in enumerate(text.split("\n"), 1):
        cells = line.split()
        if not cells:
            continue
        if cells[0] == "#" and len(cells) == 2:
            node = cells[1]
            declared[node] = None
        elif node is None or len(cells) > 2:
            raise NetworkFormatError(
                f"{path}, line {number}: not readable as LGL: {line[:40]!r}; expected '# node', then a "
                "neighbour on each line"
            )
        else:
            declared[cells[0]] = None
            ends += (node, cells[0])
            weighted |= len(cells) == 2
    return number_nodes(ends, declared, weighted=weighted)


def is_trivial(text: str) -> bool:
    """Return whether a line with # separates nodes, one per line, from edges between them."""
    before, mark, after = text.partition("\n#\n")
    if not mark:
        return False
    nodes = {line.split()[0] for line in before.split("\n") if line.strip()}
    edges = [line.split() for line in after.split("\n") if line.strip()]
    return bool(edges) and all(len(edge) > 1 and nodes.issuperset(edge[:2]) for edge in edges)


def parse_tgf(text: str, path: str) -> EdgePairs:
    """Parse the trivial graph format: nodes with labels, a line with #, and edges."""
    if not is_trivial(text):
        raise NetworkFormatError(
            f"{path}: not readable as TGF; expected nodes, a line with #, then two nodes on each line"
        )
    before, _, after = text.partition("\n#\n")
    declared = [line.split()[0] for line in before.split("\n") if line.strip()]
    edges = [line.split() for line in after.split("\n") if line.strip()]
    ends = [end for edge in edges for end in edge[:2]]
    return number_nodes(ends, declared, weighted=any(len(edge) > 2 for edge in edges))


def parse_epanet(text: str, path: str) -> EdgePairs:
    """Parse EPANET's water networks: pipes, pumps and valves are edges."""
    section, ends = "", []
    declared: dict[str, None] = {}
    for number, line in enumerate(text.split("\n"), 1):
        cells = line.partition(";")[0].split()
        if not cells:
            continue
        if cells[0].startswith("["):
            section = cells[0].upper()
        elif section in NODES:
            declared[cells[0]] = None
        elif section in LINKS:
            if len(cells) < 3:
                raise NetworkFormatError(
                    f"{path}, line {number}: {line.strip()[:40]!r}; expected a name and two nodes "
                    f"in {section}"
                )
            ends += cells[1:3]
    return number_nodes(ends, declared, weighted=True, ignored=("properties of links",))


def traffic_links(text: str) -> str:
    """Return the links of a TNTP file as an edge list, with line numbers as in the file."""
    lines = [line.strip().rstrip("; \t") for line in text.split("\n")]
    return "\n".join("" if line.startswith(("<", "~")) else line for line in lines)
