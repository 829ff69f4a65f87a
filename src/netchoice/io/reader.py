"""The function ``read_network``, and the rule that finds the format of a file."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path

from netchoice import graph as graphs
from netchoice.edge_pairs import EdgePairs
from netchoice.errors import NetworkFormatError, UsageError
from netchoice.graph import Graph
from netchoice.io import edge_lists, graph_formats, text_matrices
from netchoice.io.edge_lists import ColumnNames
from netchoice.io.gml import parse_gml
from netchoice.io.guard import COMPRESSED, CONVERT, NODE, MemoryLimit, guarded, load
from netchoice.io.matrix_market import lacks_sizes, parse_matrix_market
from netchoice.io.numpy_files import parse_npy, parse_npz
from netchoice.io.parquet import parse_parquet
from netchoice.io.reading_report import ReadingReport, clean
from netchoice.io.text_tables import Table, detect_text, read_table
from netchoice.stores import place
from netchoice.validation import unknown

_TABLES: dict[str, Callable[[Table], EdgePairs]] = {
    "adjacency": text_matrices.parse_adjacency,
    "incidence": text_matrices.parse_incidence,
    "adjlist": graph_formats.parse_adjacency_list,
}
_TEXT: dict[str, Callable[[str, str], EdgePairs]] = {
    "sif": graph_formats.parse_sif,
    "graphml": graph_formats.parse_graphml,
    "gml": parse_gml,
    "pajek": graph_formats.parse_pajek,
    "gexf": graph_formats.parse_gexf,
    "json": graph_formats.parse_json,
}
#: Formats that declare sizes, which are checked before memory is reserved for them.
_ARRAYS: dict[str, Callable[[bytes, MemoryLimit], EdgePairs]] = {
    "mtx": parse_matrix_market,
    "npz": parse_npz,
    "npy": parse_npy,
    "parquet": parse_parquet,
}
FORMATS = ("edgelist", *_TABLES, *_TEXT, *_ARRAYS)
#: Names of formats in messages, if they differ from their names as options.
_NAMES = {
    "graphml": "GraphML", "gexf": "GEXF", "json": "JSON", "parquet": "Parquet", "pajek": "Pajek",
    "edgelist": "an edge list",
}  # fmt: skip
#: Formats of which only the ends of each line are kept in memory, not every cell.
_BY_LINE = ("edgelist", "adjacency", "incidence")


#: Formats by suffix. A table, such as an edge list or a matrix, may have any suffix.
SUFFIXES = {
    ".sif": "sif", ".graphml": "graphml", ".gml": "gml", ".net": "pajek", ".paj": "pajek",
    ".pajek": "pajek", ".gexf": "gexf", ".mtx": "mtx", ".npz": "npz", ".npy": "npy",
    ".parquet": "parquet", ".pq": "parquet", ".json": "json", ".adjlist": "adjlist",
}  # fmt: skip
#: The first bytes of binary formats.
_MAGIC = {
    b"PK\x03\x04": "npz", b"\x93NUMPY": "npy", b"PAR1": "parquet", b"%%MatrixMarket": "mtx",
}  # fmt: skip
#: Other formats, which are refused with their names.
_OTHER_MAGIC = {
    b"\xe2\x9b\xbe gt": "graph-tool", b">>graph6<<": "graph6", b">>sparse6<<": "sparse6",
    b"\x89HDF": "HDF5", b"MATLAB": "MATLAB", b"%PDF": "PDF", b"\x80\x04": "pickle",
    b"\x80\x05": "pickle", b"\xd0\xcf\x11\xe0": "Excel", b"BZh": "bzip2", b"\xfd7zXZ": "xz",
    b"7z\xbc\xaf": "7-Zip", b"SQLite format": "SQLite", b"ARROW1": "Feather",
}  # fmt: skip
#: The start of text formats, after blank lines and comments; upper and lower case are the same. The
#: possessive quantifiers (``*+``) never go back, so the time is proportional to the length.
_STARTS = {
    "pajek": re.compile(
        r"(?:[^\S\n]*+(?:%.*+)?\n)*+\s*+\*(vertices|network|arcs|edges|matrix)\b", re.I
    ),
    "graphml": re.compile(r"\s*+<(?:[^>]*+>\s*+<){0,20}?(?:\w++:)?graphml\b", re.I),
    "gexf": re.compile(r"\s*+<(?:[^>]*+>\s*+<){0,20}?(?:\w++:)?gexf\b", re.I),
    "gml": re.compile(
        r"(?:[^\S\n]*+(?:#.*+|(?:creator|version|comment)\b.*+)?\n)*+\s*+graph\s*+\[", re.I
    ),
    "json": re.compile(r"\s*+(\{\s*+[\"}]|\[\s*+[\[{\]])"),
}
#: Other text formats, which are refused with their names.
_OTHER_STARTS = {
    "DOT": re.compile(
        r"(?:\s++|/\*(?:[^*]++|\*(?!/))*+\*/|//.*+)*+(?:strict\s++)?(?:di)?graph\b[^\[{\n]*+\{",
        re.I,
    ),
    "DIMACS": re.compile(r"(?:\s*+c\b.*+\n)*+\s*+p\s++(edge|col|sp|max|tw)\s++\d++\s++\d", re.I),
    "TNTP": re.compile(
        r"(?:\s*+<(?!NUMBER OF|FIRST THRU|END OF METADATA)[A-Z ]++>.*+\n)*+"
        r"\s*+<(NUMBER OF|FIRST THRU|END OF METADATA)\b",
        re.I,
    ),
    "EPANET": re.compile(
        r"(?:[^\S\n]*+(?:;.*+)?\n)*+\s*+\[(title|junctions|pipes|options|tanks|reservoirs)\]", re.I
    ),
}
_OTHER_SUFFIXES = {".lgl": "LGL", ".metis": "METIS"}
_WEB_PAGE = re.compile(r"\s*<(!doctype|html|head|body|\?xml|svg)\b", re.I)
_START = 1 << 14


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
    return guarded(lambda: parse_network(content, options, limit), limit.path, "a network")


def parse_network(
    content: bytes, options: ReadingOptions, limit: MemoryLimit
) -> tuple[Graph, ReadingReport]:
    """Read a network from the content of a file."""
    name = limit.path
    if not content.strip():
        raise NetworkFormatError(f"{name}: the file is empty; expected a network")
    suffix, format, forced = suffix_of(Path(name)).lower(), options.format, bool(options.format)
    reason, encoding = "the option" if forced else "", "utf-8"
    if format is None:
        format, reason = _format_of_bytes(content, suffix) or (None, "")
    if format in _ARRAYS:
        parse = partial(_ARRAYS[format], content, limit)
    else:
        limit.check_lines(content)
        text, encoding = detect_text(content, name)
        table = read_table(text, name)
        if format is None:
            format, reason = _format_of_text(text, table, suffix)
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


graphs.FILE_READERS.append(lambda path: read_network(path)[0])


# The format: the content decides, and the suffix of the name only if the content does not


def _format_of_bytes(content: bytes, suffix: str) -> tuple[str, str] | None:
    """Return the format of a binary file or a MatrixMarket file, and the reason; None if it is text."""
    start = content[:64].removeprefix(b"\xef\xbb\xbf").lstrip()
    for magic, format in _MAGIC.items():
        if start.lower().startswith(magic.lower()):
            is_edge_list = format == "mtx" and lacks_sizes(content)
            return None if is_edge_list else (format, "its first bytes")
    for magic, name in _OTHER_MAGIC.items():
        if start.startswith(magic):
            raise NetworkFormatError(
                f"a file in the format {name}, by its first bytes; expected a network file; {CONVERT}"
            )
    hint = SUFFIXES.get(suffix, "")
    if hint in _MAGIC.values() and hint != "mtx" and b"\0" in content[:_START]:
        return hint, f"the suffix {suffix}"
    return None


def _format_of_text(text: str, table: Table, suffix: str) -> tuple[str, str]:
    """Return the format of a text, and the reason."""
    start = text[:_START]
    for format, pattern in _STARTS.items():
        if pattern.match(start):
            return format, "its first line"
    if edge_lists.OWN_HEADER.match(text):
        return "edgelist", "its first line, which netchoice wrote"
    hint = SUFFIXES.get(suffix)
    if hint in ("sif", "graphml", "gexf", "gml", "json", "adjlist"):
        return hint, f"the suffix {suffix}"
    _refuse_other_formats(text, table, suffix)
    if not table.lines:
        return "edgelist", "nothing else fits"
    if _WEB_PAGE.match(text):
        raise NetworkFormatError(
            f"{table.path}: a web page or XML of another kind; expected GraphML or GEXF; download "
            "the file itself"
        )
    found = text_matrices.guess_matrix(table)
    if found is not None:
        _refuse_ambiguous(table, *found)
        return found
    if graph_formats.is_adjacency_list(table):
        return (
            "adjlist",
            "each line starts with another node, and lists nodes that start other lines",
        )
    instead = f"; it has no keywords of {hint}" if hint else ""
    return "edgelist", f"lines with {table.width} cells each{instead}"


def _refuse_other_formats(text: str, table: Table, suffix: str) -> None:
    """Raise an error if a text has a format that is not read, and would be taken for an edge list."""
    starts = (name for name, pattern in _OTHER_STARTS.items() if pattern.match(text[:_START]))
    other = next(starts, _OTHER_SUFFIXES.get(suffix))
    if other is None and table.lines and _is_metis(table):
        other = "METIS"
    if other is None and _is_trivial(text):
        other = "TGF"
    if other is not None:
        raise NetworkFormatError(
            f"{table.path}: looks like {other}, which is not read; {CONVERT}; "
            "or pass --format edgelist to read it as an edge list"
        )


def _is_metis(table: Table) -> bool:
    """Return whether the first line has the numbers of nodes and edges, and others list neighbours.

    The line of each node lists its neighbours, and each neighbour lists the node.
    """
    (first, line), *rest = table.lines
    sizes = line.split()
    if not 2 <= len(sizes) <= 3 or not all(cell.isdecimal() and len(cell) < 11 for cell in sizes):
        return False
    if len(rest) > int(sizes[0]):
        return False
    entries = [(str(number - first), end) for number, line in rest for end in line.split()]
    distinct = set(entries)
    return len(entries) == 2 * int(sizes[1]) and all((v, u) in distinct for u, v in distinct)


def _is_trivial(text: str) -> bool:
    """Return whether a line with # separates nodes, one per line, from edges between them."""
    before, mark, after = text.partition("\n#\n")
    if not mark:
        return False
    nodes = {line.split()[0] for line in before.split("\n") if line.strip()}
    edges = [line.split() for line in after.split("\n") if line.strip()]
    return bool(edges) and all(len(edge) > 1 and nodes.issuperset(edge[:2]) for edge in edges)


def _refuse_ambiguous(table: Table, format: str, reason: str) -> None:
    if reason.startswith("ambiguous: "):
        raise NetworkFormatError(
            f"{table.path}: {reason.removeprefix('ambiguous: ')}: it may be a matrix or an edge list; "
            f"pass --format {format} or --format edgelist (in Python: format={format!r})"
        )
