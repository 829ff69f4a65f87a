"""How costs grow with the size of a network, from tables of small ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.costs import CostModel
from netchoice.errors import UsageError
from netchoice.storage.table import OWN, STEP, ReferenceTable

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Times = dict[tuple[str, str], Floats]

#: Exponents that are tried.
POWERS = np.round(np.arange(0.0, 4.001, 0.1), 1)
#: What an exponent is before anything is measured, and how far it may be from that.
TYPICAL_POWER, SPREAD = 1.5, 0.5
#: How far a power that is known may be exceeded: networks may get denser as they grow.
SPREAD_IF_KNOWN = 0.2
#: Timings are never trusted more than this, relatively, however well a curve passes through them.
TRUST = 0.05
WHOLE = "all"


@dataclass(frozen=True)
class Curve:
    """Seconds for n nodes: a + linear · n + b · n^c; and the plain power of a fit without a.

    Attributes
    ----------
    kind : "step", "own", "feature" or "total"
        A shared step; a feature beyond its steps; a feature alone; everything, steps paid once.
    exponent, low, high : float
        Of the straight line through the logarithms, with its confidence interval, which is NaN for
        fewer than three sizes.
    a, linear, b, c : float
        Fixed overhead, what grows with the nodes (0 unless the power is known to be higher), and
        the rest.
    error : float
        Root of the mean squared relative deviation of the measured costs from the curve.
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
        """Seconds at this size, or at these."""
        n = np.asarray(n_nodes, dtype=float)
        return self.a + self.linear * n + self.b * n**self.c


class CostGrowth:
    """Costs of steps and features for any number of nodes.

    Made by :meth:`fit` from tables of several sizes.

    Attributes
    ----------
    sizes : list of int
    measured : pandas.DataFrame
        Mean seconds for each name, kind and n, with the standard error (seconds_se).

    Examples
    --------
    >>> import netchoice
    >>> from netchoice.cost_growth import CostGrowth
    >>> tables = [
    ...     netchoice.simulate_table("ba", n_nodes=n, n_samples=8, seed=1, engine="serial",
    ...                              features=["transitivity", "betweenness_max"])
    ...     for n in (30, 60, 120)]
    >>> growth = CostGrowth.fit(tables)
    >>> costs = growth.predict(1000)
    >>> costs.cost("betweenness_max") > costs.cost("transitivity")
    True
    """

    def __init__(
        self, curves: Iterable[Curve], uses: Mapping[str, Sequence[str]], measured: pd.DataFrame
    ) -> None:
        self.curves = {(curve.kind, curve.name): curve for curve in curves}
        self.uses = {name: list(needed) for name, needed in uses.items()}
        self.measured = measured
        self.sizes = sorted({int(n) for n in measured["n"]})

    @classmethod
    def fit(
        cls,
        tables: Iterable[ReferenceTable],
        *,
        powers: Mapping[str, float] | None = None,
        coverage: float = 0.95,
    ) -> CostGrowth:
        """Fit the growth of every step's and feature's cost.

        Parameters
        ----------
        tables : iterable of ReferenceTable
            Of at least two sizes, several tables of a size allowed, with the same features. Best
            with the same seeds at every size: then they hold the same draws of models and
            parameters, and what differs is the size. Rows on which short times were measured over
            many runs are used alone where all tables have some.
        powers : mapping, optional
            Steps and features that are known to end in at least this power of n, however they
            begin. They get a term linear in n besides.
        coverage : float
            Of the confidence intervals.
        """
        tables = list(tables)
        measured = cls.measure(tables)
        sizes = sorted(set(measured["n"]))
        if len(sizes) < 2:
            raise UsageError(
                f"tables of one size ({sizes[0]} nodes); growth needs at least two sizes"
            )
        uses = {name: list(needed) for name, needed in tables[0].costs.uses.items()}
        return cls(_fitted(measured, powers or {}, coverage), uses, measured)

    @staticmethod
    def measure(tables: Iterable[ReferenceTable]) -> pd.DataFrame:
        """Mean seconds for each name, kind and n, with the standard error, as in ``measured``."""
        tables = list(tables)
        if not tables:
            raise UsageError("no tables; growth needs tables of at least two sizes")
        return _measured(_by_size(tables), tables[0].costs.uses)

    def predict(self, n_nodes: int) -> CostModel:
        """Costs for networks of this many nodes."""
        if not n_nodes >= 1:
            raise UsageError(f"n_nodes={n_nodes!r}; expected a number of at least 1")
        cost = {
            key: float(curve(n_nodes))
            for key, curve in self.curves.items()
            if key[0] in ("own", "step")
        }
        own = {name: seconds for (kind, name), seconds in cost.items() if kind == "own"}
        steps = {name: seconds for (kind, name), seconds in cost.items() if kind == "step"}
        return CostModel(own, self.uses, steps)

    def total(self, n_nodes: int, charge: str = "shared") -> float:
        """Seconds of all features of a network of this size."""
        costs = self.predict(n_nodes)
        return costs.cost_of_set(costs.features, charge)

    @property
    def exponents(self) -> pd.DataFrame:
        """All curves, one row each; those of kind feature are of costs alone."""
        import pandas as pd

        return pd.DataFrame([asdict(curve) for curve in self.curves.values()])

    def as_dict(self) -> dict[str, Any]:
        """For JSON; :meth:`from_dict` makes it again."""
        return {
            "curves": [
                {key: None if value != value else value for key, value in asdict(curve).items()}
                for curve in self.curves.values()
            ],
            "uses": self.uses,
            "measured": self.measured.astype(object)
            .where(self.measured.notna(), None)
            .to_dict("records"),
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> CostGrowth:
        """What :meth:`as_dict` gave."""
        import pandas as pd

        curves = [
            Curve(**{key: np.nan if value is None else value for key, value in each.items()})  # type: ignore[arg-type]
            for each in record["curves"]
        ]
        measured = pd.DataFrame(record["measured"]).astype({"seconds_se": float})
        return cls(curves, record["uses"], measured)

    def __repr__(self) -> str:
        n_own = sum(kind == "own" for kind, _ in self.curves)
        sizes = ", ".join(map(str, self.sizes))
        return f"<CostGrowth: {n_own} features, measured with {sizes} nodes>"


def _by_size(tables: Sequence[ReferenceTable]) -> dict[int, list[ReferenceTable]]:
    by_size: dict[int, list[ReferenceTable]] = defaultdict(list)
    for table in tables:
        n_nodes = table.manifest.get("n_nodes")
        if n_nodes is None:
            raise UsageError(
                "a table that does not say its number of nodes; use tables of simulate_table"
            )
        if set(table.features) != set(tables[0].features):
            raise UsageError(
                f"the tables with {tables[0].manifest['n_nodes']} and {n_nodes} nodes have different "
                "features; simulate them with the same ones"
            )
        by_size[int(n_nodes)].append(table)
    return dict(sorted(by_size.items()))


def _measured(
    by_size: Mapping[int, Sequence[ReferenceTable]], uses: Mapping[str, Sequence[str]]
) -> pd.DataFrame:
    import pandas as pd

    calibrated = all(_n_calibrated(table) for tables in by_size.values() for table in tables)
    rows = []
    for n, tables in by_size.items():
        each = [_times(table, calibrated) for table in tables]
        times = {key: np.concatenate([part[key] for part in each]) for key in each[0]}
        parts = dict(times)
        for kind, name in parts:
            if kind == "own":
                needed = [_of(parts, item) for item in uses.get(name, ())]
                times["feature", name] = sum(needed, start=parts["own", name])
        times["total", WHOLE] = np.sum(list(parts.values()), axis=0)
        for (kind, name), seconds in times.items():
            several = len(seconds) > 1
            error = seconds.std(ddof=1) / np.sqrt(len(seconds)) if several else np.nan
            rows.append((name, kind, n, float(seconds.mean()), float(error)))
    return pd.DataFrame(rows, columns=["name", "kind", "n", "seconds", "seconds_se"])


def _n_calibrated(table: ReferenceTable) -> int:
    return int(table.frame["calibrated"].sum()) if "calibrated" in table.frame else 0


def _of(times: Times, name: str) -> Floats:
    return times["step", name] if ("step", name) in times else times["own", name]


def _times(table: ReferenceTable, calibrated: bool) -> Times:
    """Seconds of each row, by kind and name."""
    frame = table.frame[table.frame["failure"].isna()]
    if calibrated:
        frame = frame[frame["calibrated"].astype(bool)]
    kinds = {OWN: "own", STEP: "step"}
    times = {
        (kind, column.removeprefix(prefix)): frame[column].to_numpy(dtype=float)
        for prefix, kind in kinds.items()
        for column in frame.columns
        if column.startswith(prefix)
    }
    if not times:  # a table that has costs only
        costs = table.costs
        times = {("own", name): np.array([cost]) for name, cost in costs.own.items()}
        times |= {("step", name): np.array([cost]) for name, cost in costs.steps.items()}
    return times


def _fitted(measured: pd.DataFrame, powers: Mapping[str, float], coverage: float) -> list[Curve]:
    curves = []
    for (kind, name), rows in measured.groupby(["kind", "name"], sort=False):
        n, seconds = rows["n"].to_numpy(dtype=float), rows["seconds"].to_numpy(dtype=float)
        least = powers.get(name) if kind in ("own", "step") else None
        curves.append(_curve(str(name), str(kind), n, seconds, least, coverage))
    return curves


def _curve(
    name: str, kind: str, n: Floats, seconds: Floats, least: float | None, coverage: float
) -> Curve:
    if not (seconds > 0).all():  # too short for the clock
        mean = float(seconds.mean())
        return Curve(name, kind, 0.0, np.nan, np.nan, mean, 0.0, 0.0, 0.0, 0.0)
    exponent, low, high = straight_line(np.log(n), np.log(seconds), coverage)
    c = power(n, seconds, least)
    (a, linear, b), residual = _terms(n, seconds, c, least is not None)
    error = float(np.sqrt(residual / len(n)))
    return Curve(name, kind, exponent, low, high, a, linear, b, c, error)


def straight_line(x: Floats, y: Floats, coverage: float = 0.95) -> tuple[float, float, float]:
    """Slope of the least-squares line, and its confidence interval.

    >>> slope, low, high = straight_line(np.log([1.0, 2, 4, 8]), np.log([1.1, 3.9, 16.2, 63.0]))
    >>> round(slope, 2), low < 2 < high
    (1.96, True)
    """
    from scipy.stats import t

    centred = x - x.mean()
    spread = float(centred @ centred)
    slope = float(centred @ y) / spread
    if len(x) < 3:
        return slope, np.nan, np.nan
    residual = y - y.mean() - slope * centred
    error = np.sqrt(residual @ residual / (len(x) - 2) / spread)
    half = float(t.ppf((1 + coverage) / 2, len(x) - 2) * error)
    return slope, slope - half, slope + half


def power(n: Floats, seconds: Floats, least: float | None = None) -> float:
    """The exponent c of a + b·n^c: the mean over all that are tried, by how well they fit.

    Deviations are relative, since costs span microseconds to seconds. A mean, because from small
    networks an overhead and a small power look much like less overhead and a larger one.
    """
    tried = POWERS if least is None else POWERS[least <= POWERS]
    residuals = np.array([_terms(n, seconds, c, least is not None)[1] for c in tried])
    noise = max(TRUST**2, residuals.min() / max(len(n) - 3, 1))
    typical, spread = (TYPICAL_POWER, SPREAD) if least is None else (least, SPREAD_IF_KNOWN)
    logs = -residuals / (2 * noise) - ((tried - typical) / spread) ** 2 / 2
    weights = np.exp(logs - logs.max())
    return float(weights @ tried / weights.sum())


def _terms(
    n: Floats, seconds: Floats, c: float, with_linear: bool
) -> tuple[tuple[float, float, float], float]:
    """Best a, linear and b, none below 0, for an exponent; and the sum of squared deviations."""
    largest = n.max()
    overhead, rising = 1 / seconds, (n / largest) ** c / seconds
    if with_linear:
        from scipy.optimize import nnls

        columns = np.column_stack([overhead, rising, n / largest / seconds])
        (a, b, linear), root = nnls(columns, np.ones(len(n)))
        residual = root**2
    else:
        (a, b), residual = _two_terms(overhead, rising)
        linear = 0.0
    return (float(a), float(linear / largest), float(b / largest**c)), float(residual)


def _two_terms(u: Floats, v: Floats) -> tuple[tuple[float, float], float]:
    """Best a, b ≥ 0 with a·u + b·v ≈ 1, and the sum of squared deviations."""
    uu, vv, uv, u1, v1 = u @ u, v @ v, u @ v, u.sum(), v.sum()
    determinant = uu * vv - uv * uv
    candidates = [(u1 / uu, 0.0), (0.0, v1 / vv)]
    if determinant > 1e-12 * uu * vv:
        both = ((vv * u1 - uv * v1) / determinant, (uu * v1 - uv * u1) / determinant)
        if min(both) >= 0:
            candidates = [both]
    found = [((a, b), float(((a * u + b * v - 1) ** 2).sum())) for a, b in candidates]
    return min(found, key=lambda pair: pair[1])
