"""What the folder of an answer holds beside the simulations."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netchoice.errors import NetchoiceError
from netchoice.io import write_network

if TYPE_CHECKING:
    from netchoice.inference import Posterior
    from netchoice.workflows.choice import Choice, Evidence

EVIDENCE = "evidence.json"
EVIDENCE_SCHEMA = 1
DIGITS = 6


def write_choice(choice: Choice, folder: Path) -> None:
    """Write the answer, the frames it is based on, and the data of its figures."""
    selection = choice.evidence.selection
    evidence = json.dumps(_evidence(choice.evidence), ensure_ascii=False, allow_nan=False)
    costs = selection.costs.only(selection.table.features).as_dict()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "choice.json").write_text(choice.to_json() + "\n", encoding="utf-8")
        write_network(choice.evidence.graph, folder / "network.tsv")
        choice.confusion.to_csv(folder / "confusion.csv")
        (folder / "costs.json").write_text(json.dumps(costs, indent=2))
        if selection.rankings is not None:
            selection.rankings.to_csv(folder / "rankings.csv", index=False)
        if selection.evaluation is not None:
            joined = selection.evaluation["features"].map(";".join)
            selection.evaluation.assign(features=joined).to_csv(
                folder / "evaluation.csv", index=False
            )
        (folder / EVIDENCE).write_text(evidence + "\n", encoding="utf-8")
        reading = choice.evidence.reading
        if reading is not None:
            (folder / "reading.json").write_text(json.dumps(reading.as_dict(), indent=2) + "\n")
    except OSError as error:
        raise NetchoiceError(f"cannot write to {folder}: {error.strerror}") from error


def _evidence(evidence: Evidence) -> dict[str, Any]:
    """Return what figures show that ``choice.json`` does not hold: points, draws, quantiles."""
    quantiles = evidence.fit.quantiles
    return {
        "schema": EVIDENCE_SCHEMA,
        "embedding": _embedding(evidence),
        "fit": {
            "features": [str(name) for name in quantiles.index],
            "observed": _rounded(evidence.fit_observed[name] for name in quantiles.index),
            "below": {str(model): _rounded(column) for model, column in quantiles.items()},
        },
        "reliability": evidence.held_out.reliability.to_dict("records"),
        "posterior": _posterior(evidence.posterior, evidence.prior_bounds),
    }


def _embedding(evidence: Evidence) -> dict[str, Any]:
    embedding = evidence.embedding
    points = embedding.points
    simulated, network = points[~points["observed"]], points[points["observed"]]
    parameters = evidence.fit_table.parameters
    return {
        "x": _rounded(simulated["x"]),
        "y": _rounded(simulated["y"]),
        "model": [str(label) for label in simulated["label"]],
        "parameters": {str(name): _rounded(column) for name, column in parameters.items()},
        "observed": [*_rounded(network["x"]), *_rounded(network["y"])],
        "pearson": embedding.pearson,
        "distance_correlation": embedding.distance_correlation,
        "features": list(embedding.features),
    }


def _posterior(
    posterior: Posterior | None, bounds: Mapping[str, tuple[float, float]]
) -> dict[str, Any] | None:
    if posterior is None:
        return None
    return {
        "draws": {str(name): _rounded(column) for name, column in posterior.adjusted.items()},
        "weights": _rounded(posterior.weights),
        "bounds": {name: _rounded(ends) for name, ends in bounds.items()},
    }


def _rounded(values: Iterable[Any]) -> list[float | None]:
    """Return the values with a few digits; None replaces what JSON cannot hold.

    >>> _rounded([0.123456789, float("nan")])
    [0.123457, None]
    """
    return [float(f"{v:.{DIGITS}g}") if math.isfinite(v) else None for v in map(float, values)]
