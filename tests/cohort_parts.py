"""A collection of small networks and an answerer, in a module that child processes can import."""

import os
import signal
import time
from dataclasses import dataclass, field
from typing import ClassVar

from netchoice import Graph
from netchoice.choice.cohort import NetworkRows


@dataclass(frozen=True)
class PathSource:
    """A path of a few nodes, or a network that cannot be read."""

    id: str
    n_nodes: int
    group: str | None = None
    covariates: dict = field(default_factory=dict)
    trouble: str = ""
    seconds: float = 0.0
    file: str | None = None

    def read(self):
        if self.seconds:
            time.sleep(self.seconds)
        match self.trouble:
            case "missing":
                raise FileNotFoundError(2, "No such file", f"{self.id}.tsv")
            case "memory":
                raise MemoryError
            case "killed":
                os.kill(os.getpid(), signal.SIGKILL)
        edges = [(i, i + 1) for i in range(self.n_nodes - 1)]
        return Graph.from_edges(edges, n_nodes=self.n_nodes), None


@dataclass
class Paths:
    """A collection whose sources are made when they are needed, so that it takes no memory."""

    n: int
    trouble: dict = field(default_factory=dict)
    seconds: float = 0.0
    fingerprint: str = "paths"
    covariates: list = field(default_factory=lambda: ["age", "site"])
    groups: str = "ab"

    def __len__(self):
        return self.n

    def __getitem__(self, number):
        assert 0 <= number < self.n
        known = {"age": number / 3 if number % 5 else float("nan"), "site": f"site {number % 2}"}
        group = self.groups[number % 2] if number % 7 else None
        return PathSource(
            f"path-{number}",
            2 + number % 40,
            group,
            known,
            self.trouble.get(number, ""),
            self.seconds,
        )


class PathAnswerer(NetworkRows):
    """Answers with the numbers of nodes and edges; fails for networks of 13 nodes."""

    fingerprint = "answerer"
    columns: ClassVar = {"model": "text", "n_edges": "number", "fits": "number", "notes": "text"}

    def __init__(self, n_features=2, fingerprint="answerer"):
        self.references, self.warm = None, 0
        self.feature_names = [f"feature {i}" for i in range(n_features)]
        self.fingerprint = fingerprint

    def warm_up(self):
        self.warm += 1

    def answer(self, graph):
        assert self.warm, "warm_up is called before the first answer"
        n = graph.n_nodes
        if n == 13:
            raise ValueError("13 nodes\nis too many")
        row = {"model": "even" if n % 2 == 0 else "odd", "n_edges": graph.n_edges}
        row |= {"fits": n > 20, "notes": f'{n}, or "about" that'} if n % 3 else {}
        return row, {name: n / (3 + i) for i, name in enumerate(self.feature_names)}
