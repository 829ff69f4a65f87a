"""Collections of networks: several files, folders, manifests, and files of many networks."""

from __future__ import annotations

import hashlib
import os
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate
from os import PathLike
from pathlib import PurePath
from typing import overload

from netchoice.errors import UsageError
from netchoice.graph import Graph
from netchoice.io.edge_columns import ColumnNames
from netchoice.io.guard import guarded
from netchoice.io.many_networks import OwnEdges
from netchoice.io.network_finder import Covariates, FilePlace, NetworkFinder, Part, short_name
from netchoice.io.reader import ReadingOptions
from netchoice.io.reading_report import ReadingReport


@dataclass(frozen=True)
class NetworkSource:
    """One network of a collection, which is read when it is needed; it can be pickled."""

    id: str
    place: FilePlace | OwnEdges
    group: str | None = None
    covariates: Covariates = field(default_factory=dict)

    @property
    def file(self) -> str | None:
        """The file that holds this network alone; None if it is in a file of many."""
        is_alone = isinstance(self.place, FilePlace) and not self.place.stored.member
        return self.place.name if is_alone else None

    def read(self) -> tuple[Graph, ReadingReport]:
        """Read the network, as :func:`read_network` does."""
        return guarded(self.place.read, self.place.name, "a network")


class NetworkCollection(Sequence[NetworkSource]):
    """Networks with different ids; :func:`find_networks` returns a collection.

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
        A checksum of the ids, and of the paths, sizes and times of the files.
    """

    def __init__(
        self,
        parts: Sequence[Part],
        left_out: int = 0,
        settings: str = "",
        special: Sequence[str] = (),
    ) -> None:
        self._parts = list(parts)
        self._stops = list(accumulate(len(part.places) for part in self._parts))
        self.ids = _unique_ids(self._parts)
        names = (name for part in parts for row in part.covariates[:1] for name in row)
        self.covariates = list(dict.fromkeys(names))
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
        part, k = self._parts[number], i - self._stops[number] + len(self._parts[number].places)
        return NetworkSource(
            self.ids[i],
            part.places[k],
            part.groups[k] if part.groups else None,
            part.covariates[k] if part.covariates else {},
        )

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
    finder = NetworkFinder(options)
    paths = [os.fspath(name) for name in names]
    for path in paths:
        guarded(partial(finder.add, path, is_only=len(paths) == 1), path, "networks")
    if finder.special and not finder.parts:
        raise UsageError(
            f"{finder.special[0]}: a pipe, a socket or a device; expected a file; to read a pipe, pass its "
            "path alone"
        )
    if not finder.parts:
        raise UsageError("no names of network files; pass one or more files or folders")
    return NetworkCollection(
        finder.parts,
        finder.left_out,
        f"{format} {header}" + f" {options.columns}" * (columns is not None),
        finder.special,
    )


def _unique_ids(parts: Sequence[Part]) -> list[str]:
    """Return different ids: the short ones, or longer ones if two are equal."""
    ids = [id for part in parts for id in part.ids]
    for is_full in (False, True):
        repeated = {id for id, count in Counter(ids).items() if count > 1}
        if not repeated:
            return ids
        longer = (_longer(part, k, is_full) for part in parts for k in range(len(part.ids)))
        ids = [long if id in repeated else id for id, long in zip(ids, longer, strict=True)]
    id, count = Counter(ids).most_common(1)[0]
    if count > 1:
        places = (part.places[k].name for part in parts for k in range(len(part.ids)))
        first, second, *_ = (name for name, other in zip(places, ids, strict=True) if other == id)
        raise UsageError(
            f"two networks have the id {id!r}: {first} and {second}; "
            "pass each network once, and give them different ids"
        )
    return ids


def _longer(part: Part, k: int, is_full: bool) -> str:
    """Return an id with the name of the file, or with its path."""
    if part.ids_are_given:
        return part.ids[k]
    if part.container is not None:
        file = part.container if is_full else short_name(part.container)
        return f"{file}:{part.ids[k]}"
    name = part.places[k].name
    return name if is_full else PurePath(name).name


def _fingerprint(ids: Sequence[str], parts: Sequence[Part], settings: str) -> str:
    """Return a checksum of the settings, the ids and the contents of the files."""
    checksum = hashlib.sha256(settings.encode())
    for id in ids:
        checksum.update(f"\n{id}".encode("utf-8", "surrogateescape"))
    for part in parts:
        files = part.files or dict.fromkeys(place.path or place.name for place in part.places)
        for file in files:
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
