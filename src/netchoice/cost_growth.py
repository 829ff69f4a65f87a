"""Growth of costs with the size of a network, fitted to tables of small networks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.costs import CostModel
from netchoice.errors import UsageError
from netchoice.storage.table import ReferenceTable
from netchoice.storage.table_columns import OWN_PREFIX, STEP_PREFIX
from netchoice.validation import check_fraction, check_integer

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Times = dict[tuple[str, str], Floats]

#: The exponents that are tried.
CANDIDATE_POWERS = np.round(np.arange(0.0, 4.001, 0.1), 1)
#: Mean and standard deviation of the prior of an exponent.
PRIOR_POWER, PRIOR_POWER_SD = 1.5, 0.5
#: Standard deviation of the prior if a minimum power is known: networks may get denser as they grow.
KNOWN_POWER_SD = 0.2
#: The relative error of a measured cost is assumed to be at least this large.
MIN_RELATIVE_ERROR = 0.05
#: Name of the curve of the total cost.
ALL_FEATURES = "all"


@dataclass(frozen=True)
class Curve:
    """Cost in seconds as a function of the number of nodes: a + linear · n + b · n^c.

    Attributes
    ----------
    name : str
        The feature or shared step; "all" for the total.
    kind : "step", "own", "feature" or "total"
        A shared step; a feature without its shared steps; a feature alone, with its shared steps;
        all features, with each shared step paid once.
    exponent, low, high : float
        Slope of the straight line through the logarithms of sizes and costs, with its confidence
        interval. The interval is NaN for fewer than three sizes.
    a, linear, b, c : float
        Parameters of the curve; ``linear`` is 0 unless a minimum power is known.
    error : float
        Root mean squared relative deviation of the measured costs from the curve.
    """

    name: str
    kind: str
    exponent: float
    low: float
    high: float
    a: float
    linear: float
    b: float
    c: float
    error: float

    def __call__(self, n_nodes: Any) -> Any:
        """Return the seconds for one number of nodes or for an array of them."""
        n = np.asarray(n_nodes, dtype=float)
        return self.a + self.linear * n + self.b * n**self.c


class CostGrowth:
    """Costs of shared steps and features, extrapolated to any number of nodes; see :meth:`fit`.

    Attributes
    ----------
    curves : dict
        The fitted :class:`Curve` of each (kind, name).
    sizes : list of int
        Numbers of nodes of the tables.
    measured : pandas.DataFrame
        Mean seconds for each name, kind and number of nodes, with the standard error.

    Examples
    --------
    >>> import netchoice
    >>> tables = [
    ...     netchoice.simulate_table("ba", n_nodes=n, n_samples=8, seed=1, engine="serial",
    ...                              features=["transitivity", "betweenness_max"])
    ...     for n in (30, 60, 120)]
    >>> costs = netchoice.CostGrowth.fit(tables).predict(1000)
    >>> costs.cost("betweenness_max") > costs.cost("transitivity")
    True
    """

    def __init__(
        self, curves: Iterable[Curve], uses: Mapping[str, Sequence[str]], measured: pd.DataFrame
    ) -> None:
        self.curves = {(curve.kind, curve.name): curve for curve in curves}
        self.uses = {name: list(used) for name, used in uses.items()}
        self.measured = measured
        self.sizes = sorted({int(n) for n in measured["n"]})

    @classmethod
    def fit(
        cls, tables: Iterable[ReferenceTable], *,
        powers: Mapping[str, float] | None = None, coverage: float = 0.95,
    ) -> CostGrowth:  # fmt: skip
        """Fit a curve to the cost of every shared step and feature.

        Parameters
        ----------
        tables : iterable of ReferenceTable
            Tables with the same features and at least two sizes; several may have the same size. Use
            the same seeds at every size: then the draws of models and parameters are the same. If all
            tables have calibrated rows (short times averaged over many runs), only these are used.
        powers : mapping, optional
            Known minimum powers: the cost of a shared step or feature grows at least as this power
            of n for large n. Its curve gets an additional term linear in n.
        coverage : float
            Coverage of the confidence intervals.
        """
        check_fraction("coverage", coverage)
        tables = list(tables)
        measured = cls.measure(tables)
        if measured["n"].nunique() < 2:
            size = f"{measured['n'][0]} nodes"
            raise UsageError(f"all tables have one size ({size}); a fit needs at least two sizes")
        curves = []
        for (kind, name), rows in measured.groupby(["kind", "name"], sort=False):
            n, seconds = rows["n"].to_numpy(dtype=float), rows["seconds"].to_numpy(dtype=float)
            min_power = (powers or {}).get(name) if kind in ("own", "step") else None
            curves.append(_fit_curve(name, kind, n, seconds, min_power, coverage))
        return cls(curves, tables[0].costs.uses, measured)

    @staticmethod
    def measure(tables: Iterable[ReferenceTable]) -> pd.DataFrame:
        """Return the mean seconds for each name, kind and n, as in the attribute ``measured``."""
        tables = list(tables)
        if not tables:
            raise UsageError("no tables given; pass tables of at least two sizes")
        return _mean_seconds(_by_size(tables), tables[0].costs.uses)

    def predict(self, n_nodes: int) -> CostModel:
        """Return the costs for networks with this many nodes."""
        check_integer("n_nodes", n_nodes)
        own, steps = (
            {
                name: float(curve(n_nodes))
                for (kind, name), curve in self.curves.items()
                if kind == k
            }
            for k in ("own", "step")
        )
        return CostModel(own, self.uses, steps)

    def total(self, n_nodes: int, charge: str = "shared") -> float:
        """Return the seconds of all features of one network with this many nodes."""
        costs = self.predict(n_nodes)
        return costs.cost_of_set(costs.features, charge)

    @property
    def exponents(self) -> pd.DataFrame:
        """All curves as a data frame, one row for each."""
        import pandas as pd

        return pd.DataFrame([asdict(curve) for curve in self.curves.values()])

    def as_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON; :meth:`from_dict` restores the object."""
        curves, measured = (
            frame.astype(object).where(frame.notna(), None).to_dict("records")
            for frame in (self.exponents, self.measured)
        )
        return {"curves": curves, "uses": self.uses, "measured": measured}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> CostGrowth:
        """Restore an object from the result of :meth:`as_dict`."""
        import pandas as pd

        curves: list[Any] = [
            {key: np.nan if value is None else value for key, value in curve.items()}
            for curve in record["curves"]
        ]
        measured = pd.DataFrame(record["measured"]).astype({"seconds_se": float})
        return cls([Curve(**curve) for curve in curves], record["uses"], measured)

    def __repr__(self) -> str:
        n_own = sum(kind == "own" for kind, _ in self.curves)
        sizes = ", ".join(map(str, self.sizes))
        return f"<CostGrowth: {n_own} features, measured with {sizes} nodes>"


def _by_size(tables: Sequence[ReferenceTable]) -> Mapping[int, list[ReferenceTable]]:
    by_size: dict[int, list[ReferenceTable]] = defaultdict(list)
    for table in tables:
        n_nodes = table.manifest.get("n_nodes")
        if n_nodes is None:
            message = "a table does not say its number of nodes; pass tables made by simulate_table"
            raise UsageError(message)
        if set(table.features) != set(tables[0].features):
            raise UsageError(
                f"the tables with {tables[0].manifest['n_nodes']} and {n_nodes} nodes have different "
                "features; simulate them with the same features"
            )
        by_size[int(n_nodes)].append(table)
    return dict(sorted(by_size.items()))


def _mean_seconds(
    by_size: Mapping[int, Sequence[ReferenceTable]], uses: Mapping[str, Sequence[str]]
) -> pd.DataFrame:
    import pandas as pd

    frames = [table.frame for tables in by_size.values() for table in tables]
    calibrated = all("calibrated" in frame and frame["calibrated"].any() for frame in frames)
    machine = _common_machine([table for tables in by_size.values() for table in tables])
    rows = []
    for n, tables in by_size.items():
        each = [_seconds_by_row(table, calibrated, machine) for table in tables]
        parts = {key: np.concatenate([times[key] for times in each]) for key in each[0]}
        times = dict(parts)
        for kind, name in parts:
            if kind == "own":
                keys = [("step", used) for used in uses.get(name, ())]
                used = [parts[key if key in parts else ("own", key[1])] for key in keys]
                times["feature", name] = sum(used, start=parts["own", name])
        times["total", ALL_FEATURES] = np.sum(list(parts.values()), axis=0)
        for (kind, name), all_seconds in times.items():
            seconds = all_seconds[~np.isnan(all_seconds)]  # a part of the rows may lack a feature
            several = len(seconds) > 1
            error = seconds.std(ddof=1) / np.sqrt(len(seconds)) if several else np.nan
            rows.append((name, kind, n, float(seconds.mean()), float(error)))
    return pd.DataFrame(rows, columns=["name", "kind", "n", "seconds", "seconds_se"])


def _common_machine(tables: Sequence[ReferenceTable]) -> str | None:
    """Return the machine with the most rows of the last table that has rows of all tables, if any."""
    common = set.intersection(*(set(table.machines) for table in tables))
    return next((name for name in tables[-1].machines if name in common), None)


def _seconds_by_row(table: ReferenceTable, calibrated: bool, machine: str | None) -> Times:
    """Return the seconds of all rows, or of the calibrated ones, for each kind and name."""
    frame = table.timed(machine)
    if calibrated:
        frame = frame[frame["calibrated"].astype(bool)]
    times = {
        (kind, column.removeprefix(prefix)): frame[column].to_numpy(dtype=float)
        for kind, prefix in (("own", OWN_PREFIX), ("step", STEP_PREFIX))
        for column in frame.columns
        if column.startswith(prefix)
    }
    if not times:  # an imported table: it has given costs, but no timings
        times = {("own", name): np.array([cost]) for name, cost in table.costs.own.items()}
        times |= {("step", name): np.array([cost]) for name, cost in table.costs.steps.items()}
    return times


def _fit_curve(
    name: str, kind: str, n: Floats, seconds: Floats, min_power: float | None, coverage: float
) -> Curve:
    if not (seconds > 0).all():  # too short for the resolution of the clock
        mean = float(seconds.mean())
        return Curve(name, kind, 0.0, np.nan, np.nan, mean, 0.0, 0.0, 0.0, 0.0)
    exponent, low, high = fit_slope(np.log(n), np.log(seconds), coverage)
    c = fit_power(n, seconds, min_power)
    (a, linear, b), residual = _fit_coefficients(n, seconds, c, min_power is not None)
    error = float(np.sqrt(residual / len(n)))
    return Curve(name, kind, exponent, low, high, a, linear, b, c, error)


def fit_slope(x: Floats, y: Floats, coverage: float = 0.95) -> tuple[float, float, float]:
    """Return the slope of a least-squares line and its confidence interval; NaN for two points.

    >>> slope, low, high = fit_slope(np.log([1.0, 2, 4, 8]), np.log([1.1, 3.9, 16.2, 63.0]))
    >>> round(slope, 2), low < 2 < high
    (1.96, True)
    """
    from scipy.stats import t

    if len(x) < 3:
        return float(np.polyfit(x, y, 1)[0]), np.nan, np.nan
    (slope, _), covariance = np.polyfit(x, y, 1, cov=True)
    half = t.ppf((1 + coverage) / 2, len(x) - 2) * np.sqrt(covariance[0, 0])
    return float(slope), float(slope - half), float(slope + half)


def fit_power(n: Floats, seconds: Floats, min_power: float | None = None) -> float:
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
