"""Names of networks, nodes, groups and features that a terminal, a browser or a spreadsheet could obey."""

from __future__ import annotations

import csv
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np

import netchoice
from attack.specimens import _network, _prepared
from netchoice.choice.text import answer_lines
from netchoice.errors import NetchoiceError, printable
from netchoice.report import report_cohort
from netchoice.storage.records import to_csv

_PIECES = (
    "=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1+1", "\r=1", "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>", '" onmouseover="alert(1)', "javascript:alert(1)", "</title><script>",
    "\x1b[2J", "\x1b]0;owned\x07", "\x9b31m", "\u202egnp", "\u2028", "]]>", "&lt;script&gt;", "{{7*7}}",
    "a,b", 'a"b', "a\nb", "../../x", "$\\frac$", "\ufeff", "'", "nan", "", "a" * 300, "\ud800", "0",
)  # fmt: skip
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e]")
_FORMULA = re.compile(r"[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")
_ATTRIBUTES = re.compile(r"on\w+|srcdoc|formaction")


class _Page(HTMLParser):
    """Finds what a browser would run in a page, apart from its own scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note attributes that run code, and addresses that do."""
        for name, value in attrs:
            is_address = name in ("src", "href") and "alert(1)" in (value or "")
            if is_address or _ATTRIBUTES.fullmatch(name):
                self.found.append(f"<{tag} {name}={value!r}>")

    def handle_data(self, data: str) -> None:
        """Note a script that came from a name."""
        if self.cdata_elem == "script" and "alert(1)" in data and not data.lstrip().startswith("{"):
            self.found.append(f"script: {data[:80]!r}")


def _name(rng: np.random.Generator) -> str:
    return "".join(
        str(_PIECES[i]) for i in rng.integers(len(_PIECES), size=int(rng.integers(1, 3)))
    )


def formulas(csv_text: str) -> list[str]:
    """Return cells that a spreadsheet would run."""
    rows = csv.reader(csv_text.splitlines(keepends=True))
    cells = (cell for row in rows for cell in row)
    return [cell for cell in cells if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell)]


def names_in_a_cohort(rng: np.random.Generator, folder: Path) -> str:
    """Answer for networks with hostile names, and look at everything that is written and printed."""
    names = dict.fromkeys(_name(rng) for _ in range(int(rng.integers(2, 5))))
    networks = {name: _network(number) for number, name in enumerate(names)}
    try:
        report_cohort(
            networks, reference=_prepared(1), out=folder / "c", engine="serial", on_progress=False
        )
    except NetchoiceError as error:
        print(ascii(error))
        return "one line" if "\n" not in str(error) else "SEVERAL LINES"
    for path in (folder / "c").rglob("*"):
        if path.suffix == ".csv" and (found := formulas(path.read_text("utf-8"))):
            print(path, ascii(found))
            return "FORMULA"
        if path.suffix == ".html":
            page = _Page()
            page.feed(path.read_text("utf-8"))
            if page.found:
                print(path, ascii(page.found))
                return "SCRIPT"
        if path.suffix == ".json":
            json.loads(path.read_text("utf-8"))
    return "text only"


def names_of_nodes(rng: np.random.Generator, folder: Path) -> str:
    """Read a network with hostile names of nodes, and print, write and read it again."""
    labels = list(dict.fromkeys(_name(rng) + str(i) for i in range(9)))
    graph = netchoice.Graph.from_edges([(labels[i - 1], labels[i]) for i in range(1, len(labels))])
    shown = [printable(repr(graph)), *map(printable, map(str, labels))]
    if any(_OBEYED.search(text) for text in shown):
        return "ESCAPE"
    path = folder / str(rng.choice(["net.tsv", "net.graphml"]))
    try:
        netchoice.write_network(graph, path)
        again, _ = netchoice.read_network(path)
    except NetchoiceError as error:
        return "one line" if "\n" not in str(error) else "SEVERAL LINES"
    same = sorted(again.labels or ()) == sorted(graph.labels or ())
    return "text only" if same and again.n_edges == graph.n_edges else "CHANGED"


def tables_for_people(rng: np.random.Generator, folder: Path) -> str:
    """Write a table with hostile names of columns and cells as CSV."""
    import pandas as pd

    def text() -> str:
        return _name(rng).replace("\ud800", "")  # pandas refuses it

    frame = pd.DataFrame({text(): [text() for _ in range(3)] for _ in range(3)})
    found = formulas(to_csv(frame))
    print(ascii(found))
    return "FORMULA" if found else "text only"


def names_in_an_answer(rng: np.random.Generator, folder: Path) -> str:
    """Read a file with hostile names, and print and report the answer that prepared simulations give."""
    graph = _network(3)
    labels = [_name(rng) + str(i) for i in range(graph.n_nodes)]
    named = netchoice.Graph.from_edges([(labels[a], labels[b]) for a, b in graph.edges()])
    answer = netchoice.choose_model(
        named, reference=_prepared(1), out=folder / "a", engine="serial", on_progress=False
    )
    lines = [printable(line) for line in answer_lines(answer, verbose=True)]
    page = _Page()
    page.feed(answer.report(folder / "r.html").read_text("utf-8"))
    if page.found or any(_OBEYED.search(line) for line in lines):
        print(ascii(page.found))
        return "SCRIPT"
    loaded = netchoice.Answer.load(folder / "a")
    return "text only" if loaded.as_dict() == answer.as_dict() else "CHANGED"


KINDS = {
    "hostile names in a cohort": names_in_a_cohort,
    "hostile names in an answer": names_in_an_answer,
    "hostile names of nodes": names_of_nodes,
    "hostile cells of a table": tables_for_people,
}
SHARES = {"hostile names in a cohort": 0.05, "hostile names in an answer": 0.05}
