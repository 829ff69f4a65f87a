"""Columns of a reference table: their names, and those of its timings."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

PARAMETER_PREFIX, OWN_PREFIX, STEP_PREFIX = "parameter_", "seconds_own_", "seconds_step_"
#: Columns of a concatenated table: the source of each row, and its number there.
SOURCE, SOURCE_ROW = "source_table", "source_row"
#: Column of a table in which features of some rows have no value: the reasons, a line for each feature.
NOT_COMPUTED = "not_computed"
#: No feature may have these names, nor names that begin with one of the prefixes.
RESERVED = (
    "row", "label", "failure", "machine", "calibrated", "seconds_growth", SOURCE, SOURCE_ROW, NOT_COMPUTED,
)  # fmt: skip
#: The label of all rows of a table of numbers.
ALL_ROWS = "all"
#: The first rows of a table are calibrated: their short features are timed over several runs.
CALIBRATION_ROWS = 16
#: Costs below this many seconds are taken from the calibrated rows.
CALIBRATED_BELOW = 1e-3


def timings(frame: pd.DataFrame) -> list[str]:
    """Return the columns of seconds of shared steps and features."""
    return [name for name in frame.columns if name.startswith((OWN_PREFIX, STEP_PREFIX))]


def mean_seconds(timed: pd.DataFrame, prefix: str) -> dict[str, float]:
    """Return the mean of each column of seconds that has any, by the name after the prefix."""
    calibrated = timed[timed["calibrated"]]
    means = {}
    for column in timed.columns:
        if column.startswith(prefix):
            overall = float(timed[column].mean()) if len(timed) else 0.0
            repeated = float(calibrated[column].mean()) if len(calibrated) else overall
            seconds = repeated if repeated < CALIBRATED_BELOW else overall
            if not math.isnan(seconds):
                means[column.removeprefix(prefix)] = seconds
    return means
