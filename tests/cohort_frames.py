"""Answers of a cohort: a small one counted by hand, and a random one of any size."""

import numpy as np
import pandas as pd

#: By network: group, verdict, named model, and the p-values of the fit of dmc and dmr.
BY_HAND = {
    "a1": ("yeast", "one-fits", "dmc", 0.40, 0.001),
    "a2": ("yeast", "one-fits", "dmc", 0.50, 0.002),
    "a3": ("yeast", "several-fit", "dmr", 0.20, 0.30),
    "b1": ("human", "none-fits", "dmc", 0.001, 0.002),
    "b2": ("human", "none-fits", "dmr", 0.004, 0.008),
    "b3": ("human", "undetermined", "dmr", 0.60, 0.005),
    "c1": ("", "one-fits", "dmr", 0.001, 0.70),
}


def answers_by_hand():
    """Return the answers of eight networks, of which the last has an error."""
    rows = []
    for i, (name, (group, verdict, model, p_dmc, p_dmr)) in enumerate(BY_HAND.items()):
        high = 0.9 if verdict != "none-fits" else 0.5
        first = high if model == "dmc" else 1 - high
        rows.append({
            "id": name, "group": group, "age": float(i), "n_nodes": 100, "n_edges": 200 + i,
            "isolated": "drop", "chooser": "duplication, 100 nodes", "verdict": verdict,
            "headline": f"{verdict}: {model}", "model": model,
            "probability_dmc": first, "lower_dmc": first - 0.05, "upper_dmc": first + 0.05,
            "fit_p_dmc": p_dmc, "probability_dmr": 1 - first, "lower_dmr": 0.95 - first,
            "upper_dmr": 1.05 - first, "fit_p_dmr": p_dmr, "notes": "small; sparse" if i == 3 else "",
            "seconds": 0.5, "error": "",
        })  # fmt: skip
    rows.append({"id": "d1", "group": "yeast", "error": "d1.tsv: 3 nodes; expected at least 10"})
    return pd.DataFrame(rows)


def random_answers(n, seed=0, groups=3):
    """Return the answers of n networks; ``dmc_p_new`` rises with the age, ``dmr_p_new`` does not."""
    rng = np.random.default_rng(seed)
    kinds = np.array(["one-fits", "several-fit", "undetermined", "none-fits"])
    verdict = rng.choice(kinds, n, p=[0.6, 0.2, 0.1, 0.1])
    dmc = rng.uniform(size=n)
    age = rng.uniform(1, 100, n)
    frame = pd.DataFrame({
        "id": [f"net-{i:05}" for i in range(n)], "group": [f"g{i % groups}" for i in range(n)], "age": age,
        "tissue": rng.choice(["leaf", "root"], n), "file": [f"nets/{i}.tsv" for i in range(n)],
        "n_nodes": 100, "n_edges": rng.integers(100, 300, n), "isolated": "keep",
        "chooser": "duplication, 100 nodes", "verdict": verdict, "headline": verdict,
        "model": np.where(dmc > 0.5, "dmc", "dmr"), "notes": "a note; another note", "seconds": 0.1,
        "error": "",
    })  # fmt: skip
    fits = verdict != "none-fits"
    for model, probability in (("dmc", dmc), ("dmr", 1 - dmc)):
        frame[f"probability_{model}"] = probability
        frame[f"lower_{model}"] = (probability - 0.1).clip(0)
        frame[f"upper_{model}"] = (probability + 0.1).clip(max=1)
        frame[f"fit_p_{model}"] = np.where(fits, rng.uniform(0.02, 1, n), 1 / 1501)
        median = rng.uniform(0.3, 0.6, n) + (0.004 * age if model == "dmc" else 0)
        median = np.where(frame["model"] == model, median, np.nan)
        frame[f"{model}_p_new_median"] = median
        frame[f"{model}_p_new_lower"], frame[f"{model}_p_new_upper"] = median - 0.1, median + 0.1
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
