"""Costs of features, some of which share computations: the *shared steps*.

A shared step is paid once and serves several features: the distances of a network, or a blood sample
for several lab values. The module imports nothing of the package.
"""

from __future__ import annotations

import csv
import difflib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

CHARGES = ("alone", "shared")
SCALES = ("share", "raw")
_MAX_CHARACTERS = 10**7
#: Larger costs are refused, because their sums and products could overflow.
MAX_COST = 1e100


class CostError(ValueError):
    """A cost is invalid or missing."""


class CostModel:
    """Costs of features, alone and in sets.

    Parameters
    ----------
    own : mapping
        Cost of each feature without the shared steps that it uses.
    uses : mapping, optional
        Names of the shared steps that each feature uses. A feature may also use another feature; it
        then pays the own cost of that feature, and the shared steps of that feature too.
    steps : mapping, optional
        Cost of each shared step.

    Examples
    --------
    >>> lab = CostModel(
    ...     own={"glucose": 2.0, "sodium": 3.0, "x-ray": 40.0},
    ...     uses={"glucose": ["blood sample"], "sodium": ["blood sample"]},
    ...     steps={"blood sample": 10.0},
    ... )
    >>> lab.cost("glucose"), lab.marginal_cost("sodium", given=["glucose"], charge="shared")
    (12.0, 3.0)
    >>> lab.cost_of_set(["glucose", "sodium"]), lab.cost_of_set(["glucose", "sodium"], "shared")
    (25.0, 15.0)
    """

    def __init__(
        self,
        own: Mapping[str, float],
        uses: Mapping[str, Iterable[str]] | None = None,
        steps: Mapping[str, float] | None = None,
    ) -> None:
        self.own = _check_costs("own", own)
        self.steps = _check_costs("steps", {} if steps is None else steps)
        if ambiguous := sorted(set(self.own) & set(self.steps)):
            raise CostError(
                f"{_short(ambiguous[0])} is both a feature and a shared step; rename one"
            )
        self.uses = _all_uses(uses or {}, self.own, self.steps)

    @classmethod
    def of(cls, costs: Any, features: Sequence[str] | None = None) -> CostModel:
        """Return a cost model from a cost model, a mapping, or one number for each feature.

        A mapping is a dictionary, a pandas Series, or a DataFrame with one column and names as its index.

        >>> CostModel.of([3.0, 1.0], ["a", "b"]).cost("a")
        3.0
        """
        if isinstance(costs, CostModel):
            return costs
        if hasattr(costs, "columns"):
            costs = _only_column(costs)
        if hasattr(costs, "items"):
            return cls({str(name): cost for name, cost in costs.items()})
        if isinstance(costs, str) or not hasattr(costs, "__iter__"):
            raise CostError(
                f"`costs` must be a mapping by name, or one number for each feature; got {_short(costs)}. "
                "CostModel.from_file reads a file"
            )
        values = list(costs)
        if features is None or len(features) != len(values):
            named = "no features" if features is None else f"{len(features)} features"
            message = (
                f"{len(values)} costs for {named}; pass one cost for each feature, or a mapping"
            )
            raise CostError(message)
        return cls(dict(zip(features, values, strict=True)))

    @classmethod
    def for_columns(cls, costs: Any, columns: Sequence[str]) -> CostModel:
        """Return a cost model as :meth:`of`; refuse costs by name of columns that a table lacks.

        A CostModel may describe more columns than the table has.

        >>> CostModel.for_columns({"age": 0, "glucos": 2}, ["age", "glucose"])
        Traceback (most recent call last):
        netchoice.costs.CostError: `costs` has a cost for 'glucos', which is not a column of the table; \
did you mean 'glucose'?
        """
        model = cls.of(costs, columns)
        if not isinstance(costs, CostModel):
            for name in model.own:
                if name not in columns:
                    hint = _close(name, columns) or (
                        ": leave it out, or pass a CostModel if costs describe more columns"
                    )
                    raise CostError(
                        f"`costs` has a cost for {_short(name)}, which is not a column of the table{hint}"
                    )
        return model

    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> CostModel:
        r"""Read a cost model from a CSV or a JSON file.

        Each line of a CSV file holds a name, its cost and, optionally, the shared steps that it
        uses, separated by semicolons. Each shared step has its own line. A header is ignored. A JSON
        file holds an object with a cost for each name, or the result of :meth:`as_dict`.

        >>> import pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp(), "costs.csv")
        >>> _ = file.write_text("test,euro,uses\nglucose,2,blood sample\nblood sample,10\n")
        >>> CostModel.from_file(file).cost("glucose")
        12.0
        """
        path = Path(path)
        try:
            with path.open(encoding="utf-8-sig") as file:
                text = file.read(_MAX_CHARACTERS + 1)
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not a text file"
            raise CostError(f"{path} cannot be read as costs: {reason}") from error
        if len(text) > _MAX_CHARACTERS:
            raise CostError(
                f"{path} has more than {_MAX_CHARACTERS} characters; expected a cost for each feature"
            )
        return _from_json(text, path) if path.suffix == ".json" else _from_csv(text, path)

    @property
    def features(self) -> list[str]:
        """Names of the features, in the order of ``own``."""
        return list(self.own)

    def cost(self, feature: str) -> float:
        """Return the cost of one feature alone: its own cost plus the shared steps that it uses."""
        return self.cost_of_set([feature])

    def cost_of_set(self, features: Iterable[str], charge: str = "alone") -> float:
        """Return the cost of a set of features; repeated names count once.

        With ``charge="alone"``, each feature pays for all shared steps that it uses. With "shared",
        the set pays for each shared step once.
        """
        _check_choice("charge", charge, CHARGES)
        names = list(dict.fromkeys(features))
        if charge == "shared":
            return math.fsum(self._all(names).values())
        return math.fsum(cost for name in names for cost in self._all([name]).values())

    def marginal_cost(
        self, feature: str, given: Iterable[str] = (), charge: str = "alone"
    ) -> float:
        """Return the cost of adding a feature to the set ``given``, which is already paid for.

        A feature of the set costs 0. With ``charge="shared"``, so do the shared steps of the set.
        """
        given = list(given)
        _check_choice("charge", charge, CHARGES)
        if feature in given:
            return 0.0
        paid = self._all(given) if charge == "shared" else ()
        return math.fsum(c for item, c in self._all([feature]).items() if item not in paid)

    def alone(self, features: Iterable[str] | None = None, scale: str = "raw") -> dict[str, float]:
        """Return the cost alone of each feature, or of some, by name.

        With ``scale="share"``, costs are divided by their sum, so that they have no unit. If all
        costs are 0, they stay 0.
        """
        _check_choice("scale", scale, SCALES)
        alone = {name: self.cost(name) for name in (self.own if features is None else features)}
        total = math.fsum(alone.values())
        if scale == "raw" or total == 0:
            return alone
        return {name: cost / total for name, cost in alone.items()}

    def scaled(self, features: Iterable[str] | None = None) -> CostModel:
        """Return the model with all costs divided by the sum of the costs alone of ``features``."""
        total = math.fsum(self.alone(features).values()) or 1.0
        return self._map_costs(lambda cost: cost / total)

    def times(self, factor: float) -> CostModel:
        """Return the model with all costs multiplied by ``factor``."""
        return self._map_costs(lambda cost: factor * cost)

    def _map_costs(self, change: Callable[[float], float]) -> CostModel:
        own = {name: change(cost) for name, cost in self.own.items()}
        steps = {name: change(cost) for name, cost in self.steps.items()}
        return CostModel(own, self.uses, steps)

    def only(self, features: Iterable[str]) -> CostModel:
        """Return the model of these features and of everything that they use."""
        kept = self._all(features)
        own = {name: cost for name, cost in self.own.items() if name in kept}
        uses = {name: used for name, used in self.uses.items() if name in kept}
        return CostModel(own, uses, {n: cost for n, cost in self.steps.items() if n in kept})

    def as_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON; ``CostModel(**record)`` restores the model."""
        uses = {name: list(used) for name, used in self.uses.items()}
        return {"own": dict(self.own), "uses": uses, "steps": dict(self.steps)}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CostModel) and self.as_dict() == other.as_dict()

    def __repr__(self) -> str:
        n_shared = len({step for used in self.uses.values() for step in used})
        return (
            f"<CostModel: {len(self.own)} features, {n_shared} shared step{'s' * (n_shared != 1)}>"
        )

    def _all(self, features: Iterable[str]) -> dict[str, float]:
        """Return the costs of the features and of everything that they use, each once, by name."""
        costs: dict[str, float] = {}
        for name in features:
            if name not in self.own:
                known = ", ".join(list(self.own)[:8])
                hint = _close(name, self.own) or f"; known features: {known}, …"
                raise CostError(f"feature {_short(name)} has no cost{hint}")
            for item in (*self.uses.get(name, ()), name):
                costs[item] = self.own[item] if item in self.own else self.steps[item]
        return costs


def _close(name: str, known: Iterable[str]) -> str:
    """Return a question with the names that are similar to an unknown one."""
    close = difflib.get_close_matches(str(name), list(known), n=2)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""


def _only_column(frame: Any) -> Any:
    """Return the one column of a data frame of costs."""
    if len(frame.columns) != 1:
        raise CostError(
            f"`costs` is a DataFrame with {len(frame)} rows and {len(frame.columns)} columns; expected one "
            "column of costs and the names as index, for example frame.set_index('name')[['cost']]"
        )
    return frame.iloc[:, 0]


def _all_uses(
    uses: Mapping[str, Iterable[str]], own: Mapping[str, float], steps: Mapping[str, float]
) -> dict[str, tuple[str, ...]]:
    """Return everything that each feature uses, directly or through another feature."""
    if not isinstance(uses, Mapping):
        raise CostError(
            f"`uses` must be a mapping from features to shared steps; got {_short(uses)}"
        )
    direct: dict[str, tuple[str, ...]] = {}
    for name, used in uses.items():
        if name not in own:
            raise CostError(f"`uses` names {_short(name)}, which is not a feature in `own`")
        direct[name] = _step_names(name, used)
        for item in direct[name]:
            if item not in own and item not in steps:
                raise CostError(f"{_short(name)} uses {_short(item)}, which has no cost")
    complete = {}
    for name in direct:
        visited = list(direct[name])
        known = set(visited)
        for item in visited:  # the list grows meanwhile
            if item == name:
                raise CostError(f"{_short(name)} uses itself, directly or through other features")
            new = [used for used in direct.get(item, ()) if used not in known]
            visited += new
            known.update(new)
        complete[name] = tuple(visited)
    return complete


def _step_names(feature: str, used: Any) -> tuple[str, ...]:
    """Return the names of what a feature uses: one name, or several."""
    names = [used] if isinstance(used, str) else used
    is_list = isinstance(names, Iterable) and not isinstance(names, (bytes, Mapping))
    names = list(names) if is_list else [None]
    if not all(isinstance(name, str) for name in names):
        raise CostError(
            f"`uses` of {_short(feature)} is {_short(used)}; expected a list of names of shared steps"
        )
    return tuple(dict.fromkeys(names))


def _from_json(text: str, path: Path) -> CostModel:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CostError(f"{path} cannot be read as JSON: {error}") from error
    if not isinstance(record, dict):
        raise CostError(f"{path} holds a {type(record).__name__}; expected an object of costs")
    is_model = isinstance(record.get("own"), dict) and set(record) <= {"own", "uses", "steps"}
    return CostModel(**record) if is_model else CostModel(record)


def _from_csv(text: str, path: Path) -> CostModel:
    own: dict[str, Any] = {}
    uses: dict[str, list[str]] = {}
    try:
        rows = list(csv.reader(text.splitlines()))
    except csv.Error as error:
        raise CostError(f"{path} cannot be read as CSV: {error}; shorten the cell") from error
    for number, row in enumerate(rows, start=1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or (number == 1 and _is_header(cells)):
            continue
        if not 2 <= len(cells) <= 3:
            found = f"{path}, line {number} has {len(cells)} cells"
            raise CostError(f"{found}; expected a name, a cost and, optionally, shared steps")
        if cells[0] in own:
            raise CostError(f"{path}, line {number}: a second cost for {_short(cells[0])}")
        own[cells[0]] = cells[1]
        if cells[2:]:
            uses[cells[0]] = [item.strip() for item in cells[2].split(";") if item.strip()]
    if not own:
        raise CostError(f"{path} contains no costs; expected lines with a name and a cost")
    return CostModel(own, uses)


def _is_header(cells: list[str]) -> bool:
    """Return whether the second cell is a word and not a badly written cost, such as "12 EUR"."""
    return len(cells) > 1 and cells[1][:1].isalpha() and cells[1].lower() not in ("nan", "inf")


def _check_costs(argument: str, costs: Any) -> dict[str, float]:
    if not isinstance(costs, Mapping):
        raise CostError(f"`{argument}` must be a mapping from names to costs; got {_short(costs)}")
    return {name: _check_cost(name, cost) for name, cost in costs.items()}


def _check_cost(name: str, cost: Any) -> float:
    try:
        number = float(cost)
    except (TypeError, ValueError):
        raise CostError(
            f"the cost of {_short(name)} is {_short(cost)}; expected a number"
        ) from None
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or number < 0:
        raise CostError(
            f"the cost of {_short(name)} is {number}; expected a finite number, 0 or more"
        )
    if number > MAX_COST:
        raise CostError(f"the cost of {_short(name)} is {number}; expected at most {MAX_COST:g}")
    return number


def _short(value: Any) -> str:
    """Return a value as text of at most 60 characters, in one line."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer with too many digits, or deep nesting
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:59]}…"


def _check_choice(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise CostError(f"`{name}` must be {' or '.join(map(repr, allowed))}; got {value!r}")
