"""Figures of the atlas: the map of the networks, and the discrepancies by domain."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pandas as pd

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from atlas_result import Entry

import netchoice

#: Features of the picture, which do not depend on the number of nodes by definition.
SHOWN = (
    "degree_mean", "transitivity", "clustering_mean", "square_clustering_mean", "degree_entropy",
    "degree_std", "degree_connectivity", "lcc_mean_distance",
)  # fmt: skip
MOST_FEATURES = 12


def draw_map(entries: list[Entry], frame: pd.DataFrame, path: Path) -> None:
    """Draw all real networks in the plane of the two main components of their features."""
    real = frame[frame["kind"] == "real"].set_index("network")
    shown = [entry for entry in entries if entry.id in real.index]
    rows = [netchoice.compute_features(entry.graph, list(SHOWN)).values for entry in shown]
    values = pd.DataFrame(rows, index=[entry.id for entry in shown])[list(SHOWN)].fillna(0.0)
    ranks = (values.rank() - 0.5) / len(values) - 0.5
    left, sizes, _ = np.linalg.svd(ranks - ranks.mean(), full_matrices=False)
    points = pd.DataFrame(left[:, :2] * sizes[:2], index=values.index, columns=["x", "y"])
    domains = sorted(real["domain"].unique())
    colours = dict(zip(domains, plt.get_cmap("tab10").colors, strict=False))
    figure, ax = plt.subplots(figsize=(8, 5.5), layout="constrained")
    for fits, marker, label in ((True, "o", "a model fits"), (False, "^", "all models rejected")):
        for domain in domains:
            own = real[(real["domain"] == domain) & (real["fits"] == fits)].index
            at = points.loc[own]
            face = colours[domain] if fits else "none"
            ax.scatter(at["x"], at["y"], s=44, marker=marker, facecolor=face, edgecolor=colours[domain],
                       linewidth=1.4)  # fmt: skip
        face = "black" if fits else "none"
        ax.scatter([], [], marker=marker, facecolor=face, edgecolor="black", label=label)
    for domain in domains:
        ax.scatter([], [], color=colours[domain], label=domain)
    ax.set(
        xlabel="first component of the features", ylabel="second component", xticks=[], yticks=[]
    )
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5), fontsize=9)
    _save(figure, path)


def discrepancy_counts(real: pd.DataFrame) -> pd.DataFrame:
    """Return, by feature, domain and side, how many networks are above (1) or below (-1) the simulations.

    Counted are the three largest discrepancies from the model that is named, outside of the middle 95 %.
    """
    rows = [
        (each["label"], row.domain, 1 if each["observed"] > each["q975"] else -1)
        for row in real.itertuples()
        for each in row.discrepancies
        if not each["q025"] <= each["observed"] <= each["q975"]
    ]
    frame = pd.DataFrame(rows, columns=["feature", "domain", "side"])
    most = frame["feature"].value_counts().index[:MOST_FEATURES]
    found = frame[frame["feature"].isin(most)]
    counted = found.pivot_table(
        index="feature", columns=["domain", "side"], aggfunc=len, fill_value=0
    )
    return counted.reindex(most)


def draw_discrepancies(real: pd.DataFrame, path: Path) -> None:
    """Draw which features of a domain differ from the named models, and in which direction."""
    counts, sizes = discrepancy_counts(real), real["domain"].value_counts()
    domains = sorted(sizes.index)
    figure, ax = plt.subplots(
        figsize=(1.7 + 1.05 * len(domains), 1.4 + 0.34 * len(counts)), layout="constrained"
    )
    shares = np.zeros((len(counts), len(domains)))
    for column, domain in enumerate(domains):
        for line, feature in enumerate(counts.index):
            above, below = (_count(counts, feature, domain, side) for side in (1, -1))
            shares[line, column] = (above - below) / sizes[domain]
            texts = [f"{n}{mark}" for n, mark in ((above, "↑"), (below, "↓")) if n]
            dark = abs(shares[line, column]) > 0.55
            ax.text(column, line, " ".join(texts), ha="center", va="center", fontsize=8,
                    color="white" if dark else "black")  # fmt: skip
    ax.imshow(shares, cmap="PuOr_r", vmin=-1, vmax=1, aspect="auto")
    labels = [f"{domain}\n({sizes[domain]})" for domain in domains]
    ax.set_xticks(range(len(domains)), labels, fontsize=8, rotation=25)
    ax.set_yticks(range(len(counts)), counts.index, fontsize=8)
    ax.set_title("networks above (↑) or below (↓) the simulations of the named model", fontsize=9)
    _save(figure, path)


def _count(counts: pd.DataFrame, feature: str, domain: str, side: int) -> int:
    return int(counts.loc[feature, (domain, side)]) if (domain, side) in counts.columns else 0


def _save(figure: Any, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    plt.close(figure)
