"""CostModel: costs alone and shared, files of costs, and refused input."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netchoice.costs import CostError, CostModel


@pytest.fixture
def lab():
    return CostModel(
        own={"glucose": 2, "sodium": 3, "ratio": 0.5, "x-ray": 40},
        uses={
            "glucose": ["blood", "visit"],
            "sodium": ["blood", "visit"],
            "ratio": ["glucose", "sodium", "blood", "visit"],
            "x-ray": ["visit"],
        },
        steps={"blood": 10, "visit": 20},
    )


def test_set_pays_for_shared_steps_once_or_for_each_feature(lab):
    assert lab.cost("glucose") == 32
    assert lab.cost("ratio") == 35.5  # includes the two features that it uses
    both = ["glucose", "sodium"]
    assert lab.cost_of_set(both) == 32 + 33
    assert lab.cost_of_set(both, "shared") == 2 + 3 + 10 + 20
    assert lab.cost_of_set([*both, "ratio"], "shared") == 35.5
    assert lab.cost_of_set([]) == 0
    assert lab.cost_of_set(["x-ray", "x-ray"]) == 60


def test_marginal_cost_leaves_out_what_is_already_paid(lab):
    assert lab.marginal_cost("sodium", ["glucose"]) == 33
    assert lab.marginal_cost("sodium", ["glucose"], "shared") == 3
    assert lab.marginal_cost("ratio", ["glucose", "sodium"], "shared") == 0.5
    assert lab.marginal_cost("glucose", ["ratio"], "shared") == 0  # paid with the ratio
    assert lab.marginal_cost("glucose", ["glucose"]) == 0
    assert lab.marginal_cost("x-ray", [], "shared") == 60


def test_shares_divide_by_the_sum_of_costs_alone(lab):
    shares = lab.alone(scale="share")
    assert sum(shares.values()) == pytest.approx(1)
    assert shares["x-ray"] == pytest.approx(60 / (32 + 33 + 35.5 + 60))
    shares_of_two = lab.alone(["glucose", "x-ray"], "share")
    assert shares_of_two == {"glucose": 32 / 92, "x-ray": 60 / 92}
    scaled = lab.scaled(["glucose", "x-ray"])
    assert scaled.cost("glucose") == pytest.approx(32 / 92)
    # shares divide by the sum of costs alone also where sets are charged as shared
    assert scaled.cost_of_set(["glucose", "x-ray"], "shared") == pytest.approx((2 + 40 + 30) / 92)
    free = CostModel({"a": 0, "b": 0})
    assert free.scaled() == free
    assert free.alone(scale="share") == {"a": 0, "b": 0}


@given(
    st.lists(st.floats(0, 1e6), min_size=3, max_size=3),
    st.lists(st.sets(st.sampled_from("xyz")), min_size=3, max_size=3),
    st.lists(st.floats(0, 1e6), min_size=3, max_size=3),
)
def test_marginal_costs_add_up_to_the_shared_cost(own, uses, steps):
    names = ["a", "b", "c"]
    model = CostModel(
        dict(zip(names, own, strict=True)),
        dict(zip(names, uses, strict=True)),
        dict(zip("xyz", steps, strict=True)),
    )
    shared = model.cost_of_set(names, "shared")
    used = set().union(*uses)
    expected = sum(own) + sum(c for s, c in zip("xyz", steps, strict=True) if s in used)
    assert shared == pytest.approx(expected)
    assert shared <= model.cost_of_set(names) * (1 + 1e-12)
    one_by_one = [model.marginal_cost(n, names[:i], "shared") for i, n in enumerate(names)]
    assert sum(one_by_one) == pytest.approx(shared)


@pytest.mark.parametrize("cost", [math.nan, math.inf, -math.inf, -1e-9, "expensive", None, [1]])
def test_invalid_costs_are_refused_by_name(cost):
    with pytest.raises(CostError, match="the cost of 'b' is"):
        CostModel({"a": 1, "b": cost})
    with pytest.raises(CostError, match="the cost of 'sample' is"):
        CostModel({"a": 1}, {"a": ["sample"]}, {"sample": cost})


def test_inconsistent_models_are_refused():
    with pytest.raises(CostError, match="'a' uses 'x', which has no cost"):
        CostModel({"a": 1}, {"a": ["x"]})
    with pytest.raises(CostError, match="'a' uses itself"):
        CostModel({"a": 1}, {"a": ["a"]})
    with pytest.raises(CostError, match="`uses` names 'b', which is not a feature"):
        CostModel({"a": 1}, {"b": []})
    with pytest.raises(CostError, match="is both a feature and a shared step"):
        CostModel({"a": 1}, {}, {"a": 1})
    with pytest.raises(CostError, match="feature 'z' has no cost; known features: a"):
        CostModel({"a": 1}).cost("z")
    with pytest.raises(CostError, match="`charge` must be 'alone' or 'shared'; got 'twice'"):
        CostModel({"a": 1}).cost_of_set(["a"], "twice")
    with pytest.raises(CostError, match="2 costs for 3 features"):
        CostModel.of([1, 2], ["a", "b", "c"])
    with pytest.raises(CostError, match="2 costs for no features"):
        CostModel.of([1, 2])


def test_conversions_and_restrictions(lab):
    assert CostModel.of(lab) is lab
    assert CostModel.of({"a": 1, "b": 2}).alone() == {"a": 1, "b": 2}
    assert CostModel.of(np.array([1.5, 2]), ["a", "b"]).cost("a") == 1.5
    assert CostModel(**json.loads(json.dumps(lab.as_dict()))) == lab
    assert lab.only(["ratio"]).features == ["glucose", "sodium", "ratio"]
    assert lab.only(["x-ray"]).steps == {"visit": 20}
    assert lab.times(2).cost("glucose") == 64
    assert repr(lab) == "<CostModel: 4 features, 4 shared steps>"


def test_costs_are_read_from_csv_and_json(tmp_path, lab):
    csv, flat, full = (tmp_path / name for name in ("p.csv", "flat.json", "full.json"))
    csv.write_text("\ufeffglucose,2,blood sample; tube\n\nblood sample,10\n tube , 1 \nage,0,\n")
    model = CostModel.from_file(csv)
    assert (model.cost("glucose"), model.cost("age")) == (13, 0)
    flat.write_text('{"glucose": 2, "own": 3}')
    assert CostModel.from_file(flat).alone() == {"glucose": 2, "own": 3}
    full.write_text(json.dumps(lab.as_dict()))
    assert CostModel.from_file(full) == lab


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("p.csv", "a,1\nb\n", "line 2 has 1 cells; expected a name, a cost"),
        ("p.csv", "a,1\na,2\n", "line 2: a second cost for 'a'"),
        ("p.csv", "a,1\nb,much\n", "the cost of 'b' is 'much'"),
        ("p.csv", "a,1,tube\n", "'a' uses 'tube', which has no cost"),
        ("p.csv", "name,cost\n", "contains no costs"),
        ("p.csv", b"\xff\xfe\x00", "it is not a text file"),
        ("p.json", "{", "cannot be read as JSON"),
        ("p.json", "[1]", "holds a list; expected an object"),
        ("q.csv", None, "cannot be read as costs: No such file"),
    ],
)
def test_invalid_files_are_refused(name, text, message, tmp_path):
    path = tmp_path / name
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(CostError, match=message):
        CostModel.from_file(path)


def test_uses_are_transitive():
    lab = CostModel(
        {"glucose": 2, "sodium": 3, "ratio": 0.5},
        {"glucose": "blood", "sodium": ["blood"], "ratio": ["glucose", "sodium"]},
        {"blood": 10},
    )
    assert lab.cost("ratio") == 15.5
    assert lab.marginal_cost("ratio", ["glucose"], "shared") == 3.5
    with pytest.raises(CostError, match="'a' uses itself, directly or through other features"):
        CostModel({"a": 1, "b": 1}, {"a": ["b"], "b": ["a"]})
    with pytest.raises(CostError, match="`uses` must be a mapping from features to shared steps"):
        CostModel({"a": 1}, ["a"])
    with pytest.raises(CostError, match="expected at most 1e"):
        CostModel({"a": 1e200})
    assert CostModel({"a": 1e-320, "b": 1e-320}).scaled().cost("a") == pytest.approx(0.5, rel=0.1)


@pytest.mark.parametrize("cost", ["12 EUR", '"2,50"', ""])
def test_invalid_cost_in_the_first_line_is_not_a_header(cost, tmp_path):
    path = tmp_path / "p.csv"
    path.write_text(f"glucose,{cost}\nsodium,3\n")
    with pytest.raises(CostError, match="the cost of 'glucose'"):
        CostModel.from_file(path)
