"""154 network files as people have them, which were not made for these readers."""

import csv

import networkx as nx
import pytest
from shared_data import DATA

from netchoice import read_network
from netchoice.errors import NetworkFormatError

FILES = DATA / "networks"


@pytest.fixture(scope="module")
def counts():
    """Return the nodes and edges of each file, as the study that collected them has them."""
    if not FILES.is_dir():
        pytest.skip(f"the network files are not at shared/data/{FILES.name} beside the repository")
    with open(FILES / "counts.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["study_nodes"]]
    return {row["file"]: (int(row["study_nodes"]), int(row["study_edges"])) for row in rows}


def sizes(graph):
    """Nodes and edges of a network, without its isolated nodes, and of its largest component."""
    other = graph.without_isolated().to_networkx()
    largest = other.subgraph(max(nx.connected_components(other), key=len))
    parts = ((part.number_of_nodes(), part.number_of_edges()) for part in (other, largest))
    return {(graph.n_nodes, graph.n_edges), *parts}


def test_real_files_are_read_as_the_study_read_them(counts):
    """At least 9 of 10 agree, and none differs without a warning.

    The study takes the rows and columns of square food webs as different nodes. They are the same
    species, and are read as the same nodes, with a warning that names the option of the study.
    """
    refused, square, wrong = [], [], []
    for name, expected in counts.items():
        try:
            graph, report = read_network(FILES / name)
        except NetworkFormatError:
            refused.append(name)
            continue
        if expected in sizes(graph):
            continue
        warned = any("--format incidence" in warning for warning in report.warnings)
        as_study = warned and expected in sizes(read_network(FILES / name, "incidence")[0])
        (square if as_study else wrong).append(name)
    assert not wrong
    assert len(refused) + len(square) <= 0.11 * len(counts)
    assert len(refused) <= 0.01 * len(counts)
