"""Contents of the matplotlib figures: labels, lines, markers and limits."""

import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure

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


def mesh_of(ax):
    return only([artist for artist in ax.collections if isinstance(artist, QuadMesh)])


def texts(items):
    return [item.get_text() for item in items]


def colour_bars(figure):
    return [ax for ax in figure.axes if ax.get_label() == "<colorbar>"]


@pytest.mark.slow
def test_package_imports_no_matplotlib_and_figures_no_pyplot():
    """pyplot looks for a screen."""
    code = (
        "import sys, netchoice; early = 'matplotlib' in sys.modules; import netchoice.figures; "
        "sys.exit(early or 'matplotlib' not in sys.modules or 'matplotlib.pyplot' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


class TestHeatmap:
    def test_cells_show_the_accuracies(self, evaluation):
        ax = figures.heatmap(evaluation, "mrmr")
        cells = mesh_of(ax).get_array().reshape(len(KS), len(PENALTIES))
        for i in range(len(PENALTIES)):
            for k in KS:
                assert cells[k - 1, i] == pytest.approx(0.9 - 0.02 * i / k)
        corners = mesh_of(ax).get_coordinates()
        assert corners[0, 0].tolist() == [-0.5, 0.5]
        assert corners[-1, -1].tolist() == [len(PENALTIES) - 0.5, KS[-1] + 0.5]

    def test_axes_show_penalties_and_ks(self, evaluation):
        ax = figures.heatmap(evaluation, "jmi")
        ticks = ax.get_xticks().astype(int).tolist()
        assert ticks[0] == 0
        assert ticks[-1] == len(PENALTIES) - 1
        assert texts(ax.get_xticklabels()) == [f"{PENALTIES[i]:g}" for i in ticks]
        assert texts(ax.get_yticklabels()) == [str(k) for k in KS]
        assert ax.get_title(loc="left") == "jmi"
        assert only(colour_bars(ax.get_figure())).get_ylabel() == "accuracy"

    def test_many_penalties_have_few_labels(self, evaluation):
        rows = evaluation[evaluation["penalty"] == 0]
        dense = pd.concat([rows.assign(penalty=p) for p in range(200)])
        ticks = figures.heatmap(dense, "jmi").get_xticks()
        assert 4 <= len(ticks) <= 16
        assert ticks[0] == 0
        assert ticks[-1] == 199
        assert np.diff(ticks).min() >= 200 // 16

    def test_dashed_line_separates_penalty_zero(self, evaluation):
        line = only(artists(figures.heatmap(evaluation, "jmi"), "no penalty"))
        assert line.get_linestyle() == "--"
        assert line.get_xdata() == [0.5, 0.5]
        penalized = evaluation[evaluation["penalty"] > 0]
        assert not artists(figures.heatmap(penalized, "jmi"), "no penalty")

    def test_sets_with_noise_features_are_marked(self, evaluation):
        ax = figures.heatmap(evaluation, "jmi")
        rows = evaluation.query("method == 'jmi' and n_noise > 0")
        assert offsets(ax, "noise") == {
            (PENALTIES.index(p), k) for p, k in zip(rows["penalty"], rows["k"], strict=True)
        }
        assert not artists(figures.heatmap(evaluation.assign(n_noise=0), "jmi"), "noise")

    @pytest.mark.parametrize("share", ["share_alone", "share_shared"])
    def test_contours_follow_the_cost_share(self, evaluation, share):
        ax = figures.heatmap(evaluation, "jmi", share=share, levels=[0.001, 0.01, 0.1, 0.5, 2])
        assert set(texts(ax.texts)) == {"0.1 %", "1 %", "10 %", "50 %"}  # none reaches 200 %
        lines = only([item for item in ax.collections if isinstance(item, ContourSet)])
        cost_of_all = 0.06 if share == "share_alone" else 0.05
        for level, pieces in zip([0.001, 0.01, 0.1, 0.5], lines.allsegs, strict=True):
            x, k = np.concatenate(pieces).T
            inside = (x >= 0) & (x <= 11) & (k >= 1) & (k <= 6) & (k == np.round(k))
            assert inside.any()
            assert 0.01 * k[inside] * 0.5 ** x[inside] / cost_of_all == pytest.approx(level)

    def test_contour_labels_lie_on_their_lines_and_do_not_overlap(self, evaluation):
        """Here the lines are parallel: each lies at one k."""
        level = evaluation.assign(share_alone=evaluation["k"] / 10)
        ax = figures.heatmap(level, "jmi", levels=[0.31, 0.32, 0.33])
        ax.get_figure().draw_without_rendering()
        assert sorted(texts(ax.texts)) == ["31 %", "32 %", "33 %"]
        for text in ax.texts:
            share = float(text.get_text().removesuffix(" %")) / 100
            between = np.log(share / 0.3) / np.log(0.4 / 0.3)  # interpolated in logarithms
            assert text.get_position()[1] == pytest.approx(3 + between)
        boxes = [text.get_window_extent() for text in ax.texts]
        assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])

    def test_free_set_and_cell_without_a_row(self, evaluation):
        free = evaluation.assign(share_alone=lambda t: t["share_alone"].where(t["k"] > 1, 0.0))
        free = free[(free["k"] != 3) | (free["penalty"] != 1)]
        ax = figures.heatmap(free, "jmi")
        assert np.ma.getmaskarray(mesh_of(ax).get_array()).sum() == 1
        assert ax.texts

    def test_grid_with_a_single_cell(self, evaluation):
        one = evaluation.query("penalty == 0 and k == 2")
        ax = figures.heatmap(one, "jmi")
        assert mesh_of(ax).get_array().size == 1
        assert texts(ax.get_xticklabels()) == ["0"]
        assert not ax.texts

    def test_colour_limits_are_those_of_all_methods(self, evaluation):
        mesh = mesh_of(figures.heatmap(evaluation, "mrmr"))
        assert mesh.get_clim() == (evaluation["accuracy"].min(), evaluation["accuracy"].max())
        assert mesh_of(figures.heatmap(evaluation, "mrmr", vmin=0.2, vmax=0.8)).get_clim() == (
            0.2,
            0.8,
        )

    def test_equal_accuracies_get_the_best_colour(self, evaluation):
        mesh = mesh_of(figures.heatmap(evaluation.assign(accuracy=1.0), "jmi"))
        assert mesh.norm(1.0) == 1.0

    def test_given_axes_are_used(self, evaluation):
        left, right = Figure().subplots(1, 2)
        assert figures.heatmap(evaluation, "jmi", ax=right) is right
        assert not left.collections

    def test_wrong_input_is_refused(self, evaluation):
        with pytest.raises(UsageError, match="lacks 'k', 'n_noise'; expected the columns method"):
            figures.heatmap(evaluation.drop(columns=["k", "n_noise"]), "jmi")
        with pytest.raises(UsageError, match="unknown method 'jmy'; did you mean 'jmi'"):
            figures.heatmap(evaluation, "jmy")
        with pytest.raises(UsageError, match="unknown share 'share'"):
            figures.heatmap(evaluation, "jmi", share="share")
        with pytest.raises(UsageError, match="no rows"):
            figures.heatmap(evaluation[:0], "jmi")
        with pytest.raises(UsageError, match=r"two rows for penalty \S+ and k = \d; expected one"):
            figures.heatmap(pd.concat([evaluation, evaluation[:9]]), evaluation["method"].iloc[0])


class TestHeatmaps:
    def test_all_methods_share_one_colour_scale(self, evaluation):
        axes = figures.heatmaps(evaluation)
        order = list(dict.fromkeys(evaluation["method"]))
        assert [ax.get_title(loc="left") for ax in axes] == [
            f"({letter}) {method}" for letter, method in zip("abc", order, strict=True)
        ]
        limits = (evaluation["accuracy"].min(), evaluation["accuracy"].max())
        assert {mesh_of(ax).get_clim() for ax in axes} == {limits}
        assert len(colour_bars(axes[0].get_figure())) == 1
        assert len(axes[0].get_figure().axes) == 3 + 1  # no unused Axes

    def test_chosen_methods_in_their_order(self, evaluation):
        axes = figures.heatmaps(evaluation, methods=["mrmr", "jmi"], columns=1)
        assert [ax.get_title(loc="left") for ax in axes] == ["(a) mrmr", "(b) jmi"]
        low = evaluation.query("method != 'relieff'")["accuracy"].min()
        assert {mesh_of(ax).get_clim() for ax in axes} == {(low, 1.0)}
        first, second = (ax.get_subplotspec() for ax in axes)
        assert first.rowspan != second.rowspan

    def test_wrong_input_is_refused(self, evaluation):
        with pytest.raises(UsageError, match="unknown method 'relief'; did you mean 'relieff'"):
            figures.heatmaps(evaluation, methods=["jmi", "relief"])
        with pytest.raises(UsageError, match="no methods to draw"):
            figures.heatmaps(evaluation, methods=[])


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
        assert texts(figures.feature_costs(lab, top=2).get_yticklabels()) == ["ratio", "sodium"]
        ax = figures.feature_costs(lab, ["pulse", "glucose"], top=5)
        assert texts(ax.get_yticklabels()) == ["glucose", "pulse"]
        assert texts(ax.texts) == ["sample 10 s"]

    def test_scale_with_free_features(self):
        assert figures.feature_costs(CostModel({"a": 0, "b": 1e-6})).get_xscale() == "symlog"
        assert figures.feature_costs(CostModel({"a": 0, "b": 0})).get_xscale() == "linear"

    def test_wrong_input_is_refused(self, lab):
        with pytest.raises(UsageError, match="unknown feature 'x-rays'; did you mean 'x-ray'"):
            figures.feature_costs(lab, ["x-rays"])
        with pytest.raises(UsageError, match="`top` must be an integer of at least 1; got 0"):
            figures.feature_costs(lab, top=0)
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
        drawn = {line.get_gid(): np.nan_to_num(line.get_ydata()).tolist() for line in ax.lines[1:]}
        # Positions farther below the figure are not drawn.
        assert drawn == {"a": [1, 2, 4, 0], "b": [2, 1, 2, 1], "c": [0, 0, 3, 2], "d": [0, 4, 1, 4]}
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
        legend = figures.ranking_paths(path, "jmi", top=2, most=2).get_legend()
        assert texts(legend.get_texts()) == ["a", "b"]

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
            figures.heatmaps(evaluation, methods=["jmi"]),
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
        figures.heatmap(evaluation, "jmi"),
        figures.pareto(evaluation),
        figures.feature_costs(lab),
    ]
    for ax in [*drawn, *figures.heatmaps(evaluation, methods=["jmi"])]:
        assert isinstance(ax, Axes)
        legend = ax.get_legend().get_texts() if ax.get_legend() else []
        for text in [*ax.texts, *legend, *ax.get_xticklabels(), *ax.get_yticklabels()]:
            assert text.get_fontsize() >= 8
