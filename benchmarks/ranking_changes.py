"""A pair of tables on which the rankings of two ways to do a thing are compared."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

import netchoice
from netchoice import information
from netchoice.costs import CostModel
from netchoice.evaluation import PAPER_PENALTIES
from netchoice.evaluation.scores import ByNeighbours, Scores, make_folds
from netchoice.forests.forest import grow_forest
from netchoice.selection import get_selector

KS = (1, 2, 3, 5, 10, 15)
Paths = dict[float, list[str]]  # a ranking for each penalty


class Bench:
    """One pair of tables with the paper's costs, and what is learnt from them."""

    def __init__(self, family: str, train, test) -> None:
        self.family = family
        self.train, self.test = train.drop_constant(), test
        self.names = self.train.features
        self.X, self.y = self.train.X, self.train.y
        self.paper = CostModel.of(netchoice.paper_costs(family)).only(self.names)
        self.discrete = np.array([self.train.discrete[name] for name in self.names])
        self.scores = self.scores_on(test.X)
        self.records: list[dict] = []
        self.changed: dict[str, pd.DataFrame] = {}
        self.information = cache(self.information)
        self.forest = cache(self.forest)

    def scores_on(self, X: pd.DataFrame) -> Scores:
        """Of sets, on the test table with these columns."""
        codes, folds = make_folds(self.test.y.to_numpy(), 10, 0)
        scorer = ByNeighbours(X[self.names].to_numpy(dtype=float), codes, folds)
        return Scores(self.names, scorer, 10, "")

    def accuracy(self, names: list[str], scores: Scores | None = None) -> float:
        """Of a set on the test table."""
        scores = scores or self.scores
        scores.compute([names], [len(names)])
        return sum(scores[names].correct) / len(self.test)

    def information(
        self, estimator: str = "calibrated", seed: int = 0, relevance_seed=None, X=None
    ):
        """What a sequential method learns; X is a key for changed columns."""
        values = self.X if X is None else self.changed[X]
        how = {"discrete": self.discrete, "estimator": estimator}
        return SimpleNamespace(
            relevance=information.relevance(
                values, self.y, seed=seed if relevance_seed is None else relevance_seed, **how
            ),
            redundancy=information.redundancy(values, seed=seed, **how),
            conditional=information.conditional_redundancy(values, self.y, seed=seed, **how),
        )

    def forest(self, X=None):
        """Both importances of one forest."""
        values = (self.X if X is None else self.changed[X]).to_numpy()
        return grow_forest(values, self.y.to_numpy(), importance=["mdi", "mda"], seed=0)

    def path(self, method: str, learnt, penalties=PAPER_PENALTIES, **how) -> Paths:
        """Rankings along the penalties, from what was learnt."""
        how = {"costs": self.paper, "cost_scale": "raw", **how}
        selector = get_selector(method, **how)
        costs = selector._checked(self.X, self.y).costs
        found = {}
        for penalty in penalties:
            steps = selector.set_params(penalty=penalty)._rank(learnt, costs)
            found[penalty] = [self.names[step.column] for step in steps]
        return found

    def note(self, number: int, what: str, method: str, value: str, *paths, scores=None) -> None:
        """Keep a result, with how two paths differ if any are given."""
        line = {"number": number, "deviation": what, "table": self.family, "method": method}
        measures = self.compare(*paths, scores) if paths else {}
        self.records.append({**line, **measures, "value": value})

    def compare(self, ours: Paths, other: Paths, other_scores: Scores | None = None) -> dict:
        """How far two paths differ."""
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
