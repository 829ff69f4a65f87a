"""Models of network growth, their priors, and model spaces."""

from netchoice.models.builtin import get_model, get_space
from netchoice.models.mechanism import mechanism
from netchoice.models.model import Model, Parameter, model
from netchoice.models.priors import Prior, as_prior
from netchoice.models.space import ModelSpace

__all__ = [
    "Model",
    "ModelSpace",
    "Parameter",
    "Prior",
    "as_prior",
    "get_model",
    "get_space",
    "mechanism",
    "model",
]


def __dir__() -> list[str]:
    return sorted(__all__)
