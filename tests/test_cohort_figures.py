"""Figures of a cohort: what they show, as data and in the drawings."""

import numpy as np
import pandas as pd
import pytest
from cohort_frames import REFERENCE, answers_by_hand, random_answers, random_features
from matplotlib.figure import Figure

from netchoice import figures
from netchoice.choice.cohort_frame import CohortFrame
from netchoice.choice.cohort_summary import parameter_trends
from netchoice.errors import UsageError
from netchoice.figures import cohort_figures as data
from netchoice.figures.cohort_figures import cohort_drawings


@pytest.fixture(scope="module")
def by_hand():
    return CohortFrame.of(answers_by_hand())


def test_verdicts_models_and_families_are_counted_by_group(by_hand):
    verdicts = data.verdict_counts(by_hand)
    assert verdicts.index.tolist() == ["all networks", "yeast", "human", "no group"]
    assert list(verdicts) == ["one-fits", "several-fit", "borderline", "open", "none-fits"]
    assert verdicts.to_numpy().tolist() == [
        [3, 1, 1, 1, 2], [2, 1, 0, 0, 0], [0, 0, 1, 0, 2], [1, 0, 0, 1, 0]
    ]  # fmt: skip
    models = data.model_counts(by_hand)
    assert list(models) == ["dmc", "lpa", "several-fit", "borderline", "open", "none-fits"]
    assert models.loc["all networks"].tolist() == [2, 1, 1, 1, 1, 2]
    assert models.loc["yeast"].tolist() == [2, 0, 1, 0, 0, 0]
    assert data.family_counts(by_hand) is None  # families say no more than models
    answers = answers_by_hand()
    answers.loc[1, ["verdict", "probable"]] = "several-fit", "dmc, dmr"
    families = data.family_counts(CohortFrame.of(answers))
    assert families.loc["all networks"].to_dict() == {
        "duplication": 2, "attachment": 1, "several families": 1, "borderline": 1, "open": 1,
        "none-fits": 2,
    }  # fmt: skip
    assert "families" in cohort_drawings(answers)


def test_each_model_has_one_colour_in_all_figures(by_hand):
    styles = data.cohort_styles(by_hand)
    bars = data.category_styles(["dmc", "lpa"], styles)
    rows = data.sorted_probabilities(by_hand).styles
    for model in ("dmc", "lpa"):
        assert bars[model].colour == rows[model].colour == styles[model].colour
    assert styles["dmc"].colour != styles["lpa"].colour


def test_small_groups_are_counted_together():
    answers = random_answers(60, groups=20)
    counts = data.verdict_counts(CohortFrame.of(answers))
    assert len(counts) == data.MOST_GROUPS + 2
    assert counts.index[-1] == "5 other groups"
    assert counts.iloc[1:].sum().tolist() == counts.loc["all networks"].tolist()


def test_without_groups_all_networks_are_one_bar():
    answers = CohortFrame.of(answers_by_hand().drop(columns="group"))
    assert data.verdict_counts(answers).index.tolist() == ["all networks"]
    assert data.sorted_probabilities(answers).spans == {}


def test_probabilities_are_sorted_within_groups_and_have_names(by_hand):
    found = data.sorted_probabilities(by_hand)
    assert found.ids == ["a1", "a2", "a3", "b3", "c2", "c1"]
    assert (found.n_all, found.n_without) == (6, 2)
    assert found.spans == {"yeast": (0, 2), "human": (3, 3), "no group": (4, 5)}
    assert found.runs == [(0, 1, "dmc"), (2, 3, "lpa"), (4, 4, "dmc"), (5, 5, "lpa")]
    assert found.values.sum(axis=1).tolist() == pytest.approx([1] * 6)
    ax = data.probability_rows(found)
    steps = {patch.get_label(): patch.get_data() for patch in ax.patches if patch.get_label() in
             ("dmc", "lpa")}  # fmt: skip
    assert list(steps) == ["dmc", "lpa"]
    assert steps["dmc"].values[:3].tolist() == [1.0, 1.0, 0.4]
    texts = [bar.tooltips[0] for bar in ax.containers[0]]
    assert texts[2] == "a3: lpa 0.600, dmc 0.400"
    assert [label.get_text() for label in ax.get_yticklabels()] == found.ids
    names = [text.get_text() for text in ax.texts]
    assert names == ["dmc", "lpa", "dmc", "lpa", "yeast", "human", "no group"]


def test_many_networks_have_the_names_of_their_groups():
    found = data.sorted_probabilities(CohortFrame.of(random_answers(60, seed=8)))
    ax = data.probability_rows(found)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["g0", "g1", "g2"]
    assert [text.get_text() for text in ax.texts] == ["dmc", "dmr"] * 3


def test_networks_that_no_model_fits_have_no_probabilities():
    answers = answers_by_hand().iloc[3:5]
    assert data.sorted_probabilities(CohortFrame.of(answers)).n_without == 2
    assert list(cohort_drawings(answers)) == ["verdicts", "models"]


def test_a_group_can_be_called_like_the_bar_of_all_networks():
    answers = random_answers(20, groups=2)
    answers["group"] = answers["group"].replace("g0", "all networks")
    counts = data.model_counts(CohortFrame.of(answers))
    assert len(counts) == 3
    assert counts.iloc[1:].sum().tolist() == counts.iloc[0].tolist()


def test_the_models_with_the_smallest_probabilities_are_drawn_together():
    names = [f"model-{i:02d}" for i in range(20)]
    by_network = np.random.default_rng(1).dirichlet(np.linspace(2, 0.1, 20), size=40)
    verdict = ["one-fits"] * 30 + ["borderline"] * 10
    answers = pd.DataFrame({"id": [f"n{i}" for i in range(40)], "verdict": verdict})
    answers["model"] = [names[i] for i in by_network.argmax(axis=1)]
    for i, name in enumerate(names):
        answers[f"probability_{name}"] = by_network[:, i]
        answers[[f"lower_{name}", f"upper_{name}", f"fit_p_{name}"]] = 0.5
    cohort = CohortFrame.of(answers)
    shown = data.sorted_probabilities(cohort).values
    totals = by_network.sum(axis=0)
    most = sorted(names[i] for i in np.argsort(-totals)[: data.MOST_MODELS])
    assert list(shown) == [*most, "8 other models"]
    assert shown.sum(axis=1).to_numpy() == pytest.approx(1)
    assert shown["8 other models"].sum() == pytest.approx(np.sort(totals)[:8].sum())
    counts = data.model_counts(cohort)
    assert len(set(counts) & set(names)) == data.MOST_MODELS
    assert counts.loc["all networks"].sum() == 40
    assert counts.loc["all networks", "borderline"] == 10
    ax = data.probability_rows(data.sorted_probabilities(cohort))
    assert ax.get_legend().get_texts()[-1].get_text() == "8 other models"
    legend = cohort_drawings(answers)["models"]().get_legend().get_texts()
    assert "borderline" in [text.get_text() for text in legend]


def test_figures_of_many_networks_have_at_most_5000_points():
    answers = random_answers(12_000)
    cohort = CohortFrame.of(answers)
    found = data.sorted_probabilities(cohort)
    assert (len(found.ids), found.n_all + found.n_without) == (1000, 12_000)
    panels = data.parameter_panels(cohort, parameter_trends(cohort)[0])
    assert all(len(panel.rows) <= data.MOST_POINTS / data.MOST_PANELS for panel in panels)
    features, X, y = random_features(answers)
    many = pd.concat([X] * 60, ignore_index=True)
    simulations = {REFERENCE: (many, np.tile(y, 60))}
    embedding = data.cohort_embeddings(cohort, features, simulations)[0]
    assert len(embedding.embedding.points) <= data.MOST_POINTS
    assert embedding.n_all == 12_000


def test_panels_show_the_estimates_of_models_that_fit():
    answers = random_answers(60, seed=3)
    cohort = CohortFrame.of(answers)
    panels = data.parameter_panels(cohort, parameter_trends(cohort)[0])
    assert [(panel.model, panel.covariate) for panel in panels] == [
        ("dmc", "group"), ("dmr", "group"), ("dmc", "age"), ("dmr", "age"),
    ]  # fmt: skip
    fits = answers["verdict"].isin(["one-fits", "several-fit"]) & (answers["model"] == "dmc")
    own = answers[fits].set_index("id")
    for panel in (panels[0], panels[2]):
        rows = panel.rows.set_index("id")
        assert rows["median"].sort_index().tolist() == own["dmc_p_new_median"].tolist()
    assert panels[2].rows.set_index("id")["x"].sort_index().tolist() == own["age"].tolist()
    assert panels[0].ticks == {"g0": 0.0, "g1": 1.0, "g2": 2.0}
    place = panels[0].rows.set_index("id")["x"].round().sort_index()
    assert place.tolist() == own["group"].map(panels[0].ticks).tolist()
    ax = Figure().subplots()
    data.draw_panel(ax, panels[2])
    medians = next(line for line in ax.lines if line.get_gid() == "medians")
    assert medians.get_ydata().tolist() == panels[2].rows["median"].tolist()
    assert len(medians.tooltips) == len(panels[2].rows)


class TestEmbedding:
    def found(self, answers, features, X, y):
        simulations = {REFERENCE: (X, y)}
        return data.cohort_embeddings(CohortFrame.of(answers), features, simulations)

    def test_misfits_lie_apart_and_keep_their_names(self):
        answers = random_answers(80, seed=5)
        features, X, y = random_features(answers)
        found = self.found(answers, features.sample(frac=1, random_state=1), X, y)[0]
        networks = found.networks.set_index("id")
        assert networks["verdict"].to_dict() == answers.set_index("id")["verdict"].to_dict()
        centre = found.simulated[["x", "y"]].mean()
        far = ((networks[["x", "y"]] - centre) ** 2).sum(axis=1)
        misfit = networks["verdict"] == "none-fits"
        assert far[misfit].min() > far[~misfit].max()
        lines = data.embedding_map(found).lines
        assert [line.get_label() for line in lines] == [
            "dmc (simulated)", "dmr (simulated)", "one-fits", "several-fit", "borderline", "open",
            "none-fits",
        ]  # fmt: skip
        assert len(lines[-1].get_xdata()) == len(lines[-1].tooltips) == misfit.sum()

    def test_networks_or_features_with_missing_values_are_left_out(self):
        answers = random_answers(40)
        features, X, y = random_features(answers)
        features.loc[:19, "transitivity"] = np.nan  # half of the networks lack it
        features.loc[25, "core_3_size"] = np.nan
        found = self.found(answers, features, X, y)[0]
        assert found.embedding.features == ("degree_mean", "core_3_size")
        assert (found.n_all, found.n_lacking, len(found.networks)) == (40, 1, 39)

    def test_references_without_simulations_have_no_figure(self):
        answers = random_answers(20)
        features, X, y = random_features(answers)
        assert self.found(answers.assign(reference="other"), features, X, y) == []
        with pytest.raises(UsageError, match="table of features lacks 'id'"):
            self.found(answers, features.drop(columns="id"), X, y)

    def test_at_most_six_references(self):
        answers = random_answers(90)
        answers["reference"] = [f"c{i % 9}" for i in range(90)]
        features, X, y = random_features(answers)
        simulations = {f"c{i}": (X, y) for i in range(9)}
        found = data.cohort_embeddings(CohortFrame.of(answers), features, simulations)
        assert [each.n_all for each in found] == [10] * data.MOST_EMBEDDINGS


def test_parameter_without_estimates_has_no_panel():
    """A parameter with one possible value has columns, and no estimate in any network."""
    answers = random_answers(30)
    answers[[f"dmc_p_new_{end}" for end in ("median", "lower", "upper")]] = np.nan
    panels = data.parameter_panels(CohortFrame.of(answers), [])
    assert [panel.model for panel in panels] == ["dmr"]


def test_bars_show_the_shares_and_the_numbers_of_networks(by_hand):
    drawings = cohort_drawings(answers_by_hand())
    assert list(drawings) == ["verdicts", "models", "probabilities"]  # too few for parameters
    ax = drawings["verdicts"]()
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "all networks (8)", "yeast (3)", "human (3)", "no group (2)"
    ]  # fmt: skip
    assert [text.get_text() for text in ax.texts][:4] == ["3", "2", "1", "1"]
    counts = data.verdict_counts(by_hand)
    for kind in data.VERDICT_STYLES:
        bars = [bar for bar in ax.patches if bar.get_gid() == f"category {kind}"]
        widths = [bar.get_width() for bar in bars]
        assert widths == pytest.approx((counts[kind] / counts.sum(axis=1)).tolist())
        n = counts[kind].iloc[0]
        assert bars[0].tooltips == [f"all networks, {kind}: {n} of 8 ({n / 8:.0%})"]


def test_draw_cohort_writes_all_figures(tmp_path):
    answers = random_answers(30)
    features, X, y = random_features(answers)
    simulations = {REFERENCE: (X, y)}
    paths = figures.draw_cohort(answers, tmp_path / "new", features, simulations)
    assert [path.name for path in paths] == [
        "verdicts.png", "models.png", "families.png", "probabilities.png", "parameters.png",
        "embedding-mechanisms-100-nodes-isolated-nodes-dropped.png",
    ]  # fmt: skip
    assert all(path.stat().st_size > 5000 for path in paths)
