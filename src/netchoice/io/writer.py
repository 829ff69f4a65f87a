"""The function ``write_network``, which writes edge lists and GraphML."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from os import PathLike

from netchoice.atomic import write_output
from netchoice.errors import NetchoiceError, UsageError
from netchoice.graph import Graph
from netchoice.io.reader import SUFFIXES, suffix_of
from netchoice.io.text_tables import COMMENTS
from netchoice.stores import place

WRITTEN = ("edgelist", "graphml")
EDGE_LIST_SUFFIXES = ("", ".tsv", ".txt", ".tab", ".edges", ".edgelist", ".el", ".dat")


def write_network(
    graph: Graph, path: str | PathLike[str], format: str | None = None, *, overwrite: bool = False
) -> None:
    r"""Write a network as an edge list or as GraphML; a name that ends in .gz is compressed.

    The edge list starts with ``# netchoice nodes=N``, and isolated nodes are alone on a line. Thus
    :func:`read_network` returns the same nodes, numbering and fingerprint. A file that exists is refused,
    unless ``overwrite`` is true; then it is replaced when the new one is complete.

    >>> import pathlib, tempfile
    >>> from netchoice import Graph, read_network
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "net.tsv"
    >>> write_network(Graph.from_edges([(2, 0)], n_nodes=4), path)
    >>> print(path.read_text().replace("\t", " "), end="")
    # netchoice nodes=4
    0 2
    1
    3
    >>> read_network(path)[0]
    <Graph: 4 nodes, 1 edge>
    """
    graph = Graph.of(graph)
    path = place(path)
    suffix = suffix_of(path)
    by_suffix = SUFFIXES | dict.fromkeys(EDGE_LIST_SUFFIXES, "edgelist")
    format = format or by_suffix.get(suffix.lower(), suffix)
    if format not in WRITTEN:
        raise UsageError(
            f"cannot write {format} ({path}); networks are written as edge list (.tsv, .txt) "
            "or GraphML (.graphml)"
        )
    content = (edge_list_text(graph) if format == "edgelist" else _graphml(graph)).encode()
    if path.suffix.lower() == ".gz":
        content = gzip.compress(content, mtime=0)
    try:
        write_output(path, content, overwrite)
    except OSError as error:
        raise NetchoiceError(
            f"cannot write {path}: {error.strerror}; choose another path"
        ) from error


def edge_list_text(graph: Graph) -> str:
    r"""Return the content of an edge-list file.

    >>> edge_list_text(Graph.from_edges([(0, 1), (1, 2)]))
    '# netchoice nodes=3\n0\t1\n1\t2\n'
    """
    lines = _plain_lines(graph) if graph.labels is None else _labelled_lines(graph)
    return "\n".join([*lines, ""])


def _plain_lines(graph: Graph) -> Iterator[str]:
    yield f"# netchoice nodes={graph.n_nodes}"
    for u, v in graph.edges().tolist():
        yield f"{u}\t{v}"
    for u in (graph.degrees == 0).nonzero()[0].tolist():
        yield str(u)


def _labelled_lines(graph: Graph) -> Iterator[str]:
    """Yield each edge at its later end, so that names first appear in the order of the nodes.

    A node without earlier neighbours is first alone on a line, whether isolated or not.
    """
    names = [_writable(label) for label in _texts(graph)]
    yield f"# netchoice nodes={graph.n_nodes} labels"
    for v in range(graph.n_nodes):
        earlier = [u for u in graph.neighbors(v).tolist() if u < v]
        if not earlier:
            yield names[v]
        for u in earlier:
            yield f"{names[u]}\t{names[v]}"


def _texts(graph: Graph) -> list[str]:
    """Return the labels as text, after checking that they differ and can be encoded."""
    texts = [str(label) for label in graph.labels or ()]
    if len(set(texts)) != len(texts):
        raise UsageError(
            "two labels have the same text; a file cannot distinguish them: rename one"
        )
    for text in texts:
        if any(0xD800 <= ord(character) < 0xE000 for character in text):
            raise UsageError(
                f"label {text!r} has an unpaired surrogate, which cannot be encoded; rename it"
            )
    return texts


def _writable(text: str) -> str:
    has_control = any(ord(character) < 32 for character in text)
    if not text or text != text.strip() or text.startswith(COMMENTS) or has_control:
        raise UsageError(
            f"label {text!r} cannot be written to an edge list (it is empty, has tabs, line breaks, control "
            "characters or outer spaces, or starts with # or %); write GraphML instead, or rename it"
        )
    return text


def _graphml(graph: Graph) -> str:
    import networkx as nx

    for text in _texts(graph):
        if any(ord(character) < 32 or character in "\ufffe\uffff" for character in text):
            raise UsageError(f"label {text!r} has characters that XML cannot contain; rename it")
    buffer = io.BytesIO()
    nx.write_graphml_xml(graph.to_networkx(), buffer)
    return buffer.getvalue().decode()
