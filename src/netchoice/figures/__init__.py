"""Figures of models, features, costs and accuracies.

Each function takes a table, a mapping or a cost model, draws with matplotlib and returns the Axes;
functions that draw several panels return one Axes for each, in the order of the panels. A function
draws on ``ax`` if you pass one, and on a new figure otherwise. No window and no pyplot is needed;
:func:`save` writes a figure to a file. Series differ in marker or line style as well as in colour, so
every figure can be read without colour.

>>> from netchoice import CostModel, figures
>>> ax = figures.feature_costs(CostModel({"transitivity": 0.002, "mean degree": 0.00001}))
>>> [label.get_text() for label in ax.get_yticklabels()]
['transitivity', 'mean degree']
"""

from netchoice.figures.axes import save
from netchoice.figures.cost_figures import feature_costs
from netchoice.figures.drawings import draw_answer, draw_evaluation
from netchoice.figures.embeddings import embedding, network
from netchoice.figures.feature_sets import pareto, ranking_paths
from netchoice.figures.fit_panels import fit
from netchoice.figures.histograms import feature_distributions, posteriors
from netchoice.figures.predictions import probabilities, reliability

__all__ = [
    "draw_answer", "draw_evaluation", "embedding", "feature_costs",
    "feature_distributions", "fit", "network", "pareto", "posteriors", "probabilities",
    "ranking_paths", "reliability", "save",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)
