"""Mutual information of two columns given numbers, against closed forms.

Both columns depend on the numbers y: linearly with correlation r, or through sin(2y). Given y, they are
bivariate normal with correlation ρ, so I(j;k|y) = −½ log(1 − ρ²). The table shows the error of the mean
over ten samples, in nats, for the estimate of ``netchoice.information.conditional_redundancy``, for the same
slices without removing trends, and for the nearest-neighbour estimate of Frenzel & Pompe (2007),
doi:10.1103/PhysRevLett.99.204101.
"""

from __future__ import annotations

import argparse

import numpy as np
import report
from scipy.spatial import cKDTree
from scipy.special import digamma
from scipy.stats import norm, rankdata

from netchoice.information import MAX_SLICES, ROWS_PER_SLICE, conditional_redundancy

CASES = [("linear", r, rho) for r in (0.0, 0.9, 0.99) for rho in (0.0, 0.5, 0.9)]
CASES += [("sin(2y)", 0.9, rho) for rho in (0.0, 0.5, 0.9)]
NEIGHBOURS = 3


def sample(shape: str, r: float, rho: float, n: int, rng) -> tuple[np.ndarray, np.ndarray]:
    """Return two columns (n, 2) and the numbers."""
    y, first, second = rng.normal(size=(3, n))
    mean = y if shape == "linear" else np.sqrt(2) * np.sin(2 * y)
    noise = np.column_stack([first, rho * first + np.sqrt(1 - rho**2) * second])
    return r * mean[:, None] + np.sqrt(1 - r**2) * noise, y


def in_slices(X: np.ndarray, y: np.ndarray) -> float:
    """Return the estimate in slices of similar numbers, without removing trends."""
    n_slices = max(1, min(MAX_SLICES, len(y) // ROWS_PER_SLICE))
    labels = (rankdata(y) - 0.5) * n_slices // len(y)
    return conditional_redundancy(X, labels, target="classes")[0, 1]


def frenzel_pompe(X: np.ndarray, y: np.ndarray) -> float:
    """Return the nearest-neighbour estimate on normal scores."""
    points = norm.ppf((rankdata(np.column_stack([X, y]), axis=0) - 0.5) / len(y))
    distance = cKDTree(points).query(points, NEIGHBOURS + 1, p=np.inf)[0][:, -1]
    distance = np.nextafter(distance, 0)

    def counts(columns):
        tree = cKDTree(points[:, columns])
        return tree.query_ball_point(points[:, columns], distance, p=np.inf, return_length=True)

    terms = digamma(counts([0, 2])) + digamma(counts([1, 2])) - digamma(counts([2]))
    return float(digamma(NEIGHBOURS) - terms.mean())


def main() -> None:
    """Print the errors, and write the largest of each estimate."""
    parser = argparse.ArgumentParser(description=__doc__)
    report.add_json(parser)
    options = parser.parse_args()
    largest: dict[str, float] = {}
    print(f"{'rows':>5} {'mean':8} {'r':>5} {'ρ':>4} {'true':>6}  ours  slices  Frenzel–Pompe")
    for n in (500, 5000):
        rng = np.random.default_rng(1)
        for shape, r, rho in CASES:
            true = -0.5 * np.log(1 - rho**2)
            errors = []
            for _ in range(10):
                X, y = sample(shape, r, rho, n, rng)
                ours = conditional_redundancy(X, y, target="numbers")[0, 1]
                errors.append([ours - true, in_slices(X, y) - true, frenzel_pompe(X, y) - true])
            means = np.mean(errors, axis=0)
            for name, error in zip(("ours", "slices", "frenzel pompe"), means, strict=True):
                key = f"{name} {'linear' if shape == 'linear' else 'bent'} {n}"
                largest[key] = max(largest.get(key, 0.0), abs(float(error)))
            shown = " ".join(f"{error:+.3f}" for error in means)
            print(f"{n:5} {shape:8} {r:5} {rho:4} {true:6.3f}  {shown}", flush=True)
    report.write(options, largest)


if __name__ == "__main__":
    main()
