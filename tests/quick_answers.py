"""Answers that take about a second: few simulations, few features, small networks."""

import numpy as np

import netchoice
from netchoice.storage.records import to_record

#: Enough simulations to accept or reject models of small networks; nothing is measured or drawn.
QUICK = netchoice.Effort(
    screened=150, trained=150, altered=150, most=400, inferred=200, held_out=0, shown=0
)
FEW = ["degree_mean", "degree_std", "transitivity", "n_triangles", "core_2_size"]
SERIAL = {"engine": "serial", "workers": 1, "on_progress": False}


def grown(name, n_nodes=30, seed=1, **parameters):
    """Return a network of a built-in model."""
    model, rng = netchoice.get_model(name), np.random.default_rng(seed)
    return model.grow(n_nodes, parameters or model.sample(rng), rng)


def choose(graph, space="ba", **options):
    """Return the answer for a network."""
    defaults = {"effort": QUICK, "features": FEW, **SERIAL}
    return netchoice.choose_model(graph, space, **{**defaults, **options})


def facts(answer):
    """Return everything that an answer says, without costs and times."""
    record = answer.as_dict() | {"cost": None, "evidence": to_record(answer.evidence)}
    return record | {"features": [each | {"cost": None} for each in record["features"]]}
