"""Models and features that misbehave, importable by child processes."""

import os
import time

import networkx as nx

import netchoice


@netchoice.model(k="integers(1, 6)")
def moody(n_nodes, rng, k):
    """Fails in different ways, by the value of k."""
    if k == 2:
        raise RuntimeError("bad mood")
    if k == 3:
        return nx.path_graph(n_nodes + 1)
    return nx.cycle_graph(n_nodes)


@netchoice.model(k="integers(1, 12)")
def deadly(n_nodes, rng, k):
    """Takes the process down, or never ends."""
    if k == 2:
        os.kill(os.getpid(), 11)
    if k == 3:
        time.sleep(60)
    return nx.cycle_graph(n_nodes)


@netchoice.model()
def slow(n_nodes, rng):
    """Takes its time."""
    time.sleep(0.05)
    return nx.cycle_graph(n_nodes)


@netchoice.feature()
def sometimes(degrees):
    """Raises on networks with a node of degree 11."""
    if (degrees == 11).any():
        raise ValueError("eleven")
    return 1.5


def exit_at_once(connection):
    """A worker that never gets to work."""
    os._exit(3)
