"""The format of a file, found by its content; the suffix of its name decides only in doubt."""

from __future__ import annotations

import re

from netchoice.errors import NetworkFormatError
from netchoice.io.edge_lists import OWN_HEADER
from netchoice.io.exchange_formats import is_adjacency_list
from netchoice.io.guard import CONVERT
from netchoice.io.matrix_market import lacks_sizes
from netchoice.io.text_matrices import guess_matrix
from netchoice.io.text_tables import Table

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


def sniff_bytes(content: bytes, suffix: str) -> tuple[str, str] | None:
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


def sniff_text(text: str, table: Table, suffix: str) -> tuple[str, str]:
    """Return the format of a text, and the reason."""
    start = text[:_START]
    for format, pattern in _STARTS.items():
        if pattern.match(start):
            return format, "its first line"
    if OWN_HEADER.match(text):
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
    found = guess_matrix(table)
    if found is not None:
        _refuse_ambiguous(table, *found)
        return found
    if is_adjacency_list(table):
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
