"""Collections of networks: several files, folders, manifests, and files of many networks."""

from __future__ import annotations

import glob
import hashlib
import math
import os
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate
from os import PathLike
from pathlib import Path, PurePath
from typing import Any, overload

from netchoice.errors import NetchoiceError, NetworkFormatError, UsageError, one_line
from netchoice.graph import Graph
from netchoice.io.edge_lists import ColumnNames, Columns
from netchoice.io.guard import START, StoredFile, guarded, zip_members
from netchoice.io.many_networks import (
    GRAPH_COLUMNS,
    EdgeTable,
    NetworkSource,
    find_graph_columns,
    read_header,
    text_networks,
)
from netchoice.io.parquet import has_many_networks, parquet_networks
from netchoice.io.reader import SUFFIXES, ReadingOptions, parse_network, suffix_of
from netchoice.io.reading_report import ReadingReport
from netchoice.io.text_tables import content_lines, decode, split_cells
from netchoice.io.tu_dataset import tu_names, tu_networks
from netchoice.network_objects import node_columns, plain_name

#: Endings of files that are no networks.
OTHER_ENDINGS = {
    "bib", "bz2", "c", "cff", "cfg", "cpp", "css", "do", "doc", "docx", "eps", "gif", "h",
    "htm", "html", "ini", "ipynb", "jpeg", "jpg", "js", "json", "log", "m", "md", "md5",
    "odt", "pdf", "pkl", "png", "ps", "py", "pyc", "r", "rar", "rdata", "rds", "rmd", "rst",
    "sas", "sh", "sha256", "svg", "tar", "tex", "tgz", "tif", "tiff", "toml", "webp", "xls",
    "xlsx", "yaml", "yml",
}  # fmt: skip
#: Names, without endings, of files that are no networks.
OTHER_NAMES = {
    "changelog", "changes", "citation", "copying", "license", "licence", "makefile", "readme",
}  # fmt: skip
PATH_COLUMN = "path"
#: Cells of a column of numbers that are missing values.
MISSING = ("", "na", "nan", "n/a")


#: Why a file that is not the only one is not read.
SPECIAL = "a pipe, a socket or a device; expected a file; to read a pipe, pass its path alone"


def file_network(
    stored: StoredFile, options: ReadingOptions, *, may_be_pipe: bool = False, **known: Any
) -> NetworkSource:
    """Return the network of a file on disk or in a zip file, and what a manifest says about it."""
    own: dict[str, Any] = {"id": short_name(stored.member or stored.path), "id_may_change": True}
    return NetworkSource(
        place=stored.name, files=[stored.path], file=None if stored.member else stored.path,
        reader=partial(_read_file, stored, options, may_be_pipe), **own | known,
    )  # fmt: skip


def _read_file(
    stored: StoredFile, options: ReadingOptions, may_be_pipe: bool
) -> tuple[Graph, ReadingReport]:
    """Read the one network of a file; only a file that the user named, and no other, may be a pipe."""
    if not may_be_pipe and is_special(stored.path):
        raise NetworkFormatError(f"{stored.name}: {SPECIAL}")
    content, limit = stored.load()
    kind, columns = _kind_of_table(stored.name, content[:START], options)
    if columns and kind != "one":
        raise NetworkFormatError(
            f"{stored.name}: many networks, because of its columns "
            f"{', '.join(columns.header)[:60]}; expected one network; pass the file itself"
        )
    return parse_network(content, options, limit)


Part = EdgeTable | Sequence[NetworkSource]


class NetworkCollection(Sequence[NetworkSource]):
    """Networks with different ids; :func:`find_networks` and :func:`as_collection` return a collection.

    Attributes
    ----------
    ids : list of str
        The ids of the networks, all different.
    covariates : list of str
        Names of the covariates, from manifests.
    left_out : int
        How many files of folders and zip files are no networks, by their names.
    special : list of str
        Pipes, sockets and devices, which are left out because their reading may never end. Only a
        file that is the only name may be one.
    fingerprint : str
        A checksum of the ids and of the contents of the files.
    """

    def __init__(
        self,
        parts: Sequence[Part],
        left_out: int = 0,
        settings: str = "",
        special: Sequence[str] = (),
    ) -> None:
        self._parts = list(parts)
        self._stops = list(accumulate(map(len, self._parts)))
        self.ids = _unique_ids(self._parts)
        first = (part[0] for part in self._parts)
        self.covariates = list(dict.fromkeys(name for each in first for name in each.covariates))
        self.left_out = left_out
        self.special = list(special)
        self.fingerprint = _fingerprint(self.ids, self._parts, settings)

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[NetworkSource]:
        return (self[i] for i in range(len(self)))

    @overload
    def __getitem__(self, i: int) -> NetworkSource: ...
    @overload
    def __getitem__(self, i: slice) -> list[NetworkSource]: ...
    def __getitem__(self, i: int | slice) -> NetworkSource | list[NetworkSource]:
        if isinstance(i, slice):
            return [self[k] for k in range(len(self))[i]]
        i = range(len(self))[i]
        number = bisect_right(self._stops, i)
        part = self._parts[number]
        source: NetworkSource = part[i - self._stops[number] + len(part)]
        return replace(source, id=self.ids[i])

    def __repr__(self) -> str:
        return f"<NetworkCollection: {len(self)} network{'s' * (len(self) != 1)}>"


def find_networks(
    names: Iterable[str | PathLike[str]],
    *,
    format: str | None = None,
    header: bool | None = None,
    columns: ColumnNames | None = None,
) -> NetworkCollection:
    r"""Find the networks of files, folders, patterns, manifests and files of many networks.

    Files of many networks are read once to find where each network is. No network is kept in memory.

    Parameters
    ----------
    names : iterable of paths
        Network files; folders of network files; patterns such as ``"brains/*.graphml"``; manifests
        (CSV or TSV files with a column ``path``, and optionally ``id``, ``group`` and covariates);
        edge lists and Parquet files with a column ``graph`` or ``network``; zip files of network
        files; folders or zip files of a TUDataset.
    format : str, optional
        The format of the network files; by default, the content of each file decides.
    header : bool, optional
        Whether the first line of an edge list has column names. If False, each edge list is one
        network.
    columns : two names or numbers, optional
        The columns of edge lists with the nodes, by name or counted from 1. Each edge list is then one
        network.

    Returns
    -------
    NetworkCollection
        The networks in the order of the names. An id is the name of the file without its ending, the
        id in the manifest, or the network's name in a file of many. If two ids are equal, both become
        longer: the name of the file with its ending, then with its path.

    Raises
    ------
    UsageError
        If a name matches no file, or if two networks have the same id.
    NetworkFormatError
        If a file of many networks cannot be read. A network with invalid content raises this error
        when it is read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "cohort.csv").write_text("graph,source,target\ng1,a,b\ng2,a,c\ng2,c,d\n")
    >>> _ = (folder / "other.tsv").write_text("a\tb\n")
    >>> networks = find_networks([folder])
    >>> networks.ids
    ['g1', 'g2', 'other']
    >>> networks[1].read()[0]
    <Graph: 3 nodes, 2 edges, labelled>
    """
    if isinstance(names, (str, PathLike)):
        names = [names]
    options = ReadingOptions(format, header, None if columns is None else tuple(columns))
    finder = _Finder(options)
    paths = [os.fspath(name) for name in names]
    if len(paths) == 1 and is_special(paths[0]):
        finder.parts.append([file_network(StoredFile(paths[0]), options, may_be_pipe=True)])
        paths = []
    for path in paths:
        guarded(partial(finder.add, path), path, "networks")
    if finder.special and not finder.parts:
        raise UsageError(f"{finder.special[0]}: {SPECIAL}")
    if not finder.parts:
        raise UsageError("no names of network files; pass one or more files or folders")
    settings = f"{format} {header}" + f" {options.columns}" * (columns is not None)
    return NetworkCollection(finder.parts, finder.left_out, settings, finder.special)


def as_collection(graphs: Any) -> NetworkCollection:
    """Return networks as a collection: networks by id, a sequence of networks, or a collection."""
    if isinstance(graphs, NetworkCollection):
        return graphs
    named = graphs.items() if isinstance(graphs, Mapping) else enumerate(graphs)
    sources = [
        NetworkSource(id=str(id), place=str(id), reader=partial(_of_graph, graph))
        for id, graph in named
    ]
    contents = []
    for source in sources:
        try:
            contents.append(source.read()[0].fingerprint)
        except NetchoiceError:  # its row will say why
            contents.append("")
    return NetworkCollection([sources] if sources else [], settings=" ".join(contents))


def _of_graph(graph: Any) -> tuple[Graph, None]:
    return Graph.of(graph), None


# Ids and the fingerprint


def _unique_ids(parts: Sequence[Part]) -> list[str]:
    """Return different ids: the short ones, or longer ones if two are equal."""
    ids = [id for part in parts for id in _ids(part, 0)]
    repeated = _repeated(ids)
    for length in (1, 2):
        if repeated:
            longer = (id for part in parts for id in _ids(part, length))
            ids = [long if id in repeated else id for id, long in zip(ids, longer, strict=True)]
            repeated = _repeated(ids)
    if not repeated:
        return ids
    id = next(id for id in ids if id in repeated)
    places = [source.place for part in parts for source in part]
    first, second, *_ = (name for name, other in zip(places, ids, strict=True) if other == id)
    raise UsageError(
        f"two networks have the id {one_line(repr(id), 200)}: {one_line(first, 200)} and "
        f"{one_line(second, 200)}; "
        "pass each network once, and give them different ids"
    )


def _repeated(ids: list[str]) -> set[str]:
    return {id for id, count in Counter(ids).items() if count > 1}


def _ids(part: Part, length: int) -> Iterable[str]:
    """Return short ids, ids with the name of the file, or ids with its path."""
    if isinstance(part, EdgeTable):
        prefix = ("", f"{short_name(part.container)}:", f"{part.container}:")[length]
        return (prefix + id for id in part.ids)
    return (
        (source.id, PurePath(source.place).name, source.place)[length * source.id_may_change]
        for source in part
    )


def _fingerprint(ids: Sequence[str], parts: Sequence[Part], settings: str) -> str:
    """Return a checksum of the settings, the ids and the contents of the files."""
    checksum = hashlib.sha256(settings.encode())
    for id in ids:
        checksum.update(f"\n{id}".encode("utf-8", "surrogatepass"))
    for part in parts:
        single = [part] if isinstance(part, EdgeTable) else part
        for file in dict.fromkeys(file for each in single for file in each.files):
            checksum.update(f"\n{_digest(file)}".encode())
    return checksum.hexdigest()


def _digest(file: str) -> str:
    """Return a checksum of the content of a file; its row says why it cannot be read."""
    try:
        if not os.path.isfile(file):
            return "no file"
        with open(file, "rb") as content:
            return hashlib.file_digest(content, hashlib.blake2b).hexdigest()
    except (OSError, ValueError):
        return "not readable"


# The search


class _Finder:
    """Collects the networks of names, and counts the files that are no networks."""

    def __init__(self, options: ReadingOptions) -> None:
        self.options = options
        self.parts: list[Part] = []
        self.left_out = 0
        self.special: list[str] = []

    def add(self, name: str) -> None:
        """Add the networks of one name."""
        if os.path.isdir(name):
            self._add_folder(name)
        elif is_special(name):
            self.special.append(name)
        elif os.path.lexists(name):
            self._add_file(StoredFile(name))
        elif glob.has_magic(name):
            matches = sorted(glob.glob(name))
            if not matches:
                raise UsageError(
                    f"{name}: no file matches this pattern; check the folder and the ending"
                )
            for match in matches:
                self.add(match)
        else:
            raise UsageError(
                f"{name}: no such file or folder; check the path and the current folder"
            )

    def _add_folder(self, folder: str) -> None:
        """Add the networks of a folder, without subfolders and manifests."""
        files = {}
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
            if is_special(entry.path):
                self.special.append(entry.path)
            elif not entry.is_dir():
                files[entry.name] = StoredFile(entry.path)
        self._add_files(folder, files)

    def _add_files(self, container: str, files: Mapping[str, StoredFile]) -> None:
        """Add the TUDatasets or else the network files of a folder or zip file, sorted by name."""
        n_parts, datasets = len(self.parts), tu_names(files)
        self.parts += [tu_networks(dataset, files) for dataset in datasets]
        if datasets:
            own = tuple(f"{dataset}_" for dataset in datasets)
            others = [name for name in files if not name.startswith(own)]
            networks = []
        else:
            others = [name for name in files if _is_other(name)]
            networks = [files[name] for name in sorted({*files}.difference(others))]
        self.left_out += len(others)
        if len(networks) > 1 and networks[0].member:
            self.parts.append([file_network(member, self.options) for member in networks])
        else:
            for stored in networks:
                self._add_file(stored, in_folder=not stored.member)
        if len(self.parts) == n_parts:
            raise UsageError(
                f"{container}: no network files in it; expected edge lists, GraphML or other formats "
                "(in subfolders, pass their paths; to use a manifest, pass its path)"
            )

    def _add_file(self, stored: StoredFile, in_folder: bool = False) -> None:
        kind, columns = _kind_of_file(stored, replace(self.options, format=None))
        if kind == "zip":
            members = zip_members(stored.path)
            self._add_files(stored.path, {member.member: member for member in members})
        elif kind == "parquet":
            path = stored.path
            self.parts.append(guarded(lambda: parquet_networks(path), path, "Parquet"))
        elif kind == "manifest" and in_folder:
            self.left_out += 1
        elif kind == "manifest" and columns and not stored.member:
            self.parts.append(_manifest_networks(stored, columns, self.options))
        elif kind == "many" and columns:
            self.parts.append(text_networks(stored, columns))
        else:
            self.parts.append([file_network(stored, self.options)])


def is_collection(name: str | PathLike[str], *, header: bool | None = None) -> bool:
    r"""Return whether a name stands for several networks, after reading at most its first line.

    It does if it is a folder, a pattern, a zip file, a manifest, or an edge list or Parquet file
    with a column of networks. With ``header=False``, an edge list is one network.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "net.csv"
    >>> _ = path.write_text("source,target,graph\na,b,g1\n")
    >>> is_collection(path), is_collection(path.parent), is_collection("net.tsv")
    (True, True, False)
    """
    path = os.fspath(name)
    if os.path.isdir(path) or not os.path.lexists(path):
        return os.path.isdir(path) or glob.has_magic(path)
    stored, options = StoredFile(path), ReadingOptions(header=header)
    return guarded(lambda: _kind_of_file(stored, options)[0] != "one", path, "networks")


def _kind_of_file(stored: StoredFile, options: ReadingOptions) -> tuple[str, Columns | None]:
    """Return what a file contains, by its ending or its first row, and its columns."""
    ending = Path(stored.path).suffix.lower()
    if not stored.member and ending == ".zip":
        return "zip", None
    if not stored.member and SUFFIXES.get(ending) == "parquet":
        return "parquet" if has_many_networks(stored.path) else "one", None
    return _kind_of_table(stored.name, stored.start(), options)


def _kind_of_table(name: str, start: bytes, options: ReadingOptions) -> tuple[str, Columns | None]:
    """Return whether a file is a manifest, has many networks or one, by its first row, and its columns."""
    is_table = suffix_of(Path(name)).lower() not in SUFFIXES
    if options.format is not None:
        is_table = options.format == "edgelist"
    may_be_many = is_table and options.header is not False and options.columns is None
    columns = read_header(start) if may_be_many else None
    if columns is None:
        return "one", None
    if is_manifest(columns):
        return "manifest", columns
    found = find_graph_columns(columns.header)
    if found is None:
        return "one", None
    graph, *ends = found
    return "many", replace(columns, graph=graph, ends=(ends[0], ends[1]))


def _is_other(name: str) -> bool:
    """Return whether a file of a folder or zip file is hidden or, by its name, no network."""
    path = Path(name)
    is_hidden = any(part.startswith((".", "__MACOSX")) for part in path.parts)
    ending = suffix_of(path).lower().removeprefix(".")
    return is_hidden or ending in OTHER_ENDINGS or short_name(name).lower() in OTHER_NAMES


def is_special(path: str) -> bool:
    """Return whether a path is a pipe, a socket or a device, the reading of which may never end."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def short_name(name: str) -> str:
    """Return the name of a file without folders and endings.

    >>> short_name("brains/sub-01.tsv.gz"), short_name("net.2020")
    ('sub-01', 'net.2020')
    """
    file = Path(name).name
    for _ in range(2 if file.lower().endswith(".gz") else 1):
        stem, dot, ending = file.rpartition(".")
        file = stem if stem and dot and not ending.isdigit() else file
    return file


# Manifests


def is_manifest(columns: Columns) -> bool:
    """Return whether a file lists networks: it has a column ``path``, and is no edge list."""
    plain = [plain_name(name) for name in columns.header]
    ends = node_columns(columns.header)
    has_graph = any(name in GRAPH_COLUMNS for name in plain)
    is_edge_list = len(ends) > 1 and (has_graph or ends[:2] == [0, 1])
    is_table = columns.delimiter is not None or len(plain) == 1
    return PATH_COLUMN in plain and is_table and not is_edge_list


def _manifest_networks(
    stored: StoredFile, first: Columns, options: ReadingOptions
) -> list[NetworkSource]:
    """Return the networks of a manifest, whether their files exist or not."""
    names, rows = _read_table(stored, first)
    cells = dict(zip(names, zip(*rows, strict=True), strict=True))
    folder = Path(stored.path).parent
    paths = [str(folder / cell) for cell in cells.pop(PATH_COLUMN)]
    is_given = "id" in cells
    ids, groups = (cells.pop(name, ("",) * len(paths)) for name in ("id", "group"))
    columns = {name: _values(column) for name, column in cells.items()}
    return [
        file_network(
            StoredFile(path),
            options,
            id=ids[i] or short_name(path),
            id_may_change=not is_given,
            group=groups[i] or None,
            covariates={name: column[i] for name, column in columns.items()},
        )
        for i, path in enumerate(paths)
    ]


def _read_table(stored: StoredFile, columns: Columns) -> tuple[list[str], list[list[str]]]:
    """Return the names of the columns and the rows, after checking their widths."""
    path = stored.path
    (_, first), *rows = [
        (number, split_cells(line, columns.delimiter or "\t", f"{path}, line {number}"))
        for number, line in content_lines(decode(stored.load()[0], path))
    ]
    names = [_column_name(cell) for cell in first]
    if len(set(names)) < len(names) or "" in names:
        raise UsageError(
            f"{path}: the columns {', '.join(names)[:60]}; expected different names; rename one"
        )
    for line, row in rows:
        if len(row) != len(names):
            raise UsageError(
                f"{path}, line {line}: {len(row)} cells; expected {len(names)} as in the header; "
                "correct the line"
            )
        if not row[names.index(PATH_COLUMN)]:
            raise UsageError(f"{path}, line {line}: the path is empty; fill it, or remove the line")
    if not rows:
        raise UsageError(f"{path}: a manifest without networks; expected one path per line")
    return names, [row for _, row in rows]


def _column_name(cell: str) -> str:
    """Return the name of a column; the names that a manifest knows may be in upper case."""
    plain = plain_name(cell)
    return plain if plain in (PATH_COLUMN, "id", "group") else cell


def _values(column: tuple[str, ...]) -> list[str | float]:
    """Return a column as numbers, or as text if one of its cells is no number."""
    numbers: list[str | float] = []
    for cell in column:
        try:
            numbers.append(math.nan if cell.lower() in MISSING else float(cell.replace("_", "?")))
        except ValueError:
            return list(column)
    all_missing = all(cell.lower() in MISSING for cell in column)
    return list(column) if all_missing else numbers
