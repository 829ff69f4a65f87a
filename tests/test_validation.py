"""Checks of arguments: what they accept, what they refuse, and the message."""

import math
from fractions import Fraction

import numpy as np
import pytest

from netchoice.errors import UsageError, one_line
from netchoice.validation import (
    check_choice,
    check_fraction,
    check_generator,
    check_integer,
    check_non_negative,
    check_positive,
)

NO_NUMBERS = [None, "1", True, False, 1j, [1], np.array([1])]
TOO_LARGE = 10**400  # for a float
NOT_FINITE = [math.inf, -math.inf, math.nan]


@pytest.mark.parametrize("value", [1, 5, 5.0, np.int64(5), np.float64(5), Fraction(5), 10**30])
def test_integer_is_returned_as_int(value):
    checked = check_integer("folds", value)
    assert checked == value
    assert type(checked) is int


@pytest.mark.parametrize(
    "value", [0, -1, 0.5, 2.5, np.int64(0), *NOT_FINITE, *NO_NUMBERS, TOO_LARGE]
)
def test_other_values_are_no_integer_of_at_least_1(value):
    with pytest.raises(UsageError) as raised:
        check_integer("folds", value)
    assert (
        str(raised.value)
        == f"`folds` must be an integer of at least 1; got {one_line(repr(value), 100)}"
    )


def test_bounds_of_an_integer_are_included():
    assert check_integer("seed", 0, 0) == 0
    assert [check_integer("k", k, 2, 4) for k in (2, 3, 4)] == [2, 3, 4]
    for k in (1, 5):
        with pytest.raises(UsageError) as raised:
            check_integer("k", k, 2, 4)
        assert str(raised.value) == f"`k` must be an integer from 2 to 4; got {k}"
    with pytest.raises(UsageError, match="`seed` must be an integer of at least 0; got -1"):
        check_integer("seed", -1, 0)


@pytest.mark.parametrize("value", [0.5, 1e-300, 1 - 1e-12, np.float64(0.5), Fraction(1, 3)])
def test_fraction_is_returned_as_float(value):
    checked = check_fraction("coverage", value)
    assert checked == float(value)
    assert type(checked) is float


@pytest.mark.parametrize("value", [0, 1, 0.0, 1.0, -0.1, 95, *NOT_FINITE, *NO_NUMBERS, TOO_LARGE])
def test_other_values_are_no_fraction(value):
    with pytest.raises(UsageError) as raised:
        check_fraction("coverage", value)
    assert (
        str(raised.value)
        == f"`coverage` must be a number between 0 and 1; got {one_line(repr(value), 100)}"
    )


@pytest.mark.parametrize("value", [1, 60, 1e-300, 1e300, np.int64(2), Fraction(1, 2)])
@pytest.mark.parametrize("check", [check_positive, check_non_negative])
def test_positive_number_is_returned_as_float(check, value):
    checked = check("time_limit", value)
    assert checked == float(value)
    assert type(checked) is float


@pytest.mark.parametrize("value", [0, 0.0, -1, -1e-300, *NOT_FINITE, *NO_NUMBERS, TOO_LARGE])
def test_other_values_are_no_positive_number(value):
    with pytest.raises(UsageError) as raised:
        check_positive("time_limit", value)
    assert (
        str(raised.value)
        == f"`time_limit` must be a positive number; got {one_line(repr(value), 100)}"
    )


@pytest.mark.parametrize("value", [-1, -1e-300, *NOT_FINITE, *NO_NUMBERS, TOO_LARGE])
def test_other_values_are_no_non_negative_number(value):
    with pytest.raises(UsageError) as raised:
        check_non_negative("penalty", value)
    assert (
        str(raised.value)
        == f"`penalty` must be a non-negative number; got {one_line(repr(value), 100)}"
    )


def test_zero_is_non_negative():
    assert check_non_negative("penalty", 0) == 0
    assert type(check_non_negative("penalty", np.int64(0))) is float


def test_allowed_string_is_returned():
    assert check_choice("charge", "shared", ("alone", "shared")) == "shared"
    assert check_choice("inference", "forest", {"forest": 1}) == "forest"


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        (("alone",), "'alone'"),
        (("alone", "shared"), "'alone' or 'shared'"),
        (("auto", "classes", "numbers"), "'auto', 'classes' or 'numbers'"),
    ],
)
@pytest.mark.parametrize("value", ["both", "", "ALONE", None, 1, ["alone"], ("alone", "shared")])
def test_other_values_are_not_allowed(value, allowed, expected):
    with pytest.raises(UsageError) as raised:
        check_choice("charge", value, allowed)
    assert str(raised.value) == f"`charge` must be {expected}; got {one_line(repr(value), 100)}"


def test_only_a_numpy_generator_is_a_generator():
    assert check_generator("rng", np.random.default_rng(1)) is None
    for value in (None, 1, "1", np.random.default_rng):
        with pytest.raises(UsageError) as raised:
            check_generator("rng", value)
        assert str(raised.value) == (
            f"`rng` must be a generator such as numpy.random.default_rng(1); got {one_line(repr(value), 100)}"
        )
