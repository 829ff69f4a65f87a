"""Simulation of single rows of a table, in any process."""

from __future__ import annotations

import contextlib
import math
import time
import zlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.alterations import altered
from netchoice.engines.engine import describe_error
from netchoice.errors import NetchoiceError
from netchoice.features import Feature
from netchoice.features.computation import run_plan
from netchoice.features.registry import Plan, plan
from netchoice.graph import Graph
from netchoice.machines import machine_id
from netchoice.models.density_matched import MatchedModel
from netchoice.models.model import Model, Parameters
from netchoice.models.space import ModelSpace
from netchoice.storage.table_columns import (
    CALIBRATION_ROWS,
    NOT_COMPUTED,
    OWN_PREFIX,
    PARAMETER_PREFIX,
    STEP_PREFIX,
)
from netchoice.user_code import is_ours

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class RowSimulator:
    """Simulates rows of a table from their numbers.

    The attributes are all that a row depends on besides its number, so that a row is the same in
    every process. Engines pickle the object and call it with lists of row numbers.
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
        run_plan(Graph.from_edges([(0, 1), (1, 2), (2, 0)]), Plan((), nodes, {}), rng, False)
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

    def __call__(self, rows: list[int]) -> Batch:
        """Simulate rows."""
        batch = Batch()
        for row in rows:
            batch.add(self.simulate(row))
        return batch

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

    def simulate(self, row: int) -> Row:
        """Simulate one row."""
        made = Row(row)
        numbers = made.numbers
        try:
            start = time.thread_time()
            model, parameters, graph = self._draw(row)
            made.label = model.name
            numbers |= {f"{PARAMETER_PREFIX}{name}": v for name, v in parameters.items()}
            graph = graph or self._grow(row, model, parameters)
            numbers["seconds_growth"] = time.thread_time() - start
            rng = self.rng(row, "features") if self.plan.is_random else None
            result = run_plan(graph, self.plan, rng, row < CALIBRATION_ROWS)
        except Exception as error:  # a failed row is data; a user's model may raise anything
            made.failure = describe_error(error)
            return made
        numbers |= result.values
        # A feature without a value has no time either.
        own = {name: s for name, s in result.own_seconds.items() if name not in result.failures}
        numbers |= {f"{OWN_PREFIX}{name}": s for name, s in own.items()}
        numbers |= {f"{STEP_PREFIX}{name}": s for name, s in result.step_seconds.items()}
        reasons = {name.removeprefix("step "): why for name, why in result.failures.items()}
        made.not_computed = "\n".join(f"{name}: {why}" for name, why in reasons.items()) or None
        made.has_error = not result.not_computed.issuperset(reasons)
        return made


#: One in so many rows of a model has parameters at the bounds of its prior, if rows have any.
BOUNDED_ROWS = 5


def is_at_bounds(number: Any) -> Any:
    """Return whether the row of a model with this number may have parameters at the bounds of its prior.

    >>> [number for number in range(12) if is_at_bounds(number)]
    [4, 9]
    """
    return number % BOUNDED_ROWS == BOUNDED_ROWS - 1


@dataclass(frozen=True)
class ModelRows(RowSimulator):
    """Simulates the models of a space in turn: row i is of model i modulo their number.

    The random numbers of a row depend on the name of its model and on its number among the rows of this
    model, so they are the same in any space with this model. With ``altered``, each network is altered
    before its features are computed: it differs from the network of the same row without ``altered`` by
    one of the alterations that scores are trained with. ``bounds`` holds, for each model, the model with
    parameters at the bounds of its prior that every fifth row is of; None if there is none.
    """

    altered: bool = False
    bounds: tuple[Model | None, ...] = ()

    def rng(self, row: int, purpose: str) -> np.random.Generator:
        """Return the random generator of one row for one purpose."""
        number, model = divmod(row, len(self.space))
        key = (number, zlib.crc32(purpose.encode()), zlib.crc32(self.space.labels[model].encode()))
        return np.random.default_rng(np.random.SeedSequence(self.entropy, spawn_key=key))

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


@dataclass
class Row:
    """One simulated row.

    Attributes
    ----------
    number : int
    numbers : dict
        Values by column.
    label : str or None
        The model.
    failure : str or None
        Why there is no network.
    not_computed : str or None
        Why features have no value on the network: a line for each, and for each step.
    has_error : bool
        Whether one of these features met an error, not its budget.
    """

    number: int
    numbers: dict[str, float] = field(default_factory=dict)
    label: str | None = None
    failure: str | None = None
    not_computed: str | None = None
    has_error: bool = False


@dataclass
class Batch:
    """Simulated rows, as columns: numbers, labels and failures."""

    rows: list[int] = field(default_factory=list)
    numbers: dict[str, list[float]] = field(default_factory=dict)
    labels: list[str | None] = field(default_factory=list)
    failures: dict[int, str] = field(default_factory=dict)
    not_computed: dict[int, str] = field(default_factory=dict)
    #: Reasons of the rows that failed, or that have a feature with an error.
    errors: list[str] = field(default_factory=list)
    machine: str = ""

    def add(self, row: Row) -> None:
        """Append one row; columns that it lacks get NaN."""
        for name in row.numbers:
            if name not in self.numbers:
                self.numbers[name] = [math.nan] * len(self.rows)
        for name, column in self.numbers.items():
            column.append(row.numbers.get(name, math.nan))
        self.rows.append(row.number)
        self.labels.append(row.label)
        if row.failure is not None:
            self.failures[row.number] = row.failure
            self.errors.append(row.failure)
        if row.not_computed is not None:
            self.not_computed[row.number] = row.not_computed
            if row.has_error:
                self.errors.append(row.not_computed.replace("\n", "; "))
        self.machine = self.machine or machine_id()

    def as_arrow(self) -> pa.Table:
        """Return the rows as an Arrow table."""
        import pyarrow as pa

        columns: dict[str, tuple[list[Any], pa.DataType]] = {
            "row": (self.rows, pa.int64()),
            "label": (self.labels, pa.string()),
            "failure": ([self.failures.get(row) for row in self.rows], pa.string()),
            "machine": ([self.machine] * len(self.rows), pa.string()),
            "calibrated": ([row < CALIBRATION_ROWS for row in self.rows], pa.bool_()),
        }
        if self.not_computed:
            reasons = [self.not_computed.get(row) for row in self.rows]
            columns[NOT_COMPUTED] = (reasons, pa.string())
        for name, values in self.numbers.items():
            timing = name.startswith("seconds_")
            columns[name] = (values, pa.float32() if timing else pa.float64())
        return pa.table({name: pa.array(*column) for name, column in columns.items()})
