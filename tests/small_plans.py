"""Plans with few simulations, for tests that do not depend on the number of simulations."""

from netchoice.workflows import SimulationPlan

#: Models can be rejected with 124 simulations of each; 160 on average are enough for random labels.
FEW = {
    "min_fit_samples": 160, "local_samples": 160, "shown_samples": 160, "profile_samples": 2,
    "power_samples": 1, "pooled_sets": 3, "held_out_samples": 60, "probe_samples": 8,
}  # fmt: skip


def small_plan(**numbers):
    """Return a plan with few simulations, and with the given numbers."""
    return SimulationPlan(**{**FEW, **numbers})
