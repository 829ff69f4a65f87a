"""Many networks in one file: one table of all edges, sorted by network.

A file is read once, in blocks. An edge takes eight bytes in memory, and each name is stored once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from netchoice.edge_pairs import number_nodes
from netchoice.errors import NetworkFormatError
from netchoice.graph import Graph
from netchoice.io.edge_lists import Columns, comment_doubt, node_names
from netchoice.io.guard import START, StoredFile, guarded
from netchoice.io.reading_report import ReadingReport, clean
from netchoice.io.text_tables import (
    decode,
    find_delimiter,
    is_comment,
    may_be_row,
    split_cells,
)
from netchoice.network_objects import node_columns, plain_name

_Numbers = NDArray[np.int32]
GRAPH_COLUMNS = ("graph", "graph_id", "network", "network_id")
#: Bytes of text that are split into cells at once, and the longest line.
BLOCK, MAX_LINE = 1 << 21, 1 << 24
#: Lines that are split one by one: comments, quotation marks, attributes, and bytes that are no text.
_ODD = r'^\s*[#%]|["{\x{0}-\x{8}\x{e}-\x{1f}\x{fffd}]|\r(?s:.)'
Covariates = Mapping[str, str | float]


@dataclass(frozen=True, kw_only=True, eq=False)
class NetworkSource:
    """One network of a collection, which can be pickled and sent to another process.

    Attributes
    ----------
    id, group : str
        The id of the network, and its group, which may be None.
    covariates : dict
        Further columns of a manifest.
    place : str
        Where the network is, for messages.
    file : str, optional
        The file that holds this network alone; None if it is in a file of many.
    files : sequence of str
        The file, or the zip file of it, if the file holds this network alone.
    """

    id: str
    group: str | None = None
    covariates: Covariates = field(default_factory=dict)
    place: str
    file: str | None = None
    files: Sequence[str] = ()
    reader: Callable[[], tuple[Graph, ReadingReport | None]]
    id_may_change: bool = False  # nobody gave it: it becomes longer if two are equal

    def read(self) -> tuple[Graph, ReadingReport | None]:
        """Read the network, as :func:`read_network` does."""
        return guarded(self.reader, self.place, "a network")


class EdgeRows:
    """The rows of a file, each with the name of its network and of two nodes, as they are read."""

    def __init__(self) -> None:
        import pyarrow as pa

        self.n_rows = 0
        self.faults: dict[int, str] = {}  # why a row is no edge, by the number of the row
        self.comments: dict[int, tuple[int, str]] = {}  # lines that may be comments, by row
        self._graphs: list[Any] = []
        self._ends: list[Any] = []
        self.add(*[pa.array([], pa.string())] * 3)

    def add(self, graphs: Any, first: Any, second: Any) -> None:
        """Add arrays of texts; a row without a network belongs to that of the row before."""
        import pyarrow as pa

        self._graphs.append(graphs.dictionary_encode())
        self._ends.append(pa.concat_arrays([first, second]).dictionary_encode())
        self.n_rows += len(graphs)

    def numbered(self) -> tuple[_Numbers, Any, _Numbers, Any]:
        """Return numbers of networks, their names, numbers of both nodes of each row, and their names.

        Names have numbers in the order in which they first appear. The texts of the rows are forgotten.
        """
        graphs, graph_names = _numbered(self._graphs)
        return graphs[:, 0], graph_names, *_numbered(self._ends, n_columns=2)


def _numbered(batches: list[Any], n_columns: int = 1) -> tuple[_Numbers, Any]:
    """Return the number of each text of some batches, and the different texts; forget the batches."""
    import pyarrow as pa

    chunks = pa.chunked_array(batches).unify_dictionaries().chunks
    batches.clear()
    numbers = np.empty((sum(map(len, chunks)) // n_columns, n_columns), np.int32)
    start = 0
    for chunk in chunks:
        indices = chunk.indices.fill_null(-1).to_numpy().reshape(n_columns, -1).T
        numbers[start : start + len(indices)] = indices
        start += len(indices)
    texts = chunks[0].dictionary
    del chunks, chunk
    pa.default_memory_pool().release_unused()
    return numbers, texts


@dataclass
class EdgeTable:
    """The edges of many networks, sorted by network."""

    container: str  # the file
    files: list[str]  # the paths of all files that the networks come from
    format: str
    ids: list[str]
    first: NDArray[np.int64]  # the first edge of each network, then the number of edges
    ends: _Numbers  # of the names of both nodes of each edge
    names: Any  # an Arrow array of texts
    faults: dict[int, str]  # why a network cannot be read
    warnings: dict[int, tuple[str, ...]]
    weighted: bool = False
    groups: Sequence[str | None] | None = None
    nodes: Callable[[int], tuple[str, ...]] | None = None  # the declared nodes of a network

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[NetworkSource]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, i: int) -> NetworkSource:
        place = f"{self.container}, network {self.ids[i]}"
        own, ends = np.unique(self.ends[self.first[i] : self.first[i + 1]], return_inverse=True)
        flags = {"weighted": self.weighted, "warnings": self.warnings.get(i, ())}
        names, nodes = self.names.take(own), self.nodes(i) if self.nodes else None
        return NetworkSource(
            id=self.ids[i],
            group=self.groups[i] if self.groups else None,
            place=place,
            reader=partial(
                _read,
                place,
                self.format,
                self.faults.get(i),
                ends.astype(np.int32),
                names,
                nodes,
                flags,
            ),
        )


def _read(
    place: str,
    format: str,
    fault: str | None,
    positions: _Numbers,
    texts: Any,
    nodes: tuple[str, ...] | None,
    flags: dict[str, Any],
) -> tuple[Graph, ReadingReport]:
    """Return the network of the positions of both ends of each edge in an Arrow array of texts."""
    if fault is not None:
        raise NetworkFormatError(fault)
    names = texts.to_pylist()
    edges = number_nodes([names[k] for k in positions.ravel().tolist()], nodes, **flags)
    if nodes is not None and edges.labels and len(edges.labels) > len(nodes):
        raise NetworkFormatError(
            f"an edge to {str(edges.labels[len(nodes)])[:60]!r}, which is not a node of this "
            "network; correct the edge, or the network of the node"
        )
    return clean(edges, place, format)


def edge_table(
    stored: StoredFile,
    format: str,
    rows: EdgeRows,
    find_networks: Callable[[Any], tuple[list[str], _Numbers]] | None = None,
    first_column: int | None = None,
    **options: Any,
) -> EdgeTable:
    """Sort the rows of a file by network.

    ``find_networks`` takes the texts that stand for networks. It returns the ids of the networks, and the
    network of each text: its position, −1 if it is unknown, the number of ids if its rows are left out.
    ``first_column`` says which of the two nodes is in the first column of the file.
    """
    networks, found, ends, names = rows.numbered()
    ids, numbers = found.to_pylist(), None
    if find_networks is not None:
        ids, numbers = find_networks(found)
        networks = np.where(networks < 0, -1, numbers[networks])
    is_known = networks >= 0
    if not is_known.any() and (rows.n_rows or not ids):
        raise NetworkFormatError(f"{stored.name}: no rows of networks; expected their edges")
    if not is_known.all():
        before = np.where(is_known, np.arange(len(networks)), is_known.argmax())
        networks = networks[np.maximum.accumulate(before)]
    comments: dict[int, list[tuple[int, str]]] = {}
    if rows.comments and not _are_edges(rows, ends, first_column):
        for row, line in rows.comments.items():
            comments.setdefault(int(networks[row]), []).append(line)
        networks[[*rows.comments]] = len(ids)
    faults: dict[int, str] = {}
    for row, fault in rows.faults.items():
        faults.setdefault(int(networks[row]), fault)
    if (networks[1:] < networks[:-1]).any():
        order = np.argsort(networks, kind="stable")
        ends, networks = ends[order], networks[order]
    first = np.searchsorted(networks, np.arange(len(ids) + 1, dtype=networks.dtype))
    warnings = {i: tuple(comment_doubt(lines)) for i, lines in comments.items()}
    ids = [id or "(no name)" for id in ids]
    defaults = {"container": stored.name, "files": [stored.path]}
    return EdgeTable(
        format=format, ids=ids, first=first, ends=ends, names=names, faults=faults, warnings=warnings,
        **defaults | options,
    )  # fmt: skip


def _are_edges(rows: EdgeRows, ends: _Numbers, column: int | None) -> bool:
    """Return whether a name at the start of lines that begin as comments do is in another column too."""
    if column is None:
        return False
    read = [row for row in rows.comments if row not in rows.faults]
    return bool(np.isin(ends[read, column], ends[:, 1 - column]).any())


# Text files


def read_header(start: bytes) -> Columns | None:
    """Return the columns by the first line, in ``START`` bytes, that is neither empty nor a comment."""
    lines = start.removeprefix(b"\xef\xbb\xbf").split(_newline(start))
    if len(start) == START:
        lines.pop()  # it may be incomplete
    for number, line in enumerate(lines, 1):
        text = line.decode("utf-8", "replace").strip()
        if text and not is_comment(text):
            delimiter = find_delimiter(text)
            cells = split_cells(text, delimiter, "")
            return Columns(cells, len(cells), delimiter, number)
    return None


def _newline(start: bytes) -> bytes:
    """Return what ends lines: on old Macs, another mark than elsewhere."""
    return b"\r" if b"\r" in start and b"\n" not in start else b"\n"


def find_graph_columns(names: Sequence[str]) -> tuple[int, int, int] | None:
    """Return the columns of the network's name and of the two nodes, None if one is missing.

    The nodes are in the first two columns with known names (source, target, from, to, …), or else
    in the first two columns after the removal of the network's name.

    >>> find_graph_columns(["graph_id", "weight", "source", "target"])
    (0, 2, 3)
    """
    plain = [plain_name(name) for name in names]
    graph = next((i for i, name in enumerate(plain) if name in GRAPH_COLUMNS), None)
    others = [i for i in range(len(plain)) if i != graph]
    if graph is None or len(others) < 2:
        return None
    known = node_columns(names)
    first, second = (known if len(known) > 1 else others)[:2]
    return graph, first, second


def text_networks(stored: StoredFile, columns: Columns) -> EdgeTable:
    """Return the networks of an edge list with a column of networks."""
    rows = read_rows(stored, columns, columns.first_line)
    return edge_table(
        stored, "edgelist", rows, _without_commented if columns.graph == 0 else None,
        columns.ends.index(0) if 0 in columns.ends else None, weighted=columns.width > 3,
    )  # fmt: skip


def _without_commented(texts: Any) -> tuple[list[str], _Numbers]:
    """Return the names of networks; the rows of #g1 are comments if there is a network g1."""
    names = texts.to_pylist()
    present = set(names)
    ids = [name for name in names if not (is_comment(name) and name[1:] in present)]
    position = {name: i for i, name in enumerate(ids)}
    return ids, np.array([position.get(name, len(ids)) for name in names], np.int32)


def read_rows(stored: StoredFile, columns: Columns, n_before: int) -> EdgeRows:
    """Return the rows of a text file after this number of lines."""
    rows, number = EdgeRows(), 1
    with stored.open() as file:
        for lines in _blocks(file, stored.name):
            skipped = max(0, n_before + 1 - number)
            _add_lines(rows, lines[skipped:], number + skipped, stored.name, columns)
            number += len(lines)
    return rows


def _blocks(file: BinaryIO, name: str) -> Iterator[list[bytes]]:
    """Yield blocks of complete lines."""
    rest = file.read(BLOCK).removeprefix(b"\xef\xbb\xbf")
    newline = _newline(rest[:START])
    while new := file.read(BLOCK):
        *lines, rest = (rest + new).split(newline)
        if len(rest) > MAX_LINE:
            raise NetworkFormatError(
                f"{name}: a line has more than {MAX_LINE >> 20} MB; expected one edge per line"
            )
        if lines:
            yield lines
    yield rest.split(newline)


def _add_lines(
    rows: EdgeRows, lines: list[bytes], number: int, name: str, columns: Columns
) -> None:
    """Add the rows of some lines, of which this is the number of the first."""
    import pyarrow as pa
    import pyarrow.compute as pc

    decoded = pa.array([line.decode("utf-8", "replace") for line in lines], pa.string())
    texts = pc.utf8_trim_whitespace(decoded)
    if columns.delimiter is None:
        cells = pc.utf8_split_whitespace(texts)
    else:  # a tab at an end separates empty cells
        texts = pc.utf8_trim(decoded, " \r") if columns.delimiter == "\t" else texts
        cells = pc.split_pattern(texts, columns.delimiter)
    has_width = pc.equal(pc.list_value_length(cells), max(columns.width, 2))
    usual = np.flatnonzero(pc.and_not(has_width, pc.match_substring_regex(decoded, _ODD)))
    flat = pc.list_flatten(cells.take(usual))
    starts = np.arange(0, len(flat), max(columns.width, 2))
    found = [
        pc.utf8_trim_whitespace(flat.take(starts + column))
        for column in (columns.graph or 0, *columns.ends)
    ]
    is_complete = np.all([pc.not_equal(column, "") for column in found], axis=0)
    usual, found = usual[is_complete], [column.filter(is_complete) for column in found]
    # The other lines, one by one.
    odd = np.setdiff1d(np.flatnonzero(pc.not_equal(texts, "")), usual).tolist()
    read = {k: _read_row(lines[k], number + k, name, columns) for k in odd}
    others = {k: row for k, row in read.items() if row is not None}
    if others:
        at = np.concatenate([usual, [*others]]).astype(np.int64)
        order = np.argsort(at)
        row_of = rows.n_rows + np.argsort(order)[len(usual) :]
        for row, (k, other) in zip(row_of.tolist(), others.items(), strict=True):
            if other.fault:
                rows.faults[row] = other.fault
            if other.may_be_comment:
                rows.comments[row] = (number + k, lines[k].decode("utf-8", "replace"))
        columns_of_others = zip(*(other.names for other in others.values()), strict=True)
        found = [
            pa.concat_arrays([usual_ones, pa.array(names, pa.string())]).take(order)
            for usual_ones, names in zip(found, columns_of_others, strict=True)
        ]
    rows.add(*found)


@dataclass(frozen=True, slots=True)
class _Row:
    """A line that is read on its own."""

    names: tuple[str | None, str, str]  # of the network, if there is one, and of two nodes
    fault: str = ""
    may_be_comment: bool = False


def _read_row(line: bytes, number: int, path: str, columns: Columns) -> _Row | None:
    """Return the row of a line, None if it is a comment; a comment that is no text may be a damaged row."""
    shown, column = line.decode("utf-8", "replace"), columns.graph or 0
    marked = is_comment(shown)
    is_row = not marked or (
        columns.graph is not None and may_be_row(shown, columns.delimiter, columns.width)
    )
    cells = split_cells(shown, columns.delimiter, "") if is_row else []
    graph = cells[column] if len(cells) > column else None
    first, second, fault = "", "", ""
    try:
        if not is_row:
            decode(line, path, number)
            return None
        if "\r" in shown.strip():
            raise NetworkFormatError(
                f"{path}, line {number}: two lines that end as on an old Mac; write all ends of lines alike"
            )
        if graph == "":
            raise NetworkFormatError(
                f"{path}, line {number}: a row without the name of its network; "
                "fill its cell, or remove the row"
            )
        first, second = node_names([(number, decode(line, path, number))], path, columns)
    except NetworkFormatError as error:
        # The quotation marks of a faulty row may not match.
        graph, fault = graph and graph.strip('"'), str(error)
    return _Row((graph, first, second), fault, may_be_comment=marked and column > 0)
