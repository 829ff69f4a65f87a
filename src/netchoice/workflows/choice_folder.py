"""What the folder of an answer holds beside the simulations, and the tables that results hold."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netchoice.atomic import write_text
from netchoice.errors import NetchoiceError, UsageError
from netchoice.graph import Graph
from netchoice.io import write_network
from netchoice.storage.written_folder import list_files, listed_writes
from netchoice.validation import unknown

if TYPE_CHECKING:
    import pandas as pd

    from netchoice.inference import PosteriorQuality
    from netchoice.workflows.choice import Choice, Evidence
    from netchoice.workflows.local_simulations import ModelPosterior


class ResultTables:
    """Base of results that hold tables; the first one is the default."""

    def _tables(self) -> dict[str, Callable[[], pd.DataFrame]]:
        raise NotImplementedError

    def to_frame(self, table: str | None = None) -> pd.DataFrame:
        """Return a table of the result as a data frame.

        The tables of a choice are "models", "parameters", "features", "confusion" and "discrepancies".
        Those of an evaluation are "front" (the sets that no other beats in cost and accuracy),
        "evaluation" (all sets), "rankings" and "costs".
        """
        tables = self._tables()
        name = next(iter(tables)) if table is None else table
        if name not in tables:
            raise unknown("table", name, tables)
        return tables[name]()


def model_table(choice: Choice) -> pd.DataFrame:
    """Return the compared models: probability, its interval, the p-value of the fit."""
    import pandas as pd

    family = {each["name"]: each["family"] for each in choice.space["models"]}
    rows = [
        {
            "model": name,
            "family": family[name],
            "probability": choice.probabilities[name],
            "low": low,
            "high": high,
            "fit_p": choice.fit_p_values[name],
            "fits": choice.fit_p_values[name] > choice.fit["alpha"],
        }
        for name, (low, high) in choice.intervals.items()
    ]
    frame = pd.DataFrame(rows).sort_values("probability", ascending=False, kind="stable")
    return frame.reset_index(drop=True)


def parameter_table(choice: Choice) -> pd.DataFrame:
    """Return the parameters of the reported models: median, interval, error, shrinkage."""
    import pandas as pd

    kept = ("median", "coverage", "rmse", "prior_sd", "shrinkage")
    rows = [
        {"model": model, "parameter": name, "low": low, "high": high, **{k: known[k] for k in kept}}
        for model, parameters in choice.parameters.items()
        for name, known in parameters.items()
        for low, high in [known["interval"]]
    ]
    columns = ["model", "parameter", "median", "low", "high", "coverage", *kept[2:]]
    return pd.DataFrame(rows, columns=columns)


def feature_table(choice: Choice) -> pd.DataFrame:
    """Return the features that the answer is based on: observed value, and cost alone."""
    import pandas as pd

    costs = choice.evidence.table.costs
    rows = [(name, value, costs.cost(name)) for name, value in choice.features.items()]
    return pd.DataFrame(rows, columns=["feature", "observed", "cost"])


EVIDENCE = "evidence.json"
#: What the rows of the simulations for inference carry the fingerprint of.
INFERENCE_MANIFEST = "tables/inference/_manifest.json"
#: Files that the report is made from.
READ_AGAIN = (
    "choice.json", EVIDENCE, "reading.json", "network.tsv", "costs.json", "rankings.csv", "evaluation.csv",
    INFERENCE_MANIFEST,
)  # fmt: skip
EVIDENCE_SCHEMA = 3
DIGITS = 6


def write_choice(choice: Choice, folder: Path) -> None:
    """Write the answer, the frames it is based on, and the data of its figures."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with listed_writes(folder):
            _write_network(choice.evidence.graph, folder)
            for name, text in _texts(choice):
                write_text(folder / name, text)
        list_files(folder, (name for name in READ_AGAIN if (folder / name).exists()))
    except OSError as error:
        raise NetchoiceError(f"cannot write to {folder}: {error.strerror}") from error


def _texts(choice: Choice) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each file; the answer comes last."""
    selection, reading = choice.evidence.selection, choice.evidence.reading
    costs = selection.costs.only(selection.simulations.features).as_dict()
    yield "confusion.csv", choice.confusion.to_csv()
    yield "posterior.csv", choice.posterior().to_csv(index=False, float_format=f"%.{DIGITS}g")
    yield "costs.json", json.dumps(costs, indent=2)
    if selection.rankings is not None:
        yield "rankings.csv", selection.rankings.to_csv(index=False)
    for name, evaluation in (
        ("evaluation", selection.evaluation),
        ("parameter-evaluation", selection.parameter_evaluation),
    ):
        if evaluation is not None:
            frame = evaluation.assign(features=evaluation["features"].map(";".join))
            yield f"{name}.csv", frame.to_csv(index=False)
    yield EVIDENCE, json.dumps(_evidence(choice), ensure_ascii=False, allow_nan=False) + "\n"
    if reading is not None:
        yield "reading.json", json.dumps(reading.as_dict(), indent=2) + "\n"
    yield "choice.json", choice.to_json() + "\n"


def _write_network(graph: Graph, folder: Path) -> None:
    """Write the network; names that an edge list cannot hold go to ``nodes.json`` instead."""
    try:
        write_network(graph, folder / "network.tsv", overwrite=True)
    except UsageError:
        write_text(folder / "nodes.json", json.dumps(list(map(repr, graph.labels or ()))))
        unnamed = Graph(graph.indptr, graph.indices)
        write_network(unnamed, folder / "network.tsv", overwrite=True)


def _evidence(choice: Choice) -> dict[str, Any]:
    """Return what figures show that ``choice.json`` does not hold: points, draws, quantiles."""
    evidence = choice.evidence
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
        "posteriors": {
            model: _posterior(evidence.posteriors[model], known)
            for model, known in evidence.quality.items()
        },
        "misfit": {model: each.figures() for model, each in evidence.misfit.items()},
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


def _posterior(known: ModelPosterior, quality: PosteriorQuality) -> dict[str, Any]:
    draws = known.posterior.draws
    return {
        "draws": {str(name): _rounded(column) for name, column in draws.items()},
        "bounds": {name: _rounded(ends) for name, ends in known.bounds.items()},
        "ranks": {str(name): column.tolist() for name, column in quality.ranks.items()},
        "rank_draws": quality.n_draws,
    }


def _rounded(values: Iterable[Any]) -> list[float | None]:
    """Return the values with a few digits; None replaces what JSON cannot hold.

    >>> _rounded([0.123456789, float("nan")])
    [0.123457, None]
    """
    return [float(f"{v:.{DIGITS}g}") if math.isfinite(v) else None for v in map(float, values)]
