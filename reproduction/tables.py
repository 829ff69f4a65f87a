"""Tables S1 and S2 of the paper: costs of features, and distances that explain ReliefF."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.features.paper import paper_costs
from netchoice.storage.table import ReferenceTable
from reproduction.spaces import SpaceRun

if TYPE_CHECKING:
    import pandas as pd

_TOTALS = ("total", "total, shared steps charged once")
#: Exact distances between the models m = i and m = j for large networks, by feature.
_EXACT: dict[str, Callable[[int, int], Fraction]] = {
    "core_3_size": lambda i, j: Fraction(int((i < 3) != (j < 3))),
    "degree_mean": lambda i, j: Fraction(abs(i - j), 3),
}
FEATURES = tuple(_EXACT)
_M = range(1, 5)  # edges per new node


def cost_table(spaces: Mapping[str, SpaceRun]) -> pd.DataFrame:
    """Return milliseconds of each feature alone, the paper's and ours, and their ratio."""
    import pandas as pd

    columns: dict[str, pd.Series] = {}
    for family, run in spaces.items():
        costs, printed = run.test.costs, paper_costs(family)
        totals = [costs.cost_of_set(costs.features, charge) for charge in ("alone", "shared")]
        ours = costs.alone(printed) | dict(zip(_TOTALS, totals, strict=True))
        paper = {**printed, _TOTALS[0]: sum(printed.values())}
        columns[f"{family}_paper_ms"] = 1e3 * pd.Series(paper)
        columns[f"{family}_ours_ms"] = 1e3 * pd.Series(ours)
    names = [*paper_costs("ba"), *_TOTALS]
    frame = pd.DataFrame(columns, index=pd.Index(names, name="feature"))
    for family in spaces:
        frame[f"{family}_ratio"] = frame[f"{family}_paper_ms"] / frame[f"{family}_ours_ms"]
    return frame.reset_index()


def cost_page(frame: pd.DataFrame) -> str:
    """Return the table of costs as a Markdown page."""
    suffix = "_ours_ms"
    families = [name.removesuffix(suffix) for name in frame.columns if name.endswith(suffix)]
    heads = [f"{family}, {column}" for family in families for column in ("paper", "ours", "ratio")]
    columns = [f"{family}_{c}" for family in families for c in ("paper_ms", "ours_ms", "ratio")]
    lines = [
        "# Features and costs\n",
        "Mean milliseconds to compute a feature alone, for networks of the size of this run (in the",
        "paper: 1000 nodes). A cost that the paper prints as `<0.1` is listed as 0.05. Our costs are",
        "those of the test table; rankings use the costs of the training table.\n",
        f"| feature | {' | '.join(heads)} |",
        "|---|" + "---:|" * len(heads),
    ]
    for row in frame.to_dict("records"):
        cells = [_number(row[column]) for column in columns]
        lines.append(f"| {row['feature']} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _number(value: float) -> str:
    if value != value:
        return ""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def out_of_class_distances(table: ReferenceTable, feature: str) -> dict[str, Any]:
    """Return mean range-normalised distances between networks, by pair of models and by model.

    All models have the same weight in ``mean``, whatever their numbers of rows.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"core_3_size": [0, 0, 9, 9], "model": ["ba1", "ba2", "ba3", "ba4"]})
    >>> table = ReferenceTable.from_frame(frame, label="model")
    >>> round(out_of_class_distances(table, "core_3_size")["mean"], 4)
    0.6667
    """
    values, labels = table.X[feature].to_numpy(float), table.y.to_numpy()
    span = np.ptp(values) or 1.0
    parts = {str(model): np.sort(values[labels == model]) / span for model in np.unique(labels)}
    pairs = {
        one: {b: float(np.abs(x[:, None] - y).mean()) for b, y in parts.items() if b != one}
        for one, x in parts.items()
    }
    means = {one: float(np.mean(list(others.values()))) for one, others in pairs.items()}
    return {"pairs": pairs, "means": means, "mean": float(np.mean(list(means.values())))}


def three_core_page(run: SpaceRun) -> str:
    """Return the distances along both features, exact and simulated, as a Markdown page."""
    lines = [
        "# Three-core and mean degree\n",
        "Distance between models after range normalisation: the exact value of the paper's table; the "
        f"mean over {len(run.train)} simulated networks of {run.scale.nodes} nodes.",
    ]
    for feature, exact in _EXACT.items():
        simulated = out_of_class_distances(run.train, feature)
        lines += [f"\n## {feature}\n", "| m | 1 | 2 | 3 | 4 | mean |", "|---|---|---|---|---|---|"]
        means = [sum(exact(i, j) for j in _M if j != i) / 3 for i in _M]
        for i, mean, (model, others) in zip(_M, means, simulated["pairs"].items(), strict=True):
            cells = ["–" if i == j else f"{exact(i, j)}; {others[f'ba{j}']:.4f}" for j in _M]
            lines.append(f"| {i} | {' | '.join(cells)} | {mean}; {simulated['means'][model]:.4f} |")
        mean = sum(means) / 4
        text = f"Mean over models: {mean} = {float(mean):.4f}; simulated {simulated['mean']:.4f}."
        lines += ["", text]
    return "\n".join(lines) + "\n"
