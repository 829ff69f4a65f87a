"""The summary of a cohort, against cohorts counted by hand."""

import json

import numpy as np
import pandas as pd
import pytest
from cohort_frames import REFERENCE, answers_by_hand, as_cohort, random_answers, summary_of
from scipy.stats import false_discovery_control, kruskal, spearmanr

from netchoice.choice.cohort_summary import cohort_lines, outcomes
from netchoice.inference.wilson_interval import wilson


@pytest.fixture(scope="module")
def record():
    return summary_of(answers_by_hand(), seed=3)


def counts(verdicts):
    return {kind: found["n"] for kind, found in verdicts.items()}


class TestColumns:
    def test_covariates_are_the_columns_that_are_no_part_of_answers(self):
        cohort = as_cohort(random_answers(5).assign(probability_of_rain=0.5))
        assert cohort.models == ("dmc", "dmr")
        assert [tuple(each) for each in cohort.parameters] == [("dmc", "p_new"), ("dmr", "p_new")]
        assert cohort.covariates == ("age", "tissue", "probability_of_rain")

    def test_texts_and_p_values_may_be_missing(self):
        optional = ["group", "notes", "reference", "probable", "family"]
        cohort = as_cohort(answers_by_hand().drop(columns=optional))
        assert cohort.groups == []
        assert cohort.covariates == ("age",)
        assert cohort.none_fits_p.tolist()[:4] == [0.4, 0.5, 0.3, 0.002]
        assert np.isnan(cohort.none_fits_p.iloc[-1])


class TestCounts:
    def test_verdicts_are_counted_with_intervals(self, record):
        found = record["verdicts"]
        assert (record["networks"], record["answered"]) == (9, 8)
        expected = {"one-fits": 3, "several-fit": 1, "borderline": 1, "none-fits": 2, "open": 1}
        assert counts(found["all"]) == expected
        assert found["all"]["none-fits"]["interval"] == list(wilson(2 / 8, 8))
        assert record["groups"] == ["yeast", "human", "no group"]
        assert counts(found["by_group"]["yeast"]) == dict.fromkeys(expected, 0) | {
            "one-fits": 2, "several-fit": 1
        }  # fmt: skip
        assert found["by_group"]["human"]["none-fits"] == {
            "n": 2, "of": 3, "share": 2 / 3, "interval": list(wilson(2 / 3, 3))
        }  # fmt: skip

    def test_outcome_is_the_named_model_the_family_or_the_verdict(self, record):
        found = outcomes(as_cohort(answers_by_hand()))
        assert found.tolist() == [
            "dmc", "dmc", "several families", "none-fits", "none-fits", "borderline", "lpa", "open"
        ]  # fmt: skip
        assert record["probable"] == {"dmc": 4, "lpa": 3}
        frame = answers_by_hand()
        frame.loc[2, "family"] = "duplication"
        assert outcomes(as_cohort(frame))[2] == "family duplication"

    def test_headline_says_the_counts_and_the_models(self, record):
        assert record["headline"] == (
            "verdicts of 8 networks: one model fits 3, several models fit 1, borderline 1, none fits 2, "
            "not decided 1"
        )
        assert cohort_lines(record)[:6] == [
            "verdicts of 8 networks:",
            "  one model fits           3 (38%)  dmc 2, lpa 1",
            "  several models fit       1 (12%)  several families 1",
            "  borderline               1 (12%)  lpa 1",
            "  none fits                2 (25%)",
            "  not decided              1 (12%)",
        ]

    def test_lines_are_short_and_say_when_the_false_discovery_rate_decides(self, record):
        lines = cohort_lines(record)
        assert max(map(len, lines)) <= 100
        text = " ".join(line.strip() for line in lines)
        assert "each verdict goes by the p-values of its network" in text
        assert (
            "for the cohort, the false discovery rate decides: none fits 3 (q of at most 0.05"
            in text
        )
        assert lines[-1].startswith("next: ")

    def test_headline_says_the_families_of_networks_that_several_models_fit(self):
        frame = answers_by_hand().head(3).assign(verdict="several-fit")
        assert cohort_lines(summary_of(frame))[1] == (
            "  several models fit      3 (100%)  family duplication 2, several families 1"
        )

    def test_sets_of_simulations_are_counted(self, record):
        sentence = "{} sets of simulations answered"
        assert record["references"] == {REFERENCE: 8}
        assert not any("sets of simulations" in note for note in record["notes"])
        own = answers_by_hand()
        own.loc[:3, "reference"] = "mechanisms, its own simulations"
        notes = summary_of(own)["notes"]
        assert any(note.startswith(sentence.format(5)) for note in notes)

    def test_record_is_json(self, record):
        assert json.loads(json.dumps(record, allow_nan=False)) == record
        assert record["settings"] == {"seed": 3}
        assert record["seconds"] == {"total": 4.0, "median": 0.5}


class TestNoneFits:
    def test_p_value_is_the_largest_and_is_adjusted_over_networks(self, record):
        """A model that never has the density counts as rejected; an open one without a p-value does not."""
        p = [0.4, 0.5, 0.3, 0.002, 0.004, 0.012, 0.7]
        found = record["none_fits"]
        assert found["q_values"][:7] == pytest.approx(false_discovery_control(p))
        assert found["q_values"][7:] == [None, None]
        assert (found["verdicts"], found["rejected"]) == (2, 3)
        assert found["expected_by_chance"] == pytest.approx(0.07)

    def test_limit_is_stated_if_no_network_can_be_rejected(self):
        """One network at the floor 1/1501: rejected among 75, not among 76."""
        sentence = "the smallest p-value is 0.00067"
        for n, rejected in ((75, 1), (76, 0), (1000, 0)):
            frame = random_answers(n).assign(fit_p_dmc=0.9, verdict="one-fits")
            frame.loc[0, ["fit_p_dmc", "fit_p_dmr"]] = 1 / 1501
            found = summary_of(frame)
            assert found["none_fits"]["rejected"] == rejected
            stated = [note for note in found["notes"] if sentence in note]
            assert len(stated) == (0 if rejected else 1)
        assert found["none_fits"]["fewest"] == 14
        assert "among 1000 unless at least 14 are rejected together" in stated[0]

    def test_floor_is_the_smallest_p_value_by_default(self, record):
        assert record["none_fits"]["floor"] == 0.001


class TestParameters:
    def test_tests_equal_scipy_and_are_adjusted_together(self):
        frame = random_answers(300, seed=2)
        rows = summary_of(frame)["parameters"]
        found = {(row["model"], row["covariate"]): row for row in rows}
        assert len(found) == 6
        fits = frame["verdict"].isin(["one-fits", "several-fit"])
        for model in ("dmc", "dmr"):
            own = frame[fits & (frame["model"] == model)]
            medians = own[f"{model}_p_new_median"]
            rho, p = spearmanr(medians, own["age"])
            age = found[model, "age"]
            assert (age["rho"], age["p_value"], age["n"]) == pytest.approx((rho, p, len(own)))
            for column in ("group", "tissue"):
                expected = kruskal(*(values for _, values in medians.groupby(own[column]))).pvalue
                assert found[model, column]["p_value"] == pytest.approx(expected)
        assert found["dmc", "age"]["q_value"] < 0.001 < found["dmr", "age"]["q_value"]
        p_values = [row["p_value"] for row in rows]
        assert p_values == sorted(p_values)
        adjusted = false_discovery_control(p_values)
        assert [row["q_value"] for row in rows] == pytest.approx(adjusted)

    def test_medians_of_levels_are_those_of_the_networks(self):
        frame = random_answers(60, seed=1)
        rows = summary_of(frame)["parameters"]
        row = next(row for row in rows if (row["model"], row["covariate"]) == ("dmc", "tissue"))
        own = frame[(frame["model"] == "dmc") & frame["verdict"].isin(["one-fits", "several-fit"])]
        expected = own.groupby("tissue")["dmc_p_new_median"].median().to_dict()
        assert row["medians"] == pytest.approx(expected)

    def test_network_whose_most_probable_model_is_borderline_does_not_count(self):
        frame = random_answers(60, seed=1)
        before = summary_of(frame)["parameters"]
        frame.loc[frame["verdict"] == "several-fit", "state_dmc"] = "borderline"
        n_lost = ((frame["verdict"] == "several-fit") & (frame["model"] == "dmc")).sum()
        after = summary_of(frame)["parameters"]
        numbers = [
            sum(row["n"] for row in rows if (row["model"], row["covariate"]) == ("dmc", "age"))
            for rows in (before, after)
        ]
        assert n_lost > 0
        assert numbers[1] == numbers[0] - n_lost

    def test_few_networks_constant_covariates_and_identifiers_are_not_tested(self):
        frame = random_answers(90).assign(constant=1.0, sample=[f"s{i}" for i in range(90)])
        frame.loc[frame["model"] == "dmr", "verdict"] = "none-fits"
        found = summary_of(frame)
        assert found["parameters_skipped"] == ["dmr p_new"]
        assert {row["covariate"] for row in found["parameters"]} == {"group", "age", "tissue"}
        assert any("medians" in note for note in found["notes"])

    def test_missing_values_of_a_covariate_are_left_out(self):
        frame = random_answers(80, seed=4)
        frame.loc[:30, "age"] = np.nan
        frame.loc[:30, "tissue"] = None
        rows = summary_of(frame)["parameters"]
        own = frame[frame["verdict"].isin(["one-fits", "several-fit"])]["model"]
        for row in rows:
            n = (own if row["covariate"] == "group" else own.loc[31:]).eq(row["model"]).sum()
            assert row["n"] == n, row


class TestErrors:
    def test_most_frequent_error_has_an_example(self):
        failed = pd.DataFrame({"id": list("wx"), "error": ["61 nodes are few", "75 nodes are few"]})
        found = summary_of(pd.concat([answers_by_hand(), failed], ignore_index=True))
        assert found["notes"][0] == (
            "not answered: 3 of 11 networks, for example w: 61 nodes are few"
        )

    def test_errors_are_grouped_by_reason(self):
        frame = pd.concat([answers_by_hand()] * 2, ignore_index=True)
        texts = ["x/y.tsv: 7 nodes; expected at least 10", "z 1.csv: line 7 is 'a b'",
                 "q.csv: line 12 is 'c'", "n4: out of memory"]  # fmt: skip
        failed = pd.DataFrame({"id": ["n1", "n2", "n3", "n4"], "error": texts})
        errors = summary_of(pd.concat([frame, failed], ignore_index=True))["errors"]
        found = {error["reason"]: error["n"] for error in errors}
        assert next(iter(found.items())) == ("…: … nodes; expected at least …", 3)
        assert found == {
            "…: … nodes; expected at least …": 3,
            "z …: line … is …": 1,
            "…: line … is …": 1,
            "out of memory": 1,
        }
        assert errors[0]["examples"][0] == {
            "id": "d1", "error": "d1.tsv: 3 nodes; expected at least 10"
        }  # fmt: skip

    def test_cohort_without_any_answer(self):
        frame = pd.DataFrame(
            {"id": ["a", "b"], "verdict": "", "model": "", "error": "no such file"}
        )
        found = summary_of(frame)
        assert found["headline"] == "no network was answered"
        assert (found["answered"], found["errors"][0]["n"]) == (0, 2)
        assert found["none_fits"]["q_values"] == [None, None]
        assert found["none_fits"]["limit"] is None
        json.dumps(found, allow_nan=False)
