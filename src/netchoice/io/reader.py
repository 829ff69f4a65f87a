"""The function ``read_network``, which returns a graph and a report of what was dropped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path

from netchoice import graph as graphs
from netchoice.edge_pairs import EdgePairs
from netchoice.errors import NetworkFormatError, UsageError
from netchoice.graph import Graph
from netchoice.io import edge_lists, exchange_formats, text_matrices
from netchoice.io.edge_columns import ColumnNames
from netchoice.io.gml import parse_gml
from netchoice.io.guard import COMPRESSED, CONVERT, NODE, MemoryLimit, guarded, load
from netchoice.io.matrix_market import parse_matrix_market
from netchoice.io.numpy_files import parse_npy, parse_npz
from netchoice.io.pajek import parse_pajek
from netchoice.io.parquet import parse_parquet
from netchoice.io.reading_report import ReadingReport, clean
from netchoice.io.sniffing import sniff_bytes, sniff_text
from netchoice.io.text_tables import Table, detect_text, read_table
from netchoice.stores import place
from netchoice.validation import unknown

_TABLES: dict[str, Callable[[Table], EdgePairs]] = {
    "adjacency": text_matrices.parse_adjacency,
    "incidence": text_matrices.parse_incidence,
    "adjlist": exchange_formats.parse_adjacency_list,
}
_TEXT: dict[str, Callable[[str, str], EdgePairs]] = {
    "sif": edge_lists.parse_sif,
    "graphml": exchange_formats.parse_graphml,
    "gml": parse_gml,
    "pajek": parse_pajek,
    "gexf": exchange_formats.parse_gexf,
    "json": exchange_formats.parse_json,
}
#: Formats that declare sizes, which are checked before memory is reserved for them.
_ARRAYS: dict[str, Callable[[bytes, MemoryLimit], EdgePairs]] = {
    "npz": parse_npz,
    "npy": parse_npy,
    "parquet": parse_parquet,
}
FORMATS = ("edgelist", *_TABLES, *_TEXT, "mtx", *_ARRAYS)
#: Names of formats in messages, if they differ from their names as options.
_NAMES = {
    "graphml": "GraphML", "gexf": "GEXF", "json": "JSON", "parquet": "Parquet", "pajek": "Pajek",
    "edgelist": "an edge list",
}  # fmt: skip
#: Formats of which only the ends of each line are kept in memory, not every cell.
_BY_LINE = ("edgelist", "adjacency", "incidence")
#: Memory per byte of a MatrixMarket file.
_MATRIX_COPIES = 150


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """What the user says about a file; None if the content decides."""

    format: str | None = None
    header: bool | None = None
    columns: ColumnNames | None = None

    def __post_init__(self) -> None:
        if self.format is not None and self.format not in FORMATS:
            error = unknown("network format", self.format, FORMATS)
            raise UsageError(f"{error}; {CONVERT}")


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
        SIF, MatrixMarket, JSON, Parquet, ``.npz`` or ``.npy``. Each may be compressed (.gz, .bz2,
        .xz, .zst).
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
    path = place(path)
    options = ReadingOptions(format, header, columns)
    content, limit = load(path)
    return parse_network(content, options, limit)


def parse_network(
    content: bytes, options: ReadingOptions, limit: MemoryLimit
) -> tuple[Graph, ReadingReport]:
    """Read a network from the content of a file; its errors are one line that names the file."""
    return guarded(lambda: _parse(content, options, limit), limit.path, "a network")


def _parse(
    content: bytes, options: ReadingOptions, limit: MemoryLimit
) -> tuple[Graph, ReadingReport]:
    name = limit.path
    if not content.strip():
        raise NetworkFormatError(f"{name}: the file is empty; expected a network")
    suffix, format, forced = suffix_of(Path(name)).lower(), options.format, bool(options.format)
    reason, encoding = "the option" if forced else "", "utf-8"
    if format is None:
        format, reason = sniff_bytes(content, suffix) or (None, "")
    if format in _ARRAYS:
        parse = partial(_ARRAYS[format], content, limit)
    elif format == "mtx":
        limit.check(_MATRIX_COPIES * len(content), f"{len(content)} bytes")
        parse = partial(parse_matrix_market, content, name)
    else:
        limit.check_lines(content)
        text, encoding = detect_text(content, name)
        table = read_table(text, name)
        if format is None:
            format, reason = sniff_text(text, table, suffix)
        if format not in _BY_LINE:
            limit.check_cells(content)
        if format in _TABLES:
            parse = partial(_TABLES[format], table)
        elif format in _TEXT:
            parse = partial(_TEXT[format], text, name)
        else:
            parse = partial(
                edge_lists.parse_edge_list, table, options.header, options.columns, forced
            )
    edges = guarded(parse, name, _NAMES.get(format, format))
    _check_size(edges, limit)
    graph, report = clean(edges, name, format, reason, encoding)
    if not graph.n_edges and not edge_lists.OWN_HEADER.match(content[:80].decode("latin-1")):
        raise NetworkFormatError(
            f"{name}: no edges, read as {format} (reason: {reason}); expected a network with edges; "
            f"if the format is another one, pass it: --format {'|'.join(FORMATS[:4])}|…"
        )
    return graph, report


def _check_size(edges: EdgePairs, limit: MemoryLimit) -> None:
    """Reject a declared number of nodes that needs much more memory than the file has content."""
    pairs, n_nodes = edges.pairs, edges.n_nodes
    if edges.labels is None:
        n_nodes = int(pairs.max()) + 1 if n_nodes is None and pairs.size else n_nodes or 0
        limit.check(NODE * n_nodes, f"{n_nodes} nodes and {len(pairs)} edges")


def suffix_of(path: Path) -> str:
    """Return the suffix of a file's name, without that of a compression."""
    return path.with_suffix("").suffix if path.suffix.lower() in COMPRESSED else path.suffix


def _read_graph(path: str | PathLike[str]) -> Graph:
    return read_network(path)[0]


graphs.FILE_READERS.append(_read_graph)
