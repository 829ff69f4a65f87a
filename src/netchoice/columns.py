"""Columns of a user's table as numbers: categories become codes or indicators, missing values NaN."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netchoice.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
#: Larger values are refused, because their squares and sums could overflow.
MAX_MAGNITUDE = 1e100
#: Text with more distinct values than this, and than half of the rows, is not a category.
MAX_CATEGORIES = 20
_DATE = r"\d{4}-\d\d?-\d\d?([T ].*)?|\d\d?[./]\d\d?[./]\d{2,4}"


class Coded(NamedTuple):
    """A column as numbers; the values of a column of categories are positions in ``categories``."""

    values: Floats
    categories: list[str] | None


def code_column(column: pd.Series) -> Coded:
    """Return a column as numbers: text becomes the codes of sorted categories, missing values NaN.

    Raise an error that says what a column holds and what to do, if that is impossible.

    >>> import pandas as pd
    >>> code_column(pd.Series(["low", None, "high"]))
    Coded(values=array([ 1., nan,  0.]), categories=['high', 'low'])
    >>> code_column(pd.Series(["low", "3"]))
    Traceback (most recent call last):
    netchoice.errors.UsageError: holds numbers and text such as 'low': write all values as numbers, and \
leave missing ones empty
    """
    import pandas as pd

    kind, known = column.dtype.kind, column.dropna()
    is_category = isinstance(column.dtype, pd.CategoricalDtype)
    if kind in "biuf":
        return Coded(column.to_numpy(dtype=float, na_value=np.nan), None)
    times = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
    values = known.astype(object)
    texts = values.astype(str)
    is_text = values.map(lambda value: isinstance(value, str))
    if kind in "mM" or values.map(lambda value: isinstance(value, times)).any() or (
        len(texts) and texts.str.fullmatch(_DATE).all()
    ):  # fmt: skip
        raise UsageError(
            "holds dates or times: replace it by a number, such as the days since another date"
        )
    numbers = pd.to_numeric(values, errors="coerce")
    if not is_category and numbers.notna().all():
        return Coded(numbers.reindex(column.index).to_numpy(dtype=float, na_value=np.nan), None)
    if not is_category and not is_text.all() and not numbers.notna().any():
        raise UsageError(f"holds a {type(values[~is_text].iloc[0]).__name__}: drop the column")
    if not is_category and numbers.notna().any():
        example = str(values[numbers.isna()].iloc[0])
        raise UsageError(
            f"holds numbers and text such as {example!r}: write all values as numbers, and leave "
            "missing ones empty"
        )
    categories = sorted(set(texts))
    if len(categories) > max(MAX_CATEGORIES, len(column) / 2):
        raise UsageError(
            f"holds {len(categories)} different texts in {len(column)} rows: drop it, or group its values"
        )
    codes = pd.Categorical(texts.reindex(column.index), categories=categories).codes
    return Coded(np.where(codes >= 0, codes, np.nan), categories)


def code_frame(frame: pd.DataFrame) -> tuple[pd.DataFrame, NDArray[np.bool_]]:
    """Return the columns of a data frame as numbers, and which of them hold categories."""
    import pandas as pd

    coded = []
    for position, name in enumerate(frame.columns):
        try:
            coded.append(code_column(frame.iloc[:, position]))
        except UsageError as error:
            raise UsageError(f"`X` cannot be used: the column {str(name)!r} {error}") from error
    values = np.column_stack([each.values for each in coded])
    nominal = np.array([each.categories is not None for each in coded])
    return pd.DataFrame(values, frame.index, frame.columns), nominal


def too_large(values: Floats) -> str:
    """Return what is wrong with a column that holds an infinite or a very large number, or ""."""
    largest = float(np.abs(values[~np.isnan(values)]).max(initial=0))
    if largest <= MAX_MAGNITUDE:
        return ""
    return f"has a value of ±{largest:g}; expected at most {MAX_MAGNITUDE:g}: rescale it, or empty the cell"


@dataclass(frozen=True)
class Columns:
    """Features as columns of numbers without missing values, and the columns of each feature."""

    values: Floats
    of_feature: list[list[int]]

    @classmethod
    def of(cls, X: Floats, nominal: Sequence[bool] | NDArray[np.bool_] = ()) -> Columns:
        """Return indicators of categories, and means and an indicator in place of missing values.

        >>> Columns.of(np.array([[1.0, 5.0], [3.0, 6.0], [np.nan, 5.0]]), [False, True]).values
        array([[1., 0., 1., 0.],
               [3., 0., 0., 1.],
               [2., 1., 1., 0.]])
        """
        parts: list[Floats] = []
        of_feature = []
        is_nominal = nominal if len(nominal) else [False] * X.shape[1]
        for values, has_categories in zip(X.T, is_nominal, strict=True):
            missing = np.isnan(values)
            own = [values]
            if has_categories:
                own = [(values == each).astype(float) for each in np.unique(values[~missing])]
            elif missing.any():
                own = [np.where(missing, values[~missing].mean(), values)]
            if missing.any():
                own.append(missing.astype(float))
            of_feature.append(list(range(len(parts), len(parts) + len(own))))
            parts += own
        return cls(np.column_stack(parts), of_feature)

    def order(
        self, features: Sequence[int], counted: Sequence[bool]
    ) -> tuple[list[int], list[bool]]:
        """Return the columns of a sequence of features, and which of them end a counted feature."""
        order, ends = [], []
        for feature, is_counted in zip(features, counted, strict=True):
            own = self.of_feature[feature]
            order += own
            ends += [False] * (len(own) - 1) + [is_counted]
        return order, ends
