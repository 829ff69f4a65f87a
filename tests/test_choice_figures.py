"""Figures of an answer: what they draw, and where."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from report_folders import made_answer, rejected, with_states

from netchoice import figures
from netchoice.errors import UsageError
from netchoice.figures.fit_panels import fit_panels
from netchoice.inference import embed
from netchoice.profiles import Envelope

#: The simulations of two models, and values in the plane.
GROUPS = {"a": slice(0, 45), "b": slice(45, 90)}


def by_model(values):
    """Return the first half of the values as those of model a, the second half as those of b."""
    return {model: values[rows] for model, rows in GROUPS.items()}


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
    samples = {
        "even": by_model(rng.normal(size=90)),
        "wide": by_model(10 ** rng.uniform(0, 40, 90)),
        "with zeros": by_model(np.where(np.arange(90) % 3, 0, 10 ** rng.uniform(0, 9, 90))),
        "constant": by_model(np.ones(90)),
    }
    axes = figures.feature_distributions(
        samples, {"even": 9.0, "wide": 1e60, "with zeros": 0.0, "constant": 1.0},
        labels={"even": "an even one"},
    )  # fmt: skip
    titles = [ax.get_title(loc="left") for ax in axes]
    assert titles == ["an even one", "wide", "with zeros", "constant"]
    assert [ax.get_xscale() for ax in axes] == ["linear", "log", "symlog", "linear"]
    for ax, value in zip(axes, (9.0, 1e60, 0.0, 1.0), strict=True):
        line = next(line for line in ax.lines if line.get_gid() == "observed")
        assert line.get_xdata() == [value, value]
        shares = [
            p.get_data().values.sum() for p in ax.patches if p.get_gid() in ("model a", "model b")
        ]
        assert shares == pytest.approx([1, 1])  # every simulation is inside its histogram


def test_axis_is_symmetric_logarithmic_if_the_observed_value_is_far_away():
    even = {"a": np.random.default_rng(0).normal(size=90)}
    (ax,) = figures.feature_distributions({"even": even}, {"even": 9900.0})
    assert ax.get_xscale() == "symlog"


def test_a_feature_without_a_value_has_no_line():
    for observed in ({"f": np.nan}, {}):
        (ax,) = figures.feature_distributions({"f": {"a": [1.0, 2.0], "b": []}}, observed)
        assert not ax.lines


def test_posteriors():
    draws = pd.DataFrame({"p": [0.3, 0.3, 0.3, 0.6], "q": [0.5, 0.5, 0.5, 0.5]})
    first, second, joint = figures.posteriors(
        draws,
        intervals={"p": (0.3, 0.6)},
        bounds={"p": (0.25, 0.75)},
    )
    density = next(p for p in first.patches if p.get_gid() == "posterior").get_data()
    areas = density.values * np.diff(density.edges)
    assert areas.sum() == pytest.approx(1)
    assert areas.max() == pytest.approx(0.75)
    assert (first.get_xlabel(), second.get_xlabel()) == ("p", "q")
    bar = next(line for line in first.lines if line.get_gid() == "interval")
    assert list(bar.get_xdata()) == [0.3, 0.6]
    (points,) = joint.lines
    assert list(points.get_xdata()) == draws["p"].tolist()
    assert list(points.get_ydata()) == draws["q"].tolist()
    assert (joint.get_xlabel(), joint.get_ylabel()) == ("p", "q")
    assert joint.get_xlim() == pytest.approx((0.24, 0.76))


def test_only_uniform_priors_have_a_line():
    draws = pd.DataFrame({"p": [0.3, 0.6], "q": [0.5, 0.4]})
    first, second, _ = figures.posteriors(draws, uniform=["q"])
    assert [line.get_gid() for line in first.lines] == []
    assert [line.get_gid() for line in second.lines] == ["prior"]


def test_every_pair_of_parameters_has_a_panel():
    draws = pd.DataFrame(np.random.default_rng(1).uniform(size=(600, 4)), columns=list("abcd"))
    axes = figures.posteriors(draws)
    pairs = [(ax.get_xlabel(), ax.get_ylabel()) for ax in axes[4:]]
    assert pairs == [("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")]
    assert len(axes[4].lines[0].get_xdata()) == 300  # at most 500 of the draws, evenly spaced


def envelope(labels, observed, low, high, p_value):
    low, high = np.array(low, float), np.array(high, float)
    quantiles = np.array([low + (high - low) * step for step in (0, 0.25, 0.5, 0.75, 1)])
    return Envelope(labels, np.array(observed, float), quantiles, p_value, 99)


def fit_envelopes():
    nan = np.nan
    return {
        "degree": envelope(["0", "1", "2–3", "4–5"], [0.2, 0.5, 0.3, 0], [0.1, 0.4, 0.2, 0],
                            [0.3, 0.6, 0.4, 0], 0.6),
        "distance": envelope(["1", "2", "3", "no path"], [0.1, 0.2, 0, 0.7], [0, 0.3, 0, 0.2],
                              [0.2, 0.8, 0, 0.5], 0.01),
        "clustering": envelope(["2", "3", "4–5"], [0.9, nan, 0.2], [0.1, 0.1, nan], [0.2, 0.3, nan],
                               0.02),
    }  # fmt: skip


def test_fit():
    axes = figures.fit(fit_envelopes())
    titles = [ax.get_title(loc="left") for ax in axes]
    assert titles == ["Clustering: differs", "Distances: differs", "Degrees"]
    clustering, distances, degrees = ({line.get_gid(): line for line in ax.lines} for ax in axes)
    assert (degrees["observed"].get_ydata()) == pytest.approx([0.2, 0.5, 0.3])
    assert not len(degrees["outside"].get_xdata())
    assert clustering["outside"].get_xdata().tolist() == [0]
    assert distances["outside"].get_xdata().tolist() == [1, 3]  # an empty bin separates them
    wide = next(patch for patch in axes[2].patches if patch.get_gid() == "range 0").get_data()
    assert (wide.baseline) == pytest.approx([0.1, 0.4, 0.2])
    assert (wide.values) == pytest.approx([0.3, 0.6, 0.4])
    assert axes[1].get_xticklabels()[-1].get_text() == "no path"


def test_panels_say_in_words_how_the_network_differs():
    clustering, distances, degrees = fit_panels(fit_envelopes(), "#0072B2")
    assert degrees.text == "As in the simulations."
    assert distances.text == (
        "More pairs of nodes without a path than simulated: 70%, simulated 20% to 50%."
    )
    assert clustering.text == (
        "Higher clustering of nodes with degree 2 than simulated: 90%, simulated 10% to 20%."
    )


# The figures of an answer


def test_an_answer_has_the_figures_of_what_it_says(tmp_path):
    answer = made_answer()
    drawn = figures.draw_answer(answer, tmp_path / "out", format="svg")
    first, second = (each.name for each in answer.candidates)
    assert [path.name for path in drawn] == [
        f"{name}.svg" for name in (
            "probabilities", f"fit-{first}", f"fit-{second}", "map", "features", "parameters",
            f"parameters-{second}", "reliability",
        )
    ]  # fmt: skip
    assert {*drawn} == {*(tmp_path / "out").iterdir()}


def test_probabilities_of_an_answer_are_those_of_the_candidates():
    answer = with_states(made_answer(), {"dmr": "fits", "dmc": "does not fit"}, {"dmr": 1.0})
    ax = answer.plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["dmr"]
    with pytest.raises(UsageError, match="unknown figure 'probabilities'"):
        rejected(answer).plot()


def test_a_model_has_the_same_colour_in_all_figures_of_an_answer():
    answer = made_answer()
    colours = {}
    for each in answer.candidates:
        bars = answer.plot("probabilities")
        row = [label.get_text() for label in bars.get_yticklabels()].index(each.name)
        dots = next(
            dots
            for dots in answer.plot("map").collections
            if dots.get_gid() == f"model {each.name}"
        )
        colours[each.name] = tuple(bars.patches[row].get_facecolor()[:3])
        assert tuple(dots.get_facecolor()[0][:3]) == colours[each.name]
    assert len(set(colours.values())) == 2


def test_figures_of_an_answer_have_safe_file_names(tmp_path):
    answer = made_answer()
    names = {"dmr": "../a b", "dmc": "..-a/b"}
    models = tuple(replace(each, name=names[each.name]) for each in answer.models)
    one = next(iter(answer.evidence.envelopes.values()))
    only_fits = replace(
        answer.evidence, map=None, posteriors={}, samples={}, reliability=(), confusion={},
        envelopes={each.name: one for each in models},
    )  # fmt: skip
    renamed = replace(answer, models=models, evidence=only_fits)
    drawn = figures.draw_answer(renamed, tmp_path / "out")
    assert {path.name for path in drawn} == {"probabilities.png", "fit--a-b.png", "fit--a-b-2.png"}
    assert all(path.parent == tmp_path / "out" for path in drawn)


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
        (lambda: figures.feature_distributions({}, {"f": 1.0}), "no simulations to draw"),
        (lambda: figures.posteriors({}), "expected at least one parameter"),
        (lambda: figures.posteriors({"p": [np.nan]}), "no draws; .*one finite draw"),
        (lambda: figures.reliability(pd.DataFrame({"predicted": []})), "lacks 'observed'"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(draw, message):
    with pytest.raises(UsageError, match=message):
        draw()
