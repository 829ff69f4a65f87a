"""Pictures: data in, Axes out.

Every function takes a table or a cost model and draws on ``ax``, or on a new figure of its own. No
window and no pyplot is needed: :func:`save` writes what was drawn. All pictures can be told apart
without colour.

>>> from netchoice import CostModel, plots
>>> ax = plots.feature_costs(CostModel({"transitivity": 0.002, "mean degree": 0.00001}))
>>> [label.get_text() for label in ax.get_yticklabels()]
['transitivity', 'mean degree']
"""

from netchoice.plots.bumps import ranking_paths
from netchoice.plots.canvas import save
from netchoice.plots.choice_figures import draw_choice
from netchoice.plots.choices import cloud, confusion, probabilities, reliability
from netchoice.plots.cost_list import feature_costs
from netchoice.plots.distributions import feature_distributions, posteriors
from netchoice.plots.front import pareto
from netchoice.plots.growth import cost_growth
from netchoice.plots.heat import heatmap, heatmaps
from netchoice.plots.pilots import pilot_accuracy

__all__ = [
    "cloud",
    "confusion",
    "cost_growth",
    "draw_choice",
    "feature_costs",
    "feature_distributions",
    "heatmap",
    "heatmaps",
    "pareto",
    "pilot_accuracy",
    "posteriors",
    "probabilities",
    "ranking_paths",
    "reliability",
    "save",
]
