"""The paper's analysis of three yeast networks: five features, ten neighbours, two models."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.datasets import load
from netchoice.features import compute_features
from netchoice.inference import embed, model_probabilities
from netchoice.inference.scaling import Scaling
from netchoice.reproduction.cost_settings import AS_PUBLISHED, DEFAULT, SETTINGS, Setting
from netchoice.reproduction.space_run import SET_SIZE, SpaceRun
from netchoice.selection import rank_path
from netchoice.simulate import simulate_table
from netchoice.storage.kept_results import kept_frame, kept_record
from netchoice.storage.table import ReferenceTable

if TYPE_CHECKING:
    import pandas as pd

#: In the order of the figure's panels, with the numbers of nodes that the paper states.
NETWORKS = {"ito2001": 813, "yu2008": 1278, "uetz2000": 437}
#: The paper's ranking.
PAPER_FIVE = (
    "transitivity", "core_3_size", "clustering_mean", "lcc_local_efficiency", "core_4_size",
)  # fmt: skip
PENALTY = 1.0  # the paper's λ
N_NEIGHBOURS = 10
#: Node counts to simulate: as the paper states them, and as the files have them.
NODE_COUNTS = ("paper", "true")


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
        return NETWORKS[network] if counted == "paper" else load(network)[0].n_nodes

    def table(self, network: str, counted: str) -> ReferenceTable:
        """Return simulations of both models with isolated nodes, as in the paper."""
        n_nodes = self.size(network, counted)
        run = self.duplication
        features = self._features
        with run.stage("simulation for yeast"):
            return simulate_table(
                "duplication", n_nodes=n_nodes, n_samples=self.rows, seed=run.seed, stream="yeast",
                features=features, engine=run.engine, workers=run.workers,
                path=self.folder / f"nodes-{n_nodes}",
                on_progress=lambda *n: run.report_progress(f"networks of {n_nodes} nodes", *n[:2]),
            )  # fmt: skip

    def observed(self, network: str) -> dict[str, float]:
        """Return the features of the observed network."""
        rng = np.random.default_rng(self.duplication.seed)  # noise may be among the five
        return dict(compute_features(load(network)[0], self._features, rng=rng).values)

    def answer(self, network: str, counted: str, five: Iterable[str], name: str) -> dict[str, Any]:
        """Return votes and distances of the nearest simulations, and the separation of models."""

        def compute() -> dict[str, Any]:
            table, values = self.table(network, counted), self.observed(network)
            with self.duplication.stage("inference for yeast"):
                compared = _compare(table, {feature: values[feature] for feature in five})
            return {"nodes": self.size(network, counted), **compared}

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
    """Compare an observed network with simulations, by some features."""
    X, y = table.X[list(observed)], table.y
    probabilities = model_probabilities(
        X, y, observed, method="neighbours", scaling="standard", n_neighbors=N_NEIGHBOURS
    )
    embeddings = [embed(X, y, observed, scaling="standard", seed=i) for i in range(3)]
    return {
        "features": list(observed), "observed": observed,
        "votes": probabilities.details["votes"], **_separation(table, "transitivity"),
        **_nearest_distances(X, y, observed),
        "distance_correlation": [each.distance_correlation for each in embeddings],
    }  # fmt: skip


def _separation(table: ReferenceTable, feature: str) -> dict[str, Any]:
    """Return the Kolmogorov–Smirnov statistic of the two models, with a bootstrap interval."""
    from scipy.stats import ks_2samp

    values, labels = table.X[feature].to_numpy(), table.y.to_numpy()
    first, second = (values[labels == model] for model in np.unique(labels))
    test = ks_2samp(first, second)
    rng = np.random.default_rng(0)
    draws = [
        ks_2samp(rng.choice(first, len(first)), rng.choice(second, len(second))).statistic
        for _ in range(200)
    ]
    interval = np.quantile(draws, [0.025, 0.975]).tolist()
    return {"ks": float(test.statistic), "ks_interval": interval, "ks_p_value": float(test.pvalue)}


def _nearest_distances(X: Any, y: Any, observed: dict[str, float]) -> dict[str, Any]:
    """Return the distance to the nearest simulation, and the shares of simulations as far apart."""
    from sklearn.neighbors import NearestNeighbors

    scaling = Scaling.fit(X.to_numpy(float), "standard")
    simulated = scaling.transform(X.to_numpy(float))
    point = scaling.transform(np.array([list(observed.values())]))
    nearest = NearestNeighbors(n_neighbors=2).fit(simulated)
    distance = float(nearest.kneighbors(point, n_neighbors=1)[0][0, 0])
    farther = nearest.kneighbors(simulated)[0][:, 1] >= distance
    by_model = {str(model): float(farther[y == model].mean()) for model in np.unique(y)}
    share = float(farther.mean())
    return {"distance": distance, "share_farther": share, "share_farther_by_model": by_model}
