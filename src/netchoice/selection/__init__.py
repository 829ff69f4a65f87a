"""Cost-aware selection of columns, for any table with labels and a cost for each column.

Every method is a scikit-learn selector. All methods share the idea of
:mod:`netchoice.selection.greedy`: each step selects the column with the most information minus λ
times its cost.
"""

from netchoice.selection.acquisition import AcquiringClassifier
from netchoice.selection.base import CostAwareSelector
from netchoice.selection.forest_importance import PenalizedForest, WeightedForest
from netchoice.selection.forward_regression import ForwardRegression
from netchoice.selection.methods import METHODS, PAPER_METHODS, RandomRanking, get_selector
from netchoice.selection.path import rank_path
from netchoice.selection.relief import ForestReliefF, ReliefF
from netchoice.selection.sequential import JMI, JMIM, MRMR

__all__ = [
    "JMI",
    "JMIM",
    "METHODS",
    "MRMR",
    "PAPER_METHODS",
    "AcquiringClassifier",
    "CostAwareSelector",
    "ForestReliefF",
    "ForwardRegression",
    "PenalizedForest",
    "RandomRanking",
    "ReliefF",
    "WeightedForest",
    "get_selector",
    "rank_path",
]


def __dir__() -> list[str]:
    return sorted(__all__)
