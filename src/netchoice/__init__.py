"""Which growth mechanism made an observed network, for the price of the statistics worth paying."""

from netchoice import errors, io
from netchoice.costs import CostModel
from netchoice.features import (
    Feature,
    FeatureResult,
    compute_features,
    feature,
    feature_names,
    paper_costs,
)
from netchoice.graph import Graph
from netchoice.io import ReadingReport, read_network, write_network
from netchoice.models import Model, ModelSpace, as_prior, get_model, get_space, model
from netchoice.simulate import simulate_table
from netchoice.table import ReferenceTable

__version__ = "0.1.0"

__all__ = [
    "CostModel",
    "Feature",
    "FeatureResult",
    "Graph",
    "Model",
    "ModelSpace",
    "ReadingReport",
    "ReferenceTable",
    "as_prior",
    "compute_features",
    "errors",
    "feature",
    "feature_names",
    "get_model",
    "get_space",
    "io",
    "model",
    "paper_costs",
    "read_network",
    "simulate_table",
    "write_network",
]
