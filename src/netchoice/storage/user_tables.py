"""Tables of users: CSV files, read within a limit of memory, and data frames, checked."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from netchoice.errors import NetworkFormatError, TableError, one_line
from netchoice.io.guard import load
from netchoice.io.stored_files import zip_members
from netchoice.storage.table_columns import OWN_PREFIX, PARAMETER_PREFIX, RESERVED, STEP_PREFIX
from netchoice.targets import Target, as_target

if TYPE_CHECKING:
    import pandas as pd

#: A line with more cells than this takes longer than some seconds.
MAX_COLUMNS = 50_000


def read_csv(path: str | PathLike[str]) -> pd.DataFrame:
    """Return the table in a CSV file with a header, which may be compressed or alone in a zip file."""
    import pandas as pd

    try:
        content = _content(Path(path))
        widest = max((line.count(b",") for line in content.splitlines()), default=0)
        if widest >= MAX_COLUMNS:
            raise ValueError(
                f"a line has {widest + 1} cells; expected at most {MAX_COLUMNS}: leave out columns"
            )
        frame = pd.read_csv(io.BytesIO(content))
    except NetworkFormatError as error:
        raise TableError(str(error)) from error
    except ValueError as error:
        raise TableError(one_line(f"{path} cannot be read as a CSV table: {error}")) from error
    if frame.shape[1] == 1 and ";" in str(frame.columns[0]):
        raise TableError(f"{path} is separated by semicolons; separate its columns by commas")
    return frame


def _content(path: Path) -> bytes:
    content, limit = load(path)
    if content[:4] == b"PK\x03\x04":
        members = zip_members(str(path))
        if len(members) != 1:
            raise ValueError(f"a zip file with {len(members)} files; expected one table")
        content, limit = members[0].load()
    limit.check_cells(content)
    return content


def feature_values(frame: pd.DataFrame, labels: Sequence[str]) -> pd.DataFrame:
    """Return all columns of a data frame but the labels, if the data frame can become a table."""
    import pandas as pd

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
    counts = Counter(names)
    for name in names:
        if counts[name] > 1:
            raise TableError(f"two columns are called {name!r}; rename one")
        if name in RESERVED or name.startswith((PARAMETER_PREFIX, OWN_PREFIX, STEP_PREFIX)):
            raise TableError(f"column {name!r} has a name that netchoice reserves; rename it")
    values = frame.drop(columns=list(labels)).set_axis(names, axis=1)
    for name in names:
        if not pd.api.types.is_numeric_dtype(values[name]):
            raise TableError(
                f"column {name!r} holds {values[name].dtype}; expected numbers: encode its values "
                "as numbers, or drop the column"
            )
    return values


def target_of(frame: pd.DataFrame, labels: Sequence[str], kind: str) -> Target:
    """Return what the columns of labels hold, if every row has a label or a number."""
    if len(labels) > 1:
        return as_target(frame[list(labels)], "numbers" if kind == "auto" else kind)
    column = frame[labels[0]]
    missing = column.isna()
    if missing.any():
        raise TableError(
            f"{int(missing.sum())} of {len(column)} rows have no label, the first of them row "
            f"{int(missing.to_numpy().argmax()) + 1}; drop these rows"
        )
    return as_target(frame[list(labels)] if column.dtype.kind in "iuf" else column, kind)
