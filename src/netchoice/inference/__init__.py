"""Inference from simulations: does a model fit, how probable is it, what are its parameters?

This package knows nothing of networks. Its functions take a table of simulations (features ``X``,
labels ``y``) and the features of an observation, and return result dataclasses.
"""

from netchoice.inference.false_discovery import adjusted_p_values, fewest_rejections
from netchoice.inference.mds import Embedding, embed
from netchoice.inference.model_scores import DistanceRatio, ModelScore, clearly_beyond
from netchoice.inference.posterior import Posterior, posterior
from netchoice.inference.posterior_quality import (
    ParameterQuality,
    PosteriorQuality,
    posterior_quality,
)
from netchoice.inference.power import Noticed, noticed
from netchoice.inference.reliability import HeldOut, reliability, scored
from netchoice.inference.scaling import Scaling
from netchoice.inference.sequential_test import Decision, decide
from netchoice.inference.smooth_regression import Probabilities, SmoothRegression
from netchoice.inference.verdict import Verdict, verdict_of

__all__ = [
    "Decision", "DistanceRatio", "Embedding", "HeldOut", "ModelScore", "Noticed", "ParameterQuality",
    "Posterior", "PosteriorQuality", "Probabilities", "Scaling", "SmoothRegression", "Verdict",
    "adjusted_p_values", "clearly_beyond", "decide", "embed", "fewest_rejections", "noticed",
    "posterior", "posterior_quality", "reliability", "scored", "verdict_of",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)
