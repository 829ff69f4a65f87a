"""Inference from simulations: model probabilities, parameters and goodness of fit.

This package knows nothing of networks. Its functions take a table of simulations (features ``X``,
labels ``y``) and the features of one observation, and return result dataclasses.
"""

from netchoice.inference.classifiers import (
    ForestClassifier,
    NeighboursClassifier,
    RegressionClassifier,
)
from netchoice.inference.conformal import ConformalTest
from netchoice.inference.ensemble import EnsembleClassifier
from netchoice.inference.goodness_of_fit import (
    Fit,
    FitTest,
    adjusted_p_values,
    fewest_rejections,
    fit_p_values,
    goodness_of_fit,
)
from netchoice.inference.mds import Embedding, embed
from netchoice.inference.posterior import Posterior, posterior
from netchoice.inference.posterior_quality import (
    ParameterQuality,
    PosteriorQuality,
    posterior_quality,
)
from netchoice.inference.probabilities import (
    ModelProbabilities,
    ProbabilityEstimator,
    model_probabilities,
    pool_feature_sets,
)
from netchoice.inference.reliability import HeldOut, held_out
from netchoice.inference.scaling import Scaling

__all__ = [
    "ConformalTest", "Embedding", "EnsembleClassifier", "Fit", "FitTest", "ForestClassifier", "HeldOut",
    "ModelProbabilities", "NeighboursClassifier", "ParameterQuality", "Posterior",
    "PosteriorQuality", "ProbabilityEstimator", "RegressionClassifier", "Scaling",
    "adjusted_p_values", "embed", "fewest_rejections", "fit_p_values", "goodness_of_fit", "held_out",
    "model_probabilities", "pool_feature_sets", "posterior", "posterior_quality",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)
