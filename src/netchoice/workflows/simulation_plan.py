"""How many networks ``choose_model`` simulates, and how long it may take."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from netchoice.storage.kept_files import read_json, write_json
from netchoice.validation import check_positive


@dataclass(frozen=True, kw_only=True)
class SimulationPlan:
    """Numbers of simulations and their limits.

    >>> SimulationPlan(samples=5000).selection_samples
    2000
    """

    #: Most simulations that probabilities and parameters are inferred from. For one network they are
    #: simulated in rounds, from the first number on, twice as many each time, until the standard error of
    #: the probability of the most probable model, due to their number, is at most ``precision``. A time
    #: limit may reduce them to the minimum.
    samples: int = 20_000
    first_samples: int = 4000
    precision: float = 0.01
    min_samples: int = 500
    #: Simulations that features are selected on, and the fit is judged on; in proportion more for more
    #: than five models. With 400 of each, a p-value of 0.01 has a standard error of 0.0056.
    selection_samples: int = 2000
    selection_models: int = 5
    #: So many of them, and so many for each model, have all features; the others lack expensive ones.
    complete_samples: int = 300
    complete_each: int = 80
    #: A space with more models is screened first: the number of simulations grows with that of models.
    screen_above: int = 8
    #: Simulations of each model, on average, that it is screened with; so many of them train the forest.
    #: About 300 others give p-values as small as 0.0033, below the level of 0.005.
    screening_samples: int = 500
    screening_training: int = 200
    #: Simulations of a large network that the fit is judged on. Smaller networks are judged on the
    #: simulations of the selection. The minimum is for each model: with fewer simulations no p-value
    #: could be small enough to say that a model does not fit.
    fit_samples: int = 2000
    min_fit_samples: int = 180
    #: Simulations of a model from its posterior, near the network. They confirm that the most probable
    #: model does not fit. 0 switches this stage off.
    local_samples: int = 500
    #: So many of them, if they only show how the network differs from a model.
    shown_samples: int = 300
    #: Of these, networks whose distributions are compared with the observed ones; and networks from the
    #: prior that are altered to measure the power of the test of fit.
    profile_samples: int = 100
    power_samples: int = 40
    #: Sets of features, as good as the selected one, whose probabilities are pooled with its own.
    pooled_sets: int = 16
    #: Simulations that accuracy is measured on.
    held_out_samples: int = 2000
    #: Simulations that are timed before the number of rows is decided.
    probe_samples: int = 8
    #: Seconds for the simulations of inference and of the fit, if there is no time limit.
    max_seconds: float = 600.0
    max_fit_seconds: float = 120.0
    #: In larger networks all features cost too much, so they are selected on pilot networks of these
    #: sizes: on the last one, while the smaller ones only serve to extrapolate costs.
    max_direct_nodes: int = 1500
    pilot_sizes: tuple[int, ...] = (250, 500, 1000)
    pilot_cost_samples: int = 200
    #: The most features in a selected set.
    max_features: int = 15
    #: Coverage of the interval within which a cheaper set counts as good as the best.
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
    file : Path or None
        Keeps what was decided by the time that simulations take, so that a resumed run repeats it.
    fingerprint : str
        The run that the file belongs to.
    notes : list of str
        A line for every number of simulations that was reduced.
    """

    limit: float | None
    workers: int
    file: Path | None = None
    fingerprint: str = ""
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

    def affordable(
        self, table: str, wanted: int, minimum: int, row_seconds: float, seconds: float
    ) -> int:
        """Return how many of the wanted simulations can be made in so many seconds.

        A number that was decided earlier for this table is returned again.

        >>> watch = Stopwatch(limit=None, workers=2)
        >>> watch.affordable("fit", 1000, minimum=10, row_seconds=0.5, seconds=60), watch.notes
        (240, ['240 simulations instead of 1000, to stay within the time limit'])
        """

        def decide() -> int:
            possible = int(min(wanted, seconds * self.workers / max(row_seconds, 1e-9)))
            return wanted if possible >= wanted else max(min(minimum, wanted), possible)

        rows: int = self.decided(table, decide)
        if rows < wanted:
            self.notes.append(
                f"{rows} simulations instead of {wanted}, to stay within the time limit"
            )
        return rows

    def decided(self, name: str, decide: Callable[[], Any]) -> Any:
        """Return what was decided earlier under this name, or decide it now and keep it."""
        known = self._known()
        if name not in known:
            known[name] = decide()
            if self.file is not None:
                self.file.parent.mkdir(parents=True, exist_ok=True)
                write_json(self.file, known, self.fingerprint)
        return known[name]

    def _known(self) -> dict[str, Any]:
        if self.file is None or not self.file.exists():
            return {}
        advice = "delete it, or start over with --fresh (in Python fresh=True)"
        return read_json(self.file, self.fingerprint, advice=advice)
