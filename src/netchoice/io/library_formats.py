"""Formats that networkx, scipy or NumPy reads: GraphML, GEXF, GML, MatrixMarket and npz."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from netchoice.edge_pairs import EdgePairs, from_matrix, number_nodes
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
    return number_nodes(ends, graph, graph.is_directed(), weighted)


def parse_matrix_market(content: bytes, path: str) -> EdgePairs:
    """Parse MatrixMarket with scipy: the non-zero entries of a square matrix are edges."""
    import scipy.io

    if not content.lstrip().lower().startswith(b"%%matrixmarket"):
        raise NetworkFormatError(f"{path}: the first line does not start with %%MatrixMarket")
    matrix = guarded(lambda: scipy.io.mmread(io.BytesIO(content)), path, "MatrixMarket")
    return _from_matrix(matrix, path)


def parse_npz(content: bytes, path: str) -> EdgePairs:
    """Parse a scipy sparse matrix, or an array named ``edges`` (m × 2) or ``adjacency`` (square)."""

    def load() -> dict[str, Any]:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            return {name: file[name] for name in file.files}

    arrays = guarded(load, path, "npz")
    if "format" in arrays and "shape" in arrays:
        import scipy.sparse

        matrix = guarded(lambda: scipy.sparse.load_npz(io.BytesIO(content)), path, "npz")
        return _from_matrix(matrix, path)
    if "adjacency" in arrays:
        return _from_matrix(arrays["adjacency"], path)
    edges = arrays.get("edges")
    if edges is None:
        raise NetworkFormatError(
            f"{path}: arrays {', '.join(sorted(arrays)) or 'none'}; expected a scipy sparse matrix, "
            "or an array called 'edges' (m × 2 integers) or 'adjacency' (square)"
        )
    if edges.ndim != 2 or edges.shape[1] != 2 or edges.dtype.kind not in "iu":
        raise NetworkFormatError(
            f"{path}: 'edges' has shape {edges.shape} and type {edges.dtype}; expected m × 2 integers"
        )
    if edges.size and (edges.min() < 0 or edges.max() >= 2**31 - 1):
        raise NetworkFormatError(
            f"{path}: 'edges' has ids below 0 or above 2³¹; node ids start at 0"
        )
    return EdgePairs(edges, None)


def _from_matrix(matrix: Any, path: str) -> EdgePairs:
    try:
        return from_matrix(matrix)
    except NetworkFormatError as error:
        raise NetworkFormatError(f"{path}: {error}") from error
