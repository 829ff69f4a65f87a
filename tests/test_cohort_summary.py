"""The summary of a cohort, against cohorts counted by hand."""

import json

import numpy as np
import pandas as pd
import pytest
from cohort_frames import answers_by_hand, random_answers
from scipy.stats import false_discovery_control, kruskal, spearmanr

from netchoice.errors import UsageError
from netchoice.evaluation import wilson
from netchoice.workflows import summarise_cohort
from netchoice.workflows.answer_rows import CohortFrame


@pytest.fixture(scope="module")
def record():
    return summarise_cohort(answers_by_hand(), settings={"seed": 3})


def counts(verdicts):
    return {kind: found["n"] for kind, found in verdicts.items()}


class TestColumns:
    def test_models_parameters_and_covariates_are_recognised(self):
        answers = CohortFrame.of(random_answers(5).assign(probability_of_rain=0.5, none_fits_q=1))
        assert answers.models == ("dmc", "dmr")
        assert [tuple(each) for each in answers.parameters] == [("dmc", "p_new"), ("dmr", "p_new")]
        assert answers.covariates == ("age", "tissue", "probability_of_rain")
        assert [answers.is_number(name) for name in answers.covariates] == [True, False, True]

    def test_parameter_belongs_to_the_model_with_the_longest_name(self):
        frame = random_answers(3)
        longer = {name: name.replace("dmr", "dmc_2") for name in frame if "dmr" in name}
        answers = CohortFrame.of(frame.rename(columns=longer))
        assert [tuple(each) for each in answers.parameters] == [
            ("dmc", "p_new"),
            ("dmc_2", "p_new"),
        ]

    def test_columns_may_be_missing_or_hold_empty_texts(self):
        frame = answers_by_hand().drop(columns=["group", "notes", "chooser"]).astype(object)
        answers = CohortFrame.of(frame.where(frame.notna(), ""))
        assert answers.groups == []
        assert answers.none_fits_p.tolist()[:4] == [0.4, 0.5, 0.3, 0.002]
        assert np.isnan(answers.none_fits_p.iloc[-1])

    @pytest.mark.parametrize(
        ("frame", "message"),
        [
            (answers_by_hand().drop(columns="verdict"), "without the columns verdict"),
            (answers_by_hand().head(0), "at least one network"),
            (answers_by_hand().assign(verdict="fits"), "the first is 'a1' with the verdict 'fits'"),
        ],
    )
    def test_bad_answers_are_refused(self, frame, message):
        with pytest.raises(UsageError, match=message):
            CohortFrame.of(frame)


class TestCounts:
    def test_verdicts_are_counted_with_intervals(self, record):
        found = record["verdicts"]
        assert (record["networks"], record["answered"]) == (8, 7)
        expected = {"one-fits": 3, "several-fit": 1, "undetermined": 1, "none-fits": 2}
        assert counts(found["all"]) == expected
        assert found["all"]["none-fits"]["interval"] == list(wilson(2 / 7, 7))
        assert record["groups"] == ["yeast", "human", "no group"]
        assert counts(found["by_group"]["yeast"]) == expected | {
            "one-fits": 2, "undetermined": 0, "none-fits": 0
        }  # fmt: skip
        assert found["by_group"]["human"]["none-fits"] == {
            "n": 2, "of": 3, "share": 2 / 3, "interval": list(wilson(2 / 3, 3))
        }  # fmt: skip

    def test_model_is_named_only_if_it_fits(self, record):
        assert record["named"]["all"] == {
            "dmc": {"one-fits": 2, "several-fit": 0},
            "dmr": {"one-fits": 1, "several-fit": 1},
        }
        assert record["named"]["by_group"]["human"]["dmc"] == {"one-fits": 0, "several-fit": 0}

    def test_headline_says_the_counts(self, record):
        assert record["headline"] == (
            "of 7 networks: one model fits 3 (43%) and is clearly the most probable; several models fit "
            "1 (14%); the models cannot be distinguished for 1 (14%); none of these models fits 2 (29%)"
        )

    def test_record_is_json(self, record):
        assert json.loads(json.dumps(record, allow_nan=False)) == record
        assert record["settings"] == {"seed": 3}
        assert record["seconds"] == {"total": 3.5, "median": 0.5}


class TestNoneFits:
    def test_p_value_is_the_largest_and_is_adjusted_over_networks(self, record):
        p = [0.4, 0.5, 0.3, 0.002, 0.008, 0.6, 0.7]
        assert record["none_fits"]["q_values"][:7] == pytest.approx(false_discovery_control(p))
        assert record["none_fits"]["q_values"][7] is None
        assert (record["none_fits"]["verdicts"], record["none_fits"]["rejected"]) == (2, 2)
        assert record["none_fits"]["expected_by_chance"] == pytest.approx(0.07)

    def test_networks_that_no_model_fits_are_listed_with_their_notes(self, record):
        first, second = record["none_fits"]["networks"]
        assert (first["id"], first["nearest"], first["p_value"]) == ("b1", "dmc", 0.002)
        assert first["notes"] == ["small", "sparse"]
        assert (second["id"], second["notes"]) == ("b2", [])

    def test_limit_is_stated_if_no_network_can_be_rejected(self):
        """One network at the floor 1/1501: rejected among 75, not among 76."""
        sentence = "no p-value can be below 0.00067"
        for n, rejected in ((75, 1), (76, 0), (1000, 0)):
            frame = random_answers(n).assign(fit_p_dmc=0.9, verdict="one-fits")
            frame.loc[0, ["fit_p_dmc", "fit_p_dmr"]] = 1 / 1501
            found = summarise_cohort(frame, floor=1 / 1501)
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
        rows = summarise_cohort(frame)["parameters"]
        found = {(row["model"], row["covariate"]): row for row in rows}
        assert len(found) == 6
        named = frame["verdict"].isin(["one-fits", "several-fit"])
        for model in ("dmc", "dmr"):
            own = frame[named & (frame["model"] == model)]
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
        rows = summarise_cohort(frame)["parameters"]
        row = next(row for row in rows if (row["model"], row["covariate"]) == ("dmc", "tissue"))
        own = frame[(frame["model"] == "dmc") & frame["verdict"].isin(["one-fits", "several-fit"])]
        expected = own.groupby("tissue")["dmc_p_new_median"].median().to_dict()
        assert row["medians"] == pytest.approx(expected)

    def test_few_networks_constant_covariates_and_identifiers_are_not_tested(self):
        frame = random_answers(90).assign(constant=1.0, sample=[f"s{i}" for i in range(90)])
        frame.loc[frame["model"] == "dmr", "verdict"] = "none-fits"
        found = summarise_cohort(frame)
        assert found["parameters_skipped"] == ["dmr p_new"]
        assert {row["covariate"] for row in found["parameters"]} == {"group", "age", "tissue"}
        assert any("not propagated" in note for note in found["notes"])

    def test_missing_values_of_a_covariate_are_left_out(self):
        frame = random_answers(80, seed=4)
        frame.loc[:30, "age"] = np.nan
        frame.loc[:30, "tissue"] = None
        rows = summarise_cohort(frame)["parameters"]
        own = frame[frame["verdict"].isin(["one-fits", "several-fit"])]["model"]
        for row in rows:
            n = (own if row["covariate"] == "group" else own.loc[31:]).eq(row["model"]).sum()
            assert row["n"] == n, row


class TestErrors:
    def test_errors_are_grouped_by_reason(self):
        frame = pd.concat([answers_by_hand()] * 2, ignore_index=True)
        texts = ["x/y.tsv: 7 nodes; expected at least 10", "z 1.csv: line 7 is 'a b'",
                 "q.csv: line 12 is 'c'", "n4: out of memory"]  # fmt: skip
        failed = pd.DataFrame({"id": ["n1", "n2", "n3", "n4"], "error": texts})
        errors = summarise_cohort(pd.concat([frame, failed], ignore_index=True))["errors"]
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
        found = summarise_cohort(frame)
        assert found["headline"] == "no network was answered"
        assert (found["answered"], found["errors"][0]["n"]) == (0, 2)
        assert found["none_fits"]["q_values"] == [None, None]
        assert found["none_fits"]["limit"] is None
        json.dumps(found, allow_nan=False)
