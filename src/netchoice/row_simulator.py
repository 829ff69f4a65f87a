"""Simulation of single rows of a table, in any process."""

from __future__ import annotations

import contextlib
import math
import time
import zlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from netchoice.alterations import altered
from netchoice.errors import NetchoiceError, describe_error
from netchoice.features import Feature
from netchoice.features.computation import run_plan
from netchoice.features.registry import Plan, plan
from netchoice.graph import Graph
from netchoice.machines import machine_id
from netchoice.models.density_matched import MatchedModel
from netchoice.models.model import Model, Parameters
from netchoice.models.space import ModelSpace
from netchoice.rows import Row
from netchoice.storage.table_columns import (
    CALIBRATION_ROWS,
    NOT_COMPUTED,
    OWN_PREFIX,
    PARAMETER_PREFIX,
    STEP_PREFIX,
)
from netchoice.user_code import is_ours

#: What columns hold besides numbers and seconds.
_KINDS = {"label": "text", "machine": "text", NOT_COMPUTED: "text", "calibrated": "flag"}


@dataclass(frozen=True)
class RowSimulator:
    """Simulates rows of a table from their numbers.

    The attributes are all that a row depends on besides its number, so that a row is the same in
    every process. See :class:`netchoice.rows.RowFunction`.
    """

    space: ModelSpace
    n_nodes: int | tuple[int, int]  #: the number of nodes, or the smallest and the largest one
    isolated: str
    features: tuple[Feature, ...]
    entropy: int  #: derived from the seed and the name of the stream

    @cached_property
    def plan(self) -> Plan:
        """The steps that compute the features, in order."""
        return plan(self.features)

    def warm_up(self) -> None:
        """Load compiled code, so that loading is neither timed nor counted against a time limit."""
        # Users' functions are not run: an error in one must belong to a row.
        nodes = tuple(node for node in self.plan.computations if is_ours(node.function))
        rng = np.random.default_rng(0)
        run_plan(Graph.from_edges([(0, 1), (1, 2), (2, 0)]), Plan((), nodes, {}), rng)
        for model in self.space:
            if is_ours(model.function):
                with contextlib.suppress(NetchoiceError):
                    # A density-matched model would grow networks until one of this size matches.
                    Model.grow(model, min(self._size(0), 30), Model.sample(model, rng), rng)
                    if isinstance(model, MatchedModel) and model.n_nodes == self.n_nodes:
                        _ = model.prediction  # networks for it are not counted either

    def rng(self, row: int, purpose: str) -> np.random.Generator:
        """Return the random generator of one row for one purpose."""
        key = (row, zlib.crc32(purpose.encode()))
        return np.random.default_rng(np.random.SeedSequence(self.entropy, spawn_key=key))

    def known(self, number: int) -> dict[str, Any]:
        """Return cells that also a lost row has."""
        return {"label": None, "machine": machine_id(), "calibrated": self._is_calibrated(number)}

    def _is_calibrated(self, row: int) -> bool:
        """Return whether every feature of a row is timed, short ones over several runs."""
        return row < CALIBRATION_ROWS

    def kind(self, column: str) -> str:
        """Return what a column holds."""
        return _KINDS.get(column, "seconds" if column.startswith("seconds_") else "number")

    def network(self, row: int) -> tuple[str, Graph]:
        """Return the label and the network of one row, the same from which its features were computed."""
        model, parameters, graph = self._draw(row)
        return model.name, graph or self._grow(row, model, parameters)

    def _draw(self, row: int) -> tuple[Model, Parameters, Graph | None]:
        rng = self.rng(row, "draw")
        model = self._model(row, rng)
        return model, *model.draw(self._size(row), rng, self.isolated)

    def _model(self, row: int, rng: np.random.Generator) -> Model:
        """Return the model of one row, drawn by its prior weight."""
        return self.space.draw_model(rng)

    def _grow(self, row: int, model: Model, parameters: Parameters) -> Graph:
        rng = self.rng(row, "growth")
        return model.grow(self._size(row), parameters, rng, isolated=self.isolated)

    def _size(self, row: int) -> int:
        """Return the number of nodes of one row; its logarithm is uniform over a range."""
        if isinstance(self.n_nodes, int):
            return self.n_nodes
        low, high = self.n_nodes
        drawn = self.rng(row, "size").uniform(math.log(low), math.log(high + 1))
        return min(high, max(low, math.floor(math.exp(drawn))))

    def __call__(self, number: int) -> Row:
        """Simulate one row."""
        cells = self.known(number)
        try:
            start = time.thread_time()
            model, parameters, graph = self._draw(number)
            cells["label"] = model.name
            cells |= {f"{PARAMETER_PREFIX}{name}": float(v) for name, v in parameters.items()}
            graph = graph or self._grow(number, model, parameters)
            cells["seconds_growth"] = time.thread_time() - start
            rng = self.rng(number, "features") if self.plan.is_random else None
            calibrated = cells["calibrated"]
            result = run_plan(graph, self.plan, rng, timed=calibrated, repeat_short=calibrated)
        except Exception as error:  # a failed row is data; a user's model may raise anything
            return Row(number, cells, describe_error(error))
        cells |= result.values
        for prefix, seconds in (
            (OWN_PREFIX, result.own_seconds),
            (STEP_PREFIX, result.step_seconds),
        ):
            cells |= {
                prefix + name: s for name, s in seconds.items() if name not in result.failures
            }
        if not result.failures:
            return Row(number, cells)
        reasons = {name.removeprefix("step "): why for name, why in result.failures.items()}
        lines = [f"{name}: {why}" for name, why in reasons.items()]
        cells[NOT_COMPUTED] = "\n".join(lines)
        is_error = not result.not_computed.issuperset(reasons)
        return Row(number, cells, error="; ".join(lines) if is_error else None)


def is_at_bounds(number: Any) -> Any:
    """Return whether the row of a model with this number may have parameters at the bounds of its prior.

    >>> [number for number in range(6) if is_at_bounds(number)]
    [2, 5]
    """
    return number % 3 == 2


@dataclass(frozen=True)
class ModelRows(RowSimulator):
    """Simulates the models of a space in turn: row i is of model i modulo their number.

    The random numbers of a row depend on the name of its model and on its number among the rows of this
    model, so they are the same in any space with this model. With ``altered``, each network is altered
    before its features are computed: it differs from the network of the same row without ``altered`` by
    one of the alterations that scores are trained with. ``bounds`` holds, for each model, the model with
    parameters at the bounds of its prior that every third row is of; None if there is none. With
    ``calibrates``, the first rows are calibrated.
    """

    altered: bool = False
    calibrates: bool = False
    bounds: tuple[Model | None, ...] = ()

    def rng(self, row: int, purpose: str) -> np.random.Generator:
        """Return the random generator of one row for one purpose."""
        number, model = divmod(row, len(self.space))
        key = (number, zlib.crc32(purpose.encode()), zlib.crc32(self.space.labels[model].encode()))
        return np.random.default_rng(np.random.SeedSequence(self.entropy, spawn_key=key))

    def _is_calibrated(self, row: int) -> bool:
        # As many rows of each model: those of the other models need not be simulated.
        n_each = math.ceil(CALIBRATION_ROWS / len(self.space))
        return self.calibrates and row // len(self.space) < n_each

    def _model(self, row: int, rng: np.random.Generator) -> Model:
        number, model = divmod(row, len(self.space))
        own = self.bounds[model] if self.bounds and is_at_bounds(number) else None
        return own or self.space.models[model]

    def _draw(self, row: int) -> tuple[Model, Parameters, Graph | None]:
        model, parameters, graph = super()._draw(row)
        if self.altered:
            graph = graph or self._grow(row, model, parameters)
            number = row // len(self.space)
            graph = altered(graph, number, self.rng(row, "alteration"))
        return model, parameters, graph
