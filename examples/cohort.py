# %% [markdown]
# # Which mechanism made each of 200 networks?
#
# You have many networks of the same size, in groups, with an age for each. netchoice simulates once
# and answers for all of them. This example makes such a cohort, so that every answer can be compared
# with the truth: two groups in which a parameter depends on the age, one in which it does not, and a
# few networks that none of the models made.
#
# Run it with `python examples/cohort.py`, or open it as a notebook. Pass `--small` for a short run on
# small networks.

# %%
import argparse
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd

import netchoice

parser = argparse.ArgumentParser(description="Which mechanism made each of 200 networks?")
parser.add_argument("--small", action="store_true", help="use fewer and smaller networks")
parser.add_argument("--out", type=Path, default=Path("cohort"), help="result folder")
options, _ = parser.parse_known_args()  # a notebook passes its own arguments
n_nodes, per_group, n_odd = (60, 8, 3) if options.small else (100, 64, 8)
effort, engine = (netchoice.Effort.small(), "serial") if options.small else (None, "processes")

# %% [markdown]
# ## The networks
# The networks of `patients` and `relatives` are grown by `dmc` and `dmr`. Their p_delete, the
# probability to lose an edge after a duplication, increases with the age, from 0.3 to 0.7. Those of
# `controls` are grown by `dmr` with the same p_delete at every age. `odd` networks are rings in which
# some edges are rewired at random: neither model makes such networks.

# %%
MODELS = {"patients": "dmc", "relatives": "dmr", "controls": "dmr"}
OTHER = {"dmc": {"p_connect": 0.5}, "dmr": {"p_new": 0.4}}
rng = np.random.default_rng(1)


def grow(group, age):
    """Return a network of a group, and its p_delete."""
    if group == "odd":
        return nx.watts_strogatz_graph(n_nodes, 6, 0.1, seed=int(rng.integers(2**31))), np.nan
    p_delete = 0.5 if group == "controls" else 0.3 + 0.4 * (age - 20) / 60
    model = MODELS[group]
    return netchoice.get_model(model).grow(
        n_nodes, {"p_delete": p_delete, **OTHER[model]}, rng
    ), p_delete


# %% [markdown]
# ## The manifest
# A manifest is a table with a column `path`. The columns `id` and `group` have a meaning; all others are
# covariates, here `age`. The truth is kept apart: netchoice must not see it.

# %%
networks = options.out / "networks"
networks.mkdir(parents=True, exist_ok=True)
rows, truths = [], {}
for group, n in {**dict.fromkeys(MODELS, per_group), "odd": n_odd}.items():
    for i in range(n):
        name, age = f"{group}-{i}", round(rng.uniform(20, 80), 1)
        network, truths[name] = grow(group, age)
        netchoice.write_network(
            netchoice.Graph.of(network), networks / f"{name}.tsv", overwrite=True
        )
        rows.append({"path": f"networks/{name}.tsv", "id": name, "group": group, "age": age})
manifest = options.out / "manifest.csv"
pd.DataFrame(rows).to_csv(manifest, index=False)
collection = netchoice.io.find_networks([manifest])
print(f"{len(collection)} networks, covariates: {', '.join(collection.covariates)}")

# %% [markdown]
# ## The simulations
# `prepare` simulates both models once, for all networks of this size. `isolated="keep"` compares all
# networks with the same simulations, also those that happen to have no isolated nodes. If you run the
# example again, the simulations are read from their folder.

# %%
references = netchoice.prepare(
    "duplication", n_nodes, isolated="keep", effort=effort, engine=engine,
    out=options.out / "simulations",
)  # fmt: skip
print(references)

# %% [markdown]
# ## The answers
# Each network gets one row. The folder also holds the report, and a summary with the tests over the
# whole cohort.

# %%
found, summary = netchoice.report.report_cohort(
    collection, reference=references, out=options.out / "answers", engine=engine, fresh=True
)
answers = found.frame()
print(summary["headline"])
print(f"{answers['seconds'].median():.3f} CPU seconds per network (median)")

# %% [markdown]
# ## Against the truth: models
# The table has a row for each group, and counts what was answered: the model, if one fits and is
# clearly the most probable, or else the verdict.

# %%
named = answers["verdict"].isin(["one-fits", "several-fit"])
answered = answers["model"].where(answers["verdict"] == "one-fits", answers["verdict"])
print(pd.crosstab(answers["group"], answered.rename("answer")).to_string())
made = answers["group"].map(MODELS)
correct = (answers["model"] == made) & named
for group, model in MODELS.items():
    own = answers["group"] == group
    print(f"{group}: {model} made them, and is named for {correct[own].sum()} of {own.sum()}")

# %% [markdown]
# ## Networks that fit none of the models
# Every network is tested at alpha = 0.01, so some networks of the models are rejected by chance.
# `none_fits_q` is adjusted for the number of networks: among those with q ≤ 0.05, at most 5% are
# expected to be wrong.

# %%
q_values = pd.Series(summary["none_fits"]["q_values"], index=answers.index, dtype=float)
misfits = answers["verdict"] == "none-fits"
is_odd = answers["group"] == "odd"
print(f"odd networks with the verdict none-fits: {(misfits & is_odd).sum()} of {is_odd.sum()}")
print(f"others with the verdict none-fits: {(misfits & ~is_odd).sum()} of {(~is_odd).sum()}")
print(
    f"q ≤ 0.05: {((q_values <= 0.05) & is_odd).sum()} odd, {((q_values <= 0.05) & ~is_odd).sum()} others"
)

# %% [markdown]
# ## Against the truth: a parameter and a covariate
# Each network has its own estimate. The correlation with the age must be strong for `patients` and
# `relatives`, and none is expected for `controls`.

# %%
correlations = {}
for group, model in MODELS.items():
    own = answers[(answers["group"] == group) & correct].set_index("id")
    true = own.index.map(truths).to_numpy(dtype=float)
    medians = own[f"{model}_p_delete_median"]
    inside = own[f"{model}_p_delete_lower"].le(true) & own[f"{model}_p_delete_upper"].ge(true)
    correlations[group] = medians.corr(own["age"], method="spearman")
    print(
        f"{group}: rank correlation of p_delete and age {correlations[group]:.2f}; mean error "
        f"{abs(medians - true).mean():.3f}; {inside.mean():.0%} of the 95% intervals contain the truth"
    )

# %% [markdown]
# The report makes similar tests for all parameters and covariates, over all groups together, and adjusts
# their p-values.

# %%
for test in summary["parameters"][:4]:
    print(
        f"{test['model']} {test['parameter']} and {test['covariate']}: {test['test']}, "
        f"{test['n']} networks, q = {test['q_value']:.2g}"
    )
print(f"open {options.out / 'answers' / 'report.html'} in a browser")
