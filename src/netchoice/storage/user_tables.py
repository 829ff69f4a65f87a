"""Tables of users: CSV and Parquet files, read within a limit of memory, and data frames, checked."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np

from netchoice.columns import code_column, too_large
from netchoice.costs import CostError, CostModel
from netchoice.errors import NetworkFormatError, TableError, UsageError, one_line
from netchoice.io.guard import COMPRESSED, load, zip_members
from netchoice.storage.table_columns import OWN_PREFIX, PARAMETER_PREFIX, RESERVED, STEP_PREFIX
from netchoice.targets import Target, as_target

if TYPE_CHECKING:
    import pandas as pd

#: A line with more cells than this takes longer than some seconds.
MAX_COLUMNS = 50_000
#: Larger text files are read in parts.
MAX_CONTENT = 32 << 20
#: Rows of a part.
ROWS_OF_PART = 5_000
#: Columns that a message names.
MOST_NAMED = 5


# Files


def read_frame(
    path: str | PathLike[str], n_rows: int | None = None, seed: int = 0
) -> tuple[pd.DataFrame, int]:
    """Return the table in a CSV or Parquet file, and its number of rows.

    A CSV file has a header, and may be compressed or alone in a zip file. With ``n_rows``, so many rows are
    drawn at random; the others take no memory.
    """
    import pandas as pd

    path = Path(path)
    is_parquet = path.suffix == ".parquet"
    try:
        parts = _parquet_parts(path) if is_parquet else _csv_parts(path)
        frame, n_read = _drawn(parts, n_rows, seed)
    except NetworkFormatError as error:
        raise TableError(str(error)) from error
    except (ValueError, OSError, pd.errors.ParserError) as error:
        kind = "Parquet" if is_parquet else "CSV"
        raise TableError(one_line(f"{path} cannot be read as a {kind} table: {error}")) from error
    if frame.shape[1] == 1 and ";" in str(frame.columns[0]):
        raise TableError(f"{path} is separated by semicolons; separate its columns by commas")
    return frame, n_read


def _drawn(
    parts: Iterator[pd.DataFrame], n_rows: int | None, seed: int
) -> tuple[pd.DataFrame, int]:
    """Return all parts of a table, or rows drawn at random from them, and the number of rows."""
    import pandas as pd

    rng = np.random.default_rng(seed)
    kept: list[pd.DataFrame] = []
    keys = np.empty(0)
    n_read = 0
    for part in parts:
        n_read += len(part)
        kept.append(part)
        if n_rows is None:
            continue
        # Each row draws a number; the rows with the smallest numbers stay.
        keys = np.append(keys, rng.random(len(part)))
        if len(keys) > n_rows:
            stay = np.sort(np.argpartition(keys, n_rows)[:n_rows])
            keys = keys[stay]
            kept = [pd.concat(kept, ignore_index=True).iloc[stay]]
    return (kept[0] if len(kept) == 1 else pd.concat(kept)).reset_index(drop=True), n_read


def _parquet_parts(path: Path) -> Iterator[pd.DataFrame]:
    import pyarrow.parquet

    # Without these options, all columns of a group of rows are in memory at once, as in the file.
    with pyarrow.parquet.ParquetFile(path, pre_buffer=False, buffer_size=1 << 16) as file:
        yield file.schema_arrow.empty_table().to_pandas()
        for batch in file.iter_batches(ROWS_OF_PART, use_threads=False):
            yield batch.to_pandas()


def _csv_parts(path: Path) -> Iterator[pd.DataFrame]:
    import pandas as pd

    with _text(path) as file:
        yield from pd.read_csv(file, chunksize=ROWS_OF_PART)


def _text(path: Path) -> BinaryIO:
    """Return an open file: a large file on disk, or the content of a smaller or compressed one."""
    if path.is_file() and path.stat().st_size > MAX_CONTENT and path.suffix not in COMPRESSED:
        file = path.open("rb")
        if file.read(4) != b"PK\x03\x04":
            file.seek(0)
            _check_width([file.readline(100 * MAX_COLUMNS)])
            file.seek(0)
            return file
        file.close()
    content, limit = load(path)
    if content[:4] == b"PK\x03\x04":
        members = zip_members(str(path))
        if len(members) != 1:
            raise ValueError(f"a zip file with {len(members)} files; expected one table")
        content, limit = members[0].load()
    limit.check_cells(content)
    _check_width(content.splitlines())
    return io.BytesIO(content)


def _check_width(lines: Iterable[bytes]) -> None:
    widest = max((line.count(b",") for line in lines), default=0)
    if widest >= MAX_COLUMNS:
        raise ValueError(
            f"a line has {widest + 1} cells; expected at most {MAX_COLUMNS}: leave out columns"
        )


# Data frames


class Imported(NamedTuple):
    """The columns of a user's table."""

    values: pd.DataFrame  # numbers; NaN where a value is missing
    categories: dict[str, list[str]]  # of columns of text, whose numbers are positions in this list
    target: Target
    costs: CostModel


def import_frame(frame: pd.DataFrame, labels: Sequence[str], kind: str, costs: Any) -> Imported:
    """Return the columns of a data frame, what they predict, and their costs.

    One error says everything that is wrong with the columns, the labels and the costs.
    """
    import pandas as pd

    names = _feature_names(frame, labels)
    columns = frame.drop(columns=list(labels)).set_axis(names, axis=1)
    wrong: list[tuple[str, str]] = []  # a column, or "", and what is wrong with it
    target = _target_of(frame, labels, kind, wrong)
    values, categories = {}, {}
    for name in names:
        try:
            coded = code_column(columns[name])
            if reason := too_large(coded.values):
                raise UsageError(reason)
        except UsageError as error:
            wrong.append((name, str(error)))
            continue
        values[name] = coded.values
        if coded.categories is not None:
            categories[name] = coded.categories
    model = _costs_of(costs, names, wrong)
    if wrong or target is None or model is None:
        raise TableError(_in_one_message(wrong))
    return Imported(pd.DataFrame(values), categories, target, model)


def _feature_names(frame: pd.DataFrame, labels: Sequence[str]) -> list[str]:
    """Return the names of all columns but the labels, if they can be features."""
    for label in labels:
        if label not in frame.columns:
            raise TableError(
                f"there is no column {label!r}; the columns are {', '.join(map(str, frame.columns))}: "
                "name the column of labels (label=… in Python, --label on the command line)"
            )
    if not len(frame):
        raise TableError("the table has no rows; expected a label and features in each row")
    names = [str(name) for name in frame.columns if name not in labels]
    if not names:
        raise TableError(f"the table has no column besides {labels[0]!r}; expected features")
    for name, count in Counter(names).items():
        if count > 1:
            raise TableError(f"two columns are called {name!r}; rename one")
        if name in RESERVED or name.startswith((PARAMETER_PREFIX, OWN_PREFIX, STEP_PREFIX)):
            raise TableError(f"column {name!r} has a name that netchoice reserves; rename it")
    return names


def _target_of(
    frame: pd.DataFrame, labels: Sequence[str], kind: str, wrong: list[tuple[str, str]]
) -> Target | None:
    """Return what the columns of labels hold, if every row has a label or a number."""
    column = frame[labels[0]]
    missing = column.isna()
    if len(labels) == 1 and missing.any():
        first = int(missing.to_numpy().argmax()) + 1
        wrong.append(
            (
                "",
                f"{int(missing.sum())} of {len(column)} rows have no label, the first of them row {first}; "
                "drop these rows",
            )
        )
        return None
    try:
        if len(labels) > 1:
            return as_target(frame[list(labels)], "numbers" if kind == "auto" else kind)
        return as_target(frame[list(labels)] if column.dtype.kind in "iuf" else column, kind)
    except UsageError as error:
        wrong.append(("", str(error)))
        return None


def _costs_of(costs: Any, names: Sequence[str], wrong: list[tuple[str, str]]) -> CostModel | None:
    """Return the costs of the columns; all 0 if there are none."""
    try:
        model = CostModel.of(dict.fromkeys(names, 0.0) if costs is None else costs, names)
        missing = [name for name in names if name not in model.own]
        if not missing:
            return CostModel.for_columns(costs or model, names).only(names)
    except CostError as error:
        wrong.append(("", str(error)))
        return None
    steps = {step for used in model.uses.values() for step in used}
    others = [name for name in model.own if name not in names and name not in steps]
    wrong += [(name, "has no cost") for name in missing]
    if others:
        some = ", ".join(map(repr, others[:MOST_NAMED]))
        wrong.append(("", f"the costs name {some}, which the table does not have"))
    return None


def _in_one_message(wrong: Iterable[tuple[str, str]]) -> str:
    """Return what is wrong with a table; columns with the same defect are named together."""
    columns: dict[str, list[str]] = {}
    for name, reason in wrong:
        columns.setdefault(reason, []).append(name)
    texts = []
    for reason, names in columns.items():
        shown = ", ".join(map(repr, names[:MOST_NAMED]))
        if len(names) > MOST_NAMED:
            shown += f" and {len(names) - MOST_NAMED} more"
        if names == [""]:
            texts.append(reason)
        elif len(names) == 1:
            texts.append(f"column {shown} {reason}")
        else:
            texts.append(f"columns {shown}: each {reason}")
    if len(texts) == 1:
        return texts[0]
    numbered = (f"({i}) {text}" for i, text in enumerate(texts, start=1))
    return f"the table needs {len(texts)} changes: {'; '.join(numbered)}"
