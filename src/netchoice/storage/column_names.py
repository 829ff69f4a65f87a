"""Columns of a table: their names, and the checks of columns that are imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netchoice.storage.manifest import TableError

if TYPE_CHECKING:
    import pandas as pd

PARAMETER_PREFIX, OWN_PREFIX, STEP_PREFIX = "parameter_", "seconds_own_", "seconds_step_"
#: No feature may have these names, nor names that begin with one of the prefixes.
RESERVED = ("row", "label", "failure", "machine", "calibrated", "seconds_growth")


def feature_values(frame: pd.DataFrame, label: str) -> pd.DataFrame:
    """Return all columns of a data frame but the labels, if the data frame can become a table."""
    import pandas as pd

    if label not in frame.columns:
        raise TableError(
            f"there is no column {label!r}; the columns are {', '.join(map(str, frame.columns))}: "
            "name the column of labels (label=… in Python, --label on the command line)"
        )
    if not len(frame):
        raise TableError("the table has no rows; expected a label and features in each row")
    _check_labels(frame[label])
    names = [str(name) for name in frame.columns if name != label]
    if not names:
        raise TableError(f"the table has no column besides {label!r}; expected features")
    for name in names:
        if names.count(name) > 1:
            raise TableError(f"two columns are called {name!r}; rename one")
        if name in RESERVED or name.startswith((PARAMETER_PREFIX, OWN_PREFIX, STEP_PREFIX)):
            raise TableError(f"column {name!r} has a name that netchoice reserves; rename it")
    values = frame.drop(columns=label).set_axis(names, axis=1)
    for name in names:
        if not pd.api.types.is_numeric_dtype(values[name]):
            raise TableError(
                f"column {name!r} holds {values[name].dtype}; expected numbers: encode its values "
                "as numbers, or drop the column"
            )
    return values


def _check_labels(labels: pd.Series) -> None:
    import pandas as pd

    missing = labels.isna()
    if missing.any():
        raise TableError(
            f"{int(missing.sum())} of {len(labels)} rows have no label, the first of them row "
            f"{int(missing.to_numpy().argmax()) + 1}; drop these rows"
        )
    if pd.api.types.is_float_dtype(labels) and (labels % 1 != 0).any():
        raise TableError(
            f"the labels in {labels.name!r} are numbers with fractions; expected classes: divide a "
            "quantity into classes first, for example with pandas.qcut"
        )
