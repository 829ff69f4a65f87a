"""The paper once more, at a scale that takes a moment; and the criteria, on made-up findings."""

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from netchoice import cli, paper_costs
from netchoice.errors import NetchoiceError, UsageError
from netchoice.features import FEATURES
from netchoice.reproduction import CLAIMS, PARTS, SCALES, reproduce
from netchoice.reproduction.claim import FAILS, HOLDS, IN_PART
from netchoice.reproduction.claims_pilots import (
    one_poor_for_relief,
    one_varies_for_forests,
    saving,
    superlinear,
    two_are_enough,
)
from netchoice.reproduction.claims_yeast import (
    at_the_edge,
    faithful,
    prefers_dmr,
    same_five,
    separated,
    transitivity_first,
)
from netchoice.reproduction.costs import AS_PUBLISHED, SETTINGS, paper_cost_model
from netchoice.reproduction.findings_spaces import (
    cheap_without_loss,
    clustering_falls,
    cost_falls,
    costs_span,
    forests_fall_by_noise,
    forests_fine,
    machine_lower,
    mrmr_noise_earlier,
    mrmr_noise_second,
    noise_at_large_penalty,
    penalty_saves,
    perfect_everywhere,
    relief_improves,
    relief_one_poor,
    sharp_transition,
    slope,
    table_takes_hours,
    weighted_alike,
)
from netchoice.reproduction.frames import kept_frame
from netchoice.reproduction.pilots import PilotRun, power_of
from netchoice.reproduction.scales import FORESTS, NINE, RELIEFS
from netchoice.reproduction.spaces import SpaceRun
from netchoice.reproduction.verdict import as_markdown
from netchoice.reproduction.yeast import PAPERS_FIVE
from netchoice.selection import rank_path

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
MOMENT = replace(
    SCALES["tiny"], rows=40, nodes=30, pilot_sizes=(20, 30), pilot_rows=40, repeats=1, yeast_rows=40
)


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A whole run, without yeast where its networks are not at hand."""
    out = tmp_path_factory.mktemp("reproduction")
    parts = [part for part in PARTS if part != "yeast" or DATA.is_dir()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NETCHOICE_DATA", str(DATA))
        patch.setitem(SCALES, "tiny", MOMENT)
        found = reproduce(parts, out=out, scale="tiny", workers=1)
    return out, parts, found


def test_every_claim_of_the_parts_is_judged(done):
    out, parts, found = done
    told = json.loads((out / "reproduction.json").read_text())
    assert told == found
    assert [row["claim"] for row in told["claims"]] == [c.name for c in CLAIMS if c.part in parts]
    for row in told["claims"]:
        assert row["verdict"] in (HOLDS, IN_PART, FAILS)
        assert any(character.isdigit() for character in row["figure"]), row
        assert len(row["variants"]) != 1
    page = (out / "reproduction.md").read_text()
    assert all(f"## {row['claim']}" in page and row["criterion"] in page for row in told["claims"])


def test_claims_depend_on_costs_where_they_should(done):
    _, _, found = done
    by_name = {row["claim"]: row for row in found["claims"]}
    variants = [v["variant"] for v in by_name["ba-two-orders"]["variants"]]
    assert variants == [setting.words for setting in SETTINGS]
    assert by_name["ba-svm-lower"]["variants"] == []


def test_every_figure_is_there_in_both_formats(done):
    out, parts, _ = done
    wanted = ["figure-1-ba", "figure-2-duplication", "figure-S1-ba", "figure-S2-duplication"]
    wanted += ["figure-3-growth", "heat-ba-ours-shared-calibrated-shares", "transition-ba"]
    if "yeast" in parts:
        wanted += [f"figure-4-yeast-{nodes}-nodes-papers" for nodes in ("paper", "true")]
    for name in wanted:
        assert (out / "figures" / f"{name}.png").read_bytes()[:4] == b"\x89PNG", name
        assert (out / "figures" / f"{name}.pdf").read_bytes()[:5] == b"%PDF-", name


def test_the_tables_hold_every_feature(done):
    out, _, _ = done
    costs = pd.read_csv(out / "table-S1-costs.csv").set_index("feature")
    assert set(FEATURES) <= set(costs.index)
    assert costs.loc["transitivity", "ba_paper_ms"] == pytest.approx(11.2)
    assert (costs["ba_ours_ms"] > 0).all()
    page = (out / "table-S2-three-core.md").read_text()
    assert "2/3 = 0.6667" in page
    assert "5/9 = 0.5556" in page


def test_a_second_run_computes_nothing_again(done, monkeypatch):
    out, parts, found = done
    monkeypatch.setenv("NETCHOICE_DATA", str(DATA))
    monkeypatch.setitem(SCALES, "tiny", MOMENT)
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")}
    told = []
    parts = [part for part in parts if part in ("pilot", "three-core")]  # few pictures
    again = reproduce(parts, out=out, scale="tiny", on_progress=lambda *what: told.append(what))
    assert told == []
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*.parquet")} == before
    # What both runs judged is judged alike, and what only the first one judged is kept.
    assert again["claims"] == found["claims"]
    assert again["parts"] == found["parts"]


def test_a_folder_made_otherwise_is_refused(done, capsys):
    out, _, _ = done
    with pytest.raises(UsageError, match="made otherwise; give another folder, or start afresh"):
        reproduce("three-core", out=out, scale="small")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["three-cores", "--out", "x"], "three-core"),
        (["ba", "--scale", "huge", "--out", "x"], "tiny"),
        (["ba"], "Give --out"),
        (["ba", "--repeats", "0", "--out", "x"], "--repeats"),
    ],
)
def test_mistakes_are_told(arguments, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        cli.main(["reproduce", *arguments])
    assert stop.value.code == 2
    assert words in capsys.readouterr().err
    assert os.listdir(tmp_path) == []


def test_yeast_networks_are_looked_for_before_the_work(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("NETCHOICE_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(SystemExit) as stop:
        cli.main(["reproduce", "all", "--scale", "tiny", "--out", str(tmp_path / "r")])
    assert stop.value.code == 1
    assert "leave out the part yeast" in capsys.readouterr().err
    assert not (tmp_path / "r").exists()


def test_fresh_deletes_nothing_but_a_reproduction(tmp_path):
    (tmp_path / "settings.json").write_text('{"editor": true}')
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match="holds no reproduction, so it is left alone"):
        reproduce("three-core", out=tmp_path, scale="tiny", fresh=True)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_fresh_starts_over(tmp_path):
    reproduce("three-core", out=tmp_path / "r", scale="tiny")
    (tmp_path / "r" / "stale").write_text("")
    reproduce("three-core", out=tmp_path / "r", scale="tiny", fresh=True)
    assert not (tmp_path / "r" / "stale").exists()
    assert (tmp_path / "r" / "reproduction.md").exists()


def test_a_broken_record_is_told(tmp_path):
    (tmp_path / "settings.json").write_text("{")
    with pytest.raises(NetchoiceError, match=r"cannot be read: .*; remove it"):
        reproduce("three-core", out=tmp_path, scale="tiny")


def test_the_command(capsys, tmp_path):
    with pytest.raises(SystemExit) as stop:
        cli.main(["reproduce", "three-core", "--scale", "tiny", "--out", str(tmp_path / "r")])
    assert stop.value.code == 0
    printed = capsys.readouterr().out
    assert "three-core: 0.66" in printed
    assert (tmp_path / "r" / "table-S2-three-core.md").exists()


@pytest.mark.parametrize("family", ["ba", "duplication"])
def test_the_papers_costs_alone_stay_as_printed(family):
    model, printed = paper_cost_model(family), paper_costs(family)
    assert {n: pytest.approx(p) for n, p in printed.items()} == model.alone()
    every = model.features
    assert model.cost_of_set(every, "shared") < 0.6 * model.cost_of_set(every)


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    return SpaceRun("duplication", MOMENT, tmp_path_factory.mktemp("space"), workers=1)


def test_a_second_and_a_share_differ_in_the_unit_of_the_penalty_only(space):
    """So heat maps over shares are those over seconds with another axis."""
    raw = space.selectors(NINE, AS_PUBLISHED)
    total = sum(space.costs(AS_PUBLISHED).alone().values())
    share = space.selectors(NINE, AS_PUBLISHED)
    for selector in share.values():
        selector.set_params(cost_scale="share")
    X, y = space.train.X, space.train.y
    penalised = [method for method in NINE if not method.startswith("weighted")]
    one = rank_path({m: raw[m] for m in penalised}, X, y, [1.0])
    other = rank_path({m: share[m] for m in penalised}, X, y, [1.0 * total])
    assert list(one["feature"]) == list(other["feature"])


def test_our_grid_reaches_the_order_of_cost(space):
    setting = SETTINGS[2]
    costs = space.costs(setting).alone()
    assert sum(costs.values()) == pytest.approx(sum(paper_costs("duplication")[n] for n in costs))
    ranked = rank_path(
        space.selectors(["jmi"], setting), space.train.X, space.train.y,
        [space.penalties(setting)[-1]],
    )  # fmt: skip
    paid = ranked["feature"].map(costs).to_numpy()
    assert np.all(np.diff(paid) >= -0.05 * paid[1:])


def test_a_frame_is_kept_with_its_sets(tmp_path):
    frame = pd.DataFrame({"features": [("a", "b"), ("c",)], "k": [2, 1]})
    made = []
    for _ in range(2):
        again = kept_frame(tmp_path / "x.parquet", lambda: made.append(1) or frame)
        assert list(again["features"]) == [("a", "b"), ("c",)]
    assert made == [1]


class Made:
    """Findings that stand for those of a run."""

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

    def machine(self):
        return self.frames["machine"]

    def whole(self):
        return pd.DataFrame({"accuracy": [0.99]})

    def costs(self, setting):
        return self._costs


def cells(accuracy, methods=NINE, penalties=(0.0, 1.0, 204.8), ks=(1, 5), **more):
    """A grid; what is given may be a function of method, penalty and k."""

    def value(thing, *where):
        return thing(*where) if callable(thing) else thing

    rows = []
    for method in methods:
        for penalty in penalties:
            for k in ks:
                where = (method, penalty, k)
                cost = value(more.get("cost", 1.0), *where)
                got = value(accuracy, *where)
                rows.append(
                    {
                        "method": method, "penalty": penalty, "k": k, "accuracy": got,
                        "features": value(more.get("features", ("a",) * k), *where),
                        "n_noise": value(more.get("n_noise", 0), *where),
                        "cost_alone": cost, "cost_shared": cost, "share_alone": cost / 1000,
                        "share_shared": cost / 1000, "speedup": 1000 / cost,
                        "accuracy_choosing": got, "n_choosing": 500,
                        "accuracy_reporting": got, "n_reporting": 500,
                    }
                )  # fmt: skip
    return pd.DataFrame(rows)


def rankings(order):
    """Rankings from a function of method and penalty."""
    rows = [
        {"method": method, "penalty": penalty, "position": i, "feature": feature}
        for method in NINE
        for penalty in (0.0, 1.0, 204.8)
        for i, feature in enumerate(order(method, penalty), start=1)
    ]
    return pd.DataFrame(rows)


def test_perfect_everywhere():
    assert perfect_everywhere(cells(1.0), 1000).verdict == HOLDS
    one_low = cells(lambda m, p, k: 0.5 if (m, p, k) == ("jmi", 1.0, 5) else 1.0)
    found = perfect_everywhere(one_low, 1000)
    assert found.verdict == IN_PART
    assert "53 of 54" in found.figure
    assert "jmi, λ = 1, k = 5" in found.figure
    assert perfect_everywhere(cells(0.99), 1000).verdict == FAILS


@pytest.mark.parametrize(("cost", "expected"), [(5, HOLDS), (50, IN_PART), (500, FAILS)])
def test_cost_without_loss(cost, expected):
    expensive_and_cheap = cells(
        lambda m, p, k: 1.0 if p < 200 else 0.6, cost=lambda m, p, k: cost if p == 1 else 1000
    )
    assert cheap_without_loss(Made(expensive_and_cheap), AS_PUBLISHED).verdict == expected


NOISE_LAST = ("a", "b", "c", "d", "e", "noise_normal")


def test_noise_in_rankings():
    def falls(method, penalty):
        return NOISE_LAST if penalty < 200 else NOISE_LAST[::-1]

    assert noise_at_large_penalty(Made(rankings=rankings(falls)), AS_PUBLISHED).verdict == HOLDS
    never = Made(rankings=rankings(lambda m, p: NOISE_LAST))
    assert noise_at_large_penalty(never, AS_PUBLISHED).verdict == FAILS
    assert mrmr_noise_earlier(never, AS_PUBLISHED).verdict == FAILS
    assert mrmr_noise_second(never, AS_PUBLISHED).verdict == FAILS
    early = ("a", "noise_normal", "b", "c", "d", "e")
    first = Made(rankings=rankings(lambda m, p: early if m == "mrmr" else NOISE_LAST))
    assert mrmr_noise_earlier(first, AS_PUBLISHED).verdict == HOLDS
    assert mrmr_noise_second(first, AS_PUBLISHED).verdict == HOLDS
    once = Made(rankings=rankings(lambda m, p: early if (m, p) == ("mrmr", 1.0) else NOISE_LAST))
    assert mrmr_noise_second(once, AS_PUBLISHED).verdict == IN_PART


def test_forests():
    falls = cells(
        lambda m, p, k: 1.0 if p < 200 else 0.7, n_noise=lambda m, p, k: k if p > 200 else 0
    )
    assert forests_fine(Made(falls), AS_PUBLISHED).verdict == HOLDS
    assert forests_fall_by_noise(Made(falls), AS_PUBLISHED).verdict == HOLDS
    assert forests_fine(Made(cells(1.0)), AS_PUBLISHED).verdict == IN_PART
    assert forests_fine(Made(cells(0.6)), AS_PUBLISHED).verdict == FAILS
    assert forests_fall_by_noise(Made(cells(0.6)), AS_PUBLISHED).verdict == FAILS
    assert weighted_alike(Made(cells(0.6)), AS_PUBLISHED).verdict == HOLDS
    apart = cells(lambda m, p, k: 0.6 if m == "weighted-mdi" else 0.9)
    assert weighted_alike(Made(apart), AS_PUBLISHED).verdict == FAILS


def test_relieff():
    poor = cells(
        lambda m, p, k: 0.5 if k == 1 and p == 0 else 1.0,
        features=lambda m, p, k: ("core_3_size",) if p == 0 else ("degree_mean",),
        cost=lambda m, p, k: 2.0 if p == 0 else 1.0,
    )
    assert relief_one_poor(Made(poor), AS_PUBLISHED).verdict == HOLDS
    assert relief_improves(Made(poor), AS_PUBLISHED).verdict == HOLDS
    assert relief_one_poor(Made(cells(1.0)), AS_PUBLISHED).verdict == FAILS
    assert relief_improves(Made(cells(1.0)), AS_PUBLISHED).verdict == FAILS


def test_support_vector_machine():
    knn = cells(1.0).assign(knn=1.0)
    assert machine_lower(Made(machine=knn.assign(accuracy=0.9))).verdict == HOLDS
    assert machine_lower(Made(machine=knn)).verdict == FAILS
    mixed = knn.assign(accuracy=np.where(np.arange(len(knn)) == 3, 1.01, 0.9))
    assert machine_lower(Made(machine=mixed)).verdict == IN_PART


def test_transition():
    grid = tuple(np.geomspace(0.1, 100, 40))

    def step(at, width):
        return lambda m, p, k: 1.0 - 0.5 / (1 + (at / max(p, 1e-9)) ** width)

    sharp = cells(step(3.0, 8), penalties=(0.0, *grid), ks=(5,))
    found = slope(sharp[sharp["method"] == "jmi"].set_index("penalty")["accuracy"])
    # A logistic in log λ of steepness 8 goes from 10 % to 90 % within exp(2 ln 9 / 8).
    assert found["ends"] / found["begins"] == pytest.approx(81 ** (1 / 8), rel=0.35)
    assert sharp_transition(Made(sharp), AS_PUBLISHED).verdict == HOLDS
    slow = cells(step(3.0, 1), penalties=(0.0, *grid), ks=(5,))
    assert sharp_transition(Made(slow), AS_PUBLISHED).verdict == FAILS
    assert sharp_transition(Made(cells(1.0)), AS_PUBLISHED).verdict == FAILS


def test_saving_by_a_penalty():
    cheaper = cells(1.0, cost=lambda m, p, k: 1.0 if p else 3.0)
    assert penalty_saves(Made(cheaper), AS_PUBLISHED).verdict == HOLDS
    worse = cells(lambda m, p, k: 0.7 if p else 1.0, cost=lambda m, p, k: 1.0 if p else 3.0)
    assert penalty_saves(Made(worse), AS_PUBLISHED).verdict == FAILS


def test_clustering():
    others = [f"f{i}" for i in range(20)]
    both = ["transitivity", "clustering_mean"]

    def falls(method, penalty):
        return both + others if penalty < 200 else others + both

    assert clustering_falls(Made(rankings=rankings(falls)), AS_PUBLISHED).verdict == HOLDS
    stays = Made(rankings=rankings(lambda m, p: both + others))
    assert clustering_falls(stays, AS_PUBLISHED).verdict == FAILS


def test_costs_span():
    wide = Made(costs=paper_cost_model("ba"))
    assert costs_span(wide, AS_PUBLISHED).verdict == HOLDS
    narrow = Made(costs=paper_cost_model("ba").only(["transitivity", "n_triangles"]))
    assert costs_span(narrow, AS_PUBLISHED).verdict == FAILS


def pilots(power=1.8, accuracy=1.0):
    n = np.array([100, 300, 1000])
    costs = pd.DataFrame({"n": n, "seconds": 1e-6 * n**power, "seconds_se": 1e-9 * n**power})
    frame = pd.concat(
        [cells(accuracy, ks=(1, 2, 5)).assign(n=size, repeat=0) for size in n], ignore_index=True
    )
    return PilotRun(frame, costs, power_of(costs))


def test_pilots():
    assert power_of(pilots(1.5).costs)["exponent"] == pytest.approx(1.5)
    assert superlinear(pilots(1.8)).verdict == HOLDS
    assert superlinear(pilots(0.9)).verdict == FAILS
    assert saving(pilots(1.8), 57).verdict == HOLDS
    assert saving(pilots(1.2), 57).verdict == IN_PART
    assert saving(pilots(0.5), 57).verdict == FAILS
    assert two_are_enough(pilots()).verdict == HOLDS
    assert two_are_enough(pilots(accuracy=0.9)).verdict == FAILS
    poor = pilots(accuracy=lambda m, p, k: 0.5 if k == 1 and m in RELIEFS else 1.0)
    assert one_poor_for_relief(poor).verdict == HOLDS
    assert one_poor_for_relief(pilots()).verdict == FAILS
    assert one_varies_for_forests(pilots()).verdict == FAILS
    rng = np.random.default_rng(1)
    varying = pilots(accuracy=lambda m, p, k: rng.uniform(0.5, 1) if m in FORESTS else 1.0)
    assert one_varies_for_forests(varying).verdict == HOLDS


def answers(**changes):
    told = {
        "ks": 0.99, "ks_interval": [0.985, 0.995], "ks_p_value": 0.0, "lonelier": 0.001,
        "distance_correlation": [0.9, 0.95], "votes": {"dmc": 0.0, "dmr": 10.0},
        "lonelier_by_model": {"dmc": 0.5, "dmr": 0.001},
    }  # fmt: skip
    return dict.fromkeys(("ito2001", "yu2008", "uetz2000"), told | changes)


def test_yeast():
    assert separated(answers()).verdict == HOLDS
    assert separated(answers(ks=0.9)).verdict == FAILS
    assert faithful(answers()).verdict == HOLDS
    assert faithful(answers(distance_correlation=[0.5, 0.9])).verdict == FAILS
    assert prefers_dmr(answers()).verdict == HOLDS
    assert prefers_dmr(answers(votes={"dmr": 6.0})).verdict == IN_PART
    assert prefers_dmr(answers(votes={"dmr": 2.0})).verdict == FAILS
    assert at_the_edge(answers()).verdict == HOLDS
    assert at_the_edge(answers(lonelier=0.05)).verdict == IN_PART
    assert at_the_edge(answers(lonelier=0.5)).verdict == FAILS
    assert same_five(PAPERS_FIVE[::-1]).verdict == HOLDS
    assert same_five((*PAPERS_FIVE[:3], "a", "b")).verdict == IN_PART
    assert same_five(("a", "b", "c", "d", "transitivity")).verdict == FAILS
    assert transitivity_first(["transitivity", "a"]).verdict == HOLDS
    assert transitivity_first(["a", "transitivity"]).verdict == IN_PART


def test_cost_falls():
    falls = cells(1.0, cost=lambda m, p, k: 100.0 if p < 200 else 1.0)
    assert cost_falls(Made(falls), AS_PUBLISHED).verdict == HOLDS
    little = cells(1.0, cost=lambda m, p, k: 100.0 if p < 200 else 50.0)
    assert cost_falls(Made(little), AS_PUBLISHED).verdict == IN_PART
    assert cost_falls(Made(cells(1.0)), AS_PUBLISHED).verdict == FAILS


def test_hours(space):
    needed = 5000 * space.test.costs.cost_of_set(space.test.features, "shared") / 3600
    assert table_takes_hours(space, needed).verdict == HOLDS
    assert table_takes_hours(space, 5.2).verdict == FAILS


def test_the_kept_verdict_is_of_the_claims_that_stand():
    """docs/reproduction: made by this list of claims, from these criteria."""
    kept = Path(__file__).resolve().parents[1] / "docs" / "reproduction"
    record = json.loads((kept / "reproduction.json").read_text())
    assert record["scale"] == "paper"
    assert [row["claim"] for row in record["claims"]] == [claim.name for claim in CLAIMS]
    for row, claim in zip(record["claims"], CLAIMS, strict=True):
        assert (row["words"], row["criterion"]) == (claim.words, claim.criterion)
    about = {key: value for key, value in record.items() if key != "claims"}
    assert as_markdown(record["claims"], about) == (kept / "verdict.md").read_text()
