"""What a folder keeps of an answer, beside the simulations."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netchoice.errors import NetchoiceError
from netchoice.graph import Graph
from netchoice.inference.mds import Embedding, embed
from netchoice.io import write_network
from netchoice.workflows.choice import Choice

if TYPE_CHECKING:
    import pandas as pd

    from netchoice.inference.goodness_of_fit import Fit
    from netchoice.storage.table import ReferenceTable

EVIDENCE = "evidence.json"
EVIDENCE_SCHEMA = 1
DIGITS = 6


def keep(choice: Choice, network: Graph, folder: Path) -> None:
    """Write the answer, the frames it rests on, and what a report of it shows."""
    selection = choice.evidence["selection"]
    try:
        (folder / "choice.json").write_text(choice.to_json() + "\n", encoding="utf-8")
        write_network(network, folder / "network.tsv")
        choice.confusion.to_csv(folder / "confusion.csv")
        costs = selection.costs.only(selection.table.features).as_dict()
        (folder / "costs.json").write_text(json.dumps(costs, indent=2))
        if selection.rankings is not None:
            selection.rankings.to_csv(folder / "rankings.csv", index=False)
        if selection.evaluation is not None:
            joined = selection.evaluation["features"].map(";".join)
            selection.evaluation.assign(features=joined).to_csv(
                folder / "evaluation.csv", index=False
            )
        text = json.dumps(_evidence(choice), ensure_ascii=False, allow_nan=False)
        (folder / EVIDENCE).write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise NetchoiceError(f"cannot write to {folder}: {error.strerror}") from error


def _evidence(choice: Choice) -> dict[str, Any]:
    """What pictures show that ``choice.json`` does not hold: points, draws, shares."""
    made = choice.evidence
    broad, values = made["broad"], made["broad_observed"]
    made["embedding"] = embed(broad.X[list(values)], broad.y, values)
    return {
        "schema": EVIDENCE_SCHEMA,
        "embedding": _embedding(made["embedding"], broad),
        "fit": _fit(made["fit"], values),
        "reliability": made["held_out"].reliability.to_dict("records"),
        "posterior": _posterior(made["posterior"], made["bounds"]),
    }


def _embedding(embedding: Embedding, table: ReferenceTable) -> dict[str, Any]:
    points = embedding.points
    simulated, network = points[~points["observed"]], points[points["observed"]]
    return {
        "x": _numbers(simulated["x"]),
        "y": _numbers(simulated["y"]),
        "model": [str(label) for label in simulated["label"]],
        "parameters": {str(n): _numbers(column) for n, column in table.parameters.items()},
        "observed": [*_numbers(network["x"]), *_numbers(network["y"])],
        "pearson": embedding.pearson,
        "distance_correlation": embedding.distance_correlation,
        "features": list(embedding.features),
    }


def _fit(fit: Fit, values: dict[str, float]) -> dict[str, Any]:
    quantiles = fit.quantiles
    return {
        "features": [str(name) for name in quantiles.index],
        "observed": _numbers([values[name] for name in quantiles.index]),
        "below": {str(model): _numbers(column) for model, column in quantiles.items()},
    }


def _posterior(posterior: Any, bounds: dict[str, Any]) -> dict[str, Any] | None:
    if posterior is None:
        return None
    draws: pd.DataFrame = posterior.adjusted
    return {
        "draws": {str(name): _numbers(column) for name, column in draws.items()},
        "weights": _numbers(posterior.weights),
        "bounds": {name: _numbers(ends) for name, ends in bounds.items()},
    }


def _numbers(values: Any) -> list[float | None]:
    """With a few digits; None for what is no finite number, which JSON cannot hold.

    >>> _numbers([0.123456789, float("nan")])
    [0.123457, None]
    """
    return [float(f"{v:.{DIGITS}g}") if math.isfinite(v) else None for v in map(float, values)]
