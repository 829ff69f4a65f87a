"""Formats that networkx reads: GraphML, GEXF and GML."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from typing import Any

from netchoice.edge_pairs import EdgePairs, number_nodes
from netchoice.errors import NetworkFormatError

_ENCODING = re.compile(r"<\?xml[^>]*encoding\s*=\s*[\"']([^\"']+)", re.IGNORECASE)
_FORBIDDEN = re.compile(r"<!\s*(DOCTYPE|ENTITY)", re.IGNORECASE)


def guarded(parse: Callable[[], Any], path: str, format: str) -> Any:
    """Run another library's parser, and turn any exception into a NetworkFormatError."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return parse()
    except NetworkFormatError:
        raise
    except Exception as error:  # parsers raise anything, from KeyError to AssertionError
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        position = getattr(error, "position", None)
        where = f" (line {position[0]})" if position and "line" not in str(error) else ""
        raise NetworkFormatError(
            f"{path}: not readable as {format}: {reason}{where}; "
            "check that the file is complete, or pass its actual format"
        ) from error


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
    return _from_networkx(guarded(lambda: nx.parse_graphml(text), path, "GraphML"))


def parse_gexf(text: str, path: str) -> EdgePairs:
    """Parse GEXF with networkx."""
    import networkx as nx

    refuse_entities(text, path)
    return _from_networkx(guarded(lambda: nx.read_gexf(io.BytesIO(text.encode())), path, "GEXF"))


def parse_gml(text: str, path: str) -> EdgePairs:
    """Parse GML with networkx; nodes by label, or by id if labels are missing or repeated."""
    import networkx as nx

    # As a multigraph, networkx accepts repeated edges, which are merged and counted later.
    lines = re.sub(r"\bgraph\s*\[", "graph [ multigraph 1 ", text, count=1).splitlines()

    def parse() -> Any:
        try:
            return nx.parse_gml(lines, label="label")
        except nx.NetworkXError as error:
            if "label" not in str(error):
                raise
            return nx.parse_gml(lines, label="id")

    attribute = re.search(r"\bedge\s*\[[^\]]*\b(?!source|target|id\b|key\b)[A-Za-z]\w*\s", text)
    return _from_networkx(guarded(parse, path, "GML"), weighted=attribute is not None)


def _from_networkx(graph: Any, weighted: bool | None = None) -> EdgePairs:
    ends = [end for edge in graph.edges() for end in edge[:2]]
    if weighted is None:
        weighted = any(set(data) - {"id"} for *_, data in graph.edges(data=True))
    return number_nodes(ends, graph, directed=graph.is_directed(), weighted=weighted)
