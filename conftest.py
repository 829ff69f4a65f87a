"""Settings of all tests and doctests."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory):
    """Use a cache of this test run only, and let commands raise unexpected errors."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NETCHOICE_DEBUG", "1")
        patch.setenv("NETCHOICE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session", autouse=True)
def rough_costs():
    """Repeat a short computation three times to measure its cost, instead of for 2 milliseconds.

    In tables of small networks these repetitions take longer than everything else.
    """
    from netchoice.features import computation

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(computation, "_REPEAT_SECONDS", 0.0)
        yield


#: Examples of functions that draw or report whole results, which they make first.
SLOW_EXAMPLES = (
    "drawings.draw_answer",
    "references.References",
    "reported.report_answer",
    "build.report_cohort",
    "build.write_report",
    "experiments.reproduce",
)


def pytest_collection_modifyitems(items):
    """Mark examples in docstrings that take seconds as slow."""
    for item in items:
        if item.name.endswith(SLOW_EXAMPLES):
            item.add_marker(pytest.mark.slow)
