"""The search for networks in files, folders, patterns, manifests and files of many networks."""

from __future__ import annotations

import glob
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

from netchoice.errors import NetworkFormatError, UsageError
from netchoice.graph import Graph
from netchoice.io.guard import guarded
from netchoice.io.many_networks import (
    GRAPH_COLUMNS,
    EdgeTable,
    Header,
    columns_of_networks,
    read_header,
    text_networks,
)
from netchoice.io.parquet import has_many_networks, parquet_networks
from netchoice.io.reader import ReadingOptions, parse_network, suffix_of
from netchoice.io.reading_report import ReadingReport
from netchoice.io.sniffing import SUFFIXES
from netchoice.io.stored_files import START, StoredFile, zip_members
from netchoice.io.text_tables import content_lines, decode, split_cells
from netchoice.io.tu_dataset import EDGES, INDICATOR, LABELS, tu_names, tu_networks
from netchoice.network_objects import NODE_COLUMN, plain_name

Covariates = dict[str, str | float]
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
PARQUET = (".parquet", ".pq")
#: Cells of a column of numbers that are missing values.
MISSING = ("", "na", "nan", "n/a")


@dataclass(frozen=True)
class Part:
    """Some networks of a collection: those of one file of many, or files of one network each."""

    places: EdgeTable | Sequence[FilePlace]
    ids: Sequence[str]
    container: str | None = None  # the file that has all these networks under these ids
    ids_are_given: bool = False  # a manifest lists them, so they are not changed
    groups: Sequence[str | None] = ()
    covariates: Sequence[Covariates] = ()
    files: Sequence[str] = ()  # all files of the container


class NetworkFinder:
    """Collects the networks of names, and counts the files that are no networks."""

    def __init__(self, options: ReadingOptions) -> None:
        self.options = options
        self.parts: list[Part] = []
        self.left_out = 0
        self.special: list[str] = []

    def add(self, name: str, is_only: bool = False) -> None:
        """Add the networks of one name; only a file that is the only name may be a pipe."""
        if os.path.isdir(name):
            self._add_folder(name)
        elif os.path.lexists(name):
            if is_only or self._without_special([name]):
                self._add_file(name, may_be_pipe=is_only)
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
        """Add the network files of a folder, sorted by name, without subfolders and manifests."""
        paths = sorted(entry.path for entry in os.scandir(folder) if not entry.is_dir())
        files = {os.path.basename(path): StoredFile(path) for path in self._without_special(paths)}
        n_parts = len(self.parts)
        for name in self._add_datasets(files):
            self._add_file(files[name].path, in_folder=True)
        self._check_added(n_parts, folder)

    def _without_special(self, paths: Iterable[str]) -> list[str]:
        """Return the paths without pipes, sockets and devices, which are left out."""
        kept: list[str] = []
        for path in paths:
            (self.special if is_special(path) else kept).append(path)
        return kept

    def _add_zip(self, path: str) -> None:
        """Add the network files of a zip file, in the order of their names."""
        files = {member.member: member for member in zip_members(path)}
        n_parts = len(self.parts)
        members = [files[name] for name in self._add_datasets(dict(sorted(files.items())))]
        if members and not (len(members) == 1 and self._add_many(members[0])):
            places = [FilePlace(member, self.options) for member in members]
            self.parts.append(Part(places, [short_name(member.member) for member in members]))
        self._check_added(n_parts, path)

    def _add_datasets(self, files: Mapping[str, StoredFile]) -> list[str]:
        """Add the TUDatasets among some files, or else return the names of network files."""
        datasets = tu_names(files)
        for dataset in datasets:
            self.parts.append(_dataset(dataset, files))
        if datasets:
            own = tuple(f"{dataset}_" for dataset in datasets)
            self.left_out += sum(not name.startswith(own) for name in files)
            return []
        networks = [name for name in files if not _is_other(name)]
        self.left_out += len(files) - len(networks)
        return networks

    def _check_added(self, n_parts: int, name: str) -> None:
        if len(self.parts) == n_parts:
            raise UsageError(
                f"{name}: no network files in it; expected edge lists, GraphML or other formats "
                "(in subfolders, pass their paths; to use a manifest, pass its path)"
            )

    def _add_file(self, name: str, in_folder: bool = False, may_be_pipe: bool = False) -> None:
        ending = Path(name).suffix.lower()
        if ending == ".zip":
            self._add_zip(name)
        elif ending in PARQUET and has_many_networks(name):
            self.parts.append(_table(guarded(lambda: parquet_networks(name), name, "Parquet")))
        elif not self._add_many(StoredFile(name), in_folder):
            place = FilePlace(StoredFile(name), self.options, may_be_pipe)
            self.parts.append(Part([place], [short_name(name)]))

    def _add_many(self, stored: StoredFile, in_folder: bool = False) -> bool:
        """Add the networks of a manifest or of an edge list of many; return whether it is one."""
        header = _header_of(stored, self.options)
        if header is None:
            return False
        if is_manifest(header):
            if in_folder:
                self.left_out += 1
                return True
            if isinstance(stored, StoredFile):
                self.parts.append(manifest_networks(stored, header, self.options))
                return True
        columns = columns_of_networks(header)
        if columns is not None:
            self.parts.append(_table(text_networks(stored, header, columns)))
            return True
        return False


def _table(table: EdgeTable) -> Part:
    return Part(table, table.ids, table.stored.name, files=[table.stored.path])


def _dataset(name: str, files: Mapping[str, StoredFile]) -> Part:
    table, labels = tu_networks(name, files)
    own = [file.path for end in (EDGES, INDICATOR, LABELS) if (file := files.get(name + end))]
    container = table.stored.name.removesuffix(EDGES)
    return Part(table, table.ids, container, groups=labels, files=own)


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
    return guarded(lambda: _is_collection(path, header), path, "networks")


def _is_collection(name: str, header: bool | None) -> bool:
    if not os.path.lexists(name):
        return glob.has_magic(name)
    ending = Path(name).suffix.lower()
    if os.path.isdir(name) or ending == ".zip":
        return True
    if ending in PARQUET:
        return has_many_networks(name)
    found = _header_of(StoredFile(name), ReadingOptions(header=header))
    return found is not None and (is_manifest(found) or columns_of_networks(found) is not None)


def _header_of(stored: StoredFile, options: ReadingOptions) -> Header | None:
    options = replace(options, format=None)
    return read_header(stored.start()) if may_be_many(stored.name, options) else None


def _is_other(name: str) -> bool:
    """Return whether a file of a folder or zip file is hidden or, by its name, no network."""
    path = Path(name)
    is_hidden = any(part.startswith((".", "__MACOSX")) for part in path.parts)
    ending = suffix_of(path).lower().removeprefix(".")
    return is_hidden or ending in OTHER_ENDINGS or short_name(name).lower() in OTHER_NAMES


# Files of one network


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A network in a file of its own, on disk or in a zip file."""

    stored: StoredFile
    options: ReadingOptions
    may_be_pipe: bool = False  # the user named this file and no other

    @property
    def name(self) -> str:
        """The place, for messages."""
        return self.stored.name

    @property
    def path(self) -> str | None:
        """The file with the network."""
        return self.stored.path

    def read(self) -> tuple[Graph, ReadingReport]:
        """Read the network; a file of many networks is an error."""
        if not self.may_be_pipe and is_special(self.stored.path):
            raise NetworkFormatError(
                f"{self.name}: a pipe, a socket or a device; expected a file; to read a pipe, pass its "
                "path alone"
            )
        content, limit = self.stored.load()
        if may_be_many(self.name, self.options):
            header = read_header(content[:START])
            if header and (columns_of_networks(header) or is_manifest(header)):
                raise NetworkFormatError(
                    f"{self.name}: many networks, because of its columns "
                    f"{', '.join(header.cells)[:60]}; expected one network; pass the file itself"
                )
        return parse_network(content, self.options, limit)


def is_special(path: str) -> bool:
    """Return whether a path is a pipe, a socket or a device, the reading of which may never end."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def may_be_many(name: str, options: ReadingOptions) -> bool:
    """Return whether a file may list networks or hold many: a table that may have a header."""
    if options.header is False or options.columns is not None:
        return False
    if options.format is not None:
        return options.format == "edgelist"
    return suffix_of(Path(name)).lower() not in SUFFIXES


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


def is_manifest(header: Header) -> bool:
    """Return whether a file lists networks: it has a column ``path``, and is no edge list."""
    plain = [plain_name(name) for name in header.cells]
    n_ends = sum(NODE_COLUMN.fullmatch(name) is not None for name in plain)
    has_graph = any(name in GRAPH_COLUMNS for name in plain)
    starts_with_ends = n_ends > 1 and all(NODE_COLUMN.fullmatch(name) for name in plain[:2])
    is_edge_list = starts_with_ends or (has_graph and n_ends > 1)
    is_table = header.delimiter is not None or len(plain) == 1
    return PATH_COLUMN in plain and is_table and not is_edge_list


def manifest_networks(stored: StoredFile, header: Header, options: ReadingOptions) -> Part:
    """Return the networks of a manifest, whether their files exist or not."""
    names, rows = _read_table(stored, header)
    cells = dict(zip(names, zip(*rows, strict=True), strict=True))
    folder = Path(stored.path).parent
    paths = [str(folder / cell) for cell in cells.pop(PATH_COLUMN)]
    given = cells.pop("id", None)
    groups = [group or None for group in cells.pop("group", ("",) * len(paths))]
    columns = {name: _values(column) for name, column in cells.items()}
    covariates: list[Covariates] = [
        {name: column[i] for name, column in columns.items()} for i in range(len(paths))
    ]
    short = [short_name(path) for path in paths]
    return Part(
        [FilePlace(StoredFile(path), options) for path in paths],
        [id or name for id, name in zip(given, short, strict=True)] if given else short,
        ids_are_given=given is not None,
        groups=groups,
        covariates=covariates,
    )


def _read_table(stored: StoredFile, header: Header) -> tuple[list[str], list[list[str]]]:
    """Return the names of the columns and the rows, after checking their widths."""
    path = stored.path
    (_, first), *rows = [
        (number, split_cells(line, header.delimiter or "\t", f"{path}, line {number}"))
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
