"""Models and features that fail, in a module that child processes can import."""

import os
import time

import networkx as nx

import netchoice


@netchoice.model(k="integers(1, 6)")
def unreliable(n_nodes, rng, k):
    """Fail in different ways, depending on k."""
    if k == 2:
        raise RuntimeError("k is 2")
    if k == 3:
        return nx.path_graph(n_nodes + 1)
    return nx.cycle_graph(n_nodes)


@netchoice.model(k="integers(1, 12)")
def crashing(n_nodes, rng, k):
    """Kill the process or sleep for a minute, depending on k."""
    if k == 2:
        os.kill(os.getpid(), 11)
    if k == 3:
        time.sleep(60)
    return nx.cycle_graph(n_nodes)


@netchoice.model()
def slow(n_nodes, rng):
    """Take 50 milliseconds."""
    time.sleep(0.05)
    return nx.cycle_graph(n_nodes)


@netchoice.feature()
def fails_at_degree_11(degrees):
    """Raise an error on networks with a node of degree 11."""
    if (degrees == 11).any():
        raise ValueError("degree 11")
    return 1.5


def exit_at_once(*_):
    """End the process before it receives any work."""
    os._exit(3)


@netchoice.feature()
def slow_mean_degree(degrees):
    """Return the mean degree, after a while."""
    time.sleep(0.1)
    return float(degrees.mean())
