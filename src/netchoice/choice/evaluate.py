"""Evaluate how few features of a table are enough: the result, its tables, figures and report."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from netchoice.atomic import write_text
from netchoice.choice.rank import selectors_for
from netchoice.choice.reference import Progress
from netchoice.choice.shortcuts import draw_one, write_page
from netchoice.choice.tables import (
    Costs,
    CostSource,
    Table,
    describe_target,
    find_costs,
    load_table,
    varying_features,
)
from netchoice.costs import CostModel
from netchoice.errors import UsageError
from netchoice.evaluation import (
    PAPER_PENALTIES,
    RecommendedSet,
    evaluate_rankings,
    pareto_front,
    penalty_grid,
    recommended_set,
)
from netchoice.evaluation.by_row import acquire_rows, class_recall
from netchoice.evaluation.recommendation import format_accuracy
from netchoice.evaluation.scores import make_folds
from netchoice.markup import summary_html
from netchoice.progress import listener, shows_progress
from netchoice.selection import AcquiringClassifier, rank_path
from netchoice.storage.kept_files import fingerprint_of, parsing, read_json, write_json
from netchoice.storage.records import from_record, plain, to_csv
from netchoice.storage.run_folder import (
    KEPT,
    REPORT,
    SCORES,
    TABLES,
    disk_errors,
    listed_writes,
    versions,
    written_folder,
)
from netchoice.stores import place
from netchoice.targets import rows_of
from netchoice.threads import count_threads
from netchoice.units import duration, in_seconds, parse_budget
from netchoice.validation import check_integer, check_non_negative

if TYPE_CHECKING:
    import pandas as pd

#: Rankings to evaluate, unless the user names methods: of pairs of features, and of sets.
DEFAULT_METHODS = ("jmi", "forward-regression")
#: Penalties of the grid "auto".
N_PENALTIES = 8
#: Names of classifiers, of which "auto" takes the more accurate one.
CLASSIFIERS = ("linear", "knn")
#: The recommendation in a folder, and what the report shows besides.
RECOMMENDED, DETAILS = "recommended.json", f"{KEPT}/evaluation.json"
_ADVICE = "run netchoice evaluate again with the same folder to renew it"


@dataclass(frozen=True)
class FeatureEvaluation:
    """Accuracy against cost for many sets of features; returned by :func:`evaluate_features`.

    ``evaluation`` is a frame as :func:`netchoice.evaluation.evaluate_rankings` returns it,
    ``rankings`` one of :func:`netchoice.selection.rank_path`. ``cost_source`` says where the costs come
    from, ``settings`` what the result depends on besides the rows, with the versions of packages.
    ``recall`` has the share of each class that the recommended set predicts correctly.
    ``row_by_row`` compares sets with :class:`netchoice.selection.AcquiringClassifier`, which decides for each
    row what to pay for: its ``accuracy`` and mean ``cost``, and the best set (``features``,
    ``set_accuracy``) at no more than this cost. It is empty without costs, for numbers, and for other scores
    than the accuracy.
    """

    recommended: RecommendedSet
    evaluation: pd.DataFrame = field(repr=False)
    rankings: pd.DataFrame = field(repr=False)
    costs: CostModel = field(repr=False)
    cost_source: str
    settings: dict[str, Any]
    recall: dict[str, float] = field(repr=False)
    row_by_row: dict[str, Any] = field(repr=False)

    @property
    def in_seconds(self) -> bool:
        """Whether the costs are times."""
        return in_seconds(self.cost_source)

    def as_dict(self) -> dict[str, Any]:
        """Return what ``recommended.json`` holds."""
        return {
            "costs": self.cost_source,
            "recommended": self.recommended.as_dict(),
            "recall": self.recall,
            "row_by_row": self.row_by_row,
            "front": self._steps(),
            "settings": self.settings,
        }

    def save(self, folder: str | PathLike[str]) -> Path:
        """Write the recommendation, the evaluation, the rankings and the costs."""
        folder = place(folder)
        tables, run = folder / TABLES, fingerprint_of(self.settings)
        joined = self.evaluation.assign(features=self.evaluation["features"].map(";".join))
        details = {
            "costs": self.costs.as_dict(),
            "rankings": self.rankings.to_dict("list"),
            "evaluation": self.evaluation.to_dict("list"),
        }
        with disk_errors(folder), listed_writes(folder):
            for each in (tables, folder / KEPT):
                each.mkdir(parents=True, exist_ok=True)
            write_text(tables / "rankings.csv", to_csv(self.rankings))
            write_text(tables / "evaluation.csv", to_csv(joined.drop(columns="scores")))
            write_text(tables / "costs.json", json.dumps(self.costs.as_dict(), indent=2))
            write_json(folder / DETAILS, details, run)
            write_json(folder / RECOMMENDED, self.as_dict(), run)
        return folder

    @classmethod
    def load(cls, folder: str | PathLike[str]) -> Self:
        """Return the evaluation in a folder that :func:`evaluate_features` or a command wrote."""
        import pandas as pd

        path = place(folder)
        record = read_json(path / RECOMMENDED, advice=_ADVICE)
        with parsing(path / RECOMMENDED, _ADVICE):
            run = fingerprint_of(record["settings"])
            details = read_json(path / DETAILS, run, advice=_ADVICE)
            evaluation = pd.DataFrame(details["evaluation"])
            for name in ("features", "scores"):
                evaluation[name] = evaluation[name].map(tuple)
            return cls(
                recommended=from_record(RecommendedSet, record["recommended"]),
                evaluation=evaluation,
                rankings=pd.DataFrame(details["rankings"]),
                costs=CostModel(**details["costs"]),
                cost_source=record["costs"],
                settings=record["settings"],
                recall=record["recall"],
                row_by_row=record["row_by_row"],
            )

    def __repr__(self) -> str:
        point = self.recommended
        accuracy = format_accuracy(point.accuracy, point.measure)
        return (
            f"<FeatureEvaluation: {len(self.evaluation)} sets of features; recommended: "
            f"{', '.join(point.features)} ({point.measure} {accuracy})>"
        )

    def _repr_html_(self) -> str:
        point = self.recommended
        cost, front = f"cost_{point.charge}", self.to_frame()
        rows = [
            (row["method"], f"{row['penalty']:.3g}", ", ".join(row["features"]),
             format_accuracy(row["accuracy"], point.measure), self._cost_text(row[cost]))
            for _, row in front.iterrows()
        ]  # fmt: skip
        head = ("method", "penalty", "features", point.measure, f"cost, {point.charge}")
        recommended = ", ".join(point.features)
        lines = [
            f"the recommended set costs {self._cost_text(point.cost)}; {point.measure} on rows that were "
            f"not used to choose: {format_accuracy(point.accuracy, point.measure)}",
            f"the table lists the {len(front)} sets that no other of {len(self.evaluation)} beats in cost "
            f"and {point.measure}",
        ]
        return summary_html(f"Recommended ({point.rule}): {recommended}", head, rows, lines)

    def _cost_text(self, cost: float) -> str:
        return duration(cost) if self.in_seconds else f"{cost:.4g}"

    def to_frame(self) -> pd.DataFrame:
        """Return the sets that no other beats in cost and accuracy, cheapest first."""
        cost = f"cost_{self.recommended.charge}"
        kept = ["method", "penalty", "k", "features", "accuracy", "accuracy_se", cost]
        by = cost if self.evaluation[cost].any() else "k"
        return pareto_front(self.evaluation, cost=by)[kept]

    def _steps(self) -> list[dict[str, Any]]:
        """Return what more money buys: sets of the front that gain at least the loss that is allowed."""
        cost = f"cost_{self.recommended.charge}"
        steps: list[dict[str, Any]] = []
        for row in self.to_frame().to_dict("records"):
            if not steps or row["accuracy"] >= steps[-1]["accuracy"] + self.settings["loss"]:
                accuracy = float(row["accuracy"])
                names = list(row["features"])
                steps.append({"cost": float(row[cost]), "accuracy": accuracy, "features": names})
        return steps

    def plot(self, figure: str = "pareto") -> Any:
        """Draw a figure of the evaluation; return its Axes, which a notebook shows.

        ``figure`` is "costs", "pareto" or "ranking-METHOD".
        """
        return draw_one("evaluation_drawings", self, figure)

    def report(self, path: str | PathLike[str] = "report.html", *, overwrite: bool = False) -> Path:
        """Write the HTML report, as ``netchoice evaluate`` does, and return its path.

        A file that exists is refused, unless ``overwrite`` is true.
        """
        return write_page(self, path, overwrite)


@shows_progress(units={"ranking": "rankings", "evaluating": "rankings"})
def evaluate_features(
    train: Table,
    test: Table | None = None,
    *,
    methods: Iterable[str] | None = None,
    penalties: str | Iterable[float] = "auto",
    max_features: int = 15,
    classifier: Any = "auto",
    scoring: Any = None,
    folds: int = 5,
    repeats: int = 2,
    loss: float = 0.01,
    budget: float | str | None = None,
    costs: Costs | None = None,
    charge: str = "shared",
    label: str = "label",
    target: str = "auto",
    rows: int | None = None,
    seed: int = 1,
    workers: int | None = None,
    out: str | PathLike[str] | None = None,
    on_progress: Progress | bool | None = None,
) -> FeatureEvaluation:
    """Rank features with many methods and penalties, evaluate the rankings, and recommend a set.

    Parameters
    ----------
    train : ReferenceTable or path
        A table, its folder, or a CSV or Parquet file. Values may be missing, and text is a category.
    test : ReferenceTable or path, optional
        The table to evaluate on; the first table then ranks only. By default all rows of the first table
        are divided into folds: the training rows of a fold rank the features and train the classifier, and
        the other rows test it.
    methods : iterable of str, optional
        Names, also ``module:attribute``. By default "jmi" and "forward-regression".
    penalties : "auto", "paper" or iterable of float
        Values of λ, for costs that are divided by their sum. "auto" is a grid that suits the costs;
        "paper" is the paper's grid.
    max_features : int
        Sets of 1 to so many features are evaluated.
    classifier : "auto", "linear", "knn", ``module:attribute`` or scikit-learn estimator
        As in :func:`netchoice.evaluation.evaluate_rankings`. "auto": "linear" or "knn", whichever reaches
        the better score on one ranking.
    scoring : optional
        As in :func:`netchoice.evaluation.scorers.make_scoring`; by default accuracy, and R² for numbers.
    folds, repeats : int
        How often the rows are divided into how many folds. There are fewer folds if a class has fewer rows.
    loss : float
        The recommended set is the cheapest one that loses at most so much against the best set; see
        :func:`netchoice.evaluation.recommended_set`.
    budget : float or str, optional
        The largest cost of the recommended set, which is then the best one. A share such as "20%" is of
        what all features together cost.
    costs : optional
        As in :func:`~netchoice.choice.tables.find_costs`.
    charge : "shared" or "alone"
        How a set of features is billed.
    label, target
        The column to predict, and what it holds; as in :func:`netchoice.rank_features`.
    rows : int, optional
        Use so many rows of each table only, drawn at random with the seed; by default at most 5,000.
    seed : int
    workers : int, optional
        Threads; one per core by default.
    out : path, optional
        Folder for the results. An interrupted evaluation is resumed there.
    on_progress : callable or bool, optional
        Called with the name of the stage, and the rankings done, in total, and failed. True shows the
        progress, False shows nothing. By default it is shown in a terminal or a notebook.

    Returns
    -------
    FeatureEvaluation

    Examples
    --------
    >>> import netchoice
    >>> table = netchoice.simulate_table(
    ...     "ba", n_nodes=40, n_samples=160, seed=1, engine="serial",
    ...     features=["degree_mean", "transitivity", "noise_normal"])
    >>> result = netchoice.evaluate_features(table, methods=["jmi"], max_features=2)
    >>> result.recommended.features
    ('degree_mean',)
    """
    check_non_negative("loss", loss)
    if budget is not None:
        parse_budget(budget)  # a wrong budget is refused before the work
    loaded = load_table(train, label, target, costs=costs, rows=rows, seed=seed)
    first = varying_features(loaded)
    second = None
    if test is not None:
        second = load_table(test, label, first.target.kind, rows=rows, seed=seed)
    source = find_costs(loaded, costs)
    _check_unit(budget, source)
    folder = None if out is None else place(out)
    model = source.for_features(first.features)
    n_jobs, report = workers or count_threads(-1), listener(on_progress)
    tested = first if second is None else second
    names = DEFAULT_METHODS if methods is None else tuple(dict.fromkeys(methods))
    grid = _penalties(penalties, model, first.features)
    most = min(check_integer("max_features", max_features), len(first.features))
    n_folds = min(folds, max(2, int(np.bincount(tested.target.strata).min())))
    repeats = check_integer("repeats", repeats)
    selectors = selectors_for(
        first, names, costs=source.model, budget=budget, charge=charge, seed=seed, n_jobs=n_jobs,
    )  # fmt: skip
    splits = make_folds(tested.target, n_folds, seed, repeats)
    with written_folder(folder, (RECOMMENDED, REPORT)):
        # Progress counts the rankings of all rows and, without a second table, of each fold.
        parts = [None, *(fold for fold, _ in splits)] if second is None else [None]
        X = first.X
        ranked = [
            rank_path(
                selectors,
                X if part is None else X.iloc[part],
                first.target if part is None else rows_of(first.target, part),
                penalties=grid,
                n_positions=most if i else None,
                on_progress=_stage(report, "ranking", i, len(parts)),
            )
            for i, part in enumerate(parts)
        ]
        evaluate = partial(
            evaluate_rankings,
            table=tested,
            ks=range(1, most + 1),
            scoring=scoring,
            folds=n_folds,
            repeats=repeats,
            costs=model,
            features=first.features,
            seed=seed,
            n_jobs=n_jobs,
        )
        chosen = _better_classifier(evaluate, ranked) if classifier == "auto" else classifier
        evaluation = evaluate(
            ranked[0],
            classifier=chosen,
            by_fold=ranked[1:] or None,
            path=None if folder is None else folder / SCORES,
            on_progress=_stage(report, "evaluating"),
        )
        point = recommended_set(
            evaluation, loss=loss, budget=budget, charge=charge, repeats=repeats
        )
        settings = {
            "train": _name(train), "test": _name(test), "methods": names, "penalties": grid,
            "max_features": max_features, "classifier": chosen, "scoring": scoring, "folds": n_folds,
            "repeats": repeats, "loss": loss, "budget": budget, "charge": charge,
            "label": label, "target": describe_target(first), "seed": seed,
            "rows": [len(each) for each in (first, second) if each is not None],
            "constant": [name for name in loaded.features if name not in set(first.features)],
            **versions(),
        }  # fmt: skip
        by_row = {}
        if source.model is not None and point.measure == "accuracy":
            acquiring = AcquiringClassifier(budget=budget, charge=charge)
            by_row = acquire_rows(acquiring, tested, first.features, model, splits[:n_folds])
        result = FeatureEvaluation(
            recommended=point,
            evaluation=evaluation,
            rankings=ranked[0],
            costs=model,
            cost_source=source.name,
            settings=plain(settings),
            recall=class_recall(chosen, tested, point.features, splits),
            row_by_row=by_row and by_row | _best_within(evaluation, by_row["cost"], charge),
        )
        if folder is not None:
            result.save(folder)
        return result


def _best_within(evaluation: pd.DataFrame, cost: float, charge: str) -> dict[str, Any]:
    """Return the most accurate set for a cost; nothing if no set costs so little."""
    affordable = evaluation[evaluation[f"cost_{charge}"] <= cost]
    if not len(affordable):
        return {}
    best = affordable.loc[affordable["accuracy"].idxmax()]
    return {"features": list(best["features"]), "set_accuracy": float(best["accuracy"])}


def _better_classifier(evaluate: Callable[..., pd.DataFrame], ranked: list[pd.DataFrame]) -> str:
    """Return the classifier that reaches the better score on the first ranking; "linear" on a tie."""
    method, penalty = ranked[0].iloc[0][["method", "penalty"]]
    parts = [each[(each["method"] == method) & (each["penalty"] == penalty)] for each in ranked]
    return max(
        CLASSIFIERS,
        key=lambda name: evaluate(parts[0], by_fold=parts[1:] or None, classifier=name)[
            "accuracy"
        ].max(),
    )


def _check_unit(budget: float | str | None, source: CostSource) -> None:
    if isinstance(budget, str) and budget.strip()[-1:].isalpha() and not source.in_seconds:
        raise UsageError(
            f"the budget {budget} is a time, but the costs from {source.name} are not times; give a "
            "number in their unit, or a share such as 2%"
        )


def _penalties(
    penalties: str | Iterable[float], costs: CostModel, features: list[str]
) -> tuple[float, ...]:
    if penalties == "paper":
        return PAPER_PENALTIES
    if penalties == "auto":
        return tuple(penalty_grid(costs, features, N_PENALTIES))
    try:
        return tuple(float(value) for value in penalties)
    except ValueError:
        raise UsageError(
            f"penalties {penalties!r}; expected auto, paper, or numbers such as 0, 0.1, 1, 10"
        ) from None


def _stage(
    report: Progress | None, stage: str, part: int = 0, n_parts: int = 1
) -> Callable[[int, int], None] | None:
    return report and (lambda done, total: report(stage, part * total + done, n_parts * total, 0))


def _name(table: Table | None) -> str | None:
    return str(table) if isinstance(table, str | PathLike) else None
