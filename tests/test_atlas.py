"""The atlas: answers that share simulations are those of separate runs, and what is said of a network."""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import netchoice
from netchoice.alterations import swap_edges
from netchoice.choice.cohort import NetworkRows
from netchoice.choice.references import references_of
from netchoice.inference.sequential_test import FITS, REJECTED
from netchoice.io.collection import as_collection

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture(scope="module")
def atlas():
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import atlas
        import atlas_summary

        yield atlas, atlas_summary
    finally:
        sys.path.remove(str(BENCHMARKS))


def test_shared_simulations_change_no_answer(atlas):
    """Two networks of a size with two seeds: the rows of a size are those of four separate answers."""
    space = netchoice.get_space("all").only(["dmr", "lpa", "geometric"])
    rng = np.random.default_rng(3)
    graph = space["dmr"].grow(20, {"p_delete": 0.4, "p_new": 0.5}, rng, isolated="drop")
    networks = as_collection({"one": graph, "other": swap_edges(graph, 5, rng)})
    effort = netchoice.Effort.small()
    references = [
        references_of(None, space, None, None, seed, match=True, isolated=None, effort=effort)
        for seed in (1, 2)
    ]
    row = atlas[0].OneSize(references)(0, list(networks))
    found = {(seed, name): cells for seed, name, cells, _ in json.loads(row.cells["answers"])}
    assert len(found) == 4
    for each in references:
        seed = each.settings.seed
        for source in networks:
            alone = dict(NetworkRows(each)(0, source).cells)
            shared = found[seed, source.id]
            assert alone.pop("own:seconds") != shared.pop("own:seconds")
            assert alone == shared


def test_nothing_is_said_unless_both_seeds_agree(atlas):
    summary = atlas[1]
    models = list(summary.MODELS)

    def answer(states, verdict, p):
        cells = {f"state_{name}": states for name in models} | {
            f"fit_p_{name}": p for name in models
        }
        return cells | {"verdict": verdict}

    fits, rejected = answer(FITS, "several-fit", 0.5), answer(REJECTED, "none-fits", 1e-4)
    screened = answer(REJECTED, "none-fits", np.nan)
    first = pd.DataFrame([fits, rejected, screened, fits])
    second = pd.DataFrame([fits, rejected, screened, rejected])
    said = summary.said([first, second])
    assert said.tolist() == [summary.SEVERAL, summary.NONE, summary.NONE, summary.NOTHING]
    one = first.assign(**{f"state_{name}": REJECTED for name in models if name != "dmr"})
    assert summary.said([one, one])[0] == "duplication"
