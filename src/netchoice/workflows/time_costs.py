"""What the parts of an answer take that are not simulations: seconds on the reference machine.

They were measured on one core of the machine of ``docs/choose.md``, for two models; the pace of the machine
that runs scales them (:class:`~netchoice.workflows.simulation_plan.Stopwatch`).
"""

from __future__ import annotations

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
