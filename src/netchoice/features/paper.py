"""The run times that the paper reports for its own code, as costs."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from importlib.resources import files

from netchoice.validation import unknown

FAMILIES = ("ba", "duplication")
#: An entry "<0.1" (milliseconds) counts as 0.05 milliseconds.
BELOW = "<0.1"


class PaperCosts(dict[str, float]):
    """Seconds by feature, as printed in the paper; ``flagged`` names those printed as "<0.1 ms"."""

    def __init__(self, seconds: Mapping[str, float], flagged: frozenset[str]) -> None:
        super().__init__(seconds)
        self.flagged = flagged

    def __repr__(self) -> str:
        return f"<PaperCosts: {len(self)} features, {sum(self.values()):.4g} s in total>"


def paper_costs(family: str) -> PaperCosts:
    """Return the paper's mean seconds per feature for networks of 1000 nodes (its appendix B).

    Parameters
    ----------
    family : "ba" or "duplication"
        Networks grown by preferential attachment, or by gene duplication.

    Examples
    --------
    >>> costs = paper_costs("ba")
    >>> costs["estrada_index"]
    0.2576
    >>> costs["noise_normal"], "noise_normal" in costs.flagged
    (5e-05, True)
    """
    if family not in FAMILIES:
        raise unknown("family of networks", str(family), FAMILIES)
    text = (files("netchoice.features") / "paper_costs.csv").read_text()
    printed = {row["feature"]: row[family] for row in csv.DictReader(text.splitlines())}
    milliseconds = {name: 0.05 if cell == BELOW else float(cell) for name, cell in printed.items()}
    flagged = frozenset(name for name, cell in printed.items() if cell == BELOW)
    return PaperCosts({name: ms / 1000 for name, ms in milliseconds.items()}, flagged)
