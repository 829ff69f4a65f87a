"""Inference from simulations: does a model fit, how probable is it, what are its parameters?

This package knows nothing of networks. Its functions take a table of simulations (features ``X``,
labels ``y``) and the features of an observation, and return result dataclasses.
"""

from netchoice.inference.false_discovery import adjusted_p_values
from netchoice.inference.mds import embed
from netchoice.inference.model_scores import DistanceRatio, ModelScore
from netchoice.inference.posterior import Posterior, posterior
from netchoice.inference.posterior_quality import PosteriorQuality, posterior_quality
from netchoice.inference.scaling import Scaling
from netchoice.inference.sequential_test import Decision, decide
from netchoice.inference.smooth_regression import SmoothRegression
from netchoice.inference.verdict import Verdict, verdict_of

__all__ = [
    "Decision", "DistanceRatio", "ModelScore",
    "Posterior", "PosteriorQuality", "Scaling", "SmoothRegression", "Verdict",
    "adjusted_p_values", "decide", "embed",
    "posterior", "posterior_quality", "verdict_of",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)
