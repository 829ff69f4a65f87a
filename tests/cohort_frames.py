"""Answers of a cohort: a small one counted by hand, and a random one of any size."""

import numpy as np
import pandas as pd

from netchoice.choice.cohort_frame import CohortFrame, answer_columns
from netchoice.choice.cohort_summary import summarise_cohort

REFERENCE = "mechanisms, 100 nodes, isolated nodes dropped"
#: By network: group, verdict, probable models, family, and the states and p-values of dmc and lpa.
BY_HAND = {
    "a1": ("yeast", "one-fits", "dmc", "duplication", "fits", 0.40, "does not fit", 0.001),
    "a2": ("yeast", "one-fits", "dmc", "duplication", "fits", 0.50, "never has this density", None),
    "a3": ("yeast", "several-fit", "lpa, dmc", "", "fits", 0.20, "fits", 0.30),
    "b1": ("human", "none-fits", "", "", "does not fit", 0.001, "does not fit", 0.002),
    "b2": ("human", "none-fits", "", "", "does not fit", 0.004, "never has this density", None),
    "b3": ("human", "borderline", "lpa", "attachment", "does not fit", 0.002, "borderline", 0.012),
    "c1": ("", "one-fits", "lpa", "attachment", "does not fit", 0.001, "fits", 0.70),
    "c2": ("", "open", "dmc", "duplication", "open", None, "does not fit", 0.001),
}
_PROBABILITIES = {"dmc": (1.0, 0.0), "lpa": (0.0, 1.0), "lpa, dmc": (0.4, 0.6), "": (0.0, 0.0)}


def as_cohort(answers):
    """Return answers with the columns of two models as a cohort; columns that they lack are empty."""
    names = [name.removeprefix("fit_p_") for name in answers if name.startswith("fit_p_")]
    models = {name: [] for name in names or ["dmc"]}
    for name in answers:
        for model in models:
            if name.startswith(f"{model}_") and name.endswith("_median"):
                models[model].append(name.removeprefix(f"{model}_").removesuffix("_median"))
    columns = ["id", "group", "file", *answer_columns(models), "seconds", "error"]
    missing = dict.fromkeys(name for name in columns if name not in answers)
    return CohortFrame.of(answers.assign(**missing), models)


def summary_of(answers, **settings):
    """Return the summary of answers."""
    return summarise_cohort(as_cohort(answers), settings)


def answers_by_hand():
    """Return the answers of nine networks, of which the last has an error."""
    rows = []
    for i, (name, known) in enumerate(BY_HAND.items()):
        group, verdict, probable, family, state_dmc, p_dmc, state_lpa, p_lpa = known
        dmc, lpa = _PROBABILITIES[probable]
        rows.append({
            "id": name, "group": group, "age": float(i), "n_nodes": 100, "n_edges": 200 + i,
            "isolated": "drop", "reference": REFERENCE, "verdict": verdict,
            "headline": f"{verdict}: {probable}", "model": probable.partition(", ")[0],
            "probable": probable, "family": family,
            "probability_dmc": dmc, "lower_dmc": max(0.0, dmc - 0.05), "upper_dmc": min(1.0, dmc + 0.05),
            "probability_lpa": lpa, "lower_lpa": max(0.0, lpa - 0.05), "upper_lpa": min(1.0, lpa + 0.05),
            "fit_p_dmc": p_dmc, "fit_p_lpa": p_lpa, "state_dmc": state_dmc, "state_lpa": state_lpa,
            "notes": "compared with dmc: fewer hubs; sparse" if name == "b1" else "",
            "seconds": 0.5, "error": "",
        })  # fmt: skip
    rows.append({"id": "d1", "group": "yeast", "error": "d1.tsv: 3 nodes; expected at least 10"})
    return pd.DataFrame(rows)


def random_answers(n, seed=0, groups=3):
    """Return the answers of n networks; ``dmc_p_new`` rises with the age, ``dmr_p_new`` does not."""
    rng = np.random.default_rng(seed)
    kinds = np.array(["one-fits", "several-fit", "borderline", "open", "none-fits"])
    verdict = rng.choice(kinds, n, p=[0.6, 0.2, 0.05, 0.05, 0.1])
    fits = verdict != "none-fits"
    dmc, age = np.where(fits, rng.uniform(size=n), 0.0), rng.uniform(1, 100, n)
    model = np.where(fits, np.where(dmc > 0.5, "dmc", "dmr"), "")
    others = np.where(model == "dmc", "dmr", "dmc")
    pairs = np.array([f"{first}, {other}" for first, other in zip(model, others, strict=True)])
    frame = pd.DataFrame({
        "id": [f"net-{i:05}" for i in range(n)], "group": [f"g{i % groups}" for i in range(n)], "age": age,
        "tissue": rng.choice(["leaf", "root"], n), "file": [f"nets/{i}.tsv" for i in range(n)],
        "n_nodes": 100, "n_edges": rng.integers(100, 300, n), "isolated": "keep",
        "reference": REFERENCE, "verdict": verdict, "headline": verdict, "model": model,
        "probable": np.where(verdict == "several-fit", pairs, model),
        "family": np.where(fits, "duplication", ""), "notes": "a note; another note", "seconds": 0.1,
        "error": "",
    })  # fmt: skip
    states = dict(zip(kinds, ["fits", "fits", "borderline", "open", "does not fit"], strict=True))
    for name, probability in (("dmc", dmc), ("dmr", np.where(fits, 1 - dmc, 0.0))):
        frame[f"probability_{name}"] = probability
        frame[f"lower_{name}"] = (probability - 0.1).clip(0)
        frame[f"upper_{name}"] = (probability + 0.1).clip(max=1)
        frame[f"fit_p_{name}"] = np.where(fits, rng.uniform(0.02, 1, n), 1 / 1501)
        frame[f"state_{name}"] = [states[kind] for kind in verdict]
        median = rng.uniform(0.3, 0.6, n) + (0.004 * age if name == "dmc" else 0)
        median = np.where(model == name, median, np.nan)
        frame[f"{name}_p_new_median"] = median
        frame[f"{name}_p_new_lower"], frame[f"{name}_p_new_upper"] = median - 0.1, median + 0.1
    return frame


def random_features(answers, seed=0):
    """Return features of the networks, and of simulations of two models; misfits lie apart."""
    rng = np.random.default_rng(seed)
    names = ["degree_mean", "transitivity", "core_3_size"]
    y = np.array(["dmc", "dmr"] * 60)
    X = rng.normal(size=(120, 3)) + np.where(y == "dmc", 2, 0)[:, None]
    own = rng.normal(size=(len(answers), 3)) + 1
    own[answers["verdict"] == "none-fits"] += 15
    features = pd.DataFrame(own, columns=names)
    features.insert(0, "id", answers["id"])
    return features, pd.DataFrame(X, columns=names), y
