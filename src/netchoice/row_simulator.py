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

from netchoice.engines.engine import describe_error
from netchoice.errors import NetchoiceError
from netchoice.features import Feature
from netchoice.features.computation import run_plan
from netchoice.features.plan import Plan, plan
from netchoice.graph import Graph
from netchoice.machine import machine_id
from netchoice.models.model import Model, Parameters
from netchoice.models.space import ModelSpace
from netchoice.names import is_ours
from netchoice.storage.table import CALIBRATION_ROWS, OWN_PREFIX, PARAMETER_PREFIX, STEP_PREFIX

if TYPE_CHECKING:
    import pyarrow as pa

_GOLDEN_RATIO = (1 + math.sqrt(5)) / 2


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
    stages: tuple[tuple[str, float], ...] = ()  #: features that only a share of the rows has

    @cached_property
    def plan(self) -> Plan:
        """The steps that compute the features, in order."""
        return plan(self.features)

    def _plan_of(self, row: int) -> Plan:
        """Return the plan for the features of one row."""
        if not self.stages:
            return self.plan
        missing = {name for name, share in self.stages if not is_computed(row, share)}
        return plan(tuple(item for item in self.features if item.name not in missing))

    def warm_up(self) -> None:
        """Load compiled code, so that loading is neither timed nor counted against a time limit."""
        # Users' functions are not run: an error in one must belong to a row.
        nodes = tuple(node for node in self.plan.computations if is_ours(node.function))
        rng = np.random.default_rng(0)
        run_plan(Graph.from_edges([(0, 1), (1, 2), (2, 0)]), Plan((), nodes, {}), rng, False)
        for model in self.space:
            if is_ours(model.function):
                with contextlib.suppress(NetchoiceError):
                    model.grow(min(self._size(0), 30), model.sample(rng), rng)

    def rng(self, row: int, purpose: str) -> np.random.Generator:
        """Return the random generator of one row for one purpose."""
        key = (row, zlib.crc32(purpose.encode()))
        return np.random.default_rng(np.random.SeedSequence(self.entropy, spawn_key=key))

    def __call__(self, rows: list[int]) -> Batch:
        """Simulate rows."""
        batch = Batch()
        for row in rows:
            batch.add(row, *self.simulate(row))
        return batch

    def network(self, row: int) -> tuple[str, Graph]:
        """Return the label and the network of one row, the same from which its features were computed."""
        model, parameters, graph = self._draw(row)
        return model.name, graph or self._grow(row, model, parameters)

    def _draw(self, row: int) -> tuple[Model, Parameters, Graph | None]:
        rng = self.rng(row, "draw")
        model = self.space.draw_model(rng)
        return model, *model.draw(self._size(row), rng, self.isolated)

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

    def simulate(self, row: int) -> tuple[dict[str, float], str | None, str | None]:
        """Simulate one row: return its numbers by column, its label, and why it failed, if it did."""
        numbers: dict[str, float] = {}
        label: str | None = None
        try:
            start = time.thread_time()
            model, parameters, graph = self._draw(row)
            label = model.name
            numbers |= {f"{PARAMETER_PREFIX}{name}": v for name, v in parameters.items()}
            graph = graph or self._grow(row, model, parameters)
            numbers["seconds_growth"] = time.thread_time() - start
            chosen = self._plan_of(row)
            rng = self.rng(row, "features") if chosen.is_random else None
            result = run_plan(graph, chosen, rng, row < CALIBRATION_ROWS)
        except Exception as error:  # a failed row is data; a user's model may raise anything
            return numbers, label, describe_error(error)
        skipped = result.not_computed  # neither value nor time, like a feature of another stage
        numbers |= result.values
        own = {name: s for name, s in result.own_seconds.items() if name not in skipped}
        numbers |= {f"{OWN_PREFIX}{name}": s for name, s in own.items()}
        numbers |= {f"{STEP_PREFIX}{name}": s for name, s in result.step_seconds.items()}
        failures = (
            f"{name}: {why}"
            for name, why in result.failures.items()
            if name.removeprefix("step ") not in skipped
        )
        failure = next(failures, None)
        return numbers, label, failure


@dataclass
class Batch:
    """Simulated rows, as columns: numbers, labels and failures."""

    rows: list[int] = field(default_factory=list)
    numbers: dict[str, list[float]] = field(default_factory=dict)
    labels: list[str | None] = field(default_factory=list)
    failures: dict[int, str] = field(default_factory=dict)
    machine: str = ""

    def add(
        self, row: int, numbers: dict[str, float], label: str | None, failure: str | None
    ) -> None:
        """Append one row; columns that it lacks get NaN."""
        for name in numbers:
            if name not in self.numbers:
                self.numbers[name] = [math.nan] * len(self.rows)
        for name, column in self.numbers.items():
            column.append(numbers.get(name, math.nan))
        self.rows.append(row)
        self.labels.append(label)
        if failure is not None:
            self.failures[row] = failure
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
        for name, values in self.numbers.items():
            timing = name.startswith("seconds_")
            columns[name] = (values, pa.float32() if timing else pa.float64())
        return pa.table({name: pa.array(*column) for name, column in columns.items()})


def is_computed(row: int, share: float) -> bool:
    """Return whether a feature that a share of the rows has is computed on this row.

    The choice depends on nothing but the number of the row, so rows with the feature are like all others.
    Multiples of the golden ratio are spread evenly: the first n rows always have the right share.

    >>> sum(is_computed(row, 0.2) for row in range(1000)), is_computed(0, 0.001)
    (200, True)
    """
    return row * _GOLDEN_RATIO % 1 < share
