"""Tables as users have them (a folder, a file, or in memory), and where their costs come from."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING

from netchoice.columns import too_large
from netchoice.costs import CostModel
from netchoice.errors import NetchoiceError, TableError, UsageError
from netchoice.features.paper import FAMILIES, paper_costs
from netchoice.storage.shards import TableFolder
from netchoice.storage.table import ReferenceTable
from netchoice.storage.user_tables import read_frame
from netchoice.stores import place
from netchoice.targets import Classes, Numbers, check_varies
from netchoice.units import in_seconds
from netchoice.validation import check_integer

if TYPE_CHECKING:
    import pandas as pd

#: A table, its folder, or a CSV or Parquet file.
Table = ReferenceTable | str | PathLike[str]
#: The measured costs, those of the paper, a file, or the costs themselves.
Costs = str | PathLike[str] | CostModel | Mapping[str, float]
#: Larger tables are drawn from. The information of 5,000 rows has a standard error of about 0.01 nats.
MAX_ROWS = 5_000


def load_table(
    table: Table,
    label: str = "label",
    target: str = "auto",
    *,
    costs: Costs | None = None,
    rows: int | None = None,
    seed: int = 0,
) -> ReferenceTable:
    r"""Return a table from its folder or from a CSV or Parquet file; refuse infinite values.

    Parameters
    ----------
    table : ReferenceTable or path
    label : str
        The column to predict. In a file: the column of labels or numbers, or several columns of
        numbers, separated by commas. In a simulated table: ``label``, the model, or the names of
        parameters.
    target : "auto", "classes" or "numbers"
        What the column of a file holds; see :func:`netchoice.targets.as_target`.
    costs : optional
        Costs of the columns of a file, which are checked with the file.
    rows : int, optional
        Use so many rows only, drawn at random with the seed; the others take no memory. By default
        5,000, and a warning says so if there are more.
    seed : int

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "table.csv")
    >>> _ = file.write_text("label,x\na,1\nb,2\n")
    >>> load_table(file)
    <ReferenceTable: 2 rows (a 1, b 1), 1 features>
    """
    name = "the table" if isinstance(table, ReferenceTable) else str(table)
    most = MAX_ROWS if rows is None else check_integer("rows", rows)
    if isinstance(table, ReferenceTable):
        n_rows = len(table.frame)
    elif place(table).is_file():
        frame, n_rows = read_frame(table, most, seed)
        try:
            table = ReferenceTable.from_frame(
                frame, _columns(frame, label), target=target, costs=_given(costs)
            )
            check_varies(table.target)
        except NetchoiceError as error:
            raise TableError(f"{name}: {error}") from error
        label = "label"
    elif place(table).exists():
        n_rows = TableFolder(table).manifest()["n_samples"]
        table = ReferenceTable.load(table, draw=most, seed=seed)
    else:
        raise TableError(
            f"{table} does not exist; expected the folder of a table, or a CSV or Parquet file"
        )
    if rows is None and n_rows > most:
        warnings.warn(
            f"{most} of {n_rows} rows of {name} are used, drawn at random; pass a number of rows "
            "(--rows) to use more",
            stacklevel=3,
        )
    table = _without_partial(_predicting(table.draw(most, seed=seed), label, name))
    for feature in table.features:
        if reason := too_large(table.frame[feature].to_numpy(dtype=float)):
            raise TableError(f"{name}: column {feature!r} {reason}")
    if isinstance(table.target, Numbers):
        for wanted, values in zip(table.target.names, table.target.values.T, strict=True):
            if reason := too_large(values):
                raise TableError(f"{name}: column {wanted!r} {reason}")
    return table


def _without_partial(table: ReferenceTable) -> ReferenceTable:
    """Return a table without features that have no value on some network; name these in a warning."""
    kept = table.without_partial()
    left_out = [name for name in table.features if name not in kept.features]
    if left_out:
        some = ", ".join(f"{name} ({table.partial[name]} rows)" for name in left_out[:3])
        warnings.warn(
            f"{len(left_out)} features are left out because they have no value on some rows: {some}",
            stacklevel=3,
        )
    return kept


def _columns(frame: pd.DataFrame, label: str) -> str | list[str]:
    """Return the name of a column of a table, or several names separated by commas."""
    if "," not in label or label in map(str, frame.columns):
        return label
    return [name.strip() for name in label.split(",")]


def _given(costs: Costs | None) -> CostModel | Mapping[str, float] | None:
    """Return costs that are given by name or in a file."""
    if costs is None or isinstance(costs, CostModel | Mapping):
        return costs
    kind = str(costs).partition(":")[0]
    return None if kind in ("measured", "paper") else CostModel.from_file(place(costs))


def _predicting(table: ReferenceTable, label: str, name: str) -> ReferenceTable:
    """Return a table that predicts the labels, or the parameters of these names."""
    if label == "label" or "target" in table.manifest:
        return table
    names = [part.strip() for part in label.split(",")]
    known = list(table.parameters.columns)
    for wanted in names:
        if wanted not in known:
            raise UsageError(
                f"{name} has no parameter {wanted!r}; expected label, for the model, or parameters among "
                f"{', '.join(known) or 'none'}"
            )
    return table.with_target(table.parameters[names])


def varying_features(table: ReferenceTable) -> ReferenceTable:
    """Return the table without constant features; refuse a table in which all are constant."""
    varying = table.drop_constant()
    if not varying.features:
        raise TableError(f"all {len(table.features)} features of the table are constant")
    return varying


def equal_columns(X: pd.DataFrame) -> dict[str, str]:
    """Return each column with the same values as an earlier one, by name: the earlier one.

    >>> import pandas as pd
    >>> equal_columns(pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, 2.0], "c": [1.0, 3.0]}))
    {'b': 'a'}
    """
    import pandas as pd

    first: dict[bytes, str] = {}
    equal = {}
    for name, column in X.items():
        content = pd.util.hash_pandas_object(column, index=False).to_numpy().tobytes()
        if first.setdefault(content, str(name)) != name:
            equal[str(name)] = first[content]
    return equal


def describe_target(table: ReferenceTable) -> str:
    """Return what a table predicts, in a few words."""
    target = table.target
    if isinstance(target, Classes):
        return f"{len(target.labels)} classes"
    return f"numbers ({', '.join(target.names)})"


@dataclass(frozen=True)
class CostSource:
    """Costs of features, and where they come from.

    Attributes
    ----------
    model : CostModel or None
        None if there are no costs.
    name : str
        "measured", "paper:FAMILY", "none", "given", or the name of a file.
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
        By default the costs of the table, if there are any: those it was made with, or measured ones.

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
            return CostSource(table.costs, "measured" if table.given_costs is None else "given")
        if costs is None:
            return CostSource(None, "none")
        raise UsageError("this table has no measured costs; give a file with costs")
    if isinstance(costs, CostModel | Mapping):
        return CostSource(CostModel.for_columns(costs, table.features), "given")
    kind, _, family = str(costs).partition(":")
    if kind != "paper":
        return CostSource(CostModel.from_file(place(costs)), str(costs))
    family = family or str(table.manifest["space"]["name"])
    if family not in FAMILIES:
        raise UsageError(
            f"the paper has no costs for {family!r}; expected paper:ba or paper:duplication"
        )
    return CostSource(CostModel.of(paper_costs(family)), f"paper:{family}")
