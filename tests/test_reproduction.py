"""The reproduction at a very small scale, and every criterion on synthetic results."""

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from netchoice import cli, paper_costs
from netchoice.errors import UsageError
from netchoice.features import FEATURES
from netchoice.reproduction import CLAIMS, PARTS, SCALES, reproduce
from netchoice.reproduction import claims_pilots as pilot_findings
from netchoice.reproduction import claims_yeast as yeast_findings
from netchoice.reproduction import findings_spaces as findings
from netchoice.reproduction.claim import FAILS, HOLDS, IN_PART
from netchoice.reproduction.cost_settings import AS_PUBLISHED, SETTINGS, Setting, paper_cost_model
from netchoice.reproduction.paper_methods import FOREST_METHODS, METHODS, RELIEF_METHODS
from netchoice.reproduction.pilot_run import PilotRun, fit_power
from netchoice.reproduction.space_run import SpaceRun
from netchoice.reproduction.transition import Fall, sharp_transition
from netchoice.reproduction.verdict import as_markdown
from netchoice.reproduction.workflow import REPRODUCTION_FILES
from netchoice.reproduction.yeast_run import PAPER_FIVE
from netchoice.selection import WEIGHTED_METHODS, rank_path
from netchoice.storage.kept_results import kept_frame
from netchoice.workflows.run_folder import delete_run

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
MINIMAL = replace(
    SCALES["tiny"], rows=40, nodes=30, pilot_sizes=(20, 30), pilot_rows=40, repeats=1, yeast_rows=40
)


@pytest.fixture(scope="module")
def reproduced(tmp_path_factory):
    """Folder, parts and results of a full run, without yeast if its networks are missing."""
    out = tmp_path_factory.mktemp("reproduction")
    parts = [part for part in PARTS if part != "yeast" or DATA.is_dir()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NETCHOICE_DATA", str(DATA))
        patch.setitem(SCALES, "tiny", MINIMAL)
        results = reproduce(parts, out=out, scale="tiny", workers=1)
    return out, parts, results


@pytest.mark.slow
def test_every_claim_of_the_parts_is_judged(reproduced):
    out, parts, results = reproduced
    record = json.loads((out / "reproduction.json").read_text())
    assert record == results
    assert [row["claim"] for row in record["claims"]] == [c.name for c in CLAIMS if c.part in parts]
    for row in record["claims"]:
        assert row["verdict"] in (HOLDS, IN_PART, FAILS)
        assert any(character.isdigit() for character in row["figure"]), row
        assert len(row["variants"]) != 1
    page = (out / "reproduction.md").read_text()
    assert all(
        f"## {row['claim']}" in page and row["criterion"] in page for row in record["claims"]
    )


@pytest.mark.slow
def test_claims_about_costs_are_judged_under_every_setting(reproduced):
    _, _, results = reproduced
    by_name = {row["claim"]: row for row in results["claims"]}
    variants = [v["variant"] for v in by_name["ba-two-orders"]["variants"]]
    assert variants == [setting.label for setting in SETTINGS]
    assert by_name["ba-svm-lower"]["variants"] == []


@pytest.mark.slow
def test_every_figure_is_written_in_both_formats(reproduced):
    out, parts, _ = reproduced
    names = ["figure-1-ba", "figure-2-duplication", "figure-S1-ba", "figure-S2-duplication"]
    names += ["figure-3-growth", "heat-ba-ours-shared-calibrated-shares", "transition-ba"]
    if "yeast" in parts:
        names += [f"figure-4-yeast-{nodes}-nodes-papers" for nodes in ("paper", "true")]
    for name in names:
        assert (out / "figures" / f"{name}.png").read_bytes()[:4] == b"\x89PNG", name
        assert (out / "figures" / f"{name}.pdf").read_bytes()[:5] == b"%PDF-", name


@pytest.mark.slow
def test_tables_list_every_feature(reproduced):
    out, _, _ = reproduced
    costs = pd.read_csv(out / "table-S1-costs.csv").set_index("feature")
    assert set(FEATURES) <= set(costs.index)
    assert costs.loc["transitivity", "ba_paper_ms"] == pytest.approx(11.2)
    assert (costs["ba_ours_ms"] > 0).all()
    page = (out / "table-S2-three-core.md").read_text()
    assert "2/3 = 0.6667" in page
    assert "5/9 = 0.5556" in page


@pytest.mark.slow
def test_second_run_computes_nothing_again(reproduced, monkeypatch):
    out, parts, results = reproduced
    monkeypatch.setenv("NETCHOICE_DATA", str(DATA))
    monkeypatch.setitem(SCALES, "tiny", MINIMAL)
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")}
    reports = []
    parts = [part for part in parts if part in ("pilot", "three-core")]  # few figures
    again = reproduce(parts, out=out, scale="tiny", on_progress=lambda *args: reports.append(args))
    assert reports == []
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")} == before
    # Claims of both runs get the same verdict, and verdicts of the first run alone are kept.
    assert again["claims"] == results["claims"]
    assert again["parts"] == results["parts"]


@pytest.mark.slow
def test_folder_with_other_settings_is_refused(reproduced):
    out, _, _ = reproduced
    with pytest.raises(
        UsageError, match="holds a run with another name; give another folder, or start over"
    ):
        reproduce("three-core", out=out, scale="small")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["three-cores", "--out", "x"], "three-core"),
        (["ba", "--scale", "huge", "--out", "x"], "tiny"),
        (["ba"], "'--out'"),
        (["ba", "--repeats", "0", "--out", "x"], "--repeats"),
    ],
)
def test_wrong_arguments_are_reported(arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        cli.main(["reproduce", *arguments])
    assert stop.value.code == 2
    assert message in capsys.readouterr().err
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("repeats", [0, True, 1.5])
def test_repeats_must_be_a_positive_integer(repeats, tmp_path):
    with pytest.raises(UsageError, match="`repeats` must be an integer of at least 1"):
        reproduce("three-core", out=tmp_path, scale="tiny", repeats=repeats)


def test_missing_yeast_networks_are_reported_before_the_run(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("NETCHOICE_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(SystemExit) as stop:
        cli.main(["reproduce", "all", "--scale", "tiny", "--out", str(tmp_path / "r")])
    assert stop.value.code == 1
    assert "leave out the part yeast" in capsys.readouterr().err
    assert not (tmp_path / "r").exists()


def test_fresh_deletes_only_a_reproduction(tmp_path):
    (tmp_path / "settings.json").write_text('{"editor": true}')
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match=r"settings.json is damaged: .* nothing was changed"):
        reproduce("three-core", out=tmp_path, scale="tiny", fresh=True)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


@pytest.mark.slow
def test_fresh_starts_over(tmp_path):
    reproduce("three-core", out=tmp_path / "r", scale="tiny")
    (tmp_path / "r" / "thesis.txt").write_text("years of work")
    before = {path.name for path in (tmp_path / "r").rglob("rows-*.parquet")}
    reproduce("three-core", out=tmp_path / "r", scale="tiny", fresh=True)
    assert before.isdisjoint(path.name for path in (tmp_path / "r").rglob("rows-*.parquet"))
    assert (tmp_path / "r" / "thesis.txt").read_text() == "years of work"
    assert (tmp_path / "r" / "reproduction.md").exists()
    delete_run(tmp_path / "r", REPRODUCTION_FILES)
    assert [path.name for path in (tmp_path / "r").rglob("*")] == ["thesis.txt"]


def test_damaged_record_is_reported(tmp_path):
    (tmp_path / "settings.json").write_text("{")
    with pytest.raises(UsageError, match=r"settings.json is damaged: it has no checksum"):
        reproduce("three-core", out=tmp_path, scale="tiny")


def test_command_prints_verdicts(capsys, tmp_path, monkeypatch):
    monkeypatch.setitem(SCALES, "tiny", MINIMAL)
    with pytest.raises(SystemExit) as stop:
        cli.main(["reproduce", "three-core", "--scale", "tiny", "--out", str(tmp_path / "r")])
    assert stop.value.code == 0
    assert "three-core: 0.66" in capsys.readouterr().out
    assert (tmp_path / "r" / "table-S2-three-core.md").exists()


@pytest.mark.parametrize("family", ["ba", "duplication"])
def test_paper_costs_alone_stay_as_printed(family):
    model, printed = paper_cost_model(family), paper_costs(family)
    assert {name: pytest.approx(cost) for name, cost in printed.items()} == model.alone()
    features = model.features
    assert model.cost_of_set(features, "shared") < 0.6 * model.cost_of_set(features)


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    return SpaceRun("duplication", MINIMAL, tmp_path_factory.mktemp("space"), workers=1)


def test_seconds_and_shares_differ_only_in_the_unit_of_the_penalty(space):
    """Heat maps over shares are therefore those over seconds with another axis."""
    methods = [method for method in METHODS if method not in WEIGHTED_METHODS]
    raw, share = (space.selectors(methods, AS_PUBLISHED) for _ in range(2))
    for selector in share.values():
        selector.set_params(cost_scale="share")
    total = sum(space.costs(AS_PUBLISHED).alone().values())
    X, y = space.train.X, space.train.y
    one, other = rank_path(raw, X, y, [1.0]), rank_path(share, X, y, [1.0 * total])
    assert list(one["feature"]) == list(other["feature"])


def test_largest_penalty_ranks_by_cost(space):
    setting = Setting("ours", "alone")
    costs = space.costs(setting).alone()
    assert sum(costs.values()) == pytest.approx(sum(paper_costs("duplication")[n] for n in costs))
    ranked = rank_path(
        space.selectors(["jmi"], setting), space.train.X, space.train.y,
        [space.penalties(setting)[-1]],
    )  # fmt: skip
    ordered = ranked["feature"].map(costs).to_numpy()
    assert np.all(np.diff(ordered) >= -0.05 * ordered[1:])


def test_kept_frame_keeps_its_sets(tmp_path):
    frame = pd.DataFrame({"features": [("a", "b"), ("c",)], "k": [2, 1]})
    calls = []
    for _ in range(2):
        again = kept_frame(tmp_path / "x.parquet", "run 1", lambda: calls.append(1) or frame)
        assert list(again["features"]) == [("a", "b"), ("c",)]
    assert calls == [1]


def test_damaged_frames_and_frames_of_another_run_are_computed_again(tmp_path):
    path, frame = tmp_path / "x.parquet", pd.DataFrame({"k": [2, 1]})
    kept_frame(path, "run 1", lambda: frame)
    content = bytearray(path.read_bytes())
    content[20] ^= 1
    path.write_bytes(content)
    with pytest.warns(UserWarning, match=r"x.parquet is damaged: .*; it is computed again"):
        assert kept_frame(path, "run 1", lambda: frame).equals(frame)
    with pytest.warns(UserWarning, match=r"x.parquet belongs to another run .*; it is computed"):
        assert kept_frame(path, "run 2", lambda: frame + 1).equals(frame + 1)


class SyntheticRun:
    """Synthetic results in place of those of a SpaceRun."""

    def __init__(self, cells=None, rankings=None, costs=None, **frames):
        self._cells, self._rankings, self.frames = cells, rankings, frames
        self._costs = costs or paper_cost_model("ba")
        self.test = range(1000)
        self.scale = replace(SCALES["paper"], penalties=(0.0, 1.0, 204.8))

    def evaluation(self, setting):
        return self._cells

    def rankings(self, setting):
        return self._rankings

    def transition(self, setting):
        return self.frames.get("fine", self._cells)

    def svm_comparison(self):
        return self.frames["svm"]

    def all_features(self):
        return pd.DataFrame({"accuracy": [0.99]})

    def costs(self, setting):
        return self._costs


def cells(accuracy, methods=METHODS, penalties=(0.0, 1.0, 204.8), ks=(1, 5), **more):
    """Return a grid of cells; arguments may be functions of method, penalty and k."""

    def value(argument, *cell):
        return argument(*cell) if callable(argument) else argument

    rows = []
    for method in methods:
        for penalty in penalties:
            for k in ks:
                cell = (method, penalty, k)
                cost = value(more.get("cost", 1.0), *cell)
                share = value(accuracy, *cell)
                rows.append(
                    {
                        "method": method, "penalty": penalty, "k": k, "accuracy": share,
                        "features": value(more.get("features", ("a",) * k), *cell),
                        "n_noise": value(more.get("n_noise", 0), *cell),
                        "cost_alone": cost, "cost_shared": cost, "share_alone": cost / 1000,
                        "share_shared": cost / 1000, "speedup": 1000 / cost,
                        "accuracy_choosing": share, "n_choosing": 500,
                        "accuracy_reporting": share, "n_reporting": 500,
                    }
                )  # fmt: skip
    return pd.DataFrame(rows)


def rankings(order):
    """Return the rankings that a function of method and penalty gives."""
    rows = [
        {"method": method, "penalty": penalty, "position": i, "feature": feature}
        for method in METHODS
        for penalty in (0.0, 1.0, 204.8)
        for i, feature in enumerate(order(method, penalty), start=1)
    ]
    return pd.DataFrame(rows)


def verdict(find, run):
    return find(run, AS_PUBLISHED).verdict


def test_one_low_cell_makes_perfection_partial():
    assert findings.all_cells_perfect(cells(1.0), 1000).verdict == HOLDS
    one_low = cells(lambda m, p, k: 0.5 if (m, p, k) == ("jmi", 1.0, 5) else 1.0)
    finding = findings.all_cells_perfect(one_low, 1000)
    assert finding.verdict == IN_PART
    assert "53 of 54" in finding.figure
    assert "jmi, λ = 1, k = 5" in finding.figure
    assert findings.all_cells_perfect(cells(0.99), 1000).verdict == FAILS


@pytest.mark.parametrize(("cost", "expected"), [(5, HOLDS), (50, IN_PART), (500, FAILS)])
def test_cheap_set_without_loss_depends_on_the_factor(cost, expected):
    grid = cells(
        lambda m, p, k: 1.0 if p < 200 else 0.6, cost=lambda m, p, k: cost if p == 1 else 1000
    )
    assert verdict(findings.cheap_set_without_loss, SyntheticRun(grid)) == expected


NOISE_LAST = ("a", "b", "c", "d", "e", "noise_normal")


def test_noise_claims_follow_the_ranks_of_noise():
    def falls(method, penalty):
        return NOISE_LAST if penalty < 200 else NOISE_LAST[::-1]

    assert verdict(findings.noise_at_large_penalty, SyntheticRun(rankings=rankings(falls))) == HOLDS
    never = SyntheticRun(rankings=rankings(lambda m, p: NOISE_LAST))
    assert verdict(findings.noise_at_large_penalty, never) == FAILS
    assert verdict(findings.mrmr_noise_earlier, never) == FAILS
    assert verdict(findings.mrmr_noise_second, never) == FAILS
    early = ("a", "noise_normal", "b", "c", "d", "e")
    first = SyntheticRun(rankings=rankings(lambda m, p: early if m == "mrmr" else NOISE_LAST))
    assert verdict(findings.mrmr_noise_earlier, first) == HOLDS
    assert verdict(findings.mrmr_noise_second, first) == HOLDS
    once = SyntheticRun(
        rankings=rankings(lambda m, p: early if (m, p) == ("mrmr", 1.0) else NOISE_LAST)
    )
    assert verdict(findings.mrmr_noise_second, once) == IN_PART


def test_forest_claims_follow_the_fall_of_accuracy():
    falls = cells(
        lambda m, p, k: 1.0 if p < 200 else 0.7, n_noise=lambda m, p, k: k if p > 200 else 0
    )
    assert verdict(findings.forests_accurate, SyntheticRun(falls)) == HOLDS
    assert verdict(findings.forests_fall_by_noise, SyntheticRun(falls)) == HOLDS
    assert verdict(findings.forests_accurate, SyntheticRun(cells(1.0))) == IN_PART
    assert verdict(findings.forests_accurate, SyntheticRun(cells(0.6))) == FAILS
    assert verdict(findings.forests_fall_by_noise, SyntheticRun(cells(0.6))) == FAILS
    assert verdict(findings.weighted_forests_alike, SyntheticRun(cells(0.6))) == HOLDS
    apart = cells(lambda m, p, k: 0.6 if m == "weighted-mdi" else 0.9)
    assert verdict(findings.weighted_forests_alike, SyntheticRun(apart)) == FAILS


def test_relieff_claims_follow_the_first_feature():
    poor = cells(
        lambda m, p, k: 0.5 if k == 1 and p == 0 else 1.0,
        features=lambda m, p, k: ("core_3_size",) if p == 0 else ("degree_mean",),
        cost=lambda m, p, k: 2.0 if p == 0 else 1.0,
    )
    assert verdict(findings.relief_poor_with_one_feature, SyntheticRun(poor)) == HOLDS
    assert verdict(findings.relief_improves_with_penalty, SyntheticRun(poor)) == HOLDS
    assert verdict(findings.relief_poor_with_one_feature, SyntheticRun(cells(1.0))) == FAILS
    assert verdict(findings.relief_improves_with_penalty, SyntheticRun(cells(1.0))) == FAILS


def test_svm_claim_follows_the_differences():
    knn = cells(1.0).assign(knn=1.0)
    assert findings.svm_less_accurate(SyntheticRun(svm=knn.assign(accuracy=0.9))).verdict == HOLDS
    assert findings.svm_less_accurate(SyntheticRun(svm=knn)).verdict == FAILS
    mixed = knn.assign(accuracy=np.where(np.arange(len(knn)) == 3, 1.01, 0.9))
    assert findings.svm_less_accurate(SyntheticRun(svm=mixed)).verdict == IN_PART


def test_transition_is_sharp_within_a_factor_of_four():
    grid = tuple(np.geomspace(0.1, 100, 40))

    def step(at, width):
        return lambda m, p, k: 1.0 - 0.5 / (1 + (at / max(p, 1e-9)) ** width)

    sharp = cells(step(3.0, 8), penalties=(0.0, *grid), ks=(5,))
    fall = Fall.of(sharp[sharp["method"] == "jmi"].set_index("penalty")["accuracy"])
    # A logistic in log λ of steepness 8 falls from 10 % to 90 % within a factor exp(2 ln 9 / 8).
    assert fall.end / fall.begin == pytest.approx(81 ** (1 / 8), rel=0.35)
    assert verdict(sharp_transition, SyntheticRun(sharp)) == HOLDS
    slow = cells(step(3.0, 1), penalties=(0.0, *grid), ks=(5,))
    assert verdict(sharp_transition, SyntheticRun(slow)) == FAILS
    assert verdict(sharp_transition, SyntheticRun(cells(1.0))) == FAILS


def test_saving_counts_only_without_loss():
    cheaper = cells(1.0, cost=lambda m, p, k: 1.0 if p else 3.0)
    assert verdict(findings.penalty_saves_cost, SyntheticRun(cheaper)) == HOLDS
    worse = cells(lambda m, p, k: 0.7 if p else 1.0, cost=lambda m, p, k: 1.0 if p else 3.0)
    assert verdict(findings.penalty_saves_cost, SyntheticRun(worse)) == FAILS


def test_clustering_claim_needs_both_ranks():
    others = [f"f{i}" for i in range(20)]
    both = ["transitivity", "clustering_mean"]

    def falls(method, penalty):
        return both + others if penalty < 200 else others + both

    assert verdict(findings.clustering_falls, SyntheticRun(rankings=rankings(falls))) == HOLDS
    stays = SyntheticRun(rankings=rankings(lambda m, p: both + others))
    assert verdict(findings.clustering_falls, stays) == FAILS


def test_cost_span_needs_three_orders_of_magnitude():
    wide = SyntheticRun(costs=paper_cost_model("ba"))
    assert verdict(findings.costs_span, wide) == HOLDS
    narrow = SyntheticRun(costs=paper_cost_model("ba").only(["transitivity", "n_triangles"]))
    assert verdict(findings.costs_span, narrow) == FAILS


def pilot_run(power=1.8, accuracy=1.0):
    n = np.array([100, 300, 1000])
    costs = pd.DataFrame({"n": n, "seconds": 1e-6 * n**power, "seconds_se": 1e-9 * n**power})
    frame = pd.concat(
        [cells(accuracy, ks=(1, 2, 5)).assign(n=size, repeat=0) for size in n], ignore_index=True
    )
    return PilotRun(frame, costs, fit_power(costs))


def test_pilot_claims_follow_costs_and_accuracies():
    assert fit_power(pilot_run(1.5).costs)["exponent"] == pytest.approx(1.5)
    assert pilot_findings.cost_superlinear(pilot_run(1.8)).verdict == HOLDS
    assert pilot_findings.cost_superlinear(pilot_run(0.9)).verdict == FAILS
    assert pilot_findings.saving_factor(pilot_run(1.8), 57).verdict == HOLDS
    assert pilot_findings.saving_factor(pilot_run(1.2), 57).verdict == IN_PART
    assert pilot_findings.saving_factor(pilot_run(0.5), 57).verdict == FAILS
    assert pilot_findings.two_features_perfect(pilot_run()).verdict == HOLDS
    assert pilot_findings.two_features_perfect(pilot_run(accuracy=0.9)).verdict == FAILS
    poor = pilot_run(accuracy=lambda m, p, k: 0.5 if k == 1 and m in RELIEF_METHODS else 1.0)
    assert pilot_findings.relief_poor_with_one_feature(poor).verdict == HOLDS
    assert pilot_findings.relief_poor_with_one_feature(pilot_run()).verdict == FAILS
    assert pilot_findings.forests_vary_with_one_feature(pilot_run()).verdict == FAILS
    rng = np.random.default_rng(1)
    varying = pilot_run(
        accuracy=lambda m, p, k: rng.uniform(0.5, 1) if m in FOREST_METHODS else 1.0
    )
    assert pilot_findings.forests_vary_with_one_feature(varying).verdict == HOLDS


def answers(**changes):
    answer = {
        "ks": 0.99, "ks_interval": [0.985, 0.995], "ks_p_value": 0.0, "share_farther": 0.001,
        "distance_correlation": [0.9, 0.95], "votes": {"dmc": 0.0, "dmr": 10.0},
        "share_farther_by_model": {"dmc": 0.5, "dmr": 0.001},
    }  # fmt: skip
    return dict.fromkeys(("ito2001", "yu2008", "uetz2000"), answer | changes)


def test_yeast_claims_follow_the_answers():
    assert yeast_findings.transitivity_separates(answers()).verdict == HOLDS
    assert yeast_findings.transitivity_separates(answers(ks=0.9)).verdict == FAILS
    assert yeast_findings.embedding_preserves_distances(answers()).verdict == HOLDS
    assert (
        yeast_findings.embedding_preserves_distances(
            answers(distance_correlation=[0.5, 0.9])
        ).verdict
        == FAILS
    )
    assert yeast_findings.networks_prefer_dmr(answers()).verdict == HOLDS
    assert yeast_findings.networks_prefer_dmr(answers(votes={"dmr": 6.0})).verdict == IN_PART
    assert yeast_findings.networks_prefer_dmr(answers(votes={"dmr": 2.0})).verdict == FAILS
    assert yeast_findings.networks_at_boundary(answers()).verdict == HOLDS
    assert yeast_findings.networks_at_boundary(answers(share_farther=0.05)).verdict == IN_PART
    assert yeast_findings.networks_at_boundary(answers(share_farther=0.5)).verdict == FAILS
    assert yeast_findings.same_five_features(PAPER_FIVE[::-1]).verdict == HOLDS
    assert yeast_findings.same_five_features((*PAPER_FIVE[:3], "a", "b")).verdict == IN_PART
    assert yeast_findings.same_five_features(("a", "b", "c", "d", "transitivity")).verdict == FAILS
    assert yeast_findings.transitivity_first(["transitivity", "a"]).verdict == HOLDS
    assert yeast_findings.transitivity_first(["a", "transitivity"]).verdict == IN_PART


def test_cost_must_fall_by_a_factor_of_ten():
    falls = cells(1.0, cost=lambda m, p, k: 100.0 if p < 200 else 1.0)
    assert verdict(findings.cost_falls, SyntheticRun(falls)) == HOLDS
    little = cells(1.0, cost=lambda m, p, k: 100.0 if p < 200 else 50.0)
    assert verdict(findings.cost_falls, SyntheticRun(little)) == IN_PART
    assert verdict(findings.cost_falls, SyntheticRun(cells(1.0))) == FAILS


def test_hours_are_compared_with_the_paper(space):
    hours = 5000 * space.test.costs.cost_of_set(space.test.features, "shared") / 3600
    assert findings.table_takes_hours(space, hours).verdict == HOLDS
    assert findings.table_takes_hours(space, 5.2).verdict == FAILS


def test_stored_verdict_matches_the_claims():
    """The run in docs/reproduction was judged by these claims and criteria."""
    folder = Path(__file__).resolve().parents[1] / "docs" / "reproduction"
    record = json.loads((folder / "reproduction.json").read_text())
    assert record["scale"] == "paper"
    assert [row["claim"] for row in record["claims"]] == [claim.name for claim in CLAIMS]
    for row, claim in zip(record["claims"], CLAIMS, strict=True):
        assert (row["statement"], row["criterion"]) == (claim.statement, claim.criterion)
    about = {key: value for key, value in record.items() if key != "claims"}
    assert as_markdown(record["claims"], about) == (folder / "verdict.md").read_text()
