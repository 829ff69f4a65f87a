"""Edge lists with and without headers, to measure how often the first line is misread.

``python tests/header_files.py`` prints the outcomes for 9000 files of each kind.
"""

import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from netchoice import read_network
from netchoice.errors import NetworkFormatError

WORDS = [
    "ann", "bob", "cat", "dan", "eve", "fay", "gus", "hal", "ida", "jim", "kay", "lee", "mia",
    "ned", "oda", "pat", "quin", "ray", "sue", "tom", "uma", "val", "wes", "xia", "yan", "zoe",
    "oak", "elm", "ash", "fir", "yew", "bay", "fig", "ivy", "rye", "pea", "hop", "nut", "cod",
    "eel", "bat", "owl", "jay", "hen", "dog", "cow", "pig", "ram", "fox", "ape", "bee", "ant",
]  # fmt: skip
GENES = [f"{stem}{n}" for stem in ("TP", "CDC", "RAD", "MDM", "BRC", "YPL") for n in range(2, 60)]
#: Functions that name the nodes 0, 1, 2, …
NAMES = {
    "numbers": str,
    "numbers from 1": lambda i: str(i + 1),
    "node7": lambda i: f"node{i + 1}",
    "n7": lambda i: f"n{i}",
    "P7": lambda i: f"P{100 + i}",
    "gene 7": lambda i: f"gene {i + 1}",
    "protein7": lambda i: f"protein{i + 1}",
    "TP53": lambda i: GENES[i % len(GENES)],
    "words": lambda i: WORDS[i % len(WORDS)] + ("" if i < len(WORDS) else WORDS[i // len(WORDS)]),
    "full names": lambda i: f"{WORDS[i % 52].title()} {WORDS[i // 52 + 9].title()}son",
    "letters": lambda i: "abcdefghijklmnopqrstuvwxyz"[i % 26] * (1 + i // 26),
    "hash": lambda i: f"{(i + 7) * 2654435761 % 2**32:08x}",
}  # fmt: skip
#: Usual names of two columns of nodes, and names that only a reader understands.
USUAL = (
    "source,target", "Source,Target", "from,to", "FROM_ID,TO_ID", "node1,node2", "node_a,node_b", "n1,n2",
    "u,v", "i,j", "person1,person2", "protein1,protein2", "Gene A,Gene B", "ENTREZ_A,ENTREZ_B", "id1,id2",
    "source_gene,target_gene", "Interactor A,Interactor B", "user_id_1,user_id_2", "a,b", "consumer,resource",
)  # fmt: skip
UNUSUAL = ("giver,taker", "one,other", "who,whom", "bait,hit", "city,destination", "plant,insect")
WEIGHTS = {"weight": lambda rng: str(rng.integers(1, 9)), "score": lambda rng: f"{rng.random():.3f}",
           "kind": lambda rng: str(rng.choice(["friend", "kin"]))}  # fmt: skip


@dataclass(frozen=True)
class EdgeList:
    """The text of an edge list, and what is true about it.

    ``decided`` says whether the content decides about its first line.
    """

    text: str
    edges: int  # different edges
    header: str | None
    names: str
    rows: int
    decided: bool


def edge_list(rng: np.random.Generator, header: str | None) -> EdgeList:
    """Return a random edge list with this header, or without one."""
    names = str(rng.choice([*NAMES]))
    separator = str(rng.choice([",", "\t", ";", " "]))
    if separator == " " and (" " in NAMES[names](0) or " " in (header or "")):
        separator = "\t"
    n_rows = int(rng.choice([2, 3, 5, 10, 30, 150]))
    pairs = random_edges(rng, n_rows)
    rows = [[NAMES[names](u), NAMES[names](v)] for u, v in pairs]
    cells = [] if header is None else [header.split(",")]
    if rng.random() < 0.4:
        kind = str(rng.choice([*WEIGHTS]))
        for row in rows:
            row.append(WEIGHTS[kind](rng))
        for line in cells:
            line.append(kind)
    text = "".join(separator.join(line) + "\n" for line in [*cells, *rows])
    ends = [end for row in rows for end in row[:2]]
    if header is None:  # the names of the first edge are below, or it is one of many separate edges
        decided = not {*ends[:2]}.isdisjoint(ends[2:])
    else:
        decided = {*header.split(",")}.isdisjoint(ends)
    return EdgeList(text, len({frozenset(row[:2]) for row in rows}), header, names, n_rows, decided)


def random_edges(rng: np.random.Generator, n: int) -> list[tuple[int, int]]:
    """Return edges of a sparse, a dense or a growing network, or of separate pairs, in random order."""
    kind = rng.choice(["sparse", "dense", "growing", "pairs"], p=[0.4, 0.25, 0.25, 0.1])
    if kind == "pairs":
        edges = [(2 * i, 2 * i + 1) for i in range(n)]
    elif kind == "growing":
        edges = [(int(rng.integers(i + 1)), i + 1) for i in range(n)]
    else:
        size = max(4, int(n * (1.0 if kind == "sparse" else 0.3)) + 1)
        edges = []
        while len(edges) < n:
            u, v = map(int, rng.integers(size, size=2))
            if u != v:
                edges.append((u, v))
    if kind != "growing" or rng.random() < 0.5:
        rng.shuffle(edges)
    return [(u, v) if rng.random() < 0.5 else (v, u) for u, v in map(tuple, edges)]


def outcomes(headers: tuple[str, ...] | None, n_trials: int, seed: int = 7) -> Counter[str]:
    """Return how often each outcome occurs for files with these headers, or without one.

    Wrong outcomes are "doubtful" if the report has a warning.
    """
    rng, found = np.random.default_rng(seed), Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "net.txt"
        for _ in range(n_trials):
            given = edge_list(rng, None if headers is None else str(rng.choice(headers)))
            path.write_text(given.text)
            try:
                report = read_network(path)[1]
            except NetworkFormatError:
                found["refused"] += 1
                continue
            is_header = any(line.startswith("header: yes") for line in report.findings)
            doubt = any("--" in warning for warning in report.warnings)
            right = is_header == (headers is not None)
            kind = "right" if right else "doubtful" if doubt else "wrong"
            found[kind if given.decided else f"{kind}, undecided"] += 1
    return found


if __name__ == "__main__":
    for name, headers in (("none", None), ("usual", USUAL), ("unusual", UNUSUAL)):
        print(name, dict(outcomes(headers, 9000)))
