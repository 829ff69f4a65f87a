"""Growth of costs with the size of a network, fitted to tables of small networks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from netchoice.costs import CostModel
from netchoice.errors import UsageError
from netchoice.features.registry import min_powers
from netchoice.storage.table import ReferenceTable
from netchoice.storage.table_columns import OWN_PREFIX, STEP_PREFIX

Floats = NDArray[np.float64]
#: Seconds of single rows by kind, "own" or "step", and by the name of the feature or shared step.
Times = dict[tuple[str, str], Floats]

#: The exponents that are tried.
CANDIDATE_POWERS = np.round(np.arange(0.0, 4.001, 0.1), 1)
#: Mean and standard deviation of the prior of an exponent.
PRIOR_POWER, PRIOR_POWER_SD = 1.5, 0.5
#: Standard deviation of the prior if a minimum power is known: networks may get denser as they grow.
KNOWN_POWER_SD = 0.2
#: The relative error of a measured cost is assumed to be at least this large.
MIN_RELATIVE_ERROR = 0.05


@dataclass(frozen=True)
class Curve:
    """Cost in seconds as a function of the number of nodes: a + linear · n + b · n^c.

    ``linear`` is 0 unless a minimum power is known.
    """

    a: float
    linear: float
    b: float
    c: float

    @classmethod
    def fit(cls, n: Floats, seconds: Floats, min_power: float | None = None) -> Self:
        """Fit a curve to mean seconds by number of nodes, with the smallest relative errors."""
        if not (seconds > 0).all():  # too short for the resolution of the clock
            return cls(float(seconds.mean()), 0.0, 0.0, 0.0)
        c = fit_exponent(n, seconds, min_power)
        (a, linear, b), _ = _fit_coefficients(n, seconds, c, min_power is not None)
        return cls(a, linear, b, c)

    def __call__(self, n_nodes: Any) -> Any:
        """Return the seconds for one number of nodes or for an array of them."""
        n = np.asarray(n_nodes, dtype=float)
        return self.a + self.linear * n + self.b * n**self.c


@dataclass(frozen=True)
class CostGrowth:
    """Costs of features and shared steps, extrapolated to any number of nodes.

    Attributes
    ----------
    curves : mapping
        The fitted :class:`Curve` of each (kind, name): "own" is the cost of a feature without its
        shared steps, "step" that of a shared step.
    uses : mapping
        The shared steps of each feature.

    Examples
    --------
    >>> from netchoice import simulate_table
    >>> tables = [
    ...     simulate_table("ba", n_nodes=n, n_samples=8, seed=1, engine="serial",
    ...                    features=["transitivity", "betweenness_max"])
    ...     for n in (30, 60, 120)]
    >>> costs = CostGrowth.fit(tables).predict(1000)
    >>> costs.cost("betweenness_max") > costs.cost("transitivity")
    True
    """

    curves: Mapping[tuple[str, str], Curve]
    uses: Mapping[str, Sequence[str]]

    @classmethod
    def fit(
        cls, tables: Iterable[ReferenceTable], powers: Mapping[str, float] | None = None
    ) -> Self:
        """Fit a curve to the cost of every shared step and feature.

        Parameters
        ----------
        tables : iterable of ReferenceTable
            Tables with the same features and at least two sizes; several may have the same size. Use
            the same seeds at every size: then the draws of models and parameters are the same. If all
            tables have calibrated rows (short times averaged over many runs), only these are used.
        powers : mapping, optional
            Known minimum powers: the cost of a shared step or feature grows at least as this power
            of n for large n. Its curve gets an additional term linear in n. By default those of the
            built-in features.
        """
        tables = list(tables)
        times = timings(tables)
        if len(times) < 2:
            size = f"{next(iter(times))} nodes"
            raise UsageError(f"all tables have one size ({size}); a fit needs at least two sizes")
        powers = min_powers() if powers is None else powers
        n = np.array(list(times), dtype=float)
        curves = {}
        for key in next(iter(times.values())):
            seconds = np.array([known(rows[key]).mean() for rows in times.values()])
            curves[key] = Curve.fit(n, seconds, powers.get(key[1]))
        return cls(curves, tables[0].costs.uses)

    def predict(self, n_nodes: int) -> CostModel:
        """Return the costs for networks with this many nodes."""
        seconds: dict[str, dict[str, float]] = {"own": {}, "step": {}}
        for (kind, name), curve in self.curves.items():
            seconds[kind][name] = float(curve(n_nodes))
        return CostModel(seconds["own"], self.uses, seconds["step"])


def timings(tables: Iterable[ReferenceTable]) -> dict[int, Times]:
    """Return the seconds of the rows of tables by number of nodes; NaN where a row lacks a feature.

    If all tables have calibrated rows, only these are used; and only rows of the machine with the most
    rows of the largest networks, if it made rows of all tables.
    """
    ordered = sorted(tables, key=lambda table: int(table.manifest["n_nodes"]))
    frames = [table.successful for table in ordered]
    machines = [
        frame["machine"].value_counts().index if "machine" in frame else () for frame in frames
    ]
    common = [name for name in machines[-1] if all(name in each for each in machines)]
    if common:
        frames = [frame[frame["machine"] == common[0]] for frame in frames]
    if all("calibrated" in frame and frame["calibrated"].any() for frame in frames):
        frames = [frame[frame["calibrated"].astype(bool)] for frame in frames]
    by_size: dict[int, list[Times]] = {}
    for table, frame in zip(ordered, frames, strict=True):
        by_size.setdefault(int(table.manifest["n_nodes"]), []).append(_seconds_by_row(frame))
    return {
        n: {key: np.concatenate([times[key] for times in each]) for key in each[0]}
        for n, each in by_size.items()
    }


def known(seconds: Floats) -> Floats:
    """Return the seconds of the rows that have a feature."""
    return seconds[~np.isnan(seconds)]


def _seconds_by_row(frame: pd.DataFrame) -> Times:
    """Return the seconds of each row for each kind and name."""
    return {
        (kind, column.removeprefix(prefix)): frame[column].to_numpy(dtype=float)
        for kind, prefix in (("own", OWN_PREFIX), ("step", STEP_PREFIX))
        for column in frame.columns
        if column.startswith(prefix)
    }


def fit_exponent(n: Floats, seconds: Floats, min_power: float | None = None) -> float:
    """Return the exponent c of a + b·n^c: the posterior mean over the candidate exponents.

    Deviations are relative, since costs range from microseconds to seconds. The mean is used instead
    of the best exponent, because small networks hardly distinguish a large overhead with a small
    power from a small overhead with a large power.
    """
    known = min_power is not None
    prior, prior_sd = (min_power, KNOWN_POWER_SD) if known else (PRIOR_POWER, PRIOR_POWER_SD)
    candidates = CANDIDATE_POWERS[(min_power or 0.0) <= CANDIDATE_POWERS]
    residuals = np.array([_fit_coefficients(n, seconds, c, known)[1] for c in candidates])
    variance = max(MIN_RELATIVE_ERROR**2, residuals.min() / max(len(n) - 3, 1))
    logs = -residuals / (2 * variance) - ((candidates - prior) / prior_sd) ** 2 / 2
    weights = np.exp(logs - logs.max())
    return float(weights @ candidates / weights.sum())


def _fit_coefficients(
    n: Floats, seconds: Floats, c: float, with_linear: bool
) -> tuple[tuple[float, float, float], float]:
    """Return the non-negative a, linear and b that fit best, and the sum of squared deviations."""
    from scipy.optimize import nnls

    largest, linear = n.max(), 0.0
    constant, power = 1 / seconds, (n / largest) ** c / seconds
    if with_linear:
        columns = np.column_stack([constant, power, n / largest / seconds])
        # Before SciPy 1.15, nnls did not converge for columns of short seconds, which are large.
        norms = np.linalg.norm(columns, axis=0)
        scaled, root = nnls(columns / norms, np.ones(len(n)))
        a, b, linear = scaled / norms
        residual = root**2
    else:
        (a, b), residual = _fit_two_coefficients(constant, power)
    return (float(a), float(linear / largest), float(b / largest**c)), float(residual)


def _fit_two_coefficients(u: Floats, v: Floats) -> tuple[tuple[float, float], float]:
    """Return the a, b ≥ 0 that minimize |a·u + b·v - 1|², and the minimum."""
    uu, vv, uv, u1, v1 = u @ u, v @ v, u @ v, u.sum(), v.sum()
    determinant = uu * vv - uv * uv
    candidates = [(u1 / uu, 0.0), (0.0, v1 / vv)]
    if determinant > 1e-12 * uu * vv:
        both = ((vv * u1 - uv * v1) / determinant, (uu * v1 - uv * u1) / determinant)
        if min(both) >= 0:
            candidates = [both]
    fits = [((a, b), float(((a * u + b * v - 1) ** 2).sum())) for a, b in candidates]
    return min(fits, key=lambda fit: fit[1])
