"""Tables as users have them: a folder, a CSV file, or in memory."""

from __future__ import annotations

from functools import partial
from os import PathLike
from pathlib import Path

import numpy as np

from netchoice.errors import UsageError
from netchoice.storage.manifest import TableError
from netchoice.storage.table import ReferenceTable

#: A table, its folder, or a CSV file.
Table = ReferenceTable | str | PathLike[str]


def load_table(table: Table, label: str = "label") -> ReferenceTable:
    r"""Return a table from its folder or from a CSV file; refuse missing and infinite values.

    Parameters
    ----------
    table : ReferenceTable or path
    label : str
        The column of a CSV file that holds the labels.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "table.csv")
    >>> _ = file.write_text("label,x\na,1\nb,2\n")
    >>> load_table(file)
    <ReferenceTable: 2 rows (a 1, b 1), 1 features>
    """
    name = "the table" if isinstance(table, ReferenceTable) else str(table)
    if not isinstance(table, ReferenceTable):
        path = Path(table)
        if not path.exists():
            raise TableError(
                f"{path} does not exist; expected the folder of a table, or a CSV file"
            )
        read = (
            ReferenceTable.load if path.is_dir() else partial(ReferenceTable.from_csv, label=label)
        )
        table = read(path)
    for feature, column in table.X.items():
        bad = int((~np.isfinite(column.to_numpy(dtype=float))).sum())
        if bad:
            raise UsageError(
                f"{name}: {bad} values of {feature!r} are missing or infinite; leave out those rows or "
                "that column"
            )
    return table


def varying_features(table: ReferenceTable) -> ReferenceTable:
    """Return the table without constant features; refuse a table in which all are constant."""
    varying = table.drop_constant()
    if not varying.features:
        raise UsageError(f"all {len(table.features)} features of the table are constant")
    return varying
