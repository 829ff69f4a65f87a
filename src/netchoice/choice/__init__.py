"""Which model made a network, and does any fit."""

from netchoice.choice.choosing import choose_model
from netchoice.choice.embedding import Embedding, embed
from netchoice.choice.fit import Fit, goodness_of_fit
from netchoice.choice.judging import HeldOut, held_out
from netchoice.choice.parameters import Posterior, posterior
from netchoice.choice.probabilities import ModelProbabilities, model_probabilities
from netchoice.choice.result import Choice
from netchoice.choice.scaling import Scaling

__all__ = [
    "Choice",
    "Embedding",
    "Fit",
    "HeldOut",
    "ModelProbabilities",
    "Posterior",
    "Scaling",
    "choose_model",
    "embed",
    "goodness_of_fit",
    "held_out",
    "model_probabilities",
    "posterior",
]
