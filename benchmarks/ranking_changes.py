"""A training and a test table on which the rankings of two variants of a method are compared."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from netchoice import information
from netchoice.costs import CostModel
from netchoice.evaluation import PAPER_PENALTIES
from netchoice.evaluation.scorers import NeighboursScorer
from netchoice.evaluation.scores import Scores, make_folds
from netchoice.features import paper_costs
from netchoice.forests import grow_forest
from netchoice.selection import get_selector

KS = (1, 2, 3, 5, 10, 15)
Paths = dict[float, list[str]]  # from penalty to ranking


class Bench:
    """A training and a test table with the paper's costs, and the statistics of the methods."""

    def __init__(self, family: str, train, test) -> None:
        self.family = family
        self.train, self.test = train.drop_constant(), test
        self.names = self.train.features
        self.X, self.y = self.train.X, self.train.y
        self.paper = CostModel.of(paper_costs(family)).only(self.names)
        self.discrete = np.array([self.train.discrete[name] for name in self.names])
        self.scores = self.scores_on(test.X)
        self.records: list[dict] = []
        self.changed: dict[str, pd.DataFrame] = {}
        self.information = cache(self.information)
        self.forest = cache(self.forest)

    def scores_on(self, X: pd.DataFrame) -> Scores:
        """Return the accuracies of sets on the test table with these columns."""
        target = self.test.target
        folds = make_folds(target, 10, 0)
        scorer = NeighboursScorer(X[self.names].to_numpy(dtype=float), target, folds)
        return Scores(self.names, scorer, 10, "")

    def accuracy(self, names: list[str], scores: Scores | None = None) -> float:
        """Return the accuracy of a set on the test table."""
        scores = scores or self.scores
        scores.compute([names], [len(names)])
        return sum(scores[names].correct) / len(self.test)

    def information(
        self, estimator: str = "calibrated", seed: int = 0, relevance_seed=None, X=None
    ):
        """Return the statistics of the sequential methods; X is a key of ``changed``."""
        values = self.X if X is None else self.changed[X]
        options = {"discrete": self.discrete, "estimator": estimator}
        return SimpleNamespace(
            relevance=information.relevance(
                values, self.y, seed=seed if relevance_seed is None else relevance_seed, **options
            ),
            redundancy=information.redundancy(values, seed=seed, **options),
            conditional_redundancy=information.conditional_redundancy(
                values, self.y, seed=seed, **options
            ),
        )

    def forest(self, X=None):
        """Return a forest with both importances."""
        values = (self.X if X is None else self.changed[X]).to_numpy()
        return grow_forest(values, self.y.to_numpy(), importance=["mdi", "mda"], seed=0)

    def path(self, method: str, statistics, penalties=PAPER_PENALTIES, **parameters) -> Paths:
        """Return the rankings for the penalties, from a method's statistics."""
        parameters = {"costs": self.paper, "cost_scale": "raw", **parameters}
        selector = get_selector(method, **parameters)
        costs = selector._check_data(self.X, self.y).costs
        rankings = {}
        for penalty in penalties:
            steps = selector.set_params(penalty=penalty)._rank(statistics, costs)
            rankings[penalty] = [self.names[step.column] for step in steps]
        return rankings

    def note(
        self, number: int, deviation: str, method: str, value: str, *paths, scores=None
    ) -> None:
        """Record a result, with the differences between two paths if given."""
        line = {"number": number, "deviation": deviation, "table": self.family, "method": method}
        measures = self.compare(*paths, scores) if paths else {}
        self.records.append({**line, **measures, "value": value})

    def compare(self, ours: Paths, other: Paths, other_scores: Scores | None = None) -> dict:
        """Return the differences between two paths: common features, Kendall's tau and accuracy."""
        five, ten, taus, changes = [], [], [], []
        for one, two in zip(ours.values(), other.values(), strict=True):
            five.append(len({*one[:5]} & {*two[:5]}))
            ten.append(len({*one[:10]} & {*two[:10]}))
            places = {name: i for i, name in enumerate(two)}
            taus.append(kendalltau(range(len(one)), [places[name] for name in one]).statistic)
            self.scores.compute([one], KS)
            (other_scores or self.scores).compute([two], KS)
            changes += [self.accuracy(two[:k], other_scores) - self.accuracy(one[:k]) for k in KS]
        worst = max(changes, key=abs)
        return {
            "first_5": f"{np.mean(five):.1f} ({min(five)})",
            "first_10": f"{np.mean(ten):.1f} ({min(ten)})",
            "tau": f"{np.mean(taus):.2f} ({min(taus):.2f})",
            "mean_change": float(np.mean(changes)),
            "largest_change": float(worst),
        }
