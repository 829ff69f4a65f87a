"""What features cost: features need ingredients, ingredients have prices.

Nothing here knows of networks. An ingredient is whatever is paid once and then serves several
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
#: So that prices can be added and multiplied.
LARGEST = 1e100


class CostError(ValueError):
    """A price that is none, or a feature without one."""


class CostModel:
    """Prices of features, alone and together.

    Parameters
    ----------
    own : mapping
        Each feature's own price, beyond its ingredients.
    needs : mapping, optional
        For each feature that has any, the ingredients it needs. An ingredient may be another
        feature, whose own price it then is, and whose ingredients are needed too.
    ingredients : mapping, optional
        Price of each ingredient.

    Examples
    --------
    >>> lab = CostModel(
    ...     own={"glucose": 2.0, "sodium": 3.0, "x-ray": 40.0},
    ...     needs={"glucose": ["blood sample"], "sodium": ["blood sample"]},
    ...     ingredients={"blood sample": 10.0},
    ... )
    >>> lab.price("glucose")
    12.0
    >>> lab.price_of_set(["glucose", "sodium"]), lab.price_of_set(["glucose", "sodium"], "shared")
    (25.0, 15.0)
    >>> lab.price_of_one_more("sodium", given=["glucose"], charge="shared")
    3.0
    """

    def __init__(
        self,
        own: Mapping[str, float],
        needs: Mapping[str, Iterable[str]] | None = None,
        ingredients: Mapping[str, float] | None = None,
    ) -> None:
        self.own = {name: _checked(name, price) for name, price in own.items()}
        self.ingredients = {
            name: _checked(name, price) for name, price in (ingredients or {}).items()
        }
        both = sorted(set(self.own) & set(self.ingredients))
        if both:
            raise CostError(f"{both[0]!r} is a feature and an ingredient; names must differ")
        self.needs = _with_all_needs(needs or {}, self.own, self.ingredients)

    @classmethod
    def of(cls, costs: Any, features: Sequence[str] | None = None) -> CostModel:
        """A cost model from a model, a mapping by name, or numbers in the order of the features.

        >>> CostModel.of([3.0, 1.0], ["a", "b"]).price("a")
        3.0
        """
        if isinstance(costs, CostModel):
            return costs
        if hasattr(costs, "items"):
            return cls({str(name): price for name, price in costs.items()})
        values = list(costs)
        if features is None or len(features) != len(values):
            known = "no features" if features is None else f"{len(features)} features"
            raise CostError(
                f"{len(values)} prices for {known}; give one each, or a mapping by name"
            )
        return cls(dict(zip(features, values, strict=True)))

    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> CostModel:
        r"""A cost model from a CSV or a JSON file.

        A line of the CSV file is a name, its price and, if it has any, its ingredients, separated
        by semicolons; an ingredient has a line of its own. A first line with column names is passed
        over. The JSON file is an object of prices by name, or what :meth:`as_dict` gives.

        >>> import pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp(), "prices.csv")
        >>> _ = file.write_text("test,euro,needs\nglucose,2,blood sample\nblood sample,10\n")
        >>> CostModel.from_file(file).price("glucose")
        12.0
        """
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not text"
            raise CostError(f"{path} cannot be read as prices: {reason}") from error
        return _from_json(text, path) if path.suffix == ".json" else _from_csv(text, path)

    @property
    def features(self) -> list[str]:
        """Names of the features."""
        return list(self.own)

    def price(self, feature: str) -> float:
        """Price of one feature alone: its own, and that of all its ingredients."""
        return self.price_of_set([feature])

    def price_of_set(self, features: Iterable[str], charge: str = "alone") -> float:
        """Price of a set.

        Parameters
        ----------
        features : iterable of str
        charge : "alone" or "shared"
            Alone: the sum of the features' prices, an ingredient paid once for each feature that
            needs it. Shared: every ingredient paid once for the whole set.
        """
        _one_of("charge", charge, CHARGES)
        names = list(dict.fromkeys(features))
        if charge == "shared":
            return math.fsum(self._price(item) for item in self._all(names))
        return math.fsum(self._price(item) for name in names for item in self._all([name]))

    def price_of_one_more(
        self, feature: str, given: Iterable[str] = (), charge: str = "alone"
    ) -> float:
        """What one more feature costs where some are paid already; 0 for one of these."""
        given = list(given)
        _one_of("charge", charge, CHARGES)
        if feature in given:
            return 0.0
        if charge == "alone":
            return self.price(feature)
        paid = self._all(given)
        return math.fsum(self._price(item) for item in self._all([feature]) if item not in paid)

    def prices(self, features: Iterable[str] | None = None, scale: str = "raw") -> dict[str, float]:
        """Prices alone, by feature.

        Parameters
        ----------
        features : iterable of str, optional
            All by default.
        scale : "raw" or "share"
            Share: divided by their sum, so that the unit does not matter; all 0 stay 0.
        """
        _one_of("scale", scale, SCALES)
        alone = {name: self.price(name) for name in (self.own if features is None else features)}
        total = math.fsum(alone.values())
        if scale == "raw" or total == 0:
            return alone
        return {name: price / total for name, price in alone.items()}

    def scaled(self, features: Iterable[str] | None = None, scale: str = "share") -> CostModel:
        """The same model in another unit: shares divide by the sum of the prices alone."""
        _one_of("scale", scale, SCALES)
        total = math.fsum(self.prices(features).values())
        if scale == "raw" or total == 0:
            return self
        return self._each(lambda price: price / total)

    def times(self, factor: float) -> CostModel:
        """All prices multiplied."""
        return self._each(lambda price: factor * price)

    def _each(self, change: Callable[[float], float]) -> CostModel:
        own = {name: change(price) for name, price in self.own.items()}
        ingredients = {name: change(price) for name, price in self.ingredients.items()}
        return CostModel(own, self.needs, ingredients)

    def only(self, features: Iterable[str]) -> CostModel:
        """The model of some of the features; others remain as far as these need them."""
        kept = self._all(list(features))
        return CostModel(
            {name: price for name, price in self.own.items() if name in kept},
            {name: needed for name, needed in self.needs.items() if name in kept},
            {name: price for name, price in self.ingredients.items() if name in kept},
        )

    def as_dict(self) -> dict[str, Any]:
        """For JSON; ``CostModel(**…)`` gives the model back."""
        needs = {name: list(needed) for name, needed in self.needs.items()}
        return {"own": dict(self.own), "needs": needs, "ingredients": dict(self.ingredients)}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CostModel) and self.as_dict() == other.as_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<CostModel: {len(self.own)} features, {len(self.ingredients)} ingredients>"

    def _price(self, item: str) -> float:
        return self.own[item] if item in self.own else self.ingredients[item]

    def _all(self, features: list[str]) -> dict[str, None]:
        """The features and everything that they need, each once."""
        items: dict[str, None] = {}
        for name in features:
            if name not in self.own:
                known = ", ".join(list(self.own)[:8])
                raise CostError(f"feature {name!r} has no price; there are prices for {known}, …")
            items.update(dict.fromkeys(self.needs.get(name, ())))
            items[name] = None
        return items


def _with_all_needs(
    needs: Mapping[str, Iterable[str]], own: Mapping[str, float], ingredients: Mapping[str, float]
) -> dict[str, tuple[str, ...]]:
    """For each feature all that it needs, also what its ingredients need."""
    if not isinstance(needs, Mapping):
        raise CostError(f"needs are {needs!r}; expected ingredients by feature")
    direct: dict[str, tuple[str, ...]] = {}
    for name, needed in needs.items():
        if name not in own:
            raise CostError(f"needs are given for {name!r}, which has no price as a feature")
        direct[name] = (needed,) if isinstance(needed, str) else tuple(dict.fromkeys(needed))
        for item in direct[name]:
            if item not in own and item not in ingredients:
                raise CostError(f"{name!r} needs {item!r}, which has no price")
    whole = {}
    for name in direct:
        found: dict[str, None] = {}
        waiting = list(direct[name])
        while waiting:
            item = waiting.pop(0)
            if item == name:
                raise CostError(f"{name!r} needs itself, by way of what it needs")
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
        raise CostError(f"{path} holds a {type(record).__name__}; expected an object of prices")
    if isinstance(record.get("own"), dict) and set(record) <= {"own", "needs", "ingredients"}:
        return CostModel(**record)
    return CostModel(record)


def _from_csv(text: str, path: Path) -> CostModel:
    own: dict[str, Any] = {}
    needs: dict[str, list[str]] = {}
    for number, row in enumerate(csv.reader(text.splitlines()), start=1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or (number == 1 and _is_title(cells)):
            continue
        if not 2 <= len(cells) <= 3:
            raise CostError(
                f"{path}, line {number} has {len(cells)} cells; expected a name, a price and "
                "perhaps ingredients"
            )
        if cells[0] in own:
            raise CostError(f"{path}, line {number}: a second price for {cells[0]!r}")
        own[cells[0]] = cells[1]
        if cells[2:]:
            needs[cells[0]] = [item.strip() for item in cells[2].split(";") if item.strip()]
    if not own:
        raise CostError(f"{path} has no prices; expected lines with a name and a price")
    return CostModel(own, needs)


def _is_title(cells: list[str]) -> bool:
    """Whether the second cell is a word, not a price that was written in an unknown way."""
    return len(cells) > 1 and cells[1][:1].isalpha() and cells[1].lower() not in ("nan", "inf")


def _checked(name: str, price: Any) -> float:
    try:
        number = float(price)
    except (TypeError, ValueError):
        raise CostError(f"the price of {name!r} is {price!r}; expected a number") from None
    if not math.isfinite(number) or number < 0:
        raise CostError(f"the price of {name!r} is {number}; expected a finite number, 0 or more")
    if number > LARGEST:
        raise CostError(f"the price of {name!r} is {number}; expected at most {LARGEST:g}")
    return number


def _one_of(what: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise CostError(f"{what}={value!r}; expected {' or '.join(map(repr, allowed))}")
