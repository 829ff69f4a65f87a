"""Networks by name: three yeast two-hybrid networks, from a folder or from their original home.

They do not come with the package. :func:`load` reads them from the folder that the environment
variable ``NETCHOICE_DATA`` names, or fetches them once and keeps them.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import NamedTuple

from netchoice.errors import NetchoiceError
from netchoice.graph import Graph
from netchoice.io import ReadingReport, read_network
from netchoice.names import unknown

FOLDER, HOME = "NETCHOICE_DATA", "NETCHOICE_DATA_URL"
#: What comes over this line is checked, so it need not be a safe one.
ORIGINAL_HOME = "http://interactome.dfci.harvard.edu/S_cerevisiae/download/"
PREFIX = "yeast:"
_PATIENCE = 30  # seconds without an answer


class Dataset(NamedTuple):
    """Where a network is from, and what must be in it."""

    study: str
    file: str  # its name at its original home
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
    """A network that cannot be had, or that is not what its name says."""


def load(name: str, *, url: str | None = None) -> tuple[Graph, ReadingReport]:
    """Read a network by its name.

    Parameters
    ----------
    name : str
        ``uetz2000``, ``ito2001`` or ``yu2008``; also with ``yeast:`` before it.
    url : str, optional
        A folder on the web to fetch it from. By default that of the environment variable
        ``NETCHOICE_DATA_URL``, or its original home. Nothing is fetched if ``NETCHOICE_DATA`` names
        a folder (with the file as ``ito2001.txt``, or under its original name), or if it was
        fetched before.

    Returns
    -------
    graph : Graph
    report : ReadingReport
        What was dropped on the way, as :func:`netchoice.read_network` tells it.

    Raises
    ------
    DatasetError
        If it cannot be had, or if its edges are not those of the published network. Order of
        lines, of the two names in a line, further columns, repeats and self loops do not matter.

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
        path = _in_folder(name, Path(folder).expanduser())
        return _checked(name, path, f"put the right file there, or unset {FOLDER}")
    path = _fetched(name, url or os.environ.get(HOME) or ORIGINAL_HOME)
    try:
        return _checked(name, path, f"it was removed; {_way_out(name)}")
    except NetchoiceError:
        path.unlink(missing_ok=True)
        raise


def edge_checksum(graph: Graph) -> str:
    r"""SHA-256 of the sorted edges, a line each, the two names sorted and parted by a tab.

    >>> one = Graph.from_edges([("b", "a"), ("c", "b")])
    >>> edge_checksum(one) == hashlib.sha256(b"a\tb\nb\tc").hexdigest()
    True
    """
    names = range(graph.n_nodes) if graph.labels is None else graph.labels
    lines = sorted("\t".join(sorted(str(names[end]) for end in edge)) for edge in graph.edges())
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _checked(name: str, path: Path, what_to_do: str) -> tuple[Graph, ReadingReport]:
    try:
        graph, report = read_network(path, "edgelist")
    except NetchoiceError as error:
        raise DatasetError(f"{name}: {error}; {what_to_do}") from error
    if edge_checksum(graph) != DATASETS[name].checksum:
        raise DatasetError(
            f"{path} is not {name} ({DATASETS[name].study}): its {graph.n_edges} edges have another "
            f"checksum than the published ones; {what_to_do}"
        )
    return graph, report


def _in_folder(name: str, folder: Path) -> Path:
    possible = [folder / f"{name}.txt", folder / DATASETS[name].file]
    for path in possible:
        if path.is_file():
            return path
    raise DatasetError(
        f"{FOLDER} is {folder}, where there is neither {possible[0].name} nor {possible[1].name}; "
        f"put one there, or unset {FOLDER} to have {name} fetched"
    )


def _fetched(name: str, home: str) -> Path:
    try:
        import pooch
    except ImportError as error:
        raise DatasetError(
            f"fetching {name} needs pooch: install netchoice[data]; or {_way_out(name)}"
        ) from error
    url = f"{home.rstrip('/')}/{DATASETS[name].file}"
    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel("ERROR")  # it would tell its checksum of the file; ours is of the edges
    try:
        kept = pooch.retrieve(
            url, known_hash=None, fname=f"{name}.txt", path=pooch.os_cache("netchoice"),
            downloader=pooch.HTTPDownloader(timeout=_PATIENCE),
        )  # fmt: skip
    except (OSError, ValueError) as error:  # no line, no such host, no such file, no room, no URL
        reason = " ".join(str(error).split())
        raise DatasetError(
            f"{name} could not be fetched from {url} ({reason}); without a network, {_way_out(name)}"
        ) from error
    finally:
        logger.setLevel(level)
    return Path(kept)


def _way_out(name: str) -> str:
    file = DATASETS[name].file
    return f"put it as {name}.txt (or {file}) into a folder and let {FOLDER} name that folder"
