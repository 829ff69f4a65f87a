"""Contents of the matplotlib figures: labels, lines, markers and limits."""

import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

from netchoice import figures
from netchoice.costs import CostModel
from netchoice.errors import UsageError

PENALTIES = [0, 0.0125, 0.1, 0.4, 1, 2.3, 6.4, 9, 11, 12.8, 51.2, 204.8]
KS = [1, 2, 3, 4, 5, 6]
BEST = {"jmi": 1.0, "mrmr": 0.9, "relieff": 0.7}


@pytest.fixture
def evaluation():
    """More expensive sets are more accurate; noise features appear as the penalty grows."""
    rows = []
    for method, best in BEST.items():
        for i, penalty in enumerate(PENALTIES):
            for k in KS:
                cost = 0.01 * k * 0.5**i
                rows.append(
                    {
                        "method": method,
                        "penalty": penalty,
                        "k": k,
                        "accuracy": best - 0.02 * i / k,
                        "accuracy_se": 0.01 if i else 0.0,
                        "cost_alone": 2 * cost,
                        "cost_shared": cost,
                        "share_alone": cost / 0.06,
                        "share_shared": cost / 0.05,
                        "n_noise": max(0, i + k - 12),
                    }
                )
    return pd.DataFrame(rows).sample(frac=1, random_state=1)  # order must not matter


@pytest.fixture
def lab():
    return CostModel(
        own={"glucose": 2.0, "sodium": 30.0, "x-ray": 40.0, "pulse": 0.1, "ratio": 0.5},
        uses={
            "glucose": ["sample"],
            "sodium": ["sample"],
            "ratio": ["sample", "sodium"],
        },
        steps={"sample": 10.0},
    )


def artists(ax, gid):
    return [artist for artist in ax.get_children() if artist.get_gid() == gid]


def only(found):
    assert len(found) == 1
    return found[0]


def offsets(ax, gid):
    return {tuple(point) for point in only(artists(ax, gid)).get_offsets().tolist()}


def texts(items):
    return [item.get_text() for item in items]


@pytest.mark.slow
def test_package_imports_no_matplotlib_and_figures_no_pyplot():
    """pyplot looks for a screen."""
    code = (
        "import sys, netchoice; early = 'matplotlib' in sys.modules; import netchoice.figures; "
        "sys.exit(early or 'matplotlib' not in sys.modules or 'matplotlib.pyplot' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


class TestPareto:
    def test_front_consists_of_the_sets_that_no_other_set_dominates(self, evaluation):
        ax = figures.pareto(evaluation)
        rows = evaluation[["cost_shared", "accuracy", "accuracy_se"]].to_numpy().tolist()
        front = {
            (p, a): se
            for p, a, se in rows
            if not any(q <= p and b >= a and (q, b) != (p, a) for q, b, _ in rows)
        }
        line = only(artists(ax, "front"))
        assert list(zip(*line.get_data(), strict=True)) == sorted(front)
        assert line.get_drawstyle() == "steps-post"
        bars = only(ax.containers)[2][0].get_segments()
        ends = sorted((x, low, high) for (x, low), (_, high) in bars)
        assert 0 < len(ends) < len(front)  # some sets of the front have no error
        assert np.array(ends) == pytest.approx(
            np.array(sorted((p, a - se, a + se) for (p, a), se in front.items() if se > 0))
        )

    def test_all_sets_are_drawn(self, evaluation):
        ax = figures.pareto(evaluation, cost="cost_alone")
        for method in BEST:
            rows = evaluation[evaluation["method"] == method]
            drawn = offsets(ax, method)
            assert drawn == set(zip(rows["cost_alone"], rows["accuracy"], strict=True))
        shapes = {artists(ax, method)[0].get_paths()[0].vertices.tobytes() for method in BEST}
        assert len(shapes) == 3  # distinguishable without colour
        legend = texts(ax.get_legend().get_texts())
        assert set(legend) == {*BEST, "Pareto front"}

    def test_cost_axis_has_units(self, evaluation):
        ax = figures.pareto(evaluation)
        assert ax.get_xscale() == "log"
        ax.get_figure().draw_without_rendering()
        assert {"10 µs", "100 µs", "1 ms", "10 ms"} <= set(texts(ax.get_xticklabels()))
        euro = figures.pareto(evaluation, unit="euro")
        assert euro.get_xlabel() == "cost, shared steps paid once (euro)"

    def test_free_sets_are_drawn_on_a_symlog_axis(self, evaluation):
        free = evaluation.assign(
            cost_shared=evaluation["cost_shared"].where(evaluation["k"] > 1, 0)
        )
        ax = figures.pareto(free)
        assert ax.get_xscale() == "symlog"
        ax.get_figure().draw_without_rendering()
        assert "0 s" in texts(ax.get_xticklabels())

    def test_chosen_set_is_marked(self, evaluation):
        point = {"cost_shared": 0.02, "cost": 7.0, "accuracy": 0.987}
        ax = figures.pareto(evaluation, point=point)
        assert offsets(ax, "chosen") == {(0.02, 0.987)}
        assert texts(ax.texts) == ["chosen: 98.7 % for 20 ms"]
        assert not artists(figures.pareto(evaluation), "chosen")

    def test_sets_without_costs_are_drawn_by_their_number_of_features(self, evaluation):
        point = {"k": 3, "accuracy": 0.9}
        ax = figures.pareto(evaluation.drop(columns="cost_alone"), cost="k", point=point)
        assert ax.get_xlabel() == "number of features"
        assert texts(ax.texts) == ["chosen: 90.0 % for 3 features"]

    def test_wrong_input_is_refused(self, evaluation):
        with pytest.raises(UsageError, match="lacks 'accuracy_se'"):
            figures.pareto(evaluation.drop(columns="accuracy_se"))
        with pytest.raises(UsageError, match="unknown cost 'cost_share'; did you mean"):
            figures.pareto(evaluation, cost="cost_share")
        with pytest.raises(
            UsageError, match="chosen point has k; expected 'accuracy' and 'cost_sh"
        ):
            figures.pareto(evaluation, point={"k": 1})


class TestFeatureCosts:
    def test_points(self, lab):
        ax = figures.feature_costs(lab, unit="euro")
        names = ["ratio", "sodium", "x-ray", "glucose", "pulse"]  # the most expensive first
        assert texts(ax.get_yticklabels()) == names
        assert ax.yaxis_inverted()
        assert ax.get_xscale() == "log"
        assert offsets(ax, "alone") == {(lab.cost(name), i) for i, name in enumerate(names)}
        assert offsets(ax, "own") == {(0.5, 0), (30.0, 1), (2.0, 3)}  # features with shared steps

    def test_most_expensive_shared_step_is_named(self, lab):
        ax = figures.feature_costs(lab, unit="euro")
        assert [(text.get_text(), text.xy[1]) for text in ax.texts] == [
            ("sodium 30 euro", 0),
            ("sample 10 euro, shared by 3", 3),
        ]

    def test_subset_of_features(self, lab):
        ax = figures.feature_costs(lab, ["pulse", "glucose"])
        assert texts(ax.get_yticklabels()) == ["glucose", "pulse"]
        assert texts(ax.texts) == ["sample 10 s"]

    def test_scale_with_free_features(self):
        assert figures.feature_costs(CostModel({"a": 0, "b": 1e-6})).get_xscale() == "symlog"
        assert figures.feature_costs(CostModel({"a": 0, "b": 0})).get_xscale() == "linear"

    def test_wrong_input_is_refused(self, lab):
        with pytest.raises(UsageError, match="unknown feature 'x-rays'; did you mean 'x-ray'"):
            figures.feature_costs(lab, ["x-rays"])
        with pytest.raises(UsageError, match="no features to draw"):
            figures.feature_costs(lab, [])


class TestRankingPaths:
    @pytest.fixture
    def path(self):
        orders = {0: "abcdef", 0.5: "bacdef", 1: "dbcaef", 4: "bcadef"}
        rows = [
            ("jmi", penalty, i, name)
            for penalty, order in orders.items()
            for i, name in enumerate(order, start=1)
        ]
        frame = pd.DataFrame(rows, columns=["method", "penalty", "position", "feature"])
        return pd.concat([frame, frame.assign(method="mrmr")]).sample(frac=1, random_state=0)

    def test_lines_follow_the_positions(self, path):
        ax = figures.ranking_paths(path, "jmi", top=2)
        drawn = {line.get_gid(): line.get_ydata().tolist() for line in ax.lines[1:]}
        assert drawn == {"a": [1, 2, 4, 3], "b": [2, 1, 2, 1], "c": [3, 3, 3, 2], "d": [4, 4, 1, 4]}
        styles = {(line.get_marker(), str(line.get_linestyle())) for line in ax.lines[1:]}
        assert len(styles) == 4  # distinguishable without colour
        assert texts(ax.get_yticklabels()) == ["1", "2"]
        assert ax.get_ylim() == (2.6, 0.4)
        assert texts(ax.get_xticklabels()) == ["0", "0.5", "1", "4"]
        assert only(artists(ax, "no penalty")).get_xdata() == [0.5, 0.5]

    def test_features_with_the_best_positions_are_named_in_the_legend(self, path):
        legend = figures.ranking_paths(path, "jmi", top=2).get_legend()
        assert legend.get_title().get_text() == "jmi"
        assert texts(legend.get_texts()) == ["a", "b", "d", "c"]

    def test_wrong_input_is_refused(self, path):
        with pytest.raises(UsageError, match="lacks 'feature'"):
            figures.ranking_paths(path.drop(columns="feature"), "jmi")
        with pytest.raises(UsageError, match="unknown method 'mrmrr'; did you mean 'mrmr'"):
            figures.ranking_paths(path, "mrmrr")
        with pytest.raises(UsageError, match="`top` must be an integer of at least 1; got 0"):
            figures.ranking_paths(path, "jmi", top=0)
        with pytest.raises(UsageError, match="twice at penalty"):
            figures.ranking_paths(pd.concat([path, path]), "jmi")


class TestSave:
    @pytest.mark.parametrize(
        ("form", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("PDF", b"%PDF")]
    )
    def test_equal_figures_give_equal_bytes(self, lab, tmp_path, form, start):
        """The files contain no date."""
        files = [
            figures.save(figures.feature_costs(lab), tmp_path / folder / f"costs.{form}")
            for folder in "ab"
        ]
        assert files[0] == tmp_path / "a" / f"costs.{form}"
        content = files[0].read_bytes()
        assert content.startswith(start)
        assert len(content) > 4000
        assert content == files[1].read_bytes()
        assert not re.search(rb"<dc:date>|CreationDate|ModDate", content)

    def test_width_in_pixels(self, lab, tmp_path):
        file = figures.save(figures.feature_costs(lab), tmp_path / "costs.png")
        assert int.from_bytes(file.read_bytes()[16:20]) == 1200  # the width, in the header

    def test_axes_lists_and_figures_can_be_saved(self, evaluation, lab, tmp_path):
        for figure in (
            [figures.feature_costs(lab)],
            figures.feature_costs(lab).get_figure(),
        ):
            assert figures.save(figure, str(tmp_path / "it.svg")).stat().st_size > 4000
        with pytest.raises(UsageError, match="nothing to save in a list; expected Axes"):
            figures.save([], tmp_path / "it.svg")
        with pytest.raises(UsageError, match="nothing to save in a str"):
            figures.save("figure", tmp_path / "it.svg")

    @pytest.mark.parametrize("name", ["costs.jpg", "costs"])
    def test_unknown_formats_are_refused(self, lab, tmp_path, name):
        with pytest.raises(
            UsageError, match=rf"{name} ends in '.*'; expected one of .png, .svg, .pdf"
        ):
            figures.save(figures.feature_costs(lab), tmp_path / "new" / name)
        assert not (tmp_path / "new").exists()


def test_all_text_has_at_least_eight_points(evaluation, lab):
    drawn = [
        figures.pareto(evaluation),
        figures.feature_costs(lab),
    ]
    for ax in drawn:
        assert isinstance(ax, Axes)
        legend = ax.get_legend().get_texts() if ax.get_legend() else []
        for text in [*ax.texts, *legend, *ax.get_xticklabels(), *ax.get_yticklabels()]:
            assert text.get_fontsize() >= 8
