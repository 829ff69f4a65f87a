"""How many networks are simulated, how long that may take, and what other parts of an answer take."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Self

from netchoice.errors import UsageError
from netchoice.storage.kept_files import DamagedFileError, read_json, write_json
from netchoice.storage.table import ReferenceTable
from netchoice.storage.written_folder import claimed_files, list_files
from netchoice.validation import check_positive

# Seconds on the reference machine: one core of the machine of ``docs/choose.md``, for two models. The pace of
# the machine that runs scales them (:class:`Stopwatch`).
#: To start worker processes, which import the package and load its kernels.
WORKERS = 4.0
#: One ranking and evaluation of features: in any case, and for each row. There are at most this many.
RANKING, RANKING_EACH, RANKINGS = 0.8, 0.8e-3, 3
#: Probabilities, fit and files; parameters and their quality, for each model.
ANSWER, ANSWER_EACH = 2.0, 1.2
#: Figures, and the report.
FIGURES, REPORT = 7.0, 3.0
#: Shares of the time that is not fixed: the selection, and inference of the rest; local simulations get
#: what is left.
SELECTION_SHARE, INFERENCE_SHARE = 0.45, 0.55
#: Share of the time that is left, besides the answer, for simulations near the network.
LOCAL_SHARE = 0.8
#: Share of the time that is left for the features of the network, and for a screening.
OBSERVED_SHARE, SCREENING_SHARE = 0.15, 0.3
#: Share of the time that is left that power and distributions may take.
EXTRA_SHARE = 0.25
#: So many simulations for each model, at least, of a network that is too large for more.
MIN_LARGE_SAMPLES = 40


def ranking_seconds(rows: int) -> float:
    """Return the seconds of all rankings on so many simulations.

    >>> round(ranking_seconds(1000), 1)
    4.8
    """
    return RANKINGS * (RANKING + RANKING_EACH * rows)


def answer_seconds(n_models: int) -> float:
    """Return the seconds of an answer, besides simulations."""
    return ANSWER + ANSWER_EACH * n_models


#: Steps of the work that measures the pace, its seconds on the reference machine, and how long a measured
#: pace is used.
PACE_STEPS, PACE_WORK_SECONDS, PACE_SECONDS = 500_000, 0.025, 2.0


class Pace(NamedTuple):
    """How long work takes now.

    ``pace`` is relative to the reference machine, and ``contention`` to the CPU time of the work: it is
    above 1 if other programs share the cores.
    """

    pace: float
    contention: float


def measured_pace() -> Pace:
    """Return how long a fixed computation takes now."""
    started, cpu_started = time.perf_counter(), time.thread_time()
    total = 0
    for i in range(PACE_STEPS):
        total ^= i * 7
    seconds, cpu = time.perf_counter() - started, time.thread_time() - cpu_started
    return Pace(max(0.2, seconds / PACE_WORK_SECONDS), max(1.0, seconds / max(cpu, 1e-6)))


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

    @classmethod
    def small(cls) -> Self:
        """Return a plan with few simulations, for examples and tests: an answer takes seconds."""
        return cls(
            selection_samples=360, local_samples=180, shown_samples=180, profile_samples=20,
            power_samples=10,
        )  # fmt: skip


@dataclass(frozen=True)
class TimeLimit:
    """Seconds for a whole task, and when it started.

    ``after`` holds the seconds, at the pace of the reference machine, of the work that follows the answer,
    such as figures.

    >>> TimeLimit(120.0, after=10.0).seconds
    120.0
    """

    seconds: float
    started: float = field(default_factory=time.monotonic)
    after: float = 0.0

    def __post_init__(self) -> None:
        check_positive("time_limit", self.seconds)

    @classmethod
    def of(cls, limit: float | TimeLimit | None) -> TimeLimit | None:
        """Return a limit; a number starts its clock now."""
        return limit if limit is None or isinstance(limit, TimeLimit) else cls(limit)


@dataclass
class Stopwatch:
    """The time that a run has left.

    All stages plan against this clock: the time that it has taken until now, and the pace of the machine
    at this moment, which other programs share.

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
    after : float
        Seconds of work that follows the run, at the pace of the reference machine.
    """

    limit: float | None
    workers: int
    file: Path | None = None
    fingerprint: str = ""
    notes: list[str] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    after: float = 0.0
    _paces: list[tuple[float, Pace]] = field(default_factory=list, repr=False)
    _in_memory: dict[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.limit is not None:
            check_positive("time_limit", self.limit)

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    @property
    def pace(self) -> Pace:
        """How long work takes now, on average over the last three measurements."""
        now = time.monotonic()
        if not self._paces or now - self._paces[-1][0] > PACE_SECONDS:
            self._paces.append((now, measured_pace()))
        recent = [pace for _, pace in self._paces[-3:]]
        return Pace(*(sum(values) / len(recent) for values in zip(*recent, strict=True)))

    @property
    def left(self) -> float:
        """Seconds left for the run; infinite without a limit, and below 0 if there are none."""
        return math.inf if self.limit is None else self.limit - self.elapsed - self.wall(self.after)

    def wall(self, seconds: float) -> float:
        """Return how long work of so many seconds on the reference machine takes now."""
        return seconds * self.pace.pace

    def simulating(self, rows: float, row_seconds: float) -> float:
        """Return how long so many simulations take now, each of so many CPU seconds."""
        return rows * row_seconds * self._contention / self.workers

    @property
    def _contention(self) -> float:
        return 1.0 if self.limit is None else self.pace.contention

    def leaves(self, seconds: float, share: float = 1.0) -> bool:
        """Return whether so many seconds are at most a share of the time that is left."""
        return seconds <= share * self.left

    def skips(self, what: str, seconds: float, share: float) -> bool:
        """Return whether work is left out because it takes more than a share of the time that is left."""
        if self.limit is None:
            return False
        skipped = bool(self.decided(what, lambda: not self.leaves(seconds, share)))
        if skipped:
            self.notes.append(f"{what}, to stay within the time limit")
        return skipped

    def reduced(self, what: str, wanted: int, minimum: int, seconds_each: float) -> int:
        """Return how many of some networks are affordable, each of so many seconds; 0 below the minimum."""
        if self.limit is None:
            return wanted

        def decide() -> int:
            possible = min(wanted, int(EXTRA_SHARE * max(0.0, self.left) / max(seconds_each, 1e-9)))
            return possible if possible >= min(minimum, wanted) else 0

        number = int(self.decided(what, decide))
        if number < wanted:
            self.notes.append(f"{number} {what} instead of {wanted}, to stay within the time limit")
        return number

    def refusal(self, missing: float) -> UsageError:
        """Return the error of a limit that is too short by so many seconds."""
        assert self.limit is not None
        needed = math.ceil(1.1 * (self.limit + missing))
        return UsageError(
            f"the time limit of {self.limit:g} s is too short for this network and these models; the "
            f"smallest limit that would do now is {needed} s"
        )

    def limited(
        self,
        name: str,
        wanted: int,
        minimum: int,
        seconds: float,
        simulate: Callable[..., ReferenceTable],
    ) -> ReferenceTable:
        """Return a table whose simulation ends after so many seconds, if it has the minimum of rows.

        ``simulate(rows, deadline=…, min_samples=…)`` simulates it. The number of rows is kept.
        """
        if self.limit is None:
            return simulate(wanted)
        made: list[ReferenceTable] = []

        def decide() -> int:
            deadline = time.monotonic() + max(0.0, seconds)
            made.append(simulate(wanted, deadline=deadline, min_samples=min(minimum, wanted)))
            return int(made[0].manifest["n_samples"])

        rows = int(self.decided(f"{name} of {wanted}", decide))
        if rows < wanted:
            self.notes.append(
                f"{rows} simulations instead of {wanted} ({name}), to stay within the time limit"
            )
        return made[0] if made else simulate(rows)

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
            rate = self.workers / max(row_seconds * self._contention, 1e-9)
            possible = int(min(wanted, max(0.0, seconds) * rate))
            return wanted if possible >= wanted else max(min(minimum, wanted), possible)

        rows = int(self.decided(table, decide))
        if rows < wanted:
            self.notes.append(
                f"{rows} simulations instead of {wanted}, to stay within the time limit"
            )
        return rows

    def decided(self, name: str, decide: Callable[[], Any]) -> Any:
        """Return what was decided earlier under this name, or decide it now and keep it."""
        known = self._known()
        if name in known:
            return known[name]
        decision = decide()
        known = self._known()  # again: decisions can depend on other decisions
        known[name] = decision
        if self.file is not None:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            write_json(self.file, known, self.fingerprint)
            list_files(self.file.parent, [self.file.name])
        return decision

    def _known(self) -> dict[str, Any]:
        if self.file is None:
            return self._in_memory
        advice = "start over with --fresh (in Python fresh=True)"
        if not self.file.exists():
            if claimed_files(self.file.parent).get(self.file.name):  # it was written
                raise DamagedFileError(
                    f"{self.file} is missing, which holds decisions of the run; {advice}"
                )
            return {}
        return read_json(self.file, self.fingerprint, advice=advice)
