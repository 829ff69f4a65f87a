"""Draw the figures about costs: savings by shared steps, and accuracy against cost in the clinic.

python docs/pictures/make_costs.py

The seconds are the reference costs for networks of 1000 nodes and 3000 edges.
"""

from __future__ import annotations

import runpy
import shutil
import sys
import tempfile
from pathlib import Path

from matplotlib.figure import Figure

from netchoice import CostModel, figures
from netchoice.features import comparable_features
from netchoice.features.reference_costs import reference_costs
from netchoice.figures.style import BLUE, VERMILLION
from netchoice.units import duration

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
PAIRS = (
    ("betweenness_max", "central_point_dominance"),
    ("lcc_diameter", "global_efficiency"),
    ("transitivity", "clustering_mean"),
    ("lcc_diameter", "transitivity"),
)


def draw_sharing(costs: CostModel) -> Figure:
    """Draw the cost of pairs of features, each paid alone and with shared steps paid once."""
    figure = Figure(figsize=(9, 3.6), dpi=110, layout="constrained")
    ax = figure.add_subplot()
    for row, (one, other) in enumerate(PAIRS):
        first, second = costs.cost(one), costs.cost(other)
        more = costs.marginal_cost(other, [one], "shared")
        scale = 1 / (first + second)
        ax.barh(row - 0.2, first * scale, 0.36, color=BLUE)
        ax.barh(row - 0.2, second * scale, 0.36, left=first * scale, color=VERMILLION, hatch="//",
                edgecolor="white")  # fmt: skip
        ax.barh(row + 0.2, first * scale, 0.36, color=BLUE)
        ax.barh(row + 0.2, more * scale, 0.36, left=first * scale, color=VERMILLION, hatch="//",
                edgecolor="white")  # fmt: skip
        for y, total in ((row - 0.2, first + second), (row + 0.2, first + more)):
            charge = "alone" if y < row else "shared"
            ax.annotate(f"{charge}: {duration(total)}", (total * scale, y), xytext=(5, 0),
                        textcoords="offset points", va="center", fontsize=9)  # fmt: skip
    ax.set_yticks(range(len(PAIRS)), [f"{one}\nand {other}" for one, other in PAIRS], fontsize=9)
    ax.set(
        xlim=(0, 1.28), xticks=[0, 0.5, 1], xlabel="cost relative to the sum of the two costs alone"
    )
    ax.spines[["top", "right"]].set_visible(False)
    ax.invert_yaxis()
    return figure


def main() -> None:
    """Draw the figures."""
    costs = reference_costs(comparable_features(), n_nodes=1000, n_edges=3000)
    draw_sharing(costs).savefig(HERE / "cost-sharing.png")
    expensive = sorted(costs.features, key=costs.cost)[-14:]
    figures.save(figures.feature_costs(costs, expensive), HERE / "cost-list.png")

    with tempfile.TemporaryDirectory() as folder:
        sys.argv = ["clinic.py", "--out", folder]
        runpy.run_path(str(EXAMPLES / "clinic.py"))
        shutil.copy(Path(folder, "accuracy-against-cost.png"), HERE / "clinic-front.png")


if __name__ == "__main__":
    main()
