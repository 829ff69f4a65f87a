"""Which growth mechanism made an observed network, for the price of the statistics worth paying."""

from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from netchoice import choice, evaluation, information, pilot, plots, report, selection
    from netchoice.choice import Choice, choose_model, embed
    from netchoice.evaluation import evaluate, operating_point
    from netchoice.growth import CostGrowth
    from netchoice.pilot import recommend_pilot_size

__version__ = "0.1.0"

__all__ = [
    "Choice",
    "CostGrowth",
    "CostModel",
    "Feature",
    "FeatureResult",
    "Graph",
    "Model",
    "ModelSpace",
    "ReadingReport",
    "ReferenceTable",
    "as_prior",
    "choice",
    "choose_model",
    "compute_features",
    "embed",
    "errors",
    "evaluate",
    "evaluation",
    "feature",
    "feature_names",
    "get_model",
    "get_space",
    "information",
    "io",
    "model",
    "operating_point",
    "paper_costs",
    "pilot",
    "plots",
    "read_network",
    "recommend_pilot_size",
    "report",
    "selection",
    "simulate_table",
    "write_network",
]

#: Loaded on first use: they bring scikit-learn or matplotlib with them.
_LATER = {
    "Choice": "choice",
    "CostGrowth": "growth",
    "choice": "",
    "choose_model": "choice",
    "embed": "choice",
    "evaluate": "evaluation",
    "evaluation": "",
    "information": "",
    "operating_point": "evaluation",
    "pilot": "",
    "plots": "",
    "recommend_pilot_size": "pilot",
    "report": "",
    "selection": "",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'netchoice' has no attribute {name!r}")
    from importlib import import_module

    if not _LATER[name]:
        return import_module(f"netchoice.{name}")
    return getattr(import_module(f"netchoice.{_LATER[name]}"), name)
