"""``choose_cohort`` and its report: rows of small networks, and what they share."""

import csv
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import netchoice
from netchoice import Graph
from netchoice.choice import Effort, choose_cohort, prepare
from netchoice.choice.cohort import shared_sizes
from netchoice.choice.references import References
from netchoice.choice.settings import Settings
from netchoice.choice.sizes import Size
from netchoice.errors import StoppedError, UsageError
from netchoice.inference.verdict import KINDS
from netchoice.io.collection import NetworkCollection, as_collection
from netchoice.report import report_cohort

SPACE = netchoice.get_space("ba1,ba2")
#: A network that no model fits, and one whose name a spreadsheet would run.
RING, FORMULA = "ring", "=1+1"
OPTIONS = {
    "features": ["degree_max", "transitivity", "lcc_edges"], "effort": Effort.small(), "engine": "serial"
}  # fmt: skip
SHARED, OWN = "ba1, ba2, 30 nodes, isolated nodes dropped", "ba1, ba2, its own simulations"


def networks():
    """Return networks of one size that are enough to share simulations, one of another size, and bad ones."""
    rng = np.random.default_rng(1)
    names = ["ba1", "ba2", "ba1", "ba2"]
    found = {f"{name}-{i}": SPACE[name].grow(30, rng=rng) for i, name in enumerate(names)}
    found[RING] = Graph.from_edges([(i, (i + k) % 30) for i in range(30) for k in (1, 2)])
    found[FORMULA] = SPACE["ba2"].grow(36, rng=rng)
    found |= {"tiny": Graph.from_edges([(0, 1), (1, 2)]), "missing": "no such file"}
    sources = [replace(source, file=f"{source.id}.tsv") for source in as_collection(found)]
    return NetworkCollection([sources], settings="networks")


def same_rows(answers, others):
    """Check that two cohorts have the same answers."""
    frames = [each.frame().drop(columns="seconds") for each in (answers, others)]
    pd.testing.assert_frame_equal(*frames, check_exact=True)
    pd.testing.assert_frame_equal(answers.features(), others.features(), check_exact=True)


@pytest.fixture(scope="module")
def cohort(tmp_path_factory):
    """Return the folder of a cohort with its report, the answers and the summary."""
    folder = tmp_path_factory.mktemp("cohort") / "c"
    return folder, *report_cohort(networks(), SPACE, out=folder, networks=["all.csv"], **OPTIONS)


@pytest.fixture(scope="module")
def references(tmp_path_factory):
    options = OPTIONS | {"out": tmp_path_factory.mktemp("references") / "r"}
    return prepare(SPACE, 30, isolated="drop", **options)


class TestRows:
    def test_each_network_has_its_answer(self, cohort):
        frame = cohort[1].frame().set_index("id")
        grown = [name for name in frame.index if name.startswith("ba")]
        assert frame.loc[grown, "model"].tolist() == [name[:3] for name in grown]
        assert frame.loc[grown, "family"].tolist() == ["attachment"] * 4
        assert set(frame["verdict"].dropna()) <= set(KINDS)
        total = frame.filter(like="probability_").sum(axis=1)
        assert total[grown].tolist() == pytest.approx([1] * 4)
        assert frame.loc[FORMULA, "n_nodes"] == 36

    def test_network_that_no_model_fits_says_how_it_differs(self, cohort):
        row = cohort[1].frame().set_index("id").loc[RING]
        assert (row["verdict"], row["model"], row["probable"]) == ("none-fits", "", "")
        assert (row["state_ba1"], row["state_ba2"]) == ("does not fit", "does not fit")
        assert row["probability_ba1"] == row["probability_ba2"] == 0
        assert row["notes"].startswith("compared with ")

    def test_networks_that_cannot_be_read_or_compared_have_an_error(self, cohort):
        errors = cohort[1].frame().set_index("id")["error"]
        assert cohort[1].n_failed == 2
        assert errors["tiny"].startswith("the network has 3 nodes with edges; expected at least 8")
        assert "no such file" in errors["missing"]
        assert errors.isna().sum() == 6

    def test_networks_of_a_frequent_size_share_simulations(self, cohort):
        found = cohort[1].frame().set_index("id")["reference"]
        assert found.value_counts().to_dict() == {SHARED: 5, OWN: 1}
        assert found[FORMULA] == OWN

    def test_features_have_a_column_for_each_feature(self, cohort):
        features = cohort[1].features().set_index("id")
        assert list(features) == OPTIONS["features"]
        assert features.loc[RING, "lcc_edges"] == 60
        assert features.loc["tiny"].isna().all()

    def test_networks_in_a_range_of_sizes_are_answered_with_named_features(self, tmp_path):
        rng = np.random.default_rng(1)
        several = {str(n): SPACE["ba2"].grow(n, rng=rng) for n in range(41, 46)}
        answers = choose_cohort(several, SPACE, out=tmp_path, **OPTIONS)
        assert answers.n_failed == 0
        assert list(answers.features())[1:] == [*OPTIONS["features"], "n_nodes"]


def test_a_network_that_the_first_round_decides_has_p_values(tmp_path):
    """Without them, the clearest misfits of a cohort would not count for the false discovery rate."""
    ring = Graph.from_edges([(i, (i + k) % 90) for i in range(90) for k in (1, 2, 3)])
    options = {"effort": Effort.small(), "engine": "serial"}
    answers = choose_cohort({RING: ring}, SPACE, out=tmp_path / "c", **options)
    row = answers.frame().iloc[0]
    assert row["verdict"] == "none-fits"
    assert row[["fit_p_ba1", "fit_p_ba2"]].tolist() == pytest.approx([1 / 101, 1 / 101])


class TestRuns:
    def test_resumed_cohort_computes_nothing(self, cohort):
        folder, answers, _ = cohort
        stages = []
        again = choose_cohort(
            networks(), SPACE, out=folder, on_progress=lambda *step: stages.append(step), **OPTIONS
        )
        assert {stage for stage, *_ in stages} == {"sizes"}
        same_rows(answers, again)

    def test_interrupted_cohort_is_resumed(self, cohort, tmp_path):
        def interrupt(stage, done, total, failed):
            if (stage, done) == ("answers", 3):
                raise KeyboardInterrupt

        with pytest.raises(StoppedError, match="stopped after 3 of 8 networks"):
            choose_cohort(networks(), SPACE, out=tmp_path, on_progress=interrupt, **OPTIONS)
        same_rows(cohort[1], choose_cohort(networks(), SPACE, out=tmp_path, **OPTIONS))

    @pytest.mark.slow
    @pytest.mark.parametrize("workers", [1, 2])
    def test_processes_give_the_same_rows(self, cohort, workers, tmp_path):
        options = OPTIONS | {"engine": "processes", "workers": workers}
        same_rows(cohort[1], choose_cohort(networks(), SPACE, out=tmp_path, **options))

    def test_folder_of_another_cohort_is_refused(self, cohort):
        with pytest.raises(UsageError, match="holds a run with another seed"):
            choose_cohort(networks(), SPACE, out=cohort[0], seed=2, **OPTIONS)


class TestPrepared:
    def test_prepared_simulations_give_the_same_rows(self, cohort, references, tmp_path):
        answers = choose_cohort(networks(), out=tmp_path, reference=references, engine="serial")
        found = answers.frame().drop(columns="seconds")
        expected = cohort[1].frame().drop(columns="seconds")
        shared = (expected["reference"] == SHARED).to_numpy()
        pd.testing.assert_frame_equal(found[shared], expected[shared], check_exact=True)
        error = found.loc[found["id"] == FORMULA, "error"].item()
        assert error.startswith("no simulations are prepared for a network with 36 nodes")

    def test_summary_says_what_to_do_about_sizes_that_are_not_prepared(self, references, tmp_path):
        rng = np.random.default_rng(2)
        others = {str(n): SPACE["ba1"].grow(n, rng=rng) for n in (36, 40, 200)}
        answers, record = report_cohort(
            others, out=tmp_path, reference=references.folder, engine="serial"
        )
        assert (answers.n_failed, record["answered"], record["headline"]) == (
            3, 0, "no network was answered"
        )  # fmt: skip
        assert record["notes"][0].startswith("not answered: 3 of 3 networks, for example 36: no")
        assert record["notes"][0].endswith("for example --nodes 27..40")
        assert (tmp_path / "report.html").exists()


class TestReport:
    def test_summary_names_the_models(self, cohort):
        folder, _, record = cohort
        kept = json.loads((folder / "summary.json").read_text())
        assert kept.pop("netchoice")["file"] == "summary.json"
        assert record == kept
        shown = {"report.html", "summary.json", "figures", "tables", "run"}
        assert {path.name for path in folder.iterdir()} == shown
        assert (record["networks"], record["answered"]) == (8, 6)
        assert (
            sum(record["named"]["one-fits"].values()) == record["verdicts"]["all"]["one-fits"]["n"]
        )
        assert record["headline"].endswith("none fits 1")
        assert record["settings"]["networks"] == ["all.csv"]
        assert record["settings"]["effort"]["screened"] == OPTIONS["effort"].screened

    def test_names_of_networks_are_no_formulas_in_csv(self, cohort):
        with open(cohort[0] / "tables" / "none-fits.csv", newline="", encoding="utf-8") as file:
            rows = {row["id"]: row for row in csv.DictReader(file)}
        assert f"'{FORMULA}" in rows
        assert float(rows[RING]["none_fits_q"]) >= float(rows[RING]["none_fits_p"]) > 0
        assert rows["tiny"] == {"id": "tiny", "none_fits_p": "", "none_fits_q": ""}

    def test_networks_are_shown_among_the_simulations_that_they_share(self, cohort):
        figures = {path.name for path in (cohort[0] / "figures").iterdir()}
        assert figures == {"outcomes.png", "map.png"}


class TestSizes:
    @pytest.fixture
    def shared(self):
        def find(numbers, **options):
            paths = [Graph.from_edges([(i, i + 1) for i in range(n - 1)]) for n in numbers]
            references = References(Settings.of("ba", **options))
            return shared_sizes(references, as_collection(paths))

        return find

    def test_few_sizes_are_simulated_as_they_are(self, shared):
        found = shared([30, 40] * 5 + [50] * 4)
        assert found == [Size((30, 30), "drop"), Size((40, 40), "drop")]

    def test_many_sizes_are_simulated_as_ranges_unless_matched(self, shared):
        assert shared(range(41, 61)) == [Size((41, 60), "drop")]
        assert shared(range(41, 61), match=True) == []
