# %% [markdown]
# # A selector of your own, judged against the nine
#
# You have an idea for ranking features. Here it is: a feature is good if the variance *between* the
# models is large against the variance *within* them (the F ratio), and if it is not correlated with
# what was taken already. No mutual information, no forest, no neighbours: it takes milliseconds.
#
# Is it any good? Write two functions, put it beside the nine methods, and look.
#
# Run it with `python examples/method_developer.py`, or open it as a notebook. `--small` is for a
# quick try.

# %%
import argparse
from pathlib import Path

import numpy as np

import netchoice
from netchoice.evaluation import penalty_grid
from netchoice.selection import BASELINE, PAPER_METHODS, CostAwareSelector, get_selector, rank_path
from netchoice.selection.greedy import Terms

parser = argparse.ArgumentParser(description="A selector of your own, judged against the nine.")
parser.add_argument("--small", action="store_true", help="small networks, a few seconds")
parser.add_argument("--out", type=Path, default=Path("method-developer"), help="for pictures")
options, _ = parser.parse_known_args()  # a notebook has arguments of its own
nodes, rows, n_trees = (50, 200, 50) if options.small else (300, 1500, 500)


# %% [markdown]
# ## The method
# `_learn` looks at the data, whatever the costs. `_information` says what each feature would add
# to those taken. Costs, λ, ties, checks and results come from `CostAwareSelector`.


# %%
class Contrast(CostAwareSelector):
    """Log of the F ratio, minus the mean squared correlation with what was taken, times itself."""

    method = "contrast"

    def _compute_statistics(self, data, group):
        ranks = data.X.argsort(axis=0).argsort(axis=0).astype(float)  # tame heavy tails
        classes = range(len(data.classes))
        means = np.array([ranks[data.y == c].mean(axis=0) for c in classes])
        shares = np.bincount(data.y) / len(data.y)
        between = shares @ (means - ranks.mean(axis=0)) ** 2
        contrast = np.log1p(between / np.maximum(ranks.var(axis=0) - between, 1e-12))
        return contrast, np.corrcoef(ranks, rowvar=False) ** 2

    def _information(self, statistics, selected):
        contrast, similarity = statistics
        overlap = similarity[selected].mean(axis=0) if selected else np.zeros_like(contrast)
        return Terms(contrast, redundancy=contrast * overlap)


# %% [markdown]
# It is a scikit-learn selector already: `fit`, `transform`, pipelines and grid search work.

# %%
X = np.random.default_rng(1).normal(size=(300, 3))
chosen = Contrast(n_features_to_select=1).fit(X, X[:, 2] > 0).get_support(indices=True)
print(f"the label follows from column 2 of 0, 1, 2; contrast takes column {chosen[0]}")

# %% [markdown]
# ## Two tables
# Rankings are made on one table and judged on another that they have not seen. Both have 47
# features of the network and four of noise, which no method should take early.

# %%
train, test = (
    netchoice.simulate_table(
        "mechanisms", n_nodes=nodes, n_samples=rows, seed=1, stream=stream,
        engine="serial" if options.small else "processes",
    )
    for stream in ("train", "test")
)  # fmt: skip
train = train.drop_constant()
print(f"networks of {nodes} nodes to rank on: {train}")

# %% [markdown]
# ## Against the nine
# The nine and the baseline rank for the same penalties as yours. `rank_path` computes once what
# several share.

# %%
selectors = [get_selector(name, costs=train.costs) for name in [*PAPER_METHODS, BASELINE]]
for selector in selectors:
    if "n_trees" in selector.get_params():
        selector.set_params(n_trees=n_trees)
penalties = penalty_grid(train.costs, train.features)[:: 6 if options.small else 2]
rankings = rank_path([*selectors, Contrast(costs=train.costs)], train.X, train.y, penalties)
evaluation = netchoice.evaluate(rankings, test, ks=range(1, 9), n_jobs=-1)

# %% [markdown]
# ## What came out
# For each method: how often the model is told rightly with its best set, with its first three
# features at λ = 0, and what share of all costs its cheapest set costs that loses at most 0.05
# against the best set of all ("none" where every set of the method loses more).

# %%
three = evaluation[(evaluation["k"] == 3) & (evaluation["penalty"] == 0)].set_index("method")
good = evaluation[evaluation["accuracy"] >= evaluation["accuracy"].max() - 0.05]
best = evaluation.groupby("method")["accuracy"].max().to_frame("best set")
best["first three"] = three["accuracy"]
best["cost of a good one"] = good.groupby("method")["share_shared"].min()
best = best.sort_values("best set", ascending=False)
costs = best["cost of a good one"].map("{:.2%}".format, na_action="ignore").fillna("none")
print("accuracy with the best set and with the first three, cost of a set that loses at most 0.05:")
print(best.assign(**{costs.name: costs}).to_string(float_format="%.3f", index_names=False))
rank = 1 + int((best["best set"] > best.loc["contrast", "best set"]).sum())  # ties share a rank
print(
    f"contrast is number {rank} of {len(best)} by its best set, which tells the model of "
    f"{best.loc['contrast', 'best set']:.1%} of the networks; "
    f"the best, {best.index[0]}: {best['best set'].iloc[0]:.1%}"
)

options.out.mkdir(parents=True, exist_ok=True)
netchoice.plots.save(netchoice.plots.pareto(evaluation), options.out / "pareto.png")
netchoice.plots.save(
    netchoice.plots.ranking_paths(rankings, "contrast"), options.out / "ranking.png"
)
print(f"pictures in {options.out}")

# %% [markdown]
# One table is an anecdote: try other spaces (`"ba"`, `"duplication"`) and other seeds before you
# believe an order of methods. `netchoice.selection.stability` says whether another sample of the
# rows would select the same features.
