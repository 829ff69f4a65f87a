"""How large a pilot must be: grow it until a larger one selects nothing better."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any

from netchoice.evaluation.accuracy_tests import confused_pairs
from netchoice.models.builtin import get_space
from netchoice.models.space import ModelSpace
from netchoice.names import unknown
from netchoice.progress import listener, shows_progress
from netchoice.selection import METHODS
from netchoice.stores import place
from netchoice.validation import (
    check_fraction,
    check_integer,
    check_non_negative,
    check_positive,
)
from netchoice.workflows.pilot_inputs import MIN_PILOT_NODES, STAGE_UNITS, check_sizes, records
from netchoice.workflows.pilot_ladder import LadderSettings, PilotLadder
from netchoice.workflows.table_maker import Progress, TableMaker, features_by_name

if TYPE_CHECKING:
    import pandas as pd

#: Default sizes double from the first to the last.
FIRST_SIZE, LAST_SIZE = 10, 1000
MIN_SAMPLES = 20


@dataclass(frozen=True)
class Recommendation:
    """The recommended pilot size; returned by :func:`recommend_pilot_size`.

    Attributes
    ----------
    n_nodes : int or None
        The size. None if no pilot that was tried can be recommended.
    features : tuple of str
        The features that are selected there.
    verdict : str
        The recommendation and its evidence in words.
    certain : bool
        Whether the interval of the loss against larger pilots is within the tolerance.
    evidence : DataFrame
        One row for each size: the features selected; the accuracy with them on fresh networks of that
        size (accuracy_here) and at the size where all sets are compared (check_n), each with an
        interval; the largest gain of the next larger pilots there (gain, gain_high); CPU seconds.
    confused : list of pairs
        Models that the features cannot distinguish where they were checked.
    cost : dict
        CPU seconds of the pilots, of the checks, and of a table with all features at the target size.

    Examples
    --------
    >>> found = recommend_pilot_size(
    ...     "ba", 60, sizes=[15, 60], k=1, samples=60, check_samples=200, engine="serial",
    ...     features=["degree_mean", "transitivity"])
    >>> found.n_nodes, found.features
    (15, ('degree_mean',))
    """

    n_nodes: int | None
    features: tuple[str, ...]
    verdict: str
    certain: bool
    evidence: pd.DataFrame = field(repr=False)
    confused: list[tuple[str, str]]
    cost: dict[str, float]

    def as_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        evidence = self.evidence.assign(features=self.evidence["features"].map(list))
        return {
            "n_nodes": self.n_nodes,
            "features": list(self.features),
            "verdict": self.verdict,
            "certain": self.certain,
            "evidence": records(evidence),
            "confused": [list(pair) for pair in self.confused],
            "cost": self.cost,
        }


@shows_progress(units=STAGE_UNITS)
def recommend_pilot_size(
    space: str | ModelSpace,
    target: int,
    *,
    sizes: Iterable[int] | None = None,
    method: str = "jmi",
    penalty: float = 0.0,
    k: int = 5,
    samples: int = 500,
    check_samples: int = 1000,
    tolerance: float = 0.02,
    confirm: int = 2,
    coverage: float = 0.95,
    budget: float = 600.0,
    features: Sequence[Any] | None = None,
    seed: int = 1,
    engine: str | Executor = "processes",
    workers: int | None = None,
    path: str | PathLike[str] | None = None,
    on_progress: Progress | bool | None = None,
) -> Recommendation:
    """Find the smallest pilot networks that select features as good as larger pilots do.

    The features that a pilot selects are computed on networks of the target size. This is cheap
    because no other feature is computed. A pilot is large enough if the next ``confirm`` larger ones
    gain at most ``tolerance`` in accuracy there, by the upper end of a paired interval (Agresti & Min
    2005, doi:10.1002/sim.1781). The models need not be separated at the pilot's own size, and the
    selected features need not be the same.

    Parameters
    ----------
    space : ModelSpace or str
    target : int
        Number of nodes of the networks that you want to analyse.
    sizes : iterable of int, optional
        Pilot sizes to try, in increasing order. By default 10, 20, 40, … up to 1000 or the target.
    method, penalty, k
        How features are selected, and how many. With a positive penalty, costs are extrapolated to
        the target size.
    samples : int
        Rows of each pilot table.
    check_samples : int
        Networks of the target size, the same for all sets.
    tolerance : float
        The loss of accuracy that you accept.
    confirm : int
        Number of larger pilots that must not be better.
    coverage : float
        Coverage of the intervals.
    budget : float
        CPU seconds to check one set at the target size. A set that would cost more is checked at a
        smaller size: the target is halved until the budget suffices.
    features, seed, engine, workers, path, on_progress
        As in :func:`pilot`.

    Returns
    -------
    Recommendation

    Examples
    --------
    >>> from netchoice.workflows import recommend_pilot_size
    >>> recommendation = recommend_pilot_size(
    ...     "ba", 60, sizes=[15, 30, 60], k=1, samples=60, check_samples=200, engine="serial",
    ...     features=["degree_mean", "transitivity", "noise_normal"])
    >>> recommendation.n_nodes, recommendation.features, recommendation.certain
    (15, ('degree_mean',), True)
    """
    space = get_space(space)
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    target = check_integer("target", target, MIN_PILOT_NODES)
    order = check_sizes(_default_sizes(target) if sizes is None else sizes, target)
    settings = LadderSettings(
        target=target,
        method=method,
        penalty=check_non_negative("penalty", penalty),
        k=check_integer("k", k),
        samples=check_integer("samples", samples, MIN_SAMPLES),
        check_samples=check_integer("check_samples", check_samples, MIN_SAMPLES),
        tolerance=check_fraction("tolerance", tolerance),
        confirm=check_integer("confirm", confirm),
        coverage=check_fraction("coverage", coverage),
        budget=check_positive("budget", budget),
    )
    maker = TableMaker(
        space,
        check_integer("seed", seed, 0),
        engine=engine,
        workers=workers,
        folder=None if path is None else place(path),
        on_progress=listener(on_progress),
        given_features=features_by_name(features),
    )
    ladder = PilotLadder(maker, settings)
    for n_nodes in order:
        ladder.add(n_nodes)
        if ladder.confirmed() is not None:
            break
    return _recommendation(ladder)


def _default_sizes(target: int) -> list[int]:
    last = min(LAST_SIZE, target)
    sizes = [FIRST_SIZE * 2**i for i in range(20) if FIRST_SIZE * 2**i <= last]
    return sizes or [target]


def _recommendation(ladder: PilotLadder) -> Recommendation:
    settings = ladder.settings
    chosen = ladder.confirmed()
    certain = chosen is not None
    if chosen is None:
        chosen = ladder.not_beaten()
    evidence = ladder.evidence()
    growth = ladder.cost_growth()
    cost = {
        "pilots": float(sum(pilot.seconds for pilot in ladder.pilots)),
        "checks": float(sum(ladder.check_seconds.values())),
    }
    if growth is not None:
        cost["all_features_at_target"] = settings.samples * growth.total(settings.target)
    if chosen is None or ladder.hopeless(evidence):
        return Recommendation(None, (), _no_verdict(ladder, evidence), False, evidence, [], cost)
    pilot = ladder.pilots[chosen]
    check_n = int(evidence["check_n"].iloc[chosen])
    confused = confused_pairs(*ladder.predict(check_n, pilot.features), settings.coverage)
    verdict = _verdict(settings, evidence.iloc[chosen], certain, confused)
    return Recommendation(pilot.n_nodes, pilot.features, verdict, certain, evidence, confused, cost)


def _no_verdict(ladder: PilotLadder, evidence: pd.DataFrame) -> str:
    last = ladder.pilots[-1].n_nodes
    if not ladder.hopeless(evidence):
        return (
            f"no pilot can be recommended: larger pilots still select better features at {last} nodes; "
            "try larger sizes"
        )
    best, chance = evidence["accuracy_check"].max(), evidence["chance"].mean()
    check_n = int(evidence["check_n"].iloc[0])
    seen = "no feature varies" if math.isnan(best) else f"at best {best:.3f} with {check_n} nodes"
    return (
        f"no pilot can be recommended: with pilots of up to {last} nodes the models are not "
        f"distinguished better than by chance (accuracy {seen}; chance {chance:.3f}). They are the "
        "same, or they differ in nothing that the features measure, or only in larger networks"
    )


def _verdict(
    settings: LadderSettings, row: pd.Series, certain: bool, confused: list[tuple[str, str]]
) -> str:
    where = f"{row['check_n']} nodes"
    verdict = (
        f"{row['n']} nodes are enough: features selected there have an accuracy of "
        f"{row['accuracy_check']:.3f} ({row['check_low']:.3f} to {row['check_high']:.3f}) at {where}"
    )
    if row["check_n"] < settings.target:
        verdict += f" (at {settings.target} nodes they cost more than the budget)"
    if not math.isnan(row["gain_high"]):
        verdict += f"; larger pilots gain {row['gain']:.3f} there, at most {row['gain_high']:.3f}"
    if not certain:
        verdict = (
            f"perhaps {verdict}. This is not certain: expected a gain of at most "
            f"{settings.tolerance:g} for {settings.confirm} larger sizes; try more sizes or more "
            "networks to check with"
        )
    for first, second in confused:
        verdict += (
            f". {first} and {second} are not distinguished at {where} by any selected feature"
        )
    return verdict
