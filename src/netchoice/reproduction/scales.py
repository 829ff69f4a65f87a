"""Sizes of a reproduction: the scales ``tiny``, ``small`` and ``paper``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from netchoice.evaluation.penalties import PAPER_PENALTIES
from netchoice.reproduction.code_version import code_facts

PARTS = ("ba", "duplication", "pilot", "yeast", "three-core")
FAMILIES = ("ba", "duplication")
SEED = 2026
#: Settings that may differ between runs into the same folder.
_WITHOUT_EFFECT_ON_DATA = ("tables", "draws_every_setting", "judged")


def table_seed(number: int) -> int:
    """Return the seed of everything that belongs to a table; the first table has number 1.

    The run that the criteria were changed after had the seed ``SEED``, which no table has.
    """
    return SEED + 100 * number


@dataclass(frozen=True)
class Scale:
    """Numbers of tables, networks, nodes and penalties of a reproduction."""

    name: str
    rows: int  # networks per table
    nodes: int  # nodes per network, also of the target of the pilots
    penalties: tuple[float, ...]  # of the heat maps
    ks: tuple[int, ...]  # numbers of features of the heat maps
    fine_ratio: float  # of neighbouring penalties in the study of the transition
    forest_runs: int  # runs of the forest methods on the same table with different seeds
    pilot_sizes: tuple[int, ...]
    pilot_rows: int
    tables: int  # independent pairs of tables for ranking and testing
    yeast_rows: int  # simulations for each yeast network
    svm_penalties: tuple[float, ...]
    svm_ks: tuple[int, ...]
    folds: int = 10
    draws_every_setting: bool = True  # whether to draw the heat maps of all cost settings
    judged: bool = True  # whether the networks are enough to judge the claims

    def as_dict(self) -> dict[str, Any]:
        """Return all settings for JSON, with the seed."""
        record = {**asdict(self), "seed": SEED}
        return {key: list(v) if isinstance(v, tuple) else v for key, v in record.items()}

    @property
    def facts(self) -> dict[str, Any]:
        """What kept results depend on: the settings, the seed and the version of the code."""
        settings = {k: v for k, v in self.as_dict().items() if k not in _WITHOUT_EFFECT_ON_DATA}
        return {**settings, **code_facts()}


#: From 0 to the largest penalty of the paper, so that the fall of accuracy is covered.
_SVM_PENALTIES = (0.0, 1.0, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8)
SCALES = {
    "tiny": Scale(
        "tiny", rows=80, nodes=40, penalties=(0.0, 0.1, 1.0, 12.8, 204.8), ks=(1, 2, 3, 5, 8),
        fine_ratio=4.0, forest_runs=2, pilot_sizes=(20, 40), pilot_rows=60, tables=2,
        yeast_rows=40, svm_penalties=(0.0,), svm_ks=(1, 2), folds=5, draws_every_setting=False,
        judged=False,
    ),
    "small": Scale(
        "small", rows=600, nodes=300, penalties=PAPER_PENALTIES, ks=tuple(range(1, 16)),
        fine_ratio=2**0.5, forest_runs=3, pilot_sizes=(50, 100, 200, 300), pilot_rows=300,
        tables=5, yeast_rows=600, svm_penalties=_SVM_PENALTIES, svm_ks=(1, 2, 5, 10),
    ),
    "paper": Scale(
        "paper", rows=5000, nodes=1000, penalties=PAPER_PENALTIES, ks=tuple(range(1, 16)),
        fine_ratio=2**0.25, forest_runs=5, pilot_sizes=tuple(range(100, 1001, 100)),
        pilot_rows=5000, tables=5, yeast_rows=5000, svm_penalties=_SVM_PENALTIES,
        svm_ks=(1, 2, 5, 10),
    ),
}  # fmt: skip
