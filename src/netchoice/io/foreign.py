"""Formats that networkx and scipy can read."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.errors import NetworkFormatError
from netchoice.graph import matrix_entries
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
    n_graphs = len(re.findall(r"<(?:\w+:)?graph[\s>/]", text))
    if n_graphs > 1:
        raise NetworkFormatError(f"{path}: {n_graphs} graphs in one file; keep one of them")
    return _from_networkx(guarded(lambda: nx.parse_graphml(text), path, "GraphML"))


def parse_gexf(text: str, path: str) -> Rows:
    """GEXF, through networkx."""
    import networkx as nx

    refuse_entities(text, path)
    return _from_networkx(guarded(lambda: nx.read_gexf(io.BytesIO(text.encode())), path, "GEXF"))


def parse_gml(text: str, path: str) -> Rows:
    """GML, through networkx; nodes by label, or by id where labels are missing or repeated."""
    import networkx as nx

    # Told that edges may repeat, networkx does not refuse repeats, which are merged and counted here.
    lines = re.sub(r"\bgraph\s*\[", "graph [ multigraph 1 ", text, count=1).splitlines()

    def parse() -> nx.Graph:
        try:
            return nx.parse_gml(lines, label="label")
        except nx.NetworkXError as error:
            if "label" not in str(error):
                raise
            return nx.parse_gml(lines, label="id")

    rows = _from_networkx(guarded(parse, path, "GML"))
    rows.weighted = bool(
        re.search(r"\bedge\s*\[[^\]]*\b(?!source|target|id\b|key\b)[A-Za-z]\w*\s", text)
    )
    return rows


_VERTEX = re.compile(r'\s*(\d+)(?:\s+("[^"]*"|\S+))?')


def parse_pajek(text: str, path: str) -> Rows:
    """Pajek: vertices, then edges, arcs, lists of either, or a matrix.

    Not through networkx, which loses edges of lists and merges vertices with the same label.
    """
    section, n_nodes, directed, weighted = "", None, False, False
    labels: dict[int, str] = {}
    ends: list[int] = []
    matrix: list[list[str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        where, words = f"{path}, line {number}", line.split()
        if not words or words[0].startswith("%"):
            continue
        if words[0].startswith("*"):
            section = words[0].lower().rstrip(":")
            directed |= section.startswith("*arcs")
            if section == "*vertices":
                n_nodes = _whole_numbers(words[1:2], where, "*Vertices N")[0]
            elif n_nodes is None and section != "*network":
                raise NetworkFormatError(f"{path}: no line '*Vertices N'; not a Pajek network")
        elif n_nodes is None:
            raise NetworkFormatError(f"{path}: no line '*Vertices N'; not a Pajek network")
        elif section == "*vertices":
            vertex = _VERTEX.match(line)
            if not vertex:
                raise NetworkFormatError(f'{where}: {line.strip()[:60]!r}; expected: number "name"')
            labels[int(vertex[1])] = (vertex[2] or vertex[1]).strip('"')
        elif section in ("*edges", "*arcs"):
            ends += _whole_numbers(words[:2], where, "two numbers of vertices", 2)
            weighted |= len(words) > 2 and words[2] not in ("1", "1.0")
        elif section in ("*edgeslist", "*arcslist"):
            first, *others = _whole_numbers(words, where, "numbers of vertices", len(words))
            ends += [end for other in others for end in (first, other)]
        elif section == "*matrix":
            matrix.append(words)
        else:
            raise NetworkFormatError(f"{where}: section {section} is not read; remove it")
    return _pajek_rows(path, n_nodes, labels, ends, matrix, directed, weighted)


def _pajek_rows(
    path: str,
    n_nodes: int | None,
    labels: dict[int, str],
    ends: list[int],
    matrix: list[list[str]],
    directed: bool,
    weighted: bool,
) -> Rows:
    if n_nodes is None:
        raise NetworkFormatError(f"{path}: no line '*Vertices N'; not a Pajek network")
    if matrix:
        try:
            entries = matrix_entries(np.array(matrix, dtype=float))
        except ValueError as error:
            raise NetworkFormatError(f"{path}: *Matrix is not square or not numeric") from error
        ends += (entries.pairs.ravel() + 1).tolist()
        directed, weighted = directed or entries.directed, weighted or entries.weighted
    outside = [v for v in (*ends, *labels) if not 1 <= v <= n_nodes]
    if outside:
        raise NetworkFormatError(
            f"{path}: vertex {outside[0]}, but *Vertices says {n_nodes}; numbers run from 1"
        )
    if not labels or len(set(labels.values())) < len(labels) or len(labels) < n_nodes:
        return Rows([v - 1 for v in ends], node_ids=n_nodes, directed=directed, weighted=weighted)
    names = [labels[v] for v in ends]
    declared = [labels[v] for v in sorted(labels)]
    return Rows(names, declared=declared, directed=directed, weighted=weighted)


def _whole_numbers(words: list[str], where: str, expected: str, n: int = 1) -> list[int]:
    try:
        numbers = [int(word) for word in words]
    except ValueError:
        numbers = []
    if len(numbers) != n or not all(0 <= number < 2**31 for number in numbers):
        raise NetworkFormatError(f"{where}: {' '.join(words)[:60]!r}; expected {expected}")
    return numbers


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
    return _from_matrix(matrix, path)


def parse_npz(content: bytes, path: str) -> Rows:
    """A scipy sparse matrix, or arrays named ``edges`` (m × 2) or ``adjacency`` (square)."""

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
            f"{path}: 'edges' has shape {edges.shape} and type {edges.dtype}; "
            "expected m × 2 integers"
        )
    if edges.size and (edges.min() < 0 or edges.max() >= 2**31 - 1):
        raise NetworkFormatError(f"{path}: 'edges' has ids below 0 or above 2³¹; ids run from 0")
    n_nodes = int(edges.max()) + 1 if edges.size else 0
    return Rows(edges.ravel(), node_ids=n_nodes)


def _from_matrix(matrix: Any, path: str) -> Rows:
    try:
        entries = matrix_entries(matrix)
    except NetworkFormatError as error:
        raise NetworkFormatError(f"{path}: {error}") from error
    return Rows(
        entries.pairs.ravel(),
        node_ids=entries.n_nodes,
        directed=entries.directed,
        weighted=entries.weighted,
    )
