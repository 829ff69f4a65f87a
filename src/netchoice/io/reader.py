"""The function ``read_network``, which returns a graph and a report of what was dropped."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from os import PathLike
from pathlib import Path

from netchoice.errors import NetworkFormatError
from netchoice.graph import Graph
from netchoice.io import edge_lists, library_formats
from netchoice.io.pajek import parse_pajek
from netchoice.io.reading_report import ReadingReport, Rows, clean
from netchoice.names import unknown

SUFFIXES = {
    ".sif": "sif",
    ".graphml": "graphml",
    ".gml": "gml",
    ".net": "pajek",
    ".paj": "pajek",
    ".pajek": "pajek",
    ".gexf": "gexf",
    ".mtx": "mtx",
    ".npz": "npz",
}
_TEXT: dict[str, Callable[[str, str], Rows]] = {
    "sif": edge_lists.parse_sif,
    "graphml": library_formats.parse_graphml,
    "gml": library_formats.parse_gml,
    "pajek": parse_pajek,
    "gexf": library_formats.parse_gexf,
}
_BINARY: dict[str, Callable[[bytes, str], Rows]] = {
    "mtx": library_formats.parse_matrix_market,
    "npz": library_formats.parse_npz,
}
FORMATS = ("edgelist", *_TEXT, *_BINARY)


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
        One of ``FORMATS``. By default the suffix of the name decides; unknown suffixes are edge
        lists.
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
    name = str(path)
    if format is None:
        format = format_of(path)
    elif format not in FORMATS:
        raise unknown("network format", format, FORMATS)
    content = _load(path)
    if format in _BINARY:
        rows = _BINARY[format](content, name)
    elif format == "edgelist":
        rows = edge_lists.parse_edge_list(_decode(content, name), name, header)
    else:
        rows = _TEXT[format](_decode(content, name), name)
    return clean(rows, name, format)


def format_of(path: Path) -> str:
    """Return the format that the suffix of a file's name stands for."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    return SUFFIXES.get(suffixes[-1] if suffixes else "", "edgelist")


def _load(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise NetworkFormatError(f"{path} is a folder; pass the path of a network file")
        content = path.read_bytes()
    except NetworkFormatError:
        raise
    except FileNotFoundError:
        raise NetworkFormatError(
            f"{path}: no such file; check the path and the current folder"
        ) from None
    except PermissionError:
        raise NetworkFormatError(f"{path}: no permission to read it; try chmod +r") from None
    except (OSError, ValueError) as error:
        raise NetworkFormatError(
            f"{path}: cannot be read: {error}; check the disk, or copy the file elsewhere"
        ) from error
    if content[:2] == b"\x1f\x8b":
        try:
            content = gzip.decompress(content)
        except (EOFError, OSError, zlib.error) as error:
            raise NetworkFormatError(
                f"{path}: damaged or truncated gzip file ({error}); download or compress it again"
            ) from error
    if not content.strip():
        raise NetworkFormatError(f"{path}: the file is empty; expected a network")
    return content


def _decode(content: bytes, name: str) -> str:
    """Decode UTF-8, or raise an error with the line of the first invalid byte."""
    nul = content.find(b"\x00")
    if nul >= 0:
        line = content.count(b"\n", 0, nul) + 1
        raise NetworkFormatError(
            f"{name}, line {line}: a NUL byte; this is a binary file or "
            "UTF-16 text: convert it to UTF-8, or pass its format"
        )
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise NetworkFormatError(
            f"{name}, line {line}: not UTF-8 text (byte {content[error.start]:#04x}); convert it, for "
            "example with iconv -f latin1 -t utf-8, or pass its format if it is binary"
        ) from None
