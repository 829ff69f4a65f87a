"""Formats in XML that networkx reads: GraphML and GEXF."""

from __future__ import annotations

import io
import re
from typing import Any

from netchoice.edge_pairs import EdgePairs, number_nodes
from netchoice.errors import NetworkFormatError

_ENCODING = re.compile(r"<\?xml[^>]*encoding\s*=\s*[\"']([^\"']+)", re.IGNORECASE)
_FORBIDDEN = re.compile(r"<!\s*(DOCTYPE|ENTITY)", re.IGNORECASE)


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
