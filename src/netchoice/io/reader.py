"""The function ``read_network``, which returns a graph and a report of what was dropped."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from netchoice.edge_pairs import EdgePairs
from netchoice.errors import NetworkFormatError
from netchoice.graph import Graph
from netchoice.io import edge_lists, library_formats
from netchoice.io.matrix_market import parse_matrix_market
from netchoice.io.npz import parse_npz
from netchoice.io.pajek import parse_pajek
from netchoice.names import unknown

_TEXT: dict[str, Callable[[str, str], EdgePairs]] = {
    "sif": edge_lists.parse_sif,
    "graphml": library_formats.parse_graphml,
    "gml": library_formats.parse_gml,
    "pajek": parse_pajek,
    "gexf": library_formats.parse_gexf,
}
_BINARY: dict[str, Callable[[bytes, str], EdgePairs]] = {
    "mtx": parse_matrix_market,
    "npz": parse_npz,
}
FORMATS = ("edgelist", *_TEXT, *_BINARY)
#: Formats by suffix; other suffixes are edge lists.
SUFFIXES = {f".{format}": format for format in FORMATS} | {".net": "pajek", ".paj": "pajek"}

#: A file may declare this many nodes, or this many per edge: others are damaged more often than intended.
MAX_DECLARED_NODES = 10_000_000
MAX_NODES_PER_EDGE = 100


@dataclass(frozen=True)
class ReadingReport:
    """The contents of a network file, and what was dropped to get a simple undirected network."""

    path: str
    format: str
    rows: int
    self_loops: int
    repeated_edges: int
    names_only_in_self_loops: int
    isolated_nodes: int
    declares_nodes: bool
    direction_ignored: bool
    weights_ignored: bool
    n_nodes: int
    n_edges: int

    def as_dict(self) -> dict[str, Any]:
        """Return all counts as a dictionary for JSON."""
        return asdict(self)

    def lines(self) -> list[str]:
        """Return the report as text, one remark per line."""
        only_loops = self.names_only_in_self_loops
        optional = (
            (self.self_loops, f"{self.self_loops} self loops dropped"),
            (only_loops, f"{only_loops} names that occur only in self loops dropped"),
            (self.repeated_edges, f"{self.repeated_edges} repeated edges merged"),
            (self.direction_ignored, "direction of edges ignored"),
            (self.weights_ignored, "weights and other columns ignored"),
            (self.declares_nodes, f"{self.isolated_nodes} isolated nodes, as declared"),
        )
        remarks = [
            f"read {self.path} ({self.format}): {self.rows} rows",
            f"{self.n_nodes} nodes, {self.n_edges} edges kept",
            *(text for is_true, text in optional if is_true),
        ]
        if not self.declares_nodes:
            remarks.append("the format cannot declare isolated nodes, so there are none")
        return remarks


def read_network(
    path: str | PathLike[str], format: str | None = None, *, header: bool | None = None
) -> tuple[Graph, ReadingReport]:
    r"""Read a network file.

    Parameters
    ----------
    path : path
        An edge list (separated by tabs, commas, semicolons or spaces; ``#`` and ``%`` start
        comments; columns after the second are ignored), SIF, GraphML, GML, Pajek, GEXF,
        MatrixMarket or ``.npz`` file. Each may be gzipped (.gz).
    format : str, optional
        One of ``FORMATS``. By default the suffix decides; unknown suffixes are edge lists.
    header : bool, optional
        Whether the first line of an edge list has column names. By default it does if its first two
        cells are known column names (source, target, from, to, …).

    Returns
    -------
    graph : Graph
        A simple undirected network. Nodes are numbered in the order in which names first appear.
    report : ReadingReport
        The number of rows, self loops and repeated edges, and what else was dropped.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "net.tsv"
    >>> _ = path.write_text("a\tb\nb\ta\nb\tc\nd\td\n")
    >>> graph, report = read_network(path)
    >>> graph
    <Graph: 3 nodes, 2 edges, labelled>
    >>> report.repeated_edges, report.names_only_in_self_loops
    (1, 1)
    """
    path = Path(path)
    format = find_format(path, format)
    return parse_network(load(path), str(path), format, header)


def find_format(path: Path, format: str | None) -> str:
    """Return the format of a file: the given one, or that of the suffix."""
    if format is None:
        return SUFFIXES.get(suffix_of(path).lower(), "edgelist")
    if format not in FORMATS:
        raise unknown("network format", format, FORMATS)
    return format


def parse_network(
    content: bytes, name: str, format: str, header: bool | None = None
) -> tuple[Graph, ReadingReport]:
    """Read a network from the content of a file; the name is for messages."""
    if not content.strip():
        raise NetworkFormatError(f"{name}: the file is empty; expected a network")
    if format in _BINARY:
        edges = _BINARY[format](content, name)
    elif format == "edgelist":
        edges = edge_lists.parse_edge_list(decode(content, name), name, header)
    else:
        edges = _TEXT[format](decode(content, name), name)
    return clean(edges, name, format)


def clean(edges: EdgePairs, path: str, format: str) -> tuple[Graph, ReadingReport]:
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


def decode(content: bytes, name: str, first_line: int = 1) -> str:
    """Decode UTF-8, or raise an error with the line of the first invalid byte."""
    nul = content.find(b"\x00")
    if nul >= 0:
        line = content.count(b"\n", 0, nul) + first_line
        raise NetworkFormatError(
            f"{name}, line {line}: a NUL byte; this is a binary file or "
            "UTF-16 text: convert it to UTF-8, or pass its format"
        )
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + first_line
        raise NetworkFormatError(
            f"{name}, line {line}: not UTF-8 text (byte {content[error.start]:#04x}); convert it, for "
            "example with iconv -f latin1 -t utf-8, or pass its format if it is binary"
        ) from None
