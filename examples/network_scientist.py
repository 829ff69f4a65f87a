# %% [markdown]
# # Which mechanism made this network?
#
# A network scientist has a network and two mechanisms in mind. This goes from the file to an answer,
# looks at whether *any* model fits, and then at what happens when none does.
#
# Run it with `python examples/network_scientist.py`, or open it as a notebook. `--small` is for a
# quick try on a small network.

# %%
import argparse
from pathlib import Path

import networkx as nx
import numpy as np

import netchoice

parser = argparse.ArgumentParser(description="Which mechanism made this network?")
parser.add_argument("network", nargs="?", help="a network file; an example by default")
parser.add_argument("--small", action="store_true", help="a small network, a few seconds")
parser.add_argument("--out", type=Path, default=Path("network-scientist"), help="for results")
options, _ = parser.parse_known_args()  # a notebook has arguments of its own
here = Path(__file__).parent if "__file__" in globals() else Path("examples")
samples, engine = (600, "serial") if options.small else (10_000, "processes")
limit = 1 if options.small else None  # seconds for a run: fewer simulations

# %% [markdown]
# ## The network
# Reading says what was found and what was dropped. The example was grown by `dmr` with p_delete =
# 0.55 and p_new = 0.45, so we know the truth.

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
# Features are selected on simulations, for the least cost that loses nothing. The answer rests on
# simulations with these features only; whether any model fits is judged on all features.

# %%
answer = netchoice.choose_model(
    network, "duplication", samples=samples, time_limit=limit, engine=engine,
    path=options.out / "answer", fresh=True,
)  # fmt: skip
print(answer)

# %% [markdown]
# In a notebook, `answer` by itself shows a table. Everything is at hand by name.

# %%
print(f"{answer.model} at {answer.probabilities[answer.model]:.2f}, fits: {answer.fits}")
pictures = netchoice.figures.draw_choice(answer, options.out / "answer" / "figures")
print(f"{len(pictures)} pictures in {options.out / 'answer' / 'figures'}")

# %% [markdown]
# ## A network that none of the two made
# A ring whose edges were rewired at random, with as many nodes. One of two wrong models is always the
# less wrong one, and its probability may be high all the same. `fits` says that neither made it.

# %%
ring = nx.watts_strogatz_graph(network.n_nodes, 6, 0.05, seed=1)
wrong = netchoice.choose_model(
    ring, "duplication", samples=samples, time_limit=limit, engine=engine,
    path=options.out / "ring", fresh=True,
)  # fmt: skip
print(f"{wrong.model} at {wrong.probabilities[wrong.model]:.2f}, fits: {wrong.fits}")
print(wrong.fit["summary"])

# %% [markdown]
# ## A model of your own
# So a model is missing. It is one function: nodes, a random generator, its parameters.


# %%
@netchoice.model(p="uniform(0.01, 0.1)", k=6)
def rewired_ring(n_nodes, rng, p, k):
    """A ring of k neighbours whose edges are rewired with probability p."""
    return nx.watts_strogatz_graph(n_nodes, k, p, seed=int(rng.integers(2**31)))


space = netchoice.ModelSpace("with-ring", [*netchoice.get_space("duplication"), rewired_ring])
better = netchoice.choose_model(
    ring, space, samples=samples, time_limit=limit, engine=engine,
    path=options.out / "ring-known", fresh=True,
)  # fmt: skip
print(f"{better.model} at {better.probabilities[better.model]:.2f}, fits: {better.fits}")
for name, told in better.parameters.items():
    low, high = told["interval"]
    print(f"{name}: {told['median']:.3f} (95% interval {low:.3f} to {high:.3f}); the truth: 0.05")
