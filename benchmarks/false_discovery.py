"""Measure the false discovery rate of the test of fit in cohorts that share their simulations.

    python benchmarks/false_discovery.py

Each cohort has observations of the model and observations that lie apart from it. All are compared with
the same simulations, so their p-values are dependent. The script prints the mean share of wrong rejections
at a false discovery rate of 0.05, its standard error, the share of the other observations that are
rejected, and the share of cohorts with any rejection if all observations are of the model.
"""

import argparse

import numpy as np

from netchoice.inference import adjusted_p_values, fit_p_values

N_OWN, N_OTHER, N_FEATURES, SHIFT = 40, 10, 3, 5.0


def main() -> None:
    """Run the cohorts and print the rates."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cohorts", type=int, default=500)
    parser.add_argument("--simulations", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    wrong, power, any_rejected = [], [], []
    for _ in range(options.cohorts):
        simulated = rng.normal(size=(options.simulations, N_FEATURES))
        own = rng.normal(size=(N_OWN, N_FEATURES))
        p_values = fit_p_values(
            simulated, np.vstack([own, SHIFT + rng.normal(size=(N_OTHER, N_FEATURES))]), n_jobs=1
        )
        rejected = adjusted_p_values(p_values) <= 0.05
        wrong.append(rejected[:N_OWN].sum() / max(1, rejected.sum()))
        power.append(rejected[N_OWN:].mean())
        any_rejected.append((adjusted_p_values(p_values[:N_OWN]) <= 0.05).any())
    error = np.std(wrong) / np.sqrt(options.cohorts)
    print(f"wrong rejections: {np.mean(wrong):.4f} (standard error {error:.4f})")
    print(f"rejected among others: {np.mean(power):.3f}")
    print(f"cohorts of the model alone with any rejection: {np.mean(any_rejected):.4f}")


if __name__ == "__main__":
    main()
