"""Figures of models, features, costs and accuracies.

Each function takes a table, a mapping or a cost model, draws with matplotlib and returns the Axes;
functions that draw several panels return one Axes for each, in the order of the panels. A function
draws on ``ax`` if you pass one, and on a new figure otherwise. No window and no pyplot is needed;
:func:`save` writes a figure to a file. Series differ in marker or line style as well as in colour, so
every figure can be read without colour.

The package has three parts. ``data`` computes what a figure shows, ``static`` draws it with
matplotlib for papers, and ``interactive`` draws it with Plotly for the report.

>>> from netchoice import CostModel, figures
>>> ax = figures.feature_costs(CostModel({"transitivity": 0.002, "mean degree": 0.00001}))
>>> [label.get_text() for label in ax.get_yticklabels()]
['transitivity', 'mean degree']
"""

from netchoice.figures.static.axes import save
from netchoice.figures.static.choice_figures import (
    choice_drawings,
    confusion,
    draw_choice,
    embedding,
    probabilities,
    reliability,
)
from netchoice.figures.static.cohort_figures import (
    cohort_embedding,
    cohort_models,
    cohort_parameters,
    cohort_probabilities,
    cohort_verdicts,
    draw_cohort,
)
from netchoice.figures.static.distributions import feature_distributions
from netchoice.figures.static.evaluation_figures import (
    draw_evaluation,
    evaluation_drawings,
    feature_costs,
    pareto,
    ranking_paths,
)
from netchoice.figures.static.fit_figures import fit
from netchoice.figures.static.heatmaps import heatmap, heatmaps
from netchoice.figures.static.posterior_figures import posteriors, rank_histograms

__all__ = [
    "choice_drawings", "cohort_embedding", "cohort_models", "cohort_parameters", "cohort_probabilities",
    "cohort_verdicts", "confusion", "draw_choice", "draw_cohort", "draw_evaluation",
    "embedding", "evaluation_drawings", "feature_costs", "feature_distributions",
    "fit", "heatmap", "heatmaps", "pareto", "posteriors", "probabilities",
    "rank_histograms", "ranking_paths", "reliability", "save",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)
