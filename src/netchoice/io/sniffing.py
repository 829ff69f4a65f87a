"""The format of a file, found by its content; the suffix of its name decides only in doubt."""

from __future__ import annotations

import re

from netchoice.errors import NetworkFormatError
from netchoice.io.adjacency_lists import is_adjacency_list, is_metis
from netchoice.io.binary_formats import GRAPH_TOOL
from netchoice.io.edge_lists import OWN_HEADER
from netchoice.io.exchange_formats import is_trivial
from netchoice.io.text_matrices import guess_matrix
from netchoice.io.text_tables import Table

#: Formats by suffix. A table, such as an edge list or a matrix, may have any suffix.
SUFFIXES = {
    ".sif": "sif", ".graphml": "graphml", ".gml": "gml", ".net": "pajek", ".paj": "pajek",
    ".pajek": "pajek", ".gexf": "gexf", ".mtx": "mtx", ".npz": "npz", ".npy": "npy", ".gt": "gt",
    ".g6": "graph6", ".s6": "graph6", ".graph6": "graph6", ".sparse6": "graph6", ".parquet": "parquet",
    ".pq": "parquet", ".json": "json", ".dot": "dot", ".gv": "dot", ".dimacs": "dimacs", ".lgl": "lgl",
    ".metis": "metis", ".graph": "metis", ".adjlist": "adjlist", ".inp": "epanet", ".tntp": "tntp",
    ".tgf": "tgf",
}  # fmt: skip
#: The first bytes of binary formats.
_MAGIC = {
    b"PK\x03\x04": "npz", b"\x93NUMPY": "npy", b"PAR1": "parquet", GRAPH_TOOL: "gt",
    b">>graph6<<": "graph6", b">>sparse6<<": "graph6", b"%%MatrixMarket": "mtx",
}  # fmt: skip
#: Other formats, which are refused with their names.
_OTHER_MAGIC = {
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
    "dot": re.compile(
        r"(?:\s++|/\*(?:[^*]++|\*(?!/))*+\*/|//.*+)*+(?:strict\s++)?(?:di)?graph\b[^\[{\n]*+\{",
        re.I,
    ),
    "dimacs": re.compile(r"(?:\s*+c\b.*+\n)*+\s*+p\s++(edge|col|sp|max|tw)\s++\d++\s++\d", re.I),
    "tntp": re.compile(
        r"(?:\s*+<(?!NUMBER OF|FIRST THRU|END OF METADATA)[A-Z ]++>.*+\n)*+"
        r"\s*+<(NUMBER OF|FIRST THRU|END OF METADATA)\b",
        re.I,
    ),
    "epanet": re.compile(
        r"(?:[^\S\n]*+(?:;.*+)?\n)*+\s*+\[(title|junctions|pipes|options|tanks|reservoirs)\]", re.I
    ),
    "json": re.compile(r"\s*+(\{\s*+[\"}]|\[\s*+[\[{\]])"),
}
_WEB_PAGE = re.compile(r"\s*<(!doctype|html|head|body|\?xml|svg)\b", re.I)
_START = 1 << 14


def sniff_bytes(content: bytes, suffix: str) -> tuple[str, str] | None:
    """Return the format of a binary file or a MatrixMarket file, and the reason; None if it is text."""
    start = content[:64].removeprefix(b"\xef\xbb\xbf").lstrip()
    for magic, format in _MAGIC.items():
        if start.lower().startswith(magic.lower()):
            return None if _lacks_sizes(content, format) else (format, "its first bytes")
    for magic, name in _OTHER_MAGIC.items():
        if start.startswith(magic):
            raise NetworkFormatError(
                f"a file in the format {name}, by its first bytes; expected a network file; save the network "
                "as an edge list or as GraphML"
            )
    hint = SUFFIXES.get(suffix, "")
    if hint == "graph6" or (
        hint in _MAGIC.values() and hint != "mtx" and b"\0" in content[:_START]
    ):
        return hint, f"the suffix {suffix}"
    return None


def _lacks_sizes(content: bytes, format: str) -> bool:
    """Return whether a MatrixMarket file has entries, but no line with the sizes of the matrix.

    The sizes are three numbers. An entry of a matrix without values has two; and if an entry has three,
    its indices are seldom equal, or its value is not the number of the other lines.
    """
    if format != "mtx":
        return False
    banner, *lines = content.strip().split(b"\n", 1000)[:1000]
    rows = [line.split() for line in lines if line.strip() and not line.lstrip().startswith(b"%")]
    words = banner.lower().split()
    width = 2 if b"pattern" in words else 3
    if len(rows) < 2 or b"coordinate" not in words or any(len(row) != width for row in rows):
        return False
    if width == 2:
        return True
    n_comments = 1 + len(lines) - len(rows)
    n_entries = content.strip().count(b"\n") - n_comments
    return rows[0][0] != rows[0][1] and rows[0][2] != str(n_entries).encode()


def sniff_text(text: str, table: Table, suffix: str) -> tuple[str, str]:
    """Return the format of a text, and the reason."""
    start = text[:_START]
    for format, pattern in _STARTS.items():
        if pattern.match(start):
            return format, "its first line"
    if OWN_HEADER.match(text):
        return "edgelist", "its first line, which netchoice wrote"
    hint = SUFFIXES.get(suffix)
    if hint in ("sif", "lgl", "graphml", "gexf", "gml", "dot", "json", "adjlist", "dimacs"):
        return hint, f"the suffix {suffix}"
    if not table.lines:
        return "edgelist", "nothing else fits"
    if is_trivial(text):
        return "tgf", "a line with #, and before it the nodes of the lines after it"
    if _WEB_PAGE.match(text):
        raise NetworkFormatError(
            f"{table.path}: a web page or XML of another kind; expected GraphML or GEXF; download "
            "the file itself"
        )
    if is_metis(text, table):
        return "metis", "its first line, which is the number of nodes and edges of the other lines"
    found = guess_matrix(table)
    if found is not None:
        _refuse_ambiguous(table, *found)
        return found
    if is_adjacency_list(table):
        return (
            "adjlist",
            "each line starts with another node, and lists nodes that start other lines",
        )
    if suffix == ".metis":
        return "metis", f"the suffix {suffix}"
    instead = f"; it has no keywords of {hint}" if hint else ""
    return "edgelist", f"lines with {table.width} cells each{instead}"


def _refuse_ambiguous(table: Table, format: str, reason: str) -> None:
    if reason.startswith("ambiguous: "):
        raise NetworkFormatError(
            f"{table.path}: {reason.removeprefix('ambiguous: ')}: it may be a matrix or an edge list; "
            f"pass --format {format} or --format edgelist (in Python: format={format!r})"
        )
