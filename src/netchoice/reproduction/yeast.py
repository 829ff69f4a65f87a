"""The paper's three yeast networks: five features, ten neighbours, two models."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.datasets import load
from netchoice.features import compute_features
from netchoice.inference import embed, model_probabilities
from netchoice.inference.scaling import Scaling
from netchoice.reproduction.costs import AS_PUBLISHED, SETTINGS, Setting
from netchoice.reproduction.frames import kept_frame, kept_record
from netchoice.reproduction.scales import SEED
from netchoice.reproduction.spaces import FEW, SpaceRun
from netchoice.selection import rank_path
from netchoice.simulate import simulate_table
from netchoice.storage.table import ReferenceTable

if TYPE_CHECKING:
    import pandas as pd

#: In the order of the figure's panels, with the numbers of nodes that the paper states.
NETWORKS = {"ito2001": 813, "yu2008": 1278, "uetz2000": 437}
#: What the paper's ranking gave.
PAPERS_FIVE = (
    "transitivity", "core_3_size", "clustering_mean", "lcc_local_efficiency", "core_4_size",
)  # fmt: skip
PENALTY = 1.0  # the paper's λ
NEIGHBOURS = 10


@dataclass
class YeastRun:
    """Simulations as large as each network is said to be, and as large as it is."""

    duplication: SpaceRun
    folder: Path
    rows: int

    def ranking(self, setting: Setting) -> list[str]:
        """Features by JMI at the paper's penalty, on the duplication table."""

        def make() -> pd.DataFrame:
            run = self.duplication
            return rank_path(run.selectors(["jmi"], setting), run.train.X, run.train.y, [PENALTY])

        frame = kept_frame(self.folder / f"five-{setting.name}.parquet", make)
        return list(frame["feature"])

    def five(self, setting: Setting) -> tuple[str, ...]:
        """The first five."""
        return tuple(self.ranking(setting)[:FEW])

    @cached_property
    def _needed(self) -> list[str]:
        every = [PAPERS_FIVE, *(self.five(setting) for setting in SETTINGS)]
        return list(dict.fromkeys(name for five in every for name in five))

    def size(self, network: str, counted: str) -> int:
        """Nodes as the paper states them ("paper") or as the file has them ("true")."""
        return NETWORKS[network] if counted == "paper" else load(network)[0].n_nodes

    def table(self, network: str, counted: str) -> ReferenceTable:
        """Simulations of both models, with isolated nodes, as the paper's have them."""
        n_nodes = self.size(network, counted)
        run = self.duplication
        return simulate_table(
            "duplication", n_nodes=n_nodes, n_samples=self.rows, seed=SEED, stream="yeast",
            features=self._needed, engine=run.engine, workers=run.workers,
            path=self.folder / f"table-{n_nodes}",
            on_progress=lambda done, total, _: run._tell(
                f"networks of {n_nodes} nodes", done, total
            ),
        )  # fmt: skip

    def observed(self, network: str) -> dict[str, float]:
        """The network's features."""
        graph, _ = load(network)
        return dict(compute_features(graph, self._needed).values)

    def answer(
        self, network: str, counted: str, five: tuple[str, ...], name: str
    ) -> dict[str, Any]:
        """What the neighbours say, how far away they are, and how well one feature separates."""

        def make() -> dict[str, Any]:
            table, seen = self.table(network, counted), self.observed(network)
            told = model_probabilities(
                table.X[list(five)],
                table.y,
                {name: seen[name] for name in five},
                method="neighbours",
                scaling="standard",
                n_neighbors=NEIGHBOURS,
            )
            return {
                "nodes": self.size(network, counted),
                "features": list(five),
                "observed": {feature: seen[feature] for feature in five},
                "votes": told.details["votes"],
                **_separation(table, "transitivity"),
                **_remoteness(table, seen, five),
                "distance_correlation": [
                    embed(table.X[list(five)], table.y, seen, scaling="standard", seed=seed)
                    .distance_correlation
                    for seed in range(3)
                ],
            }  # fmt: skip

        return kept_record(self.folder / f"answer-{network}-{counted}-{name}.json", make)

    def place(self, network: str, counted: str, five: tuple[str, ...], name: str) -> dict[str, Any]:
        """The share of each model's simulations that are lonelier than the network."""

        def make() -> dict[str, Any]:
            table, seen = self.table(network, counted), self.observed(network)
            return {"lonelier_by_model": _lonelier_by_model(table, seen, five)}

        return kept_record(self.folder / f"place-{network}-{counted}-{name}.json", make)

    def answers(self) -> dict[str, dict[str, Any]]:
        """By network, numbers of nodes and features: the paper's five, and ours under each setting."""
        sets: dict[str, tuple[str, ...]] = {"papers": PAPERS_FIVE}
        for setting in (AS_PUBLISHED, SETTINGS[-1]):
            sets[setting.name] = self.five(setting)
        return {
            f"{network}/{counted}/{name}": self.answer(network, counted, five, name)
            | self.place(network, counted, five, name)
            for network in NETWORKS
            for counted in ("paper", "true")
            for name, five in sets.items()
        }


def _separation(table: ReferenceTable, feature: str) -> dict[str, Any]:
    """Kolmogorov–Smirnov between the two models, with a bootstrap interval."""
    from scipy.stats import ks_2samp

    values, labels = table.X[feature].to_numpy(), table.y.to_numpy()
    first, second = (values[labels == model] for model in np.unique(labels))
    test = ks_2samp(first, second)
    rng = np.random.default_rng(SEED)
    draws = [
        ks_2samp(rng.choice(first, len(first)), rng.choice(second, len(second))).statistic
        for _ in range(200)
    ]
    low, high = np.quantile(draws, [0.025, 0.975])
    return {
        "ks": float(test.statistic), "ks_interval": [float(low), float(high)],
        "ks_p_value": float(test.pvalue),
    }  # fmt: skip


def _remoteness(
    table: ReferenceTable, seen: dict[str, float], five: tuple[str, ...]
) -> dict[str, Any]:
    """Distance to the nearest simulation, and the share of simulations that are lonelier."""
    distance, own = _distances(table, seen, five)
    return {"distance": distance, "lonelier": float((own >= distance).mean())}


def _lonelier_by_model(
    table: ReferenceTable, seen: dict[str, float], five: tuple[str, ...]
) -> dict[str, float]:
    distance, own = _distances(table, seen, five)
    labels = table.y.to_numpy()
    return {str(m): float((own[labels == m] >= distance).mean()) for m in np.unique(labels)}


def _distances(
    table: ReferenceTable, seen: dict[str, float], five: tuple[str, ...]
) -> tuple[float, Any]:
    """From the network, and from every simulation, to the nearest simulation."""
    from sklearn.neighbors import NearestNeighbors

    names = list(five)
    scaling = Scaling.fit(table.X[names].to_numpy(float), "standard")
    known = scaling.transform(table.X[names].to_numpy(float))
    point = scaling.transform(np.array([[seen[name] for name in names]]))
    nearest = NearestNeighbors(n_neighbors=2).fit(known)
    own = nearest.kneighbors(known)[0][:, 1]
    return float(nearest.kneighbors(point, n_neighbors=1)[0][0, 0]), own
