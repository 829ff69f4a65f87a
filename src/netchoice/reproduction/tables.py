"""The paper's tables, with our figures beside its own."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from netchoice.features.paper import paper_costs
from netchoice.reproduction.scales import FAMILIES
from netchoice.reproduction.spaces import SpaceRun
from netchoice.reproduction.three_core import FEATURES, out_of_class_distances

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd


def cost_table(spaces: Mapping[str, SpaceRun]) -> pd.DataFrame:
    """Milliseconds of each feature alone, of the paper and ours, and their ratio."""
    import pandas as pd

    rows: dict[str, dict[str, float]] = {}
    for family in FAMILIES:
        if family not in spaces:
            continue
        costs, printed = spaces[family].test.costs, paper_costs(family)
        for name in printed:
            row = rows.setdefault(name, {})
            row[f"{family}_paper_ms"] = 1e3 * printed[name]
            row[f"{family}_ours_ms"] = 1e3 * costs.cost(name)
        total = rows.setdefault("total", {})
        total[f"{family}_paper_ms"] = 1e3 * sum(printed.values())
        total[f"{family}_ours_ms"] = 1e3 * costs.cost_of_set(costs.features)
        shared = rows.setdefault("total, steps paid once", {})
        shared[f"{family}_ours_ms"] = 1e3 * costs.cost_of_set(costs.features, "shared")
    frame = pd.DataFrame.from_dict(rows, orient="index")
    for family in FAMILIES:
        if family in spaces:
            paper, ours = frame[f"{family}_paper_ms"], frame[f"{family}_ours_ms"]
            frame[f"{family}_ratio"] = paper / ours
    last = ["total", "total, steps paid once"]
    order = [name for name in frame.index if name not in last] + last
    return frame.loc[order].rename_axis("feature").reset_index()


def cost_page(frame: pd.DataFrame) -> str:
    """The table of features and costs as Markdown; costs of the paper as printed."""
    families = [family for family in FAMILIES if f"{family}_ours_ms" in frame]
    heads = [f"{family}, {whose}" for family in families for whose in ("paper", "ours", "ratio")]
    lines = [
        "# Features and costs",
        "",
        "Mean milliseconds to compute a feature alone, at the nodes of this run (the paper: 1000).",
        "Costs that the paper prints as `<0.1` stand as 0.05. Ours are of the table that rankings are",
        "tested on; rankings use those of the table that they are made on.",
        "",
        f"| feature | {' | '.join(heads)} |",
        "|---|" + "---:|" * len(heads),
    ]
    for row in frame.to_dict("records"):
        cells = [
            _number(row[f"{family}_{what}"])
            for family in families
            for what in ("paper_ms", "ours_ms", "ratio")
        ]
        lines.append(f"| {row['feature']} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _number(value: float) -> str:
    if value != value:
        return ""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def three_core_page(run: SpaceRun) -> str:
    """Table S2: distances between models along two features, exact and as simulated."""
    lines = [
        "# Three-core and mean degree",
        "",
        "Distance between models after range normalisation: in the paper's table, and in the mean "
        f"over {len(run.train)} simulated networks of {run.scale.nodes} nodes.",
    ]
    for feature, exact in zip(FEATURES, (_exact_core, _exact_degree), strict=True):
        found = out_of_class_distances(run.train, feature)
        lines += [
            "",
            f"## {feature}",
            "",
            "| m | 1 | 2 | 3 | 4 | mean |",
            "|---|---|---|---|---|---|",
        ]
        for i, (one, others) in enumerate(found["pairs"].items(), start=1):
            cells = [_pair(exact, i, j, others) for j in range(1, 5)]
            mean = sum(exact(i, j) for j in range(1, 5) if j != i) / 3
            lines.append(f"| {i} | {' | '.join(cells)} | {mean}; {found['means'][one]:.4f} |")
        whole = sum(exact(i, j) for i in range(1, 5) for j in range(1, 5) if i != j) / 12
        lines += [
            "",
            f"Mean over models: {whole} = {float(whole):.4f}; simulated {found['mean']:.4f}.",
        ]
    return "\n".join(lines) + "\n"


def _exact_core(i: int, j: int) -> Fraction:
    return Fraction(int((i < 3) != (j < 3)))


def _exact_degree(i: int, j: int) -> Fraction:
    return Fraction(abs(i - j), 3)


def _pair(exact: Any, i: int, j: int, others: Mapping[str, float]) -> str:
    return "–" if i == j else f"{exact(i, j)}; {others[f'ba{j}']:.4f}"
