"""Columns that are acquired one by one: order, costs, stop rule, and features of one network."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from naive_acquisition import information, next_column
from sklearn.utils.estimator_checks import check_estimator

from netchoice import CostModel
from netchoice.costs import CostError
from netchoice.errors import UsageError
from netchoice.inference import Scaling
from netchoice.inference.local_regression import default_neighbors, predict_locally
from netchoice.selection import AcquiringClassifier
from netchoice.selection.acquisition import binned_information

LAB = CostModel(
    own={"a": 1, "b": 2, "c": 4, "noise": 1},
    uses={"a": ["sample"], "b": ["sample"]},
    steps={"sample": 5},
)


@pytest.fixture(scope="module")
def patients():
    """Three classes; a and b separate one class each, c both, and one column is noise."""
    rng = np.random.default_rng(4)
    y = rng.choice(["x", "y", "z"], 400)
    X = pd.DataFrame(
        {
            "a": rng.normal(2.5 * (y == "y")),
            "b": np.round(rng.normal(2.5 * (y == "z")), 1),
            "c": rng.normal(3.0 * (y == "y") - 3.0 * (y == "z")),
            "noise": rng.integers(0, 5, 400),
        }
    )
    return X, y


def fitted(patients, **settings):
    return AcquiringClassifier(**{"costs": LAB, **settings}).fit(*patients)


@pytest.mark.slow
def test_scikit_learn_checks():
    results = check_estimator(AcquiringClassifier(), on_skip=None)
    skipped = [result["check_name"] for result in results if result["status"] != "passed"]
    assert skipped == ["check_array_api_input"]
    assert len(results) == 55


def test_information_agrees_with_counting(patients):
    X, y = patients
    codes = np.unique(y, return_inverse=True)[1]
    for rows in (slice(0, 400), slice(0, 60), slice(7, 20)):
        ours = binned_information(X[rows].to_numpy(float), codes[rows], 3)
        ref = [information(X[name][rows].tolist(), codes[rows].tolist(), 4) for name in X]
        np.testing.assert_allclose(ours, ref, atol=1e-12)


def test_information_of_closed_forms():
    codes = np.repeat([0, 1], 500)
    values = np.column_stack(
        [codes, np.zeros(1000), np.arange(1000) % 500, np.tile([0, 1, 1, 1], 250)]
    )
    found = binned_information(values, codes, 2)
    assert found[0] == pytest.approx(math.log(2) - 1 / 2000)  # a column that names the class
    assert found[1:].tolist() == [0, 0, 0]  # a constant, and independent columns


def test_information_needs_two_classes():
    assert binned_information(np.arange(9.0)[:, None], np.zeros(9, np.int64), 2).tolist() == [0]


@pytest.mark.parametrize("charge", ["alone", "shared"])
def test_each_step_acquires_the_column_with_most_information_per_cost(patients, charge):
    X, y = patients
    classifier = fitted(patients, charge=charge, confidence=0.999)
    scaling = Scaling.fit(X.to_numpy(float))
    scaled = scaling.transform(X.to_numpy(float)).tolist()
    for row in ([1.2, 1.1, 0.2, 3.0], [-3.0, 9.0, -1.0, 0.0]):
        query = scaling.transform([row])[0].tolist()
        columns: list = []
        for step in classifier.acquire(row).steps:
            names = [X.columns[j] for j in columns]

            def cost(j, names=names):
                return LAB.marginal_cost(X.columns[j], names, charge)

            best = next_column(scaled, y.tolist(), query, columns, cost)
            assert step.name == X.columns[best]
            assert step.cost == pytest.approx(cost(best))
            assert step.value == row[best]
            columns.append(best)
        assert len(columns) >= 2


def test_probabilities_are_those_of_the_local_regression(patients):
    X, y = patients
    row, (classes, codes) = X.iloc[11].to_numpy(float), np.unique(y, return_inverse=True)
    path = fitted(patients, confidence=0.999).acquire(row)
    for step, n_known in zip(path.steps, range(1, 5), strict=False):
        known = [X.columns.get_loc(name) for name in path.columns[:n_known]]
        rows = X.to_numpy(float)[:, known]
        scaling = Scaling.fit(rows)
        query = scaling.transform(row[None, known])[0]
        ref = predict_locally(
            scaling.transform(rows), codes, query, default_neighbors(len(X)), len(classes)
        )
        np.testing.assert_allclose(list(step.probabilities.values()), ref, atol=1e-9)
    assert path.probabilities == path.steps[-1].probabilities


def test_shared_steps_are_paid_once(patients):
    X, _ = patients
    for row in X.to_numpy(float)[:40]:
        path = fitted(patients, confidence=0.999).acquire(row)
        assert path.cost == pytest.approx(LAB.cost_of_set(path.columns, "shared"))
        assert len(set(path.columns)) == len(path.columns)


@pytest.mark.parametrize("budget", [1, 4, 6, 8, 10])
def test_budget_is_never_exceeded(patients, budget):
    X, _ = patients
    classifier = fitted(patients, budget=budget, confidence=0.999)
    paths = [classifier.acquire(row) for row in X.to_numpy(float)[:60]]
    assert max(path.cost for path in paths) <= budget
    assert "budget" in {path.stopped for path in paths}


def test_a_larger_confidence_continues_the_same_path(patients):
    X, _ = patients
    for row in X.to_numpy(float)[:30]:
        short, long = (fitted(patients, confidence=c).acquire(row) for c in (0.5, 0.99))
        assert long.steps[: len(short.steps)] == short.steps
        p = max(short.probabilities.values())
        assert (short.stopped == "confident") == (2 * (1 - p) <= 0.5)


def test_prediction_rarely_changes_after_the_stop():
    """Of stopped rows, all columns change at most the share 1 − confidence, by the closed form."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 4000)
    X = rng.normal(np.where(y, 1, -1)[:, None] * [0.8, 1.0, 1.2])
    classifier = AcquiringClassifier(costs=[1, 2, 3], confidence=0.8).fit(X[:3000], y[:3000])
    paths = [classifier.acquire(row) for row in X[3000:3400]]
    final = X[3000:3400] @ [0.8, 1.0, 1.2] > 0  # the discriminant of the true distributions
    changed = [
        path.predicted != now
        for path, now in zip(paths, final, strict=True)
        if path.stopped == "confident"
    ]
    assert len(changed) > 200
    assert np.mean(changed) < 0.2 + 2 * math.sqrt(0.2 * 0.8 / len(changed))
    assert any(len(path.columns) == 1 for path in paths)


def test_noise_is_not_acquired_and_ends_the_acquisition():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(500, 3)), np.repeat([0, 1], 250)
    path = AcquiringClassifier().fit(X, y).acquire(X[0])
    assert path.columns == ()
    assert path.stopped == "uninformative"
    assert path.probabilities == path.prior == {0: 0.5, 1: 0.5}


def test_free_columns_come_first_if_they_are_informative(patients):
    X, _ = patients
    costs = {"a": 1e-9, "b": 0, "c": 5, "noise": 0}
    path = fitted(patients, costs=costs, confidence=0.999).acquire(X.iloc[0])
    assert path.columns[0] == "b"
    assert "noise" not in path.columns[:2]


def test_rows_may_be_arrays_mappings_or_functions(patients):
    X, _ = patients
    classifier = fitted(patients)
    read = []

    def value_of(name):
        read.append(name)
        return float(X[name].iloc[5])

    found = classifier.acquire(value_of)
    assert tuple(read) == found.columns
    assert found == classifier.acquire(X.iloc[5].to_numpy(float))
    assert found == classifier.acquire(X.iloc[5]) == classifier.acquire(dict(X.iloc[5]))


def test_predictions_are_those_of_single_rows_and_deterministic(patients):
    X, y = patients
    classifier = fitted(patients)
    shares = classifier.predict_proba(X[:20])
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    single = [classifier.acquire(row).predicted for row in X[:20].to_numpy(float)]
    assert classifier.predict(X[:20]).tolist() == single
    np.testing.assert_array_equal(fitted(patients).predict_proba(X[:20]), shares)
    assert classifier.score(X, y) > 0.9


def test_a_missing_value_is_paid_for_but_not_used(patients):
    X, _ = patients
    classifier = fitted(patients, confidence=0.9)
    first = classifier.acquire(X.iloc[3].to_numpy(float)).columns[0]
    row = X.iloc[3].to_dict() | {first: math.nan}
    path = classifier.acquire(row)
    assert path.columns[0] == first
    assert path.steps[0].probabilities == path.prior
    assert path.cost == pytest.approx(LAB.cost_of_set(path.columns, "shared"))
    record = json.loads(json.dumps(path.as_dict(), allow_nan=False))
    assert record["steps"][0]["value"] is None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"confidence": 1.5}, "`confidence` must be a number between 0 and 1; got 1.5"),
        ({"budget": 0.5}, "`budget` must be at least 1, the cost of the cheapest column"),
        ({"budget": 5, "costs": None}, "`budget` needs `costs`"),
        ({"charge": "once"}, "`charge` must be 'alone' or 'shared'; got 'once'"),
        ({"costs": {"a": 1}}, "`costs` must have a cost for every column; got none for 'b'"),
    ],
)
def test_wrong_settings_are_refused(patients, settings, message):
    with pytest.raises((UsageError, CostError), match=message.replace("(", r"\(")):
        fitted(patients, **settings)


def test_wrong_rows_are_refused(patients):
    classifier = fitted(patients)
    with pytest.raises(UsageError, match="one value for each of 4 columns; got the shape"):
        classifier.acquire([1.0, 2.0])
    with pytest.raises(UsageError, match="the row has no value for the column"):
        classifier.acquire({"nois": 1.0})
