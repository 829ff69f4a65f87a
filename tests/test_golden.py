"""The same seed and given costs give the answers that are kept in ``tests/golden``."""

import golden_runs
from fast_and_slow import fast_for


@fast_for("name", golden_runs.FAST, list(golden_runs.RUNS))
def test_answer_is_the_kept_one(name):
    found = list(golden_runs.differences(golden_runs.kept(name), golden_runs.run(name)))
    assert not found, "\n".join(found[:20])
