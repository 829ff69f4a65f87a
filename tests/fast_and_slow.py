"""Parametrisations with a part in ``make test`` and the rest in ``make test-all``."""

import pytest


def few_or_many(name, few, many):
    """Run a test with a small number, and with a large one as a slow test."""
    return pytest.mark.parametrize(name, [few, pytest.param(many, marks=pytest.mark.slow)])


def fast_for(name, fast, values):
    """Run a test for all values; those that are not listed as fast are slow tests."""
    assert set(fast) <= set(values), "a fast value is unknown"
    slow = (pytest.param(value, marks=pytest.mark.slow) for value in values if value not in fast)
    return pytest.mark.parametrize(name, [*fast, *slow])
