# %% [markdown]
# # Which tests are worth their cost?
#
# A clinic tells healthy people from patients with anaemia or diabetes. A scan would do, and costs
# more than everything else together. Several blood values share one blood sample.
#
# **Patients and costs are invented.** Nothing here is medical advice. What is real is the way to
# choose: information minus λ times cost, judged on patients who had no part in the choice.
#
# Run it with `python examples/clinic.py`, or open it as a notebook. `--small` is for a quick try.

# %%
import argparse
from pathlib import Path

import numpy as np
import pandas as pd

import netchoice
from netchoice.selection import JMI, get_selector, rank_path

parser = argparse.ArgumentParser(description="Which tests are worth their cost?")
parser.add_argument("--small", action="store_true", help="fewer methods, a few seconds")
parser.add_argument("--out", type=Path, default=Path("clinic"), help="folder for pictures")
options, _ = parser.parse_known_args()  # a notebook has arguments of its own
options.out.mkdir(parents=True, exist_ok=True)


# %% [markdown]
# ## The patients
# 600 invented patients: three diagnoses, ten things that can be known about each. The scan tells
# most. Haemoglobin tells anaemia, glucose and HbA1c tell diabetes; shoe size tells nothing.


# %%
def invent_patients(n: int, seed: int) -> pd.DataFrame:
    """Invented patients; `examples/patients.csv` holds 600 of them."""
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
# What a test costs by itself, and what it needs. The blood sample is paid once, however many values
# are taken from it. Invented, in euro.

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
netchoice.figures.save(
    netchoice.figures.feature_costs(costs, unit="euro"), options.out / "costs.png"
)

# %% [markdown]
# ## One ranking
# Without a penalty the scan comes first. With one, the blood values do, and once the sample is paid
# the next value from it is nearly free.

# %%
X, y = patients.drop(columns="diagnosis"), patients["diagnosis"]
first_choice = {}
for penalty in (0, 1):
    selector = JMI(costs=costs, penalty=penalty, charge="shared").fit(X, y)
    first_choice[penalty] = str(selector.ranking_names_[0])
    cost = costs.cost_of_set(selector.ranking_names_[:3], "shared")
    print(f"penalty {penalty}: {', '.join(selector.ranking_names_[:3])} for {cost:g} euro")

# %% [markdown]
# ## How well does a set do, and for how much?
# Rankings are made on half of the patients, by several methods and for many penalties. The first
# 1, 2, … tests of each are judged on the other half.

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
evaluation = netchoice.evaluate(rankings, test, ks=range(1, 7), costs=costs)
chosen = netchoice.operating_point(evaluation)
print(f"as good as the best, and cheapest: {', '.join(chosen.features)}")
print(f"{chosen.cost:g} euro, right for {chosen.accuracy:.0%} (between {chosen.interval[0]:.0%} "
      f"and {chosen.interval[1]:.0%}); the best set: {chosen.best_accuracy:.0%}")  # fmt: skip

# %% [markdown]
# ## Within a budget
# The most accurate set that a patient can have for 20 euro, and for 5.

# %%
within = {}
for budget in (20, 5):
    point = netchoice.operating_point(evaluation, "budget", budget=budget)
    within[budget] = point
    print(f"for {budget} euro: {', '.join(point.features)}, right for {point.accuracy:.0%}")
picture = netchoice.figures.pareto(
    evaluation, point={"cost": chosen.cost, "accuracy": chosen.accuracy}, unit="euro"
)
netchoice.figures.save(picture, options.out / "accuracy-against-cost.png")
print(f"pictures in {options.out}")
