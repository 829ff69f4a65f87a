"""Reference tables: one row for each simulated network."""

from __future__ import annotations

import hashlib
import io
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.atomic import write_output
from netchoice.costs import CostModel
from netchoice.errors import NetchoiceError, TableError, UsageError
from netchoice.markup import summary_html
from netchoice.storage.records import to_csv
from netchoice.storage.shards import (
    FORMAT,
    MUST_AGREE,
    NETWORKS,
    TableFolder,
    check_compatible,
    fingerprint,
    row_numbers,
)
from netchoice.storage.table_columns import (
    ALL_ROWS,
    CALIBRATION_ROWS,
    NOT_COMPUTED,
    OWN_PREFIX,
    PARAMETER_PREFIX,
    SOURCE,
    SOURCE_ROW,
    STEP_PREFIX,
    mean_seconds,
)
from netchoice.storage.user_tables import import_frame, read_frame
from netchoice.stores import place
from netchoice.targets import Numbers, Target, as_target
from netchoice.validation import check_fraction, check_integer

if TYPE_CHECKING:
    import pandas as pd

    Costs = CostModel | Mapping[str, float] | None
    AnyPath = str | PathLike[str]


@dataclass
class ReferenceTable:
    """Simulated networks: their labels, parameters, features and costs.

    Attributes
    ----------
    frame : pandas.DataFrame
        All rows and columns, as on disk, with the rows that failed.
    manifest : dict
        What the rows were made from: model space, number of nodes, seed, features.
    given_costs : CostModel or None
        Costs that replace the measured ones.

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
    def successful(self) -> pd.DataFrame:
        """The rows that did not fail."""
        successful = self.frame["failure"].isna()
        return self.frame if successful.all() else self.frame[successful]  # avoid a copy

    @property
    def X(self) -> pd.DataFrame:  # noqa: N802  the name in scikit-learn
        """Feature values of the rows that did not fail; every row must have all features.

        Columns of text are categories.
        """
        if self.partial:
            some = ", ".join([*self.partial][:3])
            raise TableError(
                f"{len(self.partial)} features are computed on a part of the rows only ({some}); take "
                "complete(), the rows that have all features, or without_partial(), the other features"
            )
        return self._values

    @property
    def _values(self) -> pd.DataFrame:
        import pandas as pd

        values = self.successful[self.features].reset_index(drop=True)
        for item in self.manifest["features"]:
            if "categories" in item:
                codes = values[item["name"]].fillna(-1).astype(int)
                values[item["name"]] = pd.Categorical.from_codes(codes, item["categories"])
        return values

    @cached_property
    def partial(self) -> dict[str, int]:
        """By feature: the number of rows that did not fail on which it was not computed, if there are any.

        On these networks it met an error, or would take more steps than its budget.
        """
        timed = [name for name in self.features if OWN_PREFIX + name in self.successful]
        missing = {name: int(self.successful[name].isna().sum()) for name in timed}
        return {name: n for name, n in missing.items() if n}

    @property
    def y(self) -> pd.Series:
        """Labels of the rows that did not fail."""
        return self.successful["label"].reset_index(drop=True)

    @property
    def target(self) -> Target:
        """What the features are to predict: the labels, or the numbers that the table was made for."""
        names = self.manifest.get("target")
        if names is None:
            return as_target(self.y.to_numpy(), "classes")
        return as_target(self.parameters[names], "numbers")

    @property
    def parameters(self) -> pd.DataFrame:
        """Parameters of the rows that did not fail; NaN where a model does not have the parameter."""
        names = [name for name in self.frame.columns if name.startswith(PARAMETER_PREFIX)]
        parameters = self.successful[names].reset_index(drop=True)
        return parameters.rename(columns=lambda name: name.removeprefix(PARAMETER_PREFIX))

    @property
    def failures(self) -> pd.DataFrame:
        """Number, label and reason of each row that failed."""
        failed = self.frame[self.frame["failure"].notna()]
        return failed[["row", "label", "failure"]].reset_index(drop=True)

    @property
    def not_computed(self) -> pd.DataFrame:
        """Number and label of each row on which features have no value, with the feature and the reason."""
        import pandas as pd

        columns = ["row", "label", "feature", "reason"]
        if NOT_COMPUTED not in self.frame:
            return pd.DataFrame(columns=columns)
        rows = self.frame[self.frame[NOT_COMPUTED].notna()]
        found = [
            (row, label, *reason.split(": ", 1))
            for row, label, reasons in zip(
                rows["row"], rows["label"], rows[NOT_COMPUTED], strict=True
            )
            for reason in reasons.split("\n")
        ]
        return pd.DataFrame(found, columns=columns)

    @property
    def discrete(self) -> dict[str, bool]:
        """Whether the values of each feature are integers, by name."""
        return {item["name"]: bool(item["discrete"]) for item in self.manifest["features"]}

    @cached_property
    def costs(self) -> CostModel:
        """Mean CPU seconds of each shared step and feature, unless the table has given costs.

        If several machines simulated the rows, only those of the machine with the most calibrated rows
        count.
        """
        if self.given_costs is not None:
            return self.given_costs
        timed = self._of_one_machine()
        own = mean_seconds(timed, OWN_PREFIX)
        if not own:
            return CostModel(dict.fromkeys(self.features, 0.0))
        # Summaries of shared steps are timed on the first rows only, which may have failed.
        own = {**dict.fromkeys(self.features, 0.0), **own}
        return CostModel(own, self.manifest["uses"], mean_seconds(timed, STEP_PREFIX))

    def _of_one_machine(self) -> pd.DataFrame:
        """Return the rows that did not fail of the machine with the most calibrated rows."""
        rows = self.successful
        if "machine" not in rows or rows["machine"].nunique() < 2:
            return rows
        counts = rows.groupby("machine")["calibrated"].agg(["sum", "size"])
        most = counts.sort_values(["sum", "size"], ascending=False, kind="stable").index[0]
        return rows[rows["machine"] == most]

    def __len__(self) -> int:
        return len(self.successful)

    def __repr__(self) -> str:
        names = self.manifest.get("target")
        numbers = self.y.value_counts().sort_index()
        counts = ", ".join(f"{label} {n}" for label, n in numbers.items())
        counts = counts if names is None else f"target {', '.join(names)}"
        failed = f", {len(self.failures)} failed" if len(self.failures) else ""
        n_features = len(self.features)
        return f"<ReferenceTable: {len(self)} rows ({counts}){failed}, {n_features} features>"

    def _repr_html_(self) -> str:
        values, costs = self.successful[self.features], self.costs
        rows = [
            (
                name,
                *(f"{v:.4g}" for v in values[name].quantile([0, 0.5, 1])),
                f"{costs.cost(name):.3g}",
            )
            for name in self.features
        ]
        head = ("feature", "smallest", "median", "largest", "cost")
        return summary_html(repr(self).strip("<>"), head, rows)

    def _sources(self) -> pd.DataFrame:
        """Return where each row comes from: a digest of its source, and its number there."""
        import pandas as pd

        if SOURCE in self.frame:
            return self.frame[[SOURCE, SOURCE_ROW]]
        return pd.DataFrame({SOURCE: self._rows_of(), SOURCE_ROW: self.frame["row"]})

    def _rows_of(self) -> str:
        """Return a digest of the simulation or the data that the rows are from."""
        origin = self.manifest.get("origin", {})
        return str(origin.get("rows_of") or fingerprint(self.manifest, *NETWORKS))

    def _derived(self, made_by: str, frame: pd.DataFrame) -> dict[str, Any]:
        """Return the manifest of some rows or columns of this table; simulations do not resume it."""
        origin = {"made_by": made_by, "rows_of": self._rows_of()}
        return {**self.manifest, "n_samples": len(frame), "origin": origin}

    def _with(
        self, made_by: str, frame: pd.DataFrame, features: Sequence[str] | None = None
    ) -> ReferenceTable:
        manifest = self._derived(made_by, frame)
        if features is not None:
            manifest["features"] = [f for f in manifest["features"] if f["name"] in set(features)]
        costs = self.costs if features is None else self.costs.only(features)
        return ReferenceTable(frame.reset_index(drop=True), manifest, costs)

    def split(self, share: float = 0.5, *, seed: int = 0) -> tuple[ReferenceTable, ReferenceTable]:
        """Split the table at random into two, with each label in the same proportion.

        ``share`` is the share of rows in the first table. Both have the costs of this table.
        """
        check_fraction("share", share)
        rng = np.random.default_rng(seed)
        first = np.zeros(len(self.frame), dtype=bool)
        for rows in self.frame.groupby("label", dropna=False).indices.values():
            first[rng.permutation(rows)[: round(share * len(rows))]] = True
        return self._with("split", self.frame[first]), self._with("split", self.frame[~first])

    def with_target(self, numbers: pd.DataFrame) -> ReferenceTable:
        """Return the table with numbers as its target instead of the labels.

        ``numbers`` has a row for each row that did not fail, and NaN where a row has no value. Rows
        without any value are left out.

        >>> import netchoice
        >>> table = netchoice.simulate_table(
        ...     "duplication", n_nodes=20, n_samples=40, seed=1, features=["degree_mean"],
        ...     engine="serial")
        >>> table.with_target(table.parameters[["p_new"]])
        <ReferenceTable: 25 rows (target p_new), 1 features>
        """
        names = [str(name) for name in numbers.columns]
        old = [name for name in self.frame.columns if name.startswith(PARAMETER_PREFIX)]
        columns = numbers.set_axis([PARAMETER_PREFIX + name for name in names], axis=1)
        frame = self.successful.drop(columns=old).reset_index(drop=True).join(columns)
        table = self._with("with_target", frame[numbers.notna().any(axis=1).to_numpy()])
        table.manifest["target"] = names
        return table

    def drop_constant(self) -> ReferenceTable:
        """Return the table without the features that have the same value in all rows."""
        n_values = self.X.nunique(dropna=False)
        constant = [name for name in self.features if n_values[name] <= 1]
        kept = [name for name in self.features if n_values[name] > 1]
        return self._with("drop_constant", self.frame.drop(columns=constant), kept)

    def only(self, names: Iterable[str]) -> ReferenceTable:
        """Return the table with some of its features; names that it does not have are ignored."""
        kept = [name for name in names if name in self.features]
        if not kept:
            raise UsageError("the table has none of these features; simulate it with more features")
        others = [name for name in self.features if name not in kept]
        return self._with("selecting features", self.frame.drop(columns=others), kept)

    def complete(self) -> ReferenceTable:
        """Return the rows on which all features were computed.

        Rows that failed stay in the table.
        """
        if not self.partial:
            return self
        rows = self.frame[[*self.partial]].notna().all(axis=1) | self.frame["failure"].notna()
        return self._with("complete", self.frame[rows.to_numpy()])

    def without_partial(self) -> ReferenceTable:
        """Return the table without features that have no value on some network.

        Without the feature, all networks stay in the table. Without these networks, it would be biased.
        """
        if not self.partial:
            return self
        kept = [name for name in self.features if name not in self.partial]
        if not kept:
            some = ", ".join([*self.partial][:3])
            raise TableError(
                f"no feature has a value on every row ({some}); simulate other features"
            )
        return self.only(kept)

    @classmethod
    def concat(cls, tables: Iterable[ReferenceTable]) -> ReferenceTable:
        """Return one table with the rows of several; it has the given costs of the first, if any.

        The tables must agree in model space, number of nodes, treatment of isolated nodes and features,
        and must not share rows.
        """
        import pandas as pd

        tables = list(tables)
        if not tables:
            raise UsageError("no tables given; pass at least one")
        first = tables[0]
        for other in tables[1:]:
            check_compatible(first.manifest, other.manifest, "the tables", MUST_AGREE)
        sources = [table._sources() for table in tables]
        n_shared = pd.concat([rows.drop_duplicates() for rows in sources]).duplicated().sum()
        if n_shared:
            raise TableError(
                f"the tables share {n_shared} rows; expected each row once: leave out the repeated "
                "table, or simulate another one with a different seed or stream"
            )
        frame = pd.concat([table.frame for table in tables], ignore_index=True)
        frame["row"] = np.arange(len(frame))
        frame[[SOURCE, SOURCE_ROW]] = pd.concat(sources, ignore_index=True)
        manifest = {**first.manifest, "n_samples": len(frame), "origin": {"made_by": "concat"}}
        for name in ("seed", "stream"):
            manifest.pop(name, None)
        return cls(frame, manifest, first.given_costs)

    @classmethod
    def from_frame(
        cls, frame: pd.DataFrame | AnyPath, label: str | Sequence[str] = "label", *,
        target: str = "auto", costs: Costs | AnyPath = None, discrete: Iterable[str] | None = None,
    ) -> ReferenceTable:  # fmt: skip
        """Make a table from a data frame or a file: one column holds labels, all others hold features.

        Values may be missing, and text is a category.

        Parameters
        ----------
        frame : pandas.DataFrame or path
            Or a CSV file with a header, which may be compressed, or a Parquet file.
        label : str or sequence of str
            The column of labels, or one or several columns of numbers to predict.
        target : "auto", "classes" or "numbers"
            What the column holds; see :func:`netchoice.targets.as_target`.
        costs : CostModel, mapping or path, optional
            Costs of the features, or a file for :meth:`CostModel.from_file`; all 0 by default.
        discrete : iterable of str, optional
            Features whose values are integers; by default the columns of an integer type.
        """
        if isinstance(frame, str | PathLike):
            frame, _ = read_frame(frame)
        if isinstance(costs, str | PathLike):
            costs = CostModel.from_file(costs)
        labels = [label] if isinstance(label, str) else list(label)
        values, categories, wanted, given = import_frame(frame, labels, target, costs)
        names = list(values.columns)
        if discrete is None:
            discrete = [str(name) for name in frame if frame[name].dtype.kind in "iu"]
        discrete = {*discrete, *categories}
        listed = [{"name": n, "version": "", "discrete": n in discrete} for n in names]
        for item in listed:
            if item["name"] in categories:
                item["categories"] = categories[str(item["name"])]
        manifest = {
            "format": FORMAT, "space": {"name": "imported"}, "n_nodes": None, "isolated": None,
            "features": listed, "uses": {}, "n_samples": len(frame),
        }  # fmt: skip
        values.insert(0, "row", np.arange(len(frame)))
        values.insert(1, "label", ALL_ROWS)
        values.insert(2, "failure", None)
        if isinstance(wanted, Numbers):
            manifest["target"] = list(wanted.names)
            for name, column in zip(wanted.names, wanted.values.T, strict=True):
                values[PARAMETER_PREFIX + name] = column
        else:
            values["label"] = frame[labels[0]].astype(str).to_numpy()
        manifest["origin"] = {"made_by": "import", "rows_of": _content_digest(values)}
        return cls(values, manifest, given)

    def to_frame(self) -> pd.DataFrame:
        """Return labels, parameters and features of the rows that did not fail."""
        frame = self.parameters.add_prefix(PARAMETER_PREFIX).join(self._values)
        frame.insert(0, "label", self.y)
        return frame

    def export(self, path: str | PathLike[str], *, overwrite: bool = False) -> pd.DataFrame:
        """Write what :meth:`to_frame` returns to one file, and return it.

        The name must end in ``.csv`` or ``.parquet``. A file that exists is refused, unless ``overwrite``
        is true.
        """
        path, frame, content = place(path), self.to_frame(), io.BytesIO()
        if path.suffix == ".parquet":
            frame.to_parquet(content, index=False)
        elif path.suffix == ".csv":
            content.write(to_csv(frame).encode("utf-8", errors="replace"))
        else:
            raise UsageError(f"{path} must end in .csv or .parquet")
        try:
            write_output(path, content.getvalue(), overwrite)
        except OSError as error:
            raise NetchoiceError(f"cannot write {path}: {error.strerror}") from error
        return frame

    def save(self, path: str | PathLike[str]) -> None:
        """Write the table to a new folder.

        A simulation can resume the table if it was simulated and has all rows up to the last.
        """
        import pyarrow as pa

        folder = TableFolder(path)
        manifest = dict(self.manifest)
        if "origin" not in manifest and not (self.frame["row"] == np.arange(len(self.frame))).all():
            manifest = self._derived("selecting rows", self.frame)
        if "origin" in manifest:
            manifest["origin"] = {**manifest["origin"], "content": _content_digest(self.frame)}
        if self.given_costs is not None:
            manifest["costs"] = self.given_costs.as_dict()
        with folder.open(manifest, resume=False):
            folder.write(pa.Table.from_pandas(self.frame, preserve_index=False))

    @classmethod
    def load(
        cls, path: str | PathLike[str], *, draw: int | None = None, seed: int = 0
    ) -> ReferenceTable:
        """Read a table from its folder; damaged shards are skipped with a warning.

        With ``draw``, so many rows are drawn at random with the seed, and the others take no memory.
        """
        folder = TableFolder(path)
        manifest = folder.manifest()
        shards = folder.scan()
        rows = row_numbers(shards)
        if "origin" not in manifest:
            # After a deadline, a simulated table may have rows after the first one that is missing.
            rows = rows[rows < manifest["n_samples"]]
        drawn = _drawn(rows, draw, seed)
        # The first rows have the best timings.
        kept = drawn if drawn is rows else np.union1d(rows[rows < CALIBRATION_ROWS], drawn)
        frame = folder.take(shards, kept).to_pandas()
        if len(rows) < manifest["n_samples"]:
            found = f"{len(rows)} of {manifest['n_samples']} rows"
            again = "make the table" if "origin" in manifest else "run the same simulation"
            warnings.warn(f"{path} has {found}; {again} again to complete it", stacklevel=2)
        given = manifest.pop("costs", None)
        table = cls(frame, manifest, None if given is None else CostModel(**given))
        return table if drawn is rows else table._with("drawing rows", frame[np.isin(kept, drawn)])

    def draw(self, n_rows: int, *, seed: int = 0) -> ReferenceTable:
        """Return so many rows, drawn at random; all if there are fewer."""
        places = np.arange(len(self.frame))
        drawn = _drawn(places, n_rows, seed)
        return self if drawn is places else self._with("drawing rows", self.frame.iloc[drawn])


def _drawn(rows: np.ndarray, n_rows: int | None, seed: int) -> np.ndarray:
    """Return some rows, sorted, drawn without replacement; the same array if that are all."""
    if n_rows is None or check_integer("n_rows", n_rows) >= len(rows):
        return rows
    return np.sort(np.random.default_rng(seed).choice(rows, n_rows, replace=False))


def _content_digest(frame: pd.DataFrame) -> str:
    """Return a digest of the names and values of all columns."""
    import pandas as pd

    digest = hashlib.blake2b(repr(list(frame.columns)).encode(), digest_size=16)
    digest.update(pd.util.hash_pandas_object(frame, index=False).to_numpy().tobytes())
    return digest.hexdigest()
