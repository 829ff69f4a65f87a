"""The function ``read_network``, which returns a graph and a report of what was dropped."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from netchoice import graph as graphs
from netchoice.edge_pairs import EdgePairs
from netchoice.errors import NetworkFormatError
from netchoice.graph import Graph
from netchoice.io import (
    binary_formats,
    edge_lists,
    exchange_formats,
    library_formats,
    text_matrices,
)
from netchoice.io.adjacency_lists import parse_adjacency_list, parse_metis
from netchoice.io.edge_columns import ColumnNames
from netchoice.io.encodings import detect_text
from netchoice.io.matrix_market import parse_matrix_market
from netchoice.io.npz import parse_npz
from netchoice.io.pajek import parse_pajek
from netchoice.io.reading_report import ReadingReport
from netchoice.io.sniffing import sniff_bytes, sniff_text
from netchoice.io.text_tables import Table, read_table
from netchoice.names import unknown

_TABLES: dict[str, Callable[[Table], EdgePairs]] = {
    "adjacency": text_matrices.parse_adjacency,
    "incidence": text_matrices.parse_incidence,
    "adjlist": parse_adjacency_list,
}
_TEXT: dict[str, Callable[[str, str], EdgePairs]] = {
    "sif": edge_lists.parse_sif,
    "graphml": library_formats.parse_graphml,
    "gml": library_formats.parse_gml,
    "pajek": parse_pajek,
    "gexf": library_formats.parse_gexf,
    "metis": parse_metis,
    "json": exchange_formats.parse_json,
    "dot": exchange_formats.parse_dot,
    "dimacs": exchange_formats.parse_dimacs,
    "lgl": exchange_formats.parse_lgl,
    "tgf": exchange_formats.parse_tgf,
    "epanet": exchange_formats.parse_epanet,
}
_BINARY: dict[str, Callable[[bytes, str], EdgePairs]] = {
    "mtx": parse_matrix_market,
    "npz": parse_npz,
    "npy": binary_formats.parse_npy,
    "parquet": binary_formats.parse_parquet,
    "gt": binary_formats.parse_graph_tool,
    "graph6": binary_formats.parse_graph6,
}
FORMATS = ("edgelist", "tntp", *_TABLES, *_TEXT, *_BINARY)

#: A file may declare this many nodes, or this many per edge: others are damaged more often than intended.
MAX_DECLARED_NODES = 10_000_000
MAX_NODES_PER_EDGE = 100


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """What the user says about a file; None if the content decides."""

    format: str | None = None
    header: bool | None = None
    columns: ColumnNames | None = None

    def __post_init__(self) -> None:
        if self.format is not None and self.format not in FORMATS:
            raise unknown("network format", self.format, FORMATS)


def read_network(
    path: str | PathLike[str],
    format: str | None = None,
    *,
    header: bool | None = None,
    columns: ColumnNames | None = None,
) -> tuple[Graph, ReadingReport]:
    r"""Read a network file.

    Parameters
    ----------
    path : path
        An edge list, an adjacency or incidence matrix, an adjacency list, GraphML, GML, GEXF, Pajek,
        SIF, MatrixMarket, METIS, JSON, DOT, DIMACS, LGL, Parquet, ``.npz``, ``.npy``, ``.gt``, graph6,
        or the links of a traffic (TNTP) or water network (EPANET). Each may be gzipped (.gz).
    format : str, optional
        One of ``FORMATS``. By default the content decides, and then the suffix. With
        ``format="edgelist"``, a table that does not look like a network is read all the same.
    header : bool, optional
        Whether the first line of an edge list has column names. By default it does if it differs from
        the other lines as names of columns differ from values.
    columns : two names or numbers, optional
        The columns of an edge list with the nodes, by name or counted from 1.

    Returns
    -------
    graph : Graph
        A simple undirected network. Nodes are numbered in the order in which names first appear.
    report : ReadingReport
        The format and why, the header, the number of rows, self loops and repeated edges, and what
        else was dropped.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "net.tsv"
    >>> _ = path.write_text("a\tb\nb\ta\nb\tc\nd\td\n")
    >>> graph, report = read_network(path)
    >>> graph
    <Graph: 3 nodes, 2 edges, labelled; dropped: 1 self loop, 1 repeated edge>
    >>> report.repeated_edges, report.names_only_in_self_loops
    (1, 1)
    """
    path = Path(path)
    options = ReadingOptions(format, header, columns)
    return parse_network(load(path), str(path), options)


def parse_network(
    content: bytes, name: str, options: ReadingOptions
) -> tuple[Graph, ReadingReport]:
    """Read a network from the content of a file; the name is for messages and for its suffix."""
    if not content.strip():
        raise NetworkFormatError(f"{name}: the file is empty; expected a network")
    suffix, format, forced = suffix_of(Path(name)).lower(), options.format, bool(options.format)
    reason, encoding = "the option" if forced else "", "utf-8"
    if format is None:
        try:
            format, reason = sniff_bytes(content, suffix) or (None, "")
        except NetworkFormatError as error:
            raise NetworkFormatError(f"{name}: {error}") from None
    if format in _BINARY:
        edges = _BINARY[format](content, name)
    else:
        text, encoding = detect_text(content, name)
        table = read_table(text, name)
        if format is None:
            format, reason = sniff_text(text, table, suffix)
        if format == "tntp":
            table = read_table(exchange_formats.traffic_links(text), name)
        if format in _TABLES:
            edges = _TABLES[format](table)
        elif format in _TEXT:
            edges = _TEXT[format](text, name)
        else:
            edges = edge_lists.parse_edge_list(table, options.header, options.columns, forced)
    graph, report = clean(edges, name, format, reason, encoding)
    if not graph.n_edges and not edge_lists.OWN_HEADER.match(content[:80].decode("latin-1")):
        raise NetworkFormatError(
            f"{name}: no edges, read as {format} (reason: {reason}); expected a network with edges; "
            f"if the format is another one, pass it: --format {'|'.join(FORMATS[:4])}|…"
        )
    return graph, report


def clean(
    edges: EdgePairs, path: str, format: str, reason: str = "", encoding: str = "utf-8"
) -> tuple[Graph, ReadingReport]:
    """Return the simple network of some edges, and a report of what was dropped."""
    _check_size(edges, path)
    graph = Graph.from_pairs(edges)
    kept = graph if edges.declares_nodes else graph.without_isolated()
    return kept, ReadingReport(
        path=path,
        format=format,
        rows=len(edges.pairs),
        self_loops=graph.self_loops_dropped,
        repeated_edges=graph.repeats_dropped,
        names_only_in_self_loops=graph.n_nodes - kept.n_nodes,
        isolated_nodes=kept.n_isolated,
        declares_nodes=edges.declares_nodes,
        direction_ignored=edges.directed,
        weights_ignored=edges.weighted,
        n_nodes=kept.n_nodes,
        n_edges=kept.n_edges,
        reason=reason,
        encoding=encoding,
        bipartite=edges.kinds,
        ignored=edges.ignored,
        findings=edges.findings,
        warnings=edges.warnings,
    )


def _check_size(edges: EdgePairs, path: str) -> None:
    """Reject a declared number of nodes that needs much more memory than the file has content."""
    pairs, n_nodes = edges.pairs, edges.n_nodes
    if edges.labels is not None:
        return
    if n_nodes is None:
        n_nodes = int(pairs.max()) + 1 if pairs.size else 0
    if n_nodes > max(MAX_DECLARED_NODES, MAX_NODES_PER_EDGE * len(pairs)):
        raise NetworkFormatError(
            f"{path}: {n_nodes} nodes and {len(pairs)} edges; expected at most {MAX_DECLARED_NODES} nodes, "
            f"or {MAX_NODES_PER_EDGE} per edge; correct the declared size, or renumber the nodes"
        )


def suffix_of(path: Path) -> str:
    """Return the suffix of a file's name, without a final .gz."""
    return path.with_suffix("").suffix if path.suffix.lower() == ".gz" else path.suffix


def load(path: Path) -> bytes:
    """Return the content of a file, decompressed if it is gzipped."""
    try:
        content = path.read_bytes()
    except (OSError, ValueError) as error:
        if isinstance(error, IsADirectoryError):
            reason = " is a folder; pass the path of a network file"
        elif isinstance(error, FileNotFoundError):
            reason = ": no such file; check the path and the current folder"
        elif isinstance(error, PermissionError):
            reason = ": no permission to read it; try chmod +r"
        else:
            reason = f": cannot be read: {error}; check the disk, or copy the file elsewhere"
        raise NetworkFormatError(f"{path}{reason}") from error
    return decompress(content, str(path))


def decompress(content: bytes, name: str, max_size: int | None = None) -> bytes:
    """Return the content of a gzip file of limited size; other content is returned as it is."""
    if content[:2] != b"\x1f\x8b":
        return content
    try:
        file = gzip.GzipFile(fileobj=io.BytesIO(content))
        content = file.read(-1 if max_size is None else max_size + 1)
    except (EOFError, OSError, zlib.error) as error:
        raise NetworkFormatError(
            f"{name}: damaged or truncated gzip file ({error}); download or compress it again"
        ) from error
    if max_size is not None and len(content) > max_size:
        raise NetworkFormatError(
            f"{name}: more than {max_size >> 20} MB after decompression; decompress the file first"
        )
    return content


def _read_graph(path: str | PathLike[str]) -> Graph:
    return read_network(path)[0]


graphs.FILE_READERS.append(_read_graph)
