"""What features cost: features need shared steps, shared steps have costs.

Nothing here knows of networks. An shared step is whatever is paid once and then serves several
features: a distance matrix, or a blood sample for several lab values.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

CHARGES = ("alone", "shared")
SCALES = ("share", "raw")
#: So that costs can be added and multiplied.
LARGEST = 1e100


class CostError(ValueError):
    """A cost that is none, or a feature without one."""


class CostModel:
    """Costs of features, alone and together.

    Parameters
    ----------
    own : mapping
        Each feature's own cost, beyond its shared steps.
    uses : mapping, optional
        For each feature that has any, the shared steps it uses. An shared step may be another
        feature, whose own cost it then is, and whose shared steps are needed too.
    shared steps : mapping, optional
        Cost of each shared step.

    Examples
    --------
    >>> lab = CostModel(
    ...     own={"glucose": 2.0, "sodium": 3.0, "x-ray": 40.0},
    ...     uses={"glucose": ["blood sample"], "sodium": ["blood sample"]},
    ...     shared steps={"blood sample": 10.0},
    ... )
    >>> lab.cost("glucose")
    12.0
    >>> lab.cost_of_set(["glucose", "sodium"]), lab.cost_of_set(["glucose", "sodium"], "shared")
    (25.0, 15.0)
    >>> lab.marginal_cost("sodium", given=["glucose"], charge="shared")
    3.0
    """

    def __init__(
        self,
        own: Mapping[str, float],
        uses: Mapping[str, Iterable[str]] | None = None,
        steps: Mapping[str, float] | None = None,
    ) -> None:
        self.own = {name: _checked(name, cost) for name, cost in own.items()}
        self.steps = {name: _checked(name, cost) for name, cost in (steps or {}).items()}
        both = sorted(set(self.own) & set(self.steps))
        if both:
            raise CostError(f"{both[0]!r} is a feature and an shared step; names must differ")
        self.uses = _with_all_needs(uses or {}, self.own, self.steps)

    @classmethod
    def of(cls, costs: Any, features: Sequence[str] | None = None) -> CostModel:
        """A cost model from a model, a mapping by name, or numbers in the order of the features.

        >>> CostModel.of([3.0, 1.0], ["a", "b"]).cost("a")
        3.0
        """
        if isinstance(costs, CostModel):
            return costs
        if hasattr(costs, "items"):
            return cls({str(name): cost for name, cost in costs.items()})
        values = list(costs)
        if features is None or len(features) != len(values):
            known = "no features" if features is None else f"{len(features)} features"
            raise CostError(f"{len(values)} costs for {known}; give one each, or a mapping by name")
        return cls(dict(zip(features, values, strict=True)))

    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> CostModel:
        r"""A cost model from a CSV or a JSON file.

        A line of the CSV file is a name, its cost and, if it has any, its shared steps, separated
        by semicolons; an shared step has a line of its own. A first line with column names is passed
        over. The JSON file is an object of costs by name, or what :meth:`as_dict` gives.

        >>> import pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp(), "costs.csv")
        >>> _ = file.write_text("test,euro,uses\nglucose,2,blood sample\nblood sample,10\n")
        >>> CostModel.from_file(file).cost("glucose")
        12.0
        """
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not text"
            raise CostError(f"{path} cannot be read as costs: {reason}") from error
        return _from_json(text, path) if path.suffix == ".json" else _from_csv(text, path)

    @property
    def features(self) -> list[str]:
        """Names of the features."""
        return list(self.own)

    def cost(self, feature: str) -> float:
        """Cost of one feature alone: its own, and that of all its shared steps."""
        return self.cost_of_set([feature])

    def cost_of_set(self, features: Iterable[str], charge: str = "alone") -> float:
        """Cost of a set.

        Parameters
        ----------
        features : iterable of str
        charge : "alone" or "shared"
            Alone: the sum of the features' costs, an shared step paid once for each feature that
            needs it. Shared: every shared step paid once for the whole set.
        """
        _one_of("charge", charge, CHARGES)
        names = list(dict.fromkeys(features))
        if charge == "shared":
            return math.fsum(self._cost(item) for item in self._all(names))
        return math.fsum(self._cost(item) for name in names for item in self._all([name]))

    def marginal_cost(
        self, feature: str, given: Iterable[str] = (), charge: str = "alone"
    ) -> float:
        """What one more feature costs where some are paid already; 0 for one of these."""
        given = list(given)
        _one_of("charge", charge, CHARGES)
        if feature in given:
            return 0.0
        if charge == "alone":
            return self.cost(feature)
        paid = self._all(given)
        return math.fsum(self._cost(item) for item in self._all([feature]) if item not in paid)

    def alone(self, features: Iterable[str] | None = None, scale: str = "raw") -> dict[str, float]:
        """Costs alone, by feature.

        Parameters
        ----------
        features : iterable of str, optional
            All by default.
        scale : "raw" or "share"
            Share: divided by their sum, so that the unit does not matter; all 0 stay 0.
        """
        _one_of("scale", scale, SCALES)
        alone = {name: self.cost(name) for name in (self.own if features is None else features)}
        total = math.fsum(alone.values())
        if scale == "raw" or total == 0:
            return alone
        return {name: cost / total for name, cost in alone.items()}

    def scaled(self, features: Iterable[str] | None = None, scale: str = "share") -> CostModel:
        """The same model in another unit: shares divide by the sum of the costs alone."""
        _one_of("scale", scale, SCALES)
        total = math.fsum(self.alone(features).values())
        if scale == "raw" or total == 0:
            return self
        return self._each(lambda cost: cost / total)

    def times(self, factor: float) -> CostModel:
        """All costs multiplied."""
        return self._each(lambda cost: factor * cost)

    def _each(self, change: Callable[[float], float]) -> CostModel:
        own = {name: change(cost) for name, cost in self.own.items()}
        steps = {name: change(cost) for name, cost in self.steps.items()}
        return CostModel(own, self.uses, steps)

    def only(self, features: Iterable[str]) -> CostModel:
        """The model of some of the features; others remain as far as these need them."""
        kept = self._all(list(features))
        return CostModel(
            {name: cost for name, cost in self.own.items() if name in kept},
            {name: needed for name, needed in self.uses.items() if name in kept},
            {name: cost for name, cost in self.steps.items() if name in kept},
        )

    def as_dict(self) -> dict[str, Any]:
        """For JSON; ``CostModel(**…)`` gives the model back."""
        uses = {name: list(needed) for name, needed in self.uses.items()}
        return {"own": dict(self.own), "uses": uses, "steps": dict(self.steps)}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CostModel) and self.as_dict() == other.as_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<CostModel: {len(self.own)} features, {len(self.steps)} shared steps>"

    def _cost(self, item: str) -> float:
        return self.own[item] if item in self.own else self.steps[item]

    def _all(self, features: list[str]) -> dict[str, None]:
        """The features and everything that they need, each once."""
        items: dict[str, None] = {}
        for name in features:
            if name not in self.own:
                known = ", ".join(list(self.own)[:8])
                raise CostError(f"feature {name!r} has no cost; there are costs for {known}, …")
            items.update(dict.fromkeys(self.uses.get(name, ())))
            items[name] = None
        return items


def _with_all_needs(
    uses: Mapping[str, Iterable[str]], own: Mapping[str, float], steps: Mapping[str, float]
) -> dict[str, tuple[str, ...]]:
    """For each feature all that it uses, also what its shared steps need."""
    if not isinstance(uses, Mapping):
        raise CostError(f"uses are {uses!r}; expected shared steps by feature")
    direct: dict[str, tuple[str, ...]] = {}
    for name, needed in uses.items():
        if name not in own:
            raise CostError(f"uses are given for {name!r}, which has no cost as a feature")
        direct[name] = (needed,) if isinstance(needed, str) else tuple(dict.fromkeys(needed))
        for item in direct[name]:
            if item not in own and item not in steps:
                raise CostError(f"{name!r} needs {item!r}, which has no cost")
    whole = {}
    for name in direct:
        found: dict[str, None] = {}
        waiting = list(direct[name])
        while waiting:
            item = waiting.pop(0)
            if item == name:
                raise CostError(f"{name!r} needs itself, by way of what it uses")
            if item not in found:
                found[item] = None
                waiting.extend(direct.get(item, ()))
        whole[name] = tuple(found)
    return whole


def _from_json(text: str, path: Path) -> CostModel:
    try:
        record = json.loads(text)
    except ValueError as error:
        raise CostError(f"{path} cannot be read as JSON: {error}") from error
    if not isinstance(record, dict):
        raise CostError(f"{path} holds a {type(record).__name__}; expected an object of costs")
    if isinstance(record.get("own"), dict) and set(record) <= {"own", "uses", "steps"}:
        return CostModel(**record)
    return CostModel(record)


def _from_csv(text: str, path: Path) -> CostModel:
    own: dict[str, Any] = {}
    uses: dict[str, list[str]] = {}
    for number, row in enumerate(csv.reader(text.splitlines()), start=1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or (number == 1 and _is_title(cells)):
            continue
        if not 2 <= len(cells) <= 3:
            raise CostError(
                f"{path}, line {number} has {len(cells)} cells; expected a name, a cost and "
                "perhaps shared steps"
            )
        if cells[0] in own:
            raise CostError(f"{path}, line {number}: a second cost for {cells[0]!r}")
        own[cells[0]] = cells[1]
        if cells[2:]:
            uses[cells[0]] = [item.strip() for item in cells[2].split(";") if item.strip()]
    if not own:
        raise CostError(f"{path} has no costs; expected lines with a name and a cost")
    return CostModel(own, uses)


def _is_title(cells: list[str]) -> bool:
    """Whether the second cell is a word, not a cost that was written in an unknown way."""
    return len(cells) > 1 and cells[1][:1].isalpha() and cells[1].lower() not in ("nan", "inf")


def _checked(name: str, cost: Any) -> float:
    try:
        number = float(cost)
    except (TypeError, ValueError):
        raise CostError(f"the cost of {name!r} is {cost!r}; expected a number") from None
    if not math.isfinite(number) or number < 0:
        raise CostError(f"the cost of {name!r} is {number}; expected a finite number, 0 or more")
    if number > LARGEST:
        raise CostError(f"the cost of {name!r} is {number}; expected at most {LARGEST:g}")
    return number


def _one_of(what: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise CostError(f"{what}={value!r}; expected {' or '.join(map(repr, allowed))}")
