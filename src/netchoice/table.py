"""Reference tables: one row per simulated network, on disk as Parquet shards and a JSON manifest."""

from __future__ import annotations

import contextlib
import json
import math
import os
import uuid
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from netchoice.costs import CostModel
from netchoice.errors import NetchoiceError, UsageError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

FORMAT = 1
#: Names that begin with _ are passed over by programs that read a folder of Parquet files.
MANIFEST = "_manifest.json"
#: Rows on which short features are timed over several runs.
CALIBRATION_ROWS = 16
PARAMETER, OWN, STEP = "parameter_", "seconds_own_", "seconds_step_"
FIXED = ("row", "label", "failure", "machine", "calibrated", "seconds_growth")
#: Fields of a manifest that must agree before rows are put together; others only warn.
REFUSING = ("format", "space", "n_nodes", "isolated", "features")
REFUSING_RESUME = (*REFUSING, "seed", "stream")
WARNING = ("packages", "code")


class TableError(NetchoiceError):
    """A table that cannot be read, or does not go with another."""


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
    >>> table.discrete, table.costs.price("spread")
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
        """By feature: whether its values are whole numbers."""
        return {item["name"]: bool(item["discrete"]) for item in self.manifest["features"]}

    @cached_property
    def costs(self) -> CostModel:
        """Mean seconds of each step and feature, and which feature needs which step."""
        if self.given_costs is not None:
            return self.given_costs
        timed = _one_machine(self._sound)
        calibrated = timed[timed["calibrated"]]
        prices = {}
        for name in timed.columns:
            if name.startswith((OWN, STEP)):
                everywhere = float(timed[name].mean()) if len(timed) else 0.0
                repeated = float(calibrated[name].mean()) if len(calibrated) else everywhere
                prices[name] = repeated if repeated < SHORT else everywhere
        own = {n.removeprefix(OWN): p for n, p in prices.items() if n.startswith(OWN)}
        steps = {n.removeprefix(STEP): p for n, p in prices.items() if n.startswith(STEP)}
        if not own:
            return CostModel(dict.fromkeys(self.features, 0.0))
        return CostModel(own, self.manifest["needs"], steps)

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
            Prices by feature; by default all 0.
        discrete : iterable of str, optional
            Features with whole numbers; by default those whose columns have an integer type.
        """
        import pandas as pd

        if label not in frame.columns:
            raise TableError(f"no column {label!r}; there are {', '.join(map(str, frame.columns))}")
        names = [str(name) for name in frame.columns if name != label]
        values = frame.drop(columns=label).set_axis(names, axis=1)
        reserved = [n for n in names if n in FIXED or n.startswith((PARAMETER, OWN, STEP))]
        if reserved:
            raise TableError(f"column {reserved[0]!r} has a name that tables use; rename it")
        for name in names:
            if not pd.api.types.is_numeric_dtype(values[name]):
                raise TableError(f"column {name!r} holds {values[name].dtype}; expected numbers")
        whole = {n for n in names if pd.api.types.is_integer_dtype(values[n])}
        whole = whole if discrete is None else set(discrete)
        listed = [{"name": n, "version": "", "discrete": n in whole} for n in names]
        manifest = {
            "format": FORMAT, "space": {"name": "brought in"}, "n_nodes": None, "isolated": None,
            "features": listed, "needs": {}, "n_samples": len(frame),
        }  # fmt: skip
        made = values.astype(float)
        made.insert(0, "row", np.arange(len(frame)))
        made.insert(1, "label", frame[label].astype(str).to_numpy())
        made.insert(2, "failure", None)
        prices = CostModel.of(dict.fromkeys(names, 0.0) if costs is None else costs)
        return cls(made.reset_index(drop=True), manifest, prices.only(names))

    @classmethod
    def from_csv(
        cls,
        path: str | PathLike[str],
        label: str = "label",
        *,
        costs: str | PathLike[str] | CostModel | Mapping[str, float] | None = None,
        discrete: Iterable[str] | None = None,
    ) -> ReferenceTable:
        """A table from a CSV file; prices from a mapping, or a CSV file of names and prices."""
        import pandas as pd

        def read(file: str | PathLike[str], what: str, **options: Any) -> Any:
            try:
                return pd.read_csv(file, **options)
            except (OSError, ValueError) as error:
                reason = " ".join(str(error).split())
                raise TableError(f"{file} cannot be read as {what}: {reason}") from error

        frame = read(path, "a CSV table")
        if isinstance(costs, (str, PathLike)):
            rows = read(costs, "CSV with names and prices", header=None, names=["name", "price"])
            if len(rows) and not _is_number(rows["price"].iloc[0]):
                rows = rows.iloc[1:]  # column names
            costs = CostModel.of(dict(zip(rows["name"].astype(str), rows["price"], strict=True)))
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
    """Rows timed on one machine: prices of different ones are not averaged."""
    if "machine" not in frame or frame["machine"].nunique() < 2:
        return frame
    counts = frame["machine"].value_counts()
    warnings.warn(
        f"the rows come from {len(counts)} machines; prices are those of the one with most rows "
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


def _brief(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return text if len(text) < 120 else f"{text[:117]}…"


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True


class TableFolder:
    """The folder of a table: shards that appear whole or not at all, and a manifest."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)

    def exists(self) -> bool:
        """True if a table was begun here."""
        return (self.path / MANIFEST).is_file()

    def manifest(self) -> dict[str, Any]:
        """The manifest, as a dict."""
        try:
            text = (self.path / MANIFEST).read_text()
        except OSError as error:
            raise TableError(
                f"{self.path} is no reference table: no {MANIFEST} in it ({error.strerror}); "
                "netchoice simulate makes tables"
            ) from error
        try:
            manifest = json.loads(text)
        except ValueError as error:
            raise TableError(f"{self.path}/{MANIFEST} is damaged: {error}") from error
        if manifest.get("format") != FORMAT:
            found = manifest.get("format")
            raise TableError(f"{self.path} has table format {found}; this netchoice reads {FORMAT}")
        return dict(manifest)

    def create(self, manifest: Mapping[str, Any]) -> None:
        """Begin a table."""
        if self.exists():
            raise TableError(f"there is a table in {self.path} already; use another folder")
        self.write_manifest(manifest)

    def write_manifest(self, manifest: Mapping[str, Any]) -> None:
        """Replace the manifest."""
        text = json.dumps(manifest, indent=1, ensure_ascii=False)
        with _disk_errors(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
        self._write(MANIFEST, lambda file: Path(file).write_text(text))

    def write_shard(self, rows: pa.Table) -> None:
        """Add rows, in one file."""
        import pyarrow.parquet as pq

        first = rows.column("row")[0].as_py() if rows.num_rows else 0
        name = f"rows-{first:09d}-{uuid.uuid4().hex[:8]}.parquet"
        self._write(
            name,
            lambda file: pq.write_table(rows, file, write_page_checksum=True, compression="zstd"),
        )

    def _write(self, name: str, write: Callable[[str], Any]) -> None:
        """A file that appears whole or not at all, also if the power goes."""
        partial = self.path / f".{name}.{os.getpid()}.partial"
        with _disk_errors(self.path):
            try:
                write(str(partial))
                with open(partial, "rb") as file:
                    os.fsync(file.fileno())
                os.replace(partial, self.path / name)
                directory = os.open(self.path, os.O_RDONLY)
                try:
                    os.fsync(directory)
                finally:
                    os.close(directory)
            finally:
                with contextlib.suppress(OSError):
                    partial.unlink()

    def shards(self) -> list[Path]:
        """The files with rows."""
        return sorted(self.path.glob("rows-*.parquet"))

    def rows_present(self) -> np.ndarray:
        """Row numbers of all sound shards, sorted; damaged files are set aside."""
        found = [self._read_shard(path, ["row"]) for path in self.shards()]
        rows = [shard.column("row").to_numpy() for shard in found if shard is not None]
        return np.unique(np.concatenate(rows)) if rows else np.empty(0, np.int64)

    def read(self, n_rows: int | None = None) -> pd.DataFrame:
        """All rows or the first so many, in order, each once.

        One shard after the other goes to its place, so that memory holds the table once.
        """
        import pandas as pd
        import pyarrow as pa

        rows = self.rows_present()
        rows = rows if n_rows is None else rows[rows < n_rows]
        if not len(rows):
            raise TableError(f"{self.path} has no rows yet; run the simulation again")
        columns: dict[str, np.ndarray] = {}
        for path in self.shards():
            shard = self._read_shard(path)
            if shard is not None:
                _place(shard, rows, columns)
        made = {
            name: pa.array(values, pa.string()).to_pandas() if values.dtype == object else values
            for name, values in columns.items()
        }
        return pd.DataFrame(made, copy=False)

    def _read_shard(self, path: Path, columns: list[str] | None = None) -> pa.Table | None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            # All columns are read even if one is wanted: only that shows whether all are sound.
            table = pq.read_table(path, page_checksum_verification=True)
            return table.select(columns) if columns else table
        except (pa.ArrowException, OSError, KeyError) as error:
            warnings.warn(f"{path} is damaged and set aside ({error})", stacklevel=4)
            with contextlib.suppress(OSError):
                path.rename(path.with_name(f"_{path.name}.damaged"))
            return None


def _place(shard: pa.Table, rows: np.ndarray, columns: dict[str, np.ndarray]) -> None:
    """Put the rows of a shard where they belong in the columns of the whole."""
    import pyarrow as pa

    numbers = shard.column("row").to_numpy()
    kept = np.flatnonzero(np.isin(numbers, rows))
    at = np.searchsorted(rows, numbers[kept])
    for name in shard.column_names:
        column = shard.column(name)
        kind = column.type
        numeric = pa.types.is_floating(kind) or pa.types.is_integer(kind)
        values = column.to_numpy() if numeric or pa.types.is_boolean(kind) else _texts(column)
        if name not in columns:
            missing = {"f": math.nan, "O": None}.get(values.dtype.kind, 0)
            columns[name] = np.full(len(rows), missing, values.dtype)
        columns[name][at] = values[kept]


def _texts(column: Any) -> np.ndarray:
    """Few different texts, many rows: each text is kept once."""
    encoded = column.combine_chunks().dictionary_encode()
    texts = np.array([*encoded.dictionary.to_pylist(), None], dtype=object)
    codes: np.ndarray = encoded.indices.fill_null(len(texts) - 1).to_numpy(zero_copy_only=False)
    return texts[codes]  # type: ignore[no-any-return]


@contextlib.contextmanager
def _disk_errors(path: Path) -> Any:
    try:
        yield
    except OSError as error:
        raise TableError(
            f"cannot write to {path}: {error.strerror or error}; what was written before is kept: make "
            "room or choose another place, and run the same again"
        ) from error
