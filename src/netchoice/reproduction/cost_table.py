"""Table S1 of the paper: the cost of every feature, printed and measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netchoice.features.paper import paper_costs
from netchoice.reproduction.space_run import SpaceRun

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

_TOTALS = ("total", "total, shared steps charged once")


def cost_table(spaces: Mapping[str, SpaceRun]) -> pd.DataFrame:
    """Return milliseconds of each feature alone, the paper's and ours, and their ratio."""
    import pandas as pd

    columns: dict[str, pd.Series] = {}
    names = [*paper_costs("ba"), *_TOTALS]
    for family, run in spaces.items():
        costs, printed = run.test.costs, paper_costs(family)
        alone, shared = (
            costs.cost_of_set(costs.features, charge) for charge in ("alone", "shared")
        )
        paper = 1e3 * pd.Series({**printed, _TOTALS[0]: sum(printed.values())})
        ours = 1e3 * pd.Series(
            {name: costs.cost(name) for name in printed} | {_TOTALS[0]: alone, _TOTALS[1]: shared}
        )
        columns |= {f"{family}_paper_ms": paper, f"{family}_ours_ms": ours}
    frame = pd.DataFrame(columns, index=pd.Index(names, name="feature"))
    for family in spaces:
        frame[f"{family}_ratio"] = frame[f"{family}_paper_ms"] / frame[f"{family}_ours_ms"]
    return frame.reset_index()


def cost_page(frame: pd.DataFrame) -> str:
    """Return the table of costs as a Markdown page."""
    suffix = "_ours_ms"
    families = [name.removesuffix(suffix) for name in frame.columns if name.endswith(suffix)]
    heads = [f"{family}, {column}" for family in families for column in ("paper", "ours", "ratio")]
    lines = [
        "# Features and costs",
        "",
        "Mean milliseconds to compute a feature alone, for networks of the size of this run (in the",
        "paper: 1000 nodes). A cost that the paper prints as `<0.1` is listed as 0.05. Our costs are",
        "those of the test table; rankings use the costs of the training table.",
        "",
        f"| feature | {' | '.join(heads)} |",
        "|---|" + "---:|" * len(heads),
    ]
    for row in frame.to_dict("records"):
        cells = [
            _number(row[f"{family}_{column}"])
            for family in families
            for column in ("paper_ms", "ours_ms", "ratio")
        ]
        lines.append(f"| {row['feature']} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _number(value: float) -> str:
    if value != value:
        return ""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
