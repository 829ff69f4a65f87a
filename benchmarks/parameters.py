"""Compare methods for the posterior of the parameters, and sets of features for it.

Every space is simulated 1500 times for each model with all features except noise, as for the fit of
``netchoice choose``. The methods are trained on the simulations of one model, and predict the parameters
of the same test networks:

- adjustment: rejection of all but the 4√n nearest simulations, then local linear adjustment (Beaumont et
  al. 2002);
- posterior: ``netchoice.inference.posterior``, from all features, or from a cheap set;
- forest, net, ridge: ``posterior`` from learnt summaries, the predictions of the parameters by a random
  forest (out-of-bag for the training rows), by a neural net, or by ridge regression on the rank scores
  with all their products (both with cross-fitted predictions for the training rows);
- pyabcranger: the weights of its regression forest, 500 trees for each parameter.

A cheap set costs at most 6 % of all features, with shared steps paid once. Features are added that lower
the leave-one-out error of the linear regression of the parameters on the rank scores and their squares,
over all models of the space. The cheap set is simulated again, 10,000 times for each model.

Ratios compare a method with ``posterior`` from all features on the same networks; the standard error
follows ±. The test networks of "foreign" were grown by the reference implementations in tests/naive.py.
Methods were tuned with seed 1; the default seed 2 is for reporting.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats
from scipy.spatial.distance import cdist
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import cross_val_predict
from sklearn.neural_network import MLPRegressor

import netchoice
from netchoice import ModelSpace
from netchoice.inference import posterior
from netchoice.inference.neighbour_weights import distances, epanechnikov
from netchoice.inference.posterior import N_DRAWS, _interval
from netchoice.inference.scaling import Scaling
from netchoice.inference.summary_likelihood import PriorScale, SummaryLikelihood, draw_posterior

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
import naive

NAMES = netchoice.feature_names(noise=False)
N_TRAIN, N_LARGE = 1500, 10_000  # simulations of each model
MAX_CENTRES = 2000  # rows of a kernel regression
MAX_COST_SHARE, MAX_FEATURES = 0.06, 12  # of a cheap set
TAILS = (0.025, 0.975)
WIDE = netchoice.get_space("mechanisms")
SPACES = {
    "duplication, 300 nodes": (netchoice.get_space("duplication"), 300),
    "foreign, 300 nodes": (netchoice.get_space("duplication"), 300),
    "duplication, 100 nodes": (netchoice.get_space("duplication"), 100),
    "wide duplication, 100 nodes": (ModelSpace("wide", [WIDE["dmc"], WIDE["dmr"]]), 100),
    "attachment, 300 nodes": (ModelSpace("attachment", [WIDE["lpa"], WIDE["agv"]]), 300),
    "random graphs, 100 nodes": (
        ModelSpace("random", [WIDE["rds"], WIDE["rdg"], WIDE["smw"]]),
        100,
    ),
}


@dataclass
class Task:
    """One model: its simulations, the test networks, and the bounds of its parameters."""

    X: pd.DataFrame
    parameters: pd.DataFrame
    queries: pd.DataFrame
    truth: pd.DataFrame
    bounds: dict[str, tuple[float, float]]

    def only(self, features: list[str]) -> Task:
        """Return the task with these features only."""
        features = [name for name in features if name in self.X]
        return Task(
            self.X[features], self.parameters, self.queries[features], self.truth, self.bounds
        )


@dataclass
class Answer:
    """Posterior of one network: values (m, p), their weights (m, p), and 95 % intervals (p, 2)."""

    values: np.ndarray
    weights: np.ndarray
    intervals: np.ndarray | None = None


Method = Callable[[Task], Iterable[Answer]]


# Methods


def adjustment(task: Task) -> Iterable[Answer]:
    """Yield the nearest simulations, adjusted by a local linear regression."""
    scaling = Scaling.fit(task.X, "rank")
    X, queries = scaling.transform(task.X), scaling.transform(task.queries)
    k = round(4 * np.sqrt(len(X)))
    _, distance = next(distances(X, queries))
    for query, rows, weights in zip(queries, *epanechnikov(distance, k), strict=True):
        drawn, root = task.parameters.to_numpy()[rows], np.sqrt(weights)[:, None]
        steps = np.column_stack([np.ones(k), X[rows] - query])
        slopes = np.linalg.lstsq(root * steps, root * drawn, rcond=1e-6)[0]
        adjusted = drawn - steps[:, 1:] @ slopes[1:]
        yield Answer(adjusted, np.tile(weights[:, None], drawn.shape[1]))


def ours(task: Task, **settings: int) -> Iterable[Answer]:
    """Yield the posterior of netchoice."""
    for _, query in task.queries.iterrows():
        found = posterior(task.X, task.parameters, query, bounds=task.bounds, **settings)
        ends = np.array([found.intervals[name] for name in task.parameters])
        yield Answer(found.draws.to_numpy(), np.ones(found.draws.shape), ends)


def half_accepted(task: Task) -> Iterable[Answer]:
    """Yield the posterior of netchoice from the nearest half of the simulations."""
    return ours(task, n_accept=len(task.X) // 2)


def of_summaries(learn: Callable) -> Method:
    """Return the method that passes learnt summaries to the posterior as its only features."""

    def answers(task: Task) -> Iterable[Answer]:
        scaling = Scaling.fit(task.X, "rank")
        targets = stats.zscore(task.parameters.to_numpy())
        found = learn(scaling.transform(task.X), targets, scaling.transform(task.queries))
        own, new = (pd.DataFrame(summaries, columns=list(task.parameters)) for summaries in found)
        return ours(Task(own, task.parameters, new, task.truth, task.bounds))

    return answers


def kernel_likelihood(task: Task) -> Iterable[Answer]:
    """Yield the posterior whose likelihood is that of the summaries of a Gaussian kernel."""
    scaling, limits = Scaling.fit(task.X, "rank"), list(task.bounds.values())
    drawn = task.parameters.to_numpy()
    prior = PriorScale.fit(drawn, limits)
    units = prior.to_unit(drawn)
    own, new = learn_kernel(scaling.transform(task.X), units, scaling.transform(task.queries))
    unit = np.std(own - units, axis=0)
    for observed in new:
        nearest = np.argsort(np.linalg.norm((own - observed) / unit, axis=1))
        near = nearest[: round(4 * np.sqrt(len(own)))]
        error = np.sqrt(np.mean((own - units)[near] ** 2, axis=0))
        likelihood = SummaryLikelihood.of_summaries(observed, own, units, error)
        found = draw_posterior(N_DRAWS, units, likelihood, prior, np.random.default_rng(0))
        draws = prior.from_unit(found)
        ends = [
            _interval(column, 0.95, limit) for column, limit in zip(draws.T, limits, strict=True)
        ]
        yield Answer(draws, np.ones(draws.shape), np.array(ends))


def learn_forest(X: np.ndarray, targets: np.ndarray, queries: np.ndarray):
    """Return out-of-bag predictions for the training rows, and predictions for the queries."""
    forests = [
        RandomForestRegressor(
            300, max_features=1 / 3, min_samples_leaf=3, oob_score=True, random_state=0
        ).fit(X, target)
        for target in targets.T
    ]
    own = np.column_stack([forest.oob_prediction_ for forest in forests])
    return own, np.column_stack([forest.predict(queries) for forest in forests])


def learn_net(X: np.ndarray, targets: np.ndarray, queries: np.ndarray):
    """Return predictions by 5 folds for the training rows, and predictions for the queries."""
    net = MLPRegressor(
        hidden_layer_sizes=(64,), alpha=0.1, early_stopping=True, max_iter=300, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a single parameter is a column, and not a vector
        own = cross_val_predict(net, X, targets, cv=5).reshape(targets.shape)
        return own, net.fit(X, targets).predict(queries).reshape(len(queries), -1)


def learn_products(X: np.ndarray, targets: np.ndarray, queries: np.ndarray):
    """Return predictions by ridge regression on the scores and all their products."""
    return kernel_ridge(lambda a, b: (1 + a @ b.T / a.shape[1]) ** 2, X, targets, queries)


def learn_kernel(X: np.ndarray, targets: np.ndarray, queries: np.ndarray):
    """Return predictions by ridge regression with a Gaussian kernel."""

    def gaussian(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.exp(-0.3 / a.shape[1] * cdist(a, b, "sqeuclidean"))

    return kernel_ridge(gaussian, X, targets, queries)


def kernel_ridge(kernel: Callable, X: np.ndarray, targets: np.ndarray, queries: np.ndarray):
    """Return leave-one-out predictions for the training rows, and predictions for the queries.

    The regression uses at most 2000 rows. Its penalty minimises the leave-one-out error.
    """
    X, queries = X.clip(-4, 4), queries.clip(-4, 4)
    centres, mean = X[:MAX_CENTRES], targets.mean(axis=0)
    values, vectors = np.linalg.eigh(kernel(centres, centres))
    projected = vectors.T @ (targets[:MAX_CENTRES] - mean)
    own, new = kernel(X, centres), kernel(queries, centres)
    predicted_own, predicted_new = np.empty(targets.shape), np.empty((len(queries), len(mean)))
    for j, column in enumerate(projected.T):
        fits = []
        for penalty in 10.0 ** np.arange(-4, 2.5, 0.5):
            shrunk = 1 / (values.clip(0) + penalty)
            weights = vectors @ (shrunk * column)
            residuals = weights / (vectors**2 @ shrunk)
            fits.append((residuals @ residuals, weights, residuals))
        _, weights, residuals = min(fits, key=lambda fit: fit[0])
        predicted_own[:, j], predicted_new[:, j] = own @ weights, new @ weights
        predicted_own[:MAX_CENTRES, j] = (targets[:MAX_CENTRES] - mean)[:, j] - residuals
    return predicted_own + mean, predicted_new + mean


def peer(task: Task) -> Iterable[Answer]:
    """Return the weighted training parameters of pyabcranger's regression forest."""
    import pyabcranger

    # pyabcranger does not copy the arrays: they must live as long as its table.
    X, drawn = np.asfortranarray(task.X), np.asfortranarray(task.parameters)
    names, n = list(task.parameters), len(X)
    table = pyabcranger.reftable(
        n, [n], [len(names)], names, list(task.X.columns), X, drawn, [1.0] * n
    )
    values, weights = [], []
    for name in names:
        options = f"--parameter {name} --chosenscen 1 --ntree 500 --noob 50 --threads 1 --seed 1"
        found = pyabcranger.estimparam_multi(
            table, np.asfortranarray(task.queries), options, True, False
        ).values_weights
        values.append([value for value, _ in found])
        weights.append([weight for _, weight in found])
    return [
        Answer(np.array(values).T, np.array(weights)[:, :, i].T) for i in range(len(task.queries))
    ]


# Scores


def scores(answer: Answer, truth: np.ndarray) -> np.ndarray:
    """Return error of the mean, CRPS, rank of the truth, coverage and width, for each parameter."""
    rows = []
    for j, true in enumerate(truth):
        order = np.argsort(answer.values[:, j])
        values, weights = answer.values[order, j], answer.weights[order, j]
        weights = weights / weights.sum()
        total = np.cumsum(weights)
        if answer.intervals is None:
            low, high = values[np.searchsorted(total, TAILS)]
        else:
            low, high = answer.intervals[j]
        spread = 2 * (weights * values) @ (2 * total - weights - 1)  # mean difference of two draws
        crps = weights @ np.abs(values - true) - spread / 2
        rank = weights @ ((values < true) + 0.5 * (values == true))
        rows.append([weights @ values - true, crps, rank, low <= true <= high, high - low])
    return np.array(rows)


def measured(method: Method, task: Task) -> tuple[np.ndarray, float]:
    """Return the scores (m, p, 5) of all test networks, and CPU seconds for each network."""
    start = time.process_time()
    answers = list(method(task))
    seconds = (time.process_time() - start) / len(answers)
    truth = task.truth.to_numpy()
    return np.array([scores(a, t) for a, t in zip(answers, truth, strict=True)]), seconds


def ratio(losses: np.ndarray, base: np.ndarray) -> tuple[float, float]:
    """Return the ratio of mean losses (m, p), averaged over parameters, and its standard error."""
    means = base.mean(axis=0)
    own, reference = (losses / means).mean(axis=1), (base / means).mean(axis=1)
    mean = own.mean()
    return mean, float(np.std(own - mean * reference, ddof=1) / np.sqrt(len(own)))


# Sets of features


@dataclass
class Scored:
    """Rank scores and parameters of the models of a space, to compare sets of features."""

    scores: list[pd.DataFrame]
    targets: list[np.ndarray]
    costs: netchoice.CostModel

    @classmethod
    def of(cls, tasks: Iterable[Task], costs: netchoice.CostModel, n: int = N_TRAIN) -> Scored:
        """Return the scores of the first n simulations of every model."""
        tasks = list(tasks)
        frames = [
            pd.DataFrame(
                Scaling.fit(t.X[:n], "rank").transform(t.X[:n]), columns=t.X.columns
            ).reindex(columns=NAMES, fill_value=0.0)  # constant for this model
            for t in tasks
        ]
        return cls(frames, [stats.zscore(t.parameters[:n].to_numpy()) for t in tasks], costs)

    def error(self, features: list[str], criterion: str) -> float:
        """Return the root mean square error in prior deviations: the geometric mean of all."""
        errors = []
        for frame, targets in zip(self.scores, self.targets, strict=True):
            residuals = CRITERIA[criterion](frame[features].to_numpy(), targets)
            errors += list((residuals**2).mean(axis=0))
        return float(np.exp(np.mean(np.log(errors)) / 2))

    def share(self, features: list[str]) -> float:
        """Return the cost of a set relative to all features, with shared steps paid once."""
        return self.costs.cost_of_set(features, "shared") / self.costs.cost_of_set(NAMES, "shared")


def left_out(design: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Return the leave-one-out residuals of a linear regression."""
    design = np.column_stack([np.ones(len(design)), design])
    inverse = np.linalg.inv(design.T @ design + 1e-3 * np.eye(design.shape[1]))
    leverage = np.einsum("ij,jk,ik->i", design, inverse, design)
    return (targets - design @ (inverse @ (design.T @ targets))) / (1 - leverage)[:, None]


def neighbours_left_out(scores: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Return the leave-one-out residuals of the mean of the 10 nearest rows."""
    distance = cdist(scores, scores)
    np.fill_diagonal(distance, np.inf)
    nearest = np.argpartition(distance, 10, axis=1)[:, :10]
    return targets - targets[nearest].mean(axis=1)


def with_products(scores: np.ndarray) -> np.ndarray:
    """Return the columns and all products of two columns."""
    first, second = np.triu_indices(scores.shape[1])
    return np.column_stack([scores, scores[:, first] * scores[:, second]])


CRITERIA: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "linear": left_out,
    "squares": lambda scores, targets: left_out(np.column_stack([scores, scores**2]), targets),
    "products": lambda scores, targets: left_out(with_products(scores), targets),
    "10 neighbours": neighbours_left_out,
}


def cheap_set(scored: Scored, criterion: str, limit: float = MAX_COST_SHARE) -> list[str]:
    """Return the better of two greedy sets: by the fall of the error, and by its fall per cost."""
    found = [grown_set(scored, criterion, limit, per_cost) for per_cost in (False, True)]
    return min(found, key=lambda features: scored.error(features, criterion))


def grown_set(scored: Scored, criterion: str, limit: float, per_cost: bool) -> list[str]:
    """Add features while one lowers the error by 0.5 % and the set stays within the limit."""
    chosen: list[str] = []
    error, share = 1.0, 0.0
    while len(chosen) < MAX_FEATURES:
        options = []
        for name in set(NAMES) - set(chosen):
            cost = scored.share([*chosen, name])
            if cost <= limit:
                gain = np.log(error / scored.error([*chosen, name], criterion))
                options.append((gain / (max(cost - share, 1e-6) if per_cost else 1), gain, name))
        options = [option for option in options if option[1] > 0.005]
        if not options:
            break
        chosen.append(max(options)[2])
        error, share = scored.error(chosen, criterion), scored.share(chosen)
    return chosen


# Tables and parts


def simulated(name: str, folder: Path, seed: int, stream: str, n: int, features: list[str]):
    """Return a table with n simulations of each model, kept in the folder."""
    space, n_nodes = SPACES[name]
    key = f"{space.name}-{n_nodes}-{seed}-{stream}-{n}-{zlib.crc32(' '.join(features).encode())}"
    return netchoice.simulate_table(
        space, n_nodes=n_nodes, n_samples=n * len(space), seed=seed, stream=stream,
        features=features, workers=1, path=folder / key,
    )  # fmt: skip


def grown_elsewhere(name: str, n_test: int, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return labels with parameters, and features, of networks of the reference implementations."""
    (space, n_nodes), rng = SPACES[name], np.random.default_rng(1000 + seed)
    rows, features = [], []
    for model in space:
        for _ in range(n_test):
            parameters = model.sample(rng)
            graph = netchoice.Graph.of(getattr(naive, model.name)(n_nodes, rng, **parameters))
            rows.append({"label": model.name, **parameters})
            features.append(netchoice.compute_features(graph, NAMES).values)
    return pd.DataFrame(rows), pd.DataFrame(features)


def tasks_of(name: str, table, test: tuple[pd.DataFrame, pd.DataFrame], features: list[str]):
    """Return the task of every model of a space."""
    truth, queries = test
    tasks = {}
    for model in SPACES[name][0]:
        rows, asked = (table.y == model.name).to_numpy(), (truth["label"] == model.name).to_numpy()
        X = table.X.loc[rows, features].reset_index(drop=True)
        usable = [x for x in features if X[x].nunique() > 1 and X[x].notna().all()]
        usable = [x for x in usable if queries.loc[asked, x].notna().all()]
        parameters = list(model.parameters)
        priors = {x: model.parameters[x].prior for x in parameters}
        tasks[model.name] = Task(
            X[usable],
            table.parameters.loc[rows, parameters].reset_index(drop=True),
            queries.loc[asked, usable].reset_index(drop=True),
            truth.loc[asked, parameters].reset_index(drop=True),
            {x: (float(prior.low), float(prior.high)) for x, prior in priors.items()},
        )
    return tasks


METHODS: dict[str, tuple[str, Method]] = {
    "posterior": ("all", ours),
    "adjustment": ("all", adjustment),
    "posterior, cheap set": ("cheap", ours),
    "posterior, cheap set, 10,000": ("large", ours),
    "posterior, cheap set, 10,000, half accepted": ("large", half_accepted),
    "forest": ("all", of_summaries(learn_forest)),
    "net": ("all", of_summaries(learn_net)),
    "products": ("all", of_summaries(learn_products)),
    "kernel": ("all", of_summaries(learn_kernel)),
    "kernel likelihood": ("all", kernel_likelihood),
    "kernel likelihood, cheap set, 10,000": ("large", kernel_likelihood),
    "pyabcranger": ("all", peer),
}


def compare(name: str, options: argparse.Namespace) -> list[dict]:
    """Print the scores of every method, model and parameter of a space; return their ratios."""
    table = simulated(name, options.tables, options.seed, "train", N_TRAIN, NAMES)
    if name.startswith("foreign"):
        test = grown_elsewhere(name, options.foreign, options.seed)
    else:
        networks = simulated(name, options.tables, options.seed, "test", options.test, NAMES)
        test = networks.parameters.assign(label=networks.y), networks.X
    tasks = {"all": tasks_of(name, table, test, NAMES)}
    scored = Scored.of(tasks["all"].values(), table.costs)
    cheap = cheap_set(scored, "linear")
    print(f"\n{name}; {table.costs.cost_of_set(NAMES, 'shared') * 1e6:.0f} µs for all features")
    print(f"cheap set, {scored.share(cheap):.3f} of this cost: {', '.join(cheap)}")
    large = simulated(name, options.tables, options.seed, "large", N_LARGE, cheap)
    tasks["cheap"] = {model: task.only(cheap) for model, task in tasks["all"].items()}
    tasks["large"] = tasks_of(name, large, test, cheap)
    line(["model, parameter, method", "RMSE", "CRPS", "95 %", "width", "KS p", "CPU ms"])
    rows, base = [], {}
    for method in options.methods:
        source, answers = METHODS[method]
        for model, task in tasks[source].items():
            found, seconds = measured(answers, task)
            print_scores(f"{model}, {method}", list(task.parameters), found, seconds)
            base.setdefault(model, found)
            rows.append([name, method, *compared(found, base[model]), seconds])
    return rows


def print_scores(title: str, parameters: list[str], found: np.ndarray, seconds: float) -> None:
    """Print one line for each parameter."""
    for j, parameter in enumerate(parameters):
        error, crps, rank, covered, width = found[:, j].T
        uniform = stats.kstest(rank, "uniform").pvalue
        rmse = np.sqrt(np.mean(error**2))
        values = [rmse, crps.mean(), covered.mean(), width.mean(), uniform]
        line([f"{title}, {parameter}", *values, f"{1000 * seconds:.0f}"])


def compared(found: np.ndarray, base: np.ndarray) -> list[float]:
    """Return ratio and variance of RMSE and CRPS, coverage, ratio of widths, and smallest KS p."""
    square, error = ratio(found[:, :, 0] ** 2, base[:, :, 0] ** 2)
    crps, crps_error = ratio(found[:, :, 1], base[:, :, 1])
    width = np.mean(found[:, :, 4].mean(axis=0) / base[:, :, 4].mean(axis=0))
    uniform = min(stats.kstest(ranks, "uniform").pvalue for ranks in found[:, :, 2].T)
    rmse = np.sqrt(square)
    return [
        rmse, (error / 2 / rmse) ** 2, crps, crps_error**2, found[:, :, 3].mean(), width, uniform
    ]  # fmt: skip


def summarise(title: str, rows: list[list]) -> None:
    """Print the mean over models for every method."""
    columns = ["space", "method", "rmse", "rmse ±", "crps", "crps ±", "covered", "width", "ks", "s"]
    frame = pd.DataFrame(rows, columns=columns)
    print(f"\n{title}: ratios to the first method, mean of the models")
    line(["method", "RMSE", "±", "CRPS", "±", "width", "95 %", "least KS p", "CPU ms"])
    for method, group in frame.groupby("method", sort=False):
        spread = np.sqrt(group[["rmse ±", "crps ±"]].sum()) / len(group)
        mean = group.drop(columns=["space", "method"]).mean()
        line(
            [method, mean["rmse"], spread["rmse ±"], mean["crps"], spread["crps ±"], mean["width"]]
            + [mean["covered"], group["ks"].min(), f"{1000 * mean['s']:.0f}"]
        )


def line(cells: Iterable) -> None:
    """Print one row of a table."""
    first, *rest = (f"{c:.4f}" if isinstance(c, float) else str(c) for c in cells)
    print(f"{first:54}" + "".join(f"{c:>11}" for c in rest), flush=True)


def compare_sets(options: argparse.Namespace) -> None:
    """Print how well criteria predict the RMSE of the posterior, and sets at several costs."""
    name = "duplication, 300 nodes"
    table = simulated(name, options.tables, options.seed, "train", N_TRAIN, NAMES)
    networks = simulated(name, options.tables, options.seed, "test", options.test, NAMES)
    tasks = tasks_of(name, table, (networks.parameters.assign(label=networks.y), networks.X), NAMES)
    base = {model: measured(ours, task)[0] for model, task in tasks.items()}

    def final(features: list[str], models: Iterable[str]) -> float:
        found = {model: measured(half_accepted, tasks[model].only(features))[0] for model in models}
        ratios = [ratio(f[:, :, 0] ** 2, base[m][:, :, 0] ** 2)[0] for m, f in found.items()]
        return float(np.sqrt(np.mean(ratios)))

    print(f"\n{name}: sets of features, and RMSE of the posterior relative to all features")
    for models in [list(tasks), *([model] for model in tasks)]:
        scored = Scored.of([tasks[model] for model in models], table.costs)
        for limit in (0.04, 0.06, 0.08, 0.12):
            chosen = cheap_set(scored, "linear", limit)
            line(
                [
                    f"{' and '.join(models)}, share {scored.share(chosen):.3f}",
                    final(chosen, models),
                    "  " + ", ".join(chosen),
                ]
            )
    rng, rows = np.random.default_rng(options.seed), []
    sizes = {n: Scored.of(tasks.values(), table.costs, n) for n in (500, N_TRAIN)}
    for _ in range(options.sets):
        chosen = random_set(sizes[500], rng)
        errors = {(c, n): sizes[n].error(chosen, c) for c in CRITERIA for n in sizes}
        rows.append({**errors, "final": final(chosen, tasks)})
    print(f"\nrank correlation with this RMSE, over {options.sets} random sets")
    frame = pd.DataFrame(rows)
    for criterion in frame.columns[:-1]:
        found = stats.spearmanr(frame[criterion], frame["final"]).statistic
        line([f"{criterion[0]}, {criterion[1]} simulations of each model", float(found)])


def random_set(scored: Scored, rng: np.random.Generator) -> list[str]:
    """Return 3 to 10 features in random order, as many as the cost allows."""
    chosen: list[str] = []
    size = rng.integers(3, 11)
    for name in map(str, rng.permutation(NAMES)):
        if len(chosen) < size and scored.share([*chosen, name]) <= MAX_COST_SHARE:
            chosen.append(name)
    return chosen


def main() -> None:
    """Run all parts, or those named."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--parts", nargs="*", default=["methods", "sets"])
    parser.add_argument("--spaces", nargs="*", default=list(SPACES))
    parser.add_argument("--methods", nargs="*", default=list(METHODS), help="the first is the base")
    parser.add_argument("--test", type=int, default=100, help="test networks of each model")
    parser.add_argument("--foreign", type=int, default=300, help="foreign networks of each model")
    parser.add_argument("--sets", type=int, default=30, help="random sets of features")
    parser.add_argument("--seed", type=int, default=2, help="1 was used for tuning")
    parser.add_argument("--tables", type=Path, default=Path("build/parameters"))
    options = parser.parse_args()
    if "methods" in options.parts:
        rows = []
        for name in options.spaces:
            rows += compare(name, options)
            summarise(name, [row for row in rows if row[0] == name])
        summarise("all spaces", rows)
    if "sets" in options.parts:
        compare_sets(options)


if __name__ == "__main__":
    main()
