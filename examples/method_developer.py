# %% [markdown]
# # Your own selector, compared with the nine methods
#
# You have an idea for ranking features. The idea in this example: a feature is good if its variance
# *between* the models is large compared with its variance *within* them (the F ratio), and if it is
# not correlated with the features that are already selected. The method uses no mutual information,
# no forest and no neighbours, and takes milliseconds.
#
# To find out how good it is, write two functions and compare it with the nine methods of the paper.
#
# Run it with `python examples/method_developer.py`, or open it as a notebook. Pass `--small` for a
# short run.

# %%
import argparse
from pathlib import Path

import numpy as np

import netchoice
from netchoice.evaluation import evaluate_rankings, penalty_grid
from netchoice.selection import PAPER_METHODS, CostAwareSelector, get_selector, rank_path
from netchoice.selection.greedy import Terms
from netchoice.selection.methods import BASELINE

parser = argparse.ArgumentParser(description="Compare your own selector with the nine methods.")
parser.add_argument("--small", action="store_true", help="use small networks; takes a few seconds")
parser.add_argument("--out", type=Path, default=Path("method-developer"), help="figure folder")
options, _ = parser.parse_known_args()  # a notebook passes its own arguments
nodes, rows, n_trees = (50, 200, 50) if options.small else (300, 1500, 500)


# %% [markdown]
# ## The method
# `_compute_statistics` computes statistics of the data; it does not use the costs. `_information` returns the
# information that each feature adds to the selected ones. `CostAwareSelector` does the rest: costs,
# λ, ties, checks of the input, and results.


# %%
class Contrast(CostAwareSelector):
    """Rank features by the logarithm of the F ratio, reduced by the correlation with selected ones."""

    method = "contrast"

    def _compute_statistics(self, data, group):
        # Ranks are robust against heavy tails.
        ranks = data.X.argsort(axis=0).argsort(axis=0).astype(float)
        codes = data.target.codes
        classes = range(len(data.target.labels))
        means = np.array([ranks[codes == c].mean(axis=0) for c in classes])
        shares = np.bincount(codes) / len(codes)
        between = shares @ (means - ranks.mean(axis=0)) ** 2
        contrast = np.log1p(between / np.maximum(ranks.var(axis=0) - between, 1e-12))
        return contrast, np.corrcoef(ranks, rowvar=False) ** 2

    def _information(self, statistics, selected):
        contrast, similarity = statistics
        overlap = similarity[selected].mean(axis=0) if selected else np.zeros_like(contrast)
        return Terms(contrast, redundancy=contrast * overlap)


# %% [markdown]
# The class is a complete scikit-learn selector: `fit`, `transform`, pipelines and grid search work.

# %%
X = np.random.default_rng(1).normal(size=(300, 3))
chosen = Contrast(n_features_to_select=1).fit(X, X[:, 2] > 0).get_support(indices=True)
print(f"column 2 determines the label; contrast selects column {chosen[0]}")

# %% [markdown]
# ## Two tables
# One table is used to rank the features and another one to measure the accuracy. Both contain all
# features of the network and four noise features, which a good method does not select early.

# %%
train, test = (
    netchoice.simulate_table(
        "mechanisms", n_nodes=nodes, n_samples=rows, seed=1, stream=stream,
        engine="serial" if options.small else "processes",
    )
    for stream in ("train", "test")
)  # fmt: skip
train = train.drop_constant()
print(f"table for the rankings, networks of {nodes} nodes: {train}")

# %% [markdown]
# ## Comparison with the nine methods
# The nine methods, the baseline and your method rank the features for the same penalties. `rank_path`
# computes statistics that several methods share only once.

# %%
selectors = [get_selector(name, costs=train.costs) for name in [*PAPER_METHODS, BASELINE]]
for selector in selectors:
    if "n_trees" in selector.get_params():
        selector.set_params(n_trees=n_trees)
penalties = penalty_grid(train.costs, train.features)[:: 6 if options.small else 2]
rankings = rank_path([*selectors, Contrast(costs=train.costs)], train.X, train.y, penalties)
evaluation = evaluate_rankings(rankings, test, ks=range(1, 9), n_jobs=-1)

# %% [markdown]
# ## Results
# The table has one row for each method and three columns:
#
# - the accuracy of the best set of the method;
# - the accuracy of its first three features at λ = 0;
# - the cost of its cheapest good set, as a share of the cost of all features. A set is good if its
#   accuracy is at most 0.05 below that of the best set of all methods. The column shows "none" if the
#   method has no good set.

# %%
three = evaluation[(evaluation["k"] == 3) & (evaluation["penalty"] == 0)].set_index("method")
good = evaluation[evaluation["accuracy"] >= evaluation["accuracy"].max() - 0.05]
best = evaluation.groupby("method")["accuracy"].max().to_frame("best set")
best["first three"] = three["accuracy"]
best["cost of a good set"] = good.groupby("method")["share_shared"].min()
best = best.sort_values("best set", ascending=False)
costs = best["cost of a good set"].map("{:.2%}".format, na_action="ignore").fillna("none")
print("accuracy of the best set and of the first three features; cost of the cheapest good set:")
print(best.assign(**{costs.name: costs}).to_string(float_format="%.3f", index_names=False))
rank = 1 + int((best["best set"] > best.loc["contrast", "best set"]).sum())  # ties share a rank
print(
    f"contrast has rank {rank} of {len(best)}: the accuracy of its best set is "
    f"{best.loc['contrast', 'best set']:.1%}; "
    f"that of the best method, {best.index[0]}, is {best['best set'].iloc[0]:.1%}"
)

options.out.mkdir(parents=True, exist_ok=True)
netchoice.figures.save(netchoice.figures.pareto(evaluation), options.out / "pareto.png")
netchoice.figures.save(
    netchoice.figures.ranking_paths(rankings, "contrast"), options.out / "ranking.png"
)
print(f"figures in {options.out}")

# %%
netchoice.figures.pareto(evaluation)

# %% [markdown]
# One table is not enough to compare methods: also try other spaces (`"ba"`, `"duplication"`) and other
# seeds.
