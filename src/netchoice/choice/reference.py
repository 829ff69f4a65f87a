"""Simulations of models at one size: they grow in rounds, and keep what is fitted to them."""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd

from netchoice.alterations import ALTERATIONS, HELD_BACK, trained_kind
from netchoice.choice.matching import try_models
from netchoice.choice.observe import affordable_features, as_given, cheap_features, with_size
from netchoice.choice.settings import Effort, Settings
from netchoice.choice.sizes import Size
from netchoice.costs import CostModel
from netchoice.errors import FailedRowsError, UsageError
from netchoice.features import Feature, compute_features
from netchoice.features.registry import find, plan
from netchoice.graph import Graph
from netchoice.inference.model_scores import MIN_SCALE, MIN_TRAINING, DistanceRatio, ModelScore
from netchoice.inference.posterior import (
    MIN_SIMULATIONS,
    Posterior,
    PosteriorEstimator,
    posterior_of,
)
from netchoice.inference.posterior_quality import PosteriorQuality, quality_of
from netchoice.inference.power import Noticed, noticed
from netchoice.inference.scaling import Floats
from netchoice.inference.smooth_regression import Probabilities, SmoothRegression
from netchoice.models.at_bounds import at_bounds
from netchoice.models.density_matched import MatchedModel
from netchoice.models.model import Draws, Model
from netchoice.models.space import ModelSpace
from netchoice.row_simulator import ModelRows, is_at_bounds
from netchoice.simulate import simulate_rows
from netchoice.storage.table_columns import (
    OWN_PREFIX,
    PARAMETER_PREFIX,
    STEP_PREFIX,
    mean_seconds,
    timings,
)
from netchoice.threads import one_blas_thread, threads
from netchoice.user_code import is_ours

Fitted = TypeVar("Fitted")
#: Called with the name of a stage, items done, items in total, and items failed.
Progress = Callable[[str, int, int, int], None]
#: Changes whenever the scores of models change: the statistic is a part of the method, the seed is not.
METHOD = "1"
#: Networks with parameters from a posterior that are tried before it counts as one without the density.
NEAR_TRIES = 100
#: Larger networks are altered in smaller numbers, so that at most so many nodes are grown.
MAX_ALTERED_NODES, MIN_ALTERED = 60_000, 10
#: Rows whose times are kept, to say what the features cost.
_TIMED_ROWS = 2000


class Stream(NamedTuple):
    """One kind of simulations. Streams share no random numbers, except that altered rows follow the training.

    ``is_fixed`` streams have random numbers of the method, not of the user's seed. A third of the rows of
    streams with ``has_bounds`` has parameters at the bounds of the priors: there, simulations from the prior
    are rare, and a score that is not trained on some takes networks from there for altered ones.
    """

    name: str
    is_cheap: bool = False
    is_fixed: bool = False
    is_altered: bool = False
    has_bounds: bool = False


SCREENED = Stream("screened", is_cheap=True, is_fixed=True, has_bounds=True)
SCREENED_CALIBRATION = Stream("screened-calibration", is_cheap=True, is_fixed=True)
TRAINING = Stream("training", is_fixed=True, has_bounds=True)
ALTERED = Stream("altered", is_fixed=True, is_altered=True, has_bounds=True)
SCALE = Stream("scale", is_fixed=True)
INFERENCE = Stream("inference", is_fixed=True)
CALIBRATION = Stream("calibration")
STREAMS = (SCREENED, SCREENED_CALIBRATION, TRAINING, ALTERED, SCALE, INFERENCE, CALIBRATION)
#: Simulations that the scale of a score is taken from.
N_SCALE = 100
#: Training rows of each model that the probabilities before rejections are inferred from.
N_BEFORE = 300


@dataclass
class ModelTable:
    """The simulations of one model in one stream.

    Attributes
    ----------
    n : int, rows that were simulated, with those that failed
    numbers : array, the numbers of the rows that did not fail
    X : array (len(numbers), q), their features
    parameters : DataFrame
    """

    n: int
    numbers: np.ndarray
    X: Floats
    parameters: pd.DataFrame

    def first(self, n: int | None) -> np.ndarray:
        """Return which of the rows that did not fail are among the first n; all by default."""
        return np.ones(len(self.numbers), bool) if n is None else self.numbers < n


class Reference:
    """Simulations of the models of a space at one size.

    Rows are added with :meth:`simulate`. A row depends only on the stream, the model, its number, and the
    seed if the stream is not fixed, so the order in which rows are added does not matter. Everything that
    is fitted to the rows is kept.

    Attributes
    ----------
    space : ModelSpace, density-matched if the size has a number of edges
    unmatched : tuple of str, models of which no network has the density
    features : tuple of str
    is_frozen : bool, whether no rows are added

    Models are tried until the ``deadline``, a time on the clock ``time.monotonic``.
    """

    def __init__(
        self,
        settings: Settings,
        size: Size,
        *,
        features: Sequence[str] | None = None,
        folder: Path | None = None,
        engine: str | Executor = "processes",
        workers: int | None = None,
        on_progress: Progress | None = None,
        deadline: float | None = None,
    ) -> None:
        self.settings, self.size = settings, size
        self.folder, self.engine, self.workers = folder, engine, workers
        self.on_progress = on_progress
        self.space = size.matched(settings.space, self.n_jobs, deadline)
        with threads(self.n_jobs) as run:
            self.unmatched, self._slow = try_models(self.space, size, run, deadline)
            self.bounds = tuple(run(lambda model: self._at_bounds(model, deadline), self.space))
            if deadline is None or time.monotonic() < deadline:
                run(_predict, [*self.space, *self.bounds])  # once, not in every process
        chosen = features or settings.names or affordable_features(size)
        self.features = with_size(chosen, size)
        self.is_frozen = False
        self.n_simulated, self.cpu_seconds = 0, 0.0
        self.incomplete: dict[str, str] = {}
        self._tables: dict[str, dict[str, ModelTable]] = {stream.name: {} for stream in STREAMS}
        self._timed: list[pd.DataFrame] = []
        self._fitted: dict[tuple[Any, ...], Any] = {}

    def _at_bounds(self, model: Model, deadline: float | None) -> Model | None:
        if model.name in self.unmatched:
            return None
        return at_bounds(model, self.size.nodes[0], self.size.isolated, deadline)

    def by_speed(self, models: Sequence[str]) -> list[tuple[str, ...]]:
        """Return models in groups: under a time limit, those whose networks take very long come last."""
        slow = tuple(model for model in models if model in self._slow)
        fast = tuple(model for model in models if model not in slow)
        return [group for group in (fast, slow) if group]

    # Simulations

    @property
    def effort(self) -> Effort:
        """How many networks are simulated."""
        return self.settings.effort

    @property
    def models(self) -> tuple[str, ...]:
        """The models that can be simulated."""
        return tuple(name for name in self.space.labels if name not in self.unmatched)

    def names_of(self, stream: Stream) -> tuple[str, ...]:
        """Return the features of the rows of a stream."""
        if not stream.is_cheap:
            return self.features
        cheap = {*cheap_features(), *self._always}
        return tuple(name for name in self.features if name in cheap) or self.features

    @property
    def _always(self) -> tuple[str, ...]:
        return with_size((), self.size) + (self.settings.names or ())

    def usable(self, stream: Stream, known: Mapping[str, float]) -> tuple[str, ...]:
        """Return the features of a stream that the network and all simulations have."""
        names = self.names_of(stream)
        return tuple(name for name in names if name in known and name not in self.incomplete)

    def simulator(self, stream: Stream) -> ModelRows:
        """Return what simulates the rows of a stream."""
        base = TRAINING.name if stream.is_altered else stream.name
        text = (
            f"method {METHOD}/{base}" if stream.is_fixed else f"{self.settings.seed}/choose {base}"
        )
        return ModelRows(
            self.space, self.size.n_nodes, self.size.isolated,
            _features(as_given(self.names_of(stream), self.settings)),
            _entropy(text), altered=stream.is_altered, calibrates=stream == TRAINING,
            bounds=self.bounds if stream.has_bounds else (),
        )  # fmt: skip

    def n_rows(self, stream: Stream, model: str) -> int:
        """Return the number of simulated rows of a model in a stream."""
        found = self._tables[stream.name].get(model)
        return 0 if found is None else found.n

    def simulate(
        self, stream: Stream, models: Sequence[str], n: int, deadline: float | None = None
    ) -> None:
        """Add rows until there are n of each of these models, or until the deadline."""
        if self.is_frozen:
            return
        labels = self.space.labels
        missing = [
            number * len(labels) + labels.index(model)
            for model in models
            for number in range(self.n_rows(stream, model), n)
        ]
        if not missing:
            return
        frame = simulate_rows(
            self.simulator(stream), np.array(sorted(missing)),
            seed=0 if stream.is_fixed else self.settings.seed, stream=f"choose {stream.name}",
            engine=self.engine, workers=self.workers, deadline=deadline,
            path=None if self.folder is None else self.folder / stream.name,
            on_progress=self._report(stream.name),
        )  # fmt: skip
        if len(frame):
            self._add(stream, frame)

    def _report(self, stage: str) -> Callable[[int, int, int], None] | None:
        report = self.on_progress
        if report is None:
            return None
        return lambda done, total, failed: report(stage.replace("-", " "), done, total, failed)

    def _add(self, stream: Stream, frame: pd.DataFrame) -> None:
        names = list(self.names_of(stream))
        self.n_simulated += len(frame)
        seconds = frame.filter(like="seconds_").to_numpy(dtype=np.float64)
        self.cpu_seconds += float(np.nansum(seconds))
        if stream == TRAINING and sum(map(len, self._timed)) < _TIMED_ROWS:
            self._timed.append(frame[[*timings(frame), "calibrated"]][frame["failure"].isna()])
        for i, model in enumerate(self.space.labels):
            self._append(stream, model, frame[frame["row"] % len(self.space) == i], names)
        X = frame.loc[frame["failure"].isna(), names]
        for name in X.columns[X.isna().any()]:
            self.incomplete.setdefault(str(name), _reason(frame, str(name)))
        for name in self.settings.names or ():
            if name in self.incomplete:
                raise UsageError(
                    f"feature {name!r} has no value on some simulations ({self.incomplete[name]}); leave it "
                    "out of the features, or correct it"
                )

    def _append(self, stream: Stream, model: str, rows: pd.DataFrame, names: list[str]) -> None:
        """Add the rows of a model that follow those that there are, up to the first that is missing.

        At a deadline, rows are missing that take long. Later ones without them would be a selection.
        """
        expected = self.n_rows(stream, model) + np.arange(len(rows))
        follows = rows["row"].to_numpy() // len(self.space) == expected
        rows = rows[np.logical_and.accumulate(follows)]
        if not len(rows):
            return
        good = rows[rows["failure"].isna()]
        own = {PARAMETER_PREFIX + name: name for name in self.space[model].parameters}
        parameters = good[[name for name in own if name in good]].rename(columns=own)
        numbers, X = (
            good["row"].to_numpy() // len(self.space),
            good[names].to_numpy(dtype=np.float64),
        )
        known = self._tables[stream.name].get(model)
        if known is None:
            table = ModelTable(len(rows), numbers, X, parameters.reset_index(drop=True))
        else:
            table = ModelTable(
                known.n + len(rows),
                np.concatenate([known.numbers, numbers]),
                np.concatenate([known.X, X]),
                pd.concat([known.parameters, parameters], ignore_index=True),
            )
        self._tables[stream.name][model] = table

    def X(  # noqa: N802  the name in scikit-learn
        self,
        stream: Stream,
        model: str,
        names: Sequence[str],
        stop: int | None = None,
    ) -> Floats:
        """Return the features of a model's first rows that did not fail; of all by default."""
        found = self._tables[stream.name].get(model)
        if found is None:
            return np.empty((0, len(names)))
        all_names = self.names_of(stream)
        columns = [all_names.index(name) for name in names]
        chosen = found.first(stop)
        return np.asarray(found.X[chosen][:, columns])

    def parameters(self, stream: Stream, model: str, stop: int | None = None) -> pd.DataFrame:
        """Return the parameters of a model's first rows that did not fail."""
        found = self._tables[stream.name].get(model)
        if found is None:
            return pd.DataFrame()
        return found.parameters[found.first(stop)].reset_index(drop=True)

    # What is fitted

    def _kept(self, key: tuple[Any, ...], make: Callable[[], Fitted]) -> Fitted:
        if key not in self._fitted:
            self._fitted[key] = make()
        found: Fitted = self._fitted[key]
        return found

    def ratio(self, model: str, names: tuple[str, ...]) -> DistanceRatio:
        """Return the distance ratio of a model, from its rows with cheap features."""
        return self._kept(
            ("ratio", model, names, self.n_rows(SCREENED, model)),
            lambda: DistanceRatio.fit(self.X(SCREENED, model, names)),
        )

    def screened_ratios(self, model: str, names: tuple[str, ...]) -> Floats:
        """Return the logarithms of the ratios of the calibrating rows with cheap features."""
        n = self.n_rows(SCREENED, model), self.n_rows(SCREENED_CALIBRATION, model)
        return self._kept(
            ("ratios", model, names, n),
            lambda: self.ratio(model, names).logarithms(self.X(SCREENED_CALIBRATION, model, names)),
        )

    @property
    def n_training(self) -> int:
        """Rows of a model that its score is trained on."""
        return self.effort.n_trained(self.size.nodes[0])

    @property
    def n_altered(self) -> int:
        """Altered rows of a model that its score is trained on."""
        return min(self.effort.altered, self.n_training)

    def score(self, model: str, names: tuple[str, ...]) -> ModelScore:
        """Return the score of a model, fixed before it is used."""

        def fit() -> ModelScore:
            return self._score(model, names, self.X(ALTERED, model, names, stop=self.n_altered))

        return self._kept(("score", model, names), fit)

    def _score(self, model: str, names: tuple[str, ...], altered: Floats) -> ModelScore:
        X = self.X(TRAINING, model, names, stop=self.n_training)
        return ModelScore.fit(X, altered, self.X(SCALE, model, names, stop=N_SCALE))

    def simulate_training(self, models: Sequence[str], deadline: float | None = None) -> None:
        """Add the rows that the scores of these models are fitted to."""
        self.simulate(SCALE, models, N_SCALE, deadline)
        self.simulate(TRAINING, models, self.n_training, deadline)
        self.simulate(ALTERED, models, self.n_altered, deadline)

    def can_score(self, model: str, names: tuple[str, ...]) -> bool:
        """Return whether there are enough rows to fit the score of a model, and to compare with."""
        n = {
            stream: len(self.X(stream, model, names))
            for stream in (TRAINING, ALTERED, SCALE, CALIBRATION)
        }
        trained = min(n[TRAINING], n[ALTERED]) >= MIN_TRAINING
        return trained and min(n[SCALE], n[CALIBRATION]) >= MIN_SCALE

    def calibrating_scores(
        self, model: str, names: tuple[str, ...], stop: int | None = None
    ) -> Floats:
        """Return the scores of a model's first calibrating rows that did not fail."""
        key = ("scores", model, names)
        known = self._fitted.get(key, np.empty(0))
        X = self.X(CALIBRATION, model, names)
        if len(X) > len(known):
            known = np.concatenate([known, self.score(model, names)(X[len(known) :])])
            self._fitted[key] = known
        return np.asarray(known[self._tables[CALIBRATION.name][model].first(stop)])

    def rows_of(self, model: str, known: Mapping[str, float]) -> pd.DataFrame:
        """Return all rows of a model with parameters from its prior: with all features, or the cheap ones."""
        names = self.usable(TRAINING, known)
        X = np.concatenate([self.X(stream, model, names) for stream in (CALIBRATION, TRAINING)])
        if not len(X):
            names = self.usable(SCREENED, known)
            X = self.screened_rows(model, names)
        return pd.DataFrame(X, columns=list(names))

    def rows_for(self, model: str, names: Sequence[str], n: int) -> tuple[Floats, pd.DataFrame]:
        """Return features and parameters of a model's rows from its prior: those for scores, and n others.

        None of them depends on the user's seed, so neither does what is inferred from them.
        """
        from_prior = self._from_prior(model, self.n_training)
        X = [
            self.X(TRAINING, model, names, stop=self.n_training)[from_prior],
            self.X(SCALE, model, names, stop=N_SCALE),
            self.X(INFERENCE, model, names, stop=n),
        ]
        drawn = [
            self.parameters(TRAINING, model, self.n_training)[from_prior],
            self.parameters(SCALE, model, N_SCALE),
            self.parameters(INFERENCE, model, n),
        ]
        return np.concatenate(X), pd.concat(drawn, ignore_index=True)

    def _from_prior(self, model: str, n: int) -> np.ndarray:
        """Return which of the first n training rows that did not fail have parameters from the prior."""
        training = self._tables[TRAINING.name].get(model)
        if training is None:
            return np.empty(0, bool)
        has_bounds = self.bounds[self.space.labels.index(model)] is not None
        return np.asarray(~(is_at_bounds(training.numbers) & has_bounds)[training.first(n)])

    def regression(
        self, models: tuple[str, ...], names: tuple[str, ...], n: int
    ) -> SmoothRegression:
        """Return what estimates the probabilities of some models; see :meth:`rows_for`."""
        return self._kept(
            ("probabilities", models, names, n),
            lambda: self._regression(
                {model: self.rows_for(model, names, n)[0] for model in models}
            ),
        )

    def regression_before(
        self, models: tuple[str, ...], names: tuple[str, ...]
    ) -> SmoothRegression:
        """Return the same from the first rows of the models only, which are enough before any is rejected."""
        rows = {
            model: np.concatenate(
                [
                    self.X(SCALE, model, names, stop=N_SCALE),
                    self.X(TRAINING, model, names, stop=N_BEFORE)[
                        self._from_prior(model, N_BEFORE)
                    ],
                ]
            )
            for model in models
        }
        return self._kept(("before", models, names), lambda: self._regression(rows))

    def _regression(self, rows: Mapping[str, Floats]) -> SmoothRegression:
        y = np.repeat(list(rows), [len(X) for X in rows.values()])
        weights = dict(zip(self.space.labels, self.space.weights, strict=True))
        return SmoothRegression.fit(np.concatenate(list(rows.values())), y, weights)

    def probabilities(
        self, models: tuple[str, ...], names: tuple[str, ...], n: int, row: Floats
    ) -> Probabilities:
        """Return the probabilities of some models for a network with these features."""
        if len(models) == 1:
            return Probabilities({models[0]: 1.0}, {models[0]: (1.0, 1.0)})
        return self.regression(models, names, n).probabilities_of(row)

    def screened_probabilities(
        self, models: tuple[str, ...], names: tuple[str, ...], row: Floats
    ) -> Probabilities:
        """Return the same from the rows with cheap features only."""
        if len(models) == 1:
            return Probabilities({models[0]: 1.0}, {models[0]: (1.0, 1.0)})
        rows = {model: self.screened_rows(model, names) for model in models}
        return self._regression(rows).probabilities_of(row)

    def screened_rows(self, model: str, names: Sequence[str]) -> Floats:
        """Return the features of all rows of a model with cheap features."""
        streams = (SCREENED_CALIBRATION, SCREENED)
        return np.concatenate([self.X(stream, model, names) for stream in streams])

    def parameter_estimator(
        self, model: str, names: tuple[str, ...], n: int
    ) -> ParameterEstimator | None:
        """Return what estimates the parameters of a model; None if it has none, or too few simulations."""
        key = ("parameters", model, names, n)
        return self._kept(key, lambda: self._parameter_estimator(model, names, n))

    def _parameter_estimator(
        self, model: str, names: tuple[str, ...], n: int
    ) -> ParameterEstimator | None:
        X, drawn = self.rows_for(model, names, n)
        specs = self.space[model].parameters
        varying = [name for name in specs if name in drawn and drawn[name].nunique() > 1]
        if not varying or len(drawn) < MIN_SIMULATIONS:
            return None
        priors = {name: specs[name].prior for name in varying}
        bounds = {name: (float(prior.low), float(prior.high)) for name, prior in priors.items()}
        constants = {name: drawn[name].iloc[0] for name in specs if name in drawn}
        integers = frozenset(name for name in drawn if (drawn[name] % 1 == 0).all())
        estimator = PosteriorEstimator.fit(
            pd.DataFrame(X, columns=list(names)), drawn[varying], bounds=bounds
        )
        others = {name: value for name, value in constants.items() if name not in varying}
        return ParameterEstimator(estimator, bounds, integers, others)

    def quality(self, model: str, names: tuple[str, ...], n: int) -> PosteriorQuality | None:
        """Return how well the parameters of a model are estimated."""
        found = self.parameter_estimator(model, names, n)
        if found is None or not self.effort.held_out:
            return None
        return self._kept(
            ("quality", model, names, n),
            lambda: quality_of(
                found.estimator,
                n_held_out=self.effort.held_out,
                seed=self.settings.seed,
                n_jobs=self.n_jobs,
            ),
        )

    @property
    def n_jobs(self) -> int:
        """Threads for what is computed in this process; one per core by default."""
        if self.engine == "serial":
            return 1
        return -1 if self.workers is None else self.workers

    # Near a network

    def near(
        self,
        model: str,
        posterior: ModelPosterior | None,
        n: int,
        n_nodes: int,
        deadline: float | None = None,
    ) -> NearRows:
        """Return simulations of a model with parameters from its posterior, to show how it differs.

        There are none if hardly any network with these parameters has the density, or if most fail.
        """
        found = self.space[model]
        if posterior is not None:
            found = replace(found, draws=posterior.draws)
        simulator = ModelRows(
            ModelSpace(f"{self.space.name}, near", [found]), n_nodes, self.size.isolated,
            _features(as_given(self.features, self.settings)),
            _entropy(f"{self.settings.seed}/choose near"),
        )  # fmt: skip
        path = None
        if self.folder is not None:
            path = self.folder / f"near-{self.space.labels.index(model)}"
        frame = pd.DataFrame()
        rng = np.random.default_rng(0)
        if not isinstance(found, MatchedModel) or found.can_match(NEAR_TRIES, rng, deadline):
            with contextlib.suppress(FailedRowsError):
                frame = simulate_rows(
                    simulator, np.arange(n), seed=self.settings.seed, stream="choose near",
                    engine=self.engine, workers=self.workers, path=path, deadline=deadline,
                    on_progress=self._report(f"near {model}"),
                )  # fmt: skip
        if not len(frame):
            return NearRows(simulator, np.empty(0, int), pd.DataFrame(columns=list(self.features)))
        self.n_simulated += len(frame)
        seconds = frame.filter(like="seconds_").to_numpy(dtype=np.float64)
        self.cpu_seconds += float(np.nansum(seconds))
        good = frame[frame["failure"].isna()]
        X = good[list(self.features)].reset_index(drop=True)
        return NearRows(simulator, good["row"].to_numpy(), X)

    def networks(self, stream: Stream, model: str, n: int) -> list[Graph]:
        """Return networks of the first rows of a model in a stream, grown again."""
        found = self._tables[stream.name].get(model)
        if found is None:
            return []
        i, step = self.space.labels.index(model), len(self.space)
        simulator = self.simulator(stream)
        with threads(self.n_jobs) as run:
            return [
                graph
                for _, graph in run(simulator.network, (found.numbers[:n] * step + i).tolist())
            ]

    def power(self, model: str, names: tuple[str, ...], n: int) -> dict[str, Noticed]:
        """Return the share of n altered networks of a model that the test notices, by kind of alteration.

        The score for this is trained without these kinds, so that it can only notice less than the score
        that is used.
        """
        return self._kept(("power", model, names, n), lambda: self._power(model, names, n))

    def _power(self, model: str, names: tuple[str, ...], n: int) -> dict[str, Noticed]:
        found = self._tables[ALTERED.name][model]
        known = found.numbers[found.first(self.n_altered)]
        others = np.array([trained_kind(int(number)) not in HELD_BACK for number in known])
        altered = self.X(ALTERED, model, names, stop=self.n_altered)[others]
        if len(altered) < MIN_TRAINING:
            return {}
        score = self._score(model, names, altered)
        most = max(MIN_ALTERED, MAX_ALTERED_NODES // self.size.nodes[1])
        networks = self.networks(CALIBRATION, model, min(n, most))
        given, scores = as_given(names, self.settings), {}
        for kind, alter in ALTERATIONS.items():
            rng = np.random.default_rng(_entropy(f"{self.settings.seed}/{kind}"))
            rows = [compute_features(alter(graph, rng), given).values for graph in networks]
            X = pd.DataFrame(rows)[list(names)].dropna().to_numpy(dtype=np.float64)
            if len(X):
                scores[kind] = score(X)
        return noticed(score(self.X(CALIBRATION, model, names)), scores)

    # Costs

    def costs(self) -> CostModel:
        """Return the measured CPU seconds of the features, on average over the training rows."""
        planned = plan(_features(as_given(self.features, self.settings)))
        names = [item.name for item in planned.features]
        if not self._timed:
            return CostModel(dict.fromkeys(names, 0.0))
        timed = pd.concat(self._timed, ignore_index=True)
        own = {**dict.fromkeys(names, 0.0), **mean_seconds(timed, OWN_PREFIX)}
        uses = {name: [n for n in planned.lineage[name] if n != name] for name in own}
        return CostModel(own, uses, mean_seconds(timed, STEP_PREFIX))

    # In other processes

    def for_worker(self) -> Reference:
        """Return what a worker process needs to answer: it adds no rows to these simulations."""
        return self.with_options(
            engine="serial", workers=1, folder=None, on_progress=None, is_frozen=True
        )

    def with_options(self, **options: Any) -> Reference:
        """Return the same with other options, such as the folder of simulations near a network."""
        made = object.__new__(type(self))
        made.__dict__ = self.__dict__ | options
        return made


@dataclass(frozen=True)
class ParameterEstimator:
    """What estimates the parameters of one model.

    ``estimator`` holds the simulations, and ``bounds`` the bounds of the priors. ``integers`` names the
    integer parameters. ``constants`` holds parameters that have the same value in all simulations, for
    example because only this value matches the density.
    """

    estimator: PosteriorEstimator
    bounds: dict[str, tuple[float, float]]
    integers: frozenset[str]
    constants: dict[str, float]

    def posterior(self, observed: Mapping[str, float]) -> ModelPosterior:
        """Return the posterior, given the features of a network."""
        values = {name: observed[name] for name in self.estimator.features}
        with one_blas_thread():
            return ModelPosterior(posterior_of(self.estimator, values), self)


@dataclass(frozen=True)
class ModelPosterior:
    """The posterior of a model's parameters for one network, and what it was estimated with."""

    posterior: Posterior
    source: ParameterEstimator

    @property
    def draws(self) -> Draws:
        """Draws from the posterior."""
        frame = self.posterior.draws.assign(**self.source.constants)
        columns = [
            [int(x) if name in self.source.integers else float(x) for x in frame[name]]
            for name in frame
        ]
        return Draws(tuple(map(str, frame.columns)), tuple(zip(*columns, strict=True)))


@dataclass(frozen=True)
class NearRows:
    """Simulations of one model near a network: their features, and what grows the networks again."""

    simulator: ModelRows
    numbers: np.ndarray
    X: pd.DataFrame

    def networks(self, n: int, n_jobs: int | None = None) -> list[Graph]:
        """Return the first networks."""
        with threads(n_jobs) as run:
            return [graph for _, graph in run(self.simulator.network, self.numbers[:n].tolist())]


def _features(given: Sequence[str | Feature]) -> tuple[Feature, ...]:
    return plan(tuple(map(find, given))).features


def _entropy(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=16).digest(), "little")


def _predict(model: Model | None) -> None:
    if isinstance(model, MatchedModel) and is_ours(model.function):
        _ = model.prediction


def _reason(frame: pd.DataFrame, name: str) -> str:
    """Return why a feature has no value on some row."""
    texts = frame["not_computed"].dropna() if "not_computed" in frame else ()
    for text in texts:
        for line in str(text).split("\n"):
            if line.startswith(f"{name}: "):
                return line.removeprefix(f"{name}: ")
    return "it needs a shared step that has none"
