"""Which growth mechanism made an observed network, for the price of the statistics worth paying."""

from netchoice import errors, io
from netchoice.graph import Graph
from netchoice.io import ReadingReport, read_network, write_network
from netchoice.models import Model, ModelSpace, as_prior, get_model, get_space, model

__version__ = "0.1.0"

__all__ = [
    "Graph",
    "Model",
    "ModelSpace",
    "ReadingReport",
    "as_prior",
    "errors",
    "get_model",
    "get_space",
    "io",
    "model",
    "read_network",
    "write_network",
]
