"""Inference from simulations: model probabilities, parameters, goodness of fit.

Nothing here knows of networks. Every function takes a table of simulations (features ``X``, labels
``y``) and the features of one observation.
"""

from netchoice.inference.goodness_of_fit import Fit, goodness_of_fit
from netchoice.inference.mds import Embedding, embed
from netchoice.inference.posterior import Posterior, posterior
from netchoice.inference.probabilities import ModelProbabilities, model_probabilities
from netchoice.inference.reliability import HeldOut, held_out
from netchoice.inference.scaling import Scaling

__all__ = [
    "Embedding",
    "Fit",
    "HeldOut",
    "ModelProbabilities",
    "Posterior",
    "Scaling",
    "embed",
    "goodness_of_fit",
    "held_out",
    "model_probabilities",
    "posterior",
]
