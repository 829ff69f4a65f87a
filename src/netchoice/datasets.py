"""Three yeast two-hybrid networks, which are read from a folder, or downloaded once and cached."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import NamedTuple

from netchoice.errors import NetchoiceError
from netchoice.graph import Graph
from netchoice.io import ReadingReport, read_network
from netchoice.names import unknown

#: Environment variables: a local folder that holds the files, and a web folder to download from.
FOLDER, URL = "NETCHOICE_DATA", "NETCHOICE_DATA_URL"
#: The server offers no encryption; a checksum protects the content.
ORIGINAL_URL = "http://interactome.dfci.harvard.edu/S_cerevisiae/download/"
PREFIX = "yeast:"
_TIMEOUT = 30  # seconds


class Dataset(NamedTuple):
    """The source of a network, and the checksum of its edges."""

    study: str
    file: str  # name of the file on the original server
    checksum: str  # of the edge set; see edge_checksum


DATASETS = {
    "uetz2000": Dataset(
        "Uetz et al. 2000, screen, doi:10.1038/35001009",
        "Uetz_screen.txt",
        "0e91d507cf64c380986be6f7f9203c4ffb8aa59f2d020b80cb19537f411ff133",
    ),
    "ito2001": Dataset(
        "Ito et al. 2001, core, doi:10.1073/pnas.061034498",
        "Ito_core.txt",
        "db476e9e46a71316d0e03d7b008fa63d2af98d935e1cb4a93b36682f4526d157",
    ),
    "yu2008": Dataset(
        "Yu et al. 2008, CCSB-YI1, doi:10.1126/science.1158684",
        "CCSB-Y2H.txt",
        "e635e07842f24336346c3862186a918b5a57c0961c5b4d705f24062bd5108e74",
    ),
}


class DatasetError(NetchoiceError):
    """A network that cannot be downloaded, or whose edges differ from the published ones."""


def load(name: str, *, url: str | None = None) -> tuple[Graph, ReadingReport]:
    """Read one of the yeast networks.

    Parameters
    ----------
    name : str
        ``uetz2000``, ``ito2001`` or ``yu2008``, optionally with the prefix ``yeast:``.
    url : str, optional
        The web folder to download the network from. The default is the environment variable
        ``NETCHOICE_DATA_URL``, or else the original server. Nothing is downloaded if the environment
        variable ``NETCHOICE_DATA`` is a folder (which must contain the file as ``ito2001.txt``, or
        under its original name), or if the network is in the cache.

    Returns
    -------
    graph, report
        As in :func:`netchoice.read_network`.

    Raises
    ------
    DatasetError
        If the network cannot be downloaded, or if its edges are not the published ones (in any
        order, with any further columns, repeated edges and self loops).

    Examples
    --------
    >>> load("yeast:pombe")
    Traceback (most recent call last):
        ...
    netchoice.errors.UsageError: unknown dataset 'pombe'; Known: uetz2000, ito2001, yu2008
    """
    name = name.removeprefix(PREFIX)
    if name not in DATASETS:
        raise unknown("dataset", name, DATASETS)
    folder = os.environ.get(FOLDER)
    if folder:
        path = _find_in_folder(name, Path(folder).expanduser())
        return _read(name, path, f"put the published file there, or unset {FOLDER}")
    path = _download(name, url or os.environ.get(URL) or ORIGINAL_URL)
    try:
        return _read(name, path, f"the download was removed; {_instruction(name)}")
    except NetchoiceError:
        path.unlink(missing_ok=True)
        raise


def edge_checksum(graph: Graph) -> str:
    r"""Return the SHA-256 of the sorted edges, one per line: two sorted names, separated by a tab.

    >>> graph = Graph.from_edges([("b", "a"), ("c", "b")])
    >>> edge_checksum(graph) == hashlib.sha256(b"a\tb\nb\tc").hexdigest()
    True
    """
    names = range(graph.n_nodes) if graph.labels is None else graph.labels
    lines = sorted("\t".join(sorted(str(names[end]) for end in edge)) for edge in graph.edges())
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _read(name: str, path: Path, what_to_do: str) -> tuple[Graph, ReadingReport]:
    try:
        graph, report = read_network(path, "edgelist")
    except NetchoiceError as error:
        raise DatasetError(f"{name}: {error}; {what_to_do}") from error
    if edge_checksum(graph) != DATASETS[name].checksum:
        raise DatasetError(
            f"{path} is not {name} ({DATASETS[name].study}): the checksum of its {graph.n_edges} "
            f"edges differs from that of the published edges; {what_to_do}"
        )
    return graph, report


def _find_in_folder(name: str, folder: Path) -> Path:
    paths = [folder / f"{name}.txt", folder / DATASETS[name].file]
    for path in paths:
        if path.is_file():
            return path
    raise DatasetError(
        f"{FOLDER} is {folder}, which contains neither {paths[0].name} nor {paths[1].name}; "
        f"put one of them there, or unset {FOLDER} to download {name}"
    )


def _download(name: str, server: str) -> Path:
    try:
        import pooch
    except ImportError as error:
        raise DatasetError(
            f"downloading {name} needs pooch: install netchoice[data], or {_instruction(name)}"
        ) from error
    url = f"{server.rstrip('/')}/{DATASETS[name].file}"
    logger, level = pooch.get_logger(), pooch.get_logger().level
    logger.setLevel("ERROR")  # pooch would print the checksum of the file, not that of the edges
    try:
        path = pooch.retrieve(
            url, known_hash=None, fname=f"{name}.txt", path=pooch.os_cache("netchoice"),
            downloader=pooch.HTTPDownloader(timeout=_TIMEOUT),
        )  # fmt: skip
    except (OSError, ValueError) as error:  # no connection, no such file, disk full, invalid URL
        reason = " ".join(str(error).split())
        raise DatasetError(
            f"cannot download {name} from {url} ({reason}); without internet, {_instruction(name)}"
        ) from error
    finally:
        logger.setLevel(level)
    return Path(path)


def _instruction(name: str) -> str:
    file = DATASETS[name].file
    return f"put it as {name}.txt (or {file}) into a folder and set {FOLDER} to that folder"
