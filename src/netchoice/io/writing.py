"""``write_network``: edge lists that read back the same, and GraphML."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
from collections.abc import Iterator
from os import PathLike
from pathlib import Path

from netchoice.errors import NetchoiceError, UsageError
from netchoice.graph import Graph
from netchoice.io.reading import format_of
from netchoice.io.text import COMMENTS

WRITTEN = ("edgelist", "graphml")


def write_network(graph: Graph, path: str | PathLike[str], format: str | None = None) -> None:
    r"""Write a network as an edge list or as GraphML (both also gzipped, for a name in .gz).

    The edge list opens with ``# netchoice nodes=N`` and has isolated nodes alone on a line, so that
    :func:`read_network` gives back the same nodes, numbering and fingerprint. The file appears whole
    or not at all.

    Examples
    --------
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
    path = Path(path)
    format = format or format_of(path)
    if format not in WRITTEN:
        raise UsageError(
            f"cannot write {format} ({path}); networks are written as edge list (.tsv, .txt) "
            "or GraphML (.graphml)"
        )
    content = (edge_list_text(graph) if format == "edgelist" else _graphml(graph)).encode()
    if path.suffix.lower() == ".gz":
        content = gzip.compress(content, mtime=0)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(content)
        os.replace(partial, path)
    except OSError as error:
        raise NetchoiceError(
            f"cannot write {path}: {error.strerror}; choose another place"
        ) from error
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()


def edge_list_text(graph: Graph) -> str:
    """The content of an edge-list file."""
    lines = _plain_lines(graph) if graph.labels is None else _labelled_lines(graph)
    return "\n".join([*lines, ""])


def _plain_lines(graph: Graph) -> Iterator[str]:
    yield f"# netchoice nodes={graph.n_nodes}"
    for u, v in graph.edges().tolist():
        yield f"{u}\t{v}"
    for u in (graph.degrees == 0).nonzero()[0].tolist():
        yield str(u)


def _labelled_lines(graph: Graph) -> Iterator[str]:
    """Each edge at its later end, so that names appear in the order of the nodes.

    A node without earlier neighbours is named alone first, isolated or not.
    """
    names = [_writable(label) for label in graph.labels or ()]
    if len(set(names)) != len(names):
        raise UsageError("two labels are the same text; an edge list cannot tell them apart")
    yield f"# netchoice nodes={graph.n_nodes} labels"
    for v in range(graph.n_nodes):
        earlier = [u for u in graph.neighbors(v).tolist() if u < v]
        if not earlier:
            yield names[v]
        for u in earlier:
            yield f"{names[u]}\t{names[v]}"


def _writable(label: object) -> str:
    text = str(label)
    if not text or text != text.strip() or text.startswith(COMMENTS) or set(text) & set("\t\n\r\0"):
        raise UsageError(
            f"label {text!r} cannot stand in an edge list (empty, tabs, line ends, blanks at its ends, "
            "or a leading # or %); write GraphML instead"
        )
    return text


def _graphml(graph: Graph) -> str:
    import networkx as nx

    named = graph.to_networkx()
    if graph.labels is not None:
        for label in graph.labels:
            if any(ord(character) < 32 or character in "\ufffe\uffff" for character in str(label)):
                raise UsageError(f"label {str(label)!r} has characters that XML cannot hold")
    buffer = io.BytesIO()
    nx.write_graphml_xml(named, buffer)
    return buffer.getvalue().decode()
