"""Predictions of single rows in cross-validation: how many of each class are right, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from netchoice.columns import Columns, code_frame
from netchoice.costs import CostModel
from netchoice.evaluation.scorers import Fold, find_classifier
from netchoice.selection import AcquiringClassifier
from netchoice.storage.table import ReferenceTable
from netchoice.targets import Classes
from netchoice.threads import one_blas_thread, one_openmp_thread

#: Rows for which columns are acquired one by one, which takes about a millisecond for each row.
MAX_ACQUIRED = 2_000


def class_recall(
    classifier: Any, table: ReferenceTable, features: Sequence[str], folds: Sequence[Fold]
) -> dict[str, float]:
    """Return the share of the rows of each class that these features predict correctly in the folds."""
    target = table.target
    if not isinstance(target, Classes):
        return {}
    values = _columns(table, features).values
    found, n = np.zeros(len(target.labels)), np.zeros(len(target.labels))
    with one_blas_thread(), one_openmp_thread():
        for train, test in folds:
            fitted = clone(find_classifier(classifier, target)).fit(
                values[train], target.codes[train]
            )
            truth = target.codes[test]
            n += np.bincount(truth, minlength=len(n))
            found += np.bincount(truth[fitted.predict(values[test]) == truth], minlength=len(n))
    return dict(zip(map(str, target.labels), (found / n).tolist(), strict=True))


def acquire_rows(
    classifier: AcquiringClassifier,
    table: ReferenceTable,
    features: Sequence[str],
    costs: CostModel,
    folds: Sequence[Fold],
) -> dict[str, Any]:
    """Return the accuracy and the mean cost if each row pays only for the columns that it needs.

    Columns that stand for a category or for missing values share the cost of their feature.
    """
    target = table.target
    if not isinstance(target, Classes):
        return {}
    columns = _columns(table, features)
    own: dict[str, float] = {}
    uses: dict[str, list[str]] = {}
    for name, places in zip(features, columns.of_feature, strict=True):
        own.update((f"column {place}", 0.0) for place in places)
        uses.update((f"column {place}", [name]) for place in places)
    model = CostModel({**costs.own, **own}, {**costs.uses, **uses}, costs.steps)
    fitted = clone(classifier).set_params(costs=model.only(own))
    correct, spent = [], []
    for train, test in folds:
        X = pd.DataFrame(columns.values, columns=list(own))
        fitted.fit(X.iloc[train], target.codes[train])
        for row in test[: max(1, MAX_ACQUIRED // len(folds))]:
            found = fitted.acquire(columns.values[row])
            correct.append(found.predicted == target.codes[row])
            spent.append(found.cost)
    return {"accuracy": float(np.mean(correct)), "cost": float(np.mean(spent)), "rows": len(spent)}


def _columns(table: ReferenceTable, features: Sequence[str]) -> Columns:
    coded, nominal = code_frame(table.X[list(features)])
    return Columns.of(coded.to_numpy(), nominal)
