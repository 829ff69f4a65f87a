"""Find which growth mechanism made an observed network, and which statistics to compute for it."""

from netchoice import search_path  # noqa: F401 - before all others: it says where they come from

# isort: split

from typing import TYPE_CHECKING, Any

from netchoice import errors, features, io, models
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
from netchoice.models import Model, ModelSpace, as_prior, get_model, get_space, mechanism, model
from netchoice.simulate import simulate_table
from netchoice.storage.table import ReferenceTable

if TYPE_CHECKING:
    from netchoice import (
        evaluation,
        figures,
        inference,
        information,
        report,
        selection,
        workflows,
    )
    from netchoice.evaluation import evaluate_rankings, operating_point
    from netchoice.inference import embed
    from netchoice.workflows import (
        Choice,
        Chooser,
        choose_model,
        evaluate_features,
        rank_features,
        select_on_pilots,
    )

__version__ = "0.1.0"

__all__ = [
    "Choice", "Chooser", "CostModel", "Feature", "FeatureResult", "Graph", "Model",
    "ModelSpace", "ReadingReport", "ReferenceTable", "as_prior", "choose_model",
    "compute_features", "embed", "errors", "evaluate_features", "evaluate_rankings",
    "evaluation", "feature", "feature_names", "features", "figures", "get_model", "get_space",
    "inference", "information", "io", "mechanism", "model", "models", "operating_point",
    "paper_costs", "rank_features", "read_network",
    "report", "select_on_pilots", "selection", "simulate_table", "workflows", "write_network",
]  # fmt: skip

#: Imported on first use, because they import scikit-learn or matplotlib: modules, and names in them.
_LAZY: dict[str, tuple[str, ...]] = {
    "evaluation": ("evaluate_rankings", "operating_point"),
    "figures": (), "information": (), "report": (), "selection": (),
    "inference": ("embed",),
    "workflows": (
        "Choice", "Chooser", "choose_model", "evaluate_features", "rank_features",
        "select_on_pilots",
    ),
}  # fmt: skip


def __getattr__(name: str) -> Any:
    from importlib import import_module

    for module, names in _LAZY.items():
        if name == module or name in names:
            imported = import_module(f"netchoice.{module}")
            return imported if name == module else getattr(imported, name)
    raise AttributeError(f"module 'netchoice' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
