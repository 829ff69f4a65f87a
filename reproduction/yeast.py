"""The three yeast networks, and the paper's analysis: five features, ten neighbours, two models."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.request import urlopen

import numpy as np

from netchoice.errors import NetchoiceError
from netchoice.features import compute_features
from netchoice.graph import Graph
from netchoice.inference import embed
from netchoice.io import read_network
from netchoice.selection import rank_path
from netchoice.simulate import simulate_table
from netchoice.storage.table import ReferenceTable
from netchoice.validation import unknown
from reproduction.records import kept_frame, kept_record
from reproduction.settings import AS_PUBLISHED, DEFAULT, SETTINGS, Setting
from reproduction.spaces import SET_SIZE, SpaceRun

if TYPE_CHECKING:
    import pandas as pd

#: Environment variable: a folder that holds the files of the networks.
FOLDER = "NETCHOICE_DATA"
#: Without that folder, files are downloaded once. The server offers no encryption; a checksum protects
#: the content.
SERVER = "http://interactome.dfci.harvard.edu/S_cerevisiae/download"
DOWNLOADS = Path(__file__).parents[1] / "build" / "yeast"
_TIMEOUT = 30  # seconds


class YeastNetwork(NamedTuple):
    """The source of a network, the checksum of its edges, and its size as the paper states it."""

    study: str
    file: str  # name of the file on the original server
    checksum: str  # of the edge set; see edge_checksum
    paper_nodes: int


#: In the order of the figure's panels.
NETWORKS = {
    "ito2001": YeastNetwork(
        "Ito et al. 2001, core, doi:10.1073/pnas.061034498",
        "Ito_core.txt",
        "db476e9e46a71316d0e03d7b008fa63d2af98d935e1cb4a93b36682f4526d157",
        813,
    ),
    "yu2008": YeastNetwork(
        "Yu et al. 2008, CCSB-YI1, doi:10.1126/science.1158684",
        "CCSB-Y2H.txt",
        "e635e07842f24336346c3862186a918b5a57c0961c5b4d705f24062bd5108e74",
        1278,
    ),
    "uetz2000": YeastNetwork(
        "Uetz et al. 2000, screen, doi:10.1038/35001009",
        "Uetz_screen.txt",
        "0e91d507cf64c380986be6f7f9203c4ffb8aa59f2d020b80cb19537f411ff133",
        437,
    ),
}
#: The paper's ranking.
PAPER_FIVE = (
    "transitivity", "core_3_size", "clustering_mean", "lcc_local_efficiency", "core_4_size",
)  # fmt: skip
PENALTY = 1.0  # the paper's λ
N_NEIGHBOURS = 10
#: Node counts to simulate: as the paper states them, and as the files have them.
NODE_COUNTS = ("paper", "true")


class DatasetError(NetchoiceError):
    """A network that cannot be downloaded, or whose edges differ from the published ones."""


def load(name: str) -> Graph:
    """Read one of the networks from the folder in ``NETCHOICE_DATA``, or else download it once.

    The edges must be the published ones, in any order, with any further columns, repeated edges and
    self loops.

    >>> load("pombe")
    Traceback (most recent call last):
        ...
    netchoice.errors.UsageError: unknown yeast network 'pombe'; Known: ito2001, yu2008, uetz2000
    """
    if name not in NETWORKS:
        raise unknown("yeast network", name, NETWORKS)
    folder = os.environ.get(FOLDER)
    if folder:
        path = _find(name, Path(folder).expanduser())
        return _read(name, path, f"put the published file there, or unset {FOLDER}")
    path = DOWNLOADS / f"{name}.txt"
    if not path.exists():
        _download(name, path)
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


def _read(name: str, path: Path, what_to_do: str) -> Graph:
    try:
        graph, _ = read_network(path, "edgelist")
    except NetchoiceError as error:
        raise DatasetError(f"{name}: {error}; {what_to_do}") from error
    if edge_checksum(graph) != NETWORKS[name].checksum:
        raise DatasetError(
            f"{path} is not {name} ({NETWORKS[name].study}): the checksum of its {graph.n_edges} "
            f"edges differs from that of the published edges; {what_to_do}"
        )
    return graph


def _find(name: str, folder: Path) -> Path:
    paths = [folder / f"{name}.txt", folder / NETWORKS[name].file]
    for path in paths:
        if path.is_file():
            return path
    raise DatasetError(
        f"{FOLDER} is {folder}, which contains neither {paths[0].name} nor {paths[1].name}; "
        f"put one of them there, or unset {FOLDER} to download {name}"
    )


def _download(name: str, path: Path) -> None:
    url = f"{SERVER}/{NETWORKS[name].file}"
    try:
        with urlopen(url, timeout=_TIMEOUT) as answer:
            content = answer.read()
    except OSError as error:  # no connection, or no such file
        raise DatasetError(
            f"cannot download {name} from {url} ({error}); without internet, {_instruction(name)}"
        ) from error
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _instruction(name: str) -> str:
    file = NETWORKS[name].file
    return f"put it as {name}.txt (or {file}) into a folder and set {FOLDER} to that folder"


@dataclass
class YeastRun:
    """Simulations with the node counts of each network, and the answers that they give."""

    duplication: SpaceRun
    folder: Path
    rows: int

    def ranking(self, setting: Setting) -> list[str]:
        """Return the features ranked by JMI at the paper's penalty, on the duplication table."""

        def compute() -> pd.DataFrame:
            run = self.duplication
            selectors = run.selectors(["jmi"], setting)
            with run.stage("ranking"):
                return rank_path(selectors, run.train.X, run.train.y, [PENALTY])

        path = self.folder / f"five-{setting.name}.parquet"
        frame = kept_frame(path, self.duplication.facts, compute)
        return list(frame["feature"])

    def five(self, setting: Setting) -> tuple[str, ...]:
        """Return the first five features of the ranking."""
        return tuple(self.ranking(setting)[:SET_SIZE])

    def feature_sets(self) -> dict[str, tuple[str, ...]]:
        """Return the paper's five features, and ours as published and by default, by name."""
        ours = {setting.name: self.five(setting) for setting in (AS_PUBLISHED, DEFAULT)}
        return {"papers": PAPER_FIVE} | ours

    @cached_property
    def _features(self) -> list[str]:
        sets = [PAPER_FIVE, *(self.five(setting) for setting in SETTINGS)]
        return list(dict.fromkeys(name for five in sets for name in five))

    def size(self, network: str, counted: str) -> int:
        """Return the number of nodes, as stated in the paper ("paper") or in the file ("true")."""
        return NETWORKS[network].paper_nodes if counted == "paper" else load(network).n_nodes

    def table(self, network: str, counted: str) -> ReferenceTable:
        """Return simulations of both models with isolated nodes, as in the paper."""
        n_nodes = self.size(network, counted)
        run = self.duplication
        features = self._features
        with run.stage("simulation for yeast"):
            return simulate_table(
                "duplication", n_nodes=n_nodes, n_samples=self.rows, seed=run.seed, stream="yeast",
                features=features, engine=run.engine, workers=run.workers,
                out=self.folder / f"nodes-{n_nodes}",
                on_progress=lambda *n: run.report_progress(f"networks of {n_nodes} nodes", *n[:2]),
            )  # fmt: skip

    def observed(self, network: str) -> dict[str, float]:
        """Return the features of the observed network."""
        rng = np.random.default_rng(self.duplication.seed)  # noise may be among the five
        return dict(compute_features(load(network), self._features, rng=rng).values)

    def answer(self, network: str, counted: str, five: Iterable[str], name: str) -> dict[str, Any]:
        """Return votes and distances of the nearest simulations, and the separation of models."""

        def compute() -> dict[str, Any]:
            table, values = self.table(network, counted), self.observed(network)
            with self.duplication.stage("inference for yeast"):
                return _compare(table, {feature: values[feature] for feature in five})

        path = self.folder / f"answer-{network}-{counted}-{name}.json"
        return kept_record(path, self.duplication.facts, compute)

    def answers(self) -> dict[tuple[str, str, str], dict[str, Any]]:
        """Return the answers by network, node count and name of the feature set."""
        sets = self.feature_sets()
        return {
            (network, counted, name): self.answer(network, counted, five, name)
            for network in NETWORKS
            for counted in NODE_COUNTS
            for name, five in sets.items()
        }


def _compare(table: ReferenceTable, observed: dict[str, float]) -> dict[str, Any]:
    """Compare an observed network with simulations, by some features.

    ``share_farther`` is the share of simulations that are at least as far from their nearest neighbour
    as the network is from its own.
    """
    from scipy.stats import ks_2samp
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.preprocessing import StandardScaler

    X, y = table.X[list(observed)], table.y.to_numpy()
    scaler = StandardScaler().fit(X.to_numpy(float))
    simulated = scaler.transform(X.to_numpy(float))
    point = scaler.transform([list(observed.values())])
    neighbours = KNeighborsClassifier(N_NEIGHBOURS).fit(simulated, y)
    models = neighbours.classes_.tolist()
    shares = neighbours.predict_proba(point)[0]
    nearest = neighbours.kneighbors(point, 1)[0][0, 0]
    farther = neighbours.kneighbors(simulated, 2)[0][:, 1] >= nearest  # the first is the row itself
    test = ks_2samp(*(table.X["transitivity"][y == model] for model in models))
    embeddings = [embed(X, y, observed, scaling="standard", seed=i) for i in range(3)]
    return {
        "votes": dict(zip(models, (N_NEIGHBOURS * shares).tolist(), strict=True)),
        "share_farther": float(farther.mean()),
        "share_farther_by_model": {model: float(farther[y == model].mean()) for model in models},
        "ks": float(test.statistic), "ks_p_value": float(test.pvalue),
        "distance_correlation": [each.distance_correlation for each in embeddings],
    }  # fmt: skip
