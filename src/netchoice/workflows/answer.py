"""The stages of an answer: select, simulate, infer, judge the fit."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.errors import UsageError
from netchoice.evaluation import wilson
from netchoice.features import compute_features, feature_names
from netchoice.graph import Graph
from netchoice.inference.goodness_of_fit import goodness_of_fit
from netchoice.inference.posterior import posterior
from netchoice.inference.probabilities import model_probabilities
from netchoice.inference.reliability import held_out
from netchoice.models.density_matched import MatchedSpace
from netchoice.selection import METHODS
from netchoice.storage.table import ReferenceTable
from netchoice.threads import count_threads
from netchoice.units import duration
from netchoice.workflows.choice import Choice
from netchoice.workflows.feature_selection import LARGEST, Selection, select
from netchoice.workflows.table_maker import Simulator, versions

if TYPE_CHECKING:
    import pandas as pd

SELECTION_SAMPLES, SAMPLES, FIT_SAMPLES = 3000, 20_000, 2000
FEWEST = 500
#: For each model, so that a p-value can be small enough to say that it does not fit.
FEWEST_FIT = 150
#: Seconds that the inference table, and the battery that judges the fit of a large network, may take.
PATIENCE, FIT_PATIENCE = 600.0, 120.0
PROBE = 32
HELD_OUT = 2000


class Study:
    """One network, one space, and the way to an answer."""

    def __init__(
        self,
        network: Graph,
        simulator: Simulator,
        time_limit: float | None,
        compared: Sequence[str] = (),
    ) -> None:
        if time_limit is not None and not 0 < time_limit < math.inf:
            raise UsageError(f"time_limit={time_limit!r}; expected seconds above 0")
        self.network = network
        self.simulator = simulator
        self.time_limit = time_limit
        self.compared = list(compared)
        self.began = time.monotonic()
        self.notes: list[str] = []

    @property
    def workers(self) -> int:
        """Processes that share the work."""
        return self.simulator.workers or count_threads(-1)

    @cached_property
    def pilots(self) -> bool:
        """Whether the network is too large to compute everything on simulations of its size."""
        return self.network.n_nodes > LARGEST and not isinstance(self.simulator.space, MatchedSpace)

    def select(self, settings: Mapping[str, Any]) -> Selection:
        """The features that the answer will rest on."""
        for name in (*settings["method"], *self.compared):
            if name not in METHODS:
                raise UsageError(f"unknown method {name!r}; known: {', '.join(METHODS)}")
        wanted = settings["features"]
        offered = feature_names(noise=False)
        offered += [name for name in wanted or () if name not in offered]
        if not self.pilots:
            offered = self._computable(offered, wanted)
        folder = self.simulator.folder
        selection = select(
            self.simulator,
            self.network.n_nodes,
            offered,
            pilots=self.pilots,
            samples=self._selection_samples(offered),
            features=wanted,
            methods=settings["method"],
            penalty=settings["penalty"],
            budget=settings["budget"],
            seed=settings["seed"],
            threads=self.workers,
            compared=self.compared,
            scores=None if folder is None else folder / "scores.jsonl",
        )
        self.notes += selection.notes
        return selection

    def _computable(self, offered: list[str], wanted: Sequence[str] | None) -> list[str]:
        """Those that have a value on the network."""
        failures = compute_features(self.network, self.simulator.as_given(offered)).failures
        for name in wanted or ():
            if name in failures:
                raise UsageError(
                    f"feature {name!r} has no value on this network ({failures[name]}); "
                    "leave it out of the features"
                )
        if failures:
            names = ", ".join(failures)
            self.notes.append(f"features without a value on this network were left out: {names}")
        return [name for name in offered if name not in failures]

    def _selection_samples(self, offered: Sequence[str]) -> int:
        if self.time_limit is None:
            return SELECTION_SAMPLES
        name, size = ("pilot-1000", 1000) if self.pilots else ("selection", self.network.n_nodes)
        probe = self.simulator(name, size, PROBE, offered)
        seconds = _seconds_per_row(probe)
        return self._rows(SELECTION_SAMPLES, seconds, 0.5 * self._left(), self._fewest_fit)

    @property
    def _fewest_fit(self) -> int:
        return FEWEST_FIT * len(self.simulator.space)

    def simulate_inference(self, selection: Selection, samples: int | None) -> ReferenceTable:
        """Simulations at the size of the network, with the selected features only."""
        probe = self.simulator("inference", self.network.n_nodes, PROBE, selection.features)
        limit = PATIENCE if self.time_limit is None else 0.8 * self._left()
        rows = samples or SAMPLES
        if samples is None or self.time_limit is not None:
            rows = self._rows(rows, _seconds_per_row(probe), limit, FEWEST)
        return self.simulator("inference", self.network.n_nodes, rows, selection.features)

    def _left(self) -> float:
        """Seconds that are left of the limit, and never none."""
        spent = time.monotonic() - self.began
        return max(1.0, (self.time_limit or math.inf) - spent)

    def _rows(self, wanted: int, seconds_per_row: float, limit: float, fewest: int) -> int:
        affordable = int(limit * self.workers / max(seconds_per_row, 1e-9))
        if affordable >= wanted:
            return wanted
        rows = max(min(fewest, wanted), affordable)
        self.notes.append(f"{rows} simulations instead of {wanted}, for want of time")
        return rows

    # The answer

    def answer(
        self, selection: Selection, table: ReferenceTable, settings: dict[str, Any]
    ) -> Choice:
        """Probabilities, parameters and fit."""
        told = compute_features(self.network, self.simulator.as_given(selection.features))
        self._check(told.failures)
        observed = {name: float(told.values[name]) for name in selection.features}
        space = self.simulator.space
        X, y = table.X[selection.features], table.y
        how = {"seed": settings["seed"], "n_jobs": self.workers}
        if settings["inference"] is not None:
            how["method"] = settings["inference"]
        found = model_probabilities(
            X, y, observed, weights=dict(zip(space.labels, space.weights, strict=True)), **how
        )
        tested = held_out(X, y, limit=HELD_OUT, **how)
        self._note_what_cannot_be_told(tested, y)
        parameters = self._parameters(found.model, table, observed)
        fit, broad, fit_values = self._fit(selection, how)
        if fit.fits and fit.p_values[found.model] <= fit.alpha:
            others = ", ".join(name for name, p in fit.p_values.items() if p > fit.alpha)
            self.notes.append(
                f"{found.model} is the most probable model on the features selected, but it does not "
                f"fit (p = {fit.p_values[found.model]:.2g}); on all features {others} does: do not "
                "trust the probabilities"
            )
        if not fit.fits:
            self.notes.append(
                "as no model fits, the probabilities only say which of several wrong models is nearer "
                "on the features selected; other features may say otherwise"
            )
        if self.network.n_isolated and self.simulator.isolated == "keep":
            self.notes.append(
                f"{self.network.n_isolated} isolated nodes are part of the network and of the "
                "simulations"
            )
        if self.simulator.isolated == "drop":
            self.notes.append(
                "the network has no isolated nodes, so simulations were compared without theirs; "
                "simulations that keep them may tell otherwise (isolated: keep)"
            )
        cost = self._cost(selection, table, broad)
        return Choice(
            network={**self.network.summary(), "isolated": self.simulator.isolated},
            space=space.as_dict(),
            model=found.model,
            probabilities=dict(found.probabilities),
            intervals=dict(found.intervals),
            fits=bool(fit.fits),
            fit_p_values=dict(fit.p_values),
            fit={
                "summary": fit.summary, "overall": fit.overall, "alpha": fit.alpha, "floor": fit.floor,
                "simulations": fit.n_simulations, "features": list(broad.features),
            },
            features=observed,
            parameters=parameters["summary"],
            accuracy=float(tested.accuracy),
            confusion=tested.confusion,
            scores={"log_score": float(tested.log_score), "brier": float(tested.brier)},
            selection=_selection_record(selection),
            cost=cost,
            notes=self.notes,
            settings={**settings, **versions()},
            evidence={
                "selection": selection, "table": table, "fit": fit, "broad": broad,
                "broad_observed": fit_values, "held_out": tested, "probabilities": found,
                "posterior": parameters["posterior"], "bounds": parameters["bounds"],
            },
        )  # fmt: skip

    def _check(self, failures: Mapping[str, str]) -> None:
        for name, reason in failures.items():
            raise UsageError(
                f"feature {name!r} has no value on this network ({reason}); name others with "
                "features=…"
            )

    def _note_what_cannot_be_told(self, tested: Any, y: pd.Series) -> None:
        n = int(tested.confusion.to_numpy().sum())
        by_chance = float(y.value_counts(normalize=True).max())
        if wilson(float(tested.accuracy), n)[0] <= by_chance:
            self.notes.append(
                f"the models of this space cannot be told apart: held-out simulations are given "
                f"their true model {tested.accuracy:.1%} of the time, which is chance"
            )

    def _parameters(
        self, model: str, table: ReferenceTable, observed: Mapping[str, float]
    ) -> dict[str, Any]:
        declared = self.simulator.space[model].parameters
        rows = (table.y == model).to_numpy()
        drawn = table.parameters[rows].reset_index(drop=True)
        names = [n for n in declared if n in drawn and drawn[n].nunique() > 1]
        if not names:
            return {"summary": {}, "posterior": None, "bounds": {}}
        bounds = {
            name: (float(declared[name].prior.low), float(declared[name].prior.high))
            for name in names
        }
        X = table.X[list(observed)][rows].reset_index(drop=True)
        found = posterior(X, drawn[names], observed, bounds=bounds)
        for name, side in found.at_boundary.items():
            self.notes.append(
                f"the posterior of {name} is at the prior's boundary ({side}); a wider prior may "
                "change it"
            )
        summary = {
            name: {
                "median": found.median[name],
                "interval": list(found.intervals[name]),
                "coverage": found.coverage,
                "at_boundary": found.at_boundary.get(name),
            }
            for name in names
        }
        return {"summary": summary, "posterior": found, "bounds": bounds}

    def _fit(
        self, selection: Selection, how: Mapping[str, Any]
    ) -> tuple[Any, ReferenceTable, dict[str, float]]:
        """Judged on a broad set of features, always: selected ones cannot."""
        broad = self._broad(selection)
        told = compute_features(self.network, self.simulator.as_given(broad.features))
        names = [name for name in broad.features if name not in told.failures]
        values = {name: float(told.values[name]) for name in names}
        fit = goodness_of_fit(
            broad.X[names], broad.y, values, seed=how["seed"], n_jobs=how["n_jobs"]
        )
        return fit, broad, values

    def _broad(self, selection: Selection) -> ReferenceTable:
        if not selection.pilots:
            return selection.table
        n = self.network.n_nodes
        patience = FIT_PATIENCE if self.time_limit is None else 0.5 * self.time_limit
        seconds = patience * self.workers
        growth = _seconds_per_row(self.simulator("inference", n, PROBE, selection.features))
        by_cost = sorted(selection.table.features, key=selection.costs.cost)
        chosen: list[str] = []
        for name in by_cost:
            more = [*chosen, name]
            if (selection.cost(more) + growth) * self._fewest_fit > seconds:
                break
            chosen = more
        left_out = [name for name in by_cost if name not in chosen]
        if left_out:
            self.notes.append(
                f"the fit was judged without {len(left_out)} features that are too expensive at this size: "
                f"{', '.join(left_out[-5:])}…"
            )
        if not chosen:
            raise UsageError("no feature is cheap enough to judge the fit at this size")
        rows = int(min(FIT_SAMPLES, seconds / (selection.cost(chosen) + growth)))
        return self.simulator("fit", n, max(self._fewest_fit, rows), chosen)

    def _cost(
        self, selection: Selection, table: ReferenceTable, broad: ReferenceTable
    ) -> dict[str, Any]:
        everything = selection.cost(selection.table.features)
        cost = table.costs.cost_of_set(selection.features, "shared")
        battery = selection.cost(broad.features)
        rows = len(table)
        saved = rows * max(0.0, everything - cost)
        summary = (
            f"the selected features cost {duration(cost)} per network, all "
            f"{len(selection.table.features)} would cost {duration(everything)}: "
            f"{duration(saved)} saved on {rows} simulations; judging the fit cost "
            f"{duration(battery)} on each of {len(broad)}"
        )
        return {
            "selected_features": cost,
            "all_features": everything,
            "speedup": everything / cost if cost else None,
            "saved_seconds": saved,
            "simulations": rows,
            "fit_features": battery,
            "fit_simulations": len(broad),
            "seconds": round(time.monotonic() - self.began, 3),
            "unit": "CPU seconds per network",
            "extrapolated": bool(selection.pilots),
            "summary": summary,
        }


def _seconds_per_row(table: ReferenceTable) -> float:
    """CPU seconds for one simulated network: growth, steps and features."""
    spent = table.frame.filter(like="seconds_").astype(float).sum(axis=1)
    return float(np.nanmean(spent)) if len(spent) else 0.0


def _selection_record(selection: Selection) -> dict[str, Any]:
    record: dict[str, Any] = {
        "features": list(selection.features),
        "pilots": list(selection.pilots),
        "simulations": len(selection.table),
    }
    if selection.point is not None:
        point = selection.point.as_dict()
        told = (
            "method", "penalty", "k", "cost", "share", "speedup", "rule", "charge",
            "best_features",
        )  # fmt: skip
        record["operating_point"] = {name: point[name] for name in told}
    return record
