"""The reproduction at a very small scale, and every criterion on synthetic results."""

import json
import os
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from shared_data import DATA

from netchoice.errors import UsageError
from netchoice.features import FEATURES, paper_costs
from netchoice.selection import rank_path
from netchoice.selection.methods import WEIGHTED_METHODS
from netchoice.storage.kept_files import fingerprint_of
from netchoice.storage.run_folder import RECORD, run_folder
from reproduction import __main__ as command
from reproduction import claims_pilots as pilot_findings
from reproduction import claims_spaces as findings
from reproduction import claims_yeast as yeast_findings
from reproduction.claims_spaces import Fall, sharp_transition
from reproduction.experiments import CLAIMS, MADE_BY, reproduce
from reproduction.pilots import PilotRun, fit_power
from reproduction.records import kept_frame
from reproduction.settings import (
    AS_PUBLISHED,
    FOREST_METHODS,
    METHODS,
    PARTS,
    RELIEF_METHODS,
    SCALES,
    SETTINGS,
    Setting,
    paper_cost_model,
)
from reproduction.spaces import SpaceRun
from reproduction.verdict import (
    BY_COSTS,
    FAILS,
    HOLDS,
    IMPLEMENTATION,
    MACHINE,
    METHOD,
    NOT_JUDGED,
    OF_MACHINE,
    Claim,
    Finding,
    as_markdown,
    counts,
    summarise,
)
from reproduction.yeast import PAPER_FIVE

MINIMAL = replace(
    SCALES["tiny"], rows=40, nodes=30, pilot_sizes=(20, 30), pilot_rows=40, tables=2, yeast_rows=40
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
    assert record.pop("netchoice")["fingerprint"] == fingerprint_of(MINIMAL.facts)
    assert results["code"] == MINIMAL.facts["code"]
    assert record == results
    assert [row["claim"] for row in record["claims"]] == [c.name for c in CLAIMS if c.part in parts]
    for row in record["claims"]:
        assert row["verdict"] == NOT_JUDGED  # the networks are too few and too small
        for variant in row["variants"]:
            not_judged = row["kind"] == MACHINE or row["claim"].endswith("pilot-factor")
            assert len(variant["holds"]) == (0 if not_judged else 2)
            assert all(len(each) == 2 for each in variant["values"].values())
    page = (out / "reproduction.md").read_text()
    assert page.startswith("# A run without verdicts")
    assert all(
        f"## {row['claim']}" in page and row["criterion"] in page for row in record["claims"]
    )


@pytest.mark.slow
def test_tables_share_no_networks(reproduced):
    out, _, results = reproduced
    assert results["seeds"] == [2126, 2226]
    one, two = (SpaceRun("ba", MINIMAL, out / "ba" / f"table-{i}", i, workers=1) for i in (1, 2))
    frames = [table.X for run in (one, two) for table in (run.train, run.test)]
    assert not any(a.equals(b) for i, a in enumerate(frames) for b in frames[:i])


@pytest.mark.slow
def test_frames_carry_the_fingerprint_of_their_run(reproduced):
    out, _, _ = reproduced
    run = SpaceRun("ba", MINIMAL, out / "ba" / "table-2", 2, workers=1)
    record = pq.read_schema(run.folder / "rankings-paper-alone.parquet").metadata[b"netchoice"]
    assert json.loads(record)["fingerprint"] == fingerprint_of(run.facts)
    assert (run.facts["seed"], run.facts["rows"]) == (2226, 40)


@pytest.mark.slow
def test_seconds_of_each_stage_are_kept(reproduced):
    out, _, results = reproduced
    stages = {row["stage"]: row for row in results["seconds"]}
    assert {"ba: simulation", "ba: ranking", "ba: testing, knn", "ba: pilots", "figures"} <= {
        *stages
    }
    assert all(row["cpu"] > 0 and row["wall"] > 0 for row in stages.values())
    assert "| ba: ranking |" in (out / "reproduction.md").read_text()


@pytest.mark.slow
def test_claims_about_costs_are_judged_under_every_setting(reproduced):
    _, _, results = reproduced
    by_name = {row["claim"]: row for row in results["claims"]}
    variants = [v["variant"] for v in by_name["ba-two-orders"]["variants"]]
    assert variants == [setting.label for setting in SETTINGS]
    assert [v["variant"] for v in by_name["ba-svm-lower"]["variants"]] == [""]


@pytest.mark.slow
def test_every_figure_is_written_in_both_formats(reproduced):
    out, parts, _ = reproduced
    names = ["figure-1-ba", "figure-2-duplication", "figure-S1-ba", "figure-S2-duplication"]
    names += ["figure-3-growth", "heat-ba-ours-shared-calibrated", "transition-ba", "pilots-ba"]
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
        (["ba"], "--out"),
        (["ba", "--tables", "0", "--out", "x"], "`tables` must be an integer of at least 1"),
    ],
)
def test_wrong_arguments_are_reported(arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        sys.exit(command.main(arguments))
    assert stop.value.code == 2
    assert message in capsys.readouterr().err
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("tables", [0, True, 1.5])
def test_number_of_tables_must_be_a_positive_integer(tables, tmp_path):
    with pytest.raises(UsageError, match="`tables` must be an integer of at least 1"):
        reproduce("three-core", out=tmp_path, scale="tiny", tables=tables)


def test_folder_of_other_code_is_refused(tmp_path, monkeypatch):
    monkeypatch.setitem(SCALES, "tiny", MINIMAL)
    reproduce("three-core", out=tmp_path / "r", scale="tiny", tables=1, workers=1)
    monkeypatch.setattr("reproduction.records.code_version", lambda: "other code")
    with pytest.raises(UsageError, match="holds a run with another code; give another folder"):
        reproduce("three-core", out=tmp_path / "r", scale="tiny", tables=1, workers=1)


@pytest.mark.slow
def test_results_under_fixed_costs_are_bit_identical(tmp_path, monkeypatch):
    """Under the paper's costs, nothing depends on measured times."""
    monkeypatch.setitem(SCALES, "tiny", MINIMAL)
    for folder in ("one", "two"):
        reproduce("duplication", out=tmp_path / folder, scale="tiny", tables=1, workers=1)
    one, two = (tmp_path / folder / "duplication" / "table-1" for folder in ("one", "two"))
    names = {path.name for path in one.glob("*.parquet") if "-ours-" not in path.name}
    assert {"rankings-paper-alone.parquet", "svm.parquet", "forest-runs.parquet"} <= names
    assert len(names) >= 11
    for name in sorted(names):
        assert (one / name).read_bytes() == (two / name).read_bytes(), name


def test_missing_yeast_networks_are_reported_before_the_run(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("NETCHOICE_DATA", str(tmp_path / "nowhere"))
    assert command.main(["all", "--scale", "tiny", "--out", str(tmp_path / "r")]) == 1
    assert "leave out the part yeast" in capsys.readouterr().err
    assert not (tmp_path / "r").exists()


def test_fresh_deletes_only_a_reproduction(tmp_path):
    (tmp_path / RECORD).parent.mkdir()
    (tmp_path / RECORD).write_text('{"editor": true}')
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match=r"run.json is damaged: .* nothing was changed"):
        reproduce("three-core", out=tmp_path, scale="tiny", fresh=True)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


@pytest.mark.slow
def test_fresh_starts_over(tmp_path):
    reproduce("three-core", out=tmp_path / "r", scale="tiny", tables=1)
    (tmp_path / "r" / "thesis.txt").write_text("years of work")
    before = {path.name for path in (tmp_path / "r").rglob("rows-*.parquet")}
    reproduce("three-core", out=tmp_path / "r", scale="tiny", tables=1, fresh=True)
    assert before.isdisjoint(path.name for path in (tmp_path / "r").rglob("rows-*.parquet"))
    assert (tmp_path / "r" / "thesis.txt").read_text() == "years of work"
    assert (tmp_path / "r" / "reproduction.md").exists()
    with run_folder(tmp_path / "r", {}, True, MADE_BY):
        left = {path.name for path in (tmp_path / "r").rglob("[!._]*")}
    assert left == {"run", "run.json", "thesis.txt"}


def test_damaged_record_is_reported(tmp_path):
    (tmp_path / RECORD).parent.mkdir()
    (tmp_path / RECORD).write_text("{")
    with pytest.raises(UsageError, match=r"run.json is damaged: it has no checksum"):
        reproduce("three-core", out=tmp_path, scale="tiny")


def test_command_runs_every_part_and_prints_findings(capsys, tmp_path, monkeypatch):
    """Figures take most of the time; they are drawn in the slow tests."""
    monkeypatch.setitem(SCALES, "tiny", MINIMAL)
    monkeypatch.setattr("reproduction.experiments._Reproduction._draw", lambda *given: None)
    monkeypatch.setenv("NETCHOICE_DATA", str(DATA))
    parts = [part for part in PARTS if part != "yeast" or DATA.is_dir()]
    arguments = ["--scale", "tiny", "--tables", "1", "--workers", "1", "--out", str(tmp_path / "r")]
    assert command.main([*parts, *arguments]) == 0
    printed = capsys.readouterr().out
    for claim in CLAIMS:
        assert (f" {claim.name}: " in printed) == (claim.part in parts)
    assert "not judged       three-core: three-core (2/3 = 0.6667) 0.6" in printed
    assert "no claim was judged" in printed
    assert "ba: simulation: " in printed
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
                        "scores": (share,) * 10, "n_rows": 1000,
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


def holds(find, run):
    return find(run, AS_PUBLISHED).holds


def claim(kind=METHOD):
    return Claim("name", "ba", "section 1", "Statement.", "Criterion.", None, kind)


def found(*by_table, names=("",)):
    """Return findings of each table, for each of the named variants."""
    return [
        {
            name: Finding(bool(each), {"x": 1.0 + each}, "text")
            for name, each in zip(names, row, strict=True)
        }
        for row in by_table
    ]


def test_verdict_counts_tables():
    verdicts = [
        summarise(claim(), found(*rows))["verdict"]
        for rows in ([[1]] * 5, [[1], [0], [1]], [[0]] * 5)
    ]
    assert verdicts == [HOLDS, "holds in 2 of 3", FAILS]
    assert summarise(claim(MACHINE), found([1]))["verdict"] == OF_MACHINE
    unknown = [{"": Finding(None, {"x": 1.0})}]
    assert summarise(claim(), unknown)["verdict"] == NOT_JUDGED
    assert summarise(claim(), unknown)["variants"][0]["holds"] == []
    assert summarise(claim(), found([1]), judged=False)["verdict"] == NOT_JUDGED


def test_claim_depends_on_costs_if_tables_clearly_differ():
    labels = [setting.label for setting in SETTINGS]

    def verdict(*tables_that_hold):
        rows = [[table < n for n in tables_that_hold] for table in range(5)]
        return summarise(claim(), found(*rows, names=labels))["verdict"]

    assert verdict(5, 5, 1, 5, 5) == BY_COSTS
    assert verdict(5, 5, 2, 5, 5) == HOLDS
    assert verdict(1, 5, 1, 1, 1) == BY_COSTS
    assert verdict(3, 0, 0, 0, 0) == "holds in 3 of 5"
    assert verdict(5, 5, 5, 5, 0) == HOLDS  # the last setting has the same costs, another estimator


def test_page_counts_claims_by_kind_and_reports_the_range():
    rows = [
        summarise(claim(), found([1], [0])),
        summarise(claim(IMPLEMENTATION), found([0], [0])),
        summarise(claim(MACHINE), found([0], [0])),
    ]
    of_methods, of_implementation = counts(rows).values()
    assert of_methods["holds in some tables"] == sum(of_methods.values()) == 1
    assert of_implementation[FAILS] == sum(of_implementation.values()) == 1
    about = {
        "scale": "small", "judged": True, "settings": SCALES["small"].as_dict(), "seeds": [1, 2],
        "date": "today", "machine": "a machine", "version": "1", "code": "abc", "seconds": [],
        "cost_of_all_features": {"ba": 3.69},
    }  # fmt: skip
    page = as_markdown(rows, about)
    assert "| about the methods | 0 | 1 | 0 | 0 | 0 |" in page
    assert "1 more claims are about the authors' machine" in page
    assert "| x 1.5 (1 to 2) | text |" in page
    assert "3.69 s (`ba`)" in page


def test_one_low_cell_spoils_perfection():
    assert findings.all_cells(cells(1.0), 0.995).holds
    one_low = cells(lambda m, p, k: 0.5 if (m, p, k) == ("jmi", 1.0, 5) else 1.0)
    finding = findings.all_cells(one_low, 0.995)
    assert not finding.holds
    assert finding.values["cells below 0.995"] == 1
    assert "jmi, λ = 1, k = 5" in finding.text
    assert findings.all_cells(cells(0.99), 0.95).holds


def test_cheap_set_must_be_accurate_on_other_rows():
    """The upper end of a wide interval is not enough."""
    grid = cells(1.0, cost=lambda m, p, k: 5 if p == 1 else 1000).assign(n_rows=40)
    assert holds(findings.cheap_set_without_loss, SyntheticRun(grid))
    lower = grid.assign(scores=[((0.993 if p == 1 else 1.0),) * 10 for p in grid["penalty"]])
    assert not holds(findings.cheap_set_without_loss, SyntheticRun(lower))


@pytest.mark.parametrize(("cost", "expected"), [(5, True), (50, False)])
def test_cheap_set_without_loss_depends_on_the_factor(cost, expected):
    grid = cells(
        lambda m, p, k: 1.0 if p < 200 else 0.6, cost=lambda m, p, k: cost if p == 1 else 1000
    )
    assert holds(findings.cheap_set_without_loss, SyntheticRun(grid)) == expected


NOISE_LAST = ("a", "b", "c", "d", "e", "noise_normal")


def test_noise_claims_follow_the_ranks_of_noise():
    def falls(method, penalty):
        return NOISE_LAST if penalty < 200 else NOISE_LAST[::-1]

    assert holds(findings.noise_at_large_penalty, SyntheticRun(rankings=rankings(falls)))
    never = SyntheticRun(rankings=rankings(lambda m, p: NOISE_LAST))
    assert not holds(findings.noise_at_large_penalty, never)
    assert not holds(findings.mrmr_noise_earlier, never)
    assert not holds(findings.mrmr_noise_second, never)
    early = ("a", "noise_normal", "b", "c", "d", "e")
    first = SyntheticRun(rankings=rankings(lambda m, p: early if m == "mrmr" else NOISE_LAST))
    assert holds(findings.mrmr_noise_earlier, first)
    assert holds(findings.mrmr_noise_second, first)
    once = SyntheticRun(
        rankings=rankings(lambda m, p: early if (m, p) == ("mrmr", 1.0) else NOISE_LAST)
    )
    assert not holds(findings.mrmr_noise_second, once)


def test_forest_claims_follow_the_fall_of_accuracy():
    falls = cells(
        lambda m, p, k: 1.0 if p < 200 else 0.7, n_noise=lambda m, p, k: k if p > 200 else 0
    )
    assert holds(findings.forests_accurate, SyntheticRun(falls))
    assert holds(findings.forests_fall_by_noise, SyntheticRun(falls))
    assert holds(findings.forests_accurate, SyntheticRun(cells(1.0)))
    assert not holds(findings.forests_fall_by_noise, SyntheticRun(cells(1.0)))
    assert not holds(findings.forests_accurate, SyntheticRun(cells(0.6)))
    assert not holds(findings.forests_fall_by_noise, SyntheticRun(cells(0.6)))
    assert holds(findings.weighted_forests_alike, SyntheticRun(cells(0.6)))
    apart = cells(lambda m, p, k: 0.6 if m == "weighted-mdi" else 0.9)
    assert not holds(findings.weighted_forests_alike, SyntheticRun(apart))


def test_relieff_claims_follow_the_first_feature():
    poor = cells(
        lambda m, p, k: 0.5 if k == 1 and p == 0 else 1.0,
        features=lambda m, p, k: ("core_3_size",) if p == 0 else ("degree_mean",),
        cost=lambda m, p, k: 2.0 if p == 0 else 1.0,
    )
    assert holds(findings.relief_poor_with_one_feature, SyntheticRun(poor))
    assert holds(findings.relief_improves_with_penalty, SyntheticRun(poor))
    assert not holds(findings.relief_poor_with_one_feature, SyntheticRun(cells(1.0)))
    assert not holds(findings.relief_improves_with_penalty, SyntheticRun(cells(1.0)))


def test_svm_claim_follows_the_differences():
    knn = cells(1.0).assign(knn=1.0)
    assert findings.svm_less_accurate(SyntheticRun(svm=knn.assign(accuracy=0.9))).holds
    assert not findings.svm_less_accurate(SyntheticRun(svm=knn)).holds
    mixed = knn.assign(accuracy=np.where(np.arange(len(knn)) == 3, 1.01, 0.9))
    assert not findings.svm_less_accurate(SyntheticRun(svm=mixed)).holds


def test_transition_is_sharp_within_a_factor_of_two():
    grid = (0.0, *(2.0 ** (i / 4) for i in range(-8, 30)))

    def fall(accuracy):
        return Fall.of(pd.Series([accuracy(penalty) for penalty in grid], index=grid))

    def found(accuracy):
        run = SyntheticRun(cells(lambda m, p, k: accuracy(p), penalties=grid, ks=(5,)))
        return holds(sharp_transition, run)

    # Steps after the first one do not matter; what matters is how the plateau ends.
    def in_steps(penalty):
        return 1.0 if penalty <= 8 else 0.96 if penalty <= 32 else 0.7

    assert fall(in_steps) == (8.0, pytest.approx(0.04), 0.96)
    assert found(in_steps)
    # Accuracy that falls by 0.01 for each factor of two loses too little near its plateau.
    assert not found(lambda p: 1.0 - 0.01 * max(0.0, np.log2(max(p, 1e-9) / 4)))
    # A second plateau of perfect accuracy contradicts a threshold.
    assert not found(lambda p: 0.9 if 8 < p < 32 else 1.0)
    assert not found(lambda p: 1.0)
    assert not found(lambda p: 0.99 if p == 0 else 1.0)


def test_saving_counts_only_without_loss():
    cheaper = cells(1.0, cost=lambda m, p, k: 1.0 if p else 3.0)
    assert holds(findings.penalty_saves_cost, SyntheticRun(cheaper))
    worse = cells(lambda m, p, k: 0.7 if p else 1.0, cost=lambda m, p, k: 1.0 if p else 3.0)
    assert not holds(findings.penalty_saves_cost, SyntheticRun(worse))


def test_clustering_claim_needs_both_ranks():
    others = [f"f{i}" for i in range(20)]
    both = ["transitivity", "clustering_mean"]

    def falls(method, penalty):
        return both + others if penalty < 200 else others + both

    assert holds(findings.clustering_falls, SyntheticRun(rankings=rankings(falls)))
    stays = SyntheticRun(rankings=rankings(lambda m, p: both + others))
    assert not holds(findings.clustering_falls, stays)


def test_cost_span_needs_three_orders_of_magnitude():
    wide = SyntheticRun(costs=paper_cost_model("ba"))
    assert holds(findings.costs_span, wide)
    narrow = SyntheticRun(costs=paper_cost_model("ba").only(["transitivity", "n_triangles"]))
    assert not holds(findings.costs_span, narrow)


def pilot_run(power=1.8, accuracy=1.0):
    n = np.array([100, 300, 1000])
    costs = pd.DataFrame({"n": n, "seconds": 1e-6 * n**power, "seconds_se": 1e-9 * n**power})
    frame = pd.concat(
        [cells(accuracy, ks=(1, 2, 5)).assign(n=size, repeat=0) for size in n], ignore_index=True
    )
    return PilotRun(frame, costs, fit_power(costs))


def test_pilot_claims_follow_costs_and_accuracies():
    assert fit_power(pilot_run(1.5).costs)["exponent"] == pytest.approx(1.5)
    assert pilot_findings.cost_superlinear(pilot_run(1.8)).holds
    assert not pilot_findings.cost_superlinear(pilot_run(0.9)).holds
    assert pilot_findings.saving_factor(pilot_run(1.8), 57).holds
    assert not pilot_findings.saving_factor(pilot_run(1.2), 57).holds
    assert not pilot_findings.saving_factor(pilot_run(0.5), 57).holds
    smaller = pilot_run(1.8)
    smaller.costs["n"] //= 2
    assert pilot_findings.saving_factor(smaller, 57).holds is None
    assert pilot_findings.two_features_perfect(pilot_run()).holds
    assert not pilot_findings.two_features_perfect(pilot_run(accuracy=0.9)).holds
    poor = pilot_run(accuracy=lambda m, p, k: 0.5 if k == 1 and m in RELIEF_METHODS else 1.0)
    assert pilot_findings.relief_poor_with_one_feature(poor).holds
    assert not pilot_findings.relief_poor_with_one_feature(pilot_run()).holds
    assert not pilot_findings.forests_vary_with_one_feature(pilot_run()).holds
    rng = np.random.default_rng(1)
    varying = pilot_run(
        accuracy=lambda m, p, k: rng.uniform(0.5, 1) if m in FOREST_METHODS else 1.0
    )
    assert pilot_findings.forests_vary_with_one_feature(varying).holds


def answers(**changes):
    answer = {
        "ks": 0.99, "ks_p_value": 0.0, "share_farther": 0.001,
        "distance_correlation": [0.9, 0.95], "votes": {"dmc": 0.0, "dmr": 10.0},
        "share_farther_by_model": {"dmc": 0.5, "dmr": 0.001},
    }  # fmt: skip
    return dict.fromkeys(("ito2001", "yu2008", "uetz2000"), answer | changes)


def test_yeast_claims_follow_the_answers():
    assert yeast_findings.transitivity_separates(answers()).holds
    assert not yeast_findings.transitivity_separates(answers(ks=0.9)).holds
    assert yeast_findings.embedding_preserves_distances(answers()).holds
    apart = answers(distance_correlation=[0.5, 0.9])
    assert not yeast_findings.embedding_preserves_distances(apart).holds
    assert yeast_findings.networks_prefer_dmr(answers()).holds
    assert not yeast_findings.networks_prefer_dmr(answers(votes={"dmr": 6.0})).holds
    assert not yeast_findings.networks_prefer_dmr(answers(votes={"dmr": 2.0})).holds
    assert yeast_findings.networks_at_boundary(answers()).holds
    assert not yeast_findings.networks_at_boundary(answers(share_farther=0.05)).holds
    assert not yeast_findings.networks_at_boundary(answers(share_farther=0.5)).holds
    assert yeast_findings.same_five_features(PAPER_FIVE[::-1]).holds
    assert not yeast_findings.same_five_features((*PAPER_FIVE[:3], "a", "b")).holds
    assert not yeast_findings.same_five_features(("a", "b", "c", "d", "transitivity")).holds
    assert yeast_findings.transitivity_first(["transitivity", "a"]).holds
    assert not yeast_findings.transitivity_first(["a", "transitivity"]).holds


def test_cost_must_fall_by_a_factor_of_ten():
    falls = cells(1.0, cost=lambda m, p, k: 100.0 if p < 200 else 1.0)
    assert holds(findings.cost_falls, SyntheticRun(falls))
    little = cells(1.0, cost=lambda m, p, k: 100.0 if p < 200 else 50.0)
    assert not holds(findings.cost_falls, SyntheticRun(little))
    assert not holds(findings.cost_falls, SyntheticRun(cells(1.0)))


def test_hours_are_compared_with_the_paper(space):
    hours = 5000 * space.test.costs.cost_of_set(space.test.features, "shared") / 3600
    is_so, values, _ = findings.table_takes_hours(space, 3 * hours)
    assert is_so is None
    assert list(values.values()) == pytest.approx([60 * hours, 3])
