"""Where the costs of a table's features come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike

from netchoice.costs import CostModel
from netchoice.errors import UsageError
from netchoice.features.paper import FAMILIES, paper_costs
from netchoice.storage.table import ReferenceTable
from netchoice.units import in_seconds

#: The measured costs, those of the paper, a file, or the costs themselves.
Costs = str | PathLike[str] | CostModel | Mapping[str, float]


@dataclass(frozen=True)
class CostSource:
    """Costs of features, and where they come from.

    Attributes
    ----------
    model : CostModel or None
        None if there are no costs.
    name : str
        "measured", "paper:FAMILY", "none", "given", or the name of a file.

    Examples
    --------
    >>> import netchoice
    >>> CostSource(netchoice.CostModel({"a": 1.0}), "given").name
    'given'
    """

    model: CostModel | None
    name: str

    @property
    def in_seconds(self) -> bool:
        """Whether the costs are times."""
        return in_seconds(self.name)

    def for_features(self, features: list[str]) -> CostModel:
        """Return the costs of some features, or costs of 0 if there are none."""
        if self.model is None:
            return CostModel(dict.fromkeys(features, 0.0))
        return self.model.only(features)


def find_costs(table: ReferenceTable, costs: Costs | None = None) -> CostSource:
    """Return the costs of a table's features.

    Parameters
    ----------
    table : ReferenceTable
    costs : optional
        "measured": the costs measured while the table was simulated. "paper:ba" or
        "paper:duplication": the costs that the paper prints; "paper" alone uses the table's model
        space. A file name: see :meth:`CostModel.from_file`. A CostModel or a mapping: these costs.
        By default the measured costs if there are any.

    Examples
    --------
    >>> import pandas as pd
    >>> from netchoice import ReferenceTable
    >>> frame = pd.DataFrame({"label": ["a", "b"], "x": [1, 2]})
    >>> find_costs(ReferenceTable.from_frame(frame, costs={"x": 3.0})).model.cost("x")
    3.0
    >>> find_costs(ReferenceTable.from_frame(frame)).name
    'none'
    """
    if costs is None or costs == "measured":
        if any(table.costs.alone(table.features).values()):
            return CostSource(table.costs, "measured")
        if costs is None:
            return CostSource(None, "none")
        raise UsageError("this table has no measured costs; give a file with costs")
    if isinstance(costs, CostModel | Mapping):
        return CostSource(CostModel.for_columns(costs, table.features), "given")
    kind, _, family = str(costs).partition(":")
    if kind != "paper":
        return CostSource(CostModel.from_file(costs), str(costs))
    family = family or str(table.manifest["space"]["name"])
    if family not in FAMILIES:
        raise UsageError(
            f"the paper has no costs for {family!r}; expected paper:ba or paper:duplication"
        )
    return CostSource(CostModel.of(paper_costs(family)), f"paper:{family}")
