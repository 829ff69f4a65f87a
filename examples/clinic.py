# %% [markdown]
# # Which measurements should a clinic pay for?
#
# A clinic distinguishes benign from malignant tumours of the breast by ten measurements of cell nuclei
# in a biopsy: their mean, standard error and worst value are 30 columns. The table is real: 569 biopsies
# from Wisconsin, which scikit-learn contains. It has a text column, missing values and a constant
# column here, as real files have.
#
# **The costs are invented**, and nothing here is medical advice.
#
# Run it with `python examples/clinic.py`, or open it as a notebook. Pass `--small` for a short run.

# %%
import argparse
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier

import netchoice
from netchoice.selection import AcquiringClassifier

parser = argparse.ArgumentParser(description="Which measurements should a clinic pay for?")
parser.add_argument("--small", action="store_true", help="use fewer sets; takes a few seconds")
parser.add_argument("--out", type=Path, default=Path("clinic"), help="folder of results")
options, _ = parser.parse_known_args()  # a notebook passes its own arguments
options.out.mkdir(parents=True, exist_ok=True)

# %% [markdown]
# ## The file
# Text is a category, and a missing value is a value of its own. Nothing must be encoded or filled in.

# %%
biopsies = load_breast_cancer(as_frame=True)
table = biopsies.frame.rename(columns=lambda name: name.replace(" ", "_"))
table["diagnosis"] = np.array(["malignant", "benign"])[table.pop("target")]
rng = np.random.default_rng(1)
table["hospital"] = rng.choice(["north", "south", "west"], len(table))
table["scanner"] = 3
table.loc[rng.choice(len(table), 60, replace=False), "mean_texture"] = np.nan
table.to_csv(options.out / "biopsies.csv", index=False)
print(table.iloc[:3, [0, 1, -3, -2, -1]].to_string(index=False))

# %% [markdown]
# ## The costs
# A measurement is a shared step: somebody measures the nuclei once, and then each of its three columns
# costs 1 euro. Outlines are drawn once for all measurements of size and shape. The file has a line for each
# column and for each step.

# %%
OUTLINES = ("radius", "perimeter", "area", "smoothness", "compactness", "symmetry")
CONCAVITIES = ("concavity", "concave_points", "fractal_dimension")
lines = [
    "name,euro,uses",
    "hospital,0",
    "scanner,0",
    "outlines,25",
    "grey levels,12",
    "concavities,40",
]
for name in (*OUTLINES, *CONCAVITIES, "texture"):
    steps = "grey levels" if name == "texture" else "outlines"
    if name in CONCAVITIES:
        steps += ";concavities"
    lines.append(f"{name},{6 if name in ('radius', 'texture') else 10}")
    lines += [
        f"{column},1,{name};{steps}"
        for column in (f"mean_{name}", f"{name}_error", f"worst_{name}")
    ]
(options.out / "costs.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
costs = netchoice.CostModel.from_file(options.out / "costs.csv")
columns = [name for name in table.columns if name != "diagnosis"]
print(f"all columns cost {costs.cost_of_set(columns, 'shared'):g} euro")
for name in ("worst_area", "worst_radius"):
    print(f"{name} alone: {costs.cost(name):g} euro")
print(f"both: {costs.cost_of_set(['worst_area', 'worst_radius'], 'shared'):g} euro")

# %% [markdown]
# ## What should we buy?
# `evaluate_features` ranks the columns for many weights of the cost. It measures by repeated
# cross-validation how well the first columns of each ranking predict, and recommends the cheapest set that
# loses at most one point of accuracy.

# %%
file = options.out / "biopsies.csv"
smaller = {"repeats": 1, "max_features": 6} if options.small else {}
evaluation = netchoice.evaluate_features(file, costs=costs, label="diagnosis", **smaller)
point = evaluation.recommended
low, high = point.interval
print(f"recommended: {', '.join(point.features)}")
print(f"{point.cost:g} euro, accuracy {point.accuracy:.1%} (95% interval {low:.1%} to {high:.1%}); "
      f"the best set reaches {point.best_accuracy:.1%} for {point.best_cost:g} euro")  # fmt: skip
print("correct in each class:", {name: f"{share:.1%}" for name, share in evaluation.recall.items()})

# %% [markdown]
# What more money buys: no other set beats these in cost and accuracy.

# %%
front = evaluation.to_frame()[["cost_shared", "accuracy", "features"]]
front

# %%
figure = evaluation.plot()
netchoice.figures.save(figure, options.out / "accuracy-against-cost.png")
figure

# %% [markdown]
# ## Within a budget, and with unequal errors
# A share of the budget is of what all columns together cost. A missed tumour costs 20 times as much as a
# false alarm here; the score is minus the mean cost of errors. Any estimator of scikit-learn can judge the
# sets.

# %%
(options.out / "errors.csv").write_text(
    "true,predicted,cost\nmalignant,benign,20\nbenign,malignant,1\n", encoding="utf-8"
)
cheap = netchoice.evaluate_features(
    file, costs=costs, label="diagnosis", budget="40%", max_features=4, repeats=1,
    penalties=[0, 1] if options.small else "auto", scoring=str(options.out / "errors.csv"),
)  # fmt: skip
print(f"for at most 40%: {', '.join(cheap.recommended.features)} for {cheap.recommended.cost:g} euro; "
      f"mean cost of errors {-cheap.recommended.accuracy:.2f}")  # fmt: skip
judge = HistGradientBoostingClassifier(max_iter=20 if options.small else 60)
boosted = netchoice.evaluate_features(
    file, costs=costs, label="diagnosis", classifier=judge, methods=["jmi"], penalties=[1],
    max_features=3, repeats=1, folds=3,
)  # fmt: skip
print(f"boosted trees recommend {', '.join(boosted.recommended.features)}")

# %% [markdown]
# ## Person by person
# A fixed set costs the same for everybody. `AcquiringClassifier` decides for each person which column to pay
# for next, and stops when the class is clear. The evaluation compares both at equal mean cost.

# %%
by_row = evaluation.row_by_row
print(f"person by person: {by_row['accuracy']:.1%} for {by_row['cost']:.0f} euro on average; "
      f"the best fixed set for that reaches {by_row['set_accuracy']:.1%}")  # fmt: skip
complete = table.dropna()
X, y = (
    complete[[name for name in columns if name not in ("hospital", "scanner")]],
    complete["diagnosis"],
)
classifier = AcquiringClassifier(costs=costs).fit(X[100:], y[100:])
for i in range(2):
    found = classifier.acquire(X.iloc[i])
    print(f"person {i}: {', '.join(found.columns)}: {found.predicted} for {found.cost:g} euro")
