"""Why ReliefF prefers the size of the three-core to the mean degree: distances between classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from netchoice.storage.table import ReferenceTable

FEATURES = ("core_3_size", "degree_mean")


def out_of_class_distances(table: ReferenceTable, feature: str) -> dict[str, Any]:
    """Mean range-normalised distance between the networks of two models, by pairs and in the mean.

    Models count alike, whatever their numbers of rows.

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
