"""Find which growth mechanism made an observed network, and which statistics to compute for it."""

from netchoice import search_path  # noqa: F401 - before all others: it says where they come from

# isort: split

from typing import TYPE_CHECKING, Any

from netchoice import errors as errors
from netchoice import features as features
from netchoice import io as io
from netchoice import models as models
from netchoice.costs import CostModel
from netchoice.features import Feature, compute_features, feature
from netchoice.graph import Graph
from netchoice.io import read_network, write_network
from netchoice.models import Model, ModelSpace, get_model, get_space, mechanism, model
from netchoice.simulate import simulate_table
from netchoice.storage.table import ReferenceTable

if TYPE_CHECKING:
    from netchoice import choice as choice
    from netchoice import evaluation as evaluation
    from netchoice import figures as figures
    from netchoice import inference as inference
    from netchoice import information as information
    from netchoice import report as report
    from netchoice import selection as selection
    from netchoice.choice import (
        Answer,
        Effort,
        References,
        choose_cohort,
        choose_model,
        evaluate_features,
        prepare,
        rank_features,
        select_on_pilots,
    )

__version__ = "0.1.0"

__all__ = [
    "Answer", "CostModel", "Effort", "Feature", "Graph", "Model", "ModelSpace", "ReferenceTable",
    "References", "choose_cohort", "choose_model", "compute_features", "evaluate_features", "feature",
    "get_model", "get_space", "mechanism", "model", "prepare", "rank_features", "read_network",
    "select_on_pilots", "simulate_table", "write_network",
]  # fmt: skip

#: Imported on first use, because they import scikit-learn or matplotlib: modules, and names in them.
_LAZY: dict[str, tuple[str, ...]] = {
    "evaluation": (), "figures": (), "information": (), "report": (), "selection": (), "inference": (),
    "choice": (
        "Answer", "Effort", "References", "choose_cohort", "choose_model", "evaluate_features",
        "prepare", "rank_features", "select_on_pilots",
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
