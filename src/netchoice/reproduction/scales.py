"""How much of the paper's work is done: all of it, a few minutes of it, or a moment's."""

from __future__ import annotations

from dataclasses import dataclass

from netchoice.evaluation.penalties import PAPER_PENALTIES

PARTS = ("ba", "duplication", "pilot", "yeast", "three-core")
FAMILIES = ("ba", "duplication")
#: As the paper orders them: four in the main figures, four in the appendix, and the one not shown.
MAIN = ("jmi", "mrmr", "relieff", "penalized-mda")
APPENDIX = ("jmim", "forest-relieff", "weighted-mda", "penalized-mdi")
NINE = (*MAIN, *APPENDIX, "weighted-mdi")
INFORMATION = ("mrmr", "jmi", "jmim")
FORESTS = ("penalized-mdi", "penalized-mda", "weighted-mdi", "weighted-mda")
RELIEFS = ("relieff", "forest-relieff")
SEED = 2026


@dataclass(frozen=True)
class Scale:
    """Sizes of everything.

    Attributes
    ----------
    rows, nodes : int
        Of the tables that features are ranked and tested on.
    penalties, ks : tuple
        The grid of the heat maps.
    finest : float
        Ratio of neighbouring penalties where the transition is looked at.
    runs : int
        Of the forests, on the same table with other seeds.
    pilot_sizes, pilot_rows, repeats
        Of the pilots; ``nodes`` is what they are for.
    yeast_rows : int
        Simulations for each yeast network.
    svm_penalties, svm_ks : tuple
        Where the support vector machine is compared.
    draws_every_setting : bool
        Pictures for every setting, or only some.
    """

    name: str
    rows: int
    nodes: int
    penalties: tuple[float, ...]
    ks: tuple[int, ...]
    finest: float
    runs: int
    pilot_sizes: tuple[int, ...]
    pilot_rows: int
    repeats: int
    yeast_rows: int
    svm_penalties: tuple[float, ...]
    svm_ks: tuple[int, ...]
    folds: int = 10
    draws_every_setting: bool = True


SCALES = {
    "tiny": Scale(
        "tiny", rows=80, nodes=40, penalties=(0.0, 0.1, 1.0, 12.8, 204.8), ks=(1, 2, 3, 5, 8),
        finest=4.0, runs=2, pilot_sizes=(20, 40), pilot_rows=60, repeats=1, yeast_rows=40,
        svm_penalties=(0.0,), svm_ks=(1, 2), folds=5, draws_every_setting=False,
    ),
    "small": Scale(
        "small", rows=600, nodes=300, penalties=PAPER_PENALTIES, ks=tuple(range(1, 16)),
        finest=2**0.5, runs=3, pilot_sizes=(50, 100, 200, 300), pilot_rows=300, repeats=2,
        yeast_rows=600, svm_penalties=(0.0, 1.0, 12.8), svm_ks=(1, 2, 5, 10),
    ),
    "paper": Scale(
        "paper", rows=5000, nodes=1000, penalties=PAPER_PENALTIES, ks=tuple(range(1, 16)),
        finest=2**0.25, runs=5, pilot_sizes=tuple(range(100, 1001, 100)), pilot_rows=5000,
        repeats=5, yeast_rows=5000, svm_penalties=(0.0, 1.0, 12.8), svm_ks=(1, 2, 3, 5, 10),
    ),
}  # fmt: skip
