"""Reference tables: one row per simulated network, on disk as Parquet shards and a JSON manifest."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.costs import CostModel
from netchoice.errors import UsageError
from netchoice.storage.shards import FORMAT, TableError, TableFolder

if TYPE_CHECKING:
    import pandas as pd

#: Rows on which short features are timed over several runs.
CALIBRATION_ROWS = 16
PARAMETER, OWN, STEP = "parameter_", "seconds_own_", "seconds_step_"
FIXED = ("row", "label", "failure", "machine", "calibrated", "seconds_growth")
#: Fields of a manifest that must agree before rows are put together; others only warn.
REFUSING = ("format", "space", "n_nodes", "isolated", "features")
REFUSING_RESUME = (*REFUSING, "seed", "stream")
WARNING = ("packages", "code")


@dataclass
class ReferenceTable:
    """Simulated networks: labels, parameters, features, and what they cost.

    Attributes
    ----------
    frame : pandas.DataFrame
        Every row with every column, as on disk, failed rows included.
    manifest : dict
        What the rows were made from.

    Examples
    --------
    >>> import netchoice, pandas as pd
    >>> frame = pd.DataFrame({"label": ["a", "b"], "n_leaves": [3, 5], "spread": [0.5, 0.25]})
    >>> table = netchoice.ReferenceTable.from_frame(frame, costs={"n_leaves": 1, "spread": 9})
    >>> table
    <ReferenceTable: 2 rows (a 1, b 1), 2 features>
    >>> table.discrete, table.costs.cost("spread")
    ({'n_leaves': True, 'spread': False}, 9.0)
    """

    frame: pd.DataFrame
    manifest: dict[str, Any] = field(repr=False)
    given_costs: CostModel | None = field(default=None, repr=False)

    @property
    def features(self) -> list[str]:
        """Names of the features, in order."""
        return [item["name"] for item in self.manifest["features"]]

    @cached_property
    def _sound(self) -> pd.DataFrame:
        sound = self.frame["failure"].isna()
        return self.frame if sound.all() else self.frame[sound]  # no copy of a large table

    @property
    def X(self) -> pd.DataFrame:  # noqa: N802  what everybody calls it
        """Feature values of the rows that did not fail."""
        return self._sound[self.features].reset_index(drop=True)

    @property
    def y(self) -> pd.Series:
        """Label of the rows that did not fail."""
        return self._sound["label"].reset_index(drop=True)

    @property
    def parameters(self) -> pd.DataFrame:
        """Parameters of the rows that did not fail; NaN where a model has no such parameter."""
        names = [name for name in self.frame.columns if name.startswith(PARAMETER)]
        return (
            self._sound[names]
            .rename(columns=lambda name: name.removeprefix(PARAMETER))
            .reset_index(drop=True)
        )

    @property
    def failures(self) -> pd.DataFrame:
        """Row, label and reason of the rows that failed."""
        failed = self.frame[self.frame["failure"].notna()]
        return failed[["row", "label", "failure"]].reset_index(drop=True)

    @property
    def discrete(self) -> dict[str, bool]:
        """By feature: whether its values are integers."""
        return {item["name"]: bool(item["discrete"]) for item in self.manifest["features"]}

    @cached_property
    def costs(self) -> CostModel:
        """Mean seconds of each step and feature, and which feature needs which step."""
        if self.given_costs is not None:
            return self.given_costs
        timed = _one_machine(self._sound)
        calibrated = timed[timed["calibrated"]]
        costs = {}
        for name in timed.columns:
            if name.startswith((OWN, STEP)):
                everywhere = float(timed[name].mean()) if len(timed) else 0.0
                repeated = float(calibrated[name].mean()) if len(calibrated) else everywhere
                costs[name] = repeated if repeated < SHORT else everywhere
        own = {n.removeprefix(OWN): p for n, p in costs.items() if n.startswith(OWN)}
        steps = {n.removeprefix(STEP): p for n, p in costs.items() if n.startswith(STEP)}
        if not own:
            return CostModel(dict.fromkeys(self.features, 0.0))
        return CostModel(own, self.manifest["uses"], steps)

    def __len__(self) -> int:
        return len(self._sound)

    def __repr__(self) -> str:
        counts = ", ".join(
            f"{label} {n}" for label, n in self.y.value_counts().sort_index().items()
        )
        failed = f", {len(self.failures)} failed" if len(self.failures) else ""
        return (
            f"<ReferenceTable: {len(self)} rows ({counts}){failed}, {len(self.features)} features>"
        )

    # Making others of it

    def _with(self, frame: pd.DataFrame, features: Sequence[str] | None = None) -> ReferenceTable:
        manifest = dict(self.manifest)
        if features is not None:
            manifest["features"] = [f for f in manifest["features"] if f["name"] in set(features)]
        costs = self.costs if features is None else self.costs.only(features)
        return ReferenceTable(frame.reset_index(drop=True), manifest, costs)

    def split(self, share: float = 0.5, *, seed: int = 0) -> tuple[ReferenceTable, ReferenceTable]:
        """Two tables of disjoint rows, each label divided in the same proportion.

        The costs of both are those of the whole table.
        """
        if not 0 < share < 1:
            raise UsageError(f"share={share!r}; expected a number between 0 and 1")
        rng = np.random.default_rng(seed)
        first = np.zeros(len(self.frame), dtype=bool)
        for rows in self.frame.groupby("label", dropna=False).indices.values():
            chosen = rng.permutation(rows)[: round(share * len(rows))]
            first[chosen] = True
        return self._with(self.frame[first]), self._with(self.frame[~first])

    def drop_constant(self) -> ReferenceTable:
        """Without the features that have the same value in all rows."""
        values = self.X
        varying = [name for name in self.features if values[name].nunique(dropna=False) > 1]
        dropped = [name for name in self.features if name not in set(varying)]
        return self._with(self.frame.drop(columns=dropped), varying)

    @classmethod
    def concat(cls, tables: Iterable[ReferenceTable]) -> ReferenceTable:
        """One table of the rows of several, which must have been made alike."""
        import pandas as pd

        tables = list(tables)
        if not tables:
            raise UsageError("no tables to put together; give at least one")
        for other in tables[1:]:
            check_same(tables[0].manifest, other.manifest, "the tables", REFUSING)
        frame = pd.concat([table.frame for table in tables], ignore_index=True)
        frame["row"] = np.arange(len(frame))
        manifest = {**tables[0].manifest, "n_samples": len(frame)}
        if tables[0].given_costs is not None:
            return cls(frame, manifest, tables[0].given_costs)
        return cls(frame, manifest)

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        label: str = "label",
        *,
        costs: CostModel | Mapping[str, float] | None = None,
        discrete: Iterable[str] | None = None,
    ) -> ReferenceTable:
        """A table that was made elsewhere: a column of labels, all others are features.

        Parameters
        ----------
        frame : pandas.DataFrame
        label : str
            The column with the labels.
        costs : CostModel or mapping, optional
            Costs by feature; by default all 0.
        discrete : iterable of str, optional
            Features with integers; by default those whose columns have an integer type.
        """
        import pandas as pd

        if label not in frame.columns:
            raise TableError(
                f"no column {label!r} with labels; there are {', '.join(map(str, frame.columns))}: "
                "say which holds the labels (label=…, or --label)"
            )
        if not len(frame):
            raise TableError("the table has no rows; expected a label and features in each")
        _check_labels(frame[label])
        names = [str(name) for name in frame.columns if name != label]
        if not names:
            raise TableError(f"the table has no column besides {label!r}; expected features")
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise TableError(f"two columns are called {twice!r}; rename one")
        values = frame.drop(columns=label).set_axis(names, axis=1)
        reserved = [n for n in names if n in FIXED or n.startswith((PARAMETER, OWN, STEP))]
        if reserved:
            raise TableError(f"column {reserved[0]!r} has a name that tables use; rename it")
        for name in names:
            if not pd.api.types.is_numeric_dtype(values[name]):
                raise TableError(
                    f"column {name!r} holds {values[name].dtype}; expected numbers: code its values "
                    "as numbers, or leave the column out"
                )
        whole = {n for n in names if pd.api.types.is_integer_dtype(values[n])}
        whole = whole if discrete is None else set(discrete)
        listed = [{"name": n, "version": "", "discrete": n in whole} for n in names]
        manifest = {
            "format": FORMAT, "space": {"name": "brought in"}, "n_nodes": None, "isolated": None,
            "features": listed, "uses": {}, "n_samples": len(frame),
        }  # fmt: skip
        made = values.astype(float)
        made.insert(0, "row", np.arange(len(frame)))
        made.insert(1, "label", frame[label].astype(str).to_numpy())
        made.insert(2, "failure", None)
        costs = CostModel.of(dict.fromkeys(names, 0.0) if costs is None else costs)
        return cls(made.reset_index(drop=True), manifest, costs.only(names))

    @classmethod
    def from_csv(
        cls,
        path: str | PathLike[str],
        label: str = "label",
        *,
        costs: str | PathLike[str] | CostModel | Mapping[str, float] | None = None,
        discrete: Iterable[str] | None = None,
    ) -> ReferenceTable:
        """A table from a CSV file; costs from a mapping, or a file as CostModel.from_file reads it."""
        import pandas as pd

        try:
            frame = pd.read_csv(path)
        except (OSError, ValueError) as error:
            reason = " ".join(str(error).split())
            raise TableError(f"{path} cannot be read as a CSV table: {reason}") from error
        if frame.shape[1] == 1 and ";" in str(frame.columns[0]):
            raise TableError(f"{path} is separated by semicolons; expected commas")
        if isinstance(costs, (str, PathLike)):
            costs = CostModel.from_file(costs)
        return cls.from_frame(frame, label, costs=costs, discrete=discrete)

    # Disk

    def save(self, path: str | PathLike[str]) -> None:
        """Write the table to a new folder."""
        import pyarrow as pa

        folder = TableFolder(path)
        manifest = dict(self.manifest)
        if self.given_costs is not None:
            manifest["costs"] = self.given_costs.as_dict()
        folder.create(manifest)
        folder.write_shard(pa.Table.from_pandas(self.frame, preserve_index=False))

    @classmethod
    def load(cls, path: str | PathLike[str], n_rows: int | None = None) -> ReferenceTable:
        """Read a table from its folder; shards that are damaged are left out, with a warning.

        Parameters
        ----------
        path : path
        n_rows : int, optional
            Only the first so many rows; by default all.
        """
        folder = TableFolder(path)
        manifest = folder.manifest()
        wanted = manifest["n_samples"] if n_rows is None else n_rows
        frame = folder.read(n_rows)
        if len(frame) < wanted:
            warnings.warn(
                f"{path} has {len(frame)} of {wanted} rows; the same simulation again completes it",
                stacklevel=2,
            )
        given = manifest.pop("costs", None)
        return cls(frame, manifest, None if given is None else CostModel(**given))


SHORT = 1e-3


def _one_machine(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows timed on one machine: costs of different ones are not averaged."""
    if "machine" not in frame or frame["machine"].nunique() < 2:
        return frame
    counts = frame["machine"].value_counts()
    warnings.warn(
        f"the rows come from {len(counts)} machines; costs are those of the one with most rows "
        f"({counts.iloc[0]} of {len(frame)})",
        stacklevel=3,
    )
    return frame[frame["machine"] == counts.index[0]]


def check_same(
    mine: Mapping[str, Any], other: Mapping[str, Any], what: str, refusing: Sequence[str]
) -> None:
    """Refuse to put rows together that were made differently, naming the first difference."""
    for name in refusing:
        if mine.get(name) != other.get(name):
            raise TableError(
                f"{what} differ in {name}: {_brief(mine.get(name))} and {_brief(other.get(name))}; "
                "rows made differently are never mixed: use another folder"
            )
    for name in WARNING:
        if mine.get(name) != other.get(name):
            warnings.warn(
                f"{what} differ in {name}; rows are put together all the same", stacklevel=3
            )


def _check_labels(labels: pd.Series) -> None:
    """Refuse missing labels, and quantities."""
    import pandas as pd

    missing = labels.isna()
    if missing.any():
        raise TableError(
            f"{int(missing.sum())} of {len(labels)} rows have no label, the first of them row "
            f"{int(missing.to_numpy().argmax()) + 1}; leave them out"
        )
    if pd.api.types.is_float_dtype(labels) and (labels % 1 != 0).any():
        raise TableError(
            f"the labels in {labels.name!r} are numbers with fractions; expected classes (for a "
            "quantity, make classes of its ranges first, with pandas.qcut for example)"
        )


def _brief(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return text if len(text) < 120 else f"{text[:117]}…"
