"""Table S2 of the paper: distances between models, which explain ReliefF's first feature."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from netchoice.reproduction.space_run import SpaceRun
from netchoice.storage.table import ReferenceTable

#: Exact distances between the models m = i and m = j for large networks, by feature.
_EXACT: dict[str, Callable[[int, int], Fraction]] = {
    "core_3_size": lambda i, j: Fraction(int((i < 3) != (j < 3))),
    "degree_mean": lambda i, j: Fraction(abs(i - j), 3),
}
FEATURES = tuple(_EXACT)
_M = range(1, 5)  # edges per new node


def out_of_class_distances(table: ReferenceTable, feature: str) -> dict[str, Any]:
    """Return mean range-normalised distances between networks of two models.

    ``pairs`` holds the distance of each pair of models, ``means`` the mean of each model, and
    ``mean`` the mean over models. All models have the same weight, whatever their numbers of rows.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"core_3_size": [0, 0, 9, 9], "model": ["ba1", "ba2", "ba3", "ba4"]})
    >>> table = ReferenceTable.from_frame(frame, label="model")
    >>> round(out_of_class_distances(table, "core_3_size")["mean"], 4)
    0.6667
    """
    values, labels = table.X[feature].to_numpy(float), table.y.to_numpy()
    span = np.ptp(values)
    models = [str(model) for model in np.unique(labels)]
    parts = {model: np.sort(values[labels == model]) / (span or 1.0) for model in models}
    pairs = {
        one: {other: _mean_distance(parts[one], parts[other]) for other in models if other != one}
        for one in models
    }
    means = {one: float(np.mean(list(others.values()))) for one, others in pairs.items()}
    return {"pairs": pairs, "means": means, "mean": float(np.mean(list(means.values())))}


def _mean_distance(a: Any, b: Any) -> float:
    return float(np.abs(a[:, None] - b[None, :]).mean())


def three_core_page(run: SpaceRun) -> str:
    """Return the distances along both features, exact and simulated, as a Markdown page."""
    lines = [
        "# Three-core and mean degree",
        "",
        "Distance between models after range normalisation: the exact value of the paper's table; the "
        f"mean over {len(run.train)} simulated networks of {run.scale.nodes} nodes.",
    ]
    for feature, exact in _EXACT.items():
        simulated = out_of_class_distances(run.train, feature)
        lines += ["", f"## {feature}", ""]
        lines += ["| m | 1 | 2 | 3 | 4 | mean |", "|---|---|---|---|---|---|"]
        means = [sum(exact(i, j) for j in _M if j != i) / 3 for i in _M]
        for i, mean, (model, others) in zip(_M, means, simulated["pairs"].items(), strict=True):
            cells = [_pair(exact, i, j, others) for j in _M]
            lines.append(f"| {i} | {' | '.join(cells)} | {mean}; {simulated['means'][model]:.4f} |")
        mean = sum(means) / 4
        lines += [
            "",
            f"Mean over models: {mean} = {float(mean):.4f}; simulated {simulated['mean']:.4f}.",
        ]
    return "\n".join(lines) + "\n"


def _pair(
    exact: Callable[[int, int], Fraction], i: int, j: int, others: Mapping[str, float]
) -> str:
    return "–" if i == j else f"{exact(i, j)}; {others[f'ba{j}']:.4f}"
