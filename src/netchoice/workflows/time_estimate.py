"""How long simulations will take, from a few of them."""

from __future__ import annotations

import time
from typing import Any

from netchoice.models.model import Model
from netchoice.models.space import ModelSpace
from netchoice.simulate import make_simulator, simulate_table
from netchoice.storage.table import CALIBRATION_ROWS
from netchoice.units import duration
from netchoice.workflows.prepared import comparable_network
from netchoice.workflows.screening import cheap_features, matching, n_screening
from netchoice.workflows.simulation_plan import SimulationPlan
from netchoice.workflows.sizes import Size
from netchoice.workflows.table_maker import seconds_per_row

_PROBES = 8
_SCREENING_PROBES = 3  # for each model
#: Share of the cost of all features that the selected ones have, and seconds for selection and fitting.
_SELECTED_SHARE, _OTHER_SECONDS = 0.1, 20.0


def estimated_seconds(space: ModelSpace, plan: SimulationPlan, size: Size, workers: int) -> float:
    """Return about how many seconds it takes to prepare a size, from a few simulations."""
    largest = size.ends[1]
    n_nodes = min(largest, plan.pilot_sizes[-1])
    probe = simulate_table(
        space, n_nodes=n_nodes, n_samples=_PROBES, seed=0, stream="estimate",
        isolated=size.isolated, engine="serial", on_progress=False,
    )  # fmt: skip
    all_seconds = seconds_per_row(probe)
    growth = float(probe.frame["seconds_growth"].mean()) * largest / n_nodes
    selected = growth + _SELECTED_SHARE * (all_seconds - growth)
    simulations = plan.selection_samples * all_seconds + plan.samples * max(selected, growth)
    return simulations / workers + _OTHER_SECONDS


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


def screening_estimate(
    graph: Any, space: ModelSpace, plan: SimulationPlan, isolated: str | None, workers: int
) -> str:
    """Return what it takes to screen a space and to choose a model, in a sentence."""
    network, isolated = comparable_network(graph, isolated)
    space = matching(space)
    n_rows = n_screening(space, plan)
    each = [_row_seconds(model, network.n_nodes, isolated) for model in space]
    seconds = sum(each) / len(each) * n_rows / workers
    rest = estimated_seconds(space, plan, Size(network.n_nodes, isolated), workers)
    return (
        f"{n_rows} simulations with cheap features to screen {len(space)} models, in about "
        f"{duration(seconds)}; then {plan.selection_samples + plan.samples} to compare the models that "
        f"are not discarded, in about {duration(rest)}"
    )
