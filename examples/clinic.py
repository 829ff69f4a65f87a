# %% [markdown]
# # Which medical tests should a clinic use?
#
# A clinic distinguishes healthy people from patients with anaemia or diabetes. A scan distinguishes
# them best, but costs more than all other tests together. Several blood values share one blood sample.
#
# **Patients and costs are invented.** Nothing here is medical advice. Only the method is real: it
# ranks tests by information minus λ times cost, and measures the accuracy on patients that were not
# used to select the tests.
#
# Run it with `python examples/clinic.py`, or open it as a notebook. Pass `--small` for a short run.

# %%
import argparse
from pathlib import Path

import numpy as np
import pandas as pd

import netchoice
from netchoice.evaluation import evaluate_rankings, operating_point
from netchoice.selection import JMI, get_selector, rank_path

parser = argparse.ArgumentParser(description="Which medical tests should a clinic use?")
parser.add_argument("--small", action="store_true", help="use fewer methods; takes a few seconds")
parser.add_argument("--out", type=Path, default=Path("clinic"), help="figure folder")
options, _ = parser.parse_known_args()  # a notebook passes its own arguments
options.out.mkdir(parents=True, exist_ok=True)


# %% [markdown]
# ## The patients
# There are 600 invented patients with three diagnoses and ten features. The scan is the most
# informative feature. Haemoglobin indicates anaemia; glucose and HbA1c indicate diabetes. Shoe size
# contains no information.


# %%
def invent_patients(n: int, seed: int) -> pd.DataFrame:
    """Return a table of n invented patients. `examples/patients.csv` contains 600 of them."""
    rng = np.random.default_rng(seed)
    illness = rng.choice(3, n, p=[0.5, 0.25, 0.25])

    def measured(healthy: float, anaemia: float, diabetes: float, noise: float) -> np.ndarray:
        return np.array([healthy, anaemia, diabetes])[illness] + noise * rng.normal(size=n)

    return pd.DataFrame(
        {
            "diagnosis": np.array(["healthy", "anaemia", "diabetes"])[illness],
            "age": rng.integers(20, 85, n),
            "shoe_size": rng.integers(36, 47, n),
            "questionnaire": np.clip(measured(6, 11, 9, 3), 0, 20).round().astype(int),
            "haemoglobin": measured(14.5, 11.0, 14.3, 1.0).round(1),
            "ferritin": np.exp(measured(4.4, 2.6, 4.5, 0.7)).round(0),
            "glucose": measured(5.2, 5.2, 8.2, 1.1).round(1),
            "hba1c": measured(36, 35, 54, 6).round(0),
            "urine_glucose": np.maximum(measured(0.3, 0.3, 2.4, 1.3), 0).round(1),
            "ultrasound": measured(0, 0.5, 1.0, 1.5).round(2),
            "scan": measured(0, 4, 8, 1.1).round(2),
        }
    )


patients = invent_patients(600, seed=7)
print(patients.groupby("diagnosis").mean().round(1).T.to_string())

# %% [markdown]
# ## The costs
# Every test has its own cost, and some tests use a shared step: a blood sample or a urine sample.
# You pay for a sample once, even if several tests use it. The costs are invented, in euro.

# %%
costs = netchoice.CostModel(
    own={
        "age": 0, "shoe_size": 0, "questionnaire": 2,
        "haemoglobin": 3, "ferritin": 9, "glucose": 2, "hba1c": 8,
        "urine_glucose": 2, "ultrasound": 60, "scan": 240,
    },
    uses={
        "haemoglobin": ["blood sample"], "ferritin": ["blood sample"],
        "glucose": ["blood sample"], "hba1c": ["blood sample"],
        "urine_glucose": ["urine sample"],
    },
    steps={"blood sample": 12, "urine sample": 3},
)  # fmt: skip
for name in ("haemoglobin", "glucose", "scan"):
    print(f"{name} alone: {costs.cost(name):g} euro")
both = ["haemoglobin", "glucose"]
print(f"haemoglobin and glucose from one sample: {costs.cost_of_set(both, 'shared'):g} euro")
figure = netchoice.figures.feature_costs(costs, unit="euro")
netchoice.figures.save(figure, options.out / "costs.png")

# %% [markdown]
# ## One ranking
# Without a penalty, the scan has rank 1. With a penalty, blood values have the first ranks. After
# the blood sample is paid, another blood value is cheap.

# %%
X, y = patients.drop(columns="diagnosis"), patients["diagnosis"]
first_choice = {}
for penalty in (0, 1):
    selector = JMI(costs=costs, penalty=penalty, charge="shared").fit(X, y)
    first_choice[penalty] = str(selector.ranking_names_[0])
    cost = costs.cost_of_set(selector.ranking_names_[:3], "shared")
    print(f"penalty {penalty}: {', '.join(selector.ranking_names_[:3])} for {cost:g} euro")

# %% [markdown]
# ## Accuracy and cost of sets of tests
# Several methods rank the tests on half of the patients, for several penalties. The accuracy of the
# first 1, 2, … tests of each ranking is measured on the other half.

# %%
table = netchoice.ReferenceTable.from_frame(patients, label="diagnosis", costs=costs)
train, test = table.split(seed=1)
methods = ["jmi", "relieff"] if options.small else ["mrmr", "jmi", "jmim", "relieff", "random"]
rankings = rank_path(
    [get_selector(method, costs=costs) for method in methods],
    train.X,
    train.y,
    [0, 0.3, 1, 3, 10],
)
evaluation = evaluate_rankings(rankings, test, ks=range(1, 7), costs=costs)
chosen = operating_point(evaluation)
low, high = chosen.interval
print(f"cheapest set with nearly the best accuracy: {', '.join(chosen.features)}")
print(f"cost: {chosen.cost:g} euro; accuracy: {chosen.accuracy:.0%} (95% interval {low:.0%} to "
      f"{high:.0%}); accuracy of the best set: {chosen.best_accuracy:.0%}")  # fmt: skip

# %% [markdown]
# ## Within a budget
# Select the most accurate set of tests for at most 20 euro, and for at most 5 euro.

# %%
within = {}
for budget in (20, 5):
    point = operating_point(evaluation, "budget", budget=budget)
    within[budget] = point
    print(f"budget {budget} euro: {', '.join(point.features)}; accuracy: {point.accuracy:.0%}")
figure = netchoice.figures.pareto(
    evaluation, point={"cost": chosen.cost, "accuracy": chosen.accuracy}, unit="euro"
)
netchoice.figures.save(figure, options.out / "accuracy-against-cost.png")
print(f"figures in {options.out}")

# %% [markdown]
# A notebook shows the figure.

# %%
figure
