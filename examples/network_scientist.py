# %% [markdown]
# # Which mechanism made this network?
#
# You have a network and two candidate mechanisms. This example leads from the file to an answer. It
# tests whether *any* model fits, and shows what to do if none does.
#
# Run it with `python examples/network_scientist.py`, or open it as a notebook. Pass `--small` for a
# short run on a small network.

# %%
import argparse
from pathlib import Path

import networkx as nx
import numpy as np

import netchoice

parser = argparse.ArgumentParser(description="Which mechanism made this network?")
parser.add_argument("network", nargs="?", help="a network file (default: an example)")
parser.add_argument("--small", action="store_true", help="use a small network; takes a few seconds")
parser.add_argument("--out", type=Path, default=Path("network-scientist"), help="result folder")
options, _ = parser.parse_known_args()  # a notebook passes its own arguments
here = Path(__file__).parent if "__file__" in globals() else Path("examples")
effort, engine = (netchoice.Effort.small(), "serial") if options.small else (None, "processes")

# %% [markdown]
# ## The network
# The reading report lists what netchoice found in the file and what it dropped. The example network
# was grown by `dmr` with p_delete = 0.55 and p_new = 0.45, so you can check the answer.

# %%
if options.small:
    truth = {"p_delete": 0.5, "p_new": 0.4}
    network = netchoice.get_model("dmr").grow(80, truth, np.random.default_rng(3))
else:
    network, report = netchoice.read_network(options.network or here / "dmr-network.tsv")
    print("\n".join(report.lines()))
print(network)

# %% [markdown]
# ## The answer
# netchoice simulates networks of both models, tests which models fit, and computes the probabilities
# of those that do. It simulates until each model is accepted or rejected.

# %%
answer = netchoice.choose_model(
    network, "duplication", effort=effort, engine=engine, out=options.out / "answer", fresh=True
)
print(answer)

# %% [markdown]
# In a notebook, `answer` on its own line shows a table.

# %%
answer

# %% [markdown]
# `plot` draws one figure, and `draw_answer` writes all of them. Every part of the answer is an attribute.

# %%
answer.plot("map")

# %%
for model in answer.models:
    print(f"{model.name}: {model.state}")
figure_files = netchoice.figures.draw_answer(answer, options.out / "answer" / "figures")
print(f"{len(figure_files)} figures in {options.out / 'answer' / 'figures'}")

# %% [markdown]
# ## A network that neither model made
# This network is a ring with the same number of nodes, in which some edges are rewired at random.
# Both models are wrong for it. The answer says so, says how the network differs from the simulations,
# and names no model.

# %%
ring = nx.watts_strogatz_graph(network.n_nodes, 6, 0.05, seed=1)
wrong = netchoice.choose_model(
    ring, "duplication", effort=effort, engine=engine, out=options.out / "ring", fresh=True
)
print(wrong.verdict.sentence)
for model in wrong.models:
    print(f"{model.name}: {model.discrepancies[0].sentence}")

# %% [markdown]
# ## Your own model
# The space lacks a model that makes such networks. To add one, write a function of the number of
# nodes, a random generator, and the parameters of the model.


# %%
@netchoice.model(p="uniform(0.01, 0.1)", k=6)
def rewired_ring(n_nodes, rng, p, k):
    """Return a ring of k neighbours in which each edge is rewired with probability p."""
    return nx.watts_strogatz_graph(n_nodes, k, p, seed=int(rng.integers(2**31)))


space = netchoice.ModelSpace("with-ring", [*netchoice.get_space("duplication"), rewired_ring])
better = netchoice.choose_model(
    ring, space, effort=effort, engine=engine, out=options.out / "ring-known", fresh=True
)
print(better.verdict.sentence)
for name, estimate in better["rewired_ring"].parameters.items():
    low, high = estimate.interval
    print(
        f"{name}: {estimate.median:.3f} (95% interval {low:.3f} to {high:.3f}); "
        "the true value is 0.05"
    )
