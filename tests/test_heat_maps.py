"""Contents of the heat maps of the paper: cells, contours of equal cost, and marks."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import QuadMesh
from matplotlib.contour import ContourSet

from netchoice.errors import UsageError
from reproduction.heat_maps import heat_maps

PENALTIES = [0, 0.0125, 0.1, 0.4, 1, 2.3, 6.4, 9, 11, 12.8, 51.2, 204.8]
KS = [1, 2, 3, 4, 5, 6]
BEST = {"jmi": 1.0, "mrmr": 0.9, "relieff": 0.7}


@pytest.fixture
def evaluation():
    """More expensive sets are more accurate; noise features appear as the penalty grows."""
    rows = [
        (method, penalty, k, best - 0.02 * i / k, 0.01 * k * 0.5**i, max(0, i + k - 12))
        for method, best in BEST.items()
        for i, penalty in enumerate(PENALTIES)
        for k in KS
    ]
    frame = pd.DataFrame(rows, columns=["method", "penalty", "k", "accuracy", "cost", "n_noise"])
    frame = frame.assign(share_alone=frame["cost"] / 0.06, share_shared=frame["cost"] / 0.05)
    return frame.sample(frac=1, random_state=1)  # order must not matter


def drawn(evaluation, method="jmi", **options):
    """Return the heat map of one method."""
    (ax,) = heat_maps(evaluation, methods=[method], **options)
    return ax


def artists(ax, gid):
    return [artist for artist in ax.get_children() if artist.get_gid() == gid]


def mesh_of(ax):
    (mesh,) = [artist for artist in ax.collections if isinstance(artist, QuadMesh)]
    return mesh


def texts(items):
    return [item.get_text() for item in items]


def colour_bars(ax):
    return [ax for ax in ax.get_figure().axes if ax.get_label() == "<colorbar>"]


def test_cells_show_the_accuracies(evaluation):
    ax = drawn(evaluation, "mrmr")
    cells = mesh_of(ax).get_array().reshape(len(KS), len(PENALTIES))
    for i in range(len(PENALTIES)):
        for k in KS:
            assert cells[k - 1, i] == pytest.approx(0.9 - 0.02 * i / k)
    corners = mesh_of(ax).get_coordinates()
    assert corners[0, 0].tolist() == [-0.5, 0.5]
    assert corners[-1, -1].tolist() == [len(PENALTIES) - 0.5, KS[-1] + 0.5]


def test_axes_show_penalties_and_ks(evaluation):
    ax = drawn(evaluation)
    ticks = ax.get_xticks().astype(int).tolist()
    assert ticks[0] == 0
    assert ticks[-1] == len(PENALTIES) - 1
    assert texts(ax.get_xticklabels()) == [f"{PENALTIES[i]:g}" for i in ticks]
    assert texts(ax.get_yticklabels()) == [str(k) for k in KS]
    assert [bar.get_ylabel() for bar in colour_bars(ax)] == ["accuracy"]


def test_many_penalties_have_few_labels(evaluation):
    rows = evaluation[evaluation["penalty"] == 0]
    dense = pd.concat([rows.assign(penalty=p) for p in range(200)])
    ticks = drawn(dense).get_xticks()
    assert 4 <= len(ticks) <= 16
    assert ticks[0] == 0
    assert ticks[-1] == 199
    assert np.diff(ticks).min() >= 200 // 16


def test_dashed_line_separates_penalty_zero(evaluation):
    (line,) = artists(drawn(evaluation), "no penalty")
    assert line.get_linestyle() == "--"
    assert line.get_xdata() == [0.5, 0.5]
    assert not artists(drawn(evaluation[evaluation["penalty"] > 0]), "no penalty")


def test_sets_with_noise_features_are_marked(evaluation):
    (marks,) = artists(drawn(evaluation), "noise")
    rows = evaluation.query("method == 'jmi' and n_noise > 0")
    assert {tuple(point) for point in marks.get_offsets().tolist()} == {
        (PENALTIES.index(p), k) for p, k in zip(rows["penalty"], rows["k"], strict=True)
    }
    assert not artists(drawn(evaluation.assign(n_noise=0)), "noise")


@pytest.mark.parametrize("share", ["share_alone", "share_shared"])
def test_contours_follow_the_cost_share(evaluation, share):
    ax = drawn(evaluation, share=share, levels=[0.001, 0.01, 0.1, 0.5, 2])
    assert set(texts(ax.texts)) == {"0.1 %", "1 %", "10 %", "50 %"}  # none reaches 200 %
    (lines,) = [item for item in ax.collections if isinstance(item, ContourSet)]
    cost_of_all = 0.06 if share == "share_alone" else 0.05
    for level, pieces in zip([0.001, 0.01, 0.1, 0.5], lines.allsegs, strict=True):
        x, k = np.concatenate(pieces).T
        inside = (x >= 0) & (x <= 11) & (k >= 1) & (k <= 6) & (k == np.round(k))
        assert inside.any()
        assert 0.01 * k[inside] * 0.5 ** x[inside] / cost_of_all == pytest.approx(level)


def test_contour_labels_lie_on_their_lines_and_do_not_overlap(evaluation):
    """Here the lines are parallel: each lies at one k."""
    level = evaluation.assign(share_alone=evaluation["k"] / 10)
    ax = drawn(level, levels=[0.31, 0.32, 0.33])
    ax.get_figure().draw_without_rendering()
    assert sorted(texts(ax.texts)) == ["31 %", "32 %", "33 %"]
    for text in ax.texts:
        share = float(text.get_text().removesuffix(" %")) / 100
        between = np.log(share / 0.3) / np.log(0.4 / 0.3)  # interpolated in logarithms
        assert text.get_position()[1] == pytest.approx(3 + between)
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_free_set_and_cell_without_a_row(evaluation):
    free = evaluation.assign(share_alone=lambda t: t["share_alone"].where(t["k"] > 1, 0.0))
    free = free[(free["k"] != 3) | (free["penalty"] != 1)]
    ax = drawn(free)
    assert np.ma.getmaskarray(mesh_of(ax).get_array()).sum() == 1
    assert ax.texts


def test_grid_with_a_single_cell(evaluation):
    ax = drawn(evaluation.query("penalty == 0 and k == 2"))
    assert mesh_of(ax).get_array().size == 1
    assert texts(ax.get_xticklabels()) == ["0"]
    assert not ax.texts


def test_all_methods_share_one_colour_scale(evaluation):
    axes = heat_maps(evaluation)
    order = list(dict.fromkeys(evaluation["method"]))
    assert [ax.get_title(loc="left") for ax in axes] == [
        f"({letter}) {method}" for letter, method in zip("abc", order, strict=True)
    ]
    limits = (evaluation["accuracy"].min(), evaluation["accuracy"].max())
    assert {mesh_of(ax).get_clim() for ax in axes} == {limits}
    assert len(colour_bars(axes[0])) == 1
    assert len(axes[0].get_figure().axes) == 3 + 1  # no unused Axes
    assert mesh_of(drawn(evaluation, vmin=0.2, vmax=0.8)).get_clim() == (0.2, 0.8)
    assert mesh_of(drawn(evaluation.assign(accuracy=1.0))).norm(1.0) == 1.0


def test_chosen_methods_are_drawn_in_their_order(evaluation):
    axes = heat_maps(evaluation, methods=["mrmr", "jmi"])
    assert [ax.get_title(loc="left") for ax in axes] == ["(a) mrmr", "(b) jmi"]
    low = evaluation.query("method != 'relieff'")["accuracy"].min()
    assert {mesh_of(ax).get_clim() for ax in axes} == {(low, 1.0)}


def test_wrong_input_is_refused(evaluation):
    with pytest.raises(UsageError, match="lacks 'k', 'n_noise'; expected the columns method"):
        heat_maps(evaluation.drop(columns=["k", "n_noise"]))
    with pytest.raises(UsageError, match="unknown method 'jmy'; did you mean 'jmi'"):
        heat_maps(evaluation, methods=["jmy"])
    with pytest.raises(UsageError, match="no methods to draw"):
        heat_maps(evaluation, methods=[])
    with pytest.raises(UsageError, match="unknown share 'share'"):
        heat_maps(evaluation, share="share")
    with pytest.raises(UsageError, match="no rows"):
        heat_maps(evaluation[:0])
    with pytest.raises(UsageError, match=r"two rows for penalty \S+ and k = \d; expected one"):
        heat_maps(pd.concat([evaluation, evaluation[:9]]))
