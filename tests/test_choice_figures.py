"""Figures of an answer: what they draw, and where."""

import numpy as np
import pandas as pd
import pytest

from netchoice import figures
from netchoice.errors import UsageError
from netchoice.inference import embed

ONE = pd.DataFrame({"f": [1]})


def test_probabilities():
    ax = figures.probabilities({"a": 0.2, "b": 0.8}, {"a": (0.1, 0.3), "b": (0.7, 0.9)})
    widths = [bar.get_width() for bar in ax.patches]
    assert widths == [0.8, 0.2]
    ends = [line.get_xdata().tolist() for line in ax.lines if line.get_gid() == "interval"]
    assert ends == [[0.7, 0.9], [0.1, 0.3]]


def test_embedding():
    rng = np.random.default_rng(0)
    y = pd.Series(np.repeat(["dmc", "dmr"], [30, 20]))
    X = pd.DataFrame(rng.normal(size=(50, 3)), columns=list("abc"))
    embedding = embed(X, y, dict(X.iloc[0]), n_landmarks=30)
    ax = figures.embedding(embedding)
    drawn = {"dmc": 0, "dmr": 0}
    for dots in ax.collections:
        drawn[dots.get_gid().removeprefix("model ")] += len(dots.get_offsets())
    assert drawn == y.value_counts().to_dict()
    marker = next(line for line in ax.lines if line.get_gid() == "observed")
    point = embedding.points.iloc[-1]
    assert (marker.get_xdata()[0], marker.get_ydata()[0]) == (point["x"], point["y"])
    assert f"{embedding.distance_correlation:.2f}" in ax.get_xlabel()
    assert {text.get_text() for text in ax.texts} == {"dmc", "dmr"}


def test_feature_distributions():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "even": rng.normal(size=90),
            "wide": 10 ** rng.uniform(0, 40, 90),
            "with zeros": np.where(np.arange(90) % 3, 0, 10 ** rng.uniform(0, 9, 90)),
            "constant": 1.0,
        }
    )
    axes = figures.feature_distributions(
        X,
        np.repeat(["a", "b"], 45),
        {"even": 9.0, "wide": 1e60, "with zeros": 0.0, "constant": 1.0},
    )
    assert [ax.get_xscale() for ax in axes] == ["linear", "log", "symlog", "linear"]
    for ax, value in zip(axes, (9.0, 1e60, 0.0, 1.0), strict=True):
        line = next(line for line in ax.lines if line.get_gid() == "observed")
        assert line.get_xdata() == [value, value]
        shares = [
            p.get_data().values.sum() for p in ax.patches if p.get_gid() in ("model a", "model b")
        ]
        assert shares == pytest.approx([1, 1])  # every simulation is inside its histogram


def test_axis_is_symmetric_logarithmic_if_the_observed_value_is_far_away():
    X = pd.DataFrame({"even": np.random.default_rng(0).normal(size=90)})
    (ax,) = figures.feature_distributions(X, ["a"] * 90, {"even": 9900.0})
    assert ax.get_xscale() == "symlog"


def test_a_feature_without_a_value_has_no_line():
    X = pd.DataFrame({"f": [1.0, 2.0]})
    (ax,) = figures.feature_distributions(X, ["a", "a"], {"f": np.nan})
    assert not ax.lines


def test_posteriors():
    draws = pd.DataFrame({"p": [0.3, 0.3, 0.6], "q": [0.5, 0.5, 0.5]})
    first, second = figures.posteriors(
        draws,
        weights=[0.5, 0.25, 0.25],
        intervals={"p": (0.3, 0.6)},
        priors={"p": (0.25, 0.75)},
    )
    density = next(p for p in first.patches if p.get_gid() == "posterior").get_data()
    areas = density.values * np.diff(density.edges)
    assert areas.sum() == pytest.approx(1)
    assert areas.max() == pytest.approx(0.75)
    assert (first.get_xlabel(), second.get_xlabel()) == ("p", "q")
    bar = next(line for line in first.lines if line.get_gid() == "interval")
    assert list(bar.get_xdata()) == [0.3, 0.6]


def test_confusion():
    matrix = pd.DataFrame([[9, 1], [0, 0]], index=["a", "b"], columns=["a", "b"])
    ax = figures.confusion(matrix)
    assert ax.images[0].get_array().tolist() == [[0.9, 0.1], [0, 0]]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]


def test_reliability():
    table = pd.DataFrame(
        {"predicted": [0.2, 0.5, 0.9], "observed": [0.3, 0.4, 1.0], "n": [10, 0, 40]}
    )
    ax = figures.reliability(table)
    dots = next(dots for dots in ax.collections if dots.get_gid() == "reliability")
    assert dots.get_offsets().tolist() == [[0.2, 0.3], [0.9, 1.0]]
    assert dots.get_sizes()[1] > dots.get_sizes()[0]


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: figures.probabilities({}), "no models"),
        (lambda: figures.embedding(pd.DataFrame({"x": [1]})), "lacks 'y'"),
        (lambda: figures.feature_distributions(ONE, ["a"], {}, ["g"]), "unknown feature"),
        (lambda: figures.feature_distributions(ONE, [], {}), "1 rows and 0 labels"),
        (lambda: figures.posteriors(pd.DataFrame()), "expected at least one row"),
        (lambda: figures.confusion(pd.DataFrame()), "at least one model"),
        (lambda: figures.reliability(pd.DataFrame({"predicted": []})), "lacks 'observed'"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(draw, message):
    with pytest.raises(UsageError, match=message):
        draw()
