"""Formats that networkx and scipy can read."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.errors import NetworkFormatError
from netchoice.io.report import Rows

if TYPE_CHECKING:
    import networkx as nx

_ENCODING = re.compile(r"<\?xml[^>]*encoding\s*=\s*[\"']([^\"']+)", re.IGNORECASE)
_FORBIDDEN = re.compile(r"<!\s*(DOCTYPE|ENTITY)", re.IGNORECASE)


def guarded(parse: Callable[[], Any], path: str, format: str) -> Any:
    """Run another library's reader; whatever it stumbles over becomes one clear error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return parse()
    except NetworkFormatError:
        raise
    except (
        Exception
    ) as error:  # foreign parsers fail with anything, from KeyError to AssertionError
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise NetworkFormatError(
            f"{path}: not readable as {format}: {reason}{_where(error)}; "
            "check that the file is complete, or name its real format"
        ) from error


def _where(error: Exception) -> str:
    position = getattr(error, "position", None)
    return f" (line {position[0]})" if position and "line" not in str(error) else ""


def refuse_entities(text: str, path: str) -> None:
    """XML entities can expand without limit or read other files: no parser ever sees them."""
    found = _FORBIDDEN.search(text)
    if found:
        line = text.count("\n", 0, found.start()) + 1
        raise NetworkFormatError(
            f"{path}, line {line}: contains <!{found[1].upper()}; XML with a DOCTYPE or entities is "
            "not accepted: remove that declaration"
        )
    encoding = _ENCODING.match(text.lstrip())
    if encoding and encoding[1].lower() not in ("utf-8", "utf8", "us-ascii", "ascii"):
        raise NetworkFormatError(f"{path}: XML in {encoding[1]}; convert it to UTF-8 first")


def parse_graphml(text: str, path: str) -> Rows:
    """GraphML, through networkx."""
    import networkx as nx

    refuse_entities(text, path)
    return _from_networkx(guarded(lambda: nx.parse_graphml(text), path, "GraphML"))


def parse_gexf(text: str, path: str) -> Rows:
    """GEXF, through networkx."""
    import networkx as nx

    refuse_entities(text, path)
    return _from_networkx(guarded(lambda: nx.read_gexf(io.BytesIO(text.encode())), path, "GEXF"))


def parse_gml(text: str, path: str) -> Rows:
    """GML, through networkx; nodes by label, or by id where labels are missing or repeated."""
    import networkx as nx

    lines = text.splitlines()

    def parse() -> nx.Graph:
        try:
            return nx.parse_gml(lines, label="label")
        except nx.NetworkXError as error:
            if "label" not in str(error):
                raise
            return nx.parse_gml(lines, label="id")

    return _from_networkx(guarded(parse, path, "GML"))


def parse_pajek(text: str, path: str) -> Rows:
    """Pajek, through networkx."""
    import networkx as nx

    if not re.search(r"^\s*\*vertices", text, re.IGNORECASE | re.MULTILINE):
        raise NetworkFormatError(f"{path}: no line '*Vertices N'; not a Pajek network")
    graph = guarded(lambda: nx.parse_pajek(text), path, "Pajek")
    rows = _from_networkx(graph)
    rows.directed = bool(re.search(r"^\s*\*arcs", text, re.IGNORECASE | re.MULTILINE))
    # networkx gives every edge without a weight the weight 1
    rows.weighted = any(data.get("weight", 1.0) != 1.0 for *_, data in graph.edges(data=True))
    return rows


def _from_networkx(graph: nx.Graph) -> Rows:
    ends = [end for edge in graph.edges() for end in edge[:2]]
    weighted = any(set(data) - {"id"} for *_, data in graph.edges(data=True))
    return Rows(ends, declared=list(graph), directed=graph.is_directed(), weighted=weighted)


def parse_matrix_market(content: bytes, path: str) -> Rows:
    """MatrixMarket, through scipy: the non-zero entries of a square matrix."""
    import scipy.io

    if not content.lstrip().lower().startswith(b"%%matrixmarket"):
        raise NetworkFormatError(f"{path}: the first line does not begin with %%MatrixMarket")
    matrix = guarded(lambda: scipy.io.mmread(io.BytesIO(content)), path, "MatrixMarket")
    head = content.lstrip().partition(b"\n")[0].lower()
    return _from_matrix(matrix, path, weighted=b"pattern" not in head)


def parse_npz(content: bytes, path: str) -> Rows:
    """A scipy sparse matrix, or arrays named ``edges`` (m × 2) or ``adjacency`` (square)."""

    def load() -> dict[str, Any]:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            return {name: file[name] for name in file.files}

    arrays = guarded(load, path, "npz")
    if "format" in arrays and "shape" in arrays:
        import scipy.sparse

        matrix = guarded(lambda: scipy.sparse.load_npz(io.BytesIO(content)), path, "npz")
        return _from_matrix(matrix, path, weighted=True)
    if "adjacency" in arrays:
        return _from_matrix(arrays["adjacency"], path, weighted=True)
    edges = arrays.get("edges")
    if edges is None:
        raise NetworkFormatError(
            f"{path}: arrays {', '.join(sorted(arrays)) or 'none'}; expected a scipy sparse matrix, "
            "or an array called 'edges' (m × 2 integers) or 'adjacency' (square)"
        )
    if edges.ndim != 2 or edges.shape[1] != 2 or edges.dtype.kind not in "iu":
        raise NetworkFormatError(
            f"{path}: 'edges' has shape {edges.shape} and type {edges.dtype}; "
            "expected m × 2 integers"
        )
    if edges.size and (edges.min() < 0 or edges.max() >= 2**31 - 1):
        raise NetworkFormatError(f"{path}: 'edges' has ids below 0 or above 2³¹; ids run from 0")
    n_nodes = int(edges.max()) + 1 if edges.size else 0
    return Rows(edges.ravel().tolist(), node_ids=n_nodes)


def _from_matrix(matrix: Any, path: str, weighted: bool) -> Rows:
    """Entries (u, v) and (v, u) are one edge; one without the other means direction."""
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise NetworkFormatError(
            f"{path}: a matrix of shape {matrix.shape}; an adjacency matrix is square"
        )
    if isinstance(matrix, np.ndarray):
        if matrix.dtype.kind not in "biufc":
            raise NetworkFormatError(f"{path}: a matrix of {matrix.dtype}; expected numbers")
        row, column = np.nonzero(matrix)
        data = matrix[row, column]
    else:
        matrix = matrix.tocoo()
        present = matrix.data != 0
        row, column, data = matrix.row[present], matrix.col[present], matrix.data[present]
    n = int(matrix.shape[0])
    if n >= 2**31 - 1:
        raise NetworkFormatError(f"{path}: a matrix with {n} rows; at most {2**31 - 2} nodes fit")
    low, high = np.minimum(row, column).astype(np.int64), np.maximum(row, column).astype(np.int64)
    upper = np.unique((low * n + high)[row <= column])
    lower = np.unique((low * n + high)[row >= column])
    keys = np.union1d(upper, lower)
    ends = np.column_stack([keys // n, keys % n]).ravel().tolist() if n else []
    directed = not np.array_equal(upper, lower)
    weighted = weighted and bool(np.any(data != 1))
    return Rows(ends, node_ids=n, directed=directed, weighted=weighted)
