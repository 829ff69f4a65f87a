"""Places of networks: files, members of zip files and networks by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, overload

from netchoice.errors import NetworkFormatError
from netchoice.graph import Graph
from netchoice.io.collection_headers import START, columns_of_networks, is_manifest, read_header
from netchoice.io.reader import ReadingOptions, parse_network, suffix_of
from netchoice.io.reading_report import ReadingReport
from netchoice.io.sniffing import SUFFIXES
from netchoice.io.stored_files import StoredFile, ZipMember

Covariates = dict[str, str | float]


class Place(Protocol):
    """Where one network is; it can be pickled and sent to another process."""

    @property
    def name(self) -> str:
        """The place, for messages."""

    @property
    def path(self) -> str | None:
        """The file with the network, None if it has no file."""

    def read(self) -> tuple[Graph, ReadingReport]:
        """Read the network."""


class PlacesOnDemand(Sequence[Place]):
    """The places of networks in one file, each made when it is used."""

    def __init__(self, n_places: int, make: Callable[[int], Place]) -> None:
        self._n_places, self._make = n_places, make

    def __len__(self) -> int:
        return self._n_places

    @overload
    def __getitem__(self, i: int) -> Place: ...
    @overload
    def __getitem__(self, i: slice) -> list[Place]: ...
    def __getitem__(self, i: int | slice) -> Place | list[Place]:
        positions = range(self._n_places)[i]
        if isinstance(positions, int):
            return self._make(positions)
        return [self._make(k) for k in positions]


@dataclass(frozen=True)
class Part:
    """Some networks of a collection; their places may be made on demand."""

    places: Sequence[Place]
    ids: Sequence[str]
    container: str | None = None  # the file that has all these networks under these ids
    ids_are_given: bool = False  # a manifest lists them, so they are not changed
    groups: Sequence[str | None] = ()
    covariates: Sequence[Covariates] = ()
    files: Sequence[str] = ()  # all files of the container


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A network in a file of its own, on disk or in a zip file."""

    stored: StoredFile | ZipMember
    options: ReadingOptions

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
        content, limit = self.stored.load()
        if may_be_many(self.name, self.options):
            header = read_header(content[:START])
            if header and (columns_of_networks(header) or is_manifest(header)):
                raise NetworkFormatError(
                    f"{self.name}: many networks, because of its columns "
                    f"{', '.join(header.cells)[:60]}; expected one network; pass the file itself"
                )
        return parse_network(content, self.options, limit)


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
