"""How many networks ``choose_model`` simulates, and how long it may take."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

from netchoice.validation import check_positive


@dataclass(frozen=True, kw_only=True)
class SimulationPlan:
    """Numbers of simulations and their limits.

    Attributes
    ----------
    samples : int
        Simulations that model probabilities and parameters are inferred from.
    min_samples : int
        As few of these as a time limit may leave.
    selection_samples : int
        Simulations that features are selected on.
    fit_samples : int
        Simulations of a large network that the fit is judged on; smaller networks are judged on the
        simulations of the selection.
    min_fit_samples : int
        As few of these as a time limit may leave, for each model; with fewer no p-value could be small
        enough to say that a model does not fit.
    held_out_samples : int
        Simulations that accuracy is measured on.
    probe_samples : int
        Simulations that are timed before the number of rows is decided.
    max_seconds, max_fit_seconds : float
        Seconds that the simulations for inference and for the fit may take without a time limit.
    max_direct_nodes : int
        In larger networks all features cost too much, so they are selected on pilot networks.
    pilot_sizes : tuple of int
        Nodes of the pilot networks; features are selected on the last size.
    pilot_cost_samples : int
        Simulations of the smaller pilots, which only serve to extrapolate costs.
    max_features : int
        The most features in a selected set.
    coverage : float
        Coverage of the interval within which a cheaper set counts as good as the best. It is narrow
        because features are cheap.
    """

    samples: int = 20_000
    min_samples: int = 500
    selection_samples: int = 3000
    fit_samples: int = 2000
    min_fit_samples: int = 150
    held_out_samples: int = 2000
    probe_samples: int = 32
    max_seconds: float = 600.0
    max_fit_seconds: float = 120.0
    max_direct_nodes: int = 1500
    pilot_sizes: tuple[int, ...] = (250, 500, 1000)
    pilot_cost_samples: int = 200
    max_features: int = 15
    coverage: float = 0.8


@dataclass
class Stopwatch:
    """The time that a run has left.

    Attributes
    ----------
    limit : float or None
        Seconds for the whole run.
    workers : int
        Processes that share the work.
    notes : list of str
        A line for every number of simulations that was reduced.
    """

    limit: float | None
    workers: int
    notes: list[str] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        if self.limit is not None:
            check_positive("time_limit", self.limit)

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    @property
    def left(self) -> float:
        """Seconds left, at least 1; infinite without a limit."""
        return max(1.0, (math.inf if self.limit is None else self.limit) - self.elapsed)

    def affordable(self, wanted: int, minimum: int, row_seconds: float, seconds: float) -> int:
        """Return how many of the wanted simulations can be made in so many seconds.

        >>> watch = Stopwatch(limit=None, workers=2)
        >>> watch.affordable(1000, minimum=10, row_seconds=0.5, seconds=60), watch.notes
        (240, ['240 simulations instead of 1000, to stay within the time limit'])
        """
        rows = int(min(wanted, seconds * self.workers / max(row_seconds, 1e-9)))
        if rows >= wanted:
            return wanted
        rows = max(min(minimum, wanted), rows)
        self.notes.append(f"{rows} simulations instead of {wanted}, to stay within the time limit")
        return rows
