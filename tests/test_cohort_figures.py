"""Figures of a cohort: what they show, as data and in the drawings."""

import numpy as np
import pandas as pd
import pytest
from cohort_frames import answers_by_hand, as_cohort, random_answers, random_features
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from netchoice import figures
from netchoice.choice.cohort_frame import CohortFrame
from netchoice.choice.cohort_summary import IN_WORDS, parameter_trends
from netchoice.errors import UsageError
from netchoice.figures import cohort_figures as data
from netchoice.figures.axes import save_all


@pytest.fixture(scope="module")
def by_hand():
    return as_cohort(answers_by_hand())


def drawings_of(answers):
    cohort = as_cohort(answers)
    return data.cohort_drawings(cohort, parameter_trends(cohort)[0], None)


def test_outcomes_are_counted_by_group(by_hand):
    found = data.outcome_counts(by_hand)
    assert found.index.tolist() == ["all networks", "yeast", "human", "no group"]
    assert list(found) == ["dmc", "lpa", "several families", "borderline", "open", "none-fits"]
    assert found.to_numpy().tolist() == [
        [2, 1, 1, 1, 1, 2], [2, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 2], [0, 1, 0, 0, 1, 0]
    ]  # fmt: skip
    answers = answers_by_hand()
    answers.loc[2, "family"] = "duplication"
    answers.loc[5, "verdict"] = "several-fit"
    families = data.outcome_counts(as_cohort(answers))
    assert families.loc["all networks"].to_dict() == {
        "dmc": 2, "lpa": 1, "family duplication": 1, "family attachment": 1, "open": 1, "none-fits": 2
    }  # fmt: skip


def test_each_model_has_one_colour_in_all_figures(by_hand):
    styles = data.cohort_styles(by_hand)
    bars = data.outcome_bars(data.outcome_counts(by_hand), styles).patches
    for model in ("dmc", "lpa"):
        (bar,) = {
            to_hex(bar.get_facecolor()) for bar in bars if bar.get_gid() == f"category {model}"
        }
        assert bar.upper() == styles[model].colour
    assert styles["dmc"].colour != styles["lpa"].colour


def test_small_groups_are_counted_together():
    answers = random_answers(60, groups=20)
    counts = data.outcome_counts(as_cohort(answers))
    assert len(counts) == data.MOST_GROUPS + 2
    assert counts.index[-1] == "5 other groups"
    assert counts.iloc[1:].sum().tolist() == counts.loc["all networks"].tolist()


def test_rare_models_are_counted_together():
    answers = answers_by_hand()
    row = answers[answers["verdict"] == "one-fits"].iloc[0]
    models = [f"m{i}" for i in range(20)]
    rows = [row.replace({row["model"]: models[i % 20]}) for i in range(50)]
    cohort = as_cohort(answers)
    many = CohortFrame(pd.DataFrame(rows).reset_index(drop=True), tuple(models), (), ())
    counts = data.outcome_counts(many)
    assert list(counts) == [*models[: data.MOST_NAMED - 1], data.OTHERS]
    assert counts.loc["all networks"].sum() == 50
    assert data.OTHERS not in data.outcome_counts(cohort)


def test_without_groups_all_networks_are_one_bar():
    answers = as_cohort(answers_by_hand().drop(columns="group"))
    assert data.outcome_counts(answers).index.tolist() == ["all networks"]


def test_a_group_can_be_called_like_the_bar_of_all_networks():
    answers = random_answers(20, groups=2)
    answers["group"] = answers["group"].replace("g0", "all networks")
    counts = data.outcome_counts(as_cohort(answers))
    assert len(counts) == 3
    assert counts.iloc[1:].sum().tolist() == counts.iloc[0].tolist()


def test_figures_of_many_networks_have_at_most_5000_points():
    answers = random_answers(12_000)
    cohort = as_cohort(answers)
    for panel in data.parameter_panels(cohort, parameter_trends(cohort)[0]):
        assert len(medians_of(panel).get_xdata()) <= data.MOST_POINTS / data.MOST_PANELS
    features, X, y = random_features(answers)
    many = pd.concat([X] * 60, ignore_index=True)
    found = data.cohort_map(cohort, features, many, np.tile(y, 60))
    assert len(found.points) == data.MOST_POINTS


def test_panels_show_the_estimates_of_models_that_fit():
    answers = random_answers(60, seed=3)
    cohort = as_cohort(answers)
    panels = data.parameter_panels(cohort, parameter_trends(cohort)[0])
    assert [panel.label for panel in panels] == [
        f"Estimates of {model} p_new by {covariate}."
        for covariate in ("group", "age") for model in ("dmc", "dmr")
    ]  # fmt: skip
    fits = answers["verdict"].isin(["one-fits", "several-fit"]) & (answers["model"] == "dmc")
    own = answers[fits].set_index("id")
    by_group, ticks = data.estimates_over(cohort, cohort.parameters[0], "group")
    by_age, none = data.estimates_over(cohort, cohort.parameters[0], "age")
    for found in (by_group, by_age):
        assert (
            found.set_index("id")["median"].sort_index().tolist()
            == own["dmc_p_new_median"].tolist()
        )
    assert by_age.set_index("id")["x"].sort_index().tolist() == own["age"].tolist()
    assert (ticks, none) == ({"g0": 0.0, "g1": 1.0, "g2": 2.0}, {})
    place = by_group.set_index("id")["x"].round().sort_index()
    assert place.tolist() == own["group"].map(ticks).tolist()
    medians = medians_of(panels[2])
    assert sorted(medians.get_ydata()) == sorted(by_age["median"])


def medians_of(panel):
    """Return the points of a panel of estimates."""
    ax = Figure().subplots()
    panel.draw(ax)
    (medians,) = [line for line in ax.lines if line.get_gid() == "medians"]
    return medians


class TestMap:
    def test_misfits_lie_apart_and_keep_their_names(self):
        answers = random_answers(80, seed=5)
        features, X, y = random_features(answers)
        shuffled = features.sample(frac=1, random_state=1)
        found = data.cohort_map(as_cohort(answers), shuffled, X, y)
        is_observed = found.points["observed"]
        networks = found.points[is_observed]
        assert networks["label"].tolist() == answers["verdict"].map(IN_WORDS).tolist()
        centre = found.points.loc[~is_observed, ["x", "y"]].mean()
        far = ((networks[["x", "y"]] - centre) ** 2).sum(axis=1)
        misfit = networks["label"] == "none fits"
        assert far[misfit].min() > far[~misfit].max()
        ax = figures.embedding(found, styles=data.map_styles(found))
        assert {text.get_text() for text in ax.get_legend().get_texts()} == {
            "dmc", "dmr", "one model fits", "several models fit", "borderline", "none fits", "not decided"
        }  # fmt: skip
        (line,) = (line for line in ax.lines if line.get_gid() == "none fits")
        assert len(line.get_xdata()) == len(line.tooltips) == misfit.sum()
        one = answers[answers["verdict"] == "none-fits"].iloc[0]
        assert line.tooltips[0] == f"{one['id']}, {one['group']}, none fits"

    def test_networks_or_features_with_missing_values_are_left_out(self):
        answers = random_answers(40)
        features, X, y = random_features(answers)
        features.loc[:19, "transitivity"] = np.nan  # half of the networks lack it
        features.loc[25, "core_3_size"] = np.nan
        found = data.cohort_map(as_cohort(answers), features, X, y)
        assert found.features == ("degree_mean", "core_3_size")
        assert found.points["observed"].sum() == 39

    def test_features_without_names_of_networks_are_refused(self):
        answers = random_answers(20)
        features, X, y = random_features(answers)
        with pytest.raises(UsageError, match="table of features lacks 'id'"):
            data.cohort_map(as_cohort(answers), features.drop(columns="id"), X, y)


def test_parameter_without_estimates_has_no_panel():
    """A parameter with one possible value has columns, and no estimate in any network."""
    answers = random_answers(30)
    answers[[f"dmc_p_new_{end}" for end in ("median", "lower", "upper")]] = np.nan
    panels = data.parameter_panels(as_cohort(answers), [])
    assert [panel.label for panel in panels] == ["Estimates of dmr p_new by group."]


def test_bars_show_the_shares_and_the_numbers_of_networks(by_hand):
    drawings = drawings_of(answers_by_hand())
    assert list(drawings) == ["outcomes"]  # too few for parameters
    ax = drawings["outcomes"]()
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "all networks (8)", "yeast (3)", "human (3)", "no group (2)"
    ]  # fmt: skip
    assert [text.get_text() for text in ax.texts if text.get_text()][:3] == ["2", "2", "1"]
    counts = data.outcome_counts(by_hand)
    for name in counts:
        bars = [bar for bar in ax.patches if bar.get_gid() == f"category {name}"]
        widths = [bar.get_width() for bar in bars]
        assert widths == pytest.approx((counts[name] / counts.sum(axis=1)).tolist())


def test_all_figures_are_written(tmp_path):
    answers = random_answers(30)
    features, X, y = random_features(answers)
    cohort = as_cohort(answers)
    found = data.cohort_map(cohort, features, X, y)
    drawings = data.cohort_drawings(cohort, parameter_trends(cohort)[0], found)
    paths = save_all(drawings, tmp_path / "new", "png")
    assert [path.name for path in paths] == [
        "outcomes.png", "parameters.png", "map.png",
    ]  # fmt: skip
    assert all(path.stat().st_size > 5000 for path in paths)
