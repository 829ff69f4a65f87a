"""How long simulations will take, from a few of them."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from netchoice.models.model import Model
from netchoice.models.space import ModelSpace
from netchoice.simulate import make_simulator
from netchoice.storage.table_columns import CALIBRATION_ROWS
from netchoice.units import duration
from netchoice.workflows.preparation import ChoiceSettings, make_preparation
from netchoice.workflows.prepared import comparable_network
from netchoice.workflows.screening import cheap_features, matching, n_screening
from netchoice.workflows.simulation_plan import SimulationPlan
from netchoice.workflows.sizes import Size
from netchoice.workflows.table_maker import TableMaker

_SCREENING_PROBES = 3  # for each model
#: Share of the cost of all features that the selected ones have.
_SELECTED_SHARE = 0.1
#: Seconds for the selection of features, and for each model: parameters, power, profiles and figures.
_OTHER_SECONDS, _OTHER_SECONDS_EACH = 12.0, 4.0


def estimated_seconds(space: ModelSpace, plan: SimulationPlan, size: Size, workers: int) -> float:
    """Return about how many seconds it takes to prepare a size, from a few simulations."""
    return _estimated(space, plan, size, workers, [plan.samples])[0]


def _estimated(
    space: ModelSpace, plan: SimulationPlan, size: Size, workers: int, samples: Sequence[int]
) -> list[float]:
    """Return the seconds for some numbers of simulations for inference.

    After a screening, as many models are left as a space may have without one.
    """
    n_models = min(len(space), plan.screen_above)
    settings = ChoiceSettings(
        space=space.as_dict(), n_nodes=size.n_nodes, isolated=size.isolated, plan=plan
    )
    maker = TableMaker(space, 0, size.isolated, "serial")
    preparation = make_preparation(space, settings, maker)
    costs = preparation.probed_costs()
    n_selection = math.ceil(plan.selection_samples * max(1, n_models / plan.selection_models))
    n_local = n_models * plan.local_samples
    larger = size.ends[1] / plan.pilot_sizes[-1] if preparation.uses_pilots else 1.0
    selected = larger * costs.growth + _SELECTED_SHARE * costs.cheap
    others = (
        n_selection * (costs.growth + costs.cheap)
        + plan.complete_each * n_models * costs.expensive
        + n_local * (larger * costs.growth + costs.cheap)
    )
    fixed = _OTHER_SECONDS + n_models * _OTHER_SECONDS_EACH
    return [(others + n * selected) / workers + fixed for n in samples]


def _row_seconds(model: Model, n_nodes: int, isolated: str) -> float:
    """Return the seconds of one simulation of a model with cheap features."""
    space = ModelSpace(model.name, [model])
    simulator = make_simulator(space, n_nodes, isolated, cheap_features(), 0, "estimate")
    simulator.warm_up()
    rows = [
        *range(CALIBRATION_ROWS, CALIBRATION_ROWS + _SCREENING_PROBES)
    ]  # calibration takes longer
    started = time.perf_counter()
    simulator(rows)
    return (time.perf_counter() - started) / len(rows)


@dataclass(frozen=True)
class ScreenedTime:
    """About how long it takes to screen a space and to choose a model.

    Attributes
    ----------
    n_models : int
        Models that can have the density of the network.
    n_rows : int
        Simulations of the screening.
    screening : float
        Seconds of the screening.
    least, most : float
        Seconds of the comparison of the models that are not discarded, with the fewest and the most
        simulations for inference.
    plan : SimulationPlan
    """

    n_models: int
    n_rows: int
    screening: float
    least: float
    most: float
    plan: SimulationPlan

    @property
    def sentence(self) -> str:
        """What it takes, in a sentence."""
        return (
            f"{self.n_rows} simulations with cheap features to screen {self.n_models} models, in about "
            f"{duration(self.screening)}; then {self.plan.first_samples} to {self.plan.samples} to compare "
            f"the models that are not discarded, in about {duration(self.least)} to {duration(self.most)}"
        )


def screened_time(
    graph: Any, space: ModelSpace, plan: SimulationPlan, isolated: str | None, workers: int
) -> ScreenedTime:
    """Return about how long it takes to screen a space and to choose a model, from a few simulations."""
    network, isolated = comparable_network(graph, isolated)
    space = matching(space)
    n_rows = n_screening(space, plan)
    each = [_row_seconds(model, network.n_nodes, isolated) for model in space]
    seconds = sum(each) / len(each) * n_rows / workers
    size = Size(network.n_nodes, isolated)
    least, most = _estimated(space, plan, size, workers, [plan.first_samples, plan.samples])
    return ScreenedTime(len(space), n_rows, seconds, least, most, plan)
