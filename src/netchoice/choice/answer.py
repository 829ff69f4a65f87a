"""The answer for one network: pure data, which text, figures, report and files are made from."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, get_type_hints

from netchoice.atomic import write_text
from netchoice.choice.discrepancies import Advice, Discrepancy
from netchoice.choice.shortcuts import draw_one, write_page
from netchoice.errors import UsageError
from netchoice.graph import Graph
from netchoice.inference.posterior_quality import ParameterQuality
from netchoice.inference.power import Noticed
from netchoice.inference.sequential_test import BORDERLINE, FITS
from netchoice.inference.verdict import Verdict
from netchoice.io import ReadingReport, read_network, write_network
from netchoice.profiles import Envelope
from netchoice.storage.kept_files import fingerprint_of, parsing, read_json, write_json
from netchoice.storage.records import from_record, rounded, to_csv, to_record
from netchoice.storage.run_folder import ANSWER, KEPT, TABLES, disk_errors
from netchoice.stores import place
from netchoice.validation import unknown

if TYPE_CHECKING:
    import pandas as pd

#: Version of ``answer.json``.
SCHEMA = 8
EVIDENCE, NETWORK, NODES = f"{KEPT}/evidence.json", f"{KEPT}/network.tsv", f"{KEPT}/nodes.json"
Interval = tuple[float, float]


@dataclass(frozen=True)
class ParameterEstimate:
    """One parameter of a model, given the network.

    Attributes
    ----------
    median, interval, coverage : float, pair, float, of the posterior
    at_boundary : str or None, the side of the prior's boundary that the posterior is at
    prior : str
    simulations : int, that the estimate is based on
    quality : ParameterQuality or None, on held-out simulations, if it was measured
    """

    median: float
    interval: Interval
    coverage: float
    at_boundary: str | None
    prior: str
    simulations: int
    quality: ParameterQuality | None


@dataclass(frozen=True)
class ModelAnswer:
    """What the answer says about one model.

    Attributes
    ----------
    name, family, description, reference : str
    state : str
        "fits", "does not fit", "borderline", "open" (the time ended before it was decided) or "never has
        this density".
    p_value, p_interval : float and pair, or None
        The share of all its simulations that score at least as high as the network, and the interval of
        this share. None if a few simulations with cheap features showed that the model is clearly wrong.
    simulations : int, that the network was compared with
    probability, interval : float and pair, or None
        Given that one of the models that fit made the network; if none fits, one of the borderline models.
        None for other models, also for borderline ones if another model fits.
    probability_before : float or None
        The probability before models were rejected, if it was compared with all features.
    remoteness : float, how far the network is beyond its simulations; the nearest model has the smallest
    parameters : dict, by name; only of models that are not rejected
    discrepancies : tuple, the main differences between the network and its simulations, farthest first
    outside : tuple of str, features of the network that are outside all of its simulations
    advice : tuple, what to try if it does not fit
    """

    name: str
    family: str
    description: str
    reference: str
    state: str
    p_value: float | None
    p_interval: Interval | None
    simulations: int
    probability: float | None
    interval: Interval | None
    probability_before: float | None
    remoteness: float
    parameters: dict[str, ParameterEstimate]
    discrepancies: tuple[Discrepancy, ...]
    outside: tuple[str, ...]
    advice: tuple[Advice, ...]

    @property
    def is_candidate(self) -> bool:
        """Whether the model is not rejected."""
        return self.state in (FITS, BORDERLINE, "open")


@dataclass(frozen=True)
class FeatureValue:
    """One feature of the network: its value, its cost, and where the value is among the simulations.

    ``below`` holds, by model, the share of simulations below the value, with half of those equal to it.
    ``cost`` is the CPU time of the feature alone for a simulated network.
    """

    name: str
    label: str
    topic: str
    observed: float
    cost: float
    below: dict[str, float]


@dataclass(frozen=True)
class Map:
    """Simulations and the network in two dimensions."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    model: tuple[str, ...]
    observed: Interval
    pearson: float
    distance_correlation: float
    features: tuple[str, ...]


@dataclass(frozen=True)
class PosteriorDraws:
    """Draws from the posterior of a model, and the bounds of its priors."""

    draws: dict[str, tuple[float, ...]]
    bounds: dict[str, Interval]


@dataclass(frozen=True)
class Evidence:
    """What figures show beside the answer.

    Attributes
    ----------
    map : Map or None
    posteriors : dict, by model
    envelopes : dict, by model and panel: distributions of the network next to those of simulations
    samples : dict, by feature and model: values of some simulations
    reliability : tuple of dict
        Bins of predicted probability of held-out simulations: ``low``, ``high``, ``n``, ``predicted`` and
        ``observed``.
    confusion : dict, numbers of held-out simulations by true and predicted model
    """

    map: Map | None
    posteriors: dict[str, PosteriorDraws]
    envelopes: dict[str, dict[str, Envelope]]
    samples: dict[str, dict[str, tuple[float, ...]]]
    reliability: tuple[dict[str, float], ...]
    confusion: dict[str, dict[str, int]]


@dataclass(frozen=True)
class Cost:
    """What the answer took.

    Attributes
    ----------
    simulations : int
    simulation_seconds : float, CPU seconds of simulated networks and their features
    features : float, CPU seconds of the features of one simulated network, shared steps paid once
    all_features : float, the same of all features that could be compared, by their reference costs
    seconds : float, of the whole call
    """

    simulations: int
    simulation_seconds: float
    features: float
    all_features: float
    seconds: float


@dataclass(frozen=True)
class Answer:
    """Which model made a network; returned by :func:`netchoice.choose_model`.

    Attributes
    ----------
    verdict : Verdict
        Which models fit, the smallest set of them with 95 % of the probability, and a sentence.
    models : tuple of ModelAnswer
        All models that were compared: the candidates first, by family and probability.
    network : dict, numbers of nodes, edges, components, …
    features : tuple of FeatureValue, features that the answer is based on
    power : dict, by alteration of a network: the share that the test of fit notices at this size
    accuracy, log_score : float
        Of predicted models of held-out simulations of the models with probabilities; NaN if there is one.
    notes : tuple of str, at most five things that a careful reader should know
    cost : Cost
    is_complete : bool, False if a model was not decided: the time limit came, or its simulations failed
    space, settings : dict
    reading : ReadingReport or None, how the file was read
    evidence : Evidence, what figures show
    graph : Graph, the network that was compared
    power_of : str, the model whose networks were altered; "" if power was not measured
    """

    verdict: Verdict
    models: tuple[ModelAnswer, ...]
    network: dict[str, Any]
    features: tuple[FeatureValue, ...]
    power: dict[str, Noticed]
    accuracy: float
    log_score: float
    notes: tuple[str, ...]
    cost: Cost
    is_complete: bool
    space: dict[str, Any]
    settings: dict[str, Any]
    reading: ReadingReport | None = field(repr=False)
    evidence: Evidence = field(repr=False, metadata={"kept": False})
    graph: Graph = field(repr=False, metadata={"kept": False})
    power_of: str = ""

    def __getitem__(self, model: str) -> ModelAnswer:
        """Return what the answer says about a model."""
        known = {each.name: each for each in self.models}
        if model not in known:
            raise unknown("model", model, known)
        return known[model]

    @property
    def candidates(self) -> tuple[ModelAnswer, ...]:
        """The models that are not rejected, the most probable first."""
        return tuple(each for each in self.models if each.is_candidate)

    @property
    def has_probabilities(self) -> bool:
        """Whether several models have a probability; that of a single one is 1 by definition."""
        return sum(each.probability is not None for each in self.models) > 1

    @property
    def ended_by_limit(self) -> bool:
        """Whether a longer time limit would decide more."""
        return not self.is_complete and self.settings["time_limit"] is not None

    def as_dict(self) -> dict[str, Any]:
        """Return what ``answer.json`` holds."""
        record: dict[str, Any] = to_record(self)
        return {"schema": SCHEMA, **record}

    def to_json(self) -> str:
        """Return the content of ``answer.json``."""
        return json.dumps(self.as_dict(), indent=2, ensure_ascii=False, allow_nan=False)

    # Text and tables

    def summary(self, *, verbose: bool = False) -> str:
        """Return the answer in at most twelve lines; with ``verbose``, all that is known."""
        from netchoice.choice.text import answer_lines

        return "\n".join(answer_lines(self, verbose=verbose, language="python"))

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<Answer: {self.verdict.sentence}>"

    def _repr_html_(self) -> str:
        from netchoice.choice.text import answer_html

        return answer_html(self)

    def to_frame(self, table: str = "models") -> pd.DataFrame:
        """Return a table of the answer: models, parameters, features, discrepancies or posterior."""
        if table not in _TABLES:
            raise unknown("table", table, _TABLES)
        return _TABLES[table](self)

    def to_arviz(self, model: str) -> Any:
        """Return the posterior of a model for ArviZ; see :meth:`netchoice.inference.Posterior.to_arviz`."""
        from netchoice.inference.posterior import draws_to_arviz

        known = self.evidence.posteriors
        if model not in known:
            raise unknown("model with a posterior", model, known)
        return draws_to_arviz(known[model].draws)

    def plot(self, figure: str = "probabilities") -> Any:
        """Draw a figure of the answer; return its Axes, which a notebook shows."""
        return draw_one("answer_drawings", self, figure)

    def report(self, path: str | PathLike[str] = "report.html", *, overwrite: bool = False) -> Path:
        """Write the HTML report of the answer, and return its path.

        A file that exists is refused, unless ``overwrite`` is true.
        """
        return write_page(self, path, overwrite)

    # Files

    def save(self, folder: str | PathLike[str]) -> Path:
        """Write the answer, its tables, and what figures show, to a folder."""
        path = place(folder)
        run = run_of(self.settings)
        with disk_errors(path):
            for part in (KEPT, TABLES):
                (path / part).mkdir(parents=True, exist_ok=True)
            _write_network(self.graph, path)
            for name, table_of in _TABLES.items():
                write_text(path / TABLES / f"{name}.csv", to_csv(table_of(self)))
            write_json(path / EVIDENCE, rounded(to_record(self.evidence)), run)
            write_json(path / ANSWER, self.as_dict(), run)
        return path

    @classmethod
    def load(cls, folder: str | PathLike[str]) -> Self:
        """Return the answer in a folder that :func:`netchoice.choose_model` or a command wrote."""
        path, advice = place(folder), "run netchoice choose again with the same folder to renew it"
        if not (path / ANSWER).exists():
            raise UsageError(
                f"{path} holds no {ANSWER}; expected a folder that netchoice choose wrote and finished"
            )
        record = read_json(path / ANSWER, advice=advice)
        with parsing(path / ANSWER, advice):
            if (schema := record.pop("schema")) != SCHEMA:
                raise ValueError(f"schema {schema}, expected {SCHEMA}")
            settings = record["settings"]
            evidence = read_json(path / EVIDENCE, run_of(settings), advice=advice)
            graph, _ = read_network(path / NETWORK)
            if graph.fingerprint != settings["network"]:
                raise ValueError(f"{NETWORK} is another network")
            kinds = get_type_hints(cls)
            kept = {name: from_record(kinds[name], value) for name, value in record.items()}
            return cls(**kept, evidence=from_record(Evidence, evidence), graph=graph)


def run_of(settings: Mapping[str, Any]) -> str:
    """Return the fingerprint of what an answer depends on, without versions of packages."""
    others = ("versions", "python", "reference")
    return fingerprint_of(to_record({n: value for n, value in settings.items() if n not in others}))


def _write_network(graph: Graph, folder: Path) -> None:
    """Write the network; names that an edge list cannot hold go to a file of their own instead."""
    try:
        write_network(graph, folder / NETWORK, overwrite=True)
    except UsageError:
        write_text(folder / NODES, json.dumps(list(map(repr, graph.labels or ()))))
        unnamed = Graph(graph.indptr, graph.indices)
        write_network(unnamed, folder / NETWORK, overwrite=True)


# Tables


def _models(answer: Answer) -> pd.DataFrame:
    """Return all models: state, p-value, probability, and their intervals."""
    rows = [
        {
            "model": each.name,
            "family": each.family,
            "state": each.state,
            "probability": each.probability,
        }
        | _ends("", each.interval)
        | {"p": each.p_value}
        | _ends("p_", each.p_interval)
        | {"simulations": each.simulations, "probability_before": each.probability_before}
        for each in answer.models
    ]
    return _frame(rows, [])


def _ends(prefix: str, interval: tuple[float, float] | None) -> dict[str, float | None]:
    low, high = (None, None) if interval is None else interval
    return {f"{prefix}low": low, f"{prefix}high": high}


def _parameters(answer: Answer) -> pd.DataFrame:
    """Return the parameters of the candidates: median, interval, quality."""
    kept = ("rmse", "prior_sd", "shrinkage")
    rows = [
        {"model": model.name, "parameter": name, "median": each.median}
        | _ends("", each.interval)
        | {"coverage": each.coverage}
        | {column: getattr(each.quality, column, None) for column in kept}
        for model in answer.models
        for name, each in model.parameters.items()
    ]
    return _frame(rows, ["model", "parameter", "median", "low", "high", "coverage", *kept])


def _features(answer: Answer) -> pd.DataFrame:
    """Return the features: observed value, cost, and the share of simulations below the value."""
    rows = [
        {"feature": each.name, "observed": each.observed, "cost": each.cost}
        | {f"below_{model}": share for model, share in each.below.items()}
        for each in answer.features
    ]
    return _frame(rows, ["feature", "observed", "cost"])


def _discrepancies(answer: Answer) -> pd.DataFrame:
    """Return the main differences between the network and simulations of each model."""
    rows = [
        {"model": model.name, **asdict(each)}
        for model in answer.models
        for each in model.discrepancies
    ]
    return _frame(rows, ["model", "feature", "observed", "sentence"])


def _posterior(answer: Answer) -> pd.DataFrame:
    """Return draws from the posteriors of the most probable candidates.

    A parameter with the name of another column gets a longer name: ``draw_parameter``.
    """
    import pandas as pd

    columns = ["model", "draw"]
    frames = [pd.DataFrame(columns=columns)]
    for model, known in answer.evidence.posteriors.items():
        draws = pd.DataFrame({name: list(values) for name, values in known.draws.items()})
        draws = draws.rename(columns={name: f"{name}_parameter" for name in columns})
        draws.insert(0, "model", model)
        draws.insert(1, "draw", range(len(draws)))
        frames.append(draws)
    return pd.concat(frames[1:] or frames, ignore_index=True)


def _frame(rows: list[dict[str, Any]], columns: list[str]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=columns)


#: What makes each table.
_TABLES: dict[str, Callable[[Answer], pd.DataFrame]] = {
    "models": _models, "parameters": _parameters, "features": _features,
    "discrepancies": _discrepancies, "posterior": _posterior,
}  # fmt: skip
